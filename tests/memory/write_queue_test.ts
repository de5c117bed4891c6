import { assert, assertEquals } from "@std/assert";
import { type Change, WriteQueue } from "../../src/memory/write_queue.ts";

/** A change with a value of this many bytes, or a removal. */
function change(id: string, bytes?: number): Change {
  return { owner: "one", id, state: bytes === undefined ? undefined : new Uint8Array(bytes) };
}

/** The ids of the changes, and the sizes of their values. */
function shown(changes: readonly Change[]): (readonly [string, number | undefined])[] {
  return changes.map(({ id, state }) => [id, state?.length]);
}

Deno.test("WriteQueue keeps the last change of each entry, in their order", () => {
  const queue = new WriteQueue(() => 10_000);
  for (const one of [change("a", 100), change("b", 200), change("a", 300)]) assert(queue.add(one));
  assert(queue.add({ ...change("a", 400), owner: "other" }));
  assert(queue.add(change("b")));
  assertEquals(shown(queue.take(10_000)), [["a", 300], ["a", 400], ["b", undefined]]);
  assert(queue.isEmpty);
  assertEquals(queue.take(10_000), []);
});

Deno.test("WriteQueue takes at least one change, and more up to a size", () => {
  const queue = new WriteQueue(() => 10_000);
  for (const id of ["a", "b", "c"]) queue.add(change(id, 1000));
  assertEquals(shown(queue.take(10)), [["a", 1000]]);
  assertEquals(shown(queue.take(2500)), [["b", 1000], ["c", 1000]]);
});

Deno.test("WriteQueue refuses values without space, except for the first, and no removal", () => {
  const queue = new WriteQueue(() => 2000);
  assert(queue.add(change("large", 5000)));
  assertEquals(queue.add(change("a", 1)), false);
  assert(queue.add(change("b")));
  assertEquals(queue.add(change("b", 1)), false);
  assertEquals(shown(queue.take(10_000)), [["large", 5000], ["b", undefined]]);
  assert(queue.add(change("a", 1000)));
  assert(queue.add(change("b", 100)));
  // The earlier value is out of date.
  assertEquals(queue.add(change("b", 1000)), false);
  assertEquals(shown(queue.take(10_000)), [["a", 1000]]);
});

Deno.test("WriteQueue.putBack() keeps what has changed since", () => {
  const queue = new WriteQueue(() => 2000);
  queue.add(change("a", 10));
  queue.putBack([change("a"), change("b")]);
  assertEquals(shown(queue.take(10_000)), [["a", 10], ["b", undefined]]);
});
