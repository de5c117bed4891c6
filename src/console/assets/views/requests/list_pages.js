/** Combines pages into the list of visible requests. */

/** The maximum number of requests in the list while new ones arrive. */
const MAX_LIVE_ROWS = 500;

/** A list that is being loaded. */
export const NO_LIST = {
  ...{ rows: undefined, next: null, error: undefined, isLoading: true },
  ...{ isLoadingMore: false, isSorting: false, moreError: undefined },
};

/** The list of the newest page. */
export function toList({ data, next }) {
  return { ...NO_LIST, isLoading: false, rows: data, next };
}

/** A list with the next page at its end. */
export function withOlder(list, { data, next }) {
  const rows = [...list.rows, ...data];
  return { ...list, isLoadingMore: false, rows, next };
}

/**
 * Prepends the requests of the newest page to a list. If some may be missing in between, or there
 * are too many, the page replaces the list.
 */
export function withNewer(list, page) {
  if (list.rows === undefined) return list;
  const known = new Set(list.rows.map(idOf));
  const newer = page.data.filter((row) => !known.has(idOf(row)));
  if (newer.length === 0) return list.moreError ? { ...list, moreError: undefined } : list;
  const isApart = newer.length === page.data.length && page.has_more;
  if (isApart || list.rows.length + newer.length > MAX_LIVE_ROWS) return toList(page);
  // Requests may appear out of order.
  const rows = [...newer, ...list.rows]
    .sort((one, other) => one.time < other.time ? 1 : one.time > other.time ? -1 : 0);
  return { ...list, rows, moreError: undefined };
}

/**
 * Merges the first requests of a page with older ones into a sorted list.
 *
 * @param {{ rows?: { id: string }[] | undefined }} list
 * @param {{ data: { id: string }[], next: string | null }} page
 * @param {{ sort: string, order: string }} filters
 * @param {number} limit the maximum number of requests
 */
export function withSorted(list, { data, next }, { sort, order }, limit) {
  const sign = order === "asc" ? 1 : -1;
  const compare = (one, other) => {
    const [first, second] = [sortValueOf(one, sort), sortValueOf(other, sort)];
    return first === second ? 0 : sign * (first < second ? -1 : 1);
  };
  // Of equal ones, the newest is first, in the order of the pages.
  const rows = [...list.rows ?? [], ...data]
    .sort(compare)
    .slice(0, limit);
  return { ...NO_LIST, isLoading: false, isSorting: next !== null, rows };
}

/** The paths in the order of the gateway. */
const PATHS = ["cache", "hedge", "fallback", "retry", "queued", "sticky"];

/** The value that the gateway sorts a request by; it ignores the case of ASCII letters. */
function sortValueOf(row, sort) {
  if (sort === "path") return PATHS.indexOf(row.path[0]);
  const value = row[sort];
  return typeof value === "string"
    ? value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    : value;
}

/** A unique name of a request: callers choose IDs, so those may not be unique. */
export function idOf({ id, time }) {
  return `${time} ${id}`;
}
