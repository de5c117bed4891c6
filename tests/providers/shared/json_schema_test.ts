import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import {
  CLAUDE_SCHEMA,
  CLAUDE_SCHEMA_LIMITS,
} from "../../../src/providers/shared/claude/models.ts";
import {
  asObjectSchema,
  reduceSchema,
  resolveRef,
  routeJson,
  SchemaBudget,
} from "../../../src/providers/shared/json_schema.ts";
import { FenceFilter } from "../../../src/providers/shared/json_fence.ts";

const reduce = (schema: JsonObject) => reduceSchema(schema, CLAUDE_SCHEMA);
const text = { type: "string" };

Deno.test("reduceSchema() closes every object", () => {
  const reduced = reduce({
    type: "object",
    properties: { inner: { type: ["object", "null"], properties: { a: text }, required: ["a"] } },
    required: ["inner"],
  });
  assertEquals(reduced, {
    schema: {
      type: "object",
      properties: {
        inner: {
          type: ["object", "null"],
          properties: { a: text },
          required: ["a"],
          additionalProperties: false,
        },
      },
      required: ["inner"],
      additionalProperties: false,
    },
    optional: 0,
    unions: 1,
    changed: false,
  });
});

Deno.test("reduceSchema() reports whether keywords were removed or moved to the description", () => {
  const changed = (schema: Record<string, unknown>) => reduce(schema)?.changed;
  assertEquals(changed({ type: "string", title: "A", description: "B." }), false);
  assertEquals(changed({ type: "string", maxLength: 5 }), true);
  assertEquals(changed({ type: "string", examples: ["a"] }), true);
  assertEquals(changed({ type: "string", $comment: "c" }), true);
});

Deno.test("reduceSchema() moves unsupported keywords to the description", () => {
  assertEquals(
    reduce({ type: "number", description: "A share.", minimum: 0, maximum: 1 })?.schema,
    { type: "number", description: "A share. (minimum: 0, maximum: 1)" },
  );
  assertEquals(reduce({ type: "array", items: text, minItems: 2 })?.schema, {
    type: "array",
    items: text,
    description: "(minItems: 2)",
  });
  assertEquals(reduce({ ...text, format: "date" })?.schema, { ...text, format: "date" });
  assertEquals(reduce({ ...text, format: "isbn" })?.schema, {
    ...text,
    description: "(format: isbn)",
  });
  assertEquals(reduce({ ...text, pattern: "^[a-z]+$" })?.schema, { ...text, pattern: "^[a-z]+$" });
  assertEquals(reduce({ ...text, pattern: "(?=a)" })?.schema.pattern, undefined);
});

Deno.test("reduceSchema() accepts objects without constraints, and removes lists of examples", () => {
  const closed = { additionalProperties: false };
  assertEquals(reduce({ type: "object", ...closed })?.schema, { type: "object", ...closed });
  assertEquals(reduce({ properties: { a: text } })?.schema, { properties: { a: text }, ...closed });
  assertEquals(reduce({ ...text, examples: ["a"] })?.schema, text);
});

Deno.test("reduceSchema() counts no union for a single type", () => {
  const inner = { type: "object", properties: { a: text } };
  const unions = [
    { type: ["string"] },
    { anyOf: [text] },
    { oneOf: [text] },
    { allOf: [inner, inner] },
    { type: ["string", "null"] },
    { anyOf: [text, { anyOf: [text, { type: "null" }] }] },
  ].map((schema) => reduce(schema)?.unions);
  assertEquals(unions, [0, 0, 0, 0, 1, 2]);
});

Deno.test("reduceSchema() sends oneOf as anyOf and counts it as a union", () => {
  const reduced = reduce({ oneOf: [text, { type: "integer" }] });
  assertEquals(reduced?.schema, { anyOf: [text, { type: "integer" }] });
  assertEquals(reduced?.unions, 1);
});

Deno.test("reduceSchema() counts optional members", () => {
  assertEquals(
    reduce({ type: "object", properties: { a: text, b: text }, required: ["a"] })?.optional,
    1,
  );
});

Deno.test("reduceSchema() refuses schemas whose meaning would change", () => {
  const deep: JsonObject = {};
  let at = deep;
  for (let depth = 0; depth < 50_000; depth++) at = (at.items = { type: "array" }) as JsonObject;
  const unsayable: JsonObject[] = [
    { type: "object" },
    {},
    { type: "object", properties: {}, additionalProperties: true },
    { type: "object", properties: {}, additionalProperties: text },
    { type: "object", properties: { anything: true } },
    { type: "object", properties: { tree: { $ref: "#" } } },
    { $ref: "https://example.com/schema.json" },
    { $ref: "#/$defs/gone", $defs: {} },
    { type: "array", prefixItems: [text] },
    { type: "string", not: { const: "a" } },
    { enum: [{ a: 1 }] },
    { anyOf: "no list" },
    { type: "array", items: 5 },
    deep,
  ];
  for (const [index, schema] of unsayable.entries()) {
    assertEquals(reduce(schema), undefined, `case ${index}`);
  }
});

