/** Entries that replicas share, on a real server. */

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { Redis } from "iovalkey";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { StoreEntries } from "../../src/memory/store_entries.ts";
import type { SharedEntries } from "../../src/memory/shared_source.ts";
import { valkeyStore } from "../support/shared_stores.ts";
import { NEEDS_VALKEY, startValkey, VALKEY, type ValkeyServer } from "../support/valkey_server.ts";
import { until } from "../support/elapse.ts";

const ignore = VALKEY === undefined;
const LIMITS = { bytes: 10_000, ttlMs: 600_000 };
/**
 * Generous: a machine that stalls must not fail a test. Not a number of whole seconds, as the clock
 * keeps their timers.
 */
const WAIT_MS = 14_999;

/** A worker that is connected to a server. */
async function connect(
  { port }: ValkeyServer,
  clock: Clock = systemClock,
): Promise<AsyncDisposable & { readonly state: StoreEntries; readonly entries: SharedEntries }> {
  const { promise: isUp, resolve } = Promise.withResolvers<void>();
  const store = valkeyStore(port, clock);
  const state = new StoreEntries({ store, clock, onChange: (isUp) => isUp && resolve() });
  store.start();
  await isUp;
  return {
    state,
    entries: state.entries("memory"),
    [Symbol.asyncDispose]: () => state.close(),
  };
}

/** A client to look into the server. */
function inspect({ port }: ValkeyServer): Disposable & { readonly redis: Redis } {
  const redis = new Redis({ host: "127.0.0.1", port });
  return { redis, [Symbol.dispose]: () => redis.disconnect() };
}

