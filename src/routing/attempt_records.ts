/** The ended attempts of one request, for the log, the metrics and the error of a deadline. */

import type { Clock } from "../core/clock.ts";
import { describeNextStep, type NextStep } from "./next_step.ts";

/** One attempt, for the log. */
export interface AttemptRecord {
  readonly provider: string;
  readonly upstream: string;
  /** `done`, or the error kind. */
  readonly outcome: string;
  /** When it ended, in milliseconds since the epoch by the machine's clock. */
  readonly at: number;
  /** When it began, by the clock's `now()`. */
  readonly began: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** What followed the failure. */
  next: NextStep | undefined;
  /** Host, port and cause, if the vendor was not reached. */
  readonly cause?: string | undefined;
}

/**
 * Adds an attempt that ends now.
 *
 * @param began when it began, by the clock's `now()`
 */
export function addAttempt(
  records: AttemptRecord[],
  attempt: Omit<AttemptRecord, "at" | "began" | "ms">,
  began: number,
  clock: Clock,
): void {
  records.push({ ...attempt, at: clock.wallTime(), began, ms: clock.now() - began });
}

/** Records that the last failure led to another target. It is known when that target is asked. */
export function recordNextTarget(records: readonly AttemptRecord[]): void {
  const before = records.at(-1);
  if (before === undefined || before.next?.type === "next_target") return;
  const reason = before.next?.type === "give_up" ? before.next.reason : undefined;
  before.next = { type: "next_target", ...(reason !== undefined && { reason }) };
}

/** The attempts with their durations and what followed each, for an error message. */
export function describeAttempts(records: readonly AttemptRecord[]): string {
  if (records.length === 0) return "before any attempt";
  return records.map(({ provider, ms, outcome, next }) => {
    const result = next === undefined ? outcome : `${outcome}, ${describeNextStep(next)}`;
    return `${provider} ${Math.round(ms)} ms (${result})`;
  }).join(", then ");
}
