/** Lists of individual requests: what holds for every store of the ledger. */

import { assert, assertEquals } from "@std/assert";
import { pathOf, REQUEST_PATHS } from "../../src/governance/ledger/request_paths.ts";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import type { RequestFilter, UsageStore } from "../../src/governance/ledger/usage_store.ts";
import { Random } from "../support/random.ts";
import type { StoreTest } from "../support/store_kinds.ts";
import { ROW_TIME, usageRow, writeRows } from "../support/usage_rows.ts";

/** The tests. */
export const REQUEST_LISTS: StoreTest[] = [];

function add(what: string, run: StoreTest["run"]): void {
  REQUEST_LISTS.push({ what, run });
}

/** All requests of a query, page by page, and the number of pages. */
export async function listAll(
  store: UsageStore,
  query: RequestFilter,
  limit: number,
): Promise<{ rows: LedgerRow[]; pages: number }> {
  const rows: LedgerRow[] = [];
  let { before } = query;
  for (let pages = 1;; pages++) {
    const page = await store.list({ ...query, before, limit });
    assert(page.rows.length <= limit);
    rows.push(...page.rows);
    before = page.next;
    if (before === undefined) return { rows, pages };
  }
}

const ATTEMPTS = [
  {
    ...{ provider: "p", upstream: "m-1", startedMs: 0.5, ms: 20, status: 503, waitMs: 250 },
    ...{ error: "upstream_unavailable", cause: "host:443 refused \0 ␀ \ud800", next: "retry" },
  },
  { provider: "q'", upstream: "m-2", startedMs: 271, ms: 30, status: 200 },
];

const MOVED = [
  {
    ...{ provider: "p", upstream: "m-1", startedMs: 0.5, ms: 20, status: 503 },
    ...{ error: "upstream_unavailable", next: "next_target" },
  },
  { provider: "q", upstream: "m-2", startedMs: 21, ms: 30, status: 200 },
];

add("a request comes back as it was written", async (store) => {
  const prices = { input: 1, cachedInput: 0.1, cacheWrite: 3, cacheWriteHour: 4, output: 2 };
  const rows = [
    usageRow({ prices }),
    usageRow({ prices: { ...prices, long: true, tier: "flex" } }),
    usageRow({ prices }),
    usageRow({ attempts: 2, attemptRows: ATTEMPTS, tags: ["a", "b'", "␀"], firstTokenMs: 12.5 }),
    usageRow({
      ...{ key: undefined, model: undefined, provider: undefined, upstream: undefined },
      ...{ usd: undefined, prices: undefined, error: "invalid_api_key", status: 401, attempts: 0 },
    }),
    usageRow({ id: "nul\0", key: "k\0", model: "␀0", source: "estimated", format: "messages" }),
  ];
  await writeRows(store, rows);
  const { rows: found, next } = await store.list({ limit: 10 });
  assertEquals(next, undefined);
  assertEquals(found.toReversed().map(toPlain), rows.map(toPlain));
});

/** The row without members that are undefined. */
function toPlain(row: LedgerRow): unknown {
  return JSON.parse(JSON.stringify(row));
}

