/** The sessions that had to move from the target that their hash gives. All others need no memory. */

import { setNewest } from "../../core/bounded_map.ts";

/** Where a session is now. */
interface Move {
  readonly target: string;
  /** When it is forgotten, in milliseconds of the clock. */
  readonly until: number;
}

/** Service keys with moved sessions, and such sessions of each; the oldest one is forgotten. */
const MAX_KEYS = 500;
const MAX_SESSIONS = 1000;

/** Moved sessions of one process: bounded, and apart for each service key. */
export class MovedSessions {
  readonly #keys = new Map<string, Map<string, Move>>();

  /**
   * The target of a session; undefined if it has not moved.
   *
   * @param nameOf names the session; called if sessions of the service key have moved
   */
  find(key: string, nameOf: () => string, now: number): Move | undefined {
    const move = this.#keys.get(key)?.get(nameOf());
    return move !== undefined && now < move.until ? move : undefined;
  }

  /** A target has served a session that belongs elsewhere. */
  moved(key: string, session: string, move: Move): void {
    const sessions = this.#keys.get(key) ?? new Map<string, Move>();
    setNewest(this.#keys, key, sessions, MAX_KEYS);
    setNewest(sessions, session, move, MAX_SESSIONS);
  }

  /** The session goes where its hash says. */
  forget(key: string, nameOf: () => string): void {
    const sessions = this.#keys.get(key);
    if (sessions?.delete(nameOf()) && sessions.size === 0) this.#keys.delete(key);
  }
}
