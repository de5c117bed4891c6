/** The word diff of the playground: it loses nothing, finds what is common, and its time is linear. */

import { assert, assertEquals } from "@std/assert";
import { diffWords } from "../../src/console/assets/views/playground/compare/word_diff.js";
import { Random } from "../support/random.ts";

/** The texts that the parts make. */
function textsOf(parts: readonly { kind: string; text: string }[]): [string, string] {
  const without = (left: string) =>
    parts.filter(({ kind }) => kind !== left).map(({ text }) => text).join("");
  return [without("added"), without("removed")];
}

const short = (before: string, after: string) =>
  diffWords(before, after).map(({ kind, text }) =>
    kind === "same" ? text : kind === "removed" ? `[-${text}]` : `[+${text}]`
  ).join("");

Deno.test("diffWords() shows changed words in their place", () => {
  assertEquals(
    short("The quick brown fox jumps", "The slow brown cat jumps over"),
    "The [-quick][+slow] brown [-fox][+cat] jumps[+ over]",
  );
  // A space between two changes belongs to them.
  assertEquals(short("a b c", "x y z"), "[-a b c][+x y z]");
  // Words that come more than once are found too.
  assertEquals(short("p a a q", "r a a s"), "[-p][+r] a a [-q][+s]");
  assertEquals(short("größer als 5", "größer als 6"), "größer als [-5][+6]");
  assertEquals(short("<b>", "<i>"), "<[-b][+i]>");
  assertEquals(diffWords("same", "same"), [{ kind: "same", text: "same" }]);
  assertEquals(diffWords("", ""), []);
  assertEquals(diffWords("", "new"), [{ kind: "added", text: "new" }]);
});

Deno.test("diffWords() makes both texts again, whatever they are", () => {
  const random = new Random(5);
  const text = () => {
    const words = Array.from({ length: random.below(14) }, () => "ab.😀 \n"[random.below(6)]);
    return words.join(random.chance(0.5) ? " " : "");
  };
  for (let count = 0; count < 3000; count++) {
    const [before, after] = [text(), text()];
    assertEquals(textsOf(diffWords(before, after)), [before, after]);
  }
});

Deno.test("diffWords() finds common words in texts with very many changes", () => {
  const words = Array.from({ length: 4000 }, (_, index) => `word${index}`);
  const changed = words.map((word, index) => index % 2 === 0 ? word : `${word}x`);
  const parts = diffWords(words.join(" "), changed.join(" "));
  assertEquals(textsOf(parts), [words.join(" "), changed.join(" ")]);
  const same = parts.filter(({ kind }) => kind === "same");
  assertEquals(same.length, 2000);
});

Deno.test("diffWords() takes time proportional to the length", () => {
  // The worst case for a search of edits: many words, few of them at the same place.
  const text = (step: number) =>
    Array.from({ length: 200_000 }, (_, index) => `w${(index * step) % 997}`).join(" ");
  const [before, after] = [text(7), text(13)];
  const began = performance.now();
  assertEquals(textsOf(diffWords(before, after)), [before, after]);
  const ms = performance.now() - began;
  // A quadratic search of 400,000 words takes many minutes.
  assert(ms < 20_000, `${ms} ms`);
});
