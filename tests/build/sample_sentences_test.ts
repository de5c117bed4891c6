/** The sample of sentences is the same for a seed, and repeats none. */

import { assert, assertEquals } from "@std/assert";
import { draw, KINDS } from "../../scripts/sample_sentences.ts";

Deno.test("draw() returns the same sentences for a seed, others for another, and none twice", () => {
  const sentences = Array.from({ length: 50 }, (_, index) => ({
    kind: "docs",
    place: "a.md",
    text: `Sentence ${index}`,
  }));
  const one = draw(sentences, 20, 7);
  assertEquals(draw(sentences, 20, 7), one);
  assert(JSON.stringify(draw(sentences, 20, 8)) !== JSON.stringify(one));
  assertEquals(new Set(one.map(({ text }) => text)).size, 20);
  assertEquals(draw(sentences, 80, 7).length, 50);
});

Deno.test("there are sentences of each kind, with their positions", () => {
  for (const [name, read] of Object.entries(KINDS)) {
    const found = read();
    assert(found.length > 10, name);
    assert(found.every(({ kind, place, text }) => kind === name && place !== "" && text !== ""));
  }
});
