/** Copies of stores: complete, verified, and never over something else. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { parquetReadObjects } from "hyparquet";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../../src/core/clock.ts";
import type { PostgresRules, StoreRules } from "../../../src/config/shared_store.ts";
import type { KeyStore, StoredKey } from "../../../src/governance/keys/key_store.ts";
import { PostgresKeyStore } from "../../../src/governance/keys/postgres_key_store.ts";
import { SqliteKeyStore } from "../../../src/governance/keys/sqlite_key_store.ts";
import { PostgresUsageStore } from "../../../src/governance/ledger/postgres_store.ts";
import { ROW_COLUMNS } from "../../../src/governance/ledger/columns.ts";
import { SqliteUsageStore } from "../../../src/governance/ledger/sqlite_store.ts";
import { StoreError, type UsageStore } from "../../../src/governance/ledger/usage_store.ts";
import {
  type CopiedTable,
  copyStore,
  type CopyTarget,
} from "../../../src/governance/store_copy/copy.ts";
import { SqliteCopySource } from "../../../src/governance/store_copy/sqlite_copy.ts";
import { copyInto } from "../../../src/tools/copy_stores.ts";
import { claimFile } from "../../../src/process/stores/sqlite_file.ts";
import { HAS_POSTGRES, withPostgres } from "../../support/postgres.ts";
import { runSluice } from "../../support/process.ts";
import { emptyDatabase, stopPostgres } from "../../support/postgres_store.ts";
import { ROW_TIME, usageRow, writeRows } from "../../support/usage_rows.ts";
import { inFolder } from "../../support/file_modes.ts";

Deno.test.afterAll(stopPostgres);

const ALL = { from: ROW_TIME - 86_400_000, to: ROW_TIME + 86_400_000 };
const GROUPS = [["key"], ["model", "provider"], ["tag"], ["hour"], ["session"]] as const;
const REPORTS = { onProgress: () => {}, onWarning: () => {} };
const ROWS = 2500;

function fileRules(path: string): StoreRules & { readonly kind: "sqlite" } {
  return { kind: "sqlite", url: `sqlite:${path}`, path };
}

function openLedger(rules: StoreRules): UsageStore {
  return rules.kind === "sqlite" ? new SqliteUsageStore(rules.path) : new PostgresUsageStore(rules);
}

function openKeys(rules: StoreRules): KeyStore {
  return rules.kind === "sqlite"
    ? new SqliteKeyStore(rules.path, () => "a pepper", systemClock)
    : new PostgresKeyStore(rules, () => "another pepper");
}

function keyOf(name: string, members: Partial<StoredKey> = {}): StoredKey {
  return {
    ...{ id: `key_${name}`, name, prefix: `sk-${name}`, hash: `hash of ${name}`, pepper: "p" },
    settings: { models: ["gpt-*"], budget: { usd: 5, per: "month" }, expires: 1_900_000_000_000 },
    ...{ created: 1_700_000_000_000, revoked: undefined, previous: [] },
    ...members,
  } as StoredKey;
}

/** Writes rows with every column, text that needs escaping, and keys. */
async function fill(rules: StoreRules): Promise<void> {
  const ledger = openLedger(rules);
  const full = {
    ...{ alias: "fast", savedUsd: 0.25, queuedMs: 12, hedged: true, affinity: "hit" },
    ...{ searches: 2, images: 3, characters: 40, seconds: 1.5, error: "e\0␀", session: "s_1" },
    ...{ tags: ["é", "🦥", "nul\0"], firstTokenMs: 7.25, key: "k\0'\"\\" },
    attemptRows: [{ provider: "p", upstream: "m", startedMs: 0, ms: 1, status: 200 }],
  };
  await writeRows(
    ledger,
    Array.from({ length: ROWS }, (_, index) =>
      usageRow({
        ...{ id: `req_${index}`, time: ROW_TIME + index, usd: index / 7, key: `k${index % 5}` },
        ...(index % 10 === 0 && full),
        ...(index % 10 === 1 && { usd: undefined, prices: undefined, model: undefined }),
      })),
  );
  // Those that follow are not counted yet.
  await ledger.summarize({ ...ALL, groupBy: ["key"] });
  await ledger.write([usageRow({ id: "last", time: ROW_TIME + ROWS })], "batch_last");
  await ledger.close();
  const keys = openKeys(rules);
  await keys.insert(keyOf("one"), 10);
  await keys.insert(keyOf("two", { previous: [{ hash: "h", until: 1 }] } as never), 10);
  await keys.update("key_two", { revoked: 1_800_000_000_000 });
  await keys.close();
}

