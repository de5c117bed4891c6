/** `GET /v1/usage` for the caller's key, and `GET /v1/admin/usage` for all keys. */

import { toCsv } from "../../core/text.ts";
import { TimeSlice } from "../../core/clock.ts";
import { zoneOffsets } from "../../core/time_zones.ts";
import { toSumsReport } from "../../governance/ledger/columns.ts";
import { isLabel, LABELS } from "../../governance/ledger/labels.ts";
import {
  USAGE_GROUPS,
  type UsageGroup,
  type UsageQuery,
  type UsageSummary,
} from "../../governance/ledger/usage_store.ts";
import { GroupSums, toName } from "../../governance/ledger/summary.ts";
import type { UsageReader } from "../usage_reader.ts";
import { readTime } from "./request_query.ts";
import type { RouteContext, RouteResponse } from "./route.ts";
import { nextPeriod, periodStart } from "../../core/budget_period.ts";
import type { KeySettings } from "../../config/keys.ts";
import { invalidValue } from "../../core/errors.ts";

/** The number of days in the history, including today. */
const HISTORY_DAYS = 30;
/** The share of a period that must have passed before a forecast is made. */
const MIN_FORECAST_SHARE = 0.05;

type Budget = NonNullable<KeySettings["budget"]>;

/** A key whose usage is read. */
export interface UsedKey {
  readonly name: string;
  readonly budget?: Budget | undefined;
}

/** A key's spending in its current budget period. */
interface Spending {
  readonly limit_usd: number;
  readonly spent_usd: number;
  readonly remaining_usd: number;
  /** The number of requests with an unknown price, which all amounts exclude. */
  readonly unpriced_requests: number;
  /** Whether the next request with a known price will be rejected. */
  readonly is_used_up: boolean;
  readonly period_start: string | null;
  readonly renews_at: string | null;
  /** The projected spending for the period; null at its start, when it is too early to tell. */
  readonly forecast_usd: number | null;
}

/** A key's usage in the last 30 days. */
interface KeyUsage {
  /** Null without a budget. */
  readonly budget: Spending | null;
  /** The last day in UTC with a request; null without one. */
  readonly last_used: string | null;
  /** Requests and US dollars per day, oldest first. */
  readonly days: readonly { readonly requests: number; readonly cost_usd: number }[];
}

/**
 * Reads some keys' usage. For many keys, usage is read day by day, so that fewer objects are in
 * memory at once and garbage collection does not delay other requests.
 *
 * @returns the usage by key name; undefined for other names
 * @throws {GatewayError} `overloaded` when the store fails.
 */
export async function readKeyUsage(
  keys: readonly UsedKey[],
  usage: UsageReader,
  now: number,
): Promise<(name: string) => KeyUsage | undefined> {
  if (keys.length === 0) return () => undefined;
  const spent = await readSpending(keys, usage, now);
  const from = now - now % DAY_MS - (HISTORY_DAYS - 1) * DAY_MS;
  const key = onlyName(keys);
  const step = key === undefined ? DAY_MS : HISTORY_DAYS * DAY_MS;
  const slice = new TimeSlice();
  const days = new Map(keys.map(({ name }) => [toName(name), new KeyDays()]));
  for (let start = from; start <= now; start += step) {
    const to = Math.min(start + step, now + 1);
    const groups = await usage.summarize({ from: start, to, groupBy: ["key", "day"], key });
    for (const { group: [name, day], requests, usd } of groups) {
      if (slice.isOver) await slice.next();
      days.get(name ?? "")?.set((Date.parse(day ?? "") - from) / DAY_MS, requests, usd);
    }
  }
  return (name) => {
    const own = days.get(toName(name));
    if (own === undefined) return undefined;
    const last = own.requests.findLastIndex((requests) => requests > 0);
    return {
      budget: spent.get(name) ?? null,
      last_used: last < 0 ? null : new Date(from + last * DAY_MS).toISOString().slice(0, 10),
      days: own.toReport(),
    };
  };
}

/** A key's requests and US dollars on each day in the history. */
class KeyDays {
  readonly requests = new Float64Array(HISTORY_DAYS);
  readonly #usd = new Float64Array(HISTORY_DAYS);

  set(day: number, requests: number, usd: number): void {
    this.requests[day] = requests;
    this.#usd[day] = usd;
  }

  toReport(): KeyUsage["days"] {
    return Array.from(this.requests, (requests, day) => ({
      requests,
      cost_usd: this.#usd[day] ?? 0,
    }));
  }
}

