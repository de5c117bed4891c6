/** Updates the statistics of a target when an attempt ends. */

import type { Usage } from "../chat/chat.ts";
import type { Target } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import { ERROR_KINDS, type GatewayError } from "../core/errors.ts";
import type { AnswerFold } from "../streaming/fold.ts";
import type { Operation } from "./operation.ts";
import type { State } from "./state.ts";
import type { AttemptTimer } from "./target_stats.ts";

/** Timers fire up to this many milliseconds early. */
const EARLY_MS = 2;

/** Measures one attempt of an operation, unless its answers say nothing about the target's speed. */
export class MeasuredAttempt {
  readonly #timer: AttemptTimer | undefined;
  readonly #clock: Clock;
  /** The service key of the request. */
  readonly #caller: string;

  constructor(
    { asksNoModel, isUntimed }: Operation,
    target: Target,
    stream: boolean,
    caller: string | undefined,
    { clock, state }: { readonly clock: Clock; readonly state: State },
  ) {
    this.#clock = clock;
    this.#caller = caller ?? "";
    this.#timer = asksNoModel || isUntimed
      ? undefined
      : state.statsOf(target).begin(stream, clock.now());
  }

  /** The first content of a stream has arrived. */
  firstContent(): void {
    this.#timer?.firstContent(this.#clock.now());
  }

  /** A whole answer has arrived. */
  answered(usage: Usage | undefined): void {
    this.#timer?.answered(usage, this.#clock.now());
  }

  /**
   * The attempt has failed before its answer.
   *
   * @param end when the caller's own deadline ends the request
   */
  failed(error: GatewayError, end: number): void {
    const now = this.#clock.now();
    if (now >= end - EARLY_MS || error.kind === "client_gone") this.#timer?.abandoned(now);
    else if (isOfTarget(error)) this.#timer?.failed(now, this.#suspectOf(error));
    else this.#timer?.left();
  }

  /** A stream has ended. */
  streamEnded({ ended, failure, usage }: AnswerFold): void {
    if (failure !== undefined && failure.kind !== "client_gone") this.failed(failure, Infinity);
    else if (ended) this.answered(usage);
    else this.#timer?.left();
  }

  /** The caller whose prompt may have caused a failure. */
  #suspectOf({ kind }: GatewayError): string | undefined {
    return ERROR_KINDS[kind].breaker === "per request" ? this.#caller : undefined;
  }
}

/** Whether a failure is the fault of the target rather than the caller. */
function isOfTarget({ kind }: GatewayError): boolean {
  const { breaker, failureClass } = ERROR_KINDS[kind];
  return breaker !== "ignores" || failureClass === "auth" || failureClass === "quota";
}
