/** The attempts at one target (keys × retries), each chosen by the outcome of the previous one. */

import { Attempt, type AttemptAnswer, type PathDeps } from "./attempt.ts";
import { AttemptState, type NextStep, type SkipReason } from "./attempt_state.ts";
import type { TargetState } from "./state.ts";
import type { Target } from "../config/config.ts";
import { ERROR_KINDS, GatewayError } from "../core/errors.ts";
import type { Admission } from "../governance/admission.ts";
import type { AllowedAttempt, AttemptRules, RacingAttempt } from "./feature_attempts.ts";
import { pause } from "./deadline.ts";
import type { AttemptResult, Operation, RequestOptions } from "./operation.ts";
import type { RemainingTargets } from "./order/target_queue.ts";
import { RequestKeys } from "./request_keys.ts";
import type { RequestRecord } from "./request_record.ts";

/** The step after a failed attempt. */
type Decision =
  | Extract<NextStep, { type: "other_key" | "retry" }>
  /**
   * Abandons the target with this error; the reason explains why a retryable error is not retried.
   */
  | { readonly type: "give_up"; readonly error: GatewayError; readonly reason?: SkipReason };

/** Called after the attempts at one target. */
export interface AfterTarget<Result> {
  /** The target has answered. */
  answered(answer: AttemptAnswer): Result;
  /** The target has not answered. */
  failed(
    thrown: unknown,
    target: Target,
    admission: Admission | undefined,
  ): Result | Promise<Result>;
}

/** A target that is being tried. */
interface TriedTarget {
  readonly target: Target;
  readonly known: TargetState;
  /** The reservation against its model's limits. */
  readonly admission: Admission | undefined;
  readonly racing: RacingAttempt | undefined;
  /** Undefined until a choice between them is needed. */
  keys: RequestKeys | undefined;
  /** The key of the current attempt. */
  key: string | undefined;
  /** The last failure. */
  failure: GatewayError | undefined;
  retry: number;
  /** Whether the current attempt is the probe of a half-open breaker. */
  isProbe: boolean;
  /** Whether a failure that the prompt may have caused has been counted. */
  hasCounted: boolean;
  /** The record's attempt before the current one. */
  before: AttemptState | undefined;
}

/**
 * The minimum time for an attempt, in milliseconds. It also allows for timers that fire a little
 * early.
 */
const MIN_ATTEMPT_MS = 2;

/** The request of the attempts. */
export interface AttemptsRequest {
  readonly operation: Operation;
  readonly options: RequestOptions;
  readonly record: RequestRecord;
  readonly deps: PathDeps;
  /** The features' rules for all attempts. */
  readonly rules: AttemptRules | undefined;
}

/** Runs the attempts of one request at given targets. */
export class TargetAttempts {
  readonly #request: AttemptsRequest;
  readonly #others: RemainingTargets;
  /** The deadline for all attempts, in milliseconds since the epoch. */
  readonly #end: number;
  /** The shortest wait that a vendor's rate limit required, in milliseconds. */
  vendorWait = Infinity;
  /** True if a retry was due but the caller's deadline left no time for it. */
  #cutShort = false;

  constructor(request: AttemptsRequest, others: RemainingTargets) {
    this.#request = request;
    this.#others = others;
    this.#end = request.record.startedAt + (request.options.deadline ?? Infinity);
  }

  /** Whether the caller's deadline has passed, or left no time for a retry. */
  get isLate(): boolean {
    return this.#cutShort || this.isOver;
  }

  /** Whether the caller's deadline has passed. */
  get isOver(): boolean {
    return this.#end !== Infinity && this.#left() <= MIN_ATTEMPT_MS;
  }

