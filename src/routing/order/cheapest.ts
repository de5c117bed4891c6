/** `balance: price`: the lowest cost of a request with the usual tokens first. */

import type { TargetStats, TypicalUsage } from "../target_stats.ts";
import { typicalCost } from "./prices.ts";
import { rank } from "./rank.ts";
import type { Strategy } from "./strategy.ts";

/** The usage until something is measured: three tokens of input for one of output. */
const ASSUMED: TypicalUsage = { input: 3000, cached: 0, output: 1000 };

/**
 * Compares all targets by the average tokens of the group, each with its own share of cached input.
 * Targets whose price is unknown come last.
 */
export const price: Strategy = (targets, context) => {
  const now = context.clock.now();
  const stats = targets.map(({ target }) => context.state.statsOf(target));
  const usages = stats.map((one) => one.usage(now));
  const usual = averageOf(usages);
  const costs = targets.map(({ target }, index) =>
    typicalCost(target, { ...usual, cached: cachedOf(usages[index], usual) }) ?? Infinity
  );
  return rank(targets, costs, context);
};

/** Cached tokens of a target for the usual input. */
function cachedOf(own: TypicalUsage | undefined, usual: TypicalUsage): number {
  return own === undefined || own.input === 0 ? usual.cached : usual.input * own.cached / own.input;
}

function averageOf(usages: readonly ReturnType<TargetStats["usage"]>[]): TypicalUsage {
  const known = usages.filter((usage) => usage !== undefined);
  if (known.length === 0) return ASSUMED;
  const average = (name: keyof TypicalUsage) =>
    known.reduce((sum, usage) => sum + usage[name], 0) / known.length;
  return { input: average("input"), cached: average("cached"), output: average("output") };
}
