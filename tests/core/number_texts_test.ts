/** Numbers of JSON are numbers, and are written as they were read while their values are the same. */

import { assertEquals } from "@std/assert";
import { InnerJson } from "../../src/core/json/inner_json.ts";
import {
  copyTexts,
  findChangingNumber,
  hasTexts,
  moveText,
  withTextsOf,
  writeJson,
} from "../../src/core/json/number_texts.ts";
import { isObject, type JsonObject } from "../../src/core/json/object.ts";
import { JsonReader, parsePassed } from "../../src/core/json/reader.ts";
import { toJsonText } from "../../src/core/json/writer.ts";
import { parseArguments } from "../../src/apis/tool_pairing.ts";
import { toCanonicalJson } from "../../src/features/response_cache/response_cache.ts";

const NUMBERS = [
  ..."9007199254740993 -9007199254740993 1e999 1E5 -0 -0.0 1.0 1.50 1 0.5".split(" "),
  ..."3.14159265358979323846 0.1000000000000000055511151231257827 123456789012345".split(" "),
  ..."[1.0,-0,1] 0.0000001 -1e-7 12345678901234567890".split(" "),
];

/** Documents with a number in each kind of place. */
function documentsWith(number: string): string[] {
  return [
    `{"a":${number}}`,
    `{"a":${number},"b":["1e5",${number}],"c":{"rawJSON":"1","d":${number}},"toString":${number}}`,
    `{"options":{"seed":${number}},"seed":1}`,
    `{"a":1,"b":{"a":${number}}}`,
    `[${number},[${number}],{"0":${number}}]`,
    `{"x":[${"1,".repeat(100)}${number},2],"__proto__":{"n":${number}}}`,
  ];
}

Deno.test("a number has the value of JSON.parse, and is written as it was read", async () => {
  for (const text of NUMBERS.flatMap(documentsWith)) {
    const reader = new JsonReader({ elements: 1e6, members: 1e6, depth: 100 });
    for (const character of text) reader.push(character);
    for (const value of [parsePassed(text), reader.end()]) {
      assertEquals(structuredClone(value), JSON.parse(text), text);
      assertEquals(JSON.stringify(value), text);
      assertEquals(JSON.stringify({ value }), `{"value":${text}}`);
      assertEquals(await toJsonText({ value }), `{"value":${text}}`);
      assertEquals(writeJson(value), text);
      assertEquals(hasTexts(value), JSON.stringify(JSON.parse(text)) !== text, text);
    }
  }
});

Deno.test("arguments of a call that are a number are written as they were read", () => {
  for (const number of NUMBERS) {
    assertEquals(JSON.stringify(parseArguments(number, new InnerJson())), `{"value":${number}}`);
  }
});

Deno.test("spread copies keep the texts of numbers that did not change", async () => {
  for (const number of NUMBERS) {
    const { removed: _, ...body } = parsePassed(
      `{"removed":1,"n":${number},"m":1.0,"inner":{"n":${number}}}`,
    ) as { removed: number; inner: JsonObject };
    const copy = { ...body, m: 2, inner: { ...body.inner, added: 1 } };
    const written = `{"n":${number},"m":2,"inner":{"n":${number},"added":1}}`;
    assertEquals(writeJson(copy), written);
    assertEquals(await toJsonText(copy), written);
  }
});

Deno.test("copies that are made member by member can be given the texts", () => {
  const text = '{"n":1.0,"list":[{"n":1e3},2.0],"same":{"n":3.0}}';
  const source = parsePassed(text) as JsonObject & { list: [JsonObject, number] };
  const { n, list: [first, second], same } = source;
  assertEquals(
    JSON.stringify(withTextsOf(source, { n, list: [{ ...first }, second], same })),
    text,
  );
  const changed = withTextsOf(source, { n: 2, list: ["x", 2, 3], same: null });
  assertEquals(JSON.stringify(changed), '{"n":2,"list":["x",2.0,3],"same":null}');
  const copy = { n, list: [{ ...first }, second] };
  copyTexts(source, copy);
  assertEquals(JSON.stringify(copy), '{"n":1.0,"list":[{"n":1000},2]}');
  const bare = { n: 1 };
  copyTexts({ n: 1 }, bare);
  assertEquals(hasTexts(bare), false);
  const other = withTextsOf(parsePassed('{"a":null,"b":"","n":1.0}'), { a: {}, b: [], n: 1 });
  assertEquals(JSON.stringify(other), '{"a":{},"b":[],"n":1.0}');
  const moved = { seed: n };
  moveText(source, "n", moved, "seed");
  assertEquals(JSON.stringify(moved), '{"seed":1.0}');
  assertEquals(JSON.stringify(source), text);
});

Deno.test("equal requests are those whose numbers are written the same", () => {
  const canonical = (text: string) => toCanonicalJson(parsePassed(text));
  assertEquals(canonical('{"seed":9007199254740993}'), '{"seed":9007199254740993}');
  assertEquals(canonical('{"b":[1,2.0],"a":{"c":1e999}}'), '{"a":{"c":1e999},"b":[1,2.0]}');
});

Deno.test("a search finds numbers that would change", () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ['{"a":1.0}', true],
    ['{"a" : -0 }', true],
    ["[-0]", true],
    ["[1e5]", true],
    ['{"temperature":1.0}', true],
    ['{"a":[0.5,-1,10,100,1.05,123456789012345]}', false],
    ['{"text":"on 2024-01-05 version 1.0 cost 1e5"}', false],
  ];
  for (const [text, expected] of cases) {
    assertEquals(findChangingNumber(text) !== -1, expected, text);
  }
});

Deno.test("an object that looks like the text of a number is an object", () => {
  assertEquals(isObject(parsePassed('{"rawJSON":1.0}')), true);
});
