/** Large JSON is written as `JSON.stringify` writes it, without holding the event loop. */

import { assert, assertEquals } from "@std/assert";
import { toJsonText } from "../../src/core/json/writer.ts";
import { randomJson } from "../support/json_chance.ts";
import { Random } from "../support/random.ts";

Deno.test("toJsonText() returns the same as JSON.stringify", async () => {
  const random = new Random(7);
  for (let round = 0; round < 2000; round++) {
    const value = randomJson(random, 5);
    assertEquals(await toJsonText(value), JSON.stringify(value));
  }
});

Deno.test("toJsonText() omits undefined members, as JSON.stringify does", async () => {
  const value = { a: undefined, b: [undefined, NaN, -0, null], c: { d: undefined } };
  assertEquals(await toJsonText(value), JSON.stringify(value));
});

/** Strings that are written in several pieces: the cuts fall between and within characters. */
const LONG: readonly (readonly [string, string])[] = [
  ["plain text", "lorem ipsum ".repeat(30_000)],
  ["quotes", '"\\'.repeat(100_000)],
  ["control characters", "\u0000\u001f".repeat(100_000)],
  ["characters of two units", "💥".repeat(100_000)],
  ["the same, the other way cut", `a${"💥".repeat(100_000)}`],
  ["first halves alone", "\ud83d".repeat(200_000)],
  ["second halves alone", "\udca5".repeat(200_000)],
];

for (const [what, text] of LONG) {
  Deno.test(`toJsonText() writes a long string of ${what} as JSON.stringify does`, async () => {
    const value = { [text]: [text, { text }], short: "x" };
    assert(await toJsonText(value) === JSON.stringify(value));
  });
}

for (
  const [what, value] of [
    ["a long string", { text: "lorem ipsum\n".repeat(4_000_000) }],
    ["many values", Array.from({ length: 500_000 }, () => ({ a: [1] }))],
  ] as const
) {
  Deno.test(`writing ${what} does not block the event loop`, async () => {
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 0);
    await toJsonText(value);
    clearInterval(ticking);
    assert(ticks >= 2);
  });
}
