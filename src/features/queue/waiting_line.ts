/**
 * Requests that wait for a limit. After a rejection, one request is tried; each success doubles the
 * number of requests that follow, so that available capacity is used quickly. From the requests
 * between two refusals, the line learns the limit's rate and paces turns accordingly, slightly
 * faster with each success, to detect a raised limit.
 */

import type { QueueRules } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { FairOrder, type Waiter } from "./fair_order.ts";
import type { EndedRequest } from "../../gateway/state.ts";

/** The maximum number of waiting requests, and of their input tokens. */
export type LineRules = Pick<QueueRules, "max_requests" | "max_tokens">;

/** A rejection by the limit. */
export interface Refusal {
  /** When another request may pass, in milliseconds. */
  readonly waitMs: number;
  /** Whether the limit specified this time; otherwise it is a guess. */
  readonly isKnown: boolean;
  /** Whether requests are then admitted one by one, each after this time. */
  readonly isSteady: boolean;
  /**
   * Whether the limit is the gateway's, in which case capacity may become available when any
   * request ends.
   */
  readonly isOwn: boolean;
  /** When the rejected request was sent, in milliseconds by the clock. */
  readonly sentAt: number;
}

/** The reason why a request cannot wait, and the expected wait. */
export interface NoPlace {
  readonly type: "full" | "too_late";
  readonly waitMs: number;
}

/** A place in the line. */
export interface Place {
  readonly type: "place";
  /**
   * Resolves to the turn, or to the remaining wait if the request has left or its deadline has
   * passed.
   */
  readonly turn: Promise<Turn | NoPlace>;
  /** Leaves the line at once if the request is still waiting. */
  leave(): void;
}

/** A turn. The holder must call exactly one of these methods. */
export interface Turn {
  readonly type: "turn";
  /** Reports that the limit did not refuse the request. */
  passed(): void;
  /** Reports that the limit refused it again; it keeps its place in the order. */
  refused(refusal: Refusal): Place | NoPlace;
}

interface Entry extends Waiter {
  readonly resolve: (turn: Turn | NoPlace) => void;
  cancelTimer: () => void;
}

/**
 * A key may use this multiple of the number of free slots, so that some always remain for others.
 */
const KEY_SHARE = 8;
/** The weight of a new interval in the moving average. */
const NEW_INTERVAL_WEIGHT = 0.5;
/**
 * How much turns accelerate with admitted requests, as the exponent for the square of their number.
 */
const SPEED_UP = 0.0005;
/** The maximum number of concurrent turns. */
const MAX_TURNS = 64;
/** A turn that was not rejected within this time has succeeded, in milliseconds. */
const PASSED_AFTER_MS = 1000;

