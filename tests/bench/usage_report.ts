/**
 * Measures reports and lists of a month of 1,000,000 requests, in SQLite and, where it is
 * installed, in PostgreSQL: `deno run --allow-all tests/bench/usage_report.ts [rows]`.
 *
 * The month has 20 keys with three models and five tags each, and one tag for each request.
 */

import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import { mergeSorted } from "../../src/governance/ledger/request_sorts.ts";
import { PostgresUsageStore } from "../../src/governance/ledger/postgres_store.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import type {
  RequestFilter,
  RequestPage,
  RequestQuery,
  RowPosition,
  UsageGroup,
  UsageStore,
} from "../../src/governance/ledger/usage_store.ts";
import { HAS_POSTGRES } from "../support/postgres.ts";
import { Random } from "../support/random.ts";
import { emptyDatabase, stopPostgres } from "../support/postgres_store.ts";
import { usageRow } from "../support/usage_rows.ts";

const ROWS = Number(Deno.args[0] ?? 1_000_000);
const START = Date.parse("2026-10-01T00:00:00Z");
const DAYS = 31;
const DAY_MS = 86_400_000;
const MONTH_MS = DAYS * DAY_MS;
const BATCH = 100;
/** How often a report is repeated; the slowest and the median are printed. */
const REPEATS = 9;

function* batches(): Generator<LedgerRow[]> {
  const random = new Random(1);
  for (let at = 0; at < ROWS; at += BATCH) {
    yield Array.from({ length: Math.min(BATCH, ROWS - at) }, (_, index) => {
      const key = random.below(20);
      const ms = 300 * Math.exp(random.next() * 4);
      return usageRow({
        time: START + Math.floor((at + index) / ROWS * MONTH_MS),
        id: `req_${at + index}`,
        key: `team-${key}`,
        tags: [`project-${key}-${random.below(5)}`],
        model: `model-${(key + random.below(3)) % 10}`,
        provider: `provider-${key % 3}`,
        status: random.chance(0.02) ? 429 : 200,
        input: random.below(8000),
        output: random.below(1000),
        ms,
        firstTokenMs: random.chance(0.7) ? ms / 3 : undefined,
      });
    });
  }
}

const REPORTS: readonly (readonly [string, readonly UsageGroup[], string | undefined])[] = [
  ["all", [], undefined],
  ["group_by=key", ["key"], undefined],
  ["group_by=key,model", ["key", "model"], undefined],
  ["group_by=day", ["day"], undefined],
  ["group_by=tag", ["tag"], undefined],
  ["group_by=model of one key", ["model"], "team-7"],
  ["group_by=hour", ["hour"], undefined],
];

/** One step of a page from the middle of the month. */
const LISTS: readonly (readonly [string, Omit<RequestQuery, "limit">])[] = [
  ["list of all", {}],
  ["list of one key", { key: "team-7" }],
  ["list of failures", { failed: true }],
  ["list of one key's failures", { key: "team-7", failed: true }],
  ["list of a status that failed", { status: 429 }],
  ["list of a status that none has", { status: 599 }],
  ["list of one model", { model: "model-3" }],
  ["list of a model that none has", { model: "none" }],
  ["list of one tag", { tag: "project-7-3" }],
  ["list of models with a part", { patterns: { model: "*-3*" } }],
  ["list of slow requests", { minMs: 15_000 }],
  ["one ID", { id: "req_123456" }],
  ["IDs with a prefix", { idPrefix: "req_12345" }],
  ["IDs with a prefix of all", { idPrefix: "req_" }],
];

/** What is counted from the end of the month on, in as many steps as it has. */
const COUNTS: readonly (readonly [string, RequestFilter])[] = [
  ["count of a day", { from: START + MONTH_MS - DAY_MS }],
  ["count of the month", {}],
  ["count of the month of one key", { key: "team-7" }],
  ["count of the month's failures", { failed: true }],
  ["count of models with a part", { patterns: { model: "*-3*" } }],
  ["count of slow requests", { minMs: 15_000 }],
];

/** What is sorted by duration, in as many steps as it has. */
const SORTED: readonly (readonly [string, RequestFilter])[] = [
  ["sort of a day", { from: START + MONTH_MS - DAY_MS }],
  ["sort of the month", {}],
  ["sort of the month of one key", { key: "team-7" }],
  ["sort of models with a part", { patterns: { model: "*-3*" } }],
];

