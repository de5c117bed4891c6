/**
 * The end users of keys, each with limits and a budget in addition to the key's own. The number of
 * users per key is bounded; all others share one set of limits.
 */

import type { EndUserRules, ServiceKey } from "../config/keys.ts";
import { periodNumber } from "../core/budget_period.ts";
import type { Clock } from "../core/clock.ts";
import { LIMIT_KINDS } from "../core/limit_kinds.ts";

/** The owner of limits. */
export interface Owner {
  /** The name in counters. */
  readonly id: string;
  /** The name in messages. */
  readonly text: string;
  /** Whether the owner is a model. Callers see only the state of key limits. */
  readonly isModel: boolean;
}

/** The owner of limits: a key, or one of its end users. */
export function toOwner({ name, endUser }: Pick<ServiceKey, "name" | "endUser">): Owner {
  if (endUser === undefined) return { id: `key:${name}`, text: `key '${name}'`, isModel: false };
  const text = `end user '${endUser}' of key '${name}'`;
  return { id: `user:${encodeURIComponent(endUser)}:${name}`, text, isModel: false };
}

/** The name shared by the end users beyond a key's maximum. */
export const OTHER_USERS = "(other)";

/** An end user as an owner of limits, and the wall-clock time of its last use. */
interface KnownUser {
  readonly key: ServiceKey;
  usedAt: number;
}

export class EndUsers {
  readonly #clock: Clock;
  /** By key; the least recently used one is first. */
  readonly #users = new WeakMap<ServiceKey, Map<string, KnownUser>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The owner of an end user's limits; undefined if the key has none for its end users.
   *
   * @param user as in the ledger; undefined if the request names none
   */
  of(key: ServiceKey, user: string | undefined): ServiceKey | undefined {
    const { endUsers: rules } = key;
    if (rules === undefined || user === undefined) return undefined;
    let users = this.#users.get(key);
    if (users === undefined) this.#users.set(key, users = new Map());
    const now = this.#clock.wallTime();
    const name = users.has(user) || makeRoom(users, rules, now) ? user : OTHER_USERS;
    const known = users.get(name) ?? { key: standIn(key, rules, name), usedAt: now };
    known.usedAt = now;
    users.delete(name);
    users.set(name, known);
    return known.key;
  }
}

/** Makes room for another user if possible. Users whose limits are in use are not removed. */
function makeRoom(users: Map<string, KnownUser>, rules: EndUserRules, now: number): boolean {
  if (users.size < rules.max) return true;
  const [[oldest, user] = []] = users;
  if (oldest === undefined || user === undefined || !isForgettable(user, rules, now)) return false;
  users.delete(oldest);
  return true;
}

/** Whether a user's limits are fully refilled, so that the entry can be removed. */
function isForgettable(
  { usedAt }: KnownUser,
  { limits = {}, budget }: EndUserRules,
  now: number,
): boolean {
  const isSpent = budget !== undefined &&
    periodNumber(budget.per, usedAt) === periodNumber(budget.per, now);
  const windows = LIMIT_KINDS.filter(({ name }) => limits[name] !== undefined);
  const longest = Math.max(0, ...windows.map(({ windowUs }) => windowUs / 1000));
  return !isSpent && now - usedAt >= longest;
}

/** A key with an end user's limits. */
function standIn(
  { name: of }: ServiceKey,
  { limits, budget }: EndUserRules,
  user: string,
): ServiceKey {
  return { name: of, endUser: user, limits, budget };
}
