/**
 * The sessions that have moved away from the target of their hash. Other sessions take no memory.
 */

import { setNewest } from "../../core/collections.ts";

/** The current location of a session. */
interface Move {
  readonly target: string;
  /** When it expires, in milliseconds by the clock. */
  readonly until: number;
}

/** A move that other workers know about. */
interface KnownMove extends Move {
  /** When it expires in the other workers. */
  readonly reported: number;
}

/**
 * A move for other workers and replicas; without `target`, the session has returned to the target
 * of its hash.
 */
export interface MoveChange {
  /** The name of the service key; sessions of different keys are unrelated. */
  readonly key: string;
  /** The session's pseudonym, and the model. */
  readonly session: string;
  readonly target: string | undefined;
  readonly until: number;
}

/**
 * The maximum number of service keys with moved sessions, and of such sessions per key; the oldest
 * is dropped.
 */
const MAX_KEYS = 500;
const MAX_SESSIONS = 1000;
/**
 * The maximum number of moved sessions in total. Sessions of the service key that moved sessions
 * least recently are dropped first.
 */
export const MAX_MOVES = 100_000;
/** A move that is extended is reported again once this share of its duration has been added. */
const MIN_EXTENSION = 0.1;

/** The moved sessions known to one worker: bounded, and separate for each service key. */
export class MovedSessions {
  readonly #keys = new Map<string, Map<string, KnownMove>>();
  #size = 0;
  /** Called when a request in this worker has moved a session, or moved it back. */
  onChange: ((change: MoveChange) => void) | undefined;
  /** Called on the first use, to start sharing the sessions. */
  onUse: (() => void) | undefined;

  /**
   * The target of a session; undefined if it has not moved.
   *
   * @param nameOf returns the session's name; called only if sessions of the service key have moved
   */
  find(key: string, nameOf: () => string, now: number): Move | undefined {
    this.onUse?.();
    const move = this.#keys.get(key)?.get(nameOf());
    return move !== undefined && now < move.until ? move : undefined;
  }

  /** Records that a target has served a session that belongs to another target. */
  moved(key: string, session: string, { target, until }: Move, now: number): void {
    const known = this.#keys.get(key)?.get(session);
    const isTold = known?.target === target &&
      until - known.reported < (until - now) * MIN_EXTENSION;
    this.#set(key, session, { target, until, reported: isTold ? known.reported : until });
    if (!isTold) this.onChange?.({ key, session, target, until });
  }

  /** Records that the session uses the target of its hash. */
  forget(key: string, nameOf: () => string): void {
    if (!this.#keys.has(key)) return;
    const session = nameOf();
    if (!this.#delete(key, session)) return;
    this.onChange?.({ key, session, target: undefined, until: 0 });
  }

  /** Records that another worker or replica moved a session, or moved it back. */
  apply({ key, session, target, until }: MoveChange, now: number): void {
    if (target === undefined) this.#delete(key, session);
    else if (until > now) this.#set(key, session, { target, until, reported: until });
  }

  /** The sessions that are not at the target that their hash selects. */
  *all(now: number): Iterable<MoveChange> {
    for (const [key, sessions] of this.#keys) {
      for (const [session, { target, until }] of sessions) {
        if (now < until) yield { key, session, target, until };
      }
    }
  }

  #set(key: string, session: string, move: KnownMove): void {
    const sessions = this.#keys.get(key) ?? new Map<string, KnownMove>();
    if (!this.#keys.has(key) && this.#keys.size === MAX_KEYS) this.#dropOldest();
    this.#size -= sessions.size;
    setNewest(this.#keys, key, sessions, MAX_KEYS);
    setNewest(sessions, session, move, MAX_SESSIONS);
    this.#size += sessions.size;
    if (this.#size > MAX_MOVES) this.#dropOldest();
  }

  #delete(key: string, session: string): boolean {
    const sessions = this.#keys.get(key);
    if (sessions?.delete(session) !== true) return false;
    this.#size--;
    if (sessions.size === 0) this.#keys.delete(key);
    return true;
  }

  /** Removes the sessions of the service key that moved sessions least recently. */
  #dropOldest(): void {
    const [oldest] = this.#keys;
    if (oldest === undefined) return;
    this.#keys.delete(oldest[0]);
    this.#size -= oldest[1].size;
  }
}
