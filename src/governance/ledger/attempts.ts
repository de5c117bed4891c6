/** The attempts of a request, and the failures that count against the target. */

import { ERROR_KINDS, type ErrorKind } from "../../core/errors.ts";
import type { AttemptRow, UsageSource } from "./attempt_row.ts";

/** The row members that describe its attempts. */
export interface AttemptedRow {
  readonly provider?: string | undefined;
  readonly upstream?: string | undefined;
  readonly status: number;
  readonly error?: string | undefined;
  readonly attempts: number;
  readonly attemptRows?: readonly AttemptRow[] | undefined;
  readonly ms: number;
  readonly input: number;
  readonly output: number;
  readonly source: UsageSource;
  readonly usd?: number | undefined;
}

/**
 * The attempts of a request. A single successful attempt is not stored, since the request's row has
 * its times.
 */
export function attemptsOf(row: AttemptedRow): readonly AttemptRow[] {
  const { attemptRows, attempts, error, ms, provider = "", status, upstream = "" } = row;
  const { input, output, source, usd } = row;
  const known = attemptRows ??
    (attempts === 0
      ? []
      : [{ provider, upstream, startedMs: 0, ms, status, error, input, output, source, usd }]);
  const last = known.at(-1);
  // A stream that breaks after its first event counts as a failure, although its attempt has
  // answered.
  const isBroken = last !== undefined && last.error === undefined && error !== undefined;
  return isBroken ? [...known.slice(0, -1), { ...last, error }] : known;
}

/** Failures that the request or its client causes, regardless of the target. */
const OF_CALLERS: ReadonlySet<string> = new Set([
  ...["context_length", "context_length_exceeded", "content_filter", "client_gone", "abandoned"],
  "model_limit_exceeded",
]);

/** Whether a failed attempt counts against the target. */
export function isTargetFailure({ error, status }: AttemptRow): boolean {
  // The pass-through returns a vendor's error unchanged.
  if (error === undefined) return status >= 500 || status === 429;
  if (OF_CALLERS.has(error)) return false;
  const kind = Object.hasOwn(ERROR_KINDS, error) ? ERROR_KINDS[error as ErrorKind] : undefined;
  return kind === undefined ? status >= 500 : kind.failureClass !== null;
}

/** Whether a target failed in one of the stored attempts. */
export function hasFailedAttempt(
  { attemptRows }: Pick<AttemptedRow, "attemptRows">,
): boolean {
  return attemptRows?.some(isTargetFailure) ?? false;
}

/**
 * The cost of an attempt whose answer was not used, in US dollars.
 *
 * @param usd the cost of its request; undefined if any attempt's price is unknown
 */
export function unusedUsd(attempt: AttemptRow, usd: number | undefined): number {
  return attempt.error === undefined || usd === undefined ? 0 : attempt.usd ?? 0;
}
