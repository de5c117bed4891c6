/** A request that waits in lines, rather than being refused by a limit. */

import type { QueueRules } from "../../config/config.ts";
import type { ServiceKey } from "../../config/keys.ts";
import type { Clock } from "../../core/clock.ts";
import { type ErrorKind, GatewayError, toGatewayError } from "../../core/errors.ts";
import type { Shutdown } from "../../core/shutdown.ts";
import { retryAfterOf } from "../backoff.ts";
import { clientGone, shuttingDown } from "../deadline.ts";
import type { RequestRecord } from "../request_record.ts";
import type { Waiter } from "./fair_order.ts";
import { keyLine, modelLine, type RequestQueues } from "./request_queues.ts";
import type { NoPlace, Place, Refusal, Turn } from "./waiting_line.ts";

/** The limits that a request may wait for: those of its key, or of its targets. */
export type LineKind = "key" | "model";

/** The refusals that a line waits out. */
const WAITS_FOR: Readonly<Record<LineKind, ReadonlySet<ErrorKind>>> = {
  key: new Set(["limit_exceeded"]),
  model: new Set(["rate_limited", "model_limit_exceeded"]),
};

/** The weight of an interactive key, in batch keys of the same weight. */
const INTERACTIVE_WEIGHT = 8;
/** How long a vendor that names no time is left alone, in milliseconds: doubled each time. */
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 8000;

/** What a queued request needs of the gateway. */
export interface QueueDeps {
  readonly clock: Clock;
  readonly shutdown: Shutdown;
  readonly state: { readonly queues: RequestQueues };
}

/** The parts of a request that its place in a line depends on. */
export interface QueueInput {
  readonly rules: QueueRules;
  /** The alias or the model that it names. */
  readonly model: string;
  /** When it must have its answer, in milliseconds of the clock. */
  readonly end: number;
  /** The input tokens of the request. Called only if it waits. */
  readonly tokens: () => number;
}

export class QueuedRequest {
  readonly #input: QueueInput;
  readonly #record: RequestRecord;
  readonly #deps: QueueDeps;
  /** When the first vendor takes requests again, in milliseconds from its refusal. */
  #vendorWait = Infinity;
  #refusals = 0;
  #waiter: Omit<Waiter, "deadline"> | undefined;

  constructor(input: QueueInput, record: RequestRecord, deps: QueueDeps) {
    this.#input = input;
    this.#record = record;
    this.#deps = deps;
  }

  /**
   * Asks for something that limits may refuse. Waits while others wait for the same limits, and
   * after each refusal.
   *
   * @throws {GatewayError} `limit_exceeded` if it cannot wait, `client_gone`, `overloaded` in a
   * shutdown, or what `ask` throws
   */
  async through<Result>(kind: LineKind, ask: () => Promise<Result>): Promise<Result> {
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

  /** @param ms the shortest wait that a vendor asked for; Infinity if none did */
  learnVendorWait(ms: number): void {
    this.#vendorWait = ms;
  }

  async #waitBehindOthers(kind: LineKind): Promise<Turn | undefined> {
    const line = this.#deps.state.queues.find(this.#lineOf(kind));
    if (line === undefined) return undefined;
    return await this.#wait(line.join(this.#toWaiter(), this.#input.rules, undefined), undefined);
  }

  async #waitAfter(
    error: GatewayError,
    sentAt: number,
    kind: LineKind,
    turn: Turn | undefined,
  ): Promise<Turn> {
    const refusal = this.#toRefusal(error, sentAt);
    const { clock, state } = this.#deps;
    const place = turn?.refused(refusal) ??
      state.queues.open(this.#lineOf(kind), clock).join(
        this.#toWaiter(),
        this.#input.rules,
        refusal,
      );
    return await this.#wait(place, error);
  }

  #toRefusal({ headers, kind }: GatewayError, sentAt: number): Refusal {
    const isOwn = kind !== "rate_limited";
    const own = isOwn ? retryAfterOf(headers, this.#deps.clock.wallTime()) : undefined;
    const asked = isOwn ? own ?? Infinity : this.#vendorWait;
    const usual = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#refusals++);
    return {
      waitMs: Math.max(1, asked < Infinity ? asked : usual),
      isKnown: asked < Infinity,
      // A rate says when the next unit is there, in milliseconds.
      isSteady: isOwn && headers["retry-after-ms"] !== undefined,
      isOwn,
      sentAt,
    };
  }

  /** @param refused the refusal that it waits out; undefined if it only queues behind others */
  async #wait(place: Place | NoPlace, refused: GatewayError | undefined): Promise<Turn> {
    if (place.type !== "place") throw this.#refusalOf(place, refused);
    const { clock, shutdown } = this.#deps;
    const { columns, signal } = this.#record;
    const began = clock.now();
    const forget = shutdown.onBegin(place.leave);
    signal.addEventListener("abort", place.leave);
    if (signal.aborted || shutdown.begun) place.leave();
    this.#record.isQueued = true;
    const turn = await this.#record.waiting(place.turn, clock);
    this.#record.isQueued = false;
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

  #lineOf(kind: LineKind): string {
    return kind === "key" ? keyLine(this.#record.key) : modelLine(this.#input.model);
  }

  #toWaiter(): Waiter {
    const key = this.#record.serviceKey;
    this.#waiter ??= {
      key: this.#record.key ?? "",
      weight: weightOf(key),
      tokens: Math.max(1, this.#input.tokens()),
    };
    const left = this.#input.rules.max_wait - (this.#record.columns.queuedMs ?? 0);
    const deadline = Math.min(this.#deps.clock.now() + left, this.#input.end);
    return { ...this.#waiter, deadline };
  }

  /** The error of a request that cannot wait, or has waited in vain, and when to try again. */
  #refusalOf({ type, waitMs }: NoPlace, refused: GatewayError | undefined): GatewayError {
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    const queued = this.#record.columns.queuedMs ?? 0;
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

/** The share of a key in lines. */
function weightOf(key: ServiceKey | undefined): number {
  const { priority = "interactive", weight = 1 } = key ?? {};
  return priority === "interactive" ? INTERACTIVE_WEIGHT * weight : weight;
}
