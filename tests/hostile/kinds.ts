/** Providers of all kinds with one stub, which answers each in its format. */

import { readFixtures } from "../support/fixtures.ts";
import { toAnswer } from "./answers.ts";
import { VENDOR_KEY } from "./gateway_process.ts";
import { RawVendor, type VendorRequest } from "./raw_vendor.ts";

/** One kind of provider. Its ID is the kind, and its model is named after it. */
export interface Kind {
  readonly kind: string;
  /** The ID of the model. */
  readonly model: string;
  /** The normal answer of the vendor. */
  readonly answer: string;
}

/** All kinds with a fixture of a text answer. */
export function readKinds(): Kind[] {
  return readFixtures().flatMap(({ vendor, name, upstream }) => {
    if (name !== "text" || upstream.type !== "answer") return [];
    const answer = toAnswer(200, upstream.body);
    return [{ kind: vendor, model: `model-of-${vendor}`, answer }];
  });
}

/** A stub for all kinds. */
export function createVendorOfKinds(kinds: readonly Kind[]): RawVendor {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind.answer]));
  return new RawVendor((request, connection) =>
    connection.send(byName.get(kindOf(request)) ?? toAnswer(404, {}))
  );
}

/** The providers of all kinds, for config.yaml. */
export function toProviders(
  kinds: readonly Kind[],
  vendor: RawVendor,
): Record<string, unknown> {
  const fixtures = readFixtures().filter(({ name }) => name === "text");
  return Object.fromEntries(kinds.map(({ kind, model }) => {
    const { about } = fixtures.find(({ vendor }) => vendor === kind) ?? {};
    const upstream = about?.model;
    const entry = typeof upstream === "string"
      ? { id: model, upstream }
      : { ...upstream, id: model };
    return [kind, {
      ...about?.provider,
      kind,
      api_key: VENDOR_KEY,
      base_url: `${vendor.url}/${kind}`,
      models: [entry],
    }];
  }));
}

function kindOf({ head }: VendorRequest): string {
  return /^post \/([^/]+)\//.exec(head)?.[1] ?? "";
}