add("pages of any size and filter have each request once, newest first", async (store) => {
  const random = new Random(11);
  const rows = Array.from({ length: 4000 }, (_, index) =>
    usageRow({
      id: index === 0 ? LONG_ID : `req_${index}`,
      // Many requests end in the same millisecond, and rows are not written in order.
      time: ROW_TIME + random.below(900),
      key: ["a", "b", "c'", undefined][random.below(4)],
      model: ["m", "n", '"; --', undefined][random.below(4)],
      provider: random.pick(["p", "q", "100%_"]),
      ...{ ms: random.below(2000), usd: [undefined, 0, 0.25, 1.5][random.below(4)] },
      endUser: [undefined, "Anna"][random.below(2)],
      tags: random.pick([[], ["x"], ["x", "y"], ["#"]]),
      ...random.pick<Partial<LedgerRow>>([
        ...[{}, {}, { responseCache: "hit" }, { responseCache: "miss" }, { hedged: true }],
        ...[{ affinity: "hit" }, { affinity: "moved" }, { queuedMs: 5 }, { queuedMs: 0 }],
        ...[{ attemptRows: ATTEMPTS }, { attemptRows: MOVED }, { hedged: false }],
      ]),
      ...random.pick<Partial<LedgerRow>>([
        ...[{}, {}, {}, {}, { status: 500, error: "upstream_error" }],
        ...[{ status: 429, error: "rate_limit_exceeded" }, { error: "upstream_error" }],
        { status: 499, error: "client_closed_request" },
      ]),
    }));
  await writeRows(store, rows);
  const hasEnded = ({ status, error }: LedgerRow) => status < 400 && error === undefined;
  const isFailed = (row: LedgerRow) => row.status !== 499 && !hasEnded(row);
  const filters: (readonly [RequestFilter, (row: LedgerRow) => boolean])[] = [
    [{}, () => true],
    [{ key: "c'" }, ({ key }) => key === "c'"],
    [{ key: "none" }, () => false],
    [{ failed: true }, isFailed],
    [{ failed: false }, hasEnded],
    [{ key: "a", failed: true }, (row) => row.key === "a" && isFailed(row)],
    [{ status: 429 }, ({ status }) => status === 429],
    [{ status: 200, failed: true }, (row) => row.status === 200 && isFailed(row)],
    [{ model: '"; --' }, ({ model }) => model === '"; --'],
    [{ provider: "q", tag: "y" }, ({ provider, tags }) => provider === "q" && tags.includes("y")],
    [{ tag: "#", key: "b" }, ({ tags, key }) => tags.includes("#") && key === "b"],
    [{ id: "req_77" }, ({ id }) => id === "req_77"],
    [{ id: "req_77", key: "a" }, ({ id, key }) => id === "req_77" && key === "a"],
    [{ id: "req_" }, () => false],
    [{ id: LONG_ID }, ({ id }) => id === LONG_ID],
    [{ id: `${LONG_ID}x` }, () => false],
    [{ idPrefix: LONG_ID.slice(0, 300) }, ({ id }) => id === LONG_ID],
    [{ idPrefix: "req_29" }, ({ id }) => id.startsWith("req_29")],
    [{ idPrefix: "req_29", failed: true }, (row) => row.id.startsWith("req_29") && isFailed(row)],
    // More than are looked up by their IDs.
    [{ idPrefix: "req_3" }, ({ id }) => id.startsWith("req_3")],
    [{ idPrefix: "Req_3" }, () => false],
    [{ idPrefix: "req%" }, () => false],
    [{ from: ROW_TIME + 300 }, ({ time }) => time >= ROW_TIME + 300],
    [{ to: ROW_TIME + 300 }, ({ time }) => time < ROW_TIME + 300],
    [
      { from: ROW_TIME + 100, to: ROW_TIME + 101, key: "a" },
      ({ key, time }) => time === ROW_TIME + 100 && key === "a",
    ],
    [{ minMs: 1500 }, ({ ms }) => ms >= 1500],
    ...REQUEST_PATHS.map((path) =>
      [{ path }, (row: LedgerRow) => pathOf(row).includes(path)] as const
    ),
    [{ path: "retry", failed: true }, (row) => row.attemptRows === ATTEMPTS && isFailed(row)],
    [{ path: "fallback" }, (row) => row.attemptRows === MOVED && hasEnded(row)],
    [{ path: "sticky", key: "a" }, ({ affinity, key }) => affinity === "hit" && key === "a"],
    [{ path: "queued" }, ({ queuedMs = 0 }) => queuedMs > 0],
    [{ minUsd: 0.25 }, ({ usd }) => usd !== undefined && usd >= 0.25],
    [{ patterns: { model: "M*" } }, ({ model }) => model === "m"],
    [{ patterns: { model: "*; *-" } }, ({ model }) => model === '"; --'],
    [{ patterns: { model: "*" } }, ({ model }) => model !== undefined],
    [{ patterns: { provider: "1*0%_" } }, ({ provider }) => provider === "100%_"],
    [{ patterns: { provider: "%*" } }, () => false],
    [{ patterns: { provider: "1*0*0*0%_" } }, () => false],
    [{ patterns: { key: "*'" } }, ({ key }) => key === "c'"],
    [{ patterns: { tag: "*Y" } }, ({ tags }) => tags.includes("y")],
    [{ patterns: { endUser: "an*na" } }, ({ endUser }) => endUser !== undefined],
    [{ patterns: { endUser: "an*nna" } }, () => false],
  ];
  for (const [index, [filter, isIn]] of filters.entries()) {
    for (const limit of index < 12 ? [200, 37] : [200]) {
      const { rows: found } = await listAll(store, filter, limit);
      assertEquals(new Set(found.map(({ id }) => id)).size, found.length);
      assertEquals(
        found.map(({ id }) => id).sort(),
        rows.filter(isIn).map(({ id }) => id).sort(),
        JSON.stringify(filter),
      );
      const times = found.map(({ time }) => time);
      assertEquals(times, times.toSorted((one, other) => other - one));
    }
    assertEquals(await countAll(store, filter), expectedCounts(rows.filter(isIn)));
  }
});