  /**
   * Tries one target until it answers, or until another attempt would not help.
   *
   * @param admission the reservation against its model's limits
   * @param racing set if another target may be called in parallel
   */
  async ask<Result>(
    target: Target,
    admission: Admission | undefined,
    after: AfterTarget<Result>,
    racing?: RacingAttempt,
  ): Promise<Result> {
    const { deps, record } = this.#request;
    const { clock } = deps;
    const tried: TriedTarget = {
      target,
      known: deps.state.targetOf(target),
      admission,
      racing,
      // A single key is always used, regardless of its state.
      keys: target.provider.keys.length < 2 ? undefined : this.#keysOf(target),
      key: undefined,
      failure: undefined,
      retry: racing?.isHedge ? Infinity : 0,
      isProbe: false,
      hasCounted: false,
      before: undefined,
    };
    let answer: AttemptAnswer;
    try {
      for (;;) {
        const run = this.#start(tried);
        try {
          const preparing = run.prepare();
          const prepared = preparing instanceof Promise ? await preparing : preparing;
          // Preparing a small request takes negligible time.
          const isQuick = prepared === preparing && record.slice === undefined;
          run.begin(prepared, isQuick ? run.attempt.began : clock.now());
          if (record.slice?.isOver) await record.slice.next();
          let result: AttemptResult | undefined;
          do {
            const received = run.received(await run.next());
            result = received instanceof Promise ? await received : received;
          } while (result === undefined);
          answer = this.#answered(tried, run, result);
          break;
        } catch (thrown) {
          const waitMs = this.#failed(tried, run, thrown);
          if (waitMs === undefined) continue;
          await record.waiting(pause(waitMs, (racing ?? record).signal, deps), clock);
        }
      }
    } catch (thrown) {
      return after.failed(thrown, target, admission);
    }
    return after.answered(answer);
  }

  /** Starts the next attempt at a target. */
  #start(tried: TriedTarget): Attempt {
    const { deps, operation, options: { strict }, record, rules } = this.#request;
    const { keys, known, racing, target } = tried;
    // Avoids the call for requests without a deadline.
    if (this.#end !== Infinity && this.isOver) {
      throw new GatewayError("upstream_timeout", "The deadline has passed");
    }
    const allowed = rules === undefined ? undefined : this.#allow(target, tried.failure);
    const attempt = new AttemptState(target, record.routeFormat, deps.clock);
    if (allowed !== undefined) {
      allowed.begin?.(attempt);
      allowed.note?.(attempt.changes);
    }
    attempt.admission = tried.admission;
    const key = tried.key = keys === undefined ? target.provider.keys[0] : keys.pick(attempt.began);
    const { breaker } = known;
    tried.isProbe = !breaker.isClosed && breaker.enter(attempt.began);
    tried.before = record.attempt;
    if (racing?.isHedge !== true) record.attempt = attempt;
    racing?.began(attempt);
    const { signal } = racing ?? record;
    const input = {
      ...{ known, key, operation, strict, end: this.#end, signal },
      target: allowed?.target ?? target,
    };
    const observer = deps.observer.attemptStarted?.(input, record);
    return new Attempt(input, attempt, record, deps, observer);
  }

