/** The interface of features that take part in limits and attempts. */

import type { FallbackTarget, ServiceKey, Target } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { GatewayError } from "../core/errors.ts";
import type { Shutdown } from "../core/stop_signal.ts";
import type { RequestChanges } from "../contract/request_changes.ts";
import type { Admission } from "../governance/admission.ts";
import type { SpendingLimit } from "../governance/spending_limit.ts";
import type { RecordedColumns } from "../governance/ledger/row.ts";
import type { TokenEstimate } from "../core/units.ts";
import type { AttemptState } from "./attempt_state.ts";
import type { OpenStream } from "../streaming/fold.ts";
import type { EstimateInput } from "./attempt_usage.ts";
import type { TargetQueue } from "./order/target_queue.ts";
import type { RouteTrace } from "./order/route_trace.ts";

/** The prefix of pseudonyms. */
export const SESSION_PREFIX = "s_";

/** The owner of the limits for which a request may wait: its service key, or its targets. */
export type LimitScope = "key" | "model";

/** A request that is admitted to limits. */
export interface AdmittedRequest {
  readonly record: AdmittedRecord;
  readonly shutdown: Shutdown;
  /** The deadline for its answer, in milliseconds by the clock. */
  readonly end: number;
  /** The shortest wait that vendors requested, in milliseconds; Infinity if there is none. */
  readonly vendorWait: number;
  /** The input tokens of the request at its first target. Called only if the request waits. */
  readonly inputTokens: () => number;
}

/** The parts of a request's record that are used for waiting. */
interface AdmittedRecord {
  readonly key: string | undefined;
  readonly serviceKey: ServiceKey | undefined;
  readonly signal: AbortSignal;
  readonly columns: RecordedColumns;
  isQueued: boolean;
  waiting<Result>(pending: Promise<Result>, clock: Clock): Promise<Result>;
}

/** A stream that may be interrupted. */
export interface CutStream {
  readonly stream: OpenStream;
  readonly notes: RouteTrace;
  /** Whether another target can continue the text written so far. */
  readonly isPossible: boolean;
  /** The targets of the request that have not been tried, in order. */
  untried(): readonly FallbackTarget[];
  /**
   * Lets one of these targets continue it.
   *
   * @returns the rest of the stream
   * @throws {GatewayError} the last target's failure.
   */
  ask(failure: GatewayError, others: readonly FallbackTarget[]): Promise<OpenStream>;
}

/** A target's answer. */
export interface TargetAnswer {
  readonly attempt: AttemptState;
}

/** One of several targets that a request calls in parallel. */
export interface RacingAttempt {
  /** Whether it is not the first target. */
  readonly isHedge: boolean;
  /** Whether another target has answered. */
  readonly isLost: boolean;
  /** Ends its attempts. */
  readonly signal: AbortSignal;
  /** Called when an attempt begins. */
  began(attempt: AttemptState): void;
}

/** The options for calling a target. */
export interface TargetAsking<Answer extends TargetAnswer> {
  readonly record: AskedRecord;
  readonly limits: RequestLimitsBeside;
  readonly rules: AttemptRules | undefined;
  /** The reservation against the target's own limits. */
  readonly admission: Admission | undefined;
  /** The targets that have not been tried. */
  remaining(): TargetQueue;
  /** @param racing set if another target may be called in parallel */
  ask(target: Target, admission: Admission | undefined, racing?: RacingAttempt): Promise<Answer>;
  /** Ends an answer that is not used. */
  discard(answer: Answer): void;
}

/** The limits of a request, for calling a target in parallel with another one. */
export interface RequestLimitsBeside {
  /** Reserves a target; undefined if a limit does not allow it. */
  enterBeside(target: Target): Promise<Reserved | undefined>;
  /**
   * The typical cost at a target, in millionths of a US dollar; undefined if prices are unknown.
   */
  expectedMicroUsd(target: Target): number | undefined;
  /** The amount that a rule allows per hour. */
  spendingOf(rule: object, name: string, usd: number): SpendingLimit;
}

/** The reservations for a target that is called in parallel with another one. */
export interface Reserved {
  /** The reservation against the key's limits and budget. */
  readonly beside?: Admission | undefined;
  /** The reservation against the model's limits. */
  readonly admission?: Admission | undefined;
}

/** The parts of a request's record that are used when calling several targets. */
export interface AskedRecord extends EstimateInput {
  readonly signal: AbortSignal;
  readonly stream: boolean;
  readonly columns: RecordedColumns;
  readonly notes: RouteTrace;
  readonly ended: boolean;
  /** The attempts that a vendor may bill. */
  readonly billed: readonly AttemptState[];
  readonly endedAttempts: AttemptState[];
  attempt: AttemptState | undefined;
  /** Called when the request has ended. */
  hedge: { ended(): void } | undefined;
  /** Settles the reservation against a target's limits. */
  leave(admission: Admission): void;
}

/** A request before any target is called. */
export interface RequestAttempts {
  readonly key: ServiceKey;
  /** The target that is called first. */
  readonly first: Target | undefined;
  /** The service tier that the caller requests. */
  readonly tier: string | undefined;
  /** Estimates, for attempts whose vendor reports no usage. */
  readonly estimates: EstimateInput;
  readonly notes: RouteTrace;
  /** The request's reservation at a target. */
  estimateFor(target: Target): TokenEstimate;
}

/** A feature's hooks for each attempt of a request. */
export interface AttemptRules {
  /** The note for a request if {@linkcode allowsBeside} disallowed a second target. */
  readonly overNote?: string | undefined;
  /**
   * Called before each attempt, including for an explanation.
   *
   * @throws {GatewayError} to skip the target.
   */
  allow(target: Target): AllowedAttempt;
  /**
   * Whether a target may be called while another call is pending. Default: it may.
   *
   * @param open the other target, if its attempt has not begun
   */
  allowsBeside?(target: Target, open?: Target): boolean;
}

/** An attempt that may begin. */
export interface AllowedAttempt {
  /** The target with the feature's changes. */
  readonly target: Target;
  begin?(attempt: AttemptState): void;
  /** Records the changes. */
  note?(changes: RequestChanges): void;
}

/** The name of a session. */
export interface SessionName {
  /** A pseudonym that identifies a session of a service key, except for rare collisions. */
  readonly id: string;
}

/** The ledger columns about sessions. */
export interface SessionColumns {
  affinity?: string | undefined;
  session?: string | undefined;
}

/** The session of a request. */
export interface RequestSession extends SessionName {
  /** How long it waits for its target, in milliseconds; undefined for the default. */
  readonly maxWait: number | undefined;
  /** Why the request moved the session; undefined if it did not. */
  readonly moveReason: string | undefined;
  /** A provider's keys in the order in which the session uses them. */
  keysOf(keys: readonly string[]): readonly string[];
  /** Called when a target has answered. */
  served(target: Target, columns: SessionColumns, now: number): void;
  /** Called when a target has failed. */
  failed(target: Target, now: number): void;
}

/** The session as part of response IDs, for the next turn. */
export function sessionMark({ id }: SessionName): string {
  return id.slice(SESSION_PREFIX.length);
}
