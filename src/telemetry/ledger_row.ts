/** Converts a request's record to a ledger row, with its savings. */

import type { AttemptRow } from "../governance/ledger/attempt_row.ts";
import { type LedgerRow, STOPPED } from "../governance/ledger/row.ts";
import type { RequestRecord } from "../gateway/request_record.ts";
import { toBilled, usedBy } from "../gateway/attempt_usage.ts";
import { type AttemptRecord, AttemptState, type SkipReason } from "../gateway/attempt_state.ts";
import { ERROR_KINDS, type ErrorKind } from "../core/errors.ts";
import { UNITS } from "../core/units.ts";
import { costOfWrites, microUsdOf, savedByCache, toUsd } from "../governance/cost.ts";
import { lostToHedge } from "../features/hedging/hedge_reserve.ts";

/** The columns with a request's savings and costs. */
type Savings = Pick<
  LedgerRow,
  | "savedUsd"
  | "cacheWriteUsd"
  | "responseCache"
  | "hedgeUsd"
  | "priceOrdered"
  | "priceOrderUsd"
>;

/** A request's row; undefined for requests that are neither sent to a model nor passed through. */
export function toLedgerRow(record: RequestRecord): LedgerRow | undefined {
  const { attempt, attemptRecords, endTime: time, error, ledgerFormat, passed, startedAt } = record;
  if (ledgerFormat === "") return undefined;
  const { counts, source, usage, usd } = record.used;
  const firstTokenAt = attempt?.firstTokenAt;
  const hasAttemptRows = attemptRecords.length > 1 || error !== undefined ||
    passed !== undefined || attemptRecords[0]?.corrections !== undefined;
  const hasSavings = counts.cached + counts.written > 0 || record.cache !== undefined ||
    record.columns.hedged === true || record.routeNotes?.priceOrders !== undefined;
  const isStopped = record.outcome === "client_gone";
  return {
    time,
    id: record.id,
    key: record.key,
    team: record.serviceKey?.team,
    owner: record.serviceKey?.owner,
    tags: record.tags,
    // An alias with a `*` matches any number of names, each of which would be a separate group in
    // reports.
    model: record.alias ?? record.model,
    provider: attempt?.provider,
    upstream: attempt?.upstream,
    format: ledgerFormat,
    // A stream that its client aborts has status 200.
    status: isStopped ? STOPPED : record.status,
    error: error?.code ?? error?.kind ?? (isStopped ? "client_gone" : undefined),
    attempts: record.requests,
    // A single attempt that answered at once is described by the row itself.
    attemptRows: hasAttemptRows ? toAttemptRows(record) : undefined,
    input: counts.input,
    cachedInput: counts.cached,
    cacheWrite: counts.written,
    output: counts.output,
    reasoning: counts.reasoning,
    ...usage?.[UNITS],
    source,
    usd,
    // The prices at the target that answered.
    prices: attempt?.used?.prices,
    ms: Math.max(0, record.endedAt - startedAt),
    ...record.columns,
    ...(hasSavings && savingsOf(record)),
    firstTokenMs: firstTokenAt === undefined ? undefined : Math.max(0, firstTokenAt - startedAt),
  };
}

/** The maximum number of attempts that a row describes: the first ones, and the last one. */
const MAX_ATTEMPTS = 20;
/** The maximum length of an attempt's text, in UTF-16 units. */
const MAX_CHARS = 200;

/** The attempts; undefined if there were none. */
function toAttemptRows(record: RequestRecord): readonly AttemptRow[] | undefined {
  const { attemptRecords: attempts, passed } = record;
  if (passed !== undefined) {
    const rows = attempts.slice(-MAX_ATTEMPTS).map((attempt) => toAttemptRow(attempt, record));
    const { sent: sentBytes, received: receivedBytes } = passed;
    return rows.map((row, index) =>
      index < rows.length - 1 ? row : {
        ...row,
        status: row.error === undefined ? record.status : row.status,
        sentBytes,
        receivedBytes,
      }
    );
  }
  if (attempts.length === 0) return undefined;
  const kept = attempts.length > MAX_ATTEMPTS
    ? [...attempts.slice(0, MAX_ATTEMPTS - 1), ...attempts.slice(-1)]
    : attempts;
  return kept.map((attempt) => toAttemptRow(attempt, record));
}

