/**
 * Tracks a vendor's remaining rate limits for one key and one family of models: the values in its
 * headers minus requests in flight. Unknown without headers. Times are in milliseconds by the
 * clock.
 */

import { type QuotaHeader, readQuotaHeader } from "../providers/shared/quota_headers.ts";
import type { LimitHeaders } from "../contract/vendor_request.ts";
import type { Provider, Target } from "../config/config.ts";

type TargetName = Pick<Target, "provider" | "model">;

/** How long a remaining amount is valid if the vendor does not report its reset time. */
const UNKNOWN_RESET_MS = 60_000;
/** The maximum reset time that is accepted. */
const MAX_RESET_MS = 86_400_000;
/** The maximum number of limits per key and family. */
const MAX_LIMITS = 16;

/** A limit from the headers. */
type ReadLimit = { readonly [Meaning in QuotaHeader["meaning"]]?: number };

/** A limit, as of the response that reported it. */
interface KnownLimit {
  readonly remaining: number;
  /** The amount available at {@linkcode resetAt}; undefined if the vendor does not report it. */
  readonly limit: number | undefined;
  readonly resetAt: number;
  readonly at: number;
}

/** The headers of one answer. */
interface ArrivedLimits {
  readonly limits: LimitHeaders;
  /** When they arrived, according to the clock and to the machine's clock. */
  readonly now: number;
  readonly wallTime: number;
}

/** One key's rate limits for one family of models. */
export class Quota {
  /** Keyed by unit and window, such as `tokens-minute`. */
  readonly #limits = new Map<string, KnownLimit>();
  /** The number of requests without a response, and their estimated tokens. */
  #requests = 0;
  #tokens = 0;
  /**
   * The headers of the last answer, which are parsed only when needed, since most are replaced
   * before that.
   */
  #unread: ArrivedLimits | undefined;

  /** Called when a request is sent, with an estimate of its tokens. */
  sent(tokens: number): void {
    this.#requests++;
    this.#tokens += tokens;
  }

  /**
   * Called when the response to a request has begun, or when there is none.
   *
   * @param limits its rate-limit headers
   * @param now by the clock
   * @param wallTime by the machine's clock
   */
  answered(
    tokens: number,
    limits: LimitHeaders | undefined,
    now: number,
    wallTime: number,
  ): void {
    this.#requests--;
    this.#tokens -= tokens;
    if (limits === undefined || limits.length === 0) return;
    if (this.#unread !== undefined && !haveSameNames(this.#unread.limits, limits)) this.#read();
    this.#unread = { limits, now, wallTime };
  }

  /** Reads the headers of the last answer. */
  #read(): void {
    if (this.#unread === undefined) return;
    const { limits, now, wallTime } = this.#unread;
    this.#unread = undefined;
    const read = new Map<string, ReadLimit>();
    for (const [name, value] of limits) {
      const header = readQuotaHeader(name, value, wallTime);
      if (header === undefined) continue;
      const { of, meaning, amount } = header;
      read.set(of, { ...read.get(of), [meaning]: amount });
    }
    for (const [of, limit] of read) this.#learn(of, limit, now, wallTime);
  }

  #learn(of: string, { remaining, limit, reset }: ReadLimit, now: number, wallTime: number): void {
    const isFull = !this.#limits.has(of) && this.#limits.size >= MAX_LIMITS;
    if (remaining === undefined || isFull) return;
    const ms = reset === undefined ? UNKNOWN_RESET_MS : reset - wallTime;
    this.#limits.set(of, { remaining, limit, resetAt: now + Math.min(ms, MAX_RESET_MS), at: now });
  }

  /**
   * Whether another request with this many tokens fits into the remaining limits, as far as is
   * known.
   */
  hasRoom(tokens: number, now: number): boolean {
    this.#read();
    for (const [of, limit] of this.#limits) {
      if (now >= limit.resetAt) continue;
      const needed = of.startsWith("requests") ? this.#requests + 1 : this.#tokens + tokens;
      if (remainingAt(limit, now) < needed) return false;
    }
    return true;
  }
}

function haveSameNames(one: LimitHeaders, other: LimitHeaders): boolean {
  return one.length === other.length && one.every(([name], index) => name === other[index]?.[0]);
}

/** The remaining amount, which vendors replenish gradually until the reset. */
function remainingAt({ at, limit, remaining, resetAt }: KnownLimit, now: number): number {
  if (limit === undefined || limit <= remaining || resetAt <= at) return remaining;
  return remaining + (limit - remaining) * (now - at) / (resetAt - at);
}

// The rate limits of vendors by scope: an account, its region and a model family. Providers in
// config.yaml with the same address, key and headers count as one account.

/** All known limits. */
export class Quotas {
  readonly #ofDomains = new Map<string, Quota>();
  /** The same limits by model and key, so that no name has to be built for each request. */
  readonly #ofModels = new WeakMap<Target["model"], Map<string, Quota>>();

  /** The limits for a model and a key; the key is empty for a provider without keys. */
  of(target: TargetName, key = ""): Quota {
    return this.#ofModels.get(target.model)?.get(key) ?? this.#create(target, key);
  }

  #create(target: TargetName, key: string): Quota {
    const quotas = this.#ofModels.get(target.model) ?? new Map<string, Quota>();
    this.#ofModels.set(target.model, quotas);
    const domain = domainOf(target, key);
    const quota = this.#ofDomains.get(domain) ?? new Quota();
    this.#ofDomains.set(domain, quota);
    quotas.set(key, quota);
    return quota;
  }

  /** Whether nothing has been sent yet, so that the limits are unknown. */
  get isEmpty(): boolean {
    return this.#ofDomains.size === 0;
  }

  /** Removes the limits of providers that are not in the new configuration. */
  keep(providers: Iterable<Provider>): void {
    const kept = new Set<string>();
    for (const provider of providers) {
      for (const model of provider.models) {
        for (const key of ["", ...provider.keys]) kept.add(domainOf({ provider, model }, key));
      }
    }
    for (const domain of this.#ofDomains.keys()) {
      if (!kept.has(domain)) this.#ofDomains.delete(domain);
    }
  }
}

/**
 * The region is part of the address, and headers in config.yaml may identify an organization.
 * Credentials other than a key are not compared.
 */
function domainOf({ provider, model }: TargetName, key: string): string {
  const { adapter, headers, settings: { baseUrl, id } } = provider;
  const family = adapter.quotaFamily?.(model) ?? model.upstream;
  const account = key === "" ? { id } : { key };
  return JSON.stringify([baseUrl, account, headers, family]);
}