Deno.test("reduceSchema() distinguishes a definition that is used twice from a recursive one", () => {
  const used = {
    $defs: {
      point: { type: "object", properties: { x: { $ref: "#/$defs/n" } } },
      n: { type: "number" },
    },
    type: "object",
    properties: { from: { $ref: "#/$defs/point" }, to: { $ref: "#/$defs/point" } },
  };
  assertEquals(reduce(used)?.schema.properties, used.properties);
  const looped = {
    $defs: {
      a: { anyOf: [{ $ref: "#/$defs/b" }, text] },
      b: { type: "array", items: { $ref: "#/$defs/a" } },
    },
    $ref: "#/$defs/a",
  };
  assertEquals(reduce(looped), undefined);
});

Deno.test("reduceSchema() keeps members of any name", () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"$ref":{"type":"string"}}}',
  );
  assertEquals(Object.keys(reduce(schema)?.schema.properties as JsonObject), ["__proto__", "$ref"]);
});

Deno.test("resolveRef() follows escaped pointers, and no inherited members", () => {
  const root = { $defs: { "a/b": text } };
  assertEquals(resolveRef(root, "#/$defs/a~1b"), text);
  assertEquals(resolveRef(root, "#"), root);
  assertEquals(resolveRef(root, "#/constructor"), undefined);
  assertEquals(resolveRef(root, "other.json#/a"), undefined);
});

Deno.test("asObjectSchema() converts every schema that can be an object", () => {
  assertEquals(asObjectSchema(null), { type: "object", properties: {} });
  assertEquals(asObjectSchema({ anyOf: [] }), { anyOf: [], type: "object" });
  assertEquals(asObjectSchema({ type: ["object", "null"] }), { type: "object" });
  assertEquals(asObjectSchema({ type: "array" }), undefined);
});

Deno.test("routeJson() uses the strictest supported route", () => {
  const open = { type: "object" };
  const closed = { type: "object", properties: { a: text }, required: ["a"] };
  const all = { rules: CLAUDE_SCHEMA, limits: CLAUDE_SCHEMA_LIMITS, forcedChoice: true };
  assertEquals(routeJson({ schema: closed }, all).by, "schema");
  assertEquals(routeJson({ schema: open }, all).by, "tool");
  assertEquals(routeJson({ schema: closed }, { ...all, rules: undefined }).by, "tool");
  assertEquals(routeJson({ schema: open }, { ...all, forcedChoice: false }).by, "instruction");
  assertEquals(routeJson({ schema: { type: "array" } }, all).by, "instruction");
  assertEquals(routeJson({}, all).by, "instruction");
  assertEquals(routeJson(undefined, all).by, "nothing");
});

Deno.test("routeJson() uses a tool for a schema beyond the vendor's limits", () => {
  const names = Array.from({ length: 25 }, (_, index) => [`p${index}`, text]);
  const schema = { type: "object", properties: Object.fromEntries(names) };
  const means = { rules: CLAUDE_SCHEMA, limits: CLAUDE_SCHEMA_LIMITS, forcedChoice: true };
  assertEquals(routeJson({ schema }, means).by, "tool");
});

Deno.test("SchemaBudget counts all schemas of a request", () => {
  const budget = new SchemaBudget({ schemas: 2, optional: 3, unions: 0 });
  const one = (optional: number, unions = 0) =>
    budget.take({ schema: {}, optional, unions, changed: false });
  assertEquals([one(2), one(2), one(0, 1), one(1), one(0)], [true, false, false, true, false]);
});

Deno.test("FenceFilter removes a fence from text in any pieces, and passes other text", () => {
  const cases: [text: string, expected: string][] = [
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ["\n```\n{}\n```\n\n", "{}"],
    ['{"a":"```"}', '{"a":"```"}'],
    ["plain `code` text", "plain `code` text"],
    ['```json\n{\n  "cut": ', '{\n  "cut": '],
    ["``", "``"],
    ["", ""],
  ];
  for (const [input, expected] of cases) {
    for (let size = 1; size <= Math.max(input.length, 1); size++) {
      const fence = new FenceFilter();
      let output = "";
      for (let at = 0; at < input.length; at += size) {
        output += fence.push(input.slice(at, at + size));
      }
      assertEquals(output + fence.end(), expected, `${JSON.stringify(input)} by ${size}`);
    }
  }
});

Deno.test("reduceSchema() replaces an allOf with one reference by the reference, and no other", () => {
  const $defs = { place: { type: "object", properties: { city: text }, required: ["city"] } };
  const $ref = "#/$defs/place";
  const within = (home: JsonObject) =>
    reduce({ type: "object", properties: { home }, required: ["home"], $defs })?.schema.properties;
  const described = { allOf: [{ $ref }], description: "Where one lives" };
  assertEquals(within(described), { home: { $ref, description: "Where one lives" } });
  assertEquals(within({ allOf: [{ $ref }, { type: "object", properties: {} }] }), undefined);
  assertEquals(within({ allOf: [{ $ref: "#/$defs/nowhere" }] }), undefined);
  assertEquals(within({ allOf: [text] }), { home: { allOf: [text] } });
});
