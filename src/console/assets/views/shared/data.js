/** Data of the gateway in components, and the keys of the session. */

import { useCallback, useEffect, useRef, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { adminKey, onSessionChange, serviceKey } from "../../lib/session.js";

/** The kinds of keys that are set. The component renders again when they change. */
export function useSession() {
  const [, render] = useState(0);
  useEffect(() => onSessionChange(() => render((count) => count + 1)), []);
  return { hasAdmin: adminKey() !== "", hasService: serviceKey() !== "" };
}

/** Milliseconds before data is loaded again after a failure; it doubles with each failure. */
const FIRST_WAIT_MS = 2000;
const LONGEST_WAIT_MS = 15_000;

/**
 * Reloads after a temporary failure, for example while the gateway restarts.
 *
 * @param {{ isPassing?: boolean } | undefined} error
 * @param {() => void} reload
 */
export function useRetry(error, reload) {
  const wait = useRef(FIRST_WAIT_MS);
  useEffect(() => {
    if (error === undefined) wait.current = FIRST_WAIT_MS;
    if (!error?.isPassing) return undefined;
    const timer = setTimeout(reload, wait.current);
    wait.current = Math.min(2 * wait.current, LONGEST_WAIT_MS);
    return () => clearTimeout(timer);
  }, [error]);
}

/**
 * Calls a function periodically while the page is visible.
 *
 * @param {() => void} act
 * @param {number} ms
 * @param {boolean} [isOn]
 */
export function usePolling(act, ms, isOn = true) {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => document.hidden || latest.current(), ms);
    return () => clearInterval(timer);
  }, [ms, isOn]);
}

/**
 * Whether inputs have changed in this render, so that the data still belongs to the earlier ones.
 */
export function useHasChanged(inputs) {
  const earlier = useRef([]);
  useEffect(() => void (earlier.current = inputs), inputs);
  return inputs.some((input, index) => input !== earlier.current[index]);
}

/**
 * Loads data, and again when the inputs change. Earlier data is kept until the new data arrives,
 * and after a temporary failure.
 *
 * @template Data
 * @param {(signal: AbortSignal) => Promise<Data>} load
 * @param {readonly unknown[]} inputs
 * @returns {{ data: Data | undefined, error: Error | undefined, isLoading: boolean, reload: () =>
 * void, setData: (data: Data) => void }}
 */
export function useLoaded(load, inputs) {
  const [state, setState] = useState({ data: undefined, error: undefined, isLoading: true });
  const [round, setRound] = useState(0);
  const hasChanged = useHasChanged([...inputs, round]);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setState((before) => ({ ...before, isLoading: true }));
    latest.current(signal).then(
      (data) => signal.aborted || setState({ data, error: undefined, isLoading: false }),
      (error) =>
        signal.aborted || setState(({ data }) => ({
          data: error.isPassing ? data : undefined,
          error,
          isLoading: false,
        })),
    );
    return () => controller.abort();
  }, [...inputs, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  useRetry(state.error, reload);
  const setData = useCallback((data) => setState((before) => ({ ...before, data })), []);
  return { ...state, isLoading: state.isLoading || hasChanged, reload, setData };
}

/** The path of a request: for all keys with an admin key, else for the own service key. */
export function pathFor({ hasAdmin }, name, query) {
  const text = query === undefined ? "" : new URLSearchParams(query).toString();
  return `/v1/${hasAdmin ? "admin/" : ""}${name}${text === "" ? "" : `?${text}`}`;
}

/** Keys per page of the API: the maximum. */
const KEY_PAGE = 1000;

/** All service keys, page by page. @param {Record<string, string>} query such as `{ usage: true }` */
export async function readKeys(query, signal) {
  const keys = [];
  for (let after = ""; after !== undefined;) {
    const page = new URLSearchParams({ ...query, limit: KEY_PAGE, ...(after !== "" && { after }) });
    const { data, has_more } = await getJson(`/v1/admin/keys?${page}`, { signal });
    keys.push(...data);
    after = has_more ? data.at(-1).id : undefined;
  }
  return keys;
}
