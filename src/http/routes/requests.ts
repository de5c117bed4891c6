/**
 * `GET /v1/requests` and `GET /v1/requests/{request_id}` for the caller's key, and the same below
 * `/v1/admin` for all keys: individual requests in the ledger, without content.
 */

import { shortened, toCsv } from "../../core/text.ts";
import { TimeSlice } from "../../core/clock.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { toAttemptReport } from "../../governance/ledger/attempt_row.ts";
import { attemptsOf } from "../../governance/ledger/attempts.ts";
import { LISTED_COLUMNS, toRequestReport } from "../../governance/ledger/columns.ts";
import type { HealthAccess, VendorText } from "../../console/health/health_board.ts";
import { textOfRequest } from "../../console/health/report.ts";
import { pathOf } from "../../governance/ledger/request_paths.ts";
import type { LedgerRow } from "../../governance/ledger/row.ts";
import { toName } from "../../governance/ledger/summary.ts";
import {
  mergeSorted,
  type RequestSort,
  sortValueOf,
} from "../../governance/ledger/request_sorts.ts";
import type { RequestQuery, RowPosition } from "../../governance/ledger/usage_store.ts";
import type { UsageReader } from "../usage_reader.ts";
import { readRequestQuery, readTime, toCursor } from "./request_query.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** The maximum number of steps to fill a page. Each step takes milliseconds. */
const MAX_STEPS = 10;
/** The same for a sorted page, for which a step examines more rows. */
const MAX_SORTED_STEPS = 20;
/** The same for the search for one request, which has no next page. */
const MAX_SEARCH_STEPS = 100;
/** The maximum length of an unknown ID in an error, in UTF-16 units. */
const MAX_ID_CHARS = 200;
const HEADERS = { "cache-control": "no-store" };

/** The requests from the caller's key. */
export function listOwnRequests(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return list(request, usage, context.principal.key.name);
}

/** The requests from all keys, or from the key in the parameter `key`. */
export function listAllRequests(
  request: Request,
  _: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return list(request, usage, undefined);
}

/**
 * One request from the caller's key.
 *
 * @throws {GatewayError} `request_not_found`, even for another key's existing request.
 */
export function showOwnRequest(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
  health: HealthAccess | undefined,
): Promise<RouteResponse> {
  return show(request, context, { usage, health }, context.principal.key.name);
}

/** One request. Only admins see which hosts could not be reached. */
export function showAnyRequest(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
  health: HealthAccess | undefined,
): Promise<RouteResponse> {
  return show(request, context, { usage, health }, undefined);
}

/** A request with its path. */
function toListed(row: LedgerRow): Readonly<Record<string, unknown>> {
  return { ...toRequestReport(row), path: pathOf(row) };
}

/** @param own the caller's key; undefined for an admin */
async function list(
  request: Request,
  usage: UsageReader,
  own: string | undefined,
): Promise<RouteResponse> {
  const { searchParams } = new URL(request.url);
  const format = searchParams.get("format") ?? "json";
  if (format !== "json" && format !== "csv") throw invalidValue("format", "must be json or csv");
  const query = readRequestQuery(searchParams, own);
  const rows: LedgerRow[] = [];
  const next = query &&
    await (query.sort === undefined
      ? search(query, MAX_STEPS, rows, usage)
      : searchSorted({ ...query, sort: query.sort }, rows, usage));
  const after = next && toCursor(next);
  if (format === "csv") return csv(rows, after);
  return json({
    object: "list",
    data: rows.map(toListed),
    has_more: after !== undefined,
    next: after ?? null,
  }, HEADERS);
}

/** The same as CSV. */
function csv(rows: readonly LedgerRow[], next: string | undefined): RouteResponse {
  const lines = rows.map((row) =>
    CSV_COLUMNS.map(({ member, type }) => toCell(type.report(row[member])))
  );
  return {
    status: 200,
    headers: {
      ...HEADERS,
      "content-type": "text/csv; charset=utf-8",
      ...(next !== undefined && { "x-sluice-next": next }),
    },
    body: toCsv([CSV_COLUMNS.map(({ report }) => report ?? ""), ...lines]),
  };
}

/** The CSV columns. Prices are objects, and the cost is derived from them. */
const CSV_COLUMNS = LISTED_COLUMNS.filter(({ report }) => report !== "prices");

function toCell(value: unknown): string | number | null {
  if (typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return Array.isArray(value) ? value.join(" ") : null;
}

async function show(
  request: Request,
  { params }: RouteContext,
  { usage, health }: {
    readonly usage: UsageReader;
    readonly health: HealthAccess | undefined;
  },
  own: string | undefined,
): Promise<RouteResponse> {
  const id = params.get("request_id") ?? "";
  const time = readTime(new URL(request.url).searchParams, "time");
  // This position is after all rows in that millisecond.
  const before = time === undefined ? undefined : { time: time + 1, row: 0 };
  const rows: LedgerRow[] = [];
  const next = await search({ id, key: own, before, limit: 1 }, MAX_SEARCH_STEPS, rows, usage);
  const [row] = rows;
  if (row === undefined) throw unknownRequest(id, next !== undefined);
  const texts = (await health?.report())?.texts ?? [];
  const attempts = toAttempts(row, own === undefined, texts);
  return json({ ...toListed(row), attempts }, HEADERS);
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

/** Collects the first requests in a sort order. Returns where the search continues. */
async function searchSorted(
  query: RequestQuery & { readonly sort: RequestSort },
  rows: LedgerRow[],
  usage: UsageReader,
): Promise<RowPosition | undefined> {
  const slice = new TimeSlice();
  const { limit, sort } = query;
  let { before } = query;
  for (let step = 0; step < MAX_SORTED_STEPS; step++) {
    const last = rows.length < limit ? undefined : rows.at(-1);
    const page = await usage.list({
      ...query,
      before,
      sort: { ...sort, before: last && sortValueOf(last, sort) },
    });
    rows.splice(0, rows.length, ...mergeSorted(rows, page.rows, sort, limit));
    before = page.next;
    if (before === undefined) break;
    if (slice.isOver) await slice.next();
  }
  return before;
}

/** @param isOlder whether there are older requests that were not searched */
function unknownRequest(id: string, isOlder: boolean): GatewayError {
  const shown = shortened(id, MAX_ID_CHARS);
  const hint = isOlder ? "; for an older one, add its '?time='" : "";
  return new GatewayError("route_not_found", `Unknown request '${shown}'${hint}`, {
    code: "request_not_found",
  });
}

/** @param texts the vendors' last messages, which are shown with their requests */
function toAttempts(row: LedgerRow, isAdmin: boolean, texts: readonly VendorText[]) {
  return attemptsOf(row).map((attempt) => {
    const { error, provider, upstream } = attempt;
    const text = error && textOfRequest(texts, row.id, toName(provider), toName(upstream));
    return { ...toAttemptReport(attempt, isAdmin), ...(text && { vendor_text: text }) };
  });
}
