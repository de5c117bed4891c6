import { assert, assertEquals, assertRejects } from "@std/assert";
import { JsonError } from "../../src/core/json/limits.ts";
import { splitMembers } from "../../src/core/json/top_level_members.ts";

const VALUES = [
  "1.50",
  "-0",
  "9007199254740993",
  "1e400",
  "true",
  "null",
  '""',
  '"a\\"b\\\\"',
  '"\\\\\\""',
  '"}],{["',
  "[]",
  "{}",
  '[{"a":["}"]}, "]"]',
  '{"a":{"b":"{"},"c":[1, 2]}',
];

Deno.test("splitMembers() gives the text of each value as it was written", async () => {
  for (const first of VALUES) {
    for (const second of VALUES) {
      const members = await splitMembers(` {"x" : ${first} ,\n"a\\u0062\\"":${second}}\t`);
      assertEquals([...members], [["x", first], ['ab"', second]]);
    }
  }
  assertEquals([...await splitMembers("{ }")], []);
  assertEquals([...await splitMembers('{"a":1,"a":2}')], [["a", "2"]]);
});

Deno.test("splitMembers() refuses what is not an object", async () => {
  const whole = '{"a":"x","b":[1,{"c":"d"}],"e":5}';
  for (let at = 0; at < whole.length; at++) {
    await assertRejects(() => splitMembers(whole.slice(0, at)), JsonError, "position");
  }
  const others = ["[]", "1", `${whole}x`, '{"a" 1}', "{a:1}", '{"a":}', '{"a":1,}', '{"\\x":1}'];
  for (const text of others) await assertRejects(() => splitMembers(text), JsonError, "expected");
});

Deno.test("splitMembers() takes time that is linear in the text, whatever it holds", async () => {
  const size = 4_000_000;
  for (const filler of ["\\\\", '\\"', "[]", '""', "a"]) {
    const isString = filler !== "[]" && filler !== '""';
    const value = isString
      ? `"${filler.repeat(size / filler.length)}"`
      : `[${Array(size / 4).fill(filler).join(",")}]`;
    const began = performance.now();
    const members = await splitMembers(`{"a":${value},"b":1}`);
    assertEquals(members.get("b"), "1");
    assert(performance.now() - began < 5000, filler);
  }
});
