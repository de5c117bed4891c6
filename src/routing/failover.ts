/**
 * The attempts of one request: targets × keys × retries, each decided from the outcome of the
 * previous one. The answer is chosen before the first byte goes to the caller.
 */

import { type Answer, attempt, type AttemptDeps, type AttemptInput } from "./attempt.ts";
import { describeAttempts, recordNextTarget } from "./attempt_records.ts";
import { AttemptState } from "./attempt_state.ts";
import { backoff, retryAfterOf } from "./backoff.ts";
import type { Breaker } from "./circuit_breaker.ts";
import type { Config, FallbackTarget, Target } from "../config/config.ts";
import type { Admission } from "../governance/admission.ts";
import type { Allowance, CostCap } from "./cost_cap.ts";
import type { Limiter } from "../governance/limiter.ts";
import { pause } from "./deadline.ts";
import { ERROR_KINDS, GatewayError, toGatewayError } from "../core/errors.ts";
import type { NextStep, SkipReason } from "./next_step.ts";
import { TargetQueue } from "./order/target_queue.ts";
import type { Operation } from "./operation.ts";
import type { RequestRecord } from "./request_record.ts";
import type { AttemptObserver, RequestObserver } from "./observer.ts";
import type { Interceptor } from "../interceptors/contract.ts";
import type { StateCarrier } from "../reasoning_state/carrier.ts";
import type { OnceStore, StateStore } from "../memory/store.ts";
import type { RequestLimits } from "./request_limits.ts";
import type { RequestOptions } from "./request_options.ts";
import { RequestKeys } from "./request_keys.ts";

/** The dependencies of the code that answers requests. */
export interface PathDeps extends AttemptDeps {
  readonly observer: RequestObserver;
  readonly limiter: Limiter;
  /** The interceptors around every chat, in order. */
  readonly interceptors: readonly Interceptor<Config>[];
  readonly reasoning: StateCarrier;
  /** The recent answers of the Responses API, for targets that keep none. */
  readonly answers: StateStore;
  /** What was charged for answers of vendors that were not finished. */
  readonly unsettled: OnceStore;
}

/** The step after a failed attempt. */
type Decision =
  | Extract<NextStep, { type: "other_key" | "retry" }>
  /** Gives up the target with this error; the reason says why a retryable error is not retried. */
  | { readonly type: "give_up"; readonly error: GatewayError; readonly reason?: SkipReason };

/** The state of a target's breaker within this request. */
interface TargetHealth {
  readonly breaker: Breaker;
  /** Whether the attempt is the probe of a half-open breaker. */
  isProbe: boolean;
  /** Whether a failure that the prompt may have caused has been counted. */
  hasCounted: boolean;
}

/**
 * The minimum time for an attempt, in milliseconds. It also allows for timers that fire a little
 * early.
 */
const MIN_ATTEMPT_MS = 2;

/** Runs the attempts of one request. Used once. */
export class Failover {
  readonly #operation: Operation;
  readonly #options: RequestOptions;
  readonly #record: RequestRecord;
  readonly #deps: PathDeps;
  readonly #limits: RequestLimits;
  readonly #cap: CostCap | undefined;
  /** When every attempt must have ended, in milliseconds since the epoch. */
  readonly #end: number;
  /** The shortest wait that a vendor's rate limit asked for, in milliseconds. */
  vendorWait = Infinity;
  /** True when a retry was due, but the caller's deadline left no time for it. */
  #cutShort = false;

  constructor(
    operation: Operation,
    options: RequestOptions,
    record: RequestRecord,
    deps: PathDeps,
    limits: RequestLimits,
    cap?: CostCap,
  ) {
    this.#cap = cap;
    this.#operation = operation;
    this.#options = options;
    this.#record = record;
    this.#deps = deps;
    this.#limits = limits;
    this.#end = record.startedAt + (options.deadline ?? Infinity);
  }

