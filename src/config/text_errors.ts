/** Finds the errors in the text of a config.yaml. */

import { isObject } from "../contract/chat.ts";
import type { Adapter } from "../contract/adapter.ts";
import { loadCatalogue } from "./catalogue_file.ts";
import { runAtOnce, type Steps } from "../core/steps.ts";
import { checkDocument } from "./check.ts";
import { isWithin } from "./config_errors.ts";
import { isCredential } from "./disabled_providers.ts";
import { withKeysOfEnv } from "./keys.ts";
import {
  isManaged,
  rawTextAt,
  type ResolvedDocument,
  resolveInSteps,
  type Sources,
} from "./references.ts";
import { schemaFor } from "./schema.ts";
import { checkRouteFiles } from "./vendor_route.ts";
import { findTab, findUnquoted, readYamlInSteps } from "./yaml.ts";
import type { PlacedError } from "./positions.ts";

/** A text whose references have been resolved, with its errors. */
export interface CheckedText extends ResolvedDocument {
  readonly schema: ReturnType<typeof schemaFor>;
  /** The model catalog that it names. */
  readonly found: ReturnType<typeof loadCatalogue>;
}

/** The inputs for finding the errors in a text. */
export type CheckEnvironment = Sources & {
  /** The adapters of the kinds that the text may use. */
  readonly adapters: ReadonlyMap<string, Adapter>;
  /** The kinds that exist. Default: those that have an adapter. */
  readonly kinds?: readonly string[];
};

/** The adapters of some kinds that a text uses are not loaded. */
export class UnloadedKinds extends Error {
  override readonly name = "UnloadedKinds";
  readonly kinds: readonly string[];

  constructor(kinds: readonly string[]) {
    super(`The adapters of ${kinds.join(", ")} are not loaded`);
    this.kinds = kinds;
  }
}

/** @throws {UnloadedKinds} */
function checkKinds(document: unknown, { adapters, kinds = [] }: CheckEnvironment): void {
  const providers = isObject(document) && isObject(document.providers) ? document.providers : {};
  const used = Object.values(providers).map((one) => isObject(one) ? one.kind : undefined);
  const unloaded = kinds.filter((kind) => used.includes(kind) && !adapters.has(kind));
  if (unloaded.length > 0) throw new UnloadedKinds(unloaded);
}

/**
 * Finds all errors in a text.
 *
 * @param toRaw changes the document before its references are resolved
 */
export function checkText(
  text: string,
  environment: CheckEnvironment,
  toRaw?: (document: unknown) => unknown,
): CheckedText {
  return runAtOnce(checkTextInSteps(text, environment, toRaw));
}

/** The same in steps. @throws {UnloadedKinds} */
export function* checkTextInSteps(
  text: string,
  environment: CheckEnvironment,
  toRaw: (document: unknown) => unknown = (document) => document,
): Steps<CheckedText> {
  const { adapters, readFile } = environment;
  const schema = schemaFor(adapters, environment.kinds);
  const yaml = yield* readYamlInSteps(text);
  if (yaml.value === undefined) {
    const errors = [...findTab(text), ...findUnquoted(text), ...yaml.errors];
    const found = loadCatalogue(undefined, environment);
    return { value: undefined, unset: [], errors, schema, found };
  }
  const raw = withKeysOfEnv(toRaw(yaml.value), environment.env);
  const resolved = yield* resolveInSteps(raw, environment);
  checkKinds(resolved.value, environment);
  const path = isObject(resolved.value) ? resolved.value.catalogue : undefined;
  const found = loadCatalogue(path, environment);
  const known = [...resolved.unset, ...resolved.errors];
  const all = yield* checkDocument(resolved.value, raw, schema);
  // A value from a secret manager was not written by the operator, so an error in it disables the
  // provider but does not prevent startup.
  const isSecret = ({ path }: PlacedError) => isCredential(path) && isManaged(rawTextAt(raw, path));
  const faults = all.filter((fault) => !isSecret(fault));
  const invalid = all.filter(isSecret).map(({ path, message }) => ({
    path,
    reason: `a secret ${message}`,
    publicReason: "a secret is not valid",
  }));
  const errors = [
    ...yaml.errors,
    ...resolved.errors,
    ...resolved.unset.filter(({ path }) => !isCredential(path))
      .map(({ path, reason }) => ({ path, message: reason })),
    // A value with a failed reference already has an error.
    ...("message" in found ? [found] : []),
    ...checkRouteFiles(resolved.value, readFile),
    ...faults.filter(({ path, isOfName = false }) =>
      isOfName || !known.some((one) => isWithin(path, one.path))
    ),
  ];
  const hints = errors.length > 0 ? findTab(text) : [];
  const unset = [...resolved.unset, ...invalid];
  return { ...resolved, unset, schema, found, errors: [...hints, ...errors] };
}
