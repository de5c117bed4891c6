/** Loads the visible requests: their pages, new requests, and the histogram. */

import { useEffect, useRef, useState } from "../../lib/preact.js";
import { getJson, send } from "../../lib/api.js";
import { joinCsv } from "../shared/csv.js";
import { serverNow } from "../../lib/server_clock.js";
import { currentZone } from "../../lib/zone.js";
import { pathFor, useHasChanged, usePolling, useRetry } from "../shared/data.js";
import { addressOf, toParameters } from "./addresses.js";
import { NO_LIST, toList, withNewer, withOlder, withSorted } from "./list_pages.js";

const PAGE = 50;
/** The requests of a sorted list. */
export const MAX_SORTED = 200;
/** Milliseconds between two polls for new requests, and between two counts. */
const TAIL_MS = 2000;
const RECOUNT_MS = 10_000;
/** The maximum number of pages of a count, and of a file. */
const MAX_COUNT_PAGES = 30;
const MAX_SORTED_PAGES = 30;
const MAX_CSV_PAGES = 50;
const CSV_PAGE = 1000;
/** The maximum number of requests in a file. */
export const MAX_CSV_ROWS = MAX_CSV_PAGES * CSV_PAGE;

/**
 * The requests of some filters.
 *
 * @param {{ hasAdmin: boolean }} session
 * @param {Record<string, string>} filters
 * @param {boolean} isLive whether newer requests are added as they end
 */
export function useRequests(session, filters, isLive) {
  const [round, setRound] = useState(0);
  const [list, setList] = useState(NO_LIST);
  const address = `${addressOf(filters)} ${currentZone()}`;
  const inputs = [session.hasAdmin, address, round];
  const hasChanged = useHasChanged(inputs);
  // The period of a range is fixed until the list is reloaded.
  const query = useRef(undefined);

  useEffect(() => {
    const controller = new AbortController();
    query.current = toParameters(filters, serverNow(), currentZone());
    query.current.set("limit", String(PAGE));
    setList((before) => ({ ...before, isLoading: true }));
    const { signal } = controller;
    const read = filters.sort === ""
      ? readFirst(session, query.current, signal, setList)
      : readSorted(session, filters, query.current, signal, setList);
    read.then(
      (shown) => signal.aborted || setList(shown),
      (error) =>
        signal.aborted || setList(({ rows }) => ({
          ...NO_LIST,
          ...(error.isPassing && { rows }),
          isLoading: false,
          error,
        })),
    );
    return () => controller.abort();
  }, inputs);

  const tail = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    tail.current = controller;
    return () => controller.abort();
  }, [...inputs, isLive]);
  const look = async () => {
    const { signal } = tail.current;
    try {
      const page = await readPage(session, query.current, undefined, signal);
      if (!signal.aborted) setList((before) => withNewer(before, page));
    } catch (error) {
      if (!signal.aborted) setList((before) => ({ ...before, moreError: error }));
    }
  };
  usePolling(look, TAIL_MS, isLive);

  const loadMore = async () => {
    const own = query.current;
    setList((before) => ({ ...before, isLoadingMore: true, moreError: undefined }));
    try {
      let found = 0;
      let { next } = list;
      // A page that arrives after the list has changed is ignored.
      while (found < PAGE && next !== null && query.current === own) {
        const page = await readPage(session, own, next);
        if (query.current !== own) return;
        found += page.data.length;
        ({ next } = page);
        const isLast = found >= PAGE || next === null;
        setList((before) => ({ ...withOlder(before, page), isLoadingMore: !isLast }));
      }
    } catch (error) {
      if (query.current !== own) return;
      setList((before) => ({ ...before, isLoadingMore: false, moreError: error }));
    }
  };
  const reload = () => setRound((count) => count + 1);
  useRetry(list.error, reload);
  return { ...list, isLoading: list.isLoading || hasChanged, loadMore, reload };
}

/**
 * Reads the first rows. A page may examine many requests and return few, so older ones are searched
 * until there are enough. `onPart` is called with the rows found so far.
 */
async function readFirst(session, query, signal, onPart) {
  let list = toList(await readPage(session, query, undefined, signal));
  while (list.rows.length < PAGE && list.next !== null && !signal.aborted) {
    onPart({ ...list, isLoadingMore: true });
    list = withOlder(list, await readPage(session, query, list.next, signal));
  }
  return list;
}

/** Reads a sorted list, and calls `onPart` with the rows so far. */
async function readSorted(session, filters, query, signal, onPart) {
  const sorted = new URLSearchParams(query);
  sorted.set("limit", String(MAX_SORTED));
  sorted.set("sort", filters.sort);
  if (filters.order !== "") sorted.set("order", filters.order);
  let list = NO_LIST;
  let before;
  for (let pages = 0; before !== null && pages < MAX_SORTED_PAGES; pages++) {
    const page = await readPage(session, sorted, before, signal);
    list = withSorted(list, page, filters, MAX_SORTED);
    if (!signal.aborted) onPart(list);
    before = page.next;
  }
  return list;
}

function readPage(session, query, before, signal) {
  const all = new URLSearchParams(query);
  if (before !== undefined) all.set("before", before);
  return getJson(pathFor(session, "requests", all), signal && { signal });
}

/** The pages of a count so far; undefined before the first. */
export function useCounts(session, filters, isLive) {
  const [state, setState] = useState({ pages: undefined, isComplete: false, error: undefined });
  const [round, setRound] = useState(0);
  const address = `${addressOf(filters)} ${currentZone()}`;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const load = async () => {
      const now = serverNow();
      const query = toParameters(filters, now, currentZone());
      // All pages have the same period, so they have the same intervals.
      if (!query.has("to")) query.set("to", new Date(now).toISOString());
      const pages = [];
      for (let next = ""; next !== null && pages.length < MAX_COUNT_PAGES;) {
        if (next !== "") query.set("before", next);
        const page = await getJson(pathFor(session, "request_counts", query), { signal });
        if (signal.aborted) return;
        pages.push(page);
        ({ next } = page);
        setState({ pages: [...pages], isComplete: next === null, error: undefined });
      }
    };
    load().catch((error) =>
      signal.aborted || setState({ pages: undefined, isComplete: false, error })
    );
    return () => controller.abort();
  }, [session.hasAdmin, address, round]);
  const recount = () => setRound((count) => count + 1);
  usePolling(recount, RECOUNT_MS, isLive);
  useRetry(state.error, recount);
  return { ...state, recount };
}

/** All requests of some filters as CSV. */
export async function readCsv(session, filters) {
  const query = toParameters(filters, serverNow(), currentZone());
  query.set("format", "csv");
  query.set("limit", String(CSV_PAGE));
  const pages = [];
  let next;
  do {
    if (next) query.set("before", next);
    const response = await send(pathFor(session, "requests", query));
    pages.push(await response.text());
    next = response.headers.get("x-sluice-next");
  } while (next !== null && pages.length < MAX_CSV_PAGES);
  return { text: joinCsv(pages), hasMore: next !== null };
}
