/** A request's cost, from its usage and its model's prices. */

import { toCount } from "../core/json/values.ts";
import type { Usage } from "../contract/chat.ts";
import { readCounts, type TokenCounts } from "../apis/chat/token_counts.ts";
import { UNIT_NAMES, UNITS, type Units } from "../core/units.ts";
import type { ModelPrices, TokenPrices } from "../contract/model_facts.ts";

/** Micro-dollars in a US dollar. */
export const MICRO_USD = 1_000_000;
/** Counters and limit stores count money in billionths of a US dollar. */
export const NANO_USD = 1_000_000_000;

/** An amount of micro-dollars, which may have decimals, in whole nano-dollars. */
export function toNanoUsd(microUsd: number): number {
  return Math.round(microUsd * 1000);
}

/** The usage, prices and service tier that determine the cost of an answer. */
export interface Billed {
  readonly usage: Usage;
  /** Undefined if they are unknown. */
  readonly prices: ModelPrices | undefined;
  /** The service tier reported by the vendor. */
  readonly tier?: string | undefined;
}

/** The prices used for a cost, in US dollars per million tokens; null if unknown. */
export interface PricesUsed {
  readonly input: number;
  readonly cachedInput: number | null;
  /** The prices for cache writes for 5 minutes, and for an hour. */
  readonly cacheWrite: number | null;
  readonly cacheWriteHour: number | null;
  readonly output: number;
  /** In US dollars, for each unit other than tokens. */
  readonly units?: Units;
  /** True if they are the prices for long prompts. */
  readonly long?: true;
  /** The service tier, if it changes the prices. */
  readonly tier?: string;
}

/** The prices without a tier, for short or for long prompts. Nearly all answers use them. */
const STANDARD = new WeakMap<TokenPrices, PricesUsed>();

/** The prices that apply to an answer's length and service tier. */
export function pricesOf({ usage, prices, tier }: Billed): PricesUsed | undefined {
  if (prices === undefined) return undefined;
  const { long_context: long, tiers, units } = prices;
  const isLong = long !== undefined && usage.prompt_tokens > long.above;
  const rates = isLong ? long : prices;
  // A tier with an unknown price is billed as the standard tier, so that no answer is free.
  const factor = tier === undefined ? undefined : tiers?.get(tier);
  if (factor !== undefined) return toPricesUsed(rates, isLong, units, tier, factor);
  let standard = STANDARD.get(rates);
  if (standard === undefined) STANDARD.set(rates, standard = toPricesUsed(rates, isLong, units));
  return standard;
}

function toPricesUsed(
  rates: TokenPrices,
  isLong: boolean,
  units: Units | undefined,
  tier?: string,
  factor?: number,
): PricesUsed {
  const scaled = (price: number) => factor === undefined ? price : price * factor;
  const known = (price: number | undefined) => price === undefined ? null : scaled(price);
  return {
    input: scaled(rates.input),
    cachedInput: known(rates.cached_input),
    cacheWrite: known(rates.cache_write),
    cacheWriteHour: known(rates.cache_write_1h),
    output: scaled(rates.output),
    ...(units !== undefined && { units: withEach(units, scaled) }),
    ...(isLong && { long: true }),
    ...(factor !== undefined && tier !== undefined && { tier }),
  };
}

function withEach(units: Units, change: (price: number) => number): Units {
  return Object.fromEntries(Object.entries(units).map(([name, price]) => [name, change(price)]));
}

/** The cost in millionths of a US dollar, like {@linkcode costAt}; undefined without prices. */
export function microUsdOf(billed: Billed): number | undefined {
  const prices = pricesOf(billed);
  return prices && costAt(prices, readCounts(billed.usage), billed.usage[UNITS]);
}

/**
 * The cost of tokens and units in millionths of a US dollar. Cache reads and writes are charged at
 * their own prices or, if these are unknown, as regular input. Units without a price are free if
 * tokens have a price; otherwise their cost is unknown (undefined).
 */
export function costAt(
  prices: PricesUsed,
  { input, cached: read, written, writtenHour, output }: TokenCounts,
  units: Units | undefined,
): number | undefined {
  const others = units === undefined ? 0 : microUsdOfUnits(units, prices);
  if (others === undefined && input + output === 0) return undefined;
  const cached = Math.min(input, read);
  const hour = Math.min(written, writtenHour);
  const fresh = Math.max(0, input - cached - written);
  const cacheWrite = prices.cacheWrite ?? prices.input;
  // Prices are in US dollars per million tokens, which equals millionths of a dollar per token.
  return fresh * prices.input + cached * (prices.cachedInput ?? prices.input) +
    (written - hour) * cacheWrite + hour * (prices.cacheWriteHour ?? cacheWrite) +
    output * prices.output + (others ?? 0);
}

/** The cost of units in millionths of a US dollar; undefined if none of them has a known price. */
export function microUsdOfUnits(
  units: Units,
  { units: prices = {} }: PricesUsed,
): number | undefined {
  let sum = 0;
  let isKnown = true;
  for (const name of UNIT_NAMES) {
    const [count, price] = [units[name] ?? 0, prices[name]];
    if (count === 0) continue;
    if (price === undefined) isKnown = false;
    else sum += count * price * MICRO_USD;
  }
  return isKnown || sum > 0 ? sum : undefined;
}

/**
 * The savings from the vendor's cache, in millionths of a US dollar: the cost without it minus the
 * actual cost. It is negative if writes have cost more than reads have saved, and undefined if
 * nothing was read or written, or if the prices are unknown.
 */
export function savedByCache(billed: Billed): number | undefined {
  const { prompt_tokens_details: details, ...usage } = billed.usage;
  if (toCount(details?.cached_tokens) + toCount(details?.cache_write_tokens) === 0) {
    return undefined;
  }
  const [cost, whole] = [microUsdOf(billed), microUsdOf({ ...billed, usage })];
  return cost === undefined || whole === undefined ? undefined : whole - cost;
}

/**
 * The surcharge for writes to the vendor's cache, in millionths of a US dollar; undefined if
 * nothing was written, or if the prices are unknown.
 */
export function costOfWrites(billed: Billed): number | undefined {
  const { prompt_tokens_details: details, ...usage } = billed.usage;
  const written = toCount(details?.cache_write_tokens);
  if (written === 0) return undefined;
  const hour = toCount(details?.cache_write_1h_tokens);
  const writes = { cache_write_tokens: written, cache_write_1h_tokens: hour };
  const cost = microUsdOf({ ...billed, usage: { ...usage, prompt_tokens_details: writes } });
  const whole = microUsdOf({ ...billed, usage });
  return cost === undefined || whole === undefined ? undefined : cost - whole;
}

/** The cost in US dollars, rounded to a billionth. */
export function usdOf(billed: Billed): number | undefined {
  return toUsd(microUsdOf(billed));
}

/** Micro-dollars in US dollars, rounded to a billionth. */
export function toUsd(micros: number | undefined): number | undefined {
  return micros === undefined ? undefined : Math.round(micros * 1000) / 1e9;
}

/** A cost as text without an exponent, which some parsers of decimal numbers do not support. */
export function toDecimal(usd: number): string {
  const text = String(usd);
  return text.includes("e-") ? usd.toFixed(MAX_DECIMALS).replace(/\.?0+$/, "") : text;
}

/** The decimals of a cost: one token at 0.001 dollars per million has nine. */
const MAX_DECIMALS = 15;
