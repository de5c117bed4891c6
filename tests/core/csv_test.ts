import { assertEquals } from "@std/assert";
import { toCsv } from "../../src/core/text.ts";

/** Values and their cells. */
const CELLS: readonly (readonly [string | number | null, string])[] = [
  ["plain", "plain"],
  [0.000125, "0.000125"],
  [-1, "-1"],
  [null, ""],
  ["", ""],
  ["a,b", '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ['=HYPERLINK("http://x",1)', `"'=HYPERLINK(""http://x"",1)"`],
  ["+49", "'+49"],
  ["-1", "'-1"],
  ["@cf/meta/llama", "'@cf/meta/llama"],
  ["\t=1", "'\\u0009=1"],
  ["\r=1", "'\\u000d=1"],
  ["＝1+1", "'＝1+1"],
  ["a=1", "a=1"],
  ["x;=1+1", `"x;'=1+1"`],
  ["x; =1+1", `"x;' =1+1"`],
  ['x;"=1+1"', `"x;'""=1+1"""`],
  ["x;y", '"x;y"'],
  ["x|-1", "x|'-1"],
  ["\u001b[31mred", "\\u001b[31mred"],
  ["__proto__", "__proto__"],
];

for (const [value, cell] of CELLS) {
  Deno.test(`toCsv() writes ${JSON.stringify(value)}`, () => {
    assertEquals(toCsv([[value, 1]]), `${cell},1\n`);
  });
}

Deno.test("toCsv() writes a line for each row", () => {
  assertEquals(toCsv([["a", "b"], [1, null]]), "a,b\n1,\n");
});
