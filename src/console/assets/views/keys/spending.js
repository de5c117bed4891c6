/** What the spending of a key means. */

import { count, usd } from "../../lib/format.js";

/** The share of a budget from which its bar warns. */
const NEAR_SHARE = 0.8;

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const hour = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/**
 * How a budget looks: its color, the share that is spent, and notes about its renewal.
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
    unpriced > 0 && `${count(unpriced)} requests of an unknown price`,
  ].filter((note) => note);
  return { tone, share, notes };
}

/** A time in UTC; its hour only if it is not midnight. */
function timeText(iso) {
  const time = new Date(iso);
  return iso.includes("T00:00:00") ? day.format(time) : `${hour.format(time)} UTC`;
}

/** The requests and the cost of 30 days. */
export function daysText(days) {
  const sum = (name) => days.reduce((total, entry) => total + entry[name], 0);
  return `${days.length} days: ${count(sum("requests"))} requests, ${usd(sum("cost_usd"))}`;
}