/** Exported for tests. */
export class WaitingLine {
  readonly #order = new FairOrder<Entry>();
  readonly #clock: Clock;
  readonly #onEmpty: () => void;
  /** No request gets a turn before this time. */
  #blockedUntil = 0;
  #isOwn = false;
  #isSteady = false;
  /** The open turns, and their maximum number. */
  #turns = 0;
  #maxTurns = 1;
  /** Milliseconds between two admitted requests; 0 until known. */
  #interval = 0;
  /** When the next turn is due according to this interval. */
  #paceAt = 0;
  /** The time of the last rejection, and the number of successful turns since. */
  #refusedAt: number | undefined;
  #granted = 0;
  /** The number of rejections after admitted requests. */
  #round = 0;
  /** The time of the last such rejection. */
  #roundBegan = -Infinity;
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
   * @param the rejection by the limit; undefined for a request that only queues behind others
   */
  join(waiter: Waiter, rules: LineRules, refusal: Refusal | undefined): Place | NoPlace {
    if (refusal !== undefined) this.#block(refusal);
    const waitMs = this.expectedWait(waiter);
    if (!this.#hasRoom(waiter, rules)) return this.#refuse("full", waitMs);
    return this.#add(waiter, waitMs, (entry) => this.#order.add(entry));
  }

  /**
   * Called when a request has ended, since one of the gateway's limits may have capacity earlier
   * than announced.
   */
  requestEnded(): void {
    if (!this.#isOwn || this.#order.size === 0) return;
    this.#blockedUntil = 0;
    if (!this.#isSteady) this.#paceAt = 0;
    this.#next();
  }

  /** Milliseconds until the next turn. */
  #blockedFor(): number {
    const paceAt = this.#interval === 0 ? 0 : this.#paceAt;
    return Math.max(0, Math.max(this.#blockedUntil, paceAt) - this.#clock.now());
  }

  #block(refusal: Refusal): void {
    // A request sent before the last rejection is not evidence of the current limit.
    if (refusal.sentAt < this.#roundBegan) return;
    const now = this.#clock.now();
    this.#learn(refusal, now);
    const waitMs = refusal.isKnown || this.#interval === 0
      ? refusal.waitMs
      : Math.min(refusal.waitMs, this.#interval);
    // Of several refusals, the earliest time is used; if that is too early, one request is refused
    // again.
    const left = Math.max(0, this.#blockedUntil - now);
    this.#blockedUntil = now + (left > 0 ? Math.min(left, waitMs) : waitMs);
    // Capacity that becomes available during a longer wait may be used at once afterwards.
    this.#paceAt = now + this.#interval;
    this.#isOwn = refusal.isOwn;
    this.#isSteady = refusal.isSteady;
    this.#maxTurns = 1;
  }

  /** Measures the interval from the requests admitted since the previous rejection. */
  #learn({ waitMs, isSteady }: Refusal, now: number): void {
    if (this.#refusedAt !== undefined && this.#granted > 0) {
      const interval = (now - this.#refusedAt) / this.#granted;
      const weight = this.#interval === 0 ? 1 : NEW_INTERVAL_WEIGHT;
      this.#interval += weight * (interval - this.#interval);
    } else if (isSteady && this.#interval === 0) this.#interval = waitMs;
    if (this.#refusedAt === undefined || this.#granted > 0) this.#refusedAt = now;
    this.#granted = 0;
    this.#round++;
    this.#roundBegan = now;
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

  /** Gives turns to as many requests as are currently allowed. */
  #next(): void {
    while (this.#turns < this.#maxTurns && this.#blockedFor() === 0) {
      const entry = this.#order.take();
      if (entry === undefined) break;
      entry.cancelTimer();
      this.#turns++;
      this.#paceAt += this.#interval * Math.exp(-SPEED_UP * this.#granted++ ** 2);
      entry.resolve(this.#toTurn(entry));
    }
    this.#settle();
  }

  #toTurn(entry: Entry): Turn {
    const round = this.#round;
    const end = () => {
      cancel();
      this.#turns -= isOpen ? 1 : 0;
      isOpen = false;
    };
    const passed = () => {
      if (!isOpen) return;
      end();
      this.#order.passed(entry);
      this.#maxTurns = Math.min(MAX_TURNS, 2 * this.#maxTurns);
      this.#next();
    };
    let isOpen = true;
    const cancel = this.#clock.after(PASSED_AFTER_MS, passed);
    return {
      type: "turn",
      passed,
      refused: (refusal) => {
        const wasOpen = isOpen;
        end();
        if (round === this.#round) this.#granted--;
        this.#block(refusal);
        const add = (again: Entry) => wasOpen ? this.#order.putBack(again) : this.#order.add(again);
        const place = this.#add(entry, this.#blockedFor(), add);
        if (place.type !== "place" && wasOpen) this.#order.passed(entry);
        return place;
      },
    };
  }

  /** Sets the timer for the next turn, or ends the line. */
  #settle(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    // The end of a turn gives the next ones. Otherwise a timer does, even if the wait is over by now.
    if (this.#order.size > 0 && this.#turns < this.#maxTurns) {
      this.#cancelTimer = this.#clock.after(this.#blockedFor(), () => this.#next());
    }
    if (this.#order.size === 0 && this.#turns === 0) this.#onEmpty();
  }
}

/** One worker's lines. A line exists only while requests wait in it. */
export class RequestQueues {
  readonly #lines = new Map<string, WaitingLine>();
  /** Called when the first request starts waiting, and when none is left. */
  onUse: ((isUsed: boolean) => void) | undefined;

  /** The number of waiting requests. */
  get size(): number {
    let size = 0;
    for (const line of this.#lines.values()) size += line.size;
    return size;
  }

  /** The line with this name, if requests wait in it. */
  find(name: string): WaitingLine | undefined {
    return this.#lines.get(name);
  }

  /** The line with this name, created if necessary, for a request that joins it at once. */
  open(name: string, clock: Clock): WaitingLine {
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = new WaitingLine(clock, () => this.#close(name));
      if (this.#lines.size === 0) this.onUse?.(true);
      this.#lines.set(name, line);
    }
    return line;
  }

  #close(name: string): void {
    if (this.#lines.delete(name) && this.#lines.size === 0) this.onUse?.(false);
  }

  /**
   * Called when a request has ended, since the gateway's limits may have capacity for a waiting
   * one.
   */
  requestEnded({ columns, key, model }: EndedRequest): void {
    this.#lines.get(keyLine(key))?.requestEnded();
    this.#lines.get(modelLine(columns.alias ?? model))?.requestEnded();
  }
}

/** The line for a key's limits. */
export function keyLine(key: string | undefined): string {
  return `key:${key ?? ""}`;
}

/** The line for the limits of an alias's or a model's targets. */
export function modelLine(model: string | undefined): string {
  return `model:${model ?? ""}`;
}
