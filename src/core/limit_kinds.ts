/**
 * The kinds of rate limits. Each entry is one kind; settings, counters, response headers and
 * messages are derived from this table.
 */

import { UNIT_NAMES, type UnitName, type Units } from "./units.ts";

/** The amounts that a request uses. */
interface Used {
  readonly tokens: number;
  readonly units?: Units | undefined;
}

/** A limit's unit. */
export interface LimitUnit {
  /** The name in messages and headers. */
  readonly name: "requests" | "tokens" | UnitName;
  /** Whether a request's cost is estimated until the request ends. */
  readonly isEstimated: boolean;
  /**
   * The amount that a request consumes.
   *
   * @param requests 1, or 0 for a request that was rejected after admission
   */
  of(amount: Used, requests: number): number;
}

const REQUESTS: LimitUnit = {
  name: "requests",
  isEstimated: false,
  of: (_, requests) => requests,
};
const TOKENS: LimitUnit = { name: "tokens", isEstimated: true, of: ({ tokens }) => tokens };
const OTHERS: readonly LimitUnit[] = UNIT_NAMES.map((name) => ({
  name,
  isEstimated: true,
  of: ({ units }) => units?.[name] ?? 0,
}));

/** The time to refill a limit, in microseconds. */
const WINDOWS_US = { minute: 60_000_000, hour: 3_600_000_000, day: 86_400_000_000 } as const;

/** A kind of limit. */
export interface LimitKind {
  /** The name in settings. */
  readonly name: LimitKindName;
  readonly unit: LimitUnit;
  readonly window: keyof typeof WINDOWS_US;
  /** Microseconds. */
  readonly windowUs: number;
  /** The prefix of a counter's name. */
  readonly counter: string;
  /**
   * The response headers: the limit, the remaining amount, and when the limit is fully available
   * again.
   */
  readonly limitHeader: string;
  readonly remainingHeader: string;
  readonly resetHeader: string;
}

/** The name of a kind in settings. */
export type LimitKindName =
  | `${"requests" | "tokens"}_per_${keyof typeof WINDOWS_US}`
  | `${UnitName}_per_${"minute" | "day"}`;

/** The kinds, in the order in which they are checked. */
export const LIMIT_KINDS: readonly LimitKind[] = [
  toKind(REQUESTS, "minute"),
  toKind(TOKENS, "minute"),
  toKind(REQUESTS, "hour"),
  toKind(TOKENS, "hour"),
  toKind(REQUESTS, "day"),
  toKind(TOKENS, "day"),
  ...OTHERS.flatMap((unit) => [toKind(unit, "minute"), toKind(unit, "day")]),
];

function toKind(unit: LimitUnit, window: keyof typeof WINDOWS_US): LimitKind {
  // OpenAI's clients know the headers without a window; for other windows, these are the names that
  // Cerebras uses. https://inference-docs.cerebras.ai/support/rate-limits (2026-11-24)
  const header = window === "minute" ? unit.name : `${unit.name}-${window}`;
  return {
    name: `${unit.name}_per_${window}` as LimitKindName,
    ...{ unit, window, windowUs: WINDOWS_US[window] },
    counter: window === "minute" ? unit.name : `${unit.name}_per_${window}`,
    limitHeader: `x-ratelimit-limit-${header}`,
    remainingHeader: `x-ratelimit-remaining-${header}`,
    resetHeader: `x-ratelimit-reset-${header}`,
  };
}
