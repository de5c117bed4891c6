/** The data shown about a name: its targets with their attempts and breakers, sums and texts. */

import { healthOf } from "../status/health.js";

/** The forms of names, and their labels. */
export const FORMS = new Map([
  ["model", "Model"],
  ["alias", "Alias"],
  ["pinned", "Pinned"],
  ["pattern", "Pattern"],
]);

/**
 * The names with their targets. A target has the attempts of the last day, and its current breaker
 * state.
 *
 * @param {any} routes the answer of `/v1/routes`
 * @param {any} live the live state; undefined while it is unknown
 */
export function toEntries({ data, targets }, live) {
  const known = new Map(targets.map((target) => [nameOf(target), target]));
  const states = new Map((live?.models ?? []).map((model) => [nameOf(model), model]));
  const join = (target) => {
    const name = nameOf(target);
    const state = { ...UNUSED, ...states.get(name) };
    return { ...known.get(name), ...target, state, health: healthOf(state) };
  };
  return data.map((entry) => {
    const steps = (entry.steps ?? []).map((step) => ({ ...step, targets: step.targets.map(join) }));
    const all = steps.flatMap((step) => step.targets);
    return { ...entry, steps, all, ...figuresOf(all), health: healthOfAll(all) };
  });
}

const UNUSED = {
  breaker: "closed",
  attempts: 0,
  failed_attempts: 0,
  last_failure: null,
  p50_ms: null,
  health: null,
};

function nameOf({ provider, upstream }) {
  return JSON.stringify([provider, upstream]);
}

/** Percentiles cannot be added, so those of the target with the most attempts are used. */
function figuresOf(targets) {
  const used = targets.filter(({ attempts }) => attempts > 0);
  const attempts = used.reduce((sum, target) => sum + target.attempts, 0);
  const failed = used.reduce((sum, target) => sum + target.failed_attempts, 0);
  const main = used.toSorted((one, other) => other.attempts - one.attempts)[0];
  return {
    attempts,
    failed,
    uptime: attempts === 0 ? null : 1 - failed / attempts,
    p50: main?.p50_ms ?? null,
    p95: main?.p95_ms ?? null,
  };
}

const BEST_FIRST = ["ok", "unused", "slow", "silent", "limited", "degraded", "failing"];

/** A name works as long as one of its targets works, so its health is that of the best target. */
function healthOfAll(targets) {
  return BEST_FIRST.find((health) => targets.some((target) => target.health === health)) ??
    "unused";
}

/**
 * The entries that match a text and a form. Each word of the text must be in the name, in a
 * provider or in the name of a target.
 *
 * @param {any[]} entries
 * @param {string} text
 * @param {string} form
 */
export function filtered(entries, text, form) {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return entries.filter((entry) => {
    if (form !== "all" && entry.form !== form) return false;
    if (words.length === 0) return true;
    const targets = entry.all.map(({ kind, provider, upstream }) =>
      `${provider} ${kind} ${upstream}`
    );
    const searched = [entry.id, entry.display_name ?? "", ...targets].join(" ").toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

/**
 * The share of a target among the weights of its step, such as `70 %`; undefined without weights.
 *
 * @param {any} target
 * @param {any} step
 */
export function shareOf({ weight }, { balance, targets }) {
  if (balance !== "weighted" || targets.length < 2) return undefined;
  const sum = targets.reduce((total, target) => total + (target.weight ?? 1), 0);
  return sum === 0 ? undefined : `${Math.round(100 * (weight ?? 1) / sum)} %`;
}

/** Describes how equal targets are chosen. */
export const BALANCES = new Map([
  ["in_order", "the first"],
  ["weighted", "by weight"],
  ["p2c", "the less loaded of two"],
  ["ttft", "the fastest first token"],
  ["throughput", "the fastest output"],
  ["price", "the cheapest"],
]);

/** The failures after which a target is tried by default. */
const USUAL = ["rate_limited", "quota", "auth", "not_found", "unavailable", "timeout"];

/**
 * Describes the failures after which a target is tried; the default ones briefly.
 *
 * @param {{ when: readonly string[] }} target
 */
export function conditionOf({ when }) {
  const isUsual = when.length === USUAL.length && USUAL.every((failure) => when.includes(failure));
  if (isUsual) return "if it fails";
  return when.length === 0 ? "never" : `after ${when.join(", ").replaceAll("_", " ")}`;
}

/**
 * The source of a name that is not in config.yaml; undefined for all others.
 *
 * @param {{ read_at?: number, stale?: boolean } | undefined} source
 * @param {number} now milliseconds since the Unix epoch
 */
export function sourceText(source, now) {
  if (source === undefined) return undefined;
  const { read_at: readAt } = source;
  const minutes = Math.max(0, Math.round((now / 1000 - (readAt ?? 0)) / 60));
  const age = readAt === undefined ? "" : `, read ${minutes} min ago`;
  return `listed by the vendor${age}${source.stale ? ", stale" : ""}`;
}
