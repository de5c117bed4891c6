/** Maps with a maximum number of entries. */

import { assertEquals } from "@std/assert";
import { setNewest, touch } from "../../src/core/collections.ts";

Deno.test("setNewest() keeps as many entries as allowed, and drops the oldest", () => {
  const entries = new Map<string, number>();
  for (const [index, name] of ["a", "b", "c"].entries()) setNewest(entries, name, index, 3);
  assertEquals([...entries], [["a", 0], ["b", 1], ["c", 2]]);
  setNewest(entries, "a", 5, 3);
  assertEquals([...entries], [["b", 1], ["c", 2], ["a", 5]], "a known name drops none");
  setNewest(entries, "d", 6, 3);
  assertEquals([...entries.keys()], ["c", "a", "d"]);
});

Deno.test("touch() creates an entry once, and makes it the newest", () => {
  const entries = new Map<string, number>();
  let made = 0;
  const get = (name: string) => touch(entries, name, 2, () => ++made);
  assertEquals([get("a"), get("b"), get("a"), get("c"), get("a"), get("b")], [1, 2, 1, 3, 1, 4]);
  assertEquals([...entries.keys()], ["a", "b"]);
});
