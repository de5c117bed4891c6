/** Prices that vendors state for all of their models, as factors of other prices. */

import type { ModelPrices, TokenPrices } from "../contract/model_facts.ts";

/** Factors of the price of input, and of all prices. */
interface PriceRule {
  /** The vendor in the catalogue. */
  readonly vendor: string;
  /** The models that the rule is about; all of the vendor if omitted. */
  readonly models?: RegExp;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  readonly cacheWriteHour?: number;
  readonly tiers?: ReadonlyMap<string, number>;
}

const RULES: readonly PriceRule[] = [
  // Cached input costs a tenth of other input, a cache write 1.25 times as much, and 2 times for an
  // hour (https://docs.rs/claude-session-parser/0.2.3, 2026-11-22).
  { vendor: "anthropic", cachedInput: 0.1, cacheWrite: 1.25, cacheWriteHour: 2 },
  // Earlier models write to the cache at the price of other input
  // (https://github.com/coder/mux/issues/3705, 2026-11-22).
  { vendor: "openai", models: /^gpt-(?:5\.[6-9]|[6-9])/, cacheWrite: 1.25 },
  // Flex processing has the prices of the batch interface, which are half of the others
  // (https://platform.openai.com/docs/guides/flex-processing, 2026-11-22).
  { vendor: "openai", models: /^(?:gpt-[5-9]|o3$|o4-mini)/, tiers: new Map([["flex", 0.5]]) },
  // Cached input costs a tenth (https://docs.rs/tt-shared/0.1.2, 2026-11-22), and flex processing
  // half (https://ai.google.dev/gemini-api/docs/optimization, 2026-11-22).
  { vendor: "google", models: /^gemini-\d/, cachedInput: 0.1, tiers: new Map([["flex", 0.5]]) },
];

/** Adds the prices that the vendor's rules give to those that are known. */
export function withRules(vendor: string, model: string, prices: ModelPrices): ModelPrices {
  return RULES
    .filter((rule) => rule.vendor === vendor && (rule.models?.test(model) ?? true))
    .reduce((known, rule) => ({
      ...derived(rule, known),
      ...(known.long_context && {
        long_context: { ...derived(rule, known.long_context), above: known.long_context.above },
      }),
      ...tiersOf(rule, known),
    }), prices);
}

/** The prices of tokens. Known prices take precedence. */
function derived(
  { cachedInput, cacheWrite, cacheWriteHour }: PriceRule,
  { input, output, cached_input, cache_write, cache_write_1h }: TokenPrices,
): TokenPrices {
  const cached = cached_input ?? times(input, cachedInput);
  const write = cache_write ?? times(input, cacheWrite);
  const writeHour = cache_write_1h ?? times(input, cacheWriteHour);
  return {
    ...{ input, output },
    ...(cached !== undefined && { cached_input: cached }),
    ...(write !== undefined && { cache_write: write }),
    ...(writeHour !== undefined && { cache_write_1h: writeHour }),
  };
}

/** A price times a factor, without the error of binary fractions. */
function times(price: number, factor: number | undefined): number | undefined {
  return factor === undefined ? undefined : Math.round(price * factor * 1e6) / 1e6;
}

function tiersOf({ tiers }: PriceRule, known: ModelPrices): Pick<ModelPrices, "tiers"> {
  return known.tiers === undefined && tiers === undefined
    ? {}
    : { tiers: new Map([...tiers ?? [], ...known.tiers ?? []]) };
}
