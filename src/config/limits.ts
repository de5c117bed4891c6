/** The limits, budgets and prices of keys and models: their schemas and their resolved values. */

import * as z from "zod";
import { BUDGET_PERIODS, type BudgetPeriod } from "../core/budget_period.ts";
import { LIMIT_KINDS, type LimitKind, type LimitKindName } from "../core/limit_kinds.ts";
import { amount, integer, usd } from "./values.ts";
import { UNIT_PRICES, type Units } from "../core/units.ts";
import type { ModelPrices } from "../contract/model_facts.ts";
import { withCheck } from "../core/validation_messages.ts";

type RatesByKind = { readonly [Name in LimitKindName]?: number | undefined };

/** Limits of a key or a model. Absent means unlimited. */
export interface RateLimits extends RatesByKind {
  /** The number of concurrent requests. */
  readonly concurrent?: number | undefined;
}

/** The maximum amount that a key may spend in a period. */
export interface Budget {
  readonly usd: number;
  readonly per: BudgetPeriod;
  /** Whether models with unknown prices may be used; `deny` if absent. */
  readonly unknown_prices?: "allow" | "deny" | undefined;
}

/** The limits of a configuration, apart from those of individual keys. */
export interface LimitRules {
  /** The limits of keys that do not set their own. */
  readonly defaults: RateLimits;
  /** Limits of models for all keys together, by model ID. */
  readonly models: ReadonlyMap<string, RateLimits>;
}

const members = {
  ...Object.fromEntries(
    LIMIT_KINDS.map((kind) => [kind.name, amount(describe(kind)).optional()]),
  ) as {
    readonly [Name in LimitKindName]: z.ZodOptional<ReturnType<typeof amount>>;
  },
  concurrent: integer("Maximum number of concurrent requests", 1).optional(),
};

/** The schema of `limits` in an entry of `server.keys`. */
export const keyLimits = z.strictObject(members);

/** The schema of `budget` in an entry of `server.keys`. */
export const keyBudget = z.strictObject({
  usd: usd("US dollars"),
  per: z.enum(BUDGET_PERIODS).describe("The calendar period in UTC after which the budget renews"),
  unknown_prices: z.enum(["allow", "deny"]).optional().describe(
    "Whether the key may use models with unknown prices, which then count as zero; " +
      "'deny' if omitted",
  ),
});

/** The schema of the `limits` section. */
export const limitsSection = z.strictObject({
  ...members,
  models: z.record(z.string().min(1), z.strictObject(members)).default({})
    .describe(
      "By model ID: limits for all keys' requests to this model, including fallbacks",
    ),
});

/** Converts the `limits` section. */
export function toLimitRules({ models, ...defaults }: z.infer<typeof limitsSection>): LimitRules {
  return { defaults, models: new Map(Object.entries(models)) };
}

/** The limits of a key: its own settings, and defaults for the rest. */
export function limitsOf(own: RateLimits | undefined, { defaults }: LimitRules): RateLimits {
  return own === undefined ? defaults : { ...defaults, ...own };
}

function describe({ unit: { name }, window }: LimitKind): string {
  const unit = name.charAt(0).toUpperCase() + name.slice(1);
  const what = name === "tokens" ? ", input and output together" : "";
  return `${unit} per ${window}${what}`;
}

type UnitPriceSetting = (typeof UNIT_PRICES)[number]["setting"];

const price = z.number().min(0);
const cachePrices = {
  cached_input: price.optional().describe("Price of prompt tokens read from the vendor's cache"),
  cache_write: price.optional()
    .describe("Price of prompt tokens written to the vendor's cache for a few minutes"),
  cache_write_1h: price.optional()
    .describe("Price of prompt tokens written to the vendor's cache for an hour"),
};
const unitPrices = Object.fromEntries(
  UNIT_PRICES.map(({ setting, description }) => [setting, price.optional().describe(description)]),
) as { readonly [Name in UnitPriceSetting]: z.ZodOptional<typeof price> };

/** The schema of a model's `prices`. */
export const modelPrices = withCheck(
  z.strictObject({
    input: price.optional().describe(
      "Price of prompt tokens; optional if another unit has a price",
    ),
    output: price.optional()
      .describe("Price of response tokens; optional if another unit has a price"),
    ...cachePrices,
    long_context: z.strictObject({
      above: amount("Number of prompt tokens above which these prices apply"),
      input: price.describe("Price of prompt tokens"),
      output: price.describe("Price of response tokens"),
      ...cachePrices,
    }).optional().describe("Prices for requests with a long prompt"),
    tiers: z.record(z.string().min(1), z.number().min(0)).optional()
      .describe("By the response's service tier, such as 'flex': a factor for all prices"),
    ...unitPrices,
  }),
  (members) => {
    if (UNIT_PRICES.some(({ setting }) => members[setting] !== undefined)) return [];
    return ["input", "output"].filter((name) => members[name] === undefined)
      .map((name) => ({ path: [name], message: "is required" }));
  },
);

/** The prices that config.yaml sets. */
export function toPrices(entry: z.infer<typeof modelPrices>): ModelPrices {
  const { input = 0, output = 0, cached_input, cache_write, cache_write_1h } = entry;
  const { long_context: long, tiers } = entry;
  const units = toUnitPrices(entry);
  return {
    ...{ input, output, ...defined({ cached_input, cache_write, cache_write_1h }) },
    ...(long !== undefined && { long_context: defined(long) }),
    ...(tiers !== undefined && { tiers: new Map(Object.entries(tiers)) }),
    ...(Object.keys(units).length > 0 && { units }),
  };
}

/** Prices per unit. */
function toUnitPrices(entry: z.infer<typeof modelPrices>): Units {
  return Object.fromEntries(UNIT_PRICES.flatMap(({ unit, setting, per }) => {
    const price = entry[setting];
    return price === undefined ? [] : [[unit, price / per]];
  }));
}

type Defined<Members> = { [Name in keyof Members]: Exclude<Members[Name], undefined> };

/** Removes members that are undefined. */
export function defined<Members extends object>(members: Members): Defined<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<Members>;
}