  /**
   * Tries the targets of the chain in order and returns the first answer. Targets whose breaker is
   * open come last: they are used rather than failing the request.
   *
   * @throws {GatewayError} the last failure, or the gateway's error for a deadline or a caller who
   * has disconnected.
   */
  async run(chain: readonly FallbackTarget[]): Promise<Answer> {
    const queue = new TargetQueue(chain, (target) => !this.#isOpen(target), this.#record.notes);
    let lastFailure: GatewayError | undefined;
    let mismatch: GatewayError | undefined;
    for (let next; (next = queue.next(lastFailure)) !== undefined;) {
      const { target } = next;
      if (lastFailure !== undefined) recordNextTarget(this.#record.endedAttempts);
      let admission: Admission | undefined;
      try {
        const entering = this.#limits.enter(target);
        admission = entering instanceof Promise ? await entering : entering;
        return await this.#ask(target, queue, admission);
      } catch (thrown) {
        if (admission !== undefined) this.#record.leave(admission);
        const error = toGatewayError(thrown);
        if (ERROR_KINDS[error.kind].targetMismatch) mismatch ??= error;
        else if (ERROR_KINDS[error.kind].failureClass === null || this.#isOver()) {
          throw this.#toFinalError(error);
        } else {
          this.#record.affinity?.failed(target, this.#deps.clock.now());
          lastFailure = error;
        }
      }
    }
    throw this.#toFinalError(
      lastFailure ?? mismatch ?? new GatewayError("internal", "The chain has no target"),
    );
  }

  #isOpen(target: Target): boolean {
    return this.#deps.state.isOpen(target, this.#deps.clock.now());
  }

