/** Numbers of tool arguments reach the vendor as they were written. */

import { assertEquals } from "@std/assert";
import { findChangingNumber, parseExactly } from "../../src/core/json/exact_numbers.ts";
import { InnerJson } from "../../src/core/json/inner_json.ts";
import { isObject } from "../../src/core/json/object.ts";
import { parsePassed } from "../../src/core/json/passed_json.ts";
import { JsonReader } from "../../src/core/json/reader.ts";
import { toJsonText } from "../../src/core/json/writer.ts";
import { parseArguments } from "../../src/providers/shared/tool_pairing.ts";

const NUMBERS = [
  "9007199254740993",
  "-9007199254740993",
  "1e999",
  "1E5",
  "-0",
  "-0.0",
  "1.0",
  "1.50",
  "3.14159265358979323846",
  "0.1000000000000000055511151231257827",
  "1",
  "0.5",
  "123456789012345",
  "[1.0,-0,1]",
  "0.0000001",
  "-1e-7",
];

for (const number of NUMBERS) {
  const text = `{"a":${number},"b":["1e5",${number}],"c":{"rawJSON":"1"}}`;

  Deno.test(`${number} is written as it was read, in arguments of any size`, async () => {
    assertEquals(JSON.stringify(parseExactly(text)), text);
    const input = parseArguments(text, new InnerJson());
    assertEquals(JSON.stringify({ input }), `{"input":${text}}`);
    assertEquals(await toJsonText({ input }), `{"input":${text}}`);
    assertEquals(JSON.stringify(parseArguments(number, new InnerJson())), `{"value":${number}}`);
  });
}

const CHANGED: readonly (readonly [string, boolean])[] = [
  ['{"a":1.0}', true],
  ['{"a" : -0 }', true],
  ["[-0]", true],
  ["[1e5]", true],
  ['{"temperature":1.0}', true],
  ['{"a":[0.5,-1,10,100,1.05,123456789012345]}', false],
  ['{"text":"on 2024-01-05 version 1.0 cost 1e5"}', false],
];

Deno.test("a search finds numbers that would change", () => {
  for (const [text, expected] of CHANGED) {
    assertEquals(findChangingNumber(text) !== -1, expected, text);
  }
});

/** Texts, and what they become. */
const PASSED: readonly (readonly [text: string, written: string])[] = [
  // Settings are read, wherever it is that they are settings.
  ['{"temperature":1.0,"top_p":1.0}', '{"temperature":1,"top_p":1}'],
  [
    '{"generationConfig":{"temperature":1.0,"topK":4.0}}',
    '{"generationConfig":{"temperature":1,"topK":4}}',
  ],
  ['{"response":{"temperature":1.0,"x":1.0}}', '{"response":{"temperature":1,"x":1.0}}'],
  [
    '{"n":1.0,"logit_bias":{"5":2.0},"max_tokens":1e2}',
    '{"n":1,"logit_bias":{"5":2},"max_tokens":100}',
  ],
  // Their names say nothing within data.
  [
    '{"temperature":1,"metadata":{"temperature":1.0}}',
    '{"temperature":1,"metadata":{"temperature":1.0}}',
  ],
  [
    '{"temperature":0.0,"tools":[{"input_schema":{"n":1.0}}]}',
    '{"temperature":0,"tools":[{"input_schema":{"n":1.0}}]}',
  ],
  ['{"metadata":{"temperature":1.0,"index":1.0}}', '{"metadata":{"temperature":1.0,"index":1.0}}'],
  ['{"schema":[{"n":1.0},[1.0]]}', '{"schema":[{"n":1.0},[1.0]]}'],
  // Other numbers are not read.
  ['{"x":1.0,"y":[1.0,[-0]],"z":[{"x":1e999}]}', '{"x":1.0,"y":[1.0,[-0]],"z":[{"x":1e999}]}'],
  ['{"seed":9007199254740993}', '{"seed":9007199254740993}'],
  // The input of a request may be lists of tokens; that of a tool is data.
  [
    '{"input":[1.0,[2.0],{"input":{"a":1.0},"index":1.0}]}',
    '{"input":[1,[2],{"input":{"a":1.0},"index":1}]}',
  ],
  ['{"embedding":[1.0,2.0],"x":[1.0,2.0]}', '{"embedding":[1,2],"x":[1.0,2.0]}'],
];

for (const [text, written] of PASSED) {
  Deno.test(`${text} becomes ${written}`, () => {
    assertEquals(JSON.stringify(parsePassed(text)), written);
    const reader = new JsonReader({ elements: 1e6, members: 1e6, depth: 100 });
    for (const character of text) reader.push(character);
    assertEquals(JSON.stringify(reader.end()), written);
  });
}

Deno.test("a long list with a number that would change is passed on as it was written", () => {
  for (const number of ["1.0", "9007199254740993", "-0"]) {
    const list = `[${"1,".repeat(100)}${number},2]`;
    for (const text of [`{"x":${list}}`, `{"metadata":{"embedding":${list}}}`]) {
      assertEquals(JSON.stringify(parsePassed(text)), text);
    }
  }
});

Deno.test("an object that looks like a number which keeps its text is an object", () => {
  assertEquals(isObject({ rawJSON: "1.0" }), true);
  assertEquals(isObject(parseExactly("1.0")), false);
});