/** Everything that a gateway reads from a store, and what it has after one more row and key. */
async function read(rules: StoreRules) {
  const ledger = openLedger(rules);
  const keys = openKeys(rules);
  try {
    const all = await keys.list({ revoked: true, limit: 100 } as never);
    const { version, pepper } = await keys.readKeys();
    const rows = [];
    for (let before = undefined;;) {
      const page: Awaited<ReturnType<UsageStore["list"]>> = await ledger.list({
        limit: 1000,
        before,
      });
      rows.push(...page.rows);
      if (page.next === undefined) break;
      before = page.next as never;
    }
    await ledger.write([usageRow({ id: "later", key: "later" })], "batch_later");
    await keys.insert(keyOf("three"), 10);
    const sums = await Promise.all(GROUPS.map((groupBy) => ledger.summarize({ ...ALL, groupBy })));
    const sorted = sums.map((groups) =>
      groups.map(({ usd, ...group }) => JSON.stringify([group, usd.toFixed(6)])).sort()
    );
    return { rows, all, version, pepper, sorted };
  } finally {
    await ledger.close();
    await keys.close();
  }
}

Deno.test({
  name: withPostgres("a store that moves to PostgreSQL and back is the same everywhere"),
  ignore: !HAS_POSTGRES,
  fn: () =>
    inFolder(async (folder) => {
      const first = fileRules(`${folder}/first.db`);
      const back = fileRules(`${folder}/back.db`);
      const database = await emptyDatabase();
      const other = await emptyDatabase();
      await fill(first);
      const counts = await copyInto(first, { ...REPORTS, target: database, isNew: false });
      assertEquals(counts.map(({ table, rows }) => [table, rows]), [
        ["requests", ROWS + 1],
        ["usage_sums", counts[1]?.rows],
        ["service_keys", 2],
      ]);
      await copyInto(database, { ...REPORTS, target: back, isNew: true });
      await copyInto(database, { ...REPORTS, target: other, isNew: false });
      assertEquals((Deno.statSync(back.path).mode ?? 0) & 0o777, 0o600);
      const expected = await read(first);
      assertEquals(expected.rows.length, ROWS + 1);
      const [full] = expected.rows.filter(({ session }) => session !== undefined);
      const lacks = ROW_COLUMNS.filter(({ member }) => full?.[member] === undefined);
      // The row of the test has all kinds of values.
      assert(lacks.length < ROW_COLUMNS.length / 2);
      assertEquals(expected.all.map(({ id }) => id), ["key_one", "key_two"]);
      for (const rules of [database, back, other]) assertEquals(await read(rules), expected);
    }),
});

Deno.test("a backup is one state of a store that is written to meanwhile, and can be restored", () =>
  inFolder(async (folder) => {
    const path = `${folder}/s.db`;
    await fill(fileRules(path));
    const writer = new SqliteUsageStore(path);
    let written = 0;
    const onProgress = () => {
      void writer.write([usageRow({ id: `meanwhile_${++written}` })]);
    };
    const target = fileRules(`${folder}/backup.db`);
    const counts = await copyInto(fileRules(path), {
      ...{ target, isNew: true, onProgress, onWarning: () => {} },
    });
    assert(written > 0);
    await writer.close();
    assertEquals(counts.find(({ table }) => table === "requests")?.rows, ROWS + 1);
    // One file, which needs no other one.
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
      "backup.db",
      "s.db",
    ]);
    // A gateway has started with the target, and written nothing.
    const restored = fileRules(`${folder}/restored.db`);
    await new SqliteUsageStore(restored.path).close();
    await openKeys(restored).close();
    await copyInto(target, { ...REPORTS, target: restored, isNew: false });
    assertEquals(await read(restored), await read(target));
  }));

Deno.test({
  name: withPostgres("sluice store partition divides a database once, and refuses a file"),
  ignore: !HAS_POSTGRES,
  async fn() {
    const rules = await emptyDatabase();
    const run = (store: string) => runSluice(["store", "partition", "--store", store], {});
    const empty = await run(rules.url);
    assertEquals(empty.code, 1);
    assertStringIncludes(empty.stderr, "Cannot partition postgres://");
    const store = new PostgresUsageStore(rules);
    await store.write([usageRow()], "batch_1");
    await store.close();
    const done = await run(rules.url);
    assertEquals([done.code, done.stderr], [0, ""]);
    assertStringIncludes(done.stdout, "are in partitions already");
    const file = await run("sqlite:/tmp/none.db");
    assertEquals(file.code, 2);
    assertStringIncludes(file.stderr, "Only a store in PostgreSQL");
  },
});