/** Repeats a call that gets no reply in time if the machine stalls. */
async function eventually<Reply>(call: () => Promise<Reply | false | undefined>): Promise<Reply> {
  const began = performance.now();
  for (;;) {
    const reply = await call();
    if (reply !== false && reply !== undefined) return reply;
    assert(performance.now() - began < WAIT_MS, "There is no reply");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function put(entries: SharedEntries, name: string, value: Uint8Array, limits = LIMITS) {
  return eventually(() => entries.write("owner", name, value, limits));
}

const bytesOf = (length: number, fill: number) => new Uint8Array(length).fill(fill);

/** The lengths of the values of these names. */
async function lengths(entries: SharedEntries, ...names: string[]) {
  return (await entries.read("owner", names, LIMITS, WAIT_MS))?.map((value) => value?.length);
}

Deno.test({
  name: `StoreEntries stores bytes as they are, and reads only what is there${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    await using one = await connect(valkey);
    await using other = await connect(valkey);
    const value = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await put(one.entries, "a", value);
    const found = await other.entries.read("owner", ["gone", "a"], LIMITS, WAIT_MS);
    assertEquals(found?.map((bytes) => bytes && [...bytes]), [undefined, [...value]]);
    assertEquals(await lengths(other.state.entries("another"), "a"), [undefined]);
    await put(one.entries, "a", bytesOf(3, 1));
    assertEquals(await lengths(other.entries, "a"), [3]);
  },
});

Deno.test({
  name:
    `StoreEntries removes the entries that expire first when all exceed the limit${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    await using replica = await connect(valkey);
    using inspected = inspect(valkey);
    const { entries } = replica;
    const names = ["a", "b", "c", "d", "e"];
    // Each takes 2,300 bytes of the 10,000.
    for (const name of names.slice(0, 4)) {
      await put(entries, name, bytesOf(2000, 1));
      // The age has a resolution of one millisecond.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    assertEquals(await lengths(entries, "a"), [2000]);
    await put(entries, "e", bytesOf(2000, 1));
    assertEquals(await lengths(entries, ...names), [2000, undefined, 2000, 2000, 2000]);
    await put(entries, "f", bytesOf(9000, 1));
    assertEquals(await lengths(entries, ...names, "f"), [...names.map(() => undefined), 9000]);
    assertEquals(await entries.write("owner", "g", bytesOf(9800, 1), LIMITS), false);
    assertEquals(await inspected.redis.hgetall("{sluice:memory:owner}:sizes"), {
      total: "9300",
      f: "9300",
    });
    assertEquals((await inspected.redis.keys("*")).sort(), [
      "{sluice:memory:owner}:entry:f",
      "{sluice:memory:owner}:index",
      "{sluice:memory:owner}:sizes",
      "{sluice:memory}:bytes",
      "{sluice:memory}:owners",
    ]);
  },
});

Deno.test({
  name: `StoreEntries: everything expires, and expired entries free their space${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    await using replica = await connect(valkey);
    using inspected = inspect(valkey);
    const { entries } = replica;
    const brief = { ...LIMITS, ttlMs: 50 };
    await put(entries, "brief", bytesOf(5000, 1), brief);
    const began = performance.now();
    while ((await inspected.redis.keys("*:owner}*")).length > 0) {
      assert(performance.now() - began < WAIT_MS, "The entry did not expire");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await put(entries, "long", bytesOf(2000, 1));
    await put(entries, "brief", bytesOf(5000, 1), brief);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await put(entries, "next", bytesOf(6000, 1));
    assertEquals(await lengths(entries, "long", "brief", "next"), [2000, undefined, 6000]);
    assertEquals(await inspected.redis.hget("{sluice:memory:owner}:sizes", "total"), "8600");
    for (const key of await inspected.redis.keys("*")) {
      assert(await inspected.redis.pttl(key) > 100_000, `${key} expires too early, or never`);
    }
  },
});

Deno.test({
  name: `StoreEntries tells other replicas what was removed${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    await using one = await connect(valkey);
    await using other = await connect(valkey);
    await put(one.entries, "a", bytesOf(10, 1));
    const before = await eventually(() => other.entries.removals(0));
    assertEquals(before.notices, []);
    assert(await eventually(() => one.entries.remove("owner", "a")));
    assert(await eventually(() => one.entries.notify(bytesOf(4, 7), LIMITS)));
    assertEquals(await lengths(other.entries, "a"), [undefined]);
    const { time, notices } = await eventually(() => other.entries.removals(before.time));
    assertEquals(notices.map((notice) => [...notice]), [[7, 7, 7, 7]]);
    assertEquals((await eventually(() => other.entries.removals(time + 1))).notices, []);
  },
});

Deno.test({
  name: `StoreEntries does not wait for a server that hangs or is gone${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    let waits = 0;
    const clock: Clock = {
      now: () => systemClock.now(),
      wallTime: () => systemClock.wallTime(),
      after(ms, run) {
        if (ms > 40 && ms < 50) waits++;
        return systemClock.after(ms, run);
      },
      limit: (ms, owner, name) => systemClock.limit(ms, owner, name),
    };
    await using replica = await connect(valkey, clock);
    const { entries, state } = replica;
    await put(entries, "a", bytesOf(10, 1));
    valkey.signal("SIGSTOP");
    waits = 0;
    for (let request = 0; request < 20; request++) {
      assertEquals(await entries.read("owner", ["a"], LIMITS, 49), undefined);
    }
    // One wait is followed by a pause; there are more only if the machine stalls.
    assert(waits <= 3, `${waits} waits`);
    const began = performance.now();
    valkey.signal("SIGCONT");
    while ((await lengths(entries, "a"))?.[0] !== 10) {
      assert(performance.now() - began < WAIT_MS, "The server is not used again");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await valkey.kill();
    await until(() => !state.isUp);
    assertEquals(await entries.read("owner", ["a"], LIMITS, 49), undefined);
    assertEquals(await entries.write("owner", "a", bytesOf(10, 1), LIMITS), false);
    await valkey.restart();
    await put(entries, "a", bytesOf(10, 1));
    assertEquals(await lengths(entries, "a"), [10]);
  },
});

Deno.test({
  name:
    `StoreEntries: a server without memory refuses entries, and the others are read${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    await using replica = await connect(valkey);
    using inspected = inspect(valkey);
    const { entries, state } = replica;
    for (const name of ["a", "b"]) await put(entries, name, bytesOf(100, 1));
    await inspected.redis.config("SET", "maxmemory", "1");
    assertEquals(await entries.write("owner", "a", bytesOf(200, 1), LIMITS), false);
    assertEquals(await lengths(entries, "a", "b"), [100, 100]);
    assert(await eventually(() => entries.remove("owner", "a")));
    assertEquals(await lengths(entries, "a", "b"), [undefined, 100]);
    assert(state.isUp, "The connection was given up");
    await inspected.redis.config("SET", "maxmemory", "0");
    await put(entries, "c", bytesOf(100, 1));
  },
});

Deno.test({
  name: `StoreEntries gives an entry to one of many workers${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    await using one = await connect(valkey);
    await using other = await connect(valkey);
    using inspector = inspect(valkey);
    const take = ({ entries }: typeof one, name: string) =>
      entries.take("owner", name, WAIT_MS, () => {});
    assertEquals(await take(one, "a"), "absent");
    await put(one.entries, "a", bytesOf(20, 1));
    await put(one.entries, "b", bytesOf(30, 2));
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, at) => take(at % 2 === 0 ? one : other, "a")),
    );
    const values = taken.filter((value) => value instanceof Uint8Array);
    assertEquals(values.map((value) => [...value]), [[...bytesOf(20, 1)]]);
    assertEquals(taken.filter((value) => value === "taken").length, 19);
    // A removal that comes later leaves the mark that it was taken.
    assert(await eventually(() => one.entries.remove("owner", "a")));
    assertEquals(await take(other, "a"), "taken");
    // It takes no room, and is forgotten.
    assertEquals(await inspector.redis.hget("{sluice:memory:owner}:sizes", "total"), "330");
    const left = await inspector.redis.pttl("{sluice:memory:owner}:entry:a");
    assert(left > 0 && left <= 60_000);
    await put(other.entries, "a", bytesOf(10, 3));
    assertEquals((await take(one, "a"))?.length, 10);
  },
});

Deno.test({
  name:
    `StoreEntries: an owner within its share keeps its entries, whatever others store${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    await using replica = await connect(valkey);
    using inspected = inspect(valkey);
    const { entries } = replica;
    const write = async (owner: string, name: string, length: number) =>
      assert(await eventually(() => entries.write(owner, name, bytesOf(length, 1), LIMITS)));
    const left = async (owner: string, names: readonly string[]) =>
      (await entries.read(owner, names, LIMITS, WAIT_MS))?.filter((value) => value).length;
    // Each takes 2,300 bytes of the 10,000. What nobody else uses, an owner may use.
    const names = ["1", "2", "3", "4"];
    for (const name of names) await write("one", name, 2000);
    assertEquals(await left("one", names), 4);
    await write("other", "1", 2000);
    assertEquals([await left("one", names), await left("other", names)], [3, 1]);
    // A hostile owner replaces its own entries, never those of an owner with less.
    for (let turn = 0; turn < 30; turn++) await write("hostile", `${turn}`, 2000);
    await write("hostile", "large", 9000);
    assertEquals(await left("other", names), 1);
    assert((await left("one", names) ?? 0) >= 1);
    assert(Number(await inspected.redis.get("{sluice:memory}:bytes")) <= LIMITS.bytes);
    // The sum is found again if the server has lost it.
    await inspected.redis.del("{sluice:memory}:bytes");
    await write("new", "1", 2000);
    const sum = Number(await inspected.redis.get("{sluice:memory}:bytes"));
    assert(sum > 2300 && sum <= LIMITS.bytes, `${sum}`);
  },
});

Deno.test({
  name: `StoreEntries sends and reads large values in pieces${NEEDS_VALKEY}`,
  ignore,
  // The parser of the client keeps a timer for some seconds after a large reply, to shrink its buffer.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using valkey = await startValkey();
    await using replica = await connect(valkey);
    using inspected = inspect(valkey);
    const { entries } = replica;
    const limits = { ...LIMITS, bytes: 8e6 };
    const sizes = [256 * 1024, 256 * 1024 + 1, 1_000_003];
    const values = sizes.map((size, at) => bytesOf(size, at + 1).fill(0xff, size - 2));
    for (const [at, value] of values.entries()) {
      assert(await eventually(() => entries.write("owner", `${at}`, value, limits)));
    }
    const found = await entries.read("owner", ["0", "gone", "1", "2"], limits, WAIT_MS);
    const isSame = [0, undefined, 1, 2].map((value, at) => {
      const bytes = found?.[at];
      const expected = value === undefined ? undefined : values[value];
      return expected === undefined || bytes === undefined
        ? bytes === expected
        : Buffer.compare(bytes, expected) === 0;
    });
    assertEquals(isSame, [true, true, true, true]);
    const lengths = await Promise.all(
      ["0", "1", "2"].map((name) => inspected.redis.strlen(`{sluice:memory:owner}:entry:${name}`)),
    );
    assertEquals(lengths, sizes);
    assertEquals((await inspected.redis.keys("*pieces*")).length, 0);
    // No reply is larger than a piece, and a bit for its frame.
    const stats = await inspected.redis.info("commandstats");
    assertEquals(/cmdstat_getrange:calls=(\d+)/.exec(stats)?.[1], "6");
  },
});
