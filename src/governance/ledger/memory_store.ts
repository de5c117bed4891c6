/** The last requests in memory: the store for a gateway without a database. */

import { billedElsewhere } from "./attempt_sums.ts";
import { attemptsOf } from "./attempts.ts";
import { isLabel, LabelBounds, type LabelName, LABELS } from "./labels.ts";
import { PATH_CONDITIONS } from "./request_paths.ts";
import { mergeSorted, toAsciiLowerCase } from "./request_sorts.ts";
import { type LedgerRow, STOPPED } from "./row.ts";
import { TimeSlice } from "../../core/clock.ts";
import { GroupSums, groupValue, namesOf, toName } from "./summary.ts";
import {
  BATCH_ROWS,
  PATTERN_MEMBERS,
  type RequestCountQuery,
  type RequestCounts,
  type RequestFilter,
  type RequestPage,
  type RequestQuery,
  type RowPosition,
  type UsageQuery,
  type UsageStore,
  type UsageSummary,
} from "./usage_store.ts";

/** The members that are compared for equality. */
const EXACT = ["id", "key", "model", "provider", "session", "endUser", "status"] as const;

/** Returns a function that checks whether a row matches the filter, ignoring positions. */
function toRowTest(filter: RequestFilter): (row: LedgerRow) => boolean {
  const { failed, from, hasAttempts, idPrefix, minMs, minUsd, path, tag, to } = filter;
  const exact = EXACT.filter((member) => filter[member] !== undefined);
  const patterns = PATTERN_MEMBERS.flatMap((member) => {
    const pattern = filter.patterns?.[member];
    return pattern === undefined ? [] : [{ member, matches: toPatternTest(pattern) }];
  });
  return (row) =>
    (from === undefined || row.time >= from) && (to === undefined || row.time < to) &&
    exact.every((member) => row[member] === filter[member]) &&
    (idPrefix === undefined || row.id.startsWith(idPrefix)) &&
    (failed === undefined || isFailed(row) === failed) &&
    (hasAttempts !== true || row.attemptRows !== undefined) &&
    (minMs === undefined || row.ms >= minMs) &&
    (minUsd === undefined || (row.usd !== undefined && row.usd >= minUsd)) &&
    (path === undefined || PATH_CONDITIONS[path].holds(row)) &&
    (tag === undefined || row.tags.includes(tag)) &&
    patterns.every(({ member, matches }) =>
      member === "tag" ? row.tags.some(matches) : matches(row[member])
    );
}

/** Undefined for a request that the client aborted, which neither failed nor succeeded. */
function isFailed(
  { error, status }: Pick<LedgerRow, "error" | "status">,
): boolean | undefined {
  return status === STOPPED ? undefined : status >= 400 || error !== undefined;
}

