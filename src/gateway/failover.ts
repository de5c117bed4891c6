/**
 * Admits a request to its limits, and tries its targets: targets × keys × retries, each decided
 * from the outcome of the previous one. The answer is chosen before the first byte is sent to the
 * caller.
 */

import { type AttemptAnswer, discard } from "./attempt.ts";
import type { FallbackTarget, Target } from "../config/config.ts";
import type { Admission } from "../governance/admission.ts";
import type { AdmittedRequest, TargetAsking } from "./feature_attempts.ts";
import { ERROR_KINDS, GatewayError, toGatewayError } from "../core/errors.ts";
import type { RequestFeatures } from "./request_features.ts";
import { type RemainingTargets, TargetQueue } from "./order/target_queue.ts";
import type { RequestLimits } from "./request_limits.ts";
import { type AfterTarget, type AttemptsRequest, TargetAttempts } from "./target_attempts.ts";
import { describeAttempts, recordNextTarget, withResent } from "./attempt_state.ts";

/** The request whose targets are tried. */
export interface TargetsRequest extends AttemptsRequest {
  /** The targets, in the order in which they are tried. */
  readonly chain: readonly FallbackTarget[];
  readonly limits: RequestLimits;
}

/** The result of a request. */
export interface Taker<Result, Request> {
  /** Called with the answer of a target. */
  readonly take: (answer: AttemptAnswer, request: Request) => Result;
  /** Called when no target has answered. */
  readonly onFailure?: (request: Request) => void;
}

/** For targets that are called by a feature, which determines what follows their attempts. */
const ONE_TARGET: AfterTarget<AttemptAnswer> = {
  answered: (answer) => answer,
  failed: (thrown) => Promise.reject(thrown),
};

/** Runs the attempts of one request. Used once. */
export class Failover<Result, Request extends TargetsRequest>
  implements AfterTarget<Result>, RemainingTargets {
  readonly #request: Request;
  readonly #attempts: TargetAttempts;
  readonly #features: RequestFeatures | undefined;
  readonly #taker: Taker<Result, Request>;
  #queue: TargetQueue | undefined;
  /** The number of targets that have been tried. */
  #begun = 0;
  #lastFailure: GatewayError | undefined;
  /** The first error from a target that does not support the request. */
  #mismatch: GatewayError | undefined;

  /** @param features the features that may change how targets are called */
  constructor(request: Request, taker: Taker<Result, Request>, features?: RequestFeatures) {
    this.#request = request;
    this.#taker = taker;
    this.#features = features?.asksTargets ? features : undefined;
    this.#attempts = new TargetAttempts(request, this);
  }

  /** The shortest wait that a vendor's rate limit required, in milliseconds. */
  get vendorWait(): number {
    return this.#attempts.vendorWait;
  }

  /**
   * Tries the chain's targets in order and returns the result of the first answer. Targets with an
   * open breaker come last, but are used before the request fails.
   *
   * @throws {GatewayError} the last failure, or the gateway's error for a deadline or a
   * disconnected caller, synchronously or as a rejection.
   */
  run(): Promise<Result> {
    const { chain, deps: { state } } = this.#request;
    const target = chain[0]?.target;
    if (target === undefined) return this.#tryNext();
    const { breaker } = state.targetOf(target);
    return breaker.isClosed || !this.#isOpen(target) ? this.#enter(target) : this.#tryNext();
  }

  /** The remaining targets; created when the first target has failed or must be skipped. */
  get queue(): TargetQueue {
    if (this.#queue === undefined) {
      const { chain, record } = this.#request;
      const isAvailable = (target: Target) => !this.#isOpen(target);
      this.#queue = new TargetQueue(chain, isAvailable, record.notes, this.#begun);
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
    if (failure !== undefined) recordNextTarget(this.#request.record.endedAttempts);
    return this.#enter(next.target);
  }

  /** Admits the request to the limits of a target, and calls the target. */
  #enter(target: Target): Promise<Result> {
    this.#begun++;
    let entering: ReturnType<RequestLimits["enter"]>;
    try {
      entering = this.#request.limits.enter(target);
    } catch (thrown) {
      return this.failed(thrown, target, undefined);
    }
    return entering instanceof Promise
      ? entering.then(
        (admission) => this.#ask(target, admission),
        (thrown) => this.failed(thrown, target, undefined),
      )
      : this.#ask(target, entering);
  }

  #ask(target: Target, admission: Admission | undefined): Promise<Result> {
    return this.#features === undefined
      ? this.#attempts.ask(target, admission, this)
      : this.#features.target(target, this.#toAsking(admission)).then(
        (answer) => this.answered(answer),
        (thrown) => this.failed(thrown, target, admission),
      );
  }

  #toAsking(admission: Admission | undefined): TargetAsking<AttemptAnswer> {
    const { deps, limits, record, rules } = this.#request;
    return {
      ...{ record, limits, rules, admission },
      remaining: () => this.queue,
      ask: (target, admission, racing) => this.#attempts.ask(target, admission, ONE_TARGET, racing),
      discard: (answer) => discard(answer, deps.clock),
    };
  }

  answered(answer: AttemptAnswer): Result {
    return this.#taker.take(answer, this.#request);
  }

  /** Continues with the next target if the failure allows it. */
  failed(
    thrown: unknown,
    target: Target,
    admission: Admission | undefined,
  ): Promise<Result> {
    if (admission !== undefined) this.#request.record.leave(admission);
    const error = toGatewayError(thrown);
    if (ERROR_KINDS[error.kind].targetMismatch) this.#mismatch ??= error;
    else if (ERROR_KINDS[error.kind].failureClass === null || this.#attempts.isOver) {
      throw this.#toFinalError(error);
    } else {
      this.#request.record.features.session?.failed(target, this.#request.deps.clock.now());
      this.#lastFailure = error;
    }
    return this.#tryNext();
  }

  #isOpen(target: Target): boolean {
    const { clock, state } = this.#request.deps;
    const { breaker } = state.targetOf(target);
    return !breaker.isClosed && breaker.isOpen(clock.now());
  }

  /**
   * The failure as shown to the caller. Clients must not retry what the gateway has already
   * retried.
   */
  #toFinalError(error: GatewayError): GatewayError {
    this.#request.limits.failed(error);
    this.#taker.onFailure?.(this.#request);
    if (this.#attempts.isLate && ERROR_KINDS[error.kind].failureClass !== null) {
      return this.#deadlineError();
    }
    // Rejected credentials stay invalid until the operator changes them.
    const isFinal = this.#request.record.attempts > 1 || error.kind === "upstream_auth";
    return isFinal ? error.withHeaders({ "x-should-retry": "false" }) : error;
  }

  #deadlineError(): GatewayError {
    const how = describeAttempts(withResent(this.#request.record.endedAttempts));
    return new GatewayError(
      "upstream_timeout",
      `There was no answer within the deadline of ${this.#request.options.deadline} ms: ${how}`,
      { headers: { "x-should-retry": "false" } },
    );
  }
}

