/** The ledger: its stores agree, and a store that fails costs no request anything. */

import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { Ledger } from "../../src/governance/ledger/ledger.ts";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import type { UsageGroup, UsageStore } from "../../src/governance/ledger/usage_store.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { Random } from "../support/random.ts";

const START = Date.parse("2026-11-22T10:30:00Z");

function row(members: Partial<LedgerRow> = {}): LedgerRow {
  return {
    time: START,
    id: "req_1",
    key: "a",
    tags: [],
    model: "m",
    provider: "p",
    upstream: "m-1",
    format: "chat_completions",
    status: 200,
    error: undefined,
    attempts: 1,
    input: 10,
    cachedInput: 2,
    cacheWrite: 0,
    output: 5,
    reasoning: 1,
    source: "vendor",
    usd: 0.001,
    prices: { input: 1, cachedInput: null, output: 2 },
    ms: 100,
    firstTokenMs: undefined,
    ...members,
  };
}

async function withStores(run: (store: UsageStore) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  for (
    const create of [() => new MemoryUsageStore(), () => new SqliteUsageStore(`${directory}/s.db`)]
  ) {
    const store = create();
    try {
      await run(store);
    } finally {
      await store.close();
    }
  }
  await Deno.remove(directory, { recursive: true });
}

const ALL = { from: START - 86_400_000, to: START + 86_400_000 };

Deno.test("usage is added up by key, with what is estimated, failed or without a price", async () => {
  await withStores(async (store) => {
    await store.write([
      row(),
      row({ source: "estimated", ms: 300, firstTokenMs: 50 }),
      row({ status: 429, error: "rate_limit_exceeded", input: 0, output: 0, usd: undefined }),
      row({ key: "b", usd: undefined }),
      row({ key: undefined, status: 401, error: "invalid_api_key", usd: 0 }),
    ]);
    const groups = await store.summarize({ ...ALL, groupBy: ["key"] });
    const [a, b, none] = ["a", "b", null].map((key) =>
      groups.find(({ group }) => group[0] === key)
    );
    assertEquals(groups.length, 3);
    assertEquals([a?.requests, a?.errors, a?.estimated, a?.unpriced], [3, 1, 1, 0]);
    assertEquals([a?.input, a?.cachedInput, a?.output, a?.usd], [20, 6, 10, 0.002]);
    assertAlmostEquals(a?.p50Ms ?? 0, 100, 6);
    assertAlmostEquals(a?.p95Ms ?? 0, 300, 16);
    assertAlmostEquals(a?.firstTokenP50Ms ?? 0, 50, 3);
    assertEquals([b?.unpriced, b?.firstTokenP50Ms], [1, null]);
    assertEquals(none?.errors, 1);
  });
});

Deno.test("the stores agree on random rows, for every group", async () => {
  const random = new Random(7);
  const rows = Array.from({ length: 2000 }, (_, index) =>
    row({
      id: `req_${index}`,
      time: START + random.below(40) * 3_600_000,
      key: [..."ab", "it's; DROP TABLE requests", undefined][random.below(4)],
      model: ["m", "n", '"; --', undefined][random.below(4)],
      provider: random.pick(["p", "q"]),
      tags: random.pick([[], ["x"], ["x", "y"], ["#", "-", ""]]),
      status: random.pick([200, 200, 500]),
      input: random.below(1000),
      ms: random.below(5000),
      usd: [0.25, 0.5, undefined][random.below(3)],
    }));
  const groupings: UsageGroup[][] = [
    [],
    ["key"],
    ["model", "provider"],
    ["tag"],
    ["day", "key"],
    ["hour"],
  ];
  const results: string[][] = [];
  await withStores(async (store) => {
    for (let at = 0; at < rows.length; at += 100) await store.write(rows.slice(at, at + 100));
    for (const groupBy of groupings) {
      const query = { from: START - 1_800_000, to: START + 30 * 3_600_000 - 1_800_000, groupBy };
      const groups = [
        ...await store.summarize(query),
        ...await store.summarize({ ...query, key: "a" }),
      ];
      results.push(groups.map((group) => JSON.stringify(group)).sort());
    }
  });
  const half = results.length / 2;
  assertEquals(results.slice(0, half), results.slice(half));
  assert(results.flat().length > 50);
});

Deno.test("rows are removed by age, and their sums stay", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const store = new SqliteUsageStore(path);
  await store.write([row(), row({ time: START + 7_200_000 })]);
  await store.prune(START + 3_600_000);
  const [all] = await store.summarize({ ...ALL, groupBy: [] });
  assertEquals(all?.requests, 2);
  await store.close();
  const again = new SqliteUsageStore(path);
  assertEquals((await again.summarize({ ...ALL, groupBy: [] }))[0]?.requests, 2);
  await again.close();
  await Deno.remove(path);
});

Deno.test("the memory holds the last 10,000 requests", async () => {
  const store = new MemoryUsageStore();
  for (let index = 0; index < 120; index++) {
    await store.write(Array.from({ length: 100 }, () => row({ key: index < 60 ? "old" : "new" })));
  }
  const groups = await store.summarize({ ...ALL, groupBy: ["key"] });
  assertEquals(groups.map(({ group, requests }) => [...group, requests]).sort(), [
    ["new", 6000],
    ["old", 4000],
  ]);
});

Deno.test("a batch is written after 100 rows or 100 ms", async () => {
  const clock = new ManualClock();
  const batches: number[] = [];
  const ledger = new Ledger({
    write: (rows) => Promise.resolve(void batches.push(rows.length)),
    clock,
    onDrop: () => {},
    onState: () => {},
  });
  for (let index = 0; index < 250; index++) ledger.add(row());
  await ledger.flush();
  assertEquals(batches.reduce((sum, count) => sum + count, 0), 250);
  assert(batches.every((count) => count <= 100));
  ledger.add(row());
  clock.advance(99);
  await Promise.resolve();
  const before = batches.length;
  clock.advance(1);
  await ledger.flush();
  assertEquals(batches.length, before + 1);
  assertEquals(clock.pending, 0);
});

Deno.test("rows wait for a store that fails, then are dropped and counted; none is lost after that", async () => {
  const clock = new ManualClock();
  const written: string[] = [];
  const states: boolean[] = [];
  let dropped = 0;
  let isDown = true;
  const ledger = new Ledger({
    write(rows) {
      if (isDown) return Promise.reject(new Error("down"));
      for (const { id } of rows) written.push(id);
      return Promise.resolve();
    },
    clock,
    onDrop: (count) => dropped += count,
    onState: (failure) => states.push(failure === undefined),
  });
  for (let index = 0; index < 12_000; index++) ledger.add(row({ id: String(index) }));
  await ledger.flush();
  assertEquals(dropped, 2000);
  isDown = false;
  clock.advance(5000);
  await ledger.flush();
  assertEquals(written.length, 10_000);
  assertEquals(new Set(written).size, 10_000);
  assertEquals(states, [false, true]);
  assertEquals(clock.pending, 0);
});
