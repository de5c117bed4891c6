/** The forecast for a month, and the headline of the report. */

import { count, usd } from "../../lib/format.js";
import { dayOf, formatterOf, startOfDay, startOfMonth } from "../../lib/zone.js";

const DAY_MS = 86_400_000;
/** The number of full days that a forecast is based on, and the minimum. */
const MAX_DAYS = 7;
const MIN_DAYS = 3;

/**
 * The forecast for a month: the amount spent, plus the mean of the last full days for each
 * remaining day. The range uses the 10th and 90th percentiles of these days. Undefined with fewer
 * than three full days.
 *
 * @param {{ spent: number, costs: ReadonlyMap<string, number>, now: number, zone: string, since?:
 * number }} month the cost of each day by its date; a day without requests has none; no day before
 * `since` is counted
 */
export function forecastOf({ spent, costs, now, zone, since = -Infinity }) {
  const today = startOfDay(now, zone);
  const days = [];
  for (let back = 1; back <= MAX_DAYS; back++) {
    const start = startOfDay(today, zone, -back);
    if (start < since) break;
    days.push(costs.get(dayOf(start, zone)) ?? 0);
  }
  if (days.length < MIN_DAYS) return undefined;
  const end = startOfMonth(now, zone, 1);
  const left = (end - now) / DAY_MS;
  const sorted = days.toSorted((one, other) => one - other);
  const mean = days.reduce((sum, cost) => sum + cost, 0) / days.length;
  const at = (daily) => spent + daily * left;
  return {
    ...{ usd: at(mean), low: at(percentile(sorted, 0.1)), high: at(percentile(sorted, 0.9)) },
    ...{ mean, left, days: days.length },
  };
}

/**
 * The cumulative cost of a month at the end of each full day, and now.
 *
 * @param {{ spent: number, costs: ReadonlyMap<string, number>, now: number, zone: string }} month the
 *   cost of each day by its date
 * @returns {{ start: number, end: number, points: { time: number, usd: number }[] }} milliseconds and
 *   US dollars; the first point is the start, the last one is now
 */
export function courseOf({ spent, costs, now, zone }) {
  const [start, end] = [startOfMonth(now, zone), startOfMonth(now, zone, 1)];
  const points = [{ time: start, usd: 0 }];
  for (let at = start; at < startOfDay(now, zone);) {
    const usd = points.at(-1).usd + (costs.get(dayOf(at, zone)) ?? 0);
    at = startOfDay(at, zone, 1);
    points.push({ time: at, usd });
  }
  return { start, end, points: [...points, { time: now, usd: spent }] };
}

/**
 * The sum of the monthly budgets of the report's keys; undefined if a key without one has a cost, so
 * that a total is never compared with the budgets of a part.
 *
 * @param {readonly any[]} keys all keys that are not revoked
 * @param {readonly any[]} entries the cost of each key in the month
 * @param {Record<string, string>} choice
 */
export function budgetOfKeys(keys, entries, choice) {
  const budgets = new Map(
    keys.filter((entry) =>
      entry.status === "active" && entry.budget?.per === "month" &&
      ["team", "owner"].every((name) => choice[name] === "" || entry[name] === choice[name]) &&
      (choice.key === "" || entry.name === choice.key)
    ).map(({ budget, name }) => [name, budget.usd]),
  );
  const isPart = entries.some((entry) => entry.cost_usd > 0 && !budgets.has(entry.key));
  if (isPart || budgets.size === 0) return undefined;
  return [...budgets.values()].reduce((sum, usd) => sum + usd, 0);
}

/** A percentile of sorted values, interpolated. */
function percentile(sorted, share) {
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

/**
 * The headline of the report.
 *
 * @param {{ rangeName: string, spent: number | null, unpriced: number, requests: number, forecast:
 * any, budget: number | undefined, now: number, zone: string, isMonth: boolean }} report
 */
export function headlineOf(report) {
  const { budget, forecast, isMonth, now, rangeName, requests, spent, unpriced, zone } = report;
  if (requests === 0) return { title: `No requests: ${rangeName.toLowerCase()}`, text: "" };
  const known = spent ?? 0;
  const least = unpriced > 0 ? "at least " : "";
  if (!isMonth) {
    return {
      title: `${rangeName}: ${spent === null ? "an unknown cost" : `${least}${usd(known)}`}`,
      text: `${count(requests)} requests.`,
    };
  }
  const month = formatterOf(zone, { month: "long" }).format(now);
  if (forecast === undefined) {
    return {
      title: `${month} has cost ${least}${usd(known)} so far`,
      text: "A forecast needs three full days.",
    };
  }
  const over = budget === undefined ? 0 : forecast.usd - budget;
  const against = budget === undefined
    ? ""
    : over > 0
    ? `, ${round(over)} over the budgets`
    : `, ${round(-over)} under the budgets`;
  return {
    title: `${month} will end near ${least}${round(forecast.usd)}${against}`,
    text:
      `${
        usd(known)
      } has been spent. The forecast adds the mean of the last ${forecast.days} full days, ` +
      `${usd(forecast.mean)}, for the ${forecast.left.toFixed(1)} days that are left; it lies ` +
      `between ${round(forecast.low)} and ${round(forecast.high)}.`,
  };
}

/** An amount rounded to the precision of a forecast. */
export function round(value) {
  if (value < 100) return usd(value);
  return `$${count(Number(value.toPrecision(3)))}`;
}
