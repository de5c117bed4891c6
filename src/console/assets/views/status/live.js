/** The state of the gateway, live: one stream of events while the page is visible. */

import { useEffect, useState } from "../../lib/preact.js";
import { send } from "../../lib/api.js";
import { readEvents } from "../../lib/sse.js";

/** Milliseconds before the stream is opened again; it doubles with each failure. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
/** The number of seconds shown in the small charts. */
const HISTORY = 60;

/**
 * Subscribes to the state while the component is mounted and the page is visible.
 *
 * @param {string} path of the stream of events
 * @returns {{ state: object | undefined, history: object[], isLive: boolean, error: Error |
 * undefined }}
 */
export function useLive(path) {
  const [live, setLive] = useState(EMPTY);
  useEffect(() => {
    setLive(EMPTY);
    let controller;
    const start = () => {
      controller = new AbortController();
      void follow(path, controller.signal, setLive);
    };
    const onVisibility = () => {
      controller?.abort();
      if (document.visibilityState === "visible") start();
      else setLive((before) => ({ ...before, isLive: false }));
    };
    if (document.visibilityState === "visible") start();
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      controller?.abort();
    };
  }, [path]);
  return live;
}

const EMPTY = { state: undefined, history: [], isLive: false, error: undefined };

async function follow(path, signal, setLive) {
  let wait = FIRST_WAIT_MS;
  const onEvent = ({ name, data }) => {
    if (name !== "state" || signal.aborted) return;
    wait = FIRST_WAIT_MS;
    const state = JSON.parse(data);
    setLive(({ history }) => ({
      state,
      history: [...history, state].slice(-HISTORY),
      isLive: true,
      error: undefined,
    }));
  };
  while (!signal.aborted) {
    let error;
    try {
      await readEvents(await send(path, { signal }), onEvent);
    } catch (thrown) {
      error = thrown;
    }
    if (signal.aborted) return;
    setLive((before) => ({ ...before, isLive: false, error }));
    // Retrying with a refused key is useless.
    if (error?.status === 401 || error?.status === 403 || error?.status === 404) return;
    await pause(wait, signal);
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
}

/** Resolves after some milliseconds, or when the signal is aborted. */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