Deno.test("nothing is overwritten, and the target stays as it was", () =>
  inFolder(async (folder) => {
    const source = fileRules(`${folder}/s.db`);
    await fill(source);
    const filled = fileRules(`${folder}/filled.db`);
    const store = new SqliteUsageStore(filled.path);
    await store.write([usageRow()]);
    await store.close();
    Deno.chmodSync(filled.path, 0o600);
    const before = Deno.readFileSync(filled.path);
    await assertRejects(
      () => copyInto(source, { ...REPORTS, target: filled, isNew: false }),
      StoreError,
      "it is not empty: 'requests' has rows",
    );
    await assertRejects(
      () => copyInto(source, { ...REPORTS, target: filled, isNew: true }),
      StoreError,
      "it exists",
    );
    assertEquals(Deno.readFileSync(filled.path), before);
    const text = fileRules(`${folder}/text`);
    Deno.writeTextFileSync(text.path, "text of something else", { mode: 0o600 });
    await assertRejects(() => copyInto(source, { ...REPORTS, target: text, isNew: false }));
    assertEquals(Deno.readTextFileSync(text.path), "text of something else");
  }));

Deno.test({
  name: withPostgres("a database that has rows is refused, and one whose copy fails stays empty"),
  ignore: !HAS_POSTGRES,
  fn: () =>
    inFolder(async (folder) => {
      const source = fileRules(`${folder}/s.db`);
      await fill(source);
      const database: PostgresRules = await emptyDatabase();
      {
        // The sums refer to a row that is missing then: their constraint fails after the requests.
        using file = new DatabaseSync(source.path);
        file.exec("UPDATE usage_sums SET start = 9007199254740993 WHERE rowid = 1");
      }
      await copyInto(source, { ...REPORTS, target: database, isNew: false }).then(
        () => assert(false, "an unreadable sum was copied"),
        () => {},
      );
      const keys = openKeys(database);
      assertEquals(await keys.list({ revoked: true, limit: 10 } as never), []);
      await keys.close();
      const ledger = new PostgresUsageStore(database);
      assertEquals((await ledger.list({ limit: 10 })).rows, []);
      await ledger.write([usageRow()], "batch_1");
      await ledger.close();
      await assertRejects(
        () => copyInto(source, { ...REPORTS, target: database, isNew: false }),
        StoreError,
        "it is not empty: 'requests' has rows",
      );
    }),
});

Deno.test("a copy that lacks a row fails", () =>
  inFolder(async (folder) => {
    const path = `${folder}/s.db`;
    await fill(fileRules(path));
    using source = new SqliteCopySource(path);
    const targetWithout = (lost: number): CopyTarget => {
      const counts = new Map<CopiedTable, number>();
      return {
        findFilled: () => undefined,
        write(table, rows) {
          const kept = rows.filter((row) => table.name !== "requests" || row[0] !== lost);
          counts.set(table, (counts.get(table) ?? 0) + kept.length);
        },
        writeMarks: () => {},
        count: (table) => counts.get(table) ?? 0,
      };
    };
    await assertRejects(
      () => copyStore(source, targetWithout(77), () => {}),
      StoreError,
      `the copy differs: 'requests' has ${ROWS} rows instead of ${ROWS + 1}`,
    );
    await copyStore(source, targetWithout(-1), () => {});
  }));

Deno.test({
  name: withPostgres(
    "rows that another program has made unreadable are counted, not lost silently",
  ),
  ignore: !HAS_POSTGRES,
  fn: () =>
    inFolder(async (folder) => {
      const source = fileRules(`${folder}/s.db`);
      const store = new SqliteUsageStore(source.path);
      await writeRows(store, ["1", "2", "3", "4"].map((id) => usageRow({ id })));
      await store.close();
      {
        using file = new DatabaseSync(source.path);
        file.exec(`UPDATE requests SET tags = 'broken' WHERE id = '1';
          UPDATE requests SET usd = 9e999 WHERE id = '3'`);
      }
      const [requests] = await copyInto(source, {
        ...{ ...REPORTS, target: await emptyDatabase(), isNew: false },
      });
      assertEquals(requests, { table: "requests", rows: 2, unreadable: 2 });
    }),
});

Deno.test("a file of a newer version, or of something else, is refused", () =>
  inFolder(async (folder) => {
    const target = fileRules(`${folder}/target.db`);
    const newer = fileRules(`${folder}/newer.db`);
    await fill(newer);
    {
      using file = new DatabaseSync(newer.path);
      file.exec("PRAGMA user_version = 99");
    }
    const copy = (source: StoreRules) => copyInto(source, { ...REPORTS, target, isNew: true });
    await assertRejects(() => copy(newer), StoreError, "a newer version of the gateway");
    const other = fileRules(`${folder}/other.db`);
    {
      using file = new DatabaseSync(other.path);
      file.exec("CREATE TABLE notes (text)");
    }
    await assertRejects(() => copy(other), StoreError, "it is not a store");
    await assertRejects(() => copy(fileRules(`${folder}/missing.db`)));
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assertEquals(names.filter((name) => name.startsWith("target")), []);
  }));