async function measure(name: string, store: UsageStore): Promise<void> {
  const began = performance.now();
  let batch = 0;
  for (const rows of batches()) await store.write(rows, `batch_${batch++}`);
  print(`${name}: ${ROWS} rows written in ${seconds(performance.now() - began)}`);
  // From noon to noon: the days in between come from sums by day, the ends from sums by hour.
  const range = { from: START + 43_200_000, to: START + MONTH_MS - 43_200_000 };
  for (const [what, groupBy, key] of REPORTS) {
    await time(
      `${name}: ${what}`,
      "groups",
      async () => (await store.summarize({ ...range, groupBy, key })).length,
    );
  }
  const before = { time: START + MONTH_MS / 2, row: 0 };
  for (const [what, query] of LISTS) {
    await time(
      `${name}: ${what}`,
      "requests",
      async () => (await store.list({ ...query, before, limit: 50 })).rows.length,
    );
  }
  for (const [what, filter] of COUNTS) await measureCount(`${name}: ${what}`, store, filter);
  for (const [what, filter] of SORTED) await measureSorted(`${name}: ${what}`, store, filter);
}

/** Sorts requests to the end, and prints the longest step. */
async function measureSorted(name: string, store: UsageStore, filter: RequestFilter) {
  const began = performance.now();
  const times: number[] = [];
  const limit = 200;
  let rows: LedgerRow[] = [];
  let before: RowPosition | undefined = { time: START + MONTH_MS, row: 0 };
  while (before !== undefined) {
    const start = performance.now();
    const last = rows.length < limit ? undefined : rows.at(-1)?.ms;
    const sort = { by: "ms" as const, isRising: false, before: last };
    const page: RequestPage = await store.list({ ...filter, before, limit, sort });
    rows = mergeSorted(rows, page.rows, sort, limit);
    times.push(performance.now() - start);
    before = page.next;
  }
  print(
    `${name.padEnd(40)} ${String(rows.length).padStart(7)} requests in ${times.length} steps, ` +
      `${(performance.now() - began).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(1)} ms`,
  );
}

/** Counts requests to the end, and prints the longest step, which is how long a write can wait. */
async function measureCount(name: string, store: UsageStore, filter: RequestFilter): Promise<void> {
  const began = performance.now();
  const times: number[] = [];
  let requests = 0;
  let before: RowPosition | undefined = { time: START + MONTH_MS, row: 0 };
  while (before !== undefined) {
    const start = performance.now();
    const { counts, next } = await store.count({ ...filter, before, step: DAY_MS / 2 });
    times.push(performance.now() - start);
    requests += counts.reduce((sum, count) => sum + count.requests, 0);
    before = next;
  }
  print(
    `${name.padEnd(40)} ${String(requests).padStart(7)} requests in ${times.length} steps, ` +
      `${(performance.now() - began).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(1)} ms`,
  );
}

/** Repeats a call that returns a number of results, and prints how long it takes. */
async function time(what: string, unit: string, run: () => Promise<number>): Promise<void> {
  const times: number[] = [];
  let results = 0;
  for (let index = 0; index < REPEATS; index++) {
    const start = performance.now();
    results = await run();
    times.push(performance.now() - start);
  }
  times.sort((one, other) => one - other);
  const [median = 0, slowest = 0] = [times[Math.floor(REPEATS / 2)], times.at(-1)];
  print(
    `${what.padEnd(40)} ${String(results).padStart(5)} ${unit}, ` +
      `median ${median.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms`,
  );
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(0)} s`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function measureSqlite(): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const store = new SqliteUsageStore(path);
  await measure("SQLite", store);
  await store.close();
  const all = (await Deno.stat(path)).size;
  const pruned = new SqliteUsageStore(path);
  while (await pruned.prune(START + 2 * MONTH_MS));
  await pruned.close();
  // A copy without free pages shows what is left: sums by day.
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path);
  database.exec("VACUUM");
  database.close();
  const left = (await Deno.stat(path)).size;
  print(
    `SQLite: ${megabytes(all)} with single requests and sums by hour; ${megabytes(left)} of sums ` +
      `by day, which is ${megabytes(left * 365 / DAYS)} a year`,
  );
  await Deno.remove(path);
}

await measureSqlite();
if (HAS_POSTGRES) {
  const store = new PostgresUsageStore(await emptyDatabase());
  await measure("PostgreSQL", store);
  await store.close();
  await stopPostgres();
}