/** Returns a function that checks whether a text matches a pattern; `*` matches any characters. */
function toPatternTest(pattern: string): (text: string | undefined) => boolean {
  const [first = "", ...others] = toAsciiLowerCase(pattern).split("*");
  const last = others.pop();
  return (text) => {
    if (text === undefined) return false;
    const lower = toAsciiLowerCase(text);
    if (last === undefined) return lower === first;
    if (!lower.startsWith(first)) return false;
    // Matching each part at its earliest position leaves the most text for the others.
    let at = first.length;
    for (const part of others) {
      const found = lower.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return lower.length - last.length >= at && lower.endsWith(last);
  };
}

/** The maximum number of rows. */
const MAX_ROWS = 10_000;

export class MemoryUsageStore implements UsageStore {
  readonly name = "memory";
  readonly maxBatchRows = BATCH_ROWS;
  /** A ring buffer: the oldest row is replaced first. */
  readonly #rows: LedgerRow[] = [];
  /** The total number of rows written. */
  #written = 0;

  write(rows: readonly LedgerRow[]): Promise<void> {
    for (const row of rows) this.#rows[this.#written++ % MAX_ROWS] = row;
    return Promise.resolve();
  }

  async summarize(
    query: UsageQuery,
  ): Promise<readonly UsageSummary[]> {
    const { from, to, groupBy, zone = [], limit = Infinity, of, offset = 0 } = query;
    const slice = new TimeSlice();
    const bounds = new LabelBounds();
    const groups = new Map<string, { group: (string | null)[]; sums: GroupSums }>();
    const sumsOf = (group: (string | null)[]) => {
      const id = JSON.stringify(group);
      let entry = groups.get(id);
      if (entry === undefined) groups.set(id, entry = { group, sums: new GroupSums() });
      return entry.sums;
    };
    // A copy, because rows may be written in the meantime.
    for (const row of [...this.#rows]) {
      if (slice.isOver) await slice.next();
      if (row.time < from || row.time >= to) continue;
      if (of !== "attempts") {
        addShares(row, query, bounds, sumsOf);
        continue;
      }
      if (query.key !== undefined && row.key !== query.key) continue;
      const hasSucceeded = row.status < 400 && row.error === undefined;
      for (const attempt of attemptsOf(row)) {
        const { provider, upstream: model } = attempt;
        const counted = { ...row, provider, model, status: 200 };
        const group = groupBy.map((name) => isLabel(name) ? null : groupValue(name, counted, zone));
        sumsOf(group).addAttempt(attempt, hasSucceeded);
      }
    }
    const found = [...groups.values()];
    const page = limit === Infinity ? found : found.slice(offset, offset + limit);
    const summaries: UsageSummary[] = [];
    for (const { group, sums } of page) {
      if (slice.isOver) await slice.next();
      summaries.push(sums.toSummary(group));
    }
    return summaries;
  }

  list(query: RequestQuery): Promise<RequestPage> {
    const { limit, sort } = query;
    const found = [...this.#matching(query)];
    if (sort !== undefined) {
      const rows = found.reverse().map(({ entry }) => entry);
      return Promise.resolve({ rows: mergeSorted([], rows, sort, limit), next: undefined });
    }
    // Rows from several threads are not in order.
    found.sort((one, other) => other.time - one.time || other.row - one.row);
    const last = found.length > limit ? found[limit - 1] : undefined;
    return Promise.resolve({
      rows: found.slice(0, limit).map(({ entry }) => entry),
      next: last && { time: last.time, row: last.row },
    });
  }

  count(query: RequestCountQuery): Promise<RequestCounts> {
    const counts = new Map<number, { start: number; requests: number; errors: number }>();
    for (const { time, entry } of this.#matching(query)) {
      const start = Math.floor(time / query.step) * query.step;
      let count = counts.get(start);
      if (count === undefined) counts.set(start, count = { start, requests: 0, errors: 0 });
      count.requests++;
      if (isFailed(entry) === true) count.errors++;
    }
    return Promise.resolve({ counts: [...counts.values()], next: undefined });
  }

  /**
   * The rows that match a filter, with their positions, in the order in which they were written.
   */
  *#matching(filter: RequestFilter): Iterable<RowPosition & { readonly entry: LedgerRow }> {
    const { before } = filter;
    const matches = toRowTest(filter);
    for (let row = Math.max(0, this.#written - MAX_ROWS); row < this.#written; row++) {
      const entry = this.#rows[row % MAX_ROWS];
      if (entry === undefined) continue;
      const { time } = entry;
      if (before !== undefined && (time - before.time || row - before.row) >= 0) continue;
      if (matches(entry)) yield { time, row, entry };
    }
  }

  /** Rows are limited by number, not by age. */
  prune(): Promise<boolean> {
    return Promise.resolve(false);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Adds a row to its groups, and other providers' charges to their groups. */
function addShares(
  row: LedgerRow,
  query: UsageQuery,
  bounds: LabelBounds,
  sumsOf: (group: (string | null)[]) => GroupSums,
): void {
  const isOwn = hasNames(row, query);
  const groups = isOwn ? groupsOf(row, query, bounds) : [];
  for (const group of groups) sumsOf(group).addRow(row);
  if (query.provider === undefined && !query.groupBy.includes("provider")) return;
  for (const { provider, amounts } of billedElsewhere(row)) {
    const share = { ...row, provider };
    const others = hasNames(share, query) ? groupsOf(share, query, bounds) : [];
    for (const group of groups) sumsOf(group).moveTo(new GroupSums(), amounts);
    for (const group of others) new GroupSums().moveTo(sumsOf(group), amounts);
  }
}

/** Whether a row matches the names in a query. */
function hasNames(row: LedgerRow, query: UsageQuery): boolean {
  const { key, team, owner, model, provider } = query;
  const names = namesOf(row);
  return (key === undefined || row.key === key) &&
    (team === undefined || row.team === team) && (owner === undefined || row.owner === owner) &&
    (model === undefined || names.model === toName(model)) &&
    (provider === undefined || names.provider === toName(provider));
}

/**
 * A row's groups: one for each of its labels if grouped by label, otherwise one; none if it lacks
 * the query's label.
 */
function groupsOf(
  row: LedgerRow,
  { zone = [], groupBy, label: wanted }: UsageQuery,
  bounds: LabelBounds,
): (string | null)[][] {
  const name = wanted?.kind ?? groupBy.find(isLabel);
  const all = name === undefined ? [null] : labelsOf(name, row, bounds);
  const labels = wanted === undefined ? all : all.filter((label) => label === wanted.label);
  return labels.map((label) =>
    groupBy.map((group) => isLabel(group) ? label : groupValue(group, row, zone))
  );
}

function labelsOf(
  name: LabelName,
  row: LedgerRow,
  bounds: LabelBounds,
): readonly (string | null)[] {
  const labels = [...new Set(bounds.labelsOf(name, row))];
  return labels.length === 0 && LABELS[name].countsOthers ? [null] : labels;
}
