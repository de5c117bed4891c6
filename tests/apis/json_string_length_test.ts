/** The length of a string in JSON text, found without parsing it. */

import { assertEquals } from "@std/assert";
import { stringLengthAfter } from "../../src/apis/read_fields.ts";

Deno.test("stringLengthAfter() finds the end of a string, whatever it escapes", () => {
  for (const text of ["", "a", '"', "\\", '\\"', '\\\\"x', "é\n\u0000", 'a\\\\\\"b"']) {
    for (const space of ["", " ", "\n\t"]) {
      const written = JSON.stringify(text);
      const json = `{"a":"b","text"${space}:${space}${written},"z":"end"}`;
      assertEquals(stringLengthAfter(json, '"text"'), written.length - 2, json);
    }
  }
});

Deno.test("stringLengthAfter() knows no length of other values, and begins at its position", () => {
  assertEquals(stringLengthAfter('{"text":5,"a":"b"}', '"text"'), undefined);
  assertEquals(stringLengthAfter('{"a":"b"}', '"text"'), undefined);
  assertEquals(stringLengthAfter('{"text":"not closed', '"text"'), undefined);
  assertEquals(stringLengthAfter('{"text":"escaped\\"', '"text"'), undefined);
  assertEquals(stringLengthAfter('{"text"', '"text"'), undefined);
  const twice = '{"text":"1","b":{"text":"12"}}';
  assertEquals([stringLengthAfter(twice, '"text"'), stringLengthAfter(twice, '"text"', 5)], [1, 2]);
});