/** Reads the spending for keys with budgets, by key name; keys without a budget are absent. */
async function readSpending(
  keys: readonly UsedKey[],
  usage: UsageReader,
  now: number,
): Promise<ReadonlyMap<string, Spending>> {
  const found = new Map<string, Spending>();
  const only = onlyName(keys);
  for (const per of new Set(keys.flatMap(({ budget }) => budget?.per ?? []))) {
    const from = periodStart(per, now);
    const groups = await usage.summarize({ from, to: now + 1, groupBy: ["key"], key: only });
    const sums = new Map(groups.map((summary) => [summary.group[0] ?? "", summary]));
    for (const { budget, name } of keys) {
      if (budget?.per === per) found.set(name, toSpending(budget, sums.get(toName(name)), now));
    }
  }
  return found;
}

/** The name of the key, if only one is needed. */
function onlyName(keys: readonly UsedKey[]): string | undefined {
  const [first, ...others] = keys;
  return others.length === 0 ? first?.name : undefined;
}

function toSpending({ per, usd }: Budget, sums: UsageSummary | undefined, now: number): Spending {
  const spent = sums?.usd ?? 0;
  const start = periodStart(per, now);
  const end = nextPeriod(per, now);
  const share = end === undefined ? 0 : (now - start) / (end - start);
  return {
    limit_usd: usd,
    spent_usd: spent,
    remaining_usd: toNano(Math.max(0, usd - spent)),
    unpriced_requests: sums?.unpriced ?? 0,
    is_used_up: spent >= usd,
    period_start: end === undefined ? null : new Date(start).toISOString(),
    renews_at: end === undefined ? null : new Date(end).toISOString(),
    forecast_usd: share < MIN_FORECAST_SHARE ? null : toNano(spent / share),
  };
}

function toNano(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The default period, in milliseconds. */
const DEFAULT_PERIOD_MS = 30 * DAY_MS;
/** The maximum number of groups per page. */
const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 5000;

/** The usage of the caller's key, and its budget spending. */
export async function ownUsage(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  const { deps: { clock }, principal: { key } } = context;
  const spending = await readSpending([key], usage, clock.wallTime());
  return await report(request, context, usage, key.name, {
    budget: spending.get(key.name) ?? null,
  });
}

/** The usage of all keys, or of the key in the parameter `key`. */
export function allUsage(
  request: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  const key = new URL(request.url).searchParams.get("key") ?? undefined;
  return report(request, context, usage, key);
}

async function report(
  request: Request,
  { deps: { clock } }: RouteContext,
  usage: UsageReader,
  key: string | undefined,
  more: Readonly<Record<string, unknown>> = {},
): Promise<RouteResponse> {
  const { searchParams } = new URL(request.url);
  const query = readQuery(searchParams, key, clock.wallTime());
  const format = searchParams.get("format") ?? "json";
  if (format !== "json" && format !== "csv") throw invalidValue("format", "must be json or csv");
  const { limit, offset } = query;
  const found = await usage.summarize({ ...query, limit: limit + 1 });
  const summaries = found.slice(0, limit);
  const next = found.length > limit ? String(offset + limit) : undefined;
  if (format === "csv") return await csv(summaries, query.groupBy, next);
  return await jsonList(
    {
      object: "list",
      from: new Date(query.from).toISOString(),
      to: new Date(query.to).toISOString(),
      group_by: query.groupBy,
      ...more,
    },
    summaries,
    (summary) => toEntry(summary, query.groupBy),
    { has_more: next !== undefined, next: next ?? null },
  );
}

/** A response with a long list as `data`, between other members; entries are created one by one. */
export async function jsonList<Item>(
  before: object,
  items: readonly Item[],
  toEntry: (item: Item) => object,
  after: object,
): Promise<RouteResponse> {
  const head = `${JSON.stringify(before).slice(0, -1)},"data":[`;
  const tail = `],${JSON.stringify(after).slice(1)}`;
  const toText = (item: Item, index: number) =>
    (index === 0 ? "" : ",") + JSON.stringify(toEntry(item));
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: await toPieces(head, items, toText, tail),
  };
}

/** Writes a long body in time slices: a page of 5,000 groups takes tens of milliseconds. */
async function toPieces<Item>(
  head: string,
  items: readonly Item[],
  toText: (item: Item, index: number) => string,
  tail: string,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const slice = new TimeSlice();
  const encoder = new TextEncoder();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let text = head;
  for (const [index, item] of items.entries()) {
    if (slice.isOver) {
      pieces.push(encoder.encode(text));
      text = "";
      await slice.next();
    }
    text += toText(item, index);
  }
  pieces.push(encoder.encode(text + tail));
  return pieces;
}