/**
 * Admits the request to the limits of its key, and calls its targets.
 *
 * @throws {GatewayError} the error of the last target, or that of a limit.
 */
export function askTargets<Result, Request extends TargetsRequest>(
  request: Request,
  taker: Taker<Result, Request>,
): Promise<Result> {
  const { chain, limits, record: { features } } = request;
  if (features.mayWait) return askWaiting(request, taker);
  let admitting: ReturnType<RequestLimits["admit"]>;
  try {
    admitting = limits.admit(chain);
  } catch (thrown) {
    taker.onFailure?.(request);
    throw thrown;
  }
  const failover = new Failover(request, taker, features);
  return admitting === undefined
    ? failover.run()
    : admitting.then(() => failover.run(), (thrown) => {
      taker.onFailure?.(request);
      throw thrown;
    });
}

/** The same for a request that features may queue for limits. */
async function askWaiting<Result, Request extends TargetsRequest>(
  request: Request,
  { take, onFailure }: Taker<Result, Request>,
): Promise<Result> {
  const { chain, limits, options, record } = request;
  const { features } = record;
  const admitted = toAdmitted(request);
  const admit = () => features.admit("key", admitted, async () => await limits.admit(chain));
  try {
    await admit();
    return await features.admit("model", admitted, async () => {
      // A request that was refused by a model limit is admitted again after the wait.
      if (!limits.isAdmitted) await admit();
      const waits = { ...options, waitsInQueue: true };
      const failover = new Failover({ ...request, options: waits }, { take }, features);
      try {
        return await failover.run();
      } finally {
        admitted.vendorWait = failover.vendorWait;
      }
    });
  } catch (thrown) {
    // A failure is final only after the wait has failed too.
    onFailure?.(request);
    throw thrown;
  }
}

function toAdmitted(
  { chain: [first], deps: { shutdown }, options: { deadline = Infinity }, record }: TargetsRequest,
): AdmittedRequest & { vendorWait: number } {
  return {
    record,
    shutdown,
    end: record.startedAt + deadline,
    vendorWait: Infinity,
    inputTokens: () => first === undefined ? 0 : record.forecast?.input(first.target) ?? 0,
  };
}
