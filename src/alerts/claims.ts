/**
 * Lets the replicas that share a store send each alert once. The first replica whose condition
 * holds sends the alert, and the last one whose condition ends sends the end.
 */

import {
  commonKeyOf,
  keyOf,
  type SharedStore,
  type StoreLink,
} from "../memory/shared_store/shared_store.ts";

/** The time limit for a call to the store. No request waits for it. */
const WAIT_MS = 500;

/**
 * KEYS: the replicas whose condition holds, with the expiry of each report; the flag that marks a
 * sent alert. ARGV: the replica, how long its report is valid, and the lifetime of the flag, in
 * milliseconds. Returns 1 if this replica sends the alert.
 */
const CLAIM = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if redis.call('SET', KEYS[2], 'open', 'NX', 'PX', ARGV[3]) then return 1 end
if redis.call('GET', KEYS[2]) == 'open' then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
return 0`;

/** KEYS as above. ARGV: the replica. Returns 1 if this replica sends the end of the alert. */
const RELEASE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) > 0 or redis.call('GET', KEYS[2]) ~= 'open' then return 0 end
redis.call('SET', KEYS[2], 'ended', 'PX', math.max(1, redis.call('PTTL', KEYS[2])))
return 1`;

/**
 * KEYS: a flag. ARGV: 1 if this replica had requests, and how long this is valid, in milliseconds.
 */
const TRAFFIC = `
if ARGV[1] == '1' then redis.call('SET', KEYS[1], '1', 'PX', ARGV[2]) end
return redis.call('EXISTS', KEYS[1])`;

/** Decides which replica sends. Each method resolves to undefined while the store fails. */
export class AlertClaims {
  readonly #link: StoreLink<"claim" | "release" | "traffic", number>;
  readonly #store: SharedStore;
  readonly #replica: string;
  readonly #holdMs: number;

  /**
   * @param replica the ID of this process
   * @param holdMs how long other replicas consider this replica's condition valid
   */
  constructor(store: SharedStore, replica: string, holdMs: number) {
    this.#store = store;
    this.#replica = replica;
    this.#holdMs = holdMs;
    this.#link = store.join({
      name: "alerts",
      scripts: { claim: CLAIM, release: RELEASE, traffic: TRAFFIC },
      effect: () => "each replica sends its alerts",
    });
  }

  /** Whether the store is failing. */
  get isLost(): boolean {
    return this.#store.isLost;
  }

  /**
   * Reports that an alert's condition holds. It must be called again while it holds.
   *
   * @returns whether this replica sends the alert
   */
  claim(id: string, periodMs: number): Promise<boolean | undefined> {
    return this.#ask("claim", keysOf(id), [this.#replica, this.#holdMs, Math.ceil(periodMs)]);
  }

  /**
   * Reports that the condition no longer holds.
   *
   * @returns whether this replica sends the end
   */
  release(id: string): Promise<boolean | undefined> {
    return this.#ask("release", keysOf(id), [this.#replica]);
  }

  /** Whether any replica had recent requests. */
  hasTraffic(isOwn: boolean): Promise<boolean | undefined> {
    return this.#ask("traffic", [commonKeyOf("alerts:traffic")], [isOwn ? 1 : 0, this.#holdMs]);
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  async #ask(
    script: "claim" | "release" | "traffic",
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<boolean | undefined> {
    const reply = await this.#link.ask(script, keys, args, { waitMs: WAIT_MS });
    return reply === undefined ? undefined : Number(reply) === 1;
  }
}

/** An alert's keys, which have the same hash slot. */
function keysOf(id: string): readonly string[] {
  const owner = `alert:${id}`;
  return [keyOf(owner, "replicas"), keyOf(owner, "sent")];
}
