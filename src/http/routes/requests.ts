/**
 * `GET /v1/requests` and `GET /v1/requests/{request_id}` for one's own key, and the same below
 * `/v1/admin` for all keys: single requests of the ledger, without any content.
 */

import { shortened } from "../../core/shortened.ts";
import { invalidValue } from "../../core/invalid_value.ts";
import { TimeSlice } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import type { AttemptRow } from "../../governance/ledger/attempt_row.ts";
import { attemptsOf } from "../../governance/ledger/attempts.ts";
import { toRequestReport } from "../../governance/ledger/columns.ts";
import type { LedgerRow } from "../../governance/ledger/row.ts";
import type { RequestQuery, RowPosition } from "../../governance/ledger/usage_store.ts";
import type { UsageReader } from "../usage_reader.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** How often a page without enough requests is continued at once. Each step takes milliseconds. */
const MAX_STEPS = 10;
/** The same for the search of one request, which has no page to continue. */
const MAX_SEARCH_STEPS = 100;
/** The longest part of an unknown ID that an error shows, in UTF-16 units. */
const MAX_ID_CHARS = 200;
const HEADERS = { "cache-control": "no-store" };

/** The requests of the caller's key. */
export function listOwnRequests(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return list(request, usage, context.key.name);
}

/** The requests of all keys, or of the one in the parameter `key`. */
export function listAllRequests(
  request: Request,
  _: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return list(request, usage, undefined);
}

/**
 * One request of the caller's key.
 *
 * @throws {GatewayError} `request_not_found` also for a request of another key.
 */
export function showOwnRequest(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return show(request, context, usage, context.key.name);
}

/** One request. Only admins see which hosts could not be reached. */
export function showAnyRequest(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return show(request, context, usage, undefined);
}

/** @param own the caller's key; undefined for an admin */
async function list(
  request: Request,
  usage: UsageReader,
  own: string | undefined,
): Promise<RouteResponse> {
  const query = readQuery(new URL(request.url).searchParams);
  if (own !== undefined && query.key !== undefined && query.key !== own) {
    return json({ object: "list", data: [], has_more: false, next: null }, HEADERS);
  }
  const rows: LedgerRow[] = [];
  const next = await search({ ...query, key: own ?? query.key }, MAX_STEPS, rows, usage);
  return json({
    object: "list",
    data: rows.map(toRequestReport),
    has_more: next !== undefined,
    next: next === undefined ? null : `${next.time}-${next.row}`,
  }, HEADERS);
}

async function show(
  request: Request,
  { params }: RouteContext,
  usage: UsageReader,
  own: string | undefined,
): Promise<RouteResponse> {
  const id = params.get("request_id") ?? "";
  const time = readTime(new URL(request.url).searchParams);
  // All rows of that millisecond are before this position.
  const before = time === undefined ? undefined : { time: time + 1, row: 0 };
  const rows: LedgerRow[] = [];
  const next = await search({ id, key: own, before, limit: 1 }, MAX_SEARCH_STEPS, rows, usage);
  const [row] = rows;
  if (row === undefined) throw unknownRequest(id, next !== undefined);
  return json({ ...toRequestReport(row), attempts: toAttempts(row, own === undefined) }, HEADERS);
}

/** Collects requests step by step. Returns where the search continues. */
async function search(
  query: RequestQuery,
  maxSteps: number,
  rows: LedgerRow[],
  usage: UsageReader,
): Promise<RowPosition | undefined> {
  const slice = new TimeSlice();
  let { before } = query;
  for (let step = 0; step < maxSteps; step++) {
    const limit = query.limit - rows.length;
    const page = await usage.list({ ...query, before, limit });
    rows.push(...page.rows);
    before = page.next;
    if (before === undefined || rows.length >= query.limit) break;
    if (slice.isOver) await slice.next();
  }
  return before;
}

/** @throws {GatewayError} `invalid_value` for an invalid parameter. */
function readQuery(params: URLSearchParams): RequestQuery {
  const text = (name: string) => params.get(name) || undefined;
  return {
    limit: readLimit(params),
    before: readCursor(params),
    key: text("key"),
    model: text("model"),
    provider: text("provider"),
    tag: text("tag"),
    session: text("session"),
    endUser: text("end_user"),
    ...readStatus(params),
  };
}

function readLimit(params: URLSearchParams): number {
  const text = params.get("limit") || String(DEFAULT_LIMIT);
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT) {
    throw invalidValue("limit", `must be an integer from 1 to ${MAX_LIMIT}`);
  }
  return limit;
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

function readStatus(params: URLSearchParams): Pick<RequestQuery, "failed" | "status"> {
  const text = params.get("status");
  if (!text) return {};
  if (text === "ok" || text === "error") return { failed: text === "error" };
  if (/^[1-5]\d\d$/.test(text)) return { status: Number(text) };
  throw invalidValue("status", "must be a status such as 429, or 'ok' or 'error'");
}

/** When the request ended, which makes the search of an old one fast. */
function readTime(params: URLSearchParams): number | undefined {
  const text = params.get("time");
  if (!text) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/.test(text)
    ? Date.parse(text)
    : NaN;
  if (Number.isNaN(time)) throw invalidValue("time", "must be the 'time' of a request in a list");
  return time;
}

/** @param isOlder whether there are older requests that were not searched */
function unknownRequest(id: string, isOlder: boolean): GatewayError {
  const shown = shortened(id, MAX_ID_CHARS);
  const hint = isOlder ? "; for an older one, add its '?time='" : "";
  return new GatewayError("route_not_found", `Unknown request '${shown}'${hint}`, {
    code: "request_not_found",
  });
}

function toAttempts(row: LedgerRow, isAdmin: boolean) {
  return attemptsOf(row).map((attempt) => toAttempt(attempt, isAdmin));
}

function toAttempt(attempt: AttemptRow, isAdmin: boolean) {
  return {
    provider: attempt.provider,
    model: attempt.upstream,
    started_ms: attempt.startedMs,
    ms: attempt.ms,
    status: attempt.status,
    error: attempt.error ?? null,
    next: attempt.next ?? null,
    reason: attempt.reason ?? null,
    wait_ms: attempt.waitMs ?? null,
    input_tokens: attempt.input ?? 0,
    output_tokens: attempt.output ?? 0,
    usage_source: attempt.source ?? "none",
    cost_usd: attempt.source === undefined ? 0 : attempt.usd ?? null,
    ...(attempt.hedge && { hedge: true }),
    ...(attempt.corrections && {
      corrections: attempt.corrections.map(({ fields, as }) => ({ fields, sent_as: as ?? null })),
    }),
    ...(attempt.sentBytes !== undefined &&
      { sent_bytes: attempt.sentBytes, received_bytes: attempt.receivedBytes }),
    ...(isAdmin && { cause: attempt.cause ?? null }),
  };
}
