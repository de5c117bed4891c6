/**
 * `GET /v1/request_counts` for one's own key, and `GET /v1/admin/request_counts` for all keys: how
 * many requests a list has in each interval of time, and how many of them failed.
 */

import { TimeSlice } from "../../core/clock.ts";
import { invalidValue } from "../../core/invalid_value.ts";
import type {
  RequestCount,
  RequestFilter,
  RowPosition,
} from "../../governance/ledger/usage_store.ts";
import type { UsageReader } from "../usage_reader.ts";
import { readRequestFilter, toCursor } from "./request_query.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The lengths of an interval. Intervals begin at multiples of them, in UTC. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 4, 7, 14, 28].map((days) => days * DAY_MS),
] as const;
const MAX_INTERVALS = 60;
/** The period that is counted if the request names none. */
const DEFAULT_PERIOD_MS = DAY_MS;
/** The longest period. */
const MAX_PERIOD_MS = 60 * 28 * DAY_MS;
/** How often a count is continued at once. Each step takes 5 to 10 milliseconds. */
const MAX_STEPS = 20;
const HEADERS = { "cache-control": "no-store" };

/** The requests of the caller's key. */
export function countOwnRequests(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return count(request, context, usage, context.key.name);
}

/** The requests of all keys, or of those of the parameter `key`. */
export function countAllRequests(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return count(request, context, usage, undefined);
}

/** What is counted, with its period. */
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
  const query = toQuery(filter ?? {}, clock.wallTime());
  const { counts, next } = filter === undefined
    ? { counts: [], next: undefined }
    : areSums(filter, query)
    ? await fromSums(query, usage)
    : await fromRows(query, usage);
  return json({
    object: "list",
    from: new Date(query.from).toISOString(),
    to: new Date(query.to).toISOString(),
    step_seconds: query.step / SECOND_MS,
    data: counts.toSorted((one, other) => one.start - other.start).map((
      { start, requests, errors },
    ) => ({ start: new Date(start).toISOString(), requests, errors })),
    has_more: next !== undefined,
    next: next === undefined ? null : toCursor(next),
  }, HEADERS);
}

/** Whole intervals, so that the first and the last one are not cut. */
function toQuery(filter: RequestFilter, now: number): CountQuery {
  const end = filter.to ?? now + 1;
  const start = filter.from ?? end - DEFAULT_PERIOD_MS;
  if (start >= end) throw invalidValue("from", "must be before 'to'");
  if (end - start > MAX_PERIOD_MS) {
    throw invalidValue("from", `must be at most ${MAX_PERIOD_MS / DAY_MS} days before 'to'`);
  }
  const step = STEPS.find((length) => (end - start) / length <= MAX_INTERVALS) ?? 28 * DAY_MS;
  const from = Math.floor(start / step) * step;
  const to = Math.ceil(end / step) * step;
  return { ...filter, from, to, step };
}

/** Whether the sums by hour have these counts: no single request must be read then. */
function areSums(
  { from: _from, to: _to, key: _key, ...filter }: RequestFilter,
  { step }: CountQuery,
) {
  return step % HOUR_MS === 0 && Object.values(filter).every((value) => value === undefined);
}

async function fromSums(
  { from, to, key, step }: CountQuery,
  usage: UsageReader,
): Promise<{ counts: RequestCount[]; next: undefined }> {
  const hours = await usage.summarize({ from, to, key, groupBy: ["hour"] });
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
