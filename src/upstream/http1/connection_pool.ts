/** One origin's idle connections. */

import type { ConnectionRules } from "../../config/connection_rules.ts";
import type { Clock, TimeLimit, TimeLimited } from "../../core/clock.ts";

/** Milliseconds until an idle connection is closed; vendors keep theirs open for longer. */
export const MAX_IDLE_MS = 30_000;
/** The cooldown between two requests on a connection, as a multiple of the usual response time. */
const COOLDOWN_FACTOR = 4;
/**
 * A response faster than this fraction of the usual time may have been sent before its request
 * arrived.
 */
const EARLY_FRACTION = 0.25;
/**
 * Milliseconds that are added to the cooldown after such a response. The vendor's TCP stack may
 * delay the next response until ours has acknowledged this one, which takes up to 40 ms.
 */
const EARLY_COOLDOWN_MS = 100;
/**
 * A connection's minimum cooldown, in milliseconds. Without it, a request to a fast vendor could be
 * sent before a surplus response has arrived. Exported for tests.
 */
export const MIN_COOLDOWN_MS = 15;
/** The weight of a new response in the moving average of response times. */
const NEW_ANSWER_WEIGHT = 0.1;
/** Milliseconds by which a time limit may fire early. */
const MAX_EARLY_MS = 1;
/** The maximum number of idle connections to one origin. */
const MAX_IDLE_CONNECTIONS = 512;

/** A connection as seen by its pool. */
export interface IdleConnection {
  /** When it may serve its next request, according to the clock's `now()`, in milliseconds. */
  readonly readyAt: number;
  /** The time since which it has been idle, according to the clock's `now()`. */
  readonly idleSince: number;
  /** Whether it has reached its maximum number of requests or its maximum age. */
  isWorn(rules: ConnectionRules, now: number): boolean;
  close(): void;
}

/**
 * Keeps idle connections. Of the connections whose cooldown has passed, the most recently used one
 * is reused first. A single time limit, set for the connection that has been idle the longest,
 * closes those that are idle for too long. If that connection is used in the meantime, the limit is
 * then set for the next one.
 */
export class ConnectionPool<Idle extends IdleConnection> implements TimeLimited<undefined> {
  readonly clock: Clock;
  /** Host and port, for the log. */
  readonly endpoint: string;
  /** A connection's minimum cooldown, in milliseconds. */
  readonly minCooldownMs: number;
  /** The moving average of the time until a response from this origin begins, in milliseconds. */
  #usualAnswerMs: number | undefined;
  /** Connections in their cooldown, ordered by `readyAt`. */
  readonly #coolingDown: Idle[] = [];
  /** Connections whose cooldown has passed, the most recently used one last. */
  readonly #ready: Idle[] = [];
  #idleLimit: TimeLimit | undefined;
  #isClosed = false;

  constructor(clock: Clock, endpoint: string, minCooldownMs = MIN_COOLDOWN_MS) {
    this.clock = clock;
    this.endpoint = endpoint;
    this.minCooldownMs = minCooldownMs;
  }

  /**
   * Records how many milliseconds after its request a response began.
   *
   * If a vendor ever sends one response too many, every later request on the connection receives
   * the response to the previous request. With the cooldown, the surplus response arrives before
   * the next request, and the connection is closed. Therefore, at most one client receives a wrong
   * response.
   *
   * @param firstMs the same for the connection's first response, which cannot be a surplus one
   * @returns the milliseconds from this request until the next one may be sent on the connection
   */
  answered(ms: number, firstMs: number): number {
    const before = this.#usualAnswerMs ?? ms;
    this.#usualAnswerMs = before + NEW_ANSWER_WEIGHT * (ms - before);
    const typical = Math.min(firstMs, this.#usualAnswerMs);
    return COOLDOWN_FACTOR * typical + (ms < EARLY_FRACTION * typical ? EARLY_COOLDOWN_MS : 0);
  }

  get isEmpty(): boolean {
    return this.#coolingDown.length + this.#ready.length === 0;
  }

  /** Removes and returns a connection that is ready for a request; undefined if there is none. */
  take(now: number, rules: ConnectionRules): Idle | undefined {
    for (let first = this.#coolingDown[0]; first !== undefined; first = this.#coolingDown[0]) {
      if (first.readyAt > now) break;
      this.#coolingDown.shift();
      this.#ready.push(first);
    }
    for (let idle = this.#ready.pop(); idle !== undefined; idle = this.#ready.pop()) {
      if (!idle.isWorn(rules, now)) return idle;
      idle.close();
    }
    return undefined;
  }

  /**
   * Stores a connection until it is used or closed, or has been idle for {@linkcode MAX_IDLE_MS}.
   *
   * @returns whether there is room for it
   */
  keep(idle: Idle): boolean {
    const count = this.#coolingDown.length + this.#ready.length;
    if (this.#isClosed || count >= MAX_IDLE_CONNECTIONS) return false;
    // Nearly all connections have the same cooldown, so the position is near the end.
    let at = this.#coolingDown.length;
    while (at > 0 && (this.#coolingDown[at - 1]?.readyAt ?? 0) > idle.readyAt) at--;
    if (at === this.#coolingDown.length) this.#coolingDown.push(idle);
    else this.#coolingDown.splice(at, 0, idle);
    this.#idleLimit ??= this.clock.limit(MAX_IDLE_MS, this, undefined);
    return true;
  }

  /** Closes the connections that have been idle for too long. */
  onTimeLimit(): void {
    this.#idleLimit = undefined;
    const now = this.clock.now();
    let left = Infinity;
    for (const idle of [...this.#coolingDown, ...this.#ready]) {
      const ms = idle.idleSince + MAX_IDLE_MS - now;
      if (ms < MAX_EARLY_MS) this.drop(idle);
      else left = Math.min(left, ms);
    }
    if (left !== Infinity) this.#idleLimit = this.clock.limit(left, this, undefined);
  }

  /** Removes a connection and closes it. */
  drop(idle: Idle): void {
    for (const list of [this.#coolingDown, this.#ready]) {
      const at = list.indexOf(idle);
      if (at !== -1) list.splice(at, 1);
    }
    idle.close();
    if (!this.isEmpty) return;
    this.#idleLimit?.cancel();
    this.#idleLimit = undefined;
  }

  /** Closes the idle connections now, and the others when they become idle. */
  close(): void {
    this.#isClosed = true;
    for (const idle of [...this.#coolingDown, ...this.#ready]) this.drop(idle);
    this.#idleLimit?.cancel();
  }
}