/** An ID that is longer than the part of it in an index. */
const LONG_ID = "\u{1f600}x".repeat(200);
/** The interval of the counts in milliseconds; not a divisor of the time of the rows. */
const STEP = 70;

/** The counts of all steps: the start of each interval, its requests, and those that failed. */
async function countAll(store: UsageStore, filter: RequestFilter): Promise<number[][]> {
  const sums = new Map<number, number[]>();
  let { before } = filter;
  do {
    const { counts, next } = await store.count({ ...filter, before, step: STEP });
    for (const { start, requests, errors } of counts) {
      const [, sum = 0, failed = 0] = sums.get(start) ?? [];
      sums.set(start, [start, sum + requests, failed + errors]);
    }
    before = next;
  } while (before !== undefined);
  return [...sums.values()].sort(([one = 0], [other = 0]) => one - other);
}

function expectedCounts(rows: readonly LedgerRow[]): number[][] {
  const byStart = Map.groupBy(rows, ({ time }) => Math.floor(time / STEP) * STEP);
  return [...byStart].sort(([one], [other]) => one - other).map(([start, own]) => [
    start,
    own.length,
    own.filter(({ error, status }) => status !== 499 && (status >= 400 || error !== undefined))
      .length,
  ]);
}

add("a filter is a value, whatever its text is", async (store) => {
  await writeRows(store, [usageRow({ tags: ["t"] })]);
  for (
    const text of [
      "' OR 1=1 --",
      "m' OR 'a'='a",
      '"',
      "%",
      "_",
      "*",
      "\\",
      "\0",
      "{t}",
      "$1",
      "?",
      "NULL",
      "",
      "\ud800",
      "x".repeat(100_000),
    ]
  ) {
    for (const name of ["id", "key", "model", "provider", "tag"] as const) {
      const { rows, next } = await store.list({ [name]: text, limit: 5 });
      assertEquals([rows.length, next], [0, undefined], `${name} ${text.slice(0, 20)}`);
    }
  }
  assertEquals((await store.list({ tag: "t", limit: 1 })).rows.length, 1);
});

add("positions of any size are taken", async (store) => {
  await writeRows(store, [usageRow(), usageRow()]);
  const max = 999_999_999_999_999;
  // No database has later times than this one.
  for (const time of [0, ROW_TIME, 253_402_300_799_999]) {
    for (const row of [0, 1, max]) {
      const { rows } = await store.list({ before: { time, row }, limit: 5 });
      if (time !== ROW_TIME) assertEquals(rows.length, time === 0 ? 0 : 2);
    }
  }
});
