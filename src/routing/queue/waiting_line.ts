/**
 * Requests that wait for a limit. After a refusal, one request has its turn; each that passes lets
 * twice as many follow. So a limit with room is used up quickly, and one without is asked once.
 */

import type { QueueRules } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { FairOrder, type Waiter } from "./fair_order.ts";

/** How many requests may wait, and how many input tokens they may have together. */
export type LineRules = Pick<QueueRules, "max_requests" | "max_tokens">;

/** A refusal by the limit. */
export interface Refusal {
  /** When another request may pass. */
  readonly waitMs: number;
  /** Whether requests then pass one by one, each after this time. */
  readonly isSteady: boolean;
  /** Whether the limit is the gateway's: it may have room when any request ends. */
  readonly isOwn: boolean;
}

/** Why a request cannot wait, and how long it would take. */
export interface NoPlace {
  readonly type: "full" | "too_late";
  readonly waitMs: number;
}

/** A place in the line. */
export interface Place {
  readonly type: "place";
  /** The turn, or what is left to wait once the request has left or its deadline has passed. */
  readonly turn: Promise<Turn | NoPlace>;
  /** Leaves the line at once, if the request still waits. */
  leave(): void;
}

/** A turn. Its holder calls one of these once. */
export interface Turn {
  readonly type: "turn";
  /** The limit did not refuse the request. */
  passed(): void;
  /** The limit refused it again: it keeps its place in the order. */
  refused(refusal: Refusal): Place | NoPlace;
}

interface Entry extends Waiter {
  readonly resolve: (turn: Turn | NoPlace) => void;
  cancelTimer: () => void;
}

/** A key may have this many times as many places as are free, so that others always find some. */
const KEY_SHARE = 8;
/** The weight of a new interval in the moving average. */
const NEW_INTERVAL_WEIGHT = 0.25;
/** The maximum number of turns at the same time. */
const MAX_TURNS = 64;
/** A turn that was not refused for so long has passed, in milliseconds. */
const PASSED_AFTER_MS = 1000;

export class WaitingLine {
  readonly #order = new FairOrder<Entry>();
  readonly #clock: Clock;
  readonly #onEmpty: () => void;
  /** No request has its turn before this time. */
  #blockedUntil = 0;
  #isOwn = false;
  /** The turns that are open, and how many may be. */
  #turns = 0;
  #maxTurns = 1;
  /** Milliseconds from one request that passes to the next; 0 until known. */
  #interval = 0;
  /** When the limit refused last, and how many requests have passed since. */
  #refusedAt: number | undefined;
  #passed = 0;
  #cancelTimer: (() => void) | undefined;

  /** @param onEmpty called when no request waits and no turn is open */
  constructor(clock: Clock, onEmpty: () => void) {
    this.#clock = clock;
    this.#onEmpty = onEmpty;
  }

  /** The number of waiting requests. */
  get size(): number {
    return this.#order.size;
  }

  /** Milliseconds until a request that joined now would probably have its turn. */
  expectedWait(waiter: Waiter): number {
    return this.#blockedFor() + this.#order.ahead(waiter) * this.#interval;
  }

  /**
   * Joins the line.
   *
   * @param refusal by the limit; undefined for a request that only queues behind others
   */
  join(waiter: Waiter, rules: LineRules, refusal: Refusal | undefined): Place | NoPlace {
    if (refusal !== undefined) this.#block(refusal);
    const waitMs = this.expectedWait(waiter);
    if (!this.#hasRoom(waiter, rules)) return this.#refuse("full", waitMs);
    return this.#add(waiter, waitMs, (entry) => this.#order.add(entry));
  }

  /** A request has ended: a limit of the gateway may have room earlier than it said. */
  requestEnded(): void {
    if (!this.#isOwn || this.#order.size === 0) return;
    this.#blockedUntil = 0;
    this.#next();
  }

  #blockedFor(): number {
    return Math.max(0, this.#blockedUntil - this.#clock.now());
  }

  #block({ waitMs, isSteady, isOwn }: Refusal): void {
    const now = this.#clock.now();
    // Of several refusals the nearest counts: if it is wrong, one request is refused again.
    const left = this.#blockedFor();
    this.#blockedUntil = now + (left > 0 ? Math.min(left, waitMs) : waitMs);
    this.#isOwn = isOwn;
    if (this.#refusedAt !== undefined && this.#passed > 0) {
      const interval = (now - this.#refusedAt) / this.#passed;
      const weight = this.#interval === 0 ? 1 : NEW_INTERVAL_WEIGHT;
      this.#interval += weight * (interval - this.#interval);
    } else if (isSteady && this.#interval === 0) this.#interval = waitMs;
    if (this.#refusedAt === undefined || this.#passed > 0) this.#refusedAt = now;
    this.#passed = 0;
    this.#maxTurns = 1;
  }

  #add(waiter: Waiter, waitMs: number, add: (entry: Entry) => void): Place | NoPlace {
    const left = waiter.deadline - this.#clock.now();
    if (waitMs >= left) return this.#refuse("too_late", waitMs);
    const { promise: turn, resolve } = Promise.withResolvers<Turn | NoPlace>();
    const entry: Entry = { ...waiter, resolve, cancelTimer: () => {} };
    const leave = () => {
      entry.cancelTimer();
      this.#order.remove(entry);
      resolve({ type: "too_late", waitMs: this.expectedWait(entry) });
      this.#settle();
    };
    entry.cancelTimer = this.#clock.after(left, leave);
    add(entry);
    this.#next();
    return { type: "place", turn, leave };
  }

  #refuse(type: NoPlace["type"], waitMs: number): NoPlace {
    this.#settle();
    return { type, waitMs };
  }

  #hasRoom({ key, tokens }: Waiter, { max_requests, max_tokens }: LineRules): boolean {
    const order = this.#order;
    const [places, free] = [max_requests - order.size, max_tokens - order.tokens];
    return order.sizeOf(key) < KEY_SHARE * places && tokens <= free &&
      order.tokensOf(key) < KEY_SHARE * free;
  }

  /** Gives a turn to as many requests as may have one now. */
  #next(): void {
    while (this.#turns < this.#maxTurns && this.#blockedFor() === 0) {
      const entry = this.#order.take();
      if (entry === undefined) break;
      entry.cancelTimer();
      this.#turns++;
      entry.resolve(this.#toTurn(entry));
    }
    this.#settle();
  }

  #toTurn(waiter: Waiter): Turn {
    const end = () => {
      cancel();
      this.#turns -= isOpen ? 1 : 0;
      isOpen = false;
    };
    const passed = () => {
      if (!isOpen) return;
      end();
      this.#passed++;
      this.#maxTurns = Math.min(MAX_TURNS, 2 * this.#maxTurns);
      this.#next();
    };
    let isOpen = true;
    const cancel = this.#clock.after(PASSED_AFTER_MS, passed);
    return {
      type: "turn",
      passed,
      refused: (refusal) => {
        end();
        this.#block(refusal);
        return this.#add(waiter, this.#blockedFor(), (entry) => this.#order.putBack(entry));
      },
    };
  }

  /** Sets the timer of the next turn, or ends the line. */
  #settle(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const wait = this.#blockedFor();
    if (this.#order.size > 0 && wait > 0) {
      this.#cancelTimer = this.#clock.after(wait, () => this.#next());
    }
    if (this.#order.size === 0 && this.#turns === 0) this.#onEmpty();
  }
}
