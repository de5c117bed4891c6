/**
 * Tracks whether marking prompts pays off for one service key, model and target: vendors bill more
 * for cache writes and much less for cache reads.
 */

import type { Usage } from "../../contract/chat.ts";
import { toCount } from "../../core/json/values.ts";
import type { ModelPrices } from "../../contract/model_facts.ts";
import { touch } from "../../core/collections.ts";

/** Which positions are marked: all, only the end of the system prompt and the tools, or none. */
export type MarkScope = "all" | "prefix" | "none";

/** The cache's cost and savings, in equivalent uncached input tokens. */
interface CacheEffect {
  readonly cost: number;
  readonly saved: number;
}

/**
 * The surcharge of Claude's five-minute cache writes, and the discount of cache reads
 * (https://platform.claude.com/docs/en/build-with-claude/prompt-caching, 2026-11-24).
 */
const USUAL_COST = 0.25;
const USUAL_SAVING = 0.9;

/** The cost and savings of the vendor's cache for one answer. */
export function cacheEffectOf(usage: Usage, prices: ModelPrices | undefined): CacheEffect {
  const { cached_tokens, cache_write_tokens } = usage.prompt_tokens_details ?? {};
  const input = prices?.input || undefined;
  const share = (price: number | undefined) =>
    price === undefined || input === undefined ? undefined : price / input;
  const write = share(prices?.cache_write) ?? 1 + USUAL_COST;
  const read = share(prices?.cached_input) ?? 1 - USUAL_SAVING;
  return {
    cost: toCount(cache_write_tokens) * Math.max(0, write - 1),
    saved: toCount(cached_tokens) * Math.max(0, 1 - read),
  };
}

/**
 * Milliseconds for which a vendor keeps a prompt after its last use, during which a write may pay
 * off.
 */
const CACHE_MS = 300_000;
/** The half-life of past requests, in milliseconds. */
const HALF_LIFE_MS = 21_600_000;
/**
 * The number of requests with writes older than {@linkcode CACHE_MS} that are required for a
 * decision.
 */
const MIN_REQUESTS = 8;
/**
 * The number of requests that may write without any read, since many conversations may begin at the
 * same time.
 */
const MAX_UNREAD = 256;
/** The same after marks have failed to pay off. */
const MAX_UNREAD_TRIAL = 32;
/** Milliseconds until marks are tried again, doubled each time that they do not pay off. */
const MIN_PAUSE_MS = 1_200_000;
const MAX_PAUSE_MS = 21_600_000;
/** Milliseconds for learning whether marking the prefix pays off. */
const PREFIX_TRIAL_MS = 1_800_000;
/** How many times all marks must fail before the prefix is tried again. */
const PREFIX_TRIAL_LOSSES = 4;

/** Requests with marks, and the cost of their writes. */
interface Writes {
  readonly requests: number;
  readonly cost: number;
}

const NOTHING: Writes = { requests: 0, cost: 0 };

function sumOf(one: Writes, other: Writes): Writes {
  return { requests: one.requests + other.requests, cost: one.cost + other.cost };
}

/**
 * Measures whether marks pay off, stops marking if they do not, and tries again later.
 * Exported for tests.
 */
export class Payoff {
  #scope: MarkScope = "all";
  /** When all marks will be tried again; Infinity while all are used. */
  #retryAt = Infinity;
  /** Whether marking only the prefix pays off, once known. */
  #prefixPays: boolean | undefined;
  /** The number of consecutive times that marks did not pay off. */
  #losses = 0;
  /** Requests whose writes can no longer get a first read, and their cost. */
  #settled = NOTHING;
  /** Requests in the previous period and in the current one. */
  #last = NOTHING;
  #current = NOTHING;
  #saved = 0;
  /** The start of the current period. */
  #since = -Infinity;

  /** The current scope of marks. Has no side effects. */
  scope(now: number): MarkScope {
    return now >= this.#retryAt ? "all" : this.#scope;
  }

