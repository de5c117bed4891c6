import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import {
  KeyNames,
  KeyRewriter,
  renameProperties,
  replaceKeys,
} from "../../../src/providers/shared/refusals/names.ts";

const RULE = { refused: /[^a-zA-Z0-9_.-]/g, maxLength: 8 };
const NAMES = new KeyNames(new Map([["_top", "$top"], ["_top_2", "@top"], ["a_b", "a b"]]));

const TEXTS: readonly (readonly [text: string, expected: string])[] = [
  ['{"_top":1}', '{"$top":1}'],
  [
    '{ "_top" : "_top" , "_top_2":["_top"],"_top_23":{"_top":1}}',
    '{ "$top" : "_top" , "@top":["_top"],"_top_23":{"_top":1}}',
  ],
  ['{"x":"\\"_top\\":","a_b":{}}', '{"x":"\\"_top\\":","a b":{}}'],
  ['{"\\u005ftop":1,"a\\u005fb":2,"\\"":3}', '{"$top":1,"a b":2,"\\"":3}'],
  ['{"long \\u005f escaped key that is none of the names, whatever follows":1}', ""],
  ['["_top",{"_top":1}]', ""],
  ['"_top"', ""],
  ['{"n":12345678901234567890.0,"_top":1e400}', '{"n":12345678901234567890.0,"$top":1e400}'],
  ['{"_to', ""],
  ["not JSON", ""],
  ["", ""],
];

Deno.test("KeyRewriter replaces keys of the root, however the text is cut", () => {
  for (const [text, changed] of TEXTS) {
    const expected = changed || text;
    assertEquals(replaceKeys(text, NAMES), expected);
    for (let size = 1; size <= 3; size++) {
      const rewriter = new KeyRewriter(NAMES);
      let written = "";
      for (let at = 0; at < text.length; at += size) {
        written += rewriter.push(text.slice(at, at + size));
      }
      assertEquals(written + rewriter.end(), expected, `pieces of ${size}`);
    }
  }
});

Deno.test("KeyRewriter holds a key back only as long as it may be one of the names", () => {
  const rewriter = new KeyRewriter(NAMES);
  const pieces = ['{"_', "to", "x", 'y":"_t', 'op","', "a", "_", "b", '"', ":1}"];
  assertEquals(pieces.map((piece) => rewriter.push(piece)), [
    ...["{", "", '"_tox', 'y":"_t', 'op",', "", "", "", '"a b"', ":1}"],
  ]);
});

Deno.test("renameProperties() renames what describes the same object, and nothing inside of it", () => {
  const inner = { type: "object", properties: { $a: { type: "string" } }, required: ["$a"] };
  const schema = {
    type: "object",
    properties: { $a: inner, _a: {}, ok: inner },
    required: ["$a", "ok"],
    dependentRequired: { $a: ["_a", "$a"] },
    dependentSchemas: { $a: { required: ["$a"] } },
    if: { properties: { $a: { const: "$a" } } },
    then: { anyOf: [{ required: ["$a"] }] },
  };
  const renamed = renameProperties(schema, RULE);
  assertEquals(renamed?.schema, {
    type: "object",
    properties: { _a_2: inner, _a: {}, ok: inner },
    required: ["_a_2", "ok"],
    dependentRequired: { _a_2: ["_a", "_a_2"] },
    dependentSchemas: { _a_2: { required: ["_a_2"] } },
    if: { properties: { _a_2: { const: "$a" } } },
    then: { anyOf: [{ required: ["_a_2"] }] },
  });
  assertEquals(renameProperties({ type: "object", properties: { ok: inner } }, RULE), undefined);
});

Deno.test("renameProperties() renames the properties of branches, which the vendor gets at the root", () => {
  const branch = (name: string): JsonObject => ({ properties: { [name]: {} }, required: [name] });
  const renamed = renameProperties(
    { type: "object", anyOf: [branch("$a"), branch("b c")], $defs: {} },
    RULE,
  );
  assertEquals(Object.keys(renamed?.schema.properties ?? {}), ["_a", "b_c"]);
});

Deno.test("renameProperties() is linear in the number of names, and gives each another one", () => {
  const names = Array.from({ length: 5000 }, (_, at) => `${"$".repeat(9)}${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, {}]));
  const renamed = renameProperties({ type: "object", properties }, RULE);
  const sent = Object.keys(renamed?.schema.properties ?? {});
  assertEquals(new Set(sent).size, names.length);
  assert(sent.every((name) => /^[a-zA-Z0-9_.-]{1,8}$/.test(name)));
});
