/**
 * A request's path, as words that describe how it was answered. The table works for rows in memory
 * and for databases.
 */

import type { AttemptRow } from "./attempt_row.ts";
import type { LedgerRow } from "./row.ts";

/** The words, in the order in which they are shown. */
export const REQUEST_PATHS = ["cache", "hedge", "fallback", "retry", "queued", "sticky"] as const;
export type RequestPath = (typeof REQUEST_PATHS)[number];

interface Condition {
  /** The same condition in SQL. The attempts are JSON. */
  readonly sql: string;
  readonly holds: (row: LedgerRow) => boolean;
}

/** The stored step after an attempt. */
const RETRIES = ["retry", "other_key", "resent"];
const MOVES = ["next_target", "continued"];

function isFollowedBy({ next }: AttemptRow, steps: readonly string[]): boolean {
  return next !== undefined && steps.includes(next);
}

function hasStep({ attemptRows = [] }: LedgerRow, steps: readonly string[]): boolean {
  return attemptRows.some((attempt) => isFollowedBy(attempt, steps));
}

function toSteps(steps: readonly string[]): string {
  return `(${steps.map((step) => `attempt_rows LIKE '%"next":"${step}"%'`).join(" OR ")})`;
}

/** The condition for each word. */
export const PATH_CONDITIONS: Readonly<Record<RequestPath, Condition>> = {
  cache: {
    sql: "response_cache = 'hit'",
    holds: ({ responseCache }) => responseCache === "hit",
  },
  hedge: { sql: "hedged = 1", holds: ({ hedged }) => hedged === true },
  /** Another target answered after one had failed. */
  fallback: {
    sql: `${toSteps(MOVES)} AND status < 400 AND error IS NULL`,
    holds: (row) => row.status < 400 && row.error === undefined && hasStep(row, MOVES),
  },
  retry: { sql: toSteps(RETRIES), holds: (row) => hasStep(row, RETRIES) },
  queued: { sql: "queued_ms > 0", holds: ({ queuedMs = 0 }) => queuedMs > 0 },
  /** The session stayed with its target. */
  sticky: { sql: "affinity = 'hit'", holds: ({ affinity }) => affinity === "hit" },
};

/** A request's path. */
export function pathOf(row: LedgerRow): RequestPath[] {
  return REQUEST_PATHS.filter((path) => PATH_CONDITIONS[path].holds(row));
}
