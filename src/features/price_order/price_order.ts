/** The `balance: price` feature: orders groups, and measures the usage of answers. */

import type { FallbackTarget, Route } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Feature } from "../../gateway/feature.ts";
import { type LastTurn, MeasuredUsage, RequestUsage, targetName } from "./measured_usage.ts";
import type { TypicalUsage } from "../../gateway/timed_figures.ts";
import {
  type OrderContext,
  type Strategy,
  SWITCH_FACTOR,
  withFirst,
} from "../../gateway/order/strategy.ts";
import { rank } from "../../gateway/order/rank.ts";
import { costOf } from "../../gateway/order/prices.ts";

/** Orders groups by price, if config.yaml or the caller selects it. */
export function priceOrder(clock: Pick<Clock, "now">): Feature {
  const measured = new MeasuredUsage();
  return {
    name: "price_order",
    plan({ configuredName: model, hasOneTarget, route, routes }) {
      if (hasOneTarget) return undefined;
      const isDefault = isByPrice(route);
      return {
        ...(!routes.some(isByPrice) && { wakes: { balance: "price" } }),
        start({ chosen, key, sent, session }) {
          const isUsed = isDefault || chosen?.balance === "price";
          const usage = sent && isUsed
            ? new RequestUsage({ measured, key, model, session: session?.id, body: sent.body })
            : undefined;
          const order = {
            strategies: { price: price(usage) },
          };
          if (usage === undefined) return { order };
          return {
            order,
            end({ complete, target, usage: used }) {
              if (complete && target !== undefined) usage.answered(target, used, clock.now());
            },
          };
        },
      };
    },
  };
}

function isByPrice({ groups }: Pick<Route, "groups">): boolean {
  return groups.some(({ balance }) => balance === "price");
}

/** The usage until something is measured: three tokens of input for one of output. */
const ASSUMED: TypicalUsage = { input: 3000, cached: 0, written: 0, writtenHour: 0, output: 1000 };

/**
 * Compares all targets by the tokens of the request: an estimate of its input, and the average
 * output. Cache reads and writes are measured: for the session at the target of its last turn, else
 * for the alias at each target, else for the target, else for the group. Targets whose price is
 * unknown come last. Exported for tests.
 *
 * @param usage the expected usage of the request; undefined if unknown
 */
export const price = (usage: RequestUsage | undefined): Strategy => (targets, context) => {
  const now = context.clock.now();
  const measured = measure(targets, context, usage, now);
  const turn = usage?.lastTurn(now);
  const warm = turn && targets.find(({ target }) => targetName(target) === turn.target);
  if (turn === undefined || warm === undefined) {
    return rank(targets, targets.map((entry, index) => usualCost(entry, measured[index])), context);
  }
  const costs = new Map(targets.map((entry, index) => [
    entry,
    entry === warm
      ? warmCost(entry, turn, measured[index])
      : moveCost(entry, turn, measured[index]),
  ]));
  const costAt = (entry: FallbackTarget) => costs.get(entry) ?? Infinity;
  const sorted = [...targets].sort((one, other) => compare(costAt(one), costAt(other)));
  const [best] = sorted;
  const stays = best === undefined || costAt(best) >= costAt(warm) * SWITCH_FACTOR;
  return withFirst(stays ? warm : best, sorted);
};

/** The expected usage of the request at each target. */
function measure(
  targets: readonly FallbackTarget[],
  { state }: OrderContext,
  usage: RequestUsage | undefined,
  now: number,
): readonly TypicalUsage[] {
  const known = targets.map(({ target }) =>
    usage?.ofModel(target, now) ?? state.statsOf(target).usage(now)
  );
  const usual = averageOf(known.filter((one) => one !== undefined));
  const input = usage?.tokens || usual.input;
  return known.map((own) => {
    const shares = own === undefined || own.input === 0 ? usual : own;
    return { ...scaledTo(input, shares), output: usual.output };
  });
}

function usualCost({ target }: FallbackTarget, usage: TypicalUsage = ASSUMED): number {
  return costOf(target, usage) ?? Infinity;
}

/** The cost at the target of the last turn, whose reads and writes are cached. */
function warmCost(
  { target }: FallbackTarget,
  { usage: last }: LastTurn,
  measured: TypicalUsage = ASSUMED,
): number {
  const { input } = measured;
  const cached = Math.min(input, Math.max(last.cached + last.written, measured.cached));
  const usage = withWritten(measured, cached, last.written > 0 ? input - cached : 0);
  return costOf(target, usage) ?? Infinity;
}

/**
 * The average cost of a turn after a move: the first turn reads nothing from the cache, and writes
 * the prefix that later turns read. A session is expected to last for as many turns as it had so
 * far.
 */
function moveCost(
  { target }: FallbackTarget,
  { turns }: LastTurn,
  measured: TypicalUsage = ASSUMED,
): number {
  const { cached, written } = measured;
  const isBilled = target.model.facts.prices?.cache_write !== undefined;
  const cold = withWritten(measured, 0, isBilled ? cached + written : 0);
  const [first, later] = [costOf(target, cold), costOf(target, measured)];
  return first === undefined || later === undefined ? Infinity : later + (first - later) / turns;
}

/**
 * The same usage with other cached tokens. The share of writes with a lifetime of one hour is
 * unchanged.
 */
function withWritten(usage: TypicalUsage, cached: number, written: number): TypicalUsage {
  const share = usage.written === 0 ? 0 : usage.writtenHour / usage.written;
  return { ...usage, cached, written, writtenHour: written * share };
}

/** The same shares, applied to a different input. */
function scaledTo(input: number, usage: TypicalUsage): TypicalUsage {
  const factor = usage.input === 0 ? 0 : input / usage.input;
  return {
    ...usage,
    input,
    cached: usage.cached * factor,
    written: usage.written * factor,
    writtenHour: usage.writtenHour * factor,
  };
}

function averageOf(known: readonly TypicalUsage[]): TypicalUsage {
  if (known.length === 0) return ASSUMED;
  const average = (name: keyof TypicalUsage) =>
    known.reduce((sum, usage) => sum + usage[name], 0) / known.length;
  return {
    input: average("input"),
    cached: average("cached"),
    written: average("written"),
    writtenHour: average("writtenHour"),
    output: average("output"),
  };
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
