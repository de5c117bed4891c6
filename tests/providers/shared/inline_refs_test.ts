import { assert, assertEquals } from "@std/assert";
import { inlineRefs, mapSubschemas } from "../../../src/providers/shared/inline_refs.ts";

Deno.test("inlineRefs() puts definitions where they are referred to", () => {
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

Deno.test("inlineRefs() keeps what comes back to itself, with the definitions it needs", () => {
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

Deno.test("inlineRefs() leaves out references that lead nowhere", () => {
  const schema = { properties: { a: { $ref: "https://x.test/s", title: "A" }, b: { $ref: 7 } } };
  assertEquals(inlineRefs(schema), { properties: { a: { title: "A" }, b: {} } });
});

Deno.test("inlineRefs() takes names of members for no keywords, and values for no schemas", () => {
  const schema = {
    properties: { $ref: { type: "string" }, properties: { const: { $ref: "#/$defs/x" } } },
    enum: [{ $ref: "#/$defs/x" }],
    $defs: { x: {} },
  };
  const { $defs: _, ...same } = schema;
  assertEquals(inlineRefs(schema), same);
});

Deno.test("inlineRefs() does not let definitions multiply without bound", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => [
      `d${level}`,
      {
        properties: { l: { $ref: `#/$defs/d${level + 1}` }, r: { $ref: `#/$defs/d${level + 1}` } },
      },
    ]),
  );
  const text = JSON.stringify(inlineRefs({ $ref: "#/$defs/d0", $defs }));
  assert(text.length < 3_000_000, String(text.length));
});

Deno.test("mapSubschemas() reaches each schema directly inside, and nothing else", () => {
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