/** The same as CSV. Without requests, only the column names. */
async function csv(
  summaries: readonly UsageSummary[],
  groupBy: readonly UsageGroup[],
  next: string | undefined,
): Promise<RouteResponse> {
  const names = toCsv([Object.keys(toEntry(NO_USAGE, groupBy))]);
  const toLine = (summary: UsageSummary) => toCsv([Object.values(toEntry(summary, groupBy))]);
  return {
    status: 200,
    headers: {
      "content-type": "text/csv; charset=utf-8",
      ...(next !== undefined && { "x-sluice-next": next }),
    },
    body: await toPieces(names, summaries, toLine, ""),
  };
}

const NO_USAGE = new GroupSums().toSummary([]);

/** @throws {GatewayError} `invalid_value` for an invalid parameter. */
function readQuery(
  params: URLSearchParams,
  key: string | undefined,
  now: number,
): UsageQuery & { readonly limit: number; readonly offset: number } {
  const groupBy = (params.get("group_by") ?? "").split(",").filter((name) => name !== "");
  for (const name of groupBy) {
    if (!isGroup(name)) {
      throw invalidValue("group_by", `must be a list of ${USAGE_GROUPS.join(", ")}`);
    }
  }
  if (new Set(groupBy.filter(isLabel)).size > 1) {
    throw invalidValue("group_by", `can have one of ${Object.keys(LABELS).join(", ")} at a time`);
  }
  const to = readTime(params, "to") ?? now + 1;
  const from = readTime(params, "from") ?? to - DEFAULT_PERIOD_MS;
  if (from >= to) throw invalidValue("from", "must be before 'to'");
  return {
    ...{ from, to, groupBy: [...new Set(groupBy)] as UsageGroup[], key },
    team: params.get("team") || undefined,
    owner: params.get("owner") || undefined,
    model: params.get("model") || undefined,
    provider: params.get("provider") || undefined,
    label: readLabel(params, groupBy),
    zone: readZone(params, from, Math.min(to, now + 1)),
    limit: readNumber(params, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
    offset: readNumber(params, "after", 0, 0, Number.MAX_SAFE_INTEGER),
  };
}

/**
 * The label that requests must have. Totals have one kind of label, so it must be the one that is
 * grouped by.
 */
function readLabel(params: URLSearchParams, groupBy: readonly string[]): UsageQuery["label"] {
  const kinds = [...Object.keys(LABELS), ...groupBy].filter(isLabel);
  const [first, ...others] = kinds.filter((kind) => params.get(kind));
  if (first === undefined) return undefined;
  if (
    others.some((kind) => kind !== first) || groupBy.some((kind) => isLabel(kind) && kind !== first)
  ) {
    throw invalidValue(
      first,
      `cannot be combined with another of ${Object.keys(LABELS).join(", ")}`,
    );
  }
  return { kind: first, label: params.get(first) ?? "" };
}

/** The offsets of the report's time zone; undefined for UTC. */
function readZone(params: URLSearchParams, from: number, to: number): UsageQuery["zone"] {
  const name = params.get("time_zone");
  const text = params.get("utc_offset");
  if (name && text) throw invalidValue("utc_offset", "cannot be combined with 'time_zone'");
  if (name) {
    const offsets = zoneOffsets(name, from, to);
    if (offsets !== undefined) return offsets;
    throw invalidValue("time_zone", "must be the IANA name of a time zone, such as Europe/Paris");
  }
  if (!text) return undefined;
  const [, sign, hours, minutes] = /^([+-])(0\d|1[0-4]):(00|15|30|45)$/.exec(text) ?? [];
  if (hours === undefined) {
    throw invalidValue("utc_offset", "must be hours and quarters, such as +02:00 or +05:30");
  }
  const ms = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
  return [{ since: 0, ms: sign === "-" ? -ms : ms }];
}

/** @throws {GatewayError} `invalid_value` for anything but an integer within the bounds. */
function readNumber(
  params: URLSearchParams,
  name: string,
  typical: number,
  min: number,
  max: number,
): number {
  const text = params.get(name) || String(typical);
  const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  const hint = name === "after" ? "must be an earlier page's 'next'" : `must be ${min} to ${max}`;
  throw invalidValue(name, hint);
}

function isGroup(name: string): name is UsageGroup {
  return (USAGE_GROUPS as readonly string[]).includes(name);
}

function toEntry(
  summary: UsageSummary,
  groupBy: readonly UsageGroup[],
): Readonly<Record<string, string | number | null>> {
  return {
    ...Object.fromEntries(groupBy.map((name, index) => [name, summary.group[index] ?? null])),
    ...toSumsReport(summary),
    p50_ms: summary.p50Ms,
    p95_ms: summary.p95Ms,
    first_token_p50_ms: summary.firstTokenP50Ms,
  };
}
