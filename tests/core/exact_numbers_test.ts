/** Numbers of tool arguments reach the vendor as they were written. */

import { assertEquals } from "@std/assert";
import { parseExactly } from "../../src/core/json/exact_numbers.ts";
import { InnerJson } from "../../src/core/json/inner_json.ts";
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
