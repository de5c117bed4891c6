/** Checks periodically whether the gateway answers, and which problems it reports. */

import { useEffect, useState } from "./preact.js";
import { send } from "./api.js";
import { alertsOf } from "./alerts.js";
import { readEvents } from "./sse.js";

/** Milliseconds between two checks; the second value applies while the gateway is unreachable. */
const LOOK_MS = 20_000;
const RETRY_MS = 5000;

/** The state before the first check. */
const UNKNOWN = {
  /** The last state of the gateway. */
  state: undefined,
  alerts: [],
  /**
   * The times of the first failed check and of the next one; undefined while the gateway answers.
   */
  awaySince: undefined,
  nextLook: undefined,
};

/**
 * Watches the gateway while the page is visible.
 *
 * @param {string | undefined} path of the stream of the state; undefined while signed out
 * @param {unknown} round a different value restarts the checks
 */
export function useConnection(path, round) {
  const [connection, setConnection] = useState(UNKNOWN);
  useEffect(() => {
    setConnection(UNKNOWN);
    if (path === undefined) return undefined;
    const controller = new AbortController();
    void watch(path, controller.signal, setConnection);
    return () => controller.abort();
  }, [path, round]);
  return connection;
}

async function watch(path, signal, setConnection) {
  while (!signal.aborted) {
    let wait = LOOK_MS;
    try {
      const state = await firstState(path, signal);
      if (signal.aborted) return;
      if (state !== undefined) setConnection({ ...UNKNOWN, state, alerts: alertsOf(state) });
    } catch (error) {
      if (signal.aborted) return;
      if (error?.isPassing) {
        wait = RETRY_MS;
        const now = Date.now();
        setConnection((before) => ({
          ...before,
          awaySince: before.awaySince ?? now,
          nextLook: now + RETRY_MS,
        }));
      }
    }
    await pause(wait, signal);
  }
}

/** Waits; while the page is hidden, until it is visible. The signal ends the wait. */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onShown);
      removeEventListener("gateway-away", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const onShown = () => document.visibilityState === "visible" && done();
    const timer = setTimeout(() => {
      if (document.visibilityState === "visible") done();
      else document.addEventListener("visibilitychange", onShown);
    }, ms);
    // Called after a request of a view has failed: the next check finds the reason.
    if (ms > RETRY_MS) addEventListener("gateway-away", done);
    signal.addEventListener("abort", done);
  });
}

/** Reads the first state of a stream, and closes it. */
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
