/** The parameters of lists and counts of single requests. */

import { invalidValue } from "../../core/invalid_value.ts";
import type {
  PatternMember,
  RequestFilter,
  RequestQuery,
  RequestSort,
  RowPosition,
  SortMember,
} from "../../governance/ledger/usage_store.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** The same for CSV, which has no details to show. */
const MAX_CSV_LIMIT = 1000;
/** The bounds of a pattern, so that it is matched in microseconds. */
const MAX_PATTERN_CHARS = 200;
const MAX_STARS = 8;
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;

/** The parameters that may be patterns, and the members of a query. */
const TEXTS: ReadonlyMap<string, PatternMember> = new Map([
  ["key", "key"],
  ["model", "model"],
  ["provider", "provider"],
  ["tag", "tag"],
  ["end_user", "endUser"],
]);

/** What lists can be sorted by: members of a request in reports. */
const SORTS: ReadonlyMap<string, SortMember> = new Map([
  ["ms", "ms"],
  ["cost_usd", "usd"],
  ["input_tokens", "input"],
  ["output_tokens", "output"],
  ["first_token_ms", "firstTokenMs"],
  ["attempt_count", "attempts"],
]);

/**
 * The query of a list.
 *
 * @param own the key whose requests are listed; undefined for those of all keys
 * @returns undefined if the parameter `key` names another key, which has no requests here
 * @throws {GatewayError} `invalid_value` for an invalid parameter.
 */
export function readRequestQuery(
  params: URLSearchParams,
  own: string | undefined,
): RequestQuery | undefined {
  const limit = readLimit(params, params.get("format") === "csv" ? MAX_CSV_LIMIT : MAX_LIMIT);
  const sort = readSort(params);
  const filter = readRequestFilter(params, own);
  return filter && { ...filter, limit, ...(sort && { sort }) };
}

/**
 * What is listed or counted. Like {@linkcode readRequestQuery} otherwise.
 *
 * @throws {GatewayError} `invalid_value` for an invalid parameter.
 */
export function readRequestFilter(
  params: URLSearchParams,
  own: string | undefined,
): RequestFilter | undefined {
  const exact: Partial<Record<PatternMember, string>> = {};
  const patterns: Partial<Record<PatternMember, string>> = {};
  for (const [name, member] of TEXTS) {
    const value = params.get(name);
    if (!value) continue;
    // A service key sees no other key, so a pattern would select nothing.
    const isPattern = value.includes("*") && !(member === "key" && own !== undefined);
    if (isPattern) patterns[member] = checkPattern(name, value);
    else exact[member] = value;
  }
  const from = readTime(params, "from");
  const to = readTime(params, "to");
  if (from !== undefined && to !== undefined && from >= to) {
    throw invalidValue("from", "must be before 'to'");
  }
  const filter = {
    ...{ ...exact, from, to, before: readCursor(params) },
    idPrefix: params.get("id") || undefined,
    session: params.get("session") || undefined,
    minMs: readAmount(params, "min_ms"),
    minUsd: readAmount(params, "min_cost_usd"),
    ...(Object.keys(patterns).length > 0 && { patterns }),
    ...readStatus(params),
  };
  if (own !== undefined && exact.key !== undefined && exact.key !== own) return undefined;
  return own === undefined ? filter : { ...filter, key: own };
}

/** The text of a position, for the parameter `before`. */
export function toCursor({ time, row }: RowPosition): string {
  return `${time}-${row}`;
}

function checkPattern(name: string, pattern: string): string {
  if (pattern.length > MAX_PATTERN_CHARS || pattern.split("*").length > MAX_STARS + 1) {
    throw invalidValue(
      name,
      `must have at most ${MAX_PATTERN_CHARS} characters and ${MAX_STARS} times '*'`,
    );
  }
  return pattern;
}

function readLimit(params: URLSearchParams, max: number): number {
  const text = params.get("limit") || String(DEFAULT_LIMIT);
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > max) throw invalidValue("limit", `must be an integer from 1 to ${max}`);
  return limit;
}

function readSort(params: URLSearchParams): RequestSort | undefined {
  const order = params.get("order") || "desc";
  if (order !== "asc" && order !== "desc") throw invalidValue("order", "must be 'asc' or 'desc'");
  const name = params.get("sort") || "time";
  if (name === "time" && order === "desc") return undefined;
  const by = SORTS.get(name);
  if (by !== undefined) return { by, isRising: order === "asc" };
  if (name === "time") throw invalidValue("order", "must be 'desc' without 'sort'");
  throw invalidValue("sort", `must be 'time' or one of ${[...SORTS.keys()].join(", ")}`);
}

function readCursor(params: URLSearchParams): RowPosition | undefined {
  const text = params.get("before");
  if (!text) return undefined;
  const [, time, row] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (time === undefined || row === undefined) {
    throw invalidValue("before", "must be 'next' of an earlier page");
  }
  return { time: Number(time), row: Number(row) };
}

function readStatus(params: URLSearchParams): Pick<RequestFilter, "failed" | "status"> {
  const text = params.get("status");
  if (!text) return {};
  if (text === "ok" || text === "error") return { failed: text === "error" };
  if (/^[1-5]\d\d$/.test(text)) return { status: Number(text) };
  throw invalidValue("status", "must be a status such as 429, or 'ok' or 'error'");
}

/** A number that is at least 0. */
function readAmount(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  if (!text) return undefined;
  if (/^\d{1,15}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw invalidValue(name, "must be a number such as 1500 or 0.25");
}

/**
 * A date, or a date and a time in UTC.
 *
 * @throws {GatewayError} `invalid_value` for anything else.
 */
export function readTime(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  if (!text) return undefined;
  const time = TIME.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw invalidValue(
    name,
    "must be a date such as 2026-11-01, or a time such as 2026-11-01T08:00Z",
  );
}
