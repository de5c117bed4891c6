/** A request that waits in queues instead of being refused by a limit. */

import type { QueueRules } from "../../config/config.ts";
import type { ServiceKey } from "../../config/keys.ts";
import type { Clock } from "../../core/clock.ts";
import { type ErrorKind, GatewayError, toGatewayError } from "../../core/errors.ts";
import type { AdmittedRequest, LimitScope } from "../../gateway/feature_attempts.ts";
import { clientGone, shuttingDown } from "../../gateway/deadline.ts";
import type { Waiter } from "./fair_order.ts";
import {
  keyLine,
  modelLine,
  type NoPlace,
  type Place,
  type Refusal,
  type RequestQueues,
  type Turn,
} from "./waiting_line.ts";
import { retryAfterOf } from "../../gateway/target_attempts.ts";

/** The refusals for which a line waits. */
const WAITS_FOR: Readonly<Record<LimitScope, ReadonlySet<ErrorKind>>> = {
  key: new Set(["limit_exceeded"]),
  model: new Set(["rate_limited", "model_limit_exceeded"]),
};

/** An interactive key's weight relative to a batch key. */
const INTERACTIVE_WEIGHT = 8;
/** The pause if the vendor does not specify a time, in milliseconds; doubled each time. */
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 8000;

/** The dependencies for a queued request. */
export interface QueueDeps {
  readonly clock: Clock;
  readonly queues: RequestQueues;
}

/** The parts of a request that determine its place in a line. */
export interface QueueInput {
  readonly rules: QueueRules;
  /** The alias or model as named in config.yaml; a wildcard alias has one queue. */
  readonly model: string;
}

export class QueuedRequest {
  readonly #input: QueueInput;
  readonly #request: AdmittedRequest;
  readonly #deps: QueueDeps;
  #refusals = 0;
  #waiter: Omit<Waiter, "deadline"> | undefined;

  constructor(input: QueueInput, request: AdmittedRequest, deps: QueueDeps) {
    this.#input = input;
    this.#request = request;
    this.#deps = deps;
  }

  /**
   * Admits a request, which limits may reject. Waits while others wait for the same limits, and
   * after each rejection.
   *
   * @throws {GatewayError} `limit_exceeded` if it cannot wait, `client_gone`, `overloaded` during a
   * shutdown, or any error thrown by `ask`
   */
  async through<Result>(kind: LimitScope, ask: () => Promise<Result>): Promise<Result> {
    let turn = await this.#waitBehindOthers(kind);
    for (;;) {
      const sentAt = this.#deps.clock.now();
      try {
        const result = await ask();
        turn?.passed();
        return result;
      } catch (thrown) {
        const error = toGatewayError(thrown);
        if (!WAITS_FOR[kind].has(error.kind)) {
          turn?.passed();
          throw thrown;
        }
        turn = await this.#waitAfter(error, sentAt, kind, turn);
      }
    }
  }

  async #waitBehindOthers(kind: LimitScope): Promise<Turn | undefined> {
    const line = this.#deps.queues.find(this.#lineOf(kind));
    if (line === undefined) return undefined;
    return await this.#wait(line.join(this.#toWaiter(), this.#input.rules, undefined), undefined);
  }

  async #waitAfter(
    error: GatewayError,
    sentAt: number,
    kind: LimitScope,
    turn: Turn | undefined,
  ): Promise<Turn> {
    const refusal = this.#toRefusal(error, sentAt);
    const { clock, queues } = this.#deps;
    const place = turn?.refused(refusal) ??
      queues.open(this.#lineOf(kind), clock).join(
        this.#toWaiter(),
        this.#input.rules,
        refusal,
      );
    return await this.#wait(place, error);
  }

  #toRefusal({ headers, kind }: GatewayError, sentAt: number): Refusal {
    const isOwn = kind !== "rate_limited";
    const own = isOwn ? retryAfterOf(headers, this.#deps.clock.wallTime()) : undefined;
    const requested = isOwn ? own ?? Infinity : this.#request.vendorWait;
    const typical = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#refusals++);
    return {
      waitMs: Math.max(1, requested < Infinity ? requested : typical),
      isKnown: requested < Infinity,
      // For a rate limit, the time until the next unit is available, in milliseconds.
      isSteady: isOwn && headers["retry-after-ms"] !== undefined,
      isOwn,
      sentAt,
    };
  }

  /** @param refused the refusal for which it waits; undefined if it only queues behind others */
  async #wait(place: Place | NoPlace, refused: GatewayError | undefined): Promise<Turn> {
    if (place.type !== "place") throw this.#refusalOf(place, refused);
    const { clock } = this.#deps;
    const { record, shutdown } = this.#request;
    const { columns, signal } = record;
    const began = clock.now();
    const forget = shutdown.onBegin(place.leave);
    signal.addEventListener("abort", place.leave);
    if (signal.aborted || shutdown.begun) place.leave();
    record.isQueued = true;
    const turn = await record.waiting(place.turn, clock);
    record.isQueued = false;
    signal.removeEventListener("abort", place.leave);
    forget();
    columns.queuedMs = (columns.queuedMs ?? 0) + clock.now() - began;
    if (turn.type === "turn") {
      if (!signal.aborted) return turn;
      turn.passed();
    }
    if (signal.aborted) throw clientGone();
    if (turn.type === "turn" || shutdown.begun) throw shuttingDown();
    throw this.#refusalOf(turn, refused);
  }

  #lineOf(kind: LimitScope): string {
    return kind === "key" ? keyLine(this.#request.record.key) : modelLine(this.#input.model);
  }

  #toWaiter(): Waiter {
    const { end, inputTokens, record } = this.#request;
    this.#waiter ??= {
      key: record.key ?? "",
      weight: weightOf(record.serviceKey),
      tokens: Math.max(1, inputTokens()),
    };
    const left = this.#input.rules.max_wait - (record.columns.queuedMs ?? 0);
    const deadline = Math.min(this.#deps.clock.now() + left, end);
    return { ...this.#waiter, deadline };
  }

  /**
   * The error for a request that cannot wait or whose wait has timed out, including when to retry.
   */
  #refusalOf({ type, waitMs }: NoPlace, refused: GatewayError | undefined): GatewayError {
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    const queued = this.#request.record.columns.queuedMs ?? 0;
    const what = type === "full"
      ? "The queue is full"
      : queued > 0
      ? `The request has waited ${Math.round(queued / 1000)} s in the queue`
      : `The request would wait about ${seconds} s in the queue, which is too long`;
    return new GatewayError(
      "limit_exceeded",
      refused === undefined ? what : `${what}: ${refused.message}`,
      {
        headers: {
          ...refused?.headers,
          "retry-after": String(seconds),
          "retry-after-ms": String(Math.max(1, Math.ceil(waitMs))),
        },
      },
    );
  }
}

/** A key's share in lines. */
function weightOf(key: ServiceKey | undefined): number {
  const { priority = "interactive", weight = 1 } = key ?? {};
  return priority === "interactive" ? INTERACTIVE_WEIGHT * weight : weight;
}
