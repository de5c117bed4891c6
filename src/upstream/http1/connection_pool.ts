/** Connections of one origin that are open and idle. */

import type { Clock } from "../../core/clock.ts";

/** An idle connection lives this many milliseconds: less than vendors keep it. */
export const MAX_IDLE_MS = 30_000;
/** The usual times of an answer that pass between two requests on a connection. */
const REST_FACTOR = 4;
/** An answer in less than this part of the usual time may have been ready before its request came. */
const EARLY_FRACTION = 0.25;
/**
 * Milliseconds that a connection rests longer after such an answer: the vendor's system may hold the
 * next one back until ours has acknowledged this one, which it does after 40 ms at the latest.
 */
const EARLY_REST_MS = 100;
/** What a new answer weighs in the usual time of answers. */
const NEW_ANSWER_WEIGHT = 0.1;
/** The most idle connections of one origin. */
const MAX_IDLE_CONNECTIONS = 512;

/** A connection as its pool sees it. */
export interface IdleConnection {
  /** From when on it may take a request, by the clock's `now()`. */
  readonly readyAt: number;
  /** Nobody uses it until it is taken; `cancel` ends the wait for its removal. */
  rest(cancel: () => void): void;
  /** It was taken. */
  wake(): void;
  close(): void;
}

/** Keeps idle connections, and gives out the one that was used last among those that have rested. */
export class ConnectionPool<Idle extends IdleConnection> {
  readonly clock: Clock;
  /** Host and port, for the log. */
  readonly endpoint: string;
  /** Milliseconds that answers of this origin take to begin: a moving average. */
  #usualAnswerMs: number | undefined;
  /** Those that rest, the first to be ready first. */
  readonly #resting: Idle[] = [];
  /** Those that have rested, the last used last. */
  readonly #ready: Idle[] = [];

  constructor(clock: Clock, endpoint: string) {
    this.clock = clock;
    this.endpoint = endpoint;
  }

  /** An answer has begun this many milliseconds after its request was sent. */
  noteAnswer(ms: number): void {
    const usual = this.#usualAnswerMs;
    this.#usualAnswerMs = usual === undefined ? ms : usual + NEW_ANSWER_WEIGHT * (ms - usual);
  }

  /**
   * Milliseconds from a request on a connection until the next one may be sent on it. A vendor that
   * once sends an answer too many is one answer ahead from then on: each request gets the answer of
   * the one before it, and its own follows when the vendor has made it. If that comes while the
   * connection rests, it is closed, and one caller was misled; without a rest, all of them are.
   *
   * @param answerMs how long the answer to the last request took
   * @param firstAnswerMs how long the first answer of the connection took: that was the right one
   */
  cycleMs(answerMs: number, firstAnswerMs: number): number {
    const usual = Math.min(firstAnswerMs, this.#usualAnswerMs ?? firstAnswerMs);
    return REST_FACTOR * usual + (answerMs < EARLY_FRACTION * usual ? EARLY_REST_MS : 0);
  }

  get isEmpty(): boolean {
    return this.#resting.length + this.#ready.length === 0;
  }

  /** A connection that may take a request. */
  take(now: number): Idle | undefined {
    for (let first = this.#resting[0]; first !== undefined; first = this.#resting[0]) {
      if (first.readyAt > now) break;
      this.#resting.shift();
      this.#ready.push(first);
    }
    const idle = this.#ready.pop();
    idle?.wake();
    return idle;
  }

  /** Keeps a connection until it is taken, is closed, or has been idle for too long. */
  keep(idle: Idle): void {
    if (this.#resting.length + this.#ready.length >= MAX_IDLE_CONNECTIONS) return idle.close();
    // Nearly all rest equally long, so its place is at the end.
    let at = this.#resting.length;
    while (at > 0 && (this.#resting[at - 1]?.readyAt ?? 0) > idle.readyAt) at--;
    this.#resting.splice(at, 0, idle);
    idle.rest(this.clock.after(MAX_IDLE_MS, () => this.drop(idle)));
  }

  /** Removes a connection and closes it. */
  drop(idle: Idle): void {
    for (const list of [this.#resting, this.#ready]) {
      const at = list.indexOf(idle);
      if (at !== -1) list.splice(at, 1);
    }
    idle.wake();
    idle.close();
  }

  close(): void {
    for (const idle of [...this.#resting, ...this.#ready]) this.drop(idle);
  }
}
