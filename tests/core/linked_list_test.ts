/** Lists keep their order, and removed entries hold nothing. */

import { assertEquals } from "@std/assert";
import { LinkedList, type ListEntry } from "../../src/core/collections.ts";
import { Random } from "../support/random.ts";

Deno.test("a list keeps the order of insertion through any additions and removals", () => {
  const random = new Random(7);
  const list = new LinkedList<number>();
  let expected: ListEntry<number>[] = [];
  for (let step = 0; step < 5000; step++) {
    const entry = expected[random.below(expected.length)];
    if (random.below(100) === 0) {
      list.clear();
      expected = [];
    } else if (entry !== undefined && random.below(100) < 49) {
      assertEquals(list.remove(entry), true);
      expected = expected.filter((other) => other !== entry);
    } else expected.push(list.add(step));
    assertEquals(list.size, expected.length);
    assertEquals(list.first, expected[0]);
    assertEquals([...list], expected.map(({ value }) => value));
  }
  const even = expected.find(({ value }) => value % 2 === 0);
  assertEquals(list.find((value) => value % 2 === 0), even);
  assertEquals(list.find((value) => value < 0), undefined);
});

Deno.test("an entry is removed once, also after the list was cleared", () => {
  const list = new LinkedList<string>();
  const [first, second] = [list.add("first"), list.add("second")];
  assertEquals([list.remove(first), list.remove(first)], [true, false]);
  list.clear();
  const third = list.add("third");
  assertEquals([list.remove(second), list.size, [...list]], [false, 1, ["third"]]);
  assertEquals([list.remove(third), list.first, list.size], [true, undefined, 0]);
});

Deno.test("a removed entry refers to no other entry", () => {
  const list = new LinkedList<object>();
  const entries = [{}, {}, {}].map((value) => list.add(value));
  for (const entry of entries) list.remove(entry);
  for (const entry of entries) {
    const others = Object.values(entry).filter((value) => entries.includes(value));
    assertEquals(others, []);
  }
});
