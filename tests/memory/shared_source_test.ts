/** Entries that two replicas share, in a store that is a map. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { randomBytes } from "../../src/core/ids.ts";
import { EntryCipher } from "../../src/memory/entry_cipher.ts";
import { LayeredStore, MemoryStore } from "../../src/memory/store.ts";
import { deriveKey } from "../../src/config/reasoning_state.ts";
import { type SharedEntries, SharedSource } from "../../src/memory/shared_source.ts";
import { ManualClock } from "../support/manual_clock.ts";

const KEY = deriveKey("0123456789abcdef0123456789abcdef");
const LIMITS = { bytes: 100e6, ttlMs: 1000 };
const STATE = new TextEncoder().encode("what the model thought");

/** What a store does with calls: it replies, it refuses changes, or it does not reply at all. */
type Behavior = "replies" | "refuses" | "hangs";

/** A store in memory. */
class FakeStore {
  readonly values = new Map<string, Uint8Array>();
  readonly notices: Uint8Array[] = [];
  readonly #taken = new Set<string>();
  reads = 0;
  behavior: Behavior = "replies";
  isUp = true;
  readonly clock = new ManualClock();

  entries(): SharedEntries {
    const isUp = () => this.isUp;
    return {
      get isUp() {
        return isUp();
      },
      read: async (_owner, names, _limits, waitMs) => {
        this.reads++;
        if (this.behavior === "hangs") {
          await new Promise<void>((resolve) => void this.clock.after(waitMs, resolve));
        }
        return this.isUp && this.behavior === "replies"
          ? names.map((name) => this.values.get(name))
          : undefined;
      },
      write: (_owner, name, value) => {
        if (this.behavior === "replies") this.values.set(name, value);
        return Promise.resolve(this.behavior === "replies");
      },
      remove: (_owner, name) => {
        if (this.behavior === "replies") this.values.delete(name);
        return Promise.resolve(this.behavior === "replies");
      },
      notify: (notice) => {
        if (this.behavior === "replies") this.notices.push(notice);
        return Promise.resolve(this.behavior === "replies");
      },
      take: (_owner, name) => {
        if (this.behavior !== "replies") return Promise.resolve(undefined);
        const value = this.values.get(name);
        if (value === undefined) return Promise.resolve(this.#taken.has(name) ? "taken" : "absent");
        this.values.delete(name);
        this.#taken.add(name);
        return Promise.resolve(value);
      },
      removals: () => Promise.resolve({ time: 1, notices: this.notices }),
    };
  }
}

/** The replicas of a gateway over one store. */
class Replica {
  readonly counts = new Map<string, number>();
  readonly source: SharedSource;
  readonly store: LayeredStore;

  constructor(shared: FakeStore, { key = KEY, maxQueuedBytes = 1e6, memory = "memory" } = {}) {
    const cipher = new EntryCipher(key, randomBytes);
    const local = new MemoryStore(() => LIMITS, () => shared.clock.now());
    const count = (name: string, by = 1) =>
      this.counts.set(name, (this.counts.get(name) ?? 0) + by);
    this.source = new SharedSource({
      memory,
      local,
      entries: shared.entries(),
      cipher: () => cipher,
      limits: () => LIMITS,
      maxQueuedBytes: () => maxQueuedBytes,
      clock: shared.clock,
      metrics: {
        lookedUp: (result, by) => by > 0 && count(result, by),
        written: () => count("written"),
        dropped: (reason) => count(reason),
      },
    });
    this.store = new LayeredStore(local, [this.source]);
  }

  get counted(): Record<string, number> {
    return Object.fromEntries(this.counts);
  }
}

/** Advances the clock in small steps until a promise is settled. */
async function within<Result>(clock: ManualClock, promise: Promise<Result>): Promise<Result> {
  let isSettled = false;
  promise.finally(() => isSettled = true);
  while (!isSettled) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (!isSettled) clock.advance(1);
  }
  return await promise;
}

