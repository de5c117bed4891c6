/** What is wrong now: the health of providers and models, from their attempts and breakers. */

import { count, duration, percent } from "../../lib/format.js";

/** A failure counts as one of now for this long, in milliseconds. */
const RECENT_MS = 600_000;
/** The share of failed attempts from which a target is unreliable, and from which it fails. */
const UNRELIABLE_SHARE = 0.05;
const FAILING_SHARE = 0.5;
/** How much longer than usual a slow target takes, and the attempts that show it. */
const SLOW_FACTOR = 2;
const MIN_SLOW_ATTEMPTS = 10;

/** The states from the worst to the best, and how they look. */
export const HEALTH = new Map([
  ["failing", { tone: "bad", text: "Failing" }],
  ["unreliable", { tone: "warn", text: "Some failures" }],
  ["limited", { tone: "warn", text: "Keys suspended" }],
  ["slow", { tone: "warn", text: "Slow" }],
  ["ok", { tone: "good", text: "OK" }],
  ["idle", { tone: "", text: "Not used" }],
]);
const ORDER = [...HEALTH.keys()];

/**
 * The health of a provider or a model.
 *
 * @param {any} entry of the live state
 * @param {number} now milliseconds since the Unix epoch
 */
export function healthOf(entry, now) {
  const { attempts, breaker, failed_attempts: failed, keys, last_failure: last } = entry;
  if (breaker !== "closed" || (keys > 0 && entry.resting_keys >= keys)) return "failing";
  const share = attempts > 0 ? failed / attempts : 0;
  const isRecent = last !== null && now - Date.parse(last.time) < RECENT_MS;
  if (isRecent && share >= FAILING_SHARE) return "failing";
  if (isRecent && share >= UNRELIABLE_SHARE) return "unreliable";
  if (entry.resting_keys > 0) return "limited";
  const { p50_ms: p50, usual_p50_ms: usual } = entry;
  const isSlow = usual != null && p50 !== null && attempts >= MIN_SLOW_ATTEMPTS &&
    p50 > SLOW_FACTOR * usual;
  if (isSlow) return "slow";
  return attempts === 0 ? "idle" : "ok";
}

/**
 * The entries with their health, the worst first; those of one health stay in their order.
 *
 * @param {any[]} entries
 * @param {number} now milliseconds since the Unix epoch
 */
export function byHealth(entries, now) {
  return entries.map((entry) => ({ ...entry, health: healthOf(entry, now) }))
    .toSorted((one, other) => ORDER.indexOf(one.health) - ORDER.indexOf(other.health));
}

/**
 * What is wrong now, a sentence for each provider with a problem, the worst first.
 *
 * @param {any} state
 * @param {number} now milliseconds since the Unix epoch
 * @returns {{ id: string, tone: string, text: string }[]}
 */
export function problemsOf({ providers, models = [] }, now) {
  return byHealth(providers.filter(({ enabled }) => enabled), now)
    .filter(({ health }) => HEALTH.get(health).tone !== "" && health !== "ok")
    .map((entry) => {
      const own = models.filter(({ provider }) => provider === entry.id);
      const { tone } = HEALTH.get(entry.health);
      return { id: entry.id, tone, text: problemText(entry, own, now) };
    });
}

function problemText(entry, models, now) {
  const { attempts, failed_attempts: failed, keys, last_failure: last, resting_keys } = entry;
  const open = models.filter(({ breaker }) => breaker !== "closed").map(({ id }) => id);
  const parts = [
    open.length > 0 &&
    `${open.join(", ")}: breaker ${
      models.some(({ breaker }) => breaker === "open") ? "open" : "half-open"
    }`,
    failed > 0 && last !== null &&
    `${count(failed)} of ${count(attempts)} attempts failed, last ${
        agoText(last.time, now)
      } with ` +
      failureText(last),
    resting_keys > 0 && `${resting_keys} of ${keys} keys suspended`,
    entry.health === "slow" &&
    `p50 is ${duration(entry.p50_ms)}, usually ${duration(entry.usual_p50_ms)}`,
  ];
  return parts.filter((part) => part).join("; ");
}

/**
 * A failure in short: its error and its status, and the cause where it is known.
 *
 * @param {{ error: string, status: number, cause?: string | null }} failure
 */
export function failureText({ error, status, cause }) {
  const name = error === String(status) ? error : `${error} (${status})`;
  return cause ? `${name}: ${cause}` : name;
}

/** How long ago a time is, such as `20 s ago`. */
export function agoText(time, now) {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return `${Math.floor(seconds / 3600)} h ago`;
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
