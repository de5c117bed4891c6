/** Converts the record of a request to a row of the ledger. */

import { pricesOf, toUsd } from "../governance/cost.ts";
import type { AttemptRow } from "../governance/ledger/attempt_row.ts";
import type { LedgerRow } from "../governance/ledger/row.ts";
import type { SkipReason } from "../routing/next_step.ts";
import type { AttemptRecord } from "../routing/attempt_records.ts";
import { microUsdUsedBy, type RequestRecord, toBilled } from "../routing/request_record.ts";
import { ERROR_KINDS, type ErrorKind } from "../core/errors.ts";
import { toCount } from "../core/json/values.ts";
import type { EndedRequest } from "./record_queue.ts";

/** The row of a request; undefined for requests that neither ask a model nor pass through. */
export function toLedgerRow({ record, at, time }: EndedRequest): LedgerRow | undefined {
  if (!record.asksModel && record.passed === undefined) return undefined;
  const { error, firstTokenAt, reached, startedAt } = record;
  const { usage, source, settled } = record.used;
  const billed = usage && toBilled(record, settled?.usage ?? usage);
  return {
    time,
    id: record.id,
    key: record.key,
    tags: record.tags,
    // An alias with a `*` has any number of names: each would be a group of its own in reports.
    model: record.alias ?? record.model,
    provider: reached?.provider,
    upstream: reached?.upstream,
    format: record.passed === undefined ? record.format.name : "passthrough",
    status: record.status,
    error: error?.code ?? error?.kind,
    attempts: record.attempts,
    attemptRows: toAttemptRows(record),
    input: usage?.prompt_tokens ?? 0,
    cachedInput: toCount(usage?.prompt_tokens_details?.cached_tokens),
    cacheWrite: toCount(usage?.prompt_tokens_details?.cache_write_tokens),
    output: usage?.completion_tokens ?? 0,
    reasoning: toCount(usage?.completion_tokens_details?.reasoning_tokens),
    source,
    usd: toUsd(microUsdUsedBy(record)),
    prices: billed && pricesOf(billed),
    ms: Math.max(0, at - startedAt),
    ...record.columns,
    firstTokenMs: firstTokenAt === undefined ? undefined : Math.max(0, firstTokenAt - startedAt),
  };
}

/** The maximum number of attempts that a row describes: the first ones, and the last one. */
const MAX_ATTEMPTS = 20;
/** The longest text of an attempt, in UTF-16 units. */
const MAX_CHARS = 200;

/** The attempts, unless a single one answered: the row describes that one. */
function toAttemptRows(record: RequestRecord): readonly AttemptRow[] | undefined {
  const { attemptRecords: attempts, error, passed, startedAt } = record;
  if (passed !== undefined) {
    const rows = attempts.slice(-MAX_ATTEMPTS).map((attempt) => toAttemptRow(attempt, startedAt));
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
  if (attempts.length === 0 || (attempts.length === 1 && error === undefined)) return undefined;
  const kept = attempts.length > MAX_ATTEMPTS
    ? [...attempts.slice(0, MAX_ATTEMPTS - 1), ...attempts.slice(-1)]
    : attempts;
  return kept.map((attempt) => toAttemptRow(attempt, startedAt));
}

function toAttemptRow(
  { provider, upstream, began, ms, outcome, next, cause }: AttemptRecord,
  startedAt: number,
): AttemptRow {
  const isDone = outcome === "done";
  const reason = next?.type === "give_up" || next?.type === "next_target" ? next.reason : undefined;
  const wait = next?.type === "retry" ? next.waitMs : waitOf(reason);
  return {
    provider: provider.slice(0, MAX_CHARS),
    upstream: upstream.slice(0, MAX_CHARS),
    startedMs: toTenths(began - startedAt),
    ms: toTenths(ms),
    error: isDone ? undefined : outcome,
    status: isDone ? 200 : ERROR_KINDS[outcome as ErrorKind].status,
    cause: cause?.slice(0, MAX_CHARS),
    next: next?.type,
    reason: reason?.type,
    waitMs: wait && Math.round(wait),
  };
}

function waitOf(reason: SkipReason | undefined): number | undefined {
  return reason?.type === "wait_too_long" ? reason.waitMs : undefined;
}

function toTenths(ms: number): number {
  return Math.max(0, Math.round(ms * 10) / 10);
}