  /**
   * Counts the answer to a request with marks.
   *
   * @param scope what was marked
   */
  answered({ cost, saved }: CacheEffect, scope: MarkScope, now: number): void {
    if (now >= this.#retryAt) this.#enter("all");
    // The request was sent before the scope changed.
    if (scope !== this.#scope) return;
    if (now - this.#since >= CACHE_MS) this.#endPeriod(now);
    this.#current = sumOf(this.#current, { requests: 1, cost });
    this.#saved += saved;
    this.#judge(now);
  }

  #endPeriod(now: number): void {
    const elapsed = Math.min(now - this.#since, MAX_PAUSE_MS * 100);
    const factor = 0.5 ** (elapsed / HALF_LIFE_MS);
    const { requests, cost } = this.#settled;
    const kept = sumOf({ requests: requests * factor, cost: cost * factor }, this.#last);
    const isLong = elapsed >= 2 * CACHE_MS;
    this.#settled = isLong ? sumOf(kept, this.#current) : kept;
    this.#last = isLong ? NOTHING : this.#current;
    this.#current = NOTHING;
    this.#saved *= factor;
    this.#since = now;
  }

  #judge(now: number): void {
    const { requests, cost } = this.#settled;
    const unsettled = sumOf(this.#last, this.#current);
    const isUnread = this.#saved < cost + unsettled.cost &&
      unsettled.requests >= (this.#losses > 0 ? MAX_UNREAD_TRIAL : MAX_UNREAD);
    const isKnown = requests >= MIN_REQUESTS;
    if (isUnread || isKnown && cost > this.#saved) this.#stop(now);
    else if (isKnown && this.#scope === "all") this.#losses = 0;
    else if (isKnown && this.#prefixPays === undefined) this.#settle(true, now);
  }

  /** The marks do not pay off, so fewer are placed. */
  #stop(now: number): void {
    if (this.#scope === "prefix") return this.#settle(false, now);
    this.#losses++;
    if (this.#losses % PREFIX_TRIAL_LOSSES === 1) this.#prefixPays = undefined;
    if (this.#prefixPays !== undefined) return this.#settle(this.#prefixPays, now);
    this.#enter("prefix");
    // If no prefix is long enough, its payoff never becomes known.
    this.#retryAt = now + this.#pause + PREFIX_TRIAL_MS;
  }

  /** The prefix's payoff is known, so the pause before retrying all marks begins. */
  #settle(prefixPays: boolean, now: number): void {
    this.#prefixPays = prefixPays;
    const scope = prefixPays ? "prefix" : "none";
    if (this.#scope !== scope) this.#enter(scope);
    this.#retryAt = now + this.#pause;
  }

  get #pause(): number {
    return Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (this.#losses - 1));
  }

  #enter(scope: MarkScope): void {
    this.#scope = scope;
    this.#retryAt = Infinity;
    this.#settled = this.#last = this.#current = NOTHING;
    this.#saved = 0;
    this.#since = -Infinity;
  }
}

/** The key for a learned decision. */
export interface MarkedPlace {
  /** The name of the service key: keys do not affect each other. */
  readonly key: string;
  /** The alias or model as named in config.yaml. */
  readonly model: string;
  readonly provider: string;
  readonly upstream: string;
}

/** The maximum number of service keys; the least recently used one is dropped. */
const MAX_KEYS = 1000;
/** The maximum number of models at targets per service key. */
const MAX_PLACES = 200;

/** One process's payoffs, bounded. Dropped entries are learned again. */
export class Payoffs {
  readonly #keys = new Map<string, Map<string, Payoff>>();

  /** The payoff learned for a key, if any. */
  find(place: MarkedPlace): Payoff | undefined {
    return this.#keys.get(place.key)?.get(nameOf(place));
  }

  /** The payoff at a target; a new one if nothing was measured. */
  of(place: MarkedPlace): Payoff {
    const places = touch(this.#keys, place.key, MAX_KEYS, () => new Map<string, Payoff>());
    return touch(places, nameOf(place), MAX_PLACES, () => new Payoff());
  }
}

function nameOf({ model, provider, upstream }: MarkedPlace): string {
  return JSON.stringify([model, provider, upstream]);
}
