/**
 * A verdict is a promise: for each kind of provider, every verdict on what
 * callers lean on most has a case below tests/fixtures whose request uses it.
 */

import { assert, assertEquals } from "@std/assert";
import { isObject } from "../src/chat.ts";
import type { Adapter } from "../src/providers/adapter.ts";
import { adapters } from "../src/providers/registry.ts";
import type { ContentKind, Parameter } from "../src/providers/support.ts";
import { exists, type Fixture, readFixtures } from "./support/fixtures.ts";

/** Kinds that need no evidence of a vendor's bytes, and why. */
const EXEMPT: ReadonlyMap<string, string> = new Map([
  ["mock", "it answers in the process: there are no bytes of a vendor's"],
]);

const PARAMETERS = [
  "stream",
  "tools",
  "tool_choice",
  "response_format",
] as const satisfies readonly Parameter[];
const CONTENT = ["image_url", "image_data"] as const satisfies readonly ContentKind[];

const fixtures = Map.groupBy(readFixtures(), ({ vendor }) => vendor);

Deno.test("every folder of fixtures is of a kind in the registry", () => {
  assertEquals([...fixtures.keys()].filter((kind) => !adapters.has(kind)), []);
});

Deno.test("every kind that is exempt from evidence is in the registry", () => {
  assertEquals([...EXEMPT.keys()].filter((kind) => !adapters.has(kind)), []);
});

for (const adapter of adapters.values()) {
  if (EXEMPT.has(adapter.kind)) continue;

  Deno.test(`${adapter.kind}: every verdict has a case that uses it`, () => {
    const cases = fixtures.get(adapter.kind) ?? [];
    assert(cases.length > 0, `there is no folder tests/fixtures/${adapter.kind}`);
    assertEquals(verdictsOf(adapter).filter((name) => !cases.some((one) => uses(one, name))), []);
  });
}

/** What the adapter takes, or makes something of. */
function verdictsOf({ supports, imageSources }: Adapter): (Parameter | ContentKind)[] {
  const content = CONTENT.filter((name) => {
    // Where a vendor fetches no images the gateway does, before the adapter sees them.
    if (name === "image_url" && !imageSources.https) return false;
    return isPromise(supports.content[name].verdict);
  });
  return [...PARAMETERS.filter((name) => isPromise(supports.parameters[name].verdict)), ...content];
}

function isPromise(verdict: string): boolean {
  return verdict !== "ignored" && verdict !== "refused";
}

/** Whether a case's request says this, and came as far as the vendor. */
function uses({ directory, request }: Fixture, name: string): boolean {
  if (!exists(`${directory}/sent.json`)) return false;
  switch (name) {
    case "stream":
      return request.stream === true;
    case "image_url":
    case "image_data":
      return imagesOf(request).some((url) => url.startsWith("data:") === (name === "image_data"));
    default:
      return request[name] !== undefined && request[name] !== null;
  }
}

function imagesOf({ messages }: Fixture["request"]): string[] {
  const turns = Array.isArray(messages) ? messages.filter(isObject) : [];
  const parts = turns.flatMap(({ content }) => Array.isArray(content) ? content : []);
  return parts.filter(isObject).map(({ image_url: image }) => isObject(image) ? image.url : "")
    .filter((url) => typeof url === "string" && url !== "").map(String);
}
