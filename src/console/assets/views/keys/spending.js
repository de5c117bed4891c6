/** Interprets the spending of a key. */

import { count, countOf, usd } from "../../lib/format.js";

/** The share of a budget at which the bar shows a warning. */
const NEAR_SHARE = 0.9;

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const hour = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/**
 * The presentation of a budget: its color, the spent share, and notes about the renewal.
 *
 * @param {any} spending
 * @returns {{ tone: string, share: number, notes: string[] }}
 */
export function budgetState({ limit_usd, spent_usd, ...spending }) {
  const share = limit_usd > 0 ? spent_usd / limit_usd : 1;
  const tone = share >= 1 ? "bad" : share >= NEAR_SHARE ? "warn" : "good";
  const { forecast_usd: forecast, renews_at: renews, unpriced_requests: unpriced } = spending;
  const notes = [
    renews && `renews ${timeText(renews)}`,
    forecast !== null && spent_usd > 0 &&
    `at this rate ${usd(forecast)}${forecast > limit_usd ? ", more than the budget" : ""}`,
    unpriced > 0 && `${count(unpriced)} requests with an unknown price`,
  ].filter((note) => note);
  return { tone, share, notes };
}

/** The part of the budget that a key has spent; undefined without a budget. */
export function shareOf({ budget, status, usage }) {
  if (budget === null || !usage?.budget || status === "revoked") return undefined;
  const { limit_usd, spent_usd } = usage.budget;
  return limit_usd > 0 ? spent_usd / limit_usd : 1;
}

/** Whether a budget is nearly or fully spent. */
export function isNear(entry) {
  return (shareOf(entry) ?? 0) >= NEAR_SHARE;
}

/**
 * The headline of the list of keys.
 *
 * @param {readonly any[]} keys
 * @returns {{ title: string, text: string, used: any }} `used` is the only key without a budget
 * left
 */
export function headlineOf(keys) {
  const active = keys.filter(({ status }) => status !== "revoked");
  const near = active.filter(isNear);
  const out = active.filter((entry) => (shareOf(entry) ?? 0) >= 1);
  const all = countOf(active.length, "key");
  const title = near.length === 0
    ? active.some(({ budget }) => budget !== null)
      ? `No key is over ${100 * NEAR_SHARE} % of its budget`
      : `${all}, none with a budget`
    : `${count(near.length)} of ${all} ${near.length === 1 ? "is" : "are"} over ${
      100 * NEAR_SHARE
    } % of ${near.length === 1 ? "its budget" : "their budgets"}`;
  const renews = out[0]?.usage.budget.renews_at;
  const text = out.length === 0
    ? near.length === 0 && active.length > 0 ? `${all} in total.` : ""
    : `${out.length === 1 ? "It has" : `${count(out.length)} have`} used it up and ` +
      `${out.length === 1 ? "is" : "are"} refused with 429` +
      `${out.length === 1 && renews ? ` until ${timeText(renews)}` : ""}.`;
  return { title, text, used: out.length === 1 ? out[0] : undefined };
}

/**
 * The budgets, the usage and the owners of the keys of a team together.
 *
 * @param {readonly any[]} keys
 */
export function teamOf(keys) {
  const active = keys.filter(({ status }) => status !== "revoked");
  const budgets = active.flatMap(({ usage }) => usage?.budget ?? []);
  const sum = (entries, name) => entries.reduce((total, entry) => total + entry[name], 0);
  const used = keys.flatMap(({ usage }) => usage?.last_used ?? []).sort();
  const length = Math.max(0, ...keys.map(({ usage }) => usage?.days.length ?? 0));
  const days = Array.from({ length }, (_, index) => {
    const all = keys.flatMap(({ usage }) => usage?.days[index] ?? []);
    return { requests: sum(all, "requests"), cost_usd: sum(all, "cost_usd") };
  });
  return {
    ...{ active: active.length, near: active.filter(isNear).length, days, lastUsed: used.at(-1) },
    ...{ budget: sum(budgets, "limit_usd"), spent: sum(budgets, "spent_usd") },
    owners: [...new Set(keys.flatMap(({ owner }) => owner ?? []))].sort(),
  };
}

/** A time in UTC, with the time of day unless it is midnight. */
export function timeText(iso) {
  const time = new Date(iso);
  return iso.includes("T00:00:00") ? day.format(time) : `${hour.format(time)} UTC`;
}

/** The requests and the cost of 30 days. */
export function daysText(days) {
  const sum = (name) => days.reduce((total, entry) => total + entry[name], 0);
  return `${days.length} days: ${count(sum("requests"))} requests, ${usd(sum("cost_usd"))}`;
}
