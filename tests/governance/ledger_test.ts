/** The ledger: its stores agree, and a store that fails costs no request anything. */

import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Ledger } from "../../src/governance/ledger/ledger.ts";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import {
  StoreError,
  type UsageQuery,
  type UsageStore,
} from "../../src/governance/ledger/usage_store.ts";
import { turn } from "../support/elapse.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { Random } from "../support/random.ts";
import { ROW_TIME, usageRow } from "../support/usage_rows.ts";

const ALL = { from: ROW_TIME - 86_400_000, to: ROW_TIME + 86_400_000 };

Deno.test("a file of the first version is brought up to date with its sums", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE requests (
      time INTEGER NOT NULL, id TEXT NOT NULL, key TEXT, tags TEXT NOT NULL, model TEXT,
      provider TEXT, upstream TEXT, format TEXT NOT NULL, status INTEGER NOT NULL, error TEXT,
      attempts INTEGER NOT NULL, input INTEGER NOT NULL, cached_input INTEGER NOT NULL,
      cache_write INTEGER NOT NULL, output INTEGER NOT NULL, reasoning INTEGER NOT NULL,
      source TEXT NOT NULL, usd REAL, prices TEXT, ms REAL NOT NULL, first_token_ms REAL
    );
    CREATE INDEX requests_time ON requests (time);
    CREATE TABLE usage_hours (hour INTEGER, key TEXT, model TEXT, provider TEXT, tag TEXT,
      requests INTEGER, errors INTEGER, input INTEGER, cached_input INTEGER, cache_write INTEGER,
      output INTEGER, reasoning INTEGER, estimated INTEGER, usd REAL, unpriced INTEGER,
      PRIMARY KEY (hour, tag, key, model, provider)) WITHOUT ROWID;
    CREATE TABLE usage_durations (hour INTEGER, key TEXT, model TEXT, provider TEXT, tag TEXT,
      kind TEXT, bucket INTEGER, requests INTEGER,
      PRIMARY KEY (hour, tag, key, model, provider, kind, bucket)) WITHOUT ROWID;
    PRAGMA user_version = 1;`);
  const hour = ROW_TIME - ROW_TIME % 3_600_000;
  for (const [start, tag] of [[hour, ""], [hour, "#x"], [hour - 3_600_000, ""]] as const) {
    database.exec(`INSERT INTO usage_hours
        VALUES (${start}, 'a', 'm', 'p', '${tag}', 2, 1, 20, 0, 0, 10, 0, 0, 0.5, 0);
      INSERT INTO usage_durations
        VALUES (${start}, 'a', 'm', 'p', '${tag}', 'total', 49, 2),
          (${start}, 'a', 'm', 'p', '${tag}', 'first', 41, 1);`);
  }
  database.exec(
    `INSERT INTO requests VALUES (${ROW_TIME - 1}, 'req_0', 'a', '["x"]', 'm', 'p', 'm-1',
    'messages', 500, 'upstream_error', 2, 1, 0, 0, 2, 0, 'none', NULL, NULL, 5, NULL)`,
  );
  database.close();
  const store = new SqliteUsageStore(path);
  await store.write([usageRow()]);
  const { rows: [last, old] } = await store.list({ key: "a", limit: 10 });
  assertEquals([last?.id, old?.id, old?.tags, old?.attempts], ["req_1", "req_0", ["x"], 2]);
  assertEquals([old?.attemptRows, old?.usd, old?.error], [undefined, undefined, "upstream_error"]);
  const query = { from: hour - 7_200_000, to: hour + 86_400_000 };
  for (const groupBy of [["day"], ["hour"]] as const) {
    const groups = await store.summarize({ ...query, groupBy });
    assertEquals(groups.reduce((sum, { requests }) => sum + requests, 0), 5);
    assertAlmostEquals(groups[0]?.p50Ms ?? 0, 102, 1);
    assertAlmostEquals(groups[0]?.firstTokenP50Ms ?? 0, 47.5, 1);
  }
  const [tag] = await store.summarize({ ...query, groupBy: ["tag"] });
  assertEquals([tag?.group[0], tag?.requests, tag?.usd], ["x", 2, 0.5]);
  await store.close();
  await Deno.remove(path);
});

Deno.test("a file of version 0.2.0 keeps its rows and sums, and gets the columns it lacks", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const database = new DatabaseSync(path);
  database.exec(await Deno.readTextFile(new URL("ledger_0.2.0.sql", import.meta.url)));
  database.close();
  const store = new SqliteUsageStore(path);
  await store.write([usageRow({ id: "req_4", time: ROW_TIME + 1, savedUsd: 0.5, hedged: true })]);
  const { rows } = await store.list({ limit: 10 });
  assertEquals(rows.map(({ id, savedUsd, hedged }) => [id, savedUsd, hedged]), [
    ["req_4", 0.5, true],
    ...["req_3", "req_2", "req_1"].map((id) => [id, undefined, undefined]),
  ]);
  assertEquals(rows[1]?.attemptRows?.[0]?.error, "rate_limited");
  assertEquals(rows[3]?.tags, ["x"]);
  for (const groupBy of [["day"], ["hour"], ["key"]] as const) {
    const [sums] = await store.summarize({ ...ALL, groupBy });
    assertEquals([sums?.requests, sums?.errors, sums?.usd], [4, 1, 0.252]);
    assertEquals(sums?.savedUsd, 0.5);
  }
  await store.close();
  // The columns are added once.
  await new SqliteUsageStore(path).close();
  await Deno.remove(path);
});

Deno.test("hours before a file has totals come from the sums of keys, later ones from totals", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const HOUR = 3_600_000;
  const random = new Random(5);
  const rows = Array.from({ length: 400 }, (_, index) =>
    usageRow({
      time: ROW_TIME + index % 8 * HOUR,
      key: `key-${random.below(4)}`,
      ms: 10 + random.below(5000),
    }));
  const memory = new MemoryUsageStore();
  await memory.write(rows);
  const store = new SqliteUsageStore(path);
  await store.write(rows);
  const query = { from: ROW_TIME - HOUR, to: ROW_TIME + 9 * HOUR };
  const sorted = async (from: UsageStore, part: Pick<UsageQuery, "groupBy" | "key">) =>
    (await from.summarize({ ...query, ...part })).toSorted((one, other) =>
      one.group.join() < other.group.join() ? -1 : 1
    );
  const byHour = { groupBy: ["hour"] } as const;
  assertEquals(await sorted(store, byHour), await sorted(memory, byHour));
  await store.close();
  // As if the file were of an older version until its fifth hour.
  const since = ROW_TIME - ROW_TIME % HOUR + 4 * HOUR;
  const database = new DatabaseSync(path);
  const { changes } = database.prepare("DELETE FROM usage_sums WHERE span = 4 AND start < ?")
    .run(since);
  assertEquals(changes, 4);
  database.prepare("UPDATE counted SET totals_since = ?").run(since);
  database.close();
  const later = new SqliteUsageStore(path);
  for (const groupBy of [["hour"], ["day", "hour"], ["hour", "key"]] as const) {
    assertEquals(await sorted(later, { groupBy }), await sorted(memory, { groupBy }));
  }
  const own = { ...byHour, key: "key-1" };
  assertEquals(await sorted(later, own), await sorted(memory, own));
  await later.close();
  await Deno.remove(path);
});

Deno.test("rows that were not counted before the end are counted by the next process", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  for (let run = 0; run < 3; run++) {
    const store = new SqliteUsageStore(path);
    for (let batch = 0; batch < 4; batch++) {
      await store.write(Array.from({ length: 100 }, () => usageRow()));
    }
    await store.close();
  }
  const store = new SqliteUsageStore(path);
  const [all] = await store.summarize({ ...ALL, groupBy: [] });
  assertEquals(all?.requests, 1200);
  await store.close();
  await Deno.remove(path);
});

Deno.test("processes that share a file count each row once, whichever wrote it", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const stores = [new SqliteUsageStore(path), new SqliteUsageStore(path)];
  const random = new Random(3);
  let written = 0;
  for (let step = 0; step < 150; step++) {
    const store = random.pick(stores);
    const rows = Array.from({ length: random.pick([1, 60, 100]) }, () => usageRow({ usd: 0.5 }));
    if (random.chance(0.05)) {
      const [all] = await store.summarize({ ...ALL, groupBy: [] });
      assertEquals(all?.requests ?? 0, written);
    }
    if (random.chance(0.05)) {
      // A row that the table refuses undoes its whole batch.
      const invalid = usageRow({ format: undefined as unknown as string });
      await assertRejects(() => store.write([...rows, invalid]), StoreError);
    }
    await store.write(rows);
    written += rows.length;
  }
  for (const store of stores) {
    const [all] = await store.summarize({ ...ALL, groupBy: [] });
    assertEquals([all?.requests, all?.usd], [written, written / 2]);
    await store.close();
  }
  await Deno.remove(path);
});

Deno.test("a file of a newer version is not opened", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 1000");
  database.close();
  assertThrows(() => new SqliteUsageStore(path), Error, "newer than this program");
  // SQLite removes the log of a file when its last connection is closed.
  await assertRejects(() => Deno.stat(`${path}-wal`), Deno.errors.NotFound);
  await Deno.remove(path);
});

Deno.test("the memory holds the last 10,000 requests", async () => {
  const store = new MemoryUsageStore();
  for (let index = 0; index < 120; index++) {
    await store.write(
      Array.from({ length: 100 }, () => usageRow({ key: index < 60 ? "old" : "new" })),
    );
  }
  const groups = await store.summarize({ ...ALL, groupBy: ["key"] });
  assertEquals(groups.map(({ group, requests }) => [...group, requests]).sort(), [
    ["new", 6000],
    ["old", 4000],
  ]);
});

let lastId = 0;
const newId = (prefix: string) => `${prefix}${++lastId}`;
const onRefusal = () => {};

Deno.test("a batch is written when it is full, or after 100 ms", async () => {
  const clock = new ManualClock();
  const batches: number[] = [];
  const ledger = new Ledger({
    write: (rows) => Promise.resolve(void batches.push(rows.length)),
    maxBatchRows: 60,
    clock,
    newId,
    onRefusal,
    onDrop: () => {},
    onState: () => {},
  });
  assert(ledger.isEmpty);
  for (let index = 0; index < 59; index++) ledger.add(usageRow());
  await turn();
  assertEquals([batches, ledger.isEmpty], [[], false]);
  for (let index = 0; index < 91; index++) ledger.add(usageRow());
  await turn();
  assertEquals(batches, [60, 60]);
  clock.advance(99);
  ledger.add(usageRow());
  await turn();
  assertEquals(batches, [60, 60]);
  clock.advance(1);
  await turn();
  assertEquals(batches, [60, 60, 31]);
  assertEquals(clock.pending, 0);
  // Rows that arrive during a write also wait.
  for (let index = 0; index < 60; index++) ledger.add(usageRow());
  ledger.add(usageRow());
  await turn();
  assertEquals(batches.slice(3), [60]);
  await ledger.flush();
  assertEquals([batches.slice(3), ledger.isEmpty], [[60, 1], true]);
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
    maxBatchRows: 100,
    newId,
    onRefusal,
    onDrop: (count) => dropped += count,
    onState: (failure) => states.push(failure === undefined),
  });
  for (let index = 0; index < 12_000; index++) ledger.add(usageRow({ id: String(index) }));
  await ledger.flush();
  assertEquals([dropped, ledger.isEmpty], [2000, false]);
  isDown = false;
  clock.advance(5000);
  await ledger.flush();
  assertEquals(written.length, 10_000);
  assertEquals(new Set(written).size, 10_000);
  assertEquals(states, [false, true]);
  assertEquals(clock.pending, 0);
});

Deno.test("a batch keeps its rows and its ID when it is tried again, though more rows wait", async () => {
  const clock = new ManualClock();
  const calls: (readonly [string, number])[] = [];
  const ledger = new Ledger({
    write(rows, batch) {
      calls.push([batch, rows.length]);
      return calls.length < 3 ? Promise.reject(new StoreError("gone")) : Promise.resolve();
    },
    clock,
    maxBatchRows: 100,
    newId,
    onRefusal,
    onDrop: () => {},
    onState: () => {},
  });
  for (let index = 0; index < 30; index++) ledger.add(usageRow());
  await ledger.flush();
  for (let index = 0; index < 30; index++) ledger.add(usageRow());
  await ledger.flush();
  await ledger.flush();
  const [first, second, third, fourth] = calls;
  assertEquals([first, second], [third, third]);
  assertEquals([first?.[1], fourth?.[1]], [30, 30]);
  assert(first?.[0] !== fourth?.[0]);
  assertEquals(clock.pending, 0);
});

Deno.test("only the row that the store refuses is dropped", async () => {
  const clock = new ManualClock();
  const written: string[] = [];
  let dropped = 0;
  let refusals = 0;
  const ledger = new Ledger({
    write(rows) {
      if (rows.some(({ id }) => id === "17" || id === "64")) {
        return Promise.reject(new StoreError("too large", "values"));
      }
      for (const { id } of rows) written.push(id);
      return Promise.resolve();
    },
    clock,
    maxBatchRows: 100,
    newId,
    onRefusal: () => refusals++,
    onDrop: (count) => dropped += count,
    onState: () => {},
  });
  for (let index = 0; index < 250; index++) ledger.add(usageRow({ id: String(index) }));
  await ledger.flush();
  assertEquals([written.length, dropped, refusals], [248, 2, 2]);
  assertEquals(written.map(Number), written.map(Number).sort((one, other) => one - other));
});

Deno.test("at the end rows are tried again until they are written, or dropped and counted", async () => {
  for (const recovers of [true, false]) {
    const clock = new ManualClock();
    let tries = 0;
    let dropped = 0;
    const ledger = new Ledger({
      write: () =>
        ++tries < 4 || !recovers ? Promise.reject(new StoreError("gone")) : Promise.resolve(),
      clock,
      maxBatchRows: 100,
      newId,
      onRefusal,
      onDrop: (count) => dropped += count,
      onState: () => {},
    });
    ledger.add(usageRow());
    let isOver = false;
    const ending = ledger.end().then(() => isOver = true);
    for (let step = 0; step < 100 && !isOver; step++) {
      await turn();
      clock.advance(100);
      if (step === 50) assertEquals(ledger.close(), 1);
    }
    await ending;
    assertEquals(dropped, recovers ? 0 : 1);
    clock.advance(100_000);
    assertEquals(clock.pending, 0);
  }
});
