/** What an operator must know in every view: a stale configuration, and open circuit breakers. */

import { send } from "./api.js";
import { readEvents } from "./sse.js";

/** Milliseconds between two looks at the state. */
const LOOK_MS = 20_000;

/**
 * Looks at the state of the gateway from time to time.
 *
 * @param {string} path of the stream of the state: only its first event is read
 * @param {(alerts: string[]) => void} onAlerts called after each look that had an answer
 * @returns {() => void} ends it
 */
export function watchAlerts(path, onAlerts) {
  const controller = new AbortController();
  const look = async () => {
    const state = await firstState(path, controller.signal).catch(() => undefined);
    if (state !== undefined && !controller.signal.aborted) onAlerts(alertsOf(state));
  };
  void look();
  const timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    controller.abort();
  };
}

/** The first state of a stream, which is closed then. */
async function firstState(path, signal) {
  const response = await send(path, { signal });
  let state;
  try {
    await readEvents(response, ({ name, data }) => {
      if (name !== "state") return;
      state = JSON.parse(data);
      throw FOUND;
    });
  } catch (thrown) {
    if (thrown !== FOUND) throw thrown;
  }
  return state;
}

const FOUND = Symbol("found");

/**
 * One sentence for each thing that is wrong with the configuration or the breakers.
 *
 * @param {any} state
 * @returns {string[]}
 */
export function alertsOf({ config, models = [], providers }) {
  const alerts = [];
  if (config?.valid === false) {
    alerts.push("The configuration file is not valid: the gateway uses the one before.");
  }
  const open = models.filter(({ breaker }) => breaker !== undefined && breaker !== "closed");
  if (open.length > 0) {
    const names = open.slice(0, 3).map(({ id, provider }) => `${id} at ${provider}`);
    const others = open.length > 3 ? ` and ${open.length - 3} more` : "";
    alerts.push(
      `Open circuit ${open.length === 1 ? "breaker" : "breakers"}: ${names.join(", ")}${others}.`,
    );
  }
  const suspended = providers.filter(({ enabled, keys, resting_keys }) =>
    enabled && keys > 0 && resting_keys >= keys
  );
  if (suspended.length > 0) {
    alerts.push(`All keys are suspended: ${suspended.map(({ id }) => id).join(", ")}.`);
  }
  return alerts;
}
