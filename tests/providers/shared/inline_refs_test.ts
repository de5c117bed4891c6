import { assert, assertEquals, assertThrows } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { mapSubschemas, RefInliner } from "../../../src/providers/shared/inline_refs.ts";

const PATH = "tools[0].function.parameters";

function inlineRefs(schema: JsonObject): JsonObject {
  const { schema: inlined, cut, lost } = new RefInliner().inline(schema, PATH);
  assert(!cut && !lost);
  return inlined;
}

/** Definitions of which each refers to the next one twice. */
function doubling(count: number): JsonObject {
  return Object.fromEntries(
    Array.from({ length: count }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { properties: { l: next, r: next } }];
    }),
  );
}

Deno.test("RefInliner replaces references with their definitions", () => {
  const schema = {
    type: "object",
    properties: {
      a: { $ref: "#/$defs/text", description: "own" },
      b: { type: "array", items: { anyOf: [{ $ref: "#/definitions/both" }, { type: "null" }] } },
    },
    $defs: { text: { type: "string", description: "theirs" } },
    definitions: { both: { allOf: [{ $ref: "#/$defs/text" }] } },
  };
  assertEquals(inlineRefs(schema), {
    type: "object",
    properties: {
      a: { type: "string", description: "own" },
      b: {
        type: "array",
        items: {
          anyOf: [{ allOf: [{ type: "string", description: "theirs" }] }, { type: "null" }],
        },
      },
    },
  });
});

Deno.test("RefInliner keeps recursive references, with the definitions that they need", () => {
  const schema = {
    properties: { tree: { $ref: "#/definitions/a~1b" }, me: { $ref: "#" } },
    definitions: { "a/b": { properties: { next: { $ref: "#/definitions/a~1b" } } } },
  };
  const inlined = inlineRefs(schema);
  assertEquals(inlined.properties, {
    tree: { properties: { next: { $ref: "#/$defs/a_1b" } } },
    me: { $ref: "#/$defs/root" },
  });
  const definitions = inlined.$defs as Record<string, unknown>;
  assertEquals(Object.keys(definitions), ["a_1b", "root"]);
  assertEquals(definitions.a_1b, { properties: { next: { $ref: "#/$defs/a_1b" } } });
});

Deno.test("RefInliner removes references without a target, and reports it", () => {
  const schema = { properties: { a: { $ref: "https://x.test/s", title: "A" }, b: { $ref: 7 } } };
  assertEquals(new RefInliner().inline(schema, PATH), {
    schema: { properties: { a: { title: "A" }, b: {} } },
    cut: false,
    lost: true,
  });
});

Deno.test("RefInliner does not treat names of members as keywords, or values as schemas", () => {
  const schema = {
    properties: { $ref: { type: "string" }, properties: { const: { $ref: "#/$defs/x" } } },
    enum: [{ $ref: "#/$defs/x" }],
    $defs: { x: {} },
  };
  const { $defs: _, ...same } = schema;
  assertEquals(inlineRefs(schema), same);
});

Deno.test("RefInliner prefers keywords beside references, in their order", () => {
  const schema = {
    properties: { a: { $ref: "#/$defs/one", title: "a", own: true } },
    $defs: {
      one: { $ref: "#/$defs/two", title: "one", minimum: 1 },
      two: { type: "number", title: "two", minimum: 2 },
    },
  };
  const { properties } = inlineRefs(schema);
  assertEquals(
    JSON.stringify(properties),
    '{"a":{"type":"number","title":"a","minimum":1,"own":true}}',
  );
});

Deno.test("RefInliner limits the multiplication of definitions, and reports it", () => {
  const schema = { $ref: "#/$defs/d0", $defs: doubling(40) };
  const { schema: inlined, cut } = new RefInliner().inline(schema, PATH);
  const text = JSON.stringify(inlined);
  assert(text.length < 3_000_000, String(text.length));
  assert(cut);
  // What was not inlined is still defined.
  const definitions = inlined.$defs as JsonObject;
  for (const [, name = ""] of text.matchAll(/"#\/\$defs\/(\w+)"/g)) {
    assert(name in definitions, name);
  }
});

Deno.test("RefInliner limits the growth of all schemas of a request together", () => {
  const refs = new RefInliner();
  const schema = { $ref: "#/$defs/d0", $defs: doubling(11) };
  const sizes = Array.from(
    { length: 60 },
    () => JSON.stringify(refs.inline(schema, PATH).schema).length,
  );
  const sum = sizes.reduce((all, size) => all + size);
  assert(sizes[0] !== undefined && sizes[0] > 30_000, String(sizes[0]));
  assert(sum < 2_500_000, String(sum));
  assert(refs.inline(schema, PATH).cut);
});

Deno.test("RefInliner gives each remaining definition a unique name", () => {
  const names = ["a/x", "b/x", "c/x", "d/x", "e/x", "f/x", "x_4"];
  const pathOf = (name: string) => `#/$defs/${name.replace("/", "~1")}/items`;
  const $defs = Object.fromEntries(
    names.map((name) => [name, { items: { not: { $ref: pathOf(name) } } }]),
  );
  const last = { $ref: "#/$defs/x_4/items" };
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: pathOf(name) }]));
  const inlined = inlineRefs({ properties: { ...properties, last }, $defs });
  const kept = inlined.$defs as JsonObject;
  assertEquals(Object.keys(kept), [
    ...["items", "items_", "items__", "items___", "items_4", "items_5", "items_6"],
  ]);
});

Deno.test("RefInliner refuses definitions inside each other that are too large together", () => {
  let inner: JsonObject = { enum: Array.from({ length: 20_000 }, (_, at) => at) };
  for (let level = 0; level < 60; level++) inner = { properties: { a: inner } };
  const properties = Object.fromEntries(
    Array.from(
      { length: 60 },
      (_, at) => [`p${at}`, { $ref: `#${"/properties/a".repeat(at + 1)}` }],
    ),
  );
  const schema = { properties: { ...properties, a: inner } };
  const refs = new RefInliner();
  const error: unknown = assertThrows(() => refs.inline(schema, PATH), GatewayError);
  const { kind, param, message } = error as GatewayError;
  assertEquals([kind, param], ["invalid_value", PATH]);
  assertEquals(
    message,
    `Invalid value for '${PATH}': its definitions refer to parts of each other and are too large together`,
  );
});

Deno.test("RefInliner limits the references that it replaces in a request", () => {
  const definitions = Array.from({ length: 6000 }, (_, at) => [`d${at}`, { const: at }]);
  const properties = definitions.map(([name]) => [name, { $ref: `#/$defs/${name}` }]);
  const schema = {
    properties: Object.fromEntries(properties),
    $defs: Object.fromEntries(definitions),
  };
  const refs = new RefInliner();
  const { schema: inlined, cut } = refs.inline(schema, PATH);
  assert(cut);
  assertEquals(Object.keys(inlined.$defs as JsonObject).length, 1000);
  const error = assertThrows(
    () => refs.inline(schema, PATH),
    GatewayError,
    "over 2000 definitions",
  );
  assertEquals(error.param, PATH);
});

Deno.test("mapSubschemas() maps each direct subschema, and nothing else", () => {
  const seen: unknown[] = [];
  mapSubschemas({
    properties: { a: { x: 1 }, b: true },
    items: [{ x: 2 }],
    anyOf: [{ x: 3 }, false],
    additionalProperties: { x: 4 },
    default: { x: 5 },
  }, (inner) => {
    seen.push(inner.x);
    return inner;
  });
  assertEquals(seen, [1, 2, 3, 4]);
});
