/**
 * Problems that every view shows: failing targets, keys, breakers, the configuration, and other
 * alerts of `alerts` in config.yaml.
 */

import { isTrouble, STATES } from "./target_health.js";

/**
 * One entry for each current problem: the view that shows it, and when it began.
 *
 * @param {any} state of the gateway
 * @returns {{ text: string, view: string, since: string | null }[]}
 */
export function alertsOf({ alerts: configured = [], config, models = [], providers }) {
  const alerts = [];
  if (config?.valid === false) {
    const text = "The configuration file is not valid: the gateway uses the previous one.";
    alerts.push({ text, view: "config", since: null });
  }
  for (const { breaker, health, id, provider } of models) {
    const name = `${id} at ${provider}`;
    if (health && ALERTED.has(health.state)) {
      const text = `${STATES.get(health.state).text}: ${name}`;
      alerts.push({ text, view: "status", since: health.since });
    } else if (breaker === "open" && !isTrouble(health?.state)) {
      alerts.push({ text: `Open circuit breaker: ${name}`, view: "status", since: null });
    }
  }
  for (const { enabled, id, keys, resting_keys: suspended } of providers) {
    if (!enabled || keys === 0 || suspended < keys) continue;
    alerts.push({ text: `All keys are suspended: ${id}`, view: "status", since: null });
  }
  for (const { rule, since, text } of configured) {
    const view = VIEWS.get(rule);
    if (view !== undefined) alerts.push({ text, view, since });
  }
  return alerts;
}

/** The views of configured alerts. The state above determines all others. */
const VIEWS = new Map([["budget", "keys"], ["no_traffic", "requests"], ["store_down", "overview"]]);

/** A slow target still answers, so it is not an alert. */
const ALERTED = new Set(["failing", "degraded", "silent"]);
