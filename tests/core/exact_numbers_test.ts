/** Numbers of tool arguments reach the vendor as they were written. */

import { assertEquals } from "@std/assert";
import { mayChangeNumbers, parseExactly } from "../../src/core/json/exact_numbers.ts";
import { InnerJson } from "../../src/core/json/inner_json.ts";
import { isObject } from "../../src/core/json/object.ts";
import { parsePassed } from "../../src/core/json/passed_json.ts";
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
  ['{"temperature":1.0,"top_p" : 1.0}', false],
  ['{"temperature":1.0,"a":1.0}', true],
  ['{"my_temperature":1.0}', true],
  ['{"a":[0.5,-1,10,100,1.05,123456789012345]}', false],
  ['{"text":"on 2024-01-05 version 1.0 cost 1e5"}', false],
];

Deno.test("a search finds numbers that would change", () => {
  for (const [text, expected] of CHANGED) assertEquals(mayChangeNumbers(text), expected, text);
});

Deno.test("of a request, only the numbers below passed members keep their text", () => {
  const text = '{"input":[1.0,{"input":{"a":[1.0]},"max":1.0}],"metadata":1.0,"schema":{"b":1.0}}';
  const kept = '{"input":[1,{"input":{"a":[1.0]},"max":1}],"metadata":1,"schema":{"b":1.0}}';
  assertEquals(JSON.stringify(parsePassed(text)), kept);
});

Deno.test("an object that looks like a number which keeps its text is an object", () => {
  assertEquals(isObject({ rawJSON: "1.0" }), true);
  assertEquals(isObject(parseExactly("1.0")), false);
});
