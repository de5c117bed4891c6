import { assertEquals, assertStrictEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { withoutRootBranches } from "../../../src/providers/shared/schema_branches.ts";

const text = { type: "string" };
const count = { type: "integer" };

Deno.test("withoutRootBranches() does not change a schema without branches at its root", () => {
  const schema = { type: "object", properties: { a: { anyOf: [text, count] } } };
  assertStrictEquals(withoutRootBranches(schema), schema);
});

Deno.test("withoutRootBranches() merges the members of all branches, and requires what all require", () => {
  for (const keyword of ["anyOf", "oneOf"]) {
    const schema = {
      type: "object",
      [keyword]: [
        {
          properties: { kind: { const: "a" }, size: count, same: text },
          required: ["kind", "size", "same"],
        },
        { properties: { kind: { const: "b" }, same: text }, required: ["kind", "same"] },
      ],
    };
    assertEquals(withoutRootBranches(schema), {
      type: "object",
      properties: {
        kind: { anyOf: [{ const: "a" }, { const: "b" }] },
        size: count,
        same: text,
      },
      required: ["kind", "same"],
    });
  }
});

Deno.test("withoutRootBranches() removes branches that only have required names", () => {
  const schema = {
    type: "object",
    description: "One of them.",
    properties: { route: text, file: text, depth: count },
    required: ["depth"],
    anyOf: [{ required: ["route"] }, { required: ["file"] }],
    additionalProperties: false,
  };
  const { anyOf: _, ...rest } = schema;
  assertEquals(withoutRootBranches(schema), rest);
});

Deno.test("withoutRootBranches() requires what any part of an allOf requires, references too", () => {
  const schema = {
    type: "object",
    allOf: [{ $ref: "#/$defs/base" }, { properties: { b: count }, required: ["b"] }],
    $defs: { base: { type: "object", properties: { a: text }, required: ["a"] } },
  };
  assertEquals(withoutRootBranches(schema), {
    type: "object",
    $defs: schema.$defs,
    properties: { a: text, b: count },
    required: ["a", "b"],
  });
});

Deno.test("withoutRootBranches() ends for recursive references and great depth", () => {
  const circle = { type: "object", properties: { a: text }, anyOf: [{ $ref: "#" }, text] };
  assertEquals(withoutRootBranches(circle), { type: "object", properties: { a: text } });
  let deep: JsonObject = { properties: { a: text } };
  for (let depth = 0; depth < 20_000; depth++) deep = { anyOf: [deep] };
  assertEquals(withoutRootBranches({ type: "object", anyOf: [deep] }).properties, {});
  const twice = (name: string) => ({ allOf: [{ $ref: name }, { $ref: name }] });
  const $defs = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`d${at}`, twice(`#/$defs/d${at + 1}`)]),
  );
  const doubled = { type: "object", ...twice("#/$defs/d0"), $defs };
  assertEquals(withoutRootBranches(doubled).properties, {});
});

Deno.test("withoutRootBranches() allows any value for members that would be too large together", () => {
  const large = { enum: Array.from({ length: 20_000 }, (_, at) => at) };
  let inner: JsonObject = { properties: { leaf: large } };
  for (let level = 0; level < 60; level++) inner = { properties: { a: inner } };
  const anyOf = Array.from({ length: 60 }, (_, at) => ({
    $ref: `#/$defs/inner${"/properties/a".repeat(at)}`,
  }));
  const schema = { type: "object", anyOf, properties: { b: text }, $defs: { inner } };
  const { properties } = withoutRootBranches(schema);
  assertEquals(properties, { b: text, a: {} });
});

Deno.test("withoutRootBranches() requires names that many branches share, within limits", () => {
  const names = Array.from({ length: 1000 }, (_, at) => `m${at}`);
  const base = {
    properties: Object.fromEntries(names.map((name) => [name, text])),
    required: names,
  };
  const shared = (count: number) => ({
    type: "object",
    anyOf: Array.from({ length: count }, (_, at) => ({ $ref: `#/$defs/d${at}` })),
    $defs: {
      base,
      ...Object.fromEntries(
        Array.from(
          { length: count },
          (_, at) => [`d${at}`, { $ref: "#/$defs/base", title: `${at}` }],
        ),
      ),
    },
  });
  const few = withoutRootBranches(shared(10));
  assertEquals([few.properties, few.required], [base.properties, names]);
  const many = withoutRootBranches(shared(2000));
  assertEquals(many.properties, base.properties);
  assertEquals(many.required, undefined);
});
