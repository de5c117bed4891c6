import { assert, assertEquals } from "@std/assert";
import { type MemoryLimits, MemoryStore } from "../../src/memory/store.ts";

interface World {
  readonly store: MemoryStore;
  limits: MemoryLimits;
  now: number;
}

function createWorld(limits: MemoryLimits): World {
  const world = { limits, now: 0 } as World;
  return Object.assign(world, { store: new MemoryStore(() => world.limits, () => world.now) });
}

const STATE = new Uint8Array(300);

/** Whether each of these is still stored. */
async function has({ store }: World, owner: string, ...ids: string[]): Promise<boolean[]> {
  const found = await store.get(owner, ids);
  return ids.map((id) => found.has(id));
}

Deno.test("MemoryStore returns an entry only to its owner", async () => {
  const world = createWorld({ bytes: 10_000, ttlMs: 1000 });
  assert(world.store.put("one", "a", STATE));
  assertEquals((await world.store.get("one", ["a", "b"])).get("a"), STATE);
  for (const owner of ["other", "", "__proto__"]) {
    assertEquals(await has(world, owner, "a", "__proto__"), [false, false]);
  }
});

Deno.test("MemoryStore evicts the least recently used entry, and counts bytes", async () => {
  const world = createWorld({ bytes: 1600, ttlMs: 1000 });
  for (const id of ["a", "b", "c"]) assert(world.store.put("one", id, STATE));
  assertEquals(world.store.bytes, 3 * 501);
  assertEquals(await has(world, "one", "a"), [true]);
  world.store.put("one", "d", STATE);
  assertEquals(await has(world, "one", "a", "b", "c", "d"), [true, false, true, true]);
  world.store.put("one", "a", STATE.subarray(100));
  assertEquals(world.store.bytes, 3 * 501 - 100);
  world.limits = { bytes: 0, ttlMs: 1000 };
  assertEquals(await has(world, "one", "a", "c", "d"), [false, false, false]);
  assertEquals(world.store.bytes, 0);
});

Deno.test("MemoryStore evicts no entry of an owner with at most an equal share", async () => {
  const world = createWorld({ bytes: 4 * 503, ttlMs: 1000 });
  for (const id of ["a", "b"]) world.store.put("one", id, STATE);
  for (let count = 0; count < 20; count++) assert(world.store.put("two", `x${count}`, STATE));
  assertEquals(await has(world, "one", "a", "b"), [true, true]);
  assertEquals(await has(world, "two", "x17", "x18", "x19"), [false, true, true]);
  assertEquals(world.store.put("two", "large", new Uint8Array(1700)), false);
  assertEquals(await has(world, "one", "a", "b"), [true, true]);
});

Deno.test("MemoryStore lets an owner use what others leave, until they need it", async () => {
  const world = createWorld({ bytes: 4 * 501, ttlMs: 1000 });
  for (const id of ["a", "b", "c", "d"]) world.store.put("one", id, STATE);
  assertEquals(await has(world, "one", "a", "b", "c", "d"), [true, true, true, true]);
  for (const id of ["x", "y", "z"]) world.store.put("two", id, STATE);
  assertEquals(await has(world, "one", "a", "b", "c", "d"), [false, false, true, true]);
  assertEquals(await has(world, "two", "x", "y", "z"), [false, true, true]);
  world.store.put("one", "y", STATE);
  assertEquals(await has(world, "two", "y"), [true], "another owner's entry of the same ID");
});

Deno.test("MemoryStore does not store an entry that is larger than its limit", () => {
  const world = createWorld({ bytes: 500, ttlMs: 1000 });
  assertEquals(world.store.put("one", "a", STATE), false);
  assertEquals(world.store.bytes, 0);
});

Deno.test("MemoryStore evicts entries that were not used for a while", async () => {
  const world = createWorld({ bytes: 10_000, ttlMs: 1000 });
  world.store.put("one", "a", STATE);
  world.store.put("one", "b", STATE);
  world.now = 900;
  assertEquals([await has(world, "one", "a"), world.store.isEmpty], [[true], false]);
  world.now = 1000;
  assertEquals(await has(world, "one", "a", "b"), [true, false]);
  world.now = 2000;
  world.store.put("one", "c", STATE);
  assertEquals([world.store.bytes, world.store.isEmpty], [501, false]);
  world.now = 3000;
  assertEquals([world.store.isEmpty, world.store.bytes], [true, 0]);
});
