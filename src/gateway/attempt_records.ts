/** The ended attempts of one request, for the log, the metrics and the error of a deadline. */

import type { Repair } from "../contract/adapter.ts";
import type { AttemptState } from "./attempt_state.ts";
import { describeNextStep, type NextStep } from "./next_step.ts";

/** One attempt, for the log. */
export interface AttemptRecord {
  readonly provider: string;
  readonly upstream: string;
  /** `done`, the error kind, or `abandoned` if another target answered first. */
  readonly outcome: string;
  /** When it failed, by the machine's clock; undefined if it answered. */
  readonly at?: number | undefined;
  /** When it began, by the clock's `now()`. */
  readonly began: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** What followed the failure. */
  readonly next: NextStep | undefined;
  /** What was changed after the vendor had refused it, in order. */
  readonly corrections?: readonly Repair[] | undefined;
  /** Whether it was made at a second target while the first one was still asked. */
  readonly isHedge?: boolean;
  /** Host, port and cause, if the vendor was not reached. */
  readonly cause?: string | undefined;
  /** The message of the failure, which may quote the vendor. */
  readonly message?: string | undefined;
}

/** Records that the last failure led to another target. Called when that target is tried. */
export function recordNextTarget(attempts: readonly AttemptState[]): void {
  const before = attempts.at(-1);
  if (before === undefined || before.next?.type === "next_target") return;
  const reason = before.next?.type === "give_up" ? before.next.reason : undefined;
  before.next = { type: "next_target", ...(reason !== undefined && { reason }) };
}

/** The attempts, and the requests that were sent again, in their order. */
export function withResent(attempts: readonly AttemptState[]): readonly AttemptRecord[] {
  return attempts.flatMap((attempt) => [...attempt.resent ?? [], attempt]);
}

/** The attempts with their durations and their next steps, for an error message. */
export function describeAttempts(records: readonly AttemptRecord[]): string {
  if (records.length === 0) return "before any attempt";
  return records.map(({ provider, ms, outcome, next }) => {
    const result = next === undefined ? outcome : `${outcome}, ${describeNextStep(next)}`;
    return `${provider} ${Math.round(ms)} ms (${result})`;
  }).join(", then ");
}
