/** The prices of a model: their schema and their values. */

import * as z from "zod";
import { withCheck } from "../core/member_checks.ts";
import { UNIT_PRICES, type Units } from "../core/units.ts";
import type { ModelPrices } from "../providers/contract/model_facts.ts";
import { amount } from "./values.ts";

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

/** The schema of `prices` of a model. */
export const modelPrices = withCheck(
  z.strictObject({
    input: price.optional().describe("Price of prompt tokens; optional beside the price of a unit"),
    output: price.optional()
      .describe("Price of response tokens; optional beside the price of a unit"),
    ...cachePrices,
    long_context: z.strictObject({
      above: amount("Prompt tokens above which these prices hold"),
      input: price.describe("Price of prompt tokens"),
      output: price.describe("Price of response tokens"),
      ...cachePrices,
    }).optional().describe("Prices of requests with a long prompt"),
    tiers: z.record(z.string().min(1), z.number().min(0)).optional()
      .describe("By service tier of the response, such as flex: factor of all prices"),
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

/** The prices of single units. */
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