function toAttemptRow(attempt: AttemptRecord, record: RequestRecord): AttemptRow {
  const { provider, upstream, began, ms, outcome, next, cause } = attempt;
  const isDone = outcome === "done";
  const reason = next?.type === "give_up" || next?.type === "next_target" ? next.reason : undefined;
  const wait = next?.type === "retry" ? next.waitMs : waitOf(reason);
  return {
    provider: provider.slice(0, MAX_CHARS),
    upstream: upstream.slice(0, MAX_CHARS),
    startedMs: toTenths(began - record.startedAt),
    ms: toTenths(ms),
    error: isDone ? undefined : outcome,
    status: isDone ? 200 : outcome === "abandoned" ? 499 : ERROR_KINDS[outcome as ErrorKind].status,
    cause: cause?.slice(0, MAX_CHARS),
    next: next?.type,
    reason: reason?.type,
    waitMs: wait && Math.round(wait),
    ...(attempt.isHedge && { hedge: true }),
    ...correctionsOf(attempt),
    ...(attempt instanceof AttemptState && toCost(attempt, record)),
  };
}

/** The changes between an attempt's requests; undefined if there are none. */
function correctionsOf(
  { corrections: repairs }: AttemptRecord,
): Pick<AttemptRow, "corrections"> | undefined {
  if (repairs === undefined) return undefined;
  const corrections = repairs.map((repair) => {
    const { without, as } = "rewrite" in repair ? { without: repair.rewrite.name } : repair;
    return {
      fields: [without].flat().map((field) => field.slice(0, MAX_CHARS)),
      ...(as !== undefined && { as: as.slice(0, MAX_CHARS) }),
    };
  });
  return { corrections };
}

/** An attempt's billed usage; undefined if there is none. */
function toCost(attempt: AttemptState, record: RequestRecord): Partial<AttemptRow> | undefined {
  const { counts, source, usage, usd } = usedBy(attempt, record);
  if (usage === undefined) return undefined;
  return {
    input: counts.input,
    output: counts.output,
    cachedInput: counts.cached || undefined,
    cacheWrite: counts.written || undefined,
    reasoning: counts.reasoning || undefined,
    usd,
    source,
  };
}

function waitOf(reason: SkipReason | undefined): number | undefined {
  return reason?.type === "wait_too_long" ? reason.waitMs : undefined;
}

function toTenths(ms: number): number {
  return Math.max(0, Math.round(ms * 10) / 10);
}

/** The savings from a request that has ended. Undefined amounts are unknown or do not apply. */
function savingsOf(record: RequestRecord): Savings {
  const { attempt, cache: responseCache, columns } = record;
  const usage = attempt?.used?.usage;
  const billed = attempt && usage && toBilled(attempt, usage);
  const saved = billed && savedByCache(billed);
  return {
    savedUsd: saved === undefined
      ? columns.savedUsd
      : (columns.savedUsd ?? 0) + (toUsd(saved) ?? 0),
    cacheWriteUsd: toUsd(billed && costOfWrites(billed)),
    responseCache,
    hedgeUsd: columns.hedged === true ? toUsd(costOfHedge(record)) : undefined,
    ...priceOrderOf(record),
  };
}

/** Millionths of a US dollar; undefined if a price is unknown. */
function costOfHedge(record: RequestRecord): number | undefined {
  let sum = 0;
  for (const attempt of lostToHedge(record)) {
    const { microUsd } = usedBy(attempt, record);
    if (microUsd === undefined) return undefined;
    sum += microUsd;
  }
  return sum;
}

/**
 * Compares the target that answered with the one that would be called without ordering by price.
 */
function priceOrderOf(
  record: RequestRecord,
): Pick<Savings, "priceOrdered" | "priceOrderUsd"> | undefined {
  const { attempt, routeNotes } = record;
  const priceOrders = routeNotes?.priceOrders;
  if (priceOrders === undefined || !attempt?.hasAnswered) return undefined;
  const group = priceOrders.find((targets) =>
    targets.some(({ target }) => target === attempt.target)
  );
  const first = group?.[0];
  if (first === undefined) return undefined;
  const { usage } = usedBy(attempt, record);
  if (usage === undefined) return { priceOrdered: true, priceOrderUsd: 0 };
  const billed = toBilled(attempt, usage);
  const cost = microUsdOf(billed);
  const typical = first.target === attempt.target
    ? cost
    : microUsdOf({ ...billed, prices: first.target.model.facts.prices });
  const saved = cost === undefined || typical === undefined ? undefined : typical - cost;
  return { priceOrdered: true, priceOrderUsd: toUsd(saved) };
}
