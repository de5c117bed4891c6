/** The interface of a ledger store. */

import type { ZoneOffset } from "../../core/time_zones.ts";
import type { Sums } from "./columns.ts";
import type { RequestPath } from "./request_paths.ts";
import type { RequestSort } from "./request_sorts.ts";
import type { LedgerRow } from "./row.ts";

/** The properties by which usage can be grouped; at most one of the caller's labels at a time. */
export const USAGE_GROUPS = [
  "key",
  "team",
  "owner",
  "model",
  "provider",
  "tag",
  "session",
  "end_user",
  "hour",
  "day",
] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** A label that requests must have. */
export interface LabelFilter {
  readonly kind: "tag" | "session" | "end_user";
  readonly label: string;
}

/** The query for a usage report. */
export interface UsageQuery {
  /** The start of the period, inclusive, in milliseconds since the Unix epoch. */
  readonly from: number;
  /** The end of the period, exclusive. */
  readonly to: number;
  readonly groupBy: readonly UsageGroup[];
  /**
   * What is counted. For attempts, `requests` counts all attempts, `errors` those that failed
   * because of the target, and `rescued` those whose request succeeded anyway; `model` is the
   * upstream name, and only grouping by model, provider and hour is supported. Default: `requests`.
   */
  readonly of?: "requests" | "attempts" | undefined;
  /** Only requests for this service key, team, owner, model or provider. */
  readonly key?: string | undefined;
  readonly team?: string | undefined;
  readonly owner?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** Only requests with this label. They cannot be grouped by any other kind of label. */
  readonly label?: LabelFilter | undefined;
  /** The time zone offsets for determining the day of a time, in order. Default: UTC. */
  readonly zone?: readonly ZoneOffset[] | undefined;
  /** The maximum number of groups, all if omitted, and how many groups to skip before them. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** One group's usage. */
export interface UsageSummary extends Readonly<Sums> {
  /** The group's values, in query order; null for requests without one. */
  readonly group: readonly (string | null)[];
  /** Milliseconds: the median and the 95th percentile, within about 5 %. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** The median time to streams' first events; null without streams. */
  readonly firstTokenP50Ms: number | null;
}

/** A row's position: rows are ordered by their end time, then by their number. */
export interface RowPosition {
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly row: number;
}

/** A request's texts that can be matched with a pattern. */
export const PATTERN_MEMBERS = ["key", "model", "provider", "tag", "endUser"] as const;
export type PatternMember = (typeof PATTERN_MEMBERS)[number];

/** The filter for a list or a count. */
export interface RequestFilter {
  /** Only requests before this position. */
  readonly before?: RowPosition | undefined;
  /** Only requests that ended at this time or later, and before `to`: milliseconds since the epoch. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly id?: string | undefined;
  /** An ID prefix. */
  readonly idPrefix?: string | undefined;
  /** The name of the service key. */
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly tag?: string | undefined;
  readonly session?: string | undefined;
  readonly endUser?: string | undefined;
  /** Patterns in which `*` matches any characters; ASCII case is ignored. */
  readonly patterns?: Readonly<Partial<Record<PatternMember, string>>> | undefined;
  readonly status?: number | undefined;
  /**
   * Only failed requests, or only successful ones. Requests that the client aborted are neither.
   */
  readonly failed?: boolean | undefined;
  /** Only requests whose attempts are stored: those that needed several, or failed. */
  readonly hasAttempts?: boolean | undefined;
  /** The minimum duration in milliseconds, and the minimum cost in US dollars. */
  readonly minMs?: number | undefined;
  readonly minUsd?: number | undefined;
  /** Only requests with this path. */
  readonly path?: RequestPath | undefined;
}

/** The query for a list: newest first unless sorted. */
export interface RequestQuery extends RequestFilter {
  /** The maximum number of requests. */
  readonly limit: number;
  /**
   * The order of each page. A page contains the first of the requests examined for it, so pages
   * must be merged. Requests without the value are omitted.
   */
  readonly sort?: RequestSort | undefined;
}

/** The query for a count, by the requests' end time. */
export interface RequestCountQuery extends RequestFilter {
  /** The length of an interval in milliseconds. Intervals start at multiples of it. */
  readonly step: number;
}

/** The requests in an interval. */
export interface RequestCount {
  /** Milliseconds since the Unix epoch. */
  readonly start: number;
  readonly requests: number;
  readonly errors: number;
}

/**
 * The requests in some intervals, in no particular order. Intervals without requests are absent.
 */
export interface RequestCounts {
  readonly counts: readonly RequestCount[];
  /**
   * Where the count continues; undefined after the last part. An interval may be counted in two
   * parts.
   */
  readonly next: RowPosition | undefined;
}

/** A page of a query's requests. */
export interface RequestPage {
  readonly rows: readonly LedgerRow[];
  /**
   * Where the next page starts; undefined after the last. A page may have fewer rows than the
   * limit, or none, because a store examines a bounded number of rows at once.
   */
  readonly next: RowPosition | undefined;
}

/**
 * The maximum number of rows in a batch for a store in the same thread; writing it takes a few
 * milliseconds.
 */
export const BATCH_ROWS = 100;

/** Stores rows. All methods may fail with a {@linkcode StoreError}, which the ledger handles. */
export interface UsageStore {
  /** The store's name in messages. It contains no password. */
  readonly name: string;
  /** The maximum number of rows in a batch, so that writing it does not delay requests. */
  readonly maxBatchRows: number;
  /**
   * Writes a batch of rows, all or none.
   *
   * @param batch the batch ID, so that a repeated write has no effect
   */
  write(rows: readonly LedgerRow[], batch: string): Promise<void>;
  summarize(query: UsageQuery): Promise<readonly UsageSummary[]>;
  /** Lists individual requests. */
  list(query: RequestQuery): Promise<RequestPage>;
  /** Counts requests. */
  count(query: RequestCountQuery): Promise<RequestCounts>;
  /**
   * Removes some of the individual rows and hourly sums that ended before this time. Daily sums are
   * kept.
   *
   * @param quartersBefore quarter-hour sums are removed before this time. Default: `before`
   * @returns whether there are more to remove
   */
  prune(before: number, quartersBefore?: number): Promise<boolean>;
  close(): Promise<void>;
}

/** A store's read interface. */
export type ReadableUsage = Pick<UsageStore, "count" | "list" | "summarize">;

/** Why a call to a store failed. */
export type StoreFailure =
  /** The store cannot be reached, is busy or has failed, so a later call may succeed. */
  | "unavailable"
  /** The store rejects these values, so the same call would fail again. */
  | "values"
  /** The store rejects the login, or its schema is newer than this gateway version. */
  | "setup";

/** A store failure. The message is for operators and contains no secrets. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly failure: StoreFailure;

  constructor(message: string, failure: StoreFailure = "unavailable") {
    super(message);
    this.failure = failure;
  }
}
