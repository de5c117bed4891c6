/**
 * Keeps the requests of a session at one target and vendor key as long as these work. The target of
 * a session is derived from its name, so that workers and replicas agree without a store; only
 * moved sessions are stored.
 */

import type { Balance, FallbackTarget, Target } from "../../config/config.ts";
import type { AffinityPolicy, RoutingPolicy } from "../../config/routing_schema.ts";
import type { Feature, RequestFeature } from "../../gateway/feature.ts";
import type { RequestSession, SessionColumns } from "../../gateway/feature_attempts.ts";
import {
  type OrderContext,
  type OrderedGroup,
  type TargetOrder,
  withFirst,
} from "../../gateway/order/strategy.ts";
import { type Hash, hashText, type Place, placeOf, scoreOf } from "./hash.ts";
import type { MovedSessions } from "./moved_sessions.ts";
import { readSession, type Session, sessionId, type SessionSource } from "./session.ts";

/**
 * Enables session affinity for requests whose model's policy requests it.
 *
 * @param moved the sessions that are not at the target that their hash selects
 */
export function affinity(moved: MovedSessions): Feature {
  return {
    name: "affinity",
    plan({ routes }) {
      const policy = routes.map(({ policy: { affinity } }) => affinity).find(isOn);
      if (policy === undefined) return undefined;
      return {
        start: ({ key, model, sent }) =>
          sent && new RequestAffinity({ source: sent, key, model, moved, policy }),
      };
    },
  };
}

function isOn(policy: RoutingPolicy["affinity"]): policy is AffinityPolicy {
  return policy !== undefined && policy !== "off";
}

/** The inputs for a request's affinity. */
export interface AffinityInput {
  readonly policy: AffinityPolicy;
  readonly source: SessionSource;
  /** The name of the service key; sessions of different keys are unrelated. */
  readonly key: string;
  /** The model as named by the caller. */
  readonly model: string;
  readonly moved: MovedSessions;
}

type Targets = readonly FallbackTarget[];

/**
 * Why a session moves: `unavailable` means an open breaker, or a request that the target does not
 * support.
 */
type MoveReason = "failed" | "headroom" | "slow" | "unavailable";

/** The minimum time for which vendors keep caches after the last use, in milliseconds. */
const CACHE_MS = 300_000;

/** The balances under which all sessions go to the first target instead of being divided. */
const UNDIVIDED: ReadonlySet<Balance> = new Set(["in_order", "price"]);

/** Whether the policy of a route enables affinity and the caller does not choose an order. */
function mayOrder({ affinity }: RoutingPolicy, { options }: OrderContext): boolean {
  return isOn(affinity) && options?.balance === undefined && options?.order === undefined;
}

/** One request's affinity. Exported for tests. */
export class RequestAffinity implements RequestFeature, RequestSession {
  readonly order: TargetOrder = {
    group: (targets, { balance, policy }: OrderedGroup, context) =>
      UNDIVIDED.has(balance) || !mayOrder(policy, context)
        ? undefined
        : this.orderGroup(targets, balance === "weighted", context),
    route: (chain, policy, context) =>
      mayOrder(policy, context) ? this.follow(chain, context) : chain,
  };
  readonly #input: AffinityInput;
  readonly #session: Session;
  /** The session's two hashes. */
  readonly #hash: Hash;
  readonly #other: Hash;
  #id: string | undefined;
  /** The first target in the chain according to the session's hash. */
  #home: Target | undefined;
  /** The targets of its group, if sessions are divided among them. */
  #equals: Targets | undefined;
  /** Why the session leaves its target. */
  #reason: MoveReason | undefined;
  /** Why this request moved the session; undefined if it did not. */
  moveReason: MoveReason | undefined;

  constructor(input: AffinityInput) {
    this.#input = input;
    this.#session = readSession(input.source);
    const hasher = this.#session.hashFrom(hashText(input.key));
    this.#hash = hasher.hash;
    this.#other = hasher.other;
  }

  get session(): RequestSession {
    return this;
  }

  /** Distinguishes a service key's sessions without revealing them. */
  get id(): string {
    return this.#id ??= sessionId(this.#hash, this.#other);
  }

  /** How long the session waits for its target, in milliseconds; undefined for the default. */
  get maxWait(): number | undefined {
    return this.#input.policy.leave?.wait;
  }