Deno.test("SharedSource finds what another replica has stored, and keeps a copy", async () => {
  const shared = new FakeStore();
  const [one, other] = [new Replica(shared), new Replica(shared)];
  assert(one.store.put("owner", "a", STATE));
  await one.source.flush();
  assertEquals([...await other.store.get("owner", ["a"])], [["a", STATE]]);
  const { reads } = shared;
  assertEquals([...await other.store.get("owner", ["a"])], [["a", STATE]]);
  assertEquals(shared.reads, reads, "it asked again");
  assertEquals([one.counted, other.counted], [{ written: 1 }, { hit: 1 }]);
});

Deno.test("SharedSource does not query entries of this replica", async () => {
  const shared = new FakeStore();
  const { source, store } = new Replica(shared);
  store.put("owner", "a", STATE);
  assertEquals([...await store.get("owner", ["a"])], [["a", STATE]]);
  assertEquals([...await store.get("owner", [])], []);
  assertEquals(shared.reads, 0);
  await source.close();
});

Deno.test("SharedSource encrypts, and opens nothing for another owner, memory or key", async () => {
  const shared = new FakeStore();
  const one = new Replica(shared);
  one.store.put("owner", "a", STATE);
  await one.source.flush();
  const [[name = "", value = STATE] = []] = shared.values;
  assert(!new TextDecoder().decode(value).includes("thought"));
  assert(/^[\w-]{32}$/.test(name), name);
  const get = (replica: Replica, owner: string) =>
    within(shared.clock, replica.store.get(owner, ["a"]));
  assertEquals((await get(new Replica(shared), "another")).size, 0);
  assertEquals((await get(new Replica(shared, { memory: "another" }), "owner")).size, 0);
  const key = deriveKey("another key of 32 characters 0000");
  assertEquals((await get(new Replica(shared, { key }), "owner")).size, 0);
  // A value that was put at another name does not open there.
  const cipher = new EntryCipher(KEY, randomBytes);
  shared.values.set(cipher.locate(["memory", "another", "a"]).name, value);
  assertEquals((await get(new Replica(shared), "another")).size, 0);
  // The same value is never stored twice in the same form.
  one.store.put("owner", "a", STATE);
  await one.source.flush();
  assertNotEquals(shared.values.get(name), value);
});

Deno.test("SharedSource waits at most 50 ms for a store that hangs", async () => {
  const shared = new FakeStore();
  shared.behavior = "hangs";
  const replica = new Replica(shared);
  const began = shared.clock.now();
  const found = await within(shared.clock, replica.store.get("owner", ["a", "b"]));
  assertEquals(found.size, 0);
  const waited = shared.clock.now() - began;
  assert(waited >= 45 && waited <= 50, `${waited} ms`);
  assertEquals(replica.counted, { failed: 2 });
});

Deno.test("SharedSource looks up again what another replica is still writing", async () => {
  const shared = new FakeStore();
  const [one, other] = [new Replica(shared), new Replica(shared)];
  const began = shared.clock.now();
  const found = other.store.get("owner", ["a"]);
  one.store.put("owner", "a", STATE);
  await one.source.flush();
  assertEquals((await within(shared.clock, found)).size, 1);
  // What is gone costs no more than that.
  const later = shared.clock.now();
  assertEquals((await within(shared.clock, other.store.get("owner", ["gone"]))).size, 0);
  assertEquals([other.counts.get("hit"), other.counts.get("miss")], [1, 1]);
  assert(later - began <= 50 && shared.clock.now() - later <= 50);
});

Deno.test("SharedSource keeps changes while the store is unavailable, as far as there is space", async () => {
  const shared = new FakeStore();
  shared.isUp = false;
  const replica = new Replica(shared, { maxQueuedBytes: 1000 });
  assert(replica.source.isEmpty);
  for (const id of ["a", "b", "c", "d", "e", "f"]) replica.store.put("owner", id, STATE);
  const dropped = replica.counts.get("queue") ?? 0;
  assert(dropped > 0 && dropped < 6, `${dropped}`);
  assertEquals([shared.values.size, replica.source.isEmpty], [0, false]);
  shared.isUp = true;
  const flushed = replica.source.flush();
  assertEquals(replica.source.isEmpty, false);
  await flushed;
  assert(replica.source.isEmpty);
  assertEquals(shared.values.size, 6 - dropped);
  assertEquals(replica.counts.get("written"), 6 - dropped);
});

