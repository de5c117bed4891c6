/** Readers of JSON values from outside. */

import { assertEquals } from "@std/assert";
import { hasTexts } from "../../src/core/json/number_texts.ts";
import { isText, present, toCount, toList, toObject, toText } from "../../src/core/json/values.ts";
import { parsePassed } from "../../src/core/json/reader.ts";

const VALUES = [undefined, null, true, 0, -0, 2.7, -1, NaN, Infinity, "", "a", [], [1], {}, {
  a: 1,
}];

Deno.test("values of another type are read as empty", () => {
  assertEquals(VALUES.filter(isText), ["a"]);
  assertEquals(VALUES.map(toText).filter((text) => text !== ""), ["a"]);
  assertEquals(VALUES.map(toList).filter((list) => list.length > 0), [[1]]);
  assertEquals(VALUES.map(toObject).filter((object) => "a" in object), [{ a: 1 }]);
  assertEquals(VALUES.map(toCount).filter((count) => !Object.is(count, 0)), [2]);
});

Deno.test("present() keeps null, and a member named like the prototype", () => {
  const members = JSON.parse('{"a":null,"__proto__":{"b":1}}');
  assertEquals(JSON.stringify(present({ ...members, c: undefined })), JSON.stringify(members));
});

Deno.test("present() keeps the texts of numbers, and changes nothing without any", () => {
  const members = parsePassed('{"a":1.0,"b":[2.50]}') as Record<string, unknown>;
  assertEquals(JSON.stringify(present(members)), '{"a":1.0,"b":[2.50]}');
  assertEquals(JSON.stringify(present({ ...members, a: undefined })), '{"b":[2.50]}');
  assertEquals(hasTexts(present({ a: 1, b: undefined })), false);
});