  /**
   * Orders a group's targets for the session: the target that its hash selects is first.
   *
   * @param isWeighted whether targets without a weight receive no sessions
   */
  orderGroup(targets: Targets, isWeighted: boolean, context: OrderContext): Targets {
    context.notes.add("affinity");
    const usesWeights = isWeighted && targets.some(({ weight }) => weight !== undefined);
    const sorted = byScore(targets, ({ target, weight }) => {
      return scoreOf(this.#hash, placeOfTarget(target), usesWeights ? weight ?? 0 : 1);
    });
    this.#equals ??= sorted;
    return sorted;
  }

  /** Puts the target to which the session has moved first, unless the session must leave it too. */
  follow(chain: Targets, context: OrderContext): Targets {
    const [first] = chain;
    if (first === undefined || this.#home !== undefined) return chain;
    this.#home = first.target;
    const { key, moved } = this.#input;
    const move = moved.find(key, this.#memoryKey, context.clock.now());
    const found = move && chain.find(({ target }) => nameOf(target) === move.target);
    if (found !== undefined && found !== first) context.notes.add("moved");
    return this.#withRoom(this.#left(withFirst(found, chain), context), context);
  }

  /**
   * Whether the session leaves a target for an equal one because its request would exceed the rate
   * limits.
   */
  #withRoom(chain: Targets, { clock, notes, state, tokens }: OrderContext): Targets {
    const [first] = chain;
    const equals = this.#equals;
    if (first === undefined || !equals?.includes(first)) return chain;
    const now = clock.now();
    const hasRoom = ({ target }: FallbackTarget) => state.hasRoom(target, tokens, now);
    if (hasRoom(first)) return chain;
    const other = equals.find((entry) => chain.includes(entry) && hasRoom(entry));
    if (other === undefined) return chain;
    this.#reason = "headroom";
    notes.postpone("headroom");
    return withFirst(other, chain);
  }

  /** Whether the session leaves a target that is much slower than an equal one. */
  #left(chain: Targets, { clock, notes, state, stream }: OrderContext): Targets {
    const worseBy = this.#input.policy.leave?.ttft_worse_by;
    const [first] = chain;
    const equals = this.#equals;
    if (worseBy === undefined || first === undefined || !equals?.includes(first)) return chain;
    const now = clock.now();
    const latencyOf = ({ target }: FallbackTarget) => {
      const { latency } = state.statsOf(target).speedOf(stream);
      return latency.last === undefined ? undefined : latency.value(latency.last, now);
    };
    const own = latencyOf(first);
    if (own === undefined) return chain;
    const better = equals.find((entry) => (latencyOf(entry) ?? Infinity) + worseBy < own);
    if (better === undefined || !chain.includes(better)) return chain;
    this.#reason = "slow";
    notes.add("left");
    return withFirst(better, chain);
  }

  /** A provider's keys in the order in which the session uses them. */
  keysOf(keys: readonly string[]): readonly string[] {
    if (keys.length < 2) return keys;
    const places = placesOf(keys);
    return byScore(keys, (_, index) => scoreOf(this.#hash, places[index] ?? 0));
  }

  /** Called when a target has answered, so that the session stays there. */
  served(target: Target, columns: SessionColumns, now: number): void {
    const { key, moved } = this.#input;
    const name = nameOf(target);
    columns.session ??= this.id;
    columns.affinity = this.#session.isNew ? "new" : "hit";
    if (this.#home !== undefined && name === nameOf(this.#home)) {
      moved.forget(key, this.#memoryKey);
      return;
    }
    const known = moved.find(key, this.#memoryKey, now);
    if (known?.target !== name) {
      columns.affinity = "moved";
      this.moveReason = this.#reason ?? "unavailable";
    }
    // A move to an equal target lasts as long as the session; from a fallback, the session returns.
    const isEqual = this.#equals?.some(({ target: equal }) => equal === target) === true;
    const until = known?.target === name && !isEqual ? known.until : now + this.#ttl;
    moved.moved(key, this.#memoryKey(), { target: name, until }, now);
  }

  /**
   * Called when a target has failed, so that a session which moved there returns to the target of
   * its hash.
   */
  failed(target: Target, now: number): void {
    this.#reason = "failed";
    const { key, moved } = this.#input;
    if (moved.find(key, this.#memoryKey, now)?.target === nameOf(target)) {
      moved.forget(key, this.#memoryKey);
    }
  }

  get #ttl(): number {
    const { ttl } = this.#input.policy;
    return typeof ttl === "number" ? ttl : CACHE_MS;
  }

  /** A session may use several models, each of which has a separate target. */
  readonly #memoryKey = (): string => `${this.id} ${this.#input.model}`;
}

/** The entries in descending order of score. */
function byScore<Entry>(
  entries: readonly Entry[],
  scoreAt: (entry: Entry, index: number) => number,
): readonly Entry[] {
  const scored = entries.map((entry, index) => ({ entry, score: scoreAt(entry, index) }));
  return scored.sort((one, other) => other.score - one.score).map(({ entry }) => entry);
}

function nameOf({ provider, model }: Target): string {
  return `${model.upstream}@${provider.settings.id}`;
}

const TARGET_PLACES = new WeakMap<Target, Place>();
const KEY_PLACES = new WeakMap<readonly string[], readonly Place[]>();

/** A target's cached hash. */
function placeOfTarget(target: Target): Place {
  let place = TARGET_PLACES.get(target);
  if (place === undefined) TARGET_PLACES.set(target, place = placeOf(nameOf(target)));
  return place;
}

function placesOf(keys: readonly string[]): readonly Place[] {
  let places = KEY_PLACES.get(keys);
  if (places === undefined) KEY_PLACES.set(keys, places = keys.map((key) => placeOf(key)));
  return places;
}
