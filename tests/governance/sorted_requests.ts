/** Sorted lists of individual requests: what holds for every store of the ledger. */

import { assertEquals } from "@std/assert";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import {
  mergeSorted,
  type RequestSort,
  type SortName,
  sortValueOf,
} from "../../src/governance/ledger/request_sorts.ts";
import type {
  RequestFilter,
  RowPosition,
  UsageStore,
} from "../../src/governance/ledger/usage_store.ts";
import { Random } from "../support/random.ts";
import type { StoreTest } from "../support/store_kinds.ts";
import { ROW_TIME, usageRow, writeRows } from "../support/usage_rows.ts";

/** Enough rows for two steps. */
const ROWS = 12_000;
const LIMIT = 40;

/** In their order: small and large letters are equal, and code points count. */
const MODELS = ["a-m", "A-n", "b", "B0", "é", "\u{ffee}", "\u{1f600}"];

/** Rows with random numbers, the same in each run. */
export function toRows(): LedgerRow[] {
  const random = new Random(5);
  return Array.from({ length: ROWS }, (_, index) =>
    usageRow({
      id: `req_${index}`,
      time: ROW_TIME + index,
      key: ["a", "b"][random.below(2)],
      model: MODELS[random.below(MODELS.length)],
      provider: [undefined, "east", "West"][random.below(3)],
      status: random.below(2) === 0 ? 200 : 429,
      queuedMs: [undefined, 5][random.below(2)],
      affinity: ([undefined, "hit"] as const)[random.below(2)],
      // Many are equal.
      ms: random.below(500) / 4,
      usd: [undefined, random.below(1000) / 1e6][random.below(2)],
      firstTokenMs: [undefined, random.below(50)][random.below(2)],
      input: random.below(100_000),
      output: random.below(300),
      attempts: 1 + random.below(3),
    }));
}

/** Sorts all requests of a filter, as a route does. Returns the number of pages, too. */
export async function sortAll(
  store: UsageStore,
  filter: RequestFilter,
  sort: RequestSort,
): Promise<{ rows: LedgerRow[]; pages: number }> {
  let rows: LedgerRow[] = [];
  let before: RowPosition | undefined;
  for (let pages = 1;; pages++) {
    const last = rows.length < LIMIT ? undefined : rows.at(-1);
    const page = await store.list({
      ...{ ...filter, before, limit: LIMIT },
      sort: { ...sort, before: last && sortValueOf(last, sort) },
    });
    rows = mergeSorted(rows, page.rows, sort, LIMIT);
    before = page.next;
    if (before === undefined) return { rows, pages };
  }
}

const SORTS: readonly RequestSort[] = [
  { by: "ms", isRising: false },
  { by: "ms", isRising: true },
  { by: "cost_usd", isRising: false },
  { by: "cost_usd", isRising: true },
  { by: "first_token_ms", isRising: true },
  { by: "first_token_ms", isRising: false },
  { by: "input_tokens", isRising: false },
  { by: "output_tokens", isRising: false },
  { by: "attempt_count", isRising: false },
  { by: "time", isRising: true },
  { by: "status", isRising: false },
  { by: "model", isRising: true },
  { by: "model", isRising: false },
  { by: "provider", isRising: true },
  { by: "key", isRising: true },
  { by: "path", isRising: true },
];

/** The place of a request in each order; undefined if it is not in it. */
const RANKS: Readonly<Record<SortName, (row: LedgerRow) => number | undefined>> = {
  time: ({ time }) => time,
  status: ({ status }) => status,
  model: ({ model = "" }) => MODELS.indexOf(model),
  provider: ({ provider }) => provider === undefined ? undefined : Number(provider === "West"),
  key: ({ key }) => Number(key === "b"),
  path: ({ affinity, queuedMs }) =>
    queuedMs === undefined ? affinity === undefined ? undefined : 1 : 0,
  ms: ({ ms }) => ms,
  cost_usd: ({ usd }) => usd,
  input_tokens: ({ input }) => input,
  output_tokens: ({ output }) => output,
  first_token_ms: ({ firstTokenMs }) => firstTokenMs,
  attempt_count: ({ attempts }) => attempts,
};

const FILTERS: readonly (readonly [RequestFilter, (row: LedgerRow) => boolean])[] = [
  [{}, () => true],
  [{ key: "b" }, ({ key }) => key === "b"],
  [
    { model: "b", from: ROW_TIME + 100, to: ROW_TIME + 11_000 },
    ({ model, time }) => model === "b" && time >= ROW_TIME + 100 && time < ROW_TIME + 11_000,
  ],
  [{ idPrefix: "req_117" }, ({ id }) => id.startsWith("req_117")],
  [{ key: "none" }, () => false],
];

/** The tests. */
export const SORTED_REQUESTS: readonly StoreTest[] = [{
  what: "requests are sorted by each column, whatever the filter",
  async run(store, kind) {
    const all = toRows();
    await writeRows(store, all);
    // The store in memory keeps the newest.
    const rows = kind === "memory" ? all.slice(-10_000) : all;
    for (const [index, [filter, isIn]] of FILTERS.entries()) {
      // Each order without a filter, and each filter with two of them.
      for (const sort of index === 0 ? SORTS : SORTS.slice(index, index + 2)) {
        const rankOf = RANKS[sort.by];
        const expected = rows.filter(isIn).filter((row) => rankOf(row) !== undefined)
          .sort((one, other) =>
            (sort.isRising ? 1 : -1) * (Number(rankOf(one)) - Number(rankOf(other))) ||
            other.time - one.time
          ).slice(0, LIMIT);
        const { rows: found } = await sortAll(store, filter, sort);
        const what = JSON.stringify([filter, sort]);
        assertEquals(found.map(({ id }) => id), expected.map(({ id }) => id), what);
      }
    }
  },
}];
