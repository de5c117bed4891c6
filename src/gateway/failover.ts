/**
 * The attempts of one request: targets × keys × retries, each decided from the outcome of the
 * previous one. The answer is chosen before the first byte goes to the caller.
 */

import { type AttemptAnswer, discard, type PathDeps } from "./attempt.ts";
import type { FallbackTarget, Target } from "../config/config.ts";
import type { Admission } from "../governance/admission.ts";
import type { AttemptRules, TargetAsking } from "./feature_attempts.ts";
import { ERROR_KINDS, GatewayError, toGatewayError } from "../core/errors.ts";
import type { RequestFeatures } from "./request_features.ts";
import { type RemainingTargets, TargetQueue } from "./order/target_queue.ts";
import type { Operation } from "./operation.ts";
import type { RequestRecord } from "./request_record.ts";
import type { RequestLimits } from "./request_limits.ts";
import type { RequestOptions } from "./request_options.ts";
import { TargetAttempts } from "./target_attempts.ts";
import { describeAttempts, recordNextTarget, withResent } from "./attempt_state.ts";

/** The request whose targets are tried. */
export interface FailoverInput {
  readonly operation: Operation;
  readonly options: RequestOptions;
  readonly record: RequestRecord;
  readonly deps: PathDeps;
  readonly limits: RequestLimits;
  readonly rules: AttemptRules | undefined;
}

/** What becomes of a request. */
export interface Taker<Result> {
  /** Takes the answer of a target. */
  take(answer: AttemptAnswer): Result;
  /** No target has answered. */
  onFailure?(): void;
}

/** Runs the attempts of one request. Used once. */
export class Failover<Result> implements RemainingTargets {
  readonly #options: RequestOptions;
  readonly #record: RequestRecord;
  readonly #deps: PathDeps;
  readonly #limits: RequestLimits;
  readonly #attempts: TargetAttempts;
  readonly #rules: AttemptRules | undefined;
  readonly #features: RequestFeatures | undefined;
  readonly #taker: Taker<Result>;
  #chain: readonly FallbackTarget[] = [];
  #queue: TargetQueue | undefined;
  /** The number of targets that have been entered. */
  #begun = 0;
  #lastFailure: GatewayError | undefined;
  /** The first error of a target that does not support the request. */
  #mismatch: GatewayError | undefined;

  /** @param features those that may change how targets are called */
  constructor(
    { operation, options, record, deps, limits, rules }: FailoverInput,
    taker: Taker<Result>,
    features?: RequestFeatures,
  ) {
    this.#taker = taker;
    this.#rules = rules;
    this.#features = features?.asksTargets ? features : undefined;
    this.#options = options;
    this.#record = record;
    this.#deps = deps;
    this.#limits = limits;
    const end = record.startedAt + (options.deadline ?? Infinity);
    const { strict, waitsInQueue } = options;
    const input = { operation, strict, end, rules, waitsInQueue };
    this.#attempts = new TargetAttempts(input, record, deps);
  }

  /** The shortest wait that a vendor's rate limit asked for, in milliseconds. */
  get vendorWait(): number {
    return this.#attempts.vendorWait;
  }

  /**
   * Tries the targets of the chain in order and returns what is made of the first answer. Targets whose breaker is
   * open come last: they are used rather than failing the request.
   *
   * @throws {GatewayError} the last failure, or the gateway's error for a deadline or a caller who
   * has disconnected: at once, or later.
   */
  run(chain: readonly FallbackTarget[]): Promise<Result> {
    this.#chain = chain;
    const target = chain[0]?.target;
    if (target === undefined) return this.#tryNext();
    const { breaker } = this.#deps.state.targetOf(target);
    return breaker.isClosed || !this.#isOpen(target) ? this.#enter(target) : this.#tryNext();
  }

  /** The remaining targets. It is made when the first one has failed, or must not be tried first. */
  get queue(): TargetQueue {
    if (this.#queue === undefined) {
      const isAvailable = (target: Target) => !this.#isOpen(target);
      this.#queue = new TargetQueue(this.#chain, isAvailable, this.#record.notes, this.#begun);
    }
    return this.#queue;
  }

  #tryNext(): Promise<Result> {
    const failure = this.#lastFailure;
    const next = this.queue.next(failure);
    if (next === undefined) {
      throw this.#toFinalError(
        failure ?? this.#mismatch ?? new GatewayError("internal", "The chain has no target"),
      );
    }
    if (failure !== undefined) recordNextTarget(this.#record.endedAttempts);
    return this.#enter(next.target);
  }

  /** Admits the request to the limits of a target, and asks it. */
  #enter(target: Target): Promise<Result> {
    this.#begun++;
    let entering: ReturnType<RequestLimits["enter"]>;
    try {
      entering = this.#limits.enter(target);
    } catch (thrown) {
      return this.#afterFailure(thrown, target, undefined);
    }
    return entering instanceof Promise
      ? entering.then(
        (admission) => this.#ask(target, admission),
        (thrown) => this.#afterFailure(thrown, target, undefined),
      )
      : this.#ask(target, entering);
  }

  #ask(target: Target, admission: Admission | undefined): Promise<Result> {
    const asking = this.#features === undefined
      ? this.#attempts.ask(target, this, admission)
      : this.#features.target(target, this.#toAsking(admission));
    return asking.then(
      (answer) => this.#taker.take(answer),
      (thrown) => this.#afterFailure(thrown, target, admission),
    );
  }

  #toAsking(admission: Admission | undefined): TargetAsking<AttemptAnswer> {
    return {
      ...{ record: this.#record, limits: this.#limits, rules: this.#rules, admission },
      remaining: () => this.queue,
      ask: (target, admission, leg) => this.#attempts.ask(target, this, admission, leg),
      discard: (answer) => discard(answer, this.#deps.clock),
    };
  }

  /** Goes on to the next target, if the failure leads to one. */
  #afterFailure(
    thrown: unknown,
    target: Target,
    admission: Admission | undefined,
  ): Promise<Result> {
    if (admission !== undefined) this.#record.leave(admission);
    const error = toGatewayError(thrown);
    if (ERROR_KINDS[error.kind].targetMismatch) this.#mismatch ??= error;
    else if (ERROR_KINDS[error.kind].failureClass === null || this.#attempts.isOver) {
      throw this.#toFinalError(error);
    } else {
      this.#record.features.session?.failed(target, this.#deps.clock.now());
      this.#lastFailure = error;
    }
    return this.#tryNext();
  }

  #isOpen(target: Target): boolean {
    const { clock, state } = this.#deps;
    const { breaker } = state.targetOf(target);
    return !breaker.isClosed && breaker.isOpen(clock.now());
  }

  /**
   * The failure as the caller sees it. Clients must not retry what the gateway has already retried.
   */
  #toFinalError(error: GatewayError): GatewayError {
    this.#limits.failed(error);
    this.#taker.onFailure?.();
    if (this.#attempts.isLate && ERROR_KINDS[error.kind].failureClass !== null) {
      return this.#deadlineError();
    }
    // Credentials that were refused are refused again until the operator changes them.
    const isFinal = this.#record.attempts > 1 || error.kind === "upstream_auth";
    return isFinal ? error.withHeaders({ "x-should-retry": "false" }) : error;
  }

  #deadlineError(): GatewayError {
    const how = describeAttempts(withResent(this.#record.endedAttempts));
    return new GatewayError(
      "upstream_timeout",
      `There was no answer within the deadline of ${this.#options.deadline} ms: ${how}`,
      { headers: { "x-should-retry": "false" } },
    );
  }
}