  /** A target has answered. */
  #answered({ known, racing, target }: TriedTarget, run: Attempt, result: AttemptResult) {
    const { deps, record } = this.#request;
    const now = run.readAt ?? deps.clock.now();
    const answer = run.answered(result, now);
    known.breaker.succeeded(record.key ?? "", now);
    if (racing?.isLost !== true) {
      run.attempt.ended("done", now);
      record.endedAttempts.push(run.attempt);
      // A session stays at the target that has cached its prompt.
      if (!racing?.isHedge) record.features.session?.served(target, record.columns, now);
    }
    return answer;
  }

  /**
   * An attempt has failed.
   *
   * @returns the milliseconds until the next one; undefined if another key is used at once
   * @throws {GatewayError} the failure, if another attempt would not help.
   */
  #failed(tried: TriedTarget, run: Attempt, thrown: unknown): number | undefined {
    const { record } = this.#request;
    const { attempt } = run;
    const { known, racing, target } = tried;
    const error = run.failed(thrown);
    if (attempt.requests === 0 || racing?.isLost) {
      known.breaker.left(tried.isProbe);
      // The target does not support the request, so nothing was sent.
      if (attempt.requests === 0 && racing?.isHedge !== true) {
        record.attempt = tried.before ?? attempt;
      }
      throw error;
    }
    const keys = tried.keys ??= this.#keysOf(target);
    const next = this.#decide(tried, keys, error);
    attempt.failed(error, toNextStep(next));
    record.endedAttempts.push(attempt);
    if (next.type === "give_up") throw next.error;
    tried.failure = error;
    if (next.type === "other_key") return undefined;
    tried.retry++;
    keys.waited();
    return next.waitMs;
  }

  #keysOf(target: Target): RequestKeys {
    const { deps: { state }, record } = this.#request;
    return new RequestKeys(target, state.poolOf(target.provider), record.features.session);
  }

  /** @throws {GatewayError} the previous failure, if this attempt may cost too much. */
  #allow(target: Target, failure: GatewayError | undefined): AllowedAttempt | undefined {
    try {
      return this.#request.rules?.allow(target);
    } catch (thrown) {
      throw failure ?? thrown;
    }
  }

  #decide(tried: TriedTarget, keys: RequestKeys, error: GatewayError): Decision {
    let next = this.#afterFailure(tried, keys, error);
    this.#reportToBreaker(tried, error, next);
    const now = this.#request.deps.clock.now();
    const isOpen = next.type === "retry" && tried.known.breaker.isOpen(now);
    if (isOpen && this.#others.queue.hasOther(error)) {
      next = { type: "give_up", error, reason: { type: "breaker_open" } };
    }
    this.#cutShort = next.type === "give_up" && next.reason?.type === "deadline";
    return next;
  }

  /**
   * Reports a failure to the target's breaker. An error that concerns only this request is neither
   * a failure nor a success of the target; otherwise a caller could close a breaker with requests
   * that are rejected.
   */
  #reportToBreaker(tried: TriedTarget, error: GatewayError, next: Decision): void {
    const { isProbe, known: { breaker } } = tried;
    const isOurs = error.kind === "upstream_timeout" && this.isOver;
    const { breaker: effect } = ERROR_KINDS[error.kind];
    if (isOurs || next.type === "other_key" || effect === "ignores" || !error.retryable) {
      return breaker.left(isProbe);
    }
    const now = this.#request.deps.clock.now();
    if (effect === "counts") return breaker.failed(undefined, now);
    // A second failure with the same prompt is not additional evidence.
    if (tried.hasCounted && !isProbe) return;
    tried.hasCounted = true;
    breaker.failed(this.#request.record.key ?? "", now);
  }

  #afterFailure(
    { key, retry, target: { provider, retries } }: TriedTarget,
    keys: RequestKeys,
    thrown: GatewayError,
  ): Decision {
    const { deps: { clock, random }, options: { waitsInQueue }, record } = this.#request;
    const retryAfter = retryAfterOf(thrown.headers, clock.wallTime());
    const after = keys.failed(key, thrown, retryAfter, clock.now());
    if (after.type === "other_key") return { type: "other_key" };
    const { error, wait: requested } = after;
    const isLimited = error.kind === "rate_limited";
    if (isLimited) this.vendorWait = Math.min(this.vendorWait, requested ?? Infinity);
    const isLast = retry >= retries || this.isOver || isLimited && waitsInQueue;
    if (!error.retryable || isLast) return { type: "give_up", error };
    const waitMs = requested ?? backoff(retry, random);
    const maxWait = Math.min(provider.maxWait, record.features.session?.maxWait ?? Infinity);
    if (requested !== undefined && waitMs > maxWait) {
      return { type: "give_up", error, reason: { type: "wait_too_long", waitMs } };
    }
    if (waitMs >= this.#left() - MIN_ATTEMPT_MS) {
      return { type: "give_up", error, reason: { type: "deadline" } };
    }
    return { type: "retry", waitMs };
  }

  /** Milliseconds until the caller's deadline. */
  #left(): number {
    return this.#end - this.#request.deps.clock.now();
  }
}

function toNextStep(decision: Decision): NextStep | undefined {
  if (decision.type !== "give_up") return decision;
  return decision.reason && { type: "give_up", reason: decision.reason };
}

/** The maximum first wait, in milliseconds. */
const FIRST_BACKOFF_MS = 250;

/** The maximum back-off, in milliseconds. */
const MAX_BACKOFF_MS = 8000;

/**
 * Exponential back-off with full jitter
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), in milliseconds.
 * Exported for tests.
 *
 * @param retry 0 before the first retry
 * @param random returns a number from 0 to 1
 */
export function backoff(retry: number, random: () => number): number {
  return Math.round(random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retry));
}

/**
 * The retry delay that the vendor requests, in milliseconds: `retry-after-ms`, or otherwise
 * `retry-after` in seconds or as an HTTP date. Undefined when neither header is valid.
 */
export function retryAfterOf(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const ms = readNumber(headers["retry-after-ms"]);
  if (ms !== undefined) return ms;
  const text = headers["retry-after"];
  const seconds = readNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  // `Date.parse` accepts nearly any text, so the text must look like a date first.
  const isDate = text !== undefined && text.length <= MAX_DATE && DATE.test(text);
  const date = isDate ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The maximum length of an HTTP date, in characters. */
const MAX_DATE = 100;

/** The time of day, and a zone. */
const DATE = /\d\d:\d\d:\d\d.*(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/;

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
