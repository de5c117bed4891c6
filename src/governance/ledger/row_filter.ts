/** Which rows in memory a filter is for. */

import { type LedgerRow, STOPPED } from "./row.ts";
import { PATTERN_MEMBERS, type RequestFilter } from "./usage_store.ts";

/** The members that must have exactly the value of the filter. */
const EXACT = ["id", "key", "model", "provider", "session", "endUser", "status"] as const;

/** Returns a function that tells whether a row matches the filter. It ignores positions. */
export function toRowTest(filter: RequestFilter): (row: LedgerRow) => boolean {
  const { failed, from, hasAttempts, idPrefix, minMs, minUsd, tag, to } = filter;
  const exact = EXACT.filter((member) => filter[member] !== undefined);
  const patterns = PATTERN_MEMBERS.flatMap((member) => {
    const pattern = filter.patterns?.[member];
    return pattern === undefined ? [] : [{ member, matches: toPatternTest(pattern) }];
  });
  return (row) =>
    (from === undefined || row.time >= from) && (to === undefined || row.time < to) &&
    exact.every((member) => row[member] === filter[member]) &&
    (idPrefix === undefined || row.id.startsWith(idPrefix)) &&
    (failed === undefined || isFailed(row) === failed) &&
    (hasAttempts !== true || row.attemptRows !== undefined) &&
    (minMs === undefined || row.ms >= minMs) &&
    (minUsd === undefined || (row.usd !== undefined && row.usd >= minUsd)) &&
    (tag === undefined || row.tags.includes(tag)) &&
    patterns.every(({ member, matches }) =>
      member === "tag" ? row.tags.some(matches) : matches(row[member])
    );
}

/** Undefined for a request that the client stopped: it neither failed nor succeeded. */
export function isFailed(
  { error, status }: Pick<LedgerRow, "error" | "status">,
): boolean | undefined {
  return status === STOPPED ? undefined : status >= 400 || error !== undefined;
}

/** Returns a function that tells whether a text matches a pattern; `*` is any characters. */
function toPatternTest(pattern: string): (text: string | undefined) => boolean {
  const [first = "", ...others] = toAsciiLowerCase(pattern).split("*");
  const last = others.pop();
  return (text) => {
    if (text === undefined) return false;
    const lower = toAsciiLowerCase(text);
    if (last === undefined) return lower === first;
    if (!lower.startsWith(first)) return false;
    // The earliest place of each part leaves the most for the others.
    let at = first.length;
    for (const part of others) {
      const found = lower.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return lower.length - last.length >= at && lower.endsWith(last);
  };
}

/** Databases, too, ignore the case of these letters only. */
function toAsciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
