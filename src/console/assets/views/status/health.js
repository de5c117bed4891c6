/** Current problems: the health of providers and models, from their attempts and breakers. */

import { count, countOf, percent } from "../../lib/format.js";
import { evidenceText, incidentText, isTrouble, STATES } from "../../lib/target_health.js";
import { sinceText } from "../overview/headline.js";

/** The shares of failed attempts at which an hour is marked. */
const UNRELIABLE_SHARE = 0.05;
const FAILING_SHARE = 0.5;

/** The states from the worst to the best, and their presentation. */
export const HEALTH = new Map([
  ["failing", STATES.get("failing")],
  ["degraded", STATES.get("degraded")],
  ["limited", { tone: "warn", text: "Keys suspended" }],
  ["slow", STATES.get("slow")],
  ["silent", STATES.get("silent")],
  ["ok", STATES.get("ok")],
  ["unused", STATES.get("unused")],
]);
const ORDER = [...HEALTH.keys()];

/**
 * The health of a provider or a model: the gateway's state, unless its breaker or its keys block
 * requests.
 *
 * @param {any} entry of the live state
 */
export function healthOf({ breaker, health, keys, resting_keys: suspended }) {
  if (breaker === "open" || (keys > 0 && suspended >= keys)) return "failing";
  const state = health?.state ?? "unused";
  const isWorse = ORDER.indexOf(state) < ORDER.indexOf("limited");
  return suspended > 0 && !isWorse ? "limited" : state;
}

/**
 * The entries with their health, the worst first; the sort is stable.
 *
 * @param {any[]} entries
 */
export function byHealth(entries) {
  return entries.map((entry) => ({ ...entry, state: healthOf(entry) }))
    .toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
}

/**
 * The number of providers in each bad state, such as `Providers: 1 failing, 2 silent`.
 *
 * @param {any} state
 */
export function headlineOf({ providers }) {
  const enabled = byHealth(providers.filter(({ enabled }) => enabled));
  const byState = Map.groupBy(enabled, ({ state }) => state);
  const texts = [...byState].filter(([state]) => state === "limited" || isTrouble(state))
    .map(([state, { length }]) => `${count(length)} ${HEALTH.get(state).text.toLowerCase()}`);
  if (texts.length > 0) return `Providers: ${texts.join(", ")}`;
  if (enabled.length === 0) return "No provider is enabled";
  return `${countOf(enabled.length, "provider")}, no problem`;
}

/**
 * Current problems: a sentence for each affected provider, the worst first.
 *
 * @param {any} state
 * @param {number} now milliseconds since the Unix epoch
 * @returns {{ id: string, tone: string, text: string }[]}
 */
export function problemsOf({ providers, models = [] }, now) {
  return byHealth(providers.filter(({ enabled }) => enabled))
    .filter(({ state }) => state === "limited" || isTrouble(state))
    .map((entry) => {
      const own = models.filter(({ provider }) => provider === entry.id);
      const { tone } = HEALTH.get(entry.state);
      return { id: entry.id, tone, text: problemText(entry, own, now) };
    });
}

function problemText({ health, keys, resting_keys: suspended }, models, now) {
  const open = models.filter(({ breaker }) => breaker === "open").map(({ id }) => id);
  const parts = [
    health?.since && isTrouble(health.state) &&
    `${STATES.get(health.state).text.toLowerCase()} since ${sinceText(health.since, now)}`,
    health && isTrouble(health.state) && evidenceText(health, now),
    health && incidentText(health),
    open.length > 0 && `${open.join(", ")}: breaker open`,
    suspended > 0 && `${suspended} of ${keys} keys suspended`,
  ];
  return parts.filter((part) => part).join("; ");
}

/**
 * A short description of a failure: error, status, and the cause if known.
 *
 * @param {{ error: string, status: number, cause?: string | null }} failure
 */
export function failureText({ error, status, cause }) {
  const name = error === String(status) ? error : `${error} (${status})`;
  return cause ? `${name}: ${cause}` : name;
}

/**
 * The history of a provider as text.
 *
 * @param {([number, number] | null)[]} history
 */
export function historyText(history) {
  const known = history.filter((hour) => hour !== null);
  const attempts = known.reduce((sum, [number]) => sum + number, 0);
  const failures = known.reduce((sum, [, number]) => sum + number, 0);
  if (attempts === 0) return "No attempts in 24 hours";
  const worst = known.reduce((max, [number, failed]) => Math.max(max, failed / number), 0);
  return `24 hours: ${count(failures)} of ${count(attempts)} attempts failed` +
    (failures > 0 ? `; ${percent(worst, 1)} in the worst hour` : "");
}

/** The tone of an hour: null without attempts. */
export function hourTone(hour) {
  if (hour === null || hour[0] === 0) return null;
  const share = hour[1] / hour[0];
  if (share >= FAILING_SHARE) return "bad";
  return share >= UNRELIABLE_SHARE ? "warn" : "good";
}
