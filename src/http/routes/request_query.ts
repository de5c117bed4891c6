/** Queries for individual requests: the parameters for lists, and `GET /v1/request_counts`. */

import { REQUEST_PATHS, type RequestPath } from "../../governance/ledger/request_paths.ts";
import type {
  PatternMember,
  RequestCount,
  RequestFilter,
  RequestQuery,
  RowPosition,
} from "../../governance/ledger/usage_store.ts";
import {
  isSortName,
  REQUEST_SORTS,
  type RequestSort,
} from "../../governance/ledger/request_sorts.ts";
import { TimeSlice } from "../../core/clock.ts";
import type { UsageReader } from "../usage_reader.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";
import { invalidValue } from "../../core/errors.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** The same for CSV, which contains no details. */
const MAX_CSV_LIMIT = 1000;
/** The limits for a pattern, so that matching takes microseconds. */
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

/**
 * The query for a list.
 *
 * @param own the key whose requests are listed; undefined for all keys
 * @returns undefined if the parameter `key` names another key, whose requests are not visible
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
 * The filter for a list or a count. Otherwise like {@linkcode readRequestQuery}.
 *
 * @throws {GatewayError} `invalid_value` for an invalid parameter.
 */
function readRequestFilter(
  params: URLSearchParams,
  own: string | undefined,
): RequestFilter | undefined {
  const exact: Partial<Record<PatternMember, string>> = {};
  const patterns: Partial<Record<PatternMember, string>> = {};
  for (const [name, member] of TEXTS) {
    const value = params.get(name);
    if (!value) continue;
    // A service key cannot see other keys, so a pattern would select nothing.
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
    path: readPath(params),
    ...(Object.keys(patterns).length > 0 && { patterns }),
    ...readStatus(params),
  };
  if (own !== undefined && exact.key !== undefined && exact.key !== own) return undefined;
  return own === undefined ? filter : { ...filter, key: own };
}

/** A position as text, for the parameter `before`. */
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
  if (isSortName(name)) return { by: name, isRising: order === "asc" };
  throw invalidValue("sort", `must be one of ${Object.keys(REQUEST_SORTS).join(", ")}`);
}

function readCursor(params: URLSearchParams): RowPosition | undefined {
  const text = params.get("before");
  if (!text) return undefined;
  const [, time, row] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (time === undefined || row === undefined) {
    throw invalidValue("before", "must be an earlier page's 'next'");
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

function readPath(params: URLSearchParams): RequestPath | undefined {
  const text = params.get("path");
  if (!text) return undefined;
  const path = REQUEST_PATHS.find((name) => name === text);
  if (path === undefined) throw invalidValue("path", `must be one of ${REQUEST_PATHS.join(", ")}`);
  return path;
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

// `GET /v1/request_counts` for the caller's key, and `GET /v1/admin/request_counts` for all keys:
// the number of requests and failures in each time interval.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The possible interval lengths. Intervals begin at multiples of their length, in UTC. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 4, 7, 14, 28].map((days) => days * DAY_MS),
] as const;
const MAX_INTERVALS = 60;
/** The default period. */
const DEFAULT_PERIOD_MS = DAY_MS;
/** The longest period. */
const MAX_PERIOD_MS = 60 * 28 * DAY_MS;
/** The maximum number of steps for a count per request. Each step takes 5 to 10 milliseconds. */
const MAX_STEPS = 20;
const HEADERS = { "cache-control": "no-store" };

/** The caller's key's requests. */
export function countOwnRequests(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return count(request, context, usage, context.principal.key.name);
}

/** The requests from all keys, or from those that match the parameter `key`. */
export function countAllRequests(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return count(request, context, usage, undefined);
}

/** The filter for a count, and its period. */
interface CountQuery extends RequestFilter {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** @param own the caller's key; undefined for an admin */
async function count(
  request: Request,
  { deps: { clock } }: RouteContext,
  usage: UsageReader,
  own: string | undefined,
): Promise<RouteResponse> {
  const filter = readRequestFilter(new URL(request.url).searchParams, own);
  const now = clock.wallTime();
  const query = toQuery(filter ?? {}, now);
  const { counts, next } = filter === undefined
    ? { counts: [], next: undefined }
    : areSums(filter, query, now)
    ? await fromSums(query, usage)
    : await fromRows(query, usage);
  return json({
    object: "list",
    ...intervalsOf(query),
    step_seconds: query.step / SECOND_MS,
    data: counts.toSorted((one, other) => one.start - other.start).map((
      { start, requests, errors },
    ) => ({ start: new Date(start).toISOString(), requests, errors })),
    has_more: next !== undefined,
    next: next === undefined ? null : toCursor(next),
  }, HEADERS);
}

/** Intervals are complete, even if the period begins or ends within one. */
function intervalsOf({ from, step, to }: CountQuery): { from: string; to: string } {
  return {
    from: new Date(Math.floor(from / step) * step).toISOString(),
    to: new Date(Math.ceil(to / step) * step).toISOString(),
  };
}

function toQuery(filter: RequestFilter, now: number): CountQuery {
  const end = filter.to ?? now + 1;
  const start = filter.from ?? end - DEFAULT_PERIOD_MS;
  if (start >= end) throw invalidValue("from", "must be before 'to'");
  if (end - start > MAX_PERIOD_MS) {
    throw invalidValue("from", `must be at most ${MAX_PERIOD_MS / DAY_MS} days before 'to'`);
  }
  const step = STEPS.find((length) => (end - start) / length <= MAX_INTERVALS) ?? 28 * DAY_MS;
  return { ...filter, from: start, to: end, step };
}

/** Whether the hourly totals contain these counts, so that individual requests need not be read. */
function areSums(
  { from: _from, to: _to, key: _key, ...filter }: RequestFilter,
  { from, step, to }: CountQuery,
  now: number,
) {
  const isWhole = [from, to, step].every((time) =>
    time % HOUR_MS === 0 || (time === to && to > now)
  );
  return isWhole && Object.values(filter).every((value) => value === undefined);
}

async function fromSums(
  { from, to, key, step }: CountQuery,
  usage: UsageReader,
): Promise<{ counts: RequestCount[]; next: undefined }> {
  const end = Math.ceil(to / HOUR_MS) * HOUR_MS;
  const hours = await usage.summarize({ from, to: end, key, groupBy: ["hour"] });
  const counts = new Map<number, RequestCount>();
  for (const { group: [hour], requests, errors } of hours) {
    add(counts, { start: Date.parse(hour ?? ""), requests, errors }, step);
  }
  return { counts: [...counts.values()], next: undefined };
}

async function fromRows(
  query: CountQuery,
  usage: UsageReader,
): Promise<{ counts: RequestCount[]; next: RowPosition | undefined }> {
  const slice = new TimeSlice();
  const counts = new Map<number, RequestCount>();
  let { before } = query;
  for (let step = 0; step < MAX_STEPS; step++) {
    const page = await usage.count({ ...query, before });
    for (const count of page.counts) add(counts, count, query.step);
    before = page.next;
    if (before === undefined) break;
    if (slice.isOver) await slice.next();
  }
  return { counts: [...counts.values()], next: before };
}

function add(counts: Map<number, RequestCount>, added: RequestCount, step: number): void {
  const start = Math.floor(added.start / step) * step;
  const before = counts.get(start);
  counts.set(start, {
    start,
    requests: added.requests + (before?.requests ?? 0),
    errors: added.errors + (before?.errors ?? 0),
  });
}
