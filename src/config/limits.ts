/** The limits and budgets of keys and models: their schema and their resolved values. */

import * as z from "zod";
import { BUDGET_PERIODS, type BudgetPeriod } from "../core/budget_period.ts";
import { LIMIT_KINDS, type LimitKind, type LimitKindName } from "../core/limit_kinds.ts";
import { amount, integer, usd } from "./values.ts";

type RatesByKind = { readonly [Name in LimitKindName]?: number | undefined };

/** Limits of a key or a model. Absent means unlimited. */
export interface RateLimits extends RatesByKind {
  /** The number of requests at the same time. */
  readonly concurrent?: number | undefined;
}

/** The most that a key may spend in a period. */
export interface Budget {
  readonly usd: number;
  readonly per: BudgetPeriod;
  /** Whether models may be used whose prices are unknown; `deny` if absent. */
  readonly unknown_prices?: "allow" | "deny" | undefined;
}

/** The limits of a configuration, apart from those of single keys. */
export interface LimitRules {
  /** The limits of keys that do not set their own. */
  readonly defaults: RateLimits;
  /** Limits of models for all keys together, by the model's ID. */
  readonly models: ReadonlyMap<string, RateLimits>;
}

const members = {
  ...Object.fromEntries(
    LIMIT_KINDS.map((kind) => [kind.name, amount(describe(kind)).optional()]),
  ) as {
    readonly [Name in LimitKindName]: z.ZodOptional<ReturnType<typeof amount>>;
  },
  concurrent: integer("Requests at the same time", 1).optional(),
};

/** The schema of `limits` in an entry of `server.keys`. */
export const keyLimits = z.strictObject(members);

/** The schema of `budget` in an entry of `server.keys`. */
export const keyBudget = z.strictObject({
  usd: usd("US dollars"),
  per: z.enum(BUDGET_PERIODS).describe("The calendar period in UTC after which the budget renews"),
  unknown_prices: z.enum(["allow", "deny"]).optional().describe(
    "Whether the key may use models whose prices are unknown, which cost nothing here; " +
      "'deny' if omitted",
  ),
});

/** The schema of the `limits` section. */
export const limitsSection = z.strictObject({
  ...members,
  models: z.record(z.string().min(1), z.strictObject(members)).default({})
    .describe(
      "By model ID: limits of the requests of all keys that are sent to it, also as a fallback",
    ),
});

/** Converts the `limits` section. */
export function toLimitRules({ models, ...defaults }: z.infer<typeof limitsSection>): LimitRules {
  return { defaults, models: new Map(Object.entries(models)) };
}

/** The limits of a key: its own, and the defaults for those that it does not set. */
export function limitsOf(own: RateLimits | undefined, { defaults }: LimitRules): RateLimits {
  return own === undefined ? defaults : { ...defaults, ...own };
}

function describe({ unit: { name }, window }: LimitKind): string {
  const unit = name.charAt(0).toUpperCase() + name.slice(1);
  const what = name === "tokens" ? ", input and output together" : "";
  return `${unit} per ${window}${what}`;
}