Deno.test("SharedSource drops and counts what is too large, or what the store refuses", async () => {
  const shared = new FakeStore();
  const replica = new Replica(shared);
  replica.store.put("owner", "large", new Uint8Array(8 * 1024 * 1024 + 1));
  shared.behavior = "refuses";
  replica.store.put("owner", "a", STATE);
  await replica.source.flush();
  assertEquals(replica.counted, { size: 1, store: 1 });
  assertEquals(shared.values.size, 0);
});

Deno.test("SharedSource removes entries from the store and from other replicas", async () => {
  const shared = new FakeStore();
  const [one, other] = [new Replica(shared), new Replica(shared)];
  for (const id of ["a", "b"]) one.store.put("owner", id, STATE);
  await one.source.flush();
  await other.store.get("owner", ["a", "b"]);
  // A removal that fails is sent again.
  shared.behavior = "refuses";
  other.store.remove("owner", "a");
  await other.source.flush();
  assertEquals([shared.values.size, other.source.isEmpty], [2, false]);
  shared.behavior = "replies";
  for (let step = 0; step < 200 && shared.values.size > 1; step++) {
    shared.clock.advance(100);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assertEquals(shared.values.size, 1);
  let found = await within(shared.clock, one.store.get("owner", ["a", "b"]));
  for (let step = 0; step < 200 && found.has("a"); step++) {
    shared.clock.advance(1000);
    await new Promise((resolve) => setTimeout(resolve, 1));
    found = await within(shared.clock, one.store.get("owner", ["a", "b"]));
  }
  assertEquals([...found.keys()], ["b"]);
  await Promise.all([one.source.close(), other.source.close()]);
});

Deno.test("SharedSource.close() sends queued changes and leaves no timer", async () => {
  const shared = new FakeStore();
  const { source, store } = new Replica(shared);
  store.put("owner", "a", STATE);
  await source.close();
  assertEquals([shared.values.size, shared.clock.pending], [1, 0]);
});

Deno.test("SharedSource lets one replica take an entry", async () => {
  const shared = new FakeStore();
  const [one, other] = [new Replica(shared), new Replica(shared)];
  one.store.put("owner", "a", STATE);
  await one.source.flush();
  assertEquals(await other.store.take("stranger", "a"), undefined);
  assertEquals(await other.store.take("owner", "a"), STATE);
  // It still has its own copy.
  assertEquals(await one.store.take("owner", "a"), undefined);
  assertEquals(await one.store.take("owner", "a"), undefined);
});

Deno.test("SharedSource returns entries that are queued, or lost in the store", async () => {
  const shared = new FakeStore();
  const [one, other] = [new Replica(shared), new Replica(shared)];
  shared.isUp = false;
  one.store.put("owner", "waits", STATE);
  assertEquals(await one.store.take("owner", "waits"), STATE);
  assertEquals(one.source.isEmpty, true);
  shared.isUp = true;
  one.store.put("owner", "lost", STATE);
  await one.source.flush();
  shared.values.clear();
  assertEquals(await one.store.take("owner", "lost"), STATE);
  assertEquals(await other.store.take("owner", "lost"), undefined);
  await one.source.flush();
});

Deno.test("SharedSource removes what was taken while the store gave no reply", async () => {
  const shared = new FakeStore();
  const [one, other] = [new Replica(shared), new Replica(shared)];
  one.store.put("owner", "a", STATE);
  await one.source.flush();
  shared.behavior = "refuses";
  assertEquals(await one.store.take("owner", "a"), STATE);
  shared.behavior = "replies";
  shared.clock.advance(1000);
  await one.source.flush();
  assertEquals(await other.store.take("owner", "a"), undefined);
  await one.source.close();
  await other.source.close();
});
