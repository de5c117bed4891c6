/** The states of targets in words, and their evidence. The gateway decides the states. */

import { count, duration } from "./format.js";

/** The states from the worst to the best, with their labels and badge colors. */
export const STATES = new Map([
  ["failing", { text: "Failing", tone: "bad", verb: "has been failing" }],
  ["degraded", { text: "Degraded", tone: "warn", verb: "has been degraded" }],
  ["slow", { text: "Slow", tone: "warn", verb: "has been slow" }],
  ["silent", { text: "Silent", tone: "", verb: "has been silent" }],
  ["ok", { text: "OK", tone: "", verb: "is OK" }],
  ["unused", { text: "Unused", tone: "", verb: "is unused" }],
]);
const ORDER = [...STATES.keys()];

/** Whether a state needs attention. */
export function isTrouble(state) {
  return ORDER.includes(state) && ORDER.indexOf(state) < ORDER.indexOf("ok");
}

/** Compares states: the worse one is first. */
export function compareStates(one, other) {
  return ORDER.indexOf(one) - ORDER.indexOf(other);
}

/**
 * A short reason for a target's state.
 *
 * @param {any} health as the gateway reports it; a service key gets `state` and `since` only
 * @param {number} now milliseconds since the Unix epoch, by the gateway's clock
 */
export function evidenceText(health, now) {
  const { day, first_content_ms: first, last, last_attempt, last_failure, recent, state } = health;
  if (recent === undefined) return "";
  const code = last_failure === null ? "" : `; ${last_failure.status}`;
  switch (state) {
    case "failing":
    case "degraded": {
      // With few attempts, the latest ones are more significant than the window.
      if (recent.attempts < last.attempts) return `last ${sumText(last)}${code}`;
      return `${sumText(recent)} in 10 min${code}`;
    }
    case "slow":
      return `first content ${duration(first)}, usually ${duration(health.usual_first_content_ms)}`;
    case "silent":
      return `last ${sumText(last)}, ${agoText(last_attempt, now)}`;
    case "ok":
      return `${sumText(day)} in 24 h`;
    default:
      return "no attempt in 24 h";
  }
}

/** The effect of an incident so far; empty without one. */
export function incidentText({ incident }) {
  if (incident === null || incident === undefined) return "";
  const { attempts, failures, rescued } = incident;
  const saved = rescued === 0 ? "none was rescued" : `${count(rescued)} rescued by another attempt`;
  return `${count(failures)} of ${count(attempts)} failed since then, ${saved}`;
}

function sumText({ attempts, failures }) {
  return `${count(failures)} of ${count(attempts)} failed`;
}

/** How long ago a time is, such as `24 min ago`. */
export function agoText(time, now) {
  return `${lengthText(now - Date.parse(time))} ago`;
}

/** A duration in its largest unit, such as `3 d`. */
export function lengthText(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** The thresholds in words, for a tooltip. */
export function thresholdsText({ degraded, failing, slow, window_ms }) {
  const minutes = Math.round(window_ms / 60_000);
  return [
    `Over ${minutes} minutes, for each target:`,
    `■ Failing: at least ${failing.min_attempts} attempts and ${
      Math.round(100 * failing.failed_share)
    } % failed, or the last ${failing.failed_in_a_row} failed`,
    `▲ Degraded: at least ${degraded.min_attempts} attempts and ${
      Math.round(100 * degraded.failed_share)
    } % failed`,
    `◐ Slow: at least ${slow.min_attempts} attempts, and the time to the first content over ` +
    `${slow.factor} times that of 24 h`,
    "○ Silent: it was failing or degraded, and has had no attempt since",
    "– Unused: no attempt in 24 h; ● OK: none of these",
  ].join("\n");
}