/** Rows by the names of their columns (RFC 4180). */
function parseCsv(text: string): Record<string, string>[] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === "\n") lines.push([]);
  }
  const [names = [], ...rows] = lines.slice(0, -1);
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""])));
}

Deno.test("sluice store export writes every request once, with its values, to a file or a pipe", () =>
  inFolder(async (folder) => {
    const rules = fileRules(`${folder}/s.db`);
    await fill(rules);
    const store = new SqliteUsageStore(rules.path);
    await store.write([usageRow({ id: "formula", model: "=1+1", tags: ['a"b', "c,d"] })]);
    await store.close();
    const run = (path: string) =>
      runSluice(["store", "export", path, "--store", `sqlite:${rules.path}`], {});
    const { code, stdout, stderr } = await run(`${folder}/requests.csv`);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stdout, "Wrote 2,502 requests");
    const text = Deno.readTextFileSync(`${folder}/requests.csv`);
    const rows = parseCsv(text);
    assertEquals(rows.length, ROWS + 2);
    assertEquals(new Set(rows.map(({ id }) => id)).size, ROWS + 2);
    const cells = rows.find(({ id }) => id === "req_7");
    assertEquals([cells?.time, cells?.cost_usd, cells?.tags], [
      new Date(ROW_TIME + 7).toISOString(),
      "1",
      "[]",
    ]);
    const last = rows.at(-1);
    assertEquals([last?.model, last?.tags, last?.session], ["'=1+1", '["a\\"b","c,d"]', ""]);
    const again = await run(`${folder}/requests.csv`);
    assertEquals(again.code, 1);
    assertStringIncludes(again.stderr, "it exists, and nothing is overwritten");
    assertEquals((await run("-")).stdout, text);
    assertStringIncludes((await run(`${folder}/r.parquet`)).stdout, "Wrote 2,502 requests");
    const { buffer: file } = Deno.readFileSync(`${folder}/r.parquet`);
    const columnar = await parquetReadObjects({ file, columns: ["id"] });
    assertEquals(columnar.map(({ id }) => id), rows.map(({ id }) => id));
  }));

Deno.test("sluice store: backs up, restores, refuses, and prints no password", () =>
  inFolder(async (folder) => {
    await fill(fileRules(`${folder}/s.db`));
    const files = {
      "config.yaml": JSON.stringify({
        store: `sqlite:${folder}/s.db`,
        providers: { mock: { kind: "mock", models: ["mock-echo"] } },
      }),
    };
    const run = (...args: string[]) => runSluice(["store", ...args], { files });
    const done = await run("backup", `${folder}/b.db`);
    assertEquals(done.code, 0, done.stderr);
    assertStringIncludes(done.stdout, "  requests            2,501\n");
    const again = await run("backup", `${folder}/b.db`);
    assertEquals(again.code, 1);
    assertStringIncludes(again.stderr, "it exists, and nothing is overwritten");
    const restored = await run("restore", `${folder}/b.db`, "--store", `sqlite:${folder}/r.db`);
    assertEquals(restored.code, 0, restored.stderr);
    {
      // As a gateway does.
      using _claim = claimFile(`${folder}/s.db`);
      const inUse = await run("migrate", `sqlite:${folder}/m.db`);
      assertEquals(inUse.code, 1);
      assertStringIncludes(inUse.stderr, "another process");
      assertEquals((await run("backup", `${folder}/used.db`)).code, 0);
    }
    const moved = await run("migrate", `sqlite:${folder}/m.db`);
    assertEquals(moved.code, 0, moved.stderr);
    const refused = await run("migrate", "postgres://user:secret-word@127.0.0.1:1/db");
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stderr, "cannot connect to postgres://127.0.0.1:1/db");
    const wrong = await run("migrate", "postgre://user:secret-word@127.0.0.1:1/db");
    assertEquals(wrong.code, 2);
    for (const { stderr } of [refused, wrong]) assert(!stderr.includes("secret-word"), stderr);
    const missing = await run("restore", `${folder}/none.db`, "--store", `sqlite:${folder}/n.db`);
    assertEquals(missing.code, 1);
    assertStringIncludes(missing.stderr, "Cannot copy");
  }));
