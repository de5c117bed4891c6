/** Loads the report: totals, groups, time series, and the previous period. */

import { getJson } from "../../lib/api.js";
import { formatterOf, startOfDay, startOfMonth } from "../../lib/zone.js";
import { serverNow } from "../../lib/server_clock.js";
import { pathFor, readKeys, useLoaded } from "../shared/data.js";
import { comparedPeriods, filtersOf, periodOf, timesOf } from "./choice.js";
import { costOf, prefixesOf, withPrefix } from "./figures.js";
import { budgetOfKeys, courseOf, forecastOf } from "./forecast.js";
import { readPages } from "./pages.js";

/** The maximum number of groups, summed over all times, to load for the chart. */
const MAX_POINTS = 20_000;
/** The number of days before a month that a forecast uses. */
const FORECAST_DAYS = 8;

export function useUsage(session, choice, zone) {
  const filters = filtersOf(choice);
  const load = (signal) => {
    const get = async (group_by, time, inZone = zone) => {
      const query = { ...timesOf(time, inZone), ...filters, ...(group_by !== "" && { group_by }) };
      const { parts, hasMore } = await readPages(async (page) => {
        const { data, next } = await getJson(pathFor(session, "usage", { ...query, ...page }), {
          signal,
        });
        return { part: data, next };
      });
      return { entries: parts.flat(), hasMore };
    };
    const budgets = (period) =>
      session.hasAdmin
        ? Promise.all([readKeys({}, signal), get("key", period)])
          .then(([keys, { entries }]) => budgetOfKeys(keys, entries, choice)).catch(() => undefined)
        : getJson("/v1/usage?from=2100-01-01&to=2100-01-02", { signal })
          .then(({ budget }) => isMonthly(budget) ? budget.limit_usd : undefined);
    return loadReport({ choice, get, now: serverNow(), zone, budgets });
  };
  const { by, from, prefix, range, show, then, to } = choice;
  const inputs = [session.hasAdmin, range, from, to, by, then, prefix, zone, show === "latency"];
  return useLoaded(load, [...inputs, JSON.stringify(filters)]);
}

async function loadReport({ choice, get, now, zone, budgets }) {
  const { by, then } = choice;
  const period = periodOf(choice, now, zone);
  const isLatency = choice.show === "latency";
  const isMonth = choice.range === "month";
  const days = isMonth
    ? { from: Math.min(period.from, startOfDay(now, zone, -FORECAST_DAYS)), to: now + 1 }
    : undefined;
  // Budgets are of keys: a part of what they spend is not compared with them.
  const hasBudget = isMonth && PARTS.every((name) => choice[name] === "");
  const [totals, groups, detailed, bill, recent, compared, budget] = await Promise.all([
    get("", period),
    get(by, period),
    then === "" ? undefined : get(`${by},${then}`, period),
    get("model,provider", period),
    days && get("day", days),
    loadCompared(choice, get, period),
    hasBudget ? budgets(period) : undefined,
  ]);
  const points = groups.entries.length * period.starts.length;
  const isTogether = groups.hasMore || points > MAX_POINTS;
  const series = await get(isTogether || isLatency ? period.unit : `${period.unit},${by}`, period);
  const total = totals.entries[0];
  const spent = total === undefined ? 0 : costOf(total);
  const costs = new Map((recent?.entries ?? []).map((entry) => [entry.day, costOf(entry) ?? 0]));
  const month = { spent: spent ?? 0, costs, now, zone };
  const forecast = recent && forecastOf({ ...month, since: compared.since });
  const shown = (entries) =>
    by === "tag" && choice.prefix !== "" ? withPrefix(entries, choice.prefix) : entries;
  return {
    ...{ total, period, choice, by, then, isLatency, isTogether, budget, forecast },
    course: isMonth ? courseOf(month) : undefined,
    headline: {
      ...{ spent, forecast, budget, now, zone, isMonth, requests: total?.requests ?? 0 },
      unpriced: total?.unpriced_requests ?? 0,
    },
    ...{ groups: shown(groups.entries), hasMore: groups.hasMore },
    detailed: detailed && shown(detailed.entries),
    prefixes: by === "tag" ? prefixesOf(groups.entries) : [],
    series: isTogether || isLatency ? series.entries : shown(series.entries),
    compared: compared.result,
    bill: byProvider(bill.entries),
    unpriced: bill.entries.filter(({ unpriced_requests: requests }) => requests > 0)
      .sort((one, other) => other.unpriced_requests - one.unpriced_requests),
  };
}

/** The sums of each provider. */
function byProvider(entries) {
  return [...Map.groupBy(entries, ({ provider }) => provider)].map(([provider, parts]) => ({
    ...addUp(parts),
    provider,
  }));
}

function addUp(parts) {
  const sums = {};
  for (const part of parts) {
    for (const [name, value] of Object.entries(part)) {
      if (typeof value === "number") sums[name] = (sums[name] ?? 0) + value;
    }
  }
  return { cost_usd: 0, ...sums };
}

/**
 * The full days and the previous ones, if the ledger has all of them; and the start of the ledger.
 */
async function loadCompared(choice, get, period) {
  const periods = comparedPeriods(choice, period);
  const start = startOfMonth(period.from, period.zone, -12);
  // Days in UTC have stored sums, even for a year.
  const [first] = (await get("day", { from: start, to: period.to }, "UTC")).entries
    .map(({ day }) => day).sort();
  const since = first === undefined ? period.to : Date.parse(first);
  if (periods === undefined || since > periods.before.from) return { since, result: undefined };
  const [now, before] = await Promise.all([get("", periods.now), get("", periods.before)]);
  const result = now.entries[0] && before.entries[0]
    ? { now: now.entries[0], before: before.entries[0], name: nameOf(periods.before, period.zone) }
    : undefined;
  return { since, result };
}

/** A range of days, such as `1–25 Oct`. */
function nameOf({ from, to }, zone) {
  const day = formatterOf(zone, { day: "numeric", month: "short" });
  return day.formatRange(from, to - 1);
}

/** The filters that select only a part of the requests of a key. */
const PARTS = ["model", "provider", "tag", "end_user"];

/** Whether a budget renews at the beginning of each month. */
function isMonthly(budget) {
  if (!budget?.renews_at) return false;
  return Date.parse(budget.renews_at) - Date.parse(budget.period_start) > 27 * 86_400_000;
}
