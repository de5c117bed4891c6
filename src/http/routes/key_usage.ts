/** What keys have spent of their budgets, and when they were used: from the ledger. */

import { nextPeriod, periodStart } from "../../core/budget_period.ts";
import type { KeySettings } from "../../config/keys.ts";
import { toName } from "../../governance/ledger/summary.ts";
import type { UsageSummary } from "../../governance/ledger/usage_store.ts";
import type { UsageReader } from "../usage_reader.ts";

const DAY_MS = 86_400_000;
/** The days of the history, today included. */
const HISTORY_DAYS = 30;
/** The part of a period that must be over for a forecast. */
const MIN_FORECAST_SHARE = 0.05;

type Budget = NonNullable<KeySettings["budget"]>;

/** A key whose usage is read. */
export interface UsedKey {
  readonly name: string;
  readonly budget?: Budget | undefined;
}

/** What a key has spent in the current period of its budget. */
export interface Spending {
  readonly limit_usd: number;
  readonly spent_usd: number;
  readonly remaining_usd: number;
  /** Requests whose price is unknown: their cost is in none of the amounts. */
  readonly unpriced_requests: number;
  /** Whether the next request with a known price is refused. */
  readonly is_used_up: boolean;
  readonly period_start: string | null;
  readonly renews_at: string | null;
  /** What will be spent at the end of the period at the same rate; null while it is too early. */
  readonly forecast_usd: number | null;
}

/** The usage of a key in the last 30 days. */
export interface KeyUsage {
  /** Null without a budget. */
  readonly budget: Spending | null;
  /** The last day in UTC with a request; null without one. */
  readonly last_used: string | null;
  /** Requests and US dollars of each day, the oldest first. */
  readonly days: readonly { readonly requests: number; readonly cost_usd: number }[];
}

/**
 * Reads the usage of some keys, by their names.
 *
 * @throws {GatewayError} `overloaded` when the store fails.
 */
export async function readKeyUsage(
  keys: readonly UsedKey[],
  usage: UsageReader,
  now: number,
): Promise<ReadonlyMap<string, KeyUsage>> {
  const spent = await readSpending(keys, usage, now);
  const from = now - now % DAY_MS - (HISTORY_DAYS - 1) * DAY_MS;
  const groups = await usage.summarize({
    ...{ from, to: now + 1, groupBy: ["key", "day"] },
    key: onlyName(keys),
  });
  const days = new Map<string, Map<string, UsageSummary>>();
  for (const summary of groups) {
    const [name = "", day = ""] = summary.group.map((text) => text ?? "");
    const own = days.get(name);
    if (own === undefined) days.set(name, new Map([[day, summary]]));
    else own.set(day, summary);
  }
  return new Map(keys.map(({ name }) => {
    const own = days.get(toName(name)) ?? new Map<string, UsageSummary>();
    const last = [...own.keys()].sort().at(-1) ?? null;
    return [name, { budget: spent.get(name) ?? null, last_used: last, days: toDays(own, from) }];
  }));
}

/** Reads what some keys have spent of their budgets, by their names: those without one are absent. */
export async function readSpending(
  keys: readonly UsedKey[],
  usage: UsageReader,
  now: number,
): Promise<ReadonlyMap<string, Spending>> {
  const found = new Map<string, Spending>();
  const only = onlyName(keys);
  for (const per of new Set(keys.flatMap(({ budget }) => budget?.per ?? []))) {
    const from = periodStart(per, now);
    const groups = await usage.summarize({ from, to: now + 1, groupBy: ["key"], key: only });
    const sums = new Map(groups.map((summary) => [summary.group[0] ?? "", summary]));
    for (const { budget, name } of keys) {
      if (budget?.per === per) found.set(name, toSpending(budget, sums.get(toName(name)), now));
    }
  }
  return found;
}

/** The name of a single key, to read no others. */
function onlyName(keys: readonly UsedKey[]): string | undefined {
  const [first, ...others] = keys;
  return others.length === 0 ? first?.name : undefined;
}

function toSpending({ per, usd }: Budget, sums: UsageSummary | undefined, now: number): Spending {
  const spent = sums?.usd ?? 0;
  const start = periodStart(per, now);
  const end = nextPeriod(per, now);
  const share = end === undefined ? 0 : (now - start) / (end - start);
  return {
    limit_usd: usd,
    spent_usd: spent,
    remaining_usd: toNano(Math.max(0, usd - spent)),
    unpriced_requests: sums?.unpriced ?? 0,
    is_used_up: spent >= usd,
    period_start: end === undefined ? null : new Date(start).toISOString(),
    renews_at: end === undefined ? null : new Date(end).toISOString(),
    forecast_usd: share < MIN_FORECAST_SHARE ? null : toNano(spent / share),
  };
}

function toDays(own: ReadonlyMap<string, UsageSummary>, from: number): KeyUsage["days"] {
  return Array.from({ length: HISTORY_DAYS }, (_, index) => {
    const sums = own.get(new Date(from + index * DAY_MS).toISOString().slice(0, 10));
    return { requests: sums?.requests ?? 0, cost_usd: sums?.usd ?? 0 };
  });
}

function toNano(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}