  /** Tries one target until it answers, or until another attempt would not help. */
  async #ask(
    target: Target,
    queue: TargetQueue,
    admission: Admission | undefined,
  ): Promise<Answer> {
    const { clock, state } = this.#deps;
    const record = this.#record;
    const breaker = state.breakerOf(target);
    const keys = new RequestKeys(target, state.poolOf(target.provider), record.affinity);
    const health: TargetHealth = { breaker, isProbe: false, hasCounted: false };
    let failure: GatewayError | undefined;
    for (let retry = 0;;) {
      if (this.#isOver()) throw this.#deadlineError();
      const allowed = this.#allow(target, failure);
      const attempt = new AttemptState(target, record.routeFormat, clock.now());
      if (allowed !== undefined) this.#cap?.begin(attempt, allowed);
      attempt.admission = admission;
      const key = keys.pick(attempt.began);
      health.isProbe = breaker.enter(attempt.began);
      const before = record.attempt;
      record.attempt = attempt;
      try {
        const answer = await this.#attempt(allowed?.target ?? target, key, attempt);
        breaker.succeeded(this.#caller, clock.now());
        attempt.succeeded(clock);
        record.affinity?.served(target, record.columns, clock.now());
        record.endedAttempts.push(attempt);
        return answer;
      } catch (thrown) {
        const error = toGatewayError(thrown);
        if (attempt.requests === 0) {
          breaker.left(health.isProbe);
          // A target that does not support the request was not reached.
          record.attempt = before ?? attempt;
          throw error;
        }
        let next = this.#afterFailure(target, keys, key, error, retry);
        this.#reportToBreaker(health, error, next);
        if (next.type === "retry" && this.#isOpen(target) && queue.hasOther(error)) {
          next = { type: "give_up", error, reason: { type: "breaker_open" } };
        }
        this.#cutShort = next.type === "give_up" && next.reason?.type === "deadline";
        attempt.failed(error, toNextStep(next), clock);
        record.endedAttempts.push(attempt);
        if (next.type === "give_up") throw next.error;
        failure = error;
        if (next.type === "other_key") continue;
        retry++;
        keys.waited();
        await record.waiting(pause(next.waitMs, record.signal, this.#deps), clock);
      }
    }
  }

  /** @throws {GatewayError} the failure before this attempt, if the attempt may cost too much. */
  #allow(target: Target, failure: GatewayError | undefined): Allowance | undefined {
    try {
      return this.#cap?.allow(target);
    } catch (thrown) {
      throw failure ?? thrown;
    }
  }

  #attempt(target: Target, key: string | undefined, state: AttemptState): Promise<Answer> {
    const { strict } = this.#options;
    const input: AttemptInput = { target, key, operation: this.#operation, strict, end: this.#end };
    const observer = this.#deps.observer.attemptStarted(input, this.#record);
    return observer === undefined
      ? attempt(input, state, this.#record, this.#deps)
      : this.#observed(input, state, observer);
  }

  async #observed(
    input: AttemptInput,
    state: AttemptState,
    observer: AttemptObserver,
  ): Promise<Answer> {
    try {
      const answer = await attempt(input, state, this.#record, this.#deps, observer.run);
      observer.answered(answer);
      return answer;
    } catch (thrown) {
      observer.failed(toGatewayError(thrown), state.requests > 0);
      throw thrown;
    }
  }

  /**
   * Reports a failure to the target's breaker. An error about this request alone says nothing about
   * whether the target works, so it counts neither as a failure nor as a success: a caller could
   * otherwise close a breaker with requests that are refused.
   */
  #reportToBreaker(health: TargetHealth, error: GatewayError, next: Decision): void {
    const { breaker, isProbe } = health;
    const isOurs = error.kind === "upstream_timeout" && this.#isOver();
    const { breaker: effect } = ERROR_KINDS[error.kind];
    if (isOurs || next.type === "other_key" || effect === "ignores" || !error.retryable) {
      return breaker.left(isProbe);
    }
    const now = this.#deps.clock.now();
    if (effect === "counts") return breaker.failed(undefined, now);
    // A second failure of the same prompt proves no more than the first.
    if (health.hasCounted && !isProbe) return;
    health.hasCounted = true;
    breaker.failed(this.#caller, now);
  }

  #afterFailure(
    { provider, retries }: Target,
    keys: RequestKeys,
    key: string | undefined,
    thrown: GatewayError,
    retry: number,
  ): Decision {
    const now = this.#deps.clock.now();
    const after = keys.failed(
      key,
      thrown,
      retryAfterOf(thrown.headers, this.#deps.clock.wallTime()),
      now,
    );
    if (after.type === "other_key") return { type: "other_key" };
    const { error, wait: asked } = after;
    const isLimited = error.kind === "rate_limited";
    if (isLimited) this.vendorWait = Math.min(this.vendorWait, asked ?? Infinity);
    const isLast = retry >= retries || this.#isOver() || isLimited && this.#options.waitsInQueue;
    if (!error.retryable || isLast) return { type: "give_up", error };
    const waitMs = asked ?? backoff(retry, this.#deps.random);
    const maxWait = Math.min(provider.maxWait, this.#record.affinity?.maxWait ?? Infinity);
    if (asked !== undefined && waitMs > maxWait) {
      return { type: "give_up", error, reason: { type: "wait_too_long", waitMs } };
    }
    if (waitMs >= this.#left() - MIN_ATTEMPT_MS) {
      return { type: "give_up", error, reason: { type: "deadline" } };
    }
    return { type: "retry", waitMs };
  }

  /** The service key that the request came with. */
  get #caller(): string {
    return this.#record.key ?? "";
  }

  /** Milliseconds that are left of the caller's deadline. */
  #left(): number {
    return this.#end - this.#deps.clock.now();
  }

  #isOver(): boolean {
    return this.#left() <= MIN_ATTEMPT_MS;
  }

  /**
   * The failure as the caller sees it. Clients must not retry what the gateway has already retried.
   */
  #toFinalError(error: GatewayError): GatewayError {
    this.#limits.failed(error);
    const late = this.#cutShort || this.#isOver();
    if (late && ERROR_KINDS[error.kind].failureClass !== null) return this.#deadlineError();
    // Credentials that were refused are refused again until the operator changes them.
    const isFinal = this.#record.attempts > 1 || error.kind === "upstream_auth";
    return isFinal ? error.withHeaders({ "x-should-retry": "false" }) : error;
  }

  #deadlineError(): GatewayError {
    const how = describeAttempts(this.#record.attemptRecords);
    return new GatewayError(
      "upstream_timeout",
      `There was no answer within the deadline of ${this.#options.deadline} ms: ${how}`,
      { headers: { "x-should-retry": "false" } },
    );
  }
}

function toNextStep(decision: Decision): NextStep | undefined {
  if (decision.type !== "give_up") return decision;
  return decision.reason && { type: "give_up", reason: decision.reason };
}
