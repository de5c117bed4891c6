/**
 * The ledger's columns. Each entry defines a column. Schemas, rows, sums, queries and reports
 * derive from this table, and missing columns are added to a store from an earlier version.
 */

import { hasFailedAttempt, unusedUsd } from "./attempts.ts";
import {
  AMOUNT,
  ATTEMPTS,
  type Column,
  type ColumnType,
  COUNT,
  FLAG,
  INTEGER,
  NAME,
  oneOf,
  OPTIONAL_INTEGER,
  OPTIONAL_REAL,
  PRICES,
  REAL,
  type SummedRow,
  TEXT,
  TEXTS,
  TIME,
} from "./column_types.ts";
import { SAVINGS_COLUMNS } from "./savings_columns.ts";
import type { UsageSource } from "./attempt_row.ts";

/** The status of a request whose client disconnected before the end of the answer. */
export const STOPPED = 499;

/** The columns, in report order. */
export const COLUMNS = {
  id: { type: NAME, name: "id", report: "id" },
  /** When the request ended, in milliseconds since the Unix epoch. */
  time: {
    ...{ type: TIME, name: "time", report: "time", counted: true },
    sums: { requests: { name: "requests", report: "requests", of: () => 1 } },
  },
  /** The name of the service key. */
  key: { type: TEXT, name: "key", report: "key", counted: true },
  tags: { type: TEXTS, name: "tags", report: "tags", counted: true },
  /** The requested model, or the pattern of the matching alias. */
  model: { type: TEXT, name: "model", report: "model", counted: true },
  /** Whether a request without a target names an existing model that its key may use. */
  modelFound: { type: FLAG, name: "model_found", counted: true, recorded: true },
  /** The alias through which the model was resolved. */
  alias: { type: TEXT, name: "alias", report: "alias", recorded: true },
  provider: { type: TEXT, name: "provider", report: "provider", counted: true },
  /** The upstream name of the model. */
  upstream: { type: TEXT, name: "upstream", report: "upstream", counted: true },
  /** The caller format. */
  format: { type: NAME, name: "format", report: "format" },
  status: {
    ...{ type: INTEGER, name: "status", report: "status", counted: true },
    sums: {
      errors: {
        ...{ name: "errors", report: "errors" },
        // A client that stops reading is not an error.
        of: ({ error, status }) =>
          status !== STOPPED && (status >= 400 || error !== undefined) ? 1 : 0,
      },
    },
  },
  /** The error code, for a request that failed. */
  error: { type: TEXT, name: "error", report: "error", counted: true },
  attempts: { type: INTEGER, name: "attempts", report: "attempt_count", counted: true },
  /** The attempts of a request that needed several or failed, up to a fixed number. */
  attemptRows: {
    ...{ type: ATTEMPTS, name: "attempt_rows", report: "attempts", counted: true },
    isDetail: true,
    sums: {
      /** Requests that succeeded after an attempt had failed. */
      rescued: {
        ...{ name: "rescued", report: "rescued_requests" },
        of: (row) => row.status < 400 && row.error === undefined && hasFailedAttempt(row) ? 1 : 0,
      },
      /**
       * The cost in US dollars of attempts whose answer was not used: those that failed or lost to
       * a hedge.
       */
      unusedUsd: {
        ...{ name: "unused_usd", report: "unused_cost_usd", isReal: true },
        of: ({ attemptRows = [], usd }) =>
          attemptRows.reduce((sum, attempt) => sum + unusedUsd(attempt, usd), 0),
      },
    },
  },
  /** Input tokens, including cached ones. */
  input: {
    ...{ type: COUNT, name: "input", report: "input_tokens", counted: true },
    sums: { input: { name: "input", report: "input_tokens" } },
  },
  cachedInput: {
    ...{ type: COUNT, name: "cached_input", report: "cached_input_tokens", counted: true },
    sums: { cachedInput: { name: "cached_input", report: "cached_input_tokens" } },
  },
  cacheWrite: {
    ...{ type: COUNT, name: "cache_write", report: "cache_write_tokens", counted: true },
    sums: { cacheWrite: { name: "cache_write", report: "cache_write_tokens" } },
  },
  /** Output tokens, including reasoning. */
  output: {
    ...{ type: COUNT, name: "output", report: "output_tokens", counted: true },
    sums: { output: { name: "output", report: "output_tokens" } },
  },
  reasoning: {
    ...{ type: COUNT, name: "reasoning", report: "reasoning_tokens", counted: true },
    sums: { reasoning: { name: "reasoning", report: "reasoning_tokens" } },
  },
  source: {
    ...{ type: oneOf<UsageSource>(), name: "source", report: "usage_source", counted: true },
    sums: {
      /** Requests whose tokens are estimated. */
      estimated: {
        ...{ name: "estimated", report: "estimated_requests" },
        of: ({ source }) => source === "estimated" ? 1 : 0,
      },
    },
  },
  /** US dollars; undefined if the price is unknown. */
  usd: {
    ...{ type: OPTIONAL_REAL, name: "usd", report: "cost_usd", counted: true },
    sums: {
      /** US dollars for requests with a known price. */
      usd: {
        ...{ name: "usd", report: "cost_usd", isReal: true },
        // The cost of requests without a price is unknown, not 0.
        show: (usd, { unpriced = 0 }) => unpriced > 0 && usd === 0 ? null : usd,
      },
      /** Requests that used tokens or other units, and whose price is unknown. */
      unpriced: {
        ...{ name: "unpriced", report: "unpriced_requests" },
        of: (row) => row.usd === undefined && isUsed(row) ? 1 : 0,
      },
    },
  },
  /** The savings from the vendor's cache or the response cache, in US dollars. */
  savedUsd: {
    ...{ type: AMOUNT, name: "saved_usd", report: "saved_usd", counted: true, recorded: true },
    sums: { savedUsd: { name: "saved_usd", report: "saved_usd", isReal: true } },
  },
  /** The number of searches with rerank models. */
  searches: {
    ...{ type: OPTIONAL_INTEGER, name: "searches", report: "searches", counted: true },
    sums: { searches: { name: "searches", report: "searches" } },
  },
  /** Generated images. */
  images: {
    ...{ type: OPTIONAL_INTEGER, name: "images", report: "images", counted: true },
    sums: { images: { name: "images", report: "images" } },
  },
  /** The number of characters of synthesized speech. */
  characters: {
    ...{ type: OPTIONAL_INTEGER, name: "characters", report: "characters", counted: true },
    sums: { characters: { name: "characters", report: "characters" } },
  },
  /** Seconds of transcribed audio. */
  seconds: {
    ...{ type: AMOUNT, name: "seconds", report: "seconds", counted: true },
    sums: { seconds: { name: "seconds", report: "seconds", isReal: true } },
  },
  prices: { type: PRICES, name: "prices", report: "prices" },
  /** Milliseconds from arrival to end. */
  ms: { type: REAL, name: "ms", report: "ms", counted: true },
  /** Milliseconds until the first event of a stream. */
  firstTokenMs: {
    ...{ type: OPTIONAL_REAL, name: "first_token_ms", report: "first_token_ms", counted: true },
  },
  ...SAVINGS_COLUMNS,
  /** The session ID from the client, or its pseudonym. */
  session: { type: TEXT, name: "session", report: "session", counted: true, recorded: true },
  /** The agent of the session, and the agent that started it. */
  agent: { type: TEXT, name: "agent", report: "agent", recorded: true },
  parentAgent: { type: TEXT, name: "parent_agent", report: "parent_agent", recorded: true },
  /** The end user named by the client, as a pseudonym unless configured otherwise. */
  endUser: { type: TEXT, name: "end_user", report: "end_user", counted: true, recorded: true },
  /** A short reason for the choice of target. */
  route: { type: TEXT, name: "route", report: "route", recorded: true },
  /** The key's team and owner. */
  team: { type: TEXT, name: "team", report: "team", counted: true },
  owner: { type: TEXT, name: "owner", report: "owner", counted: true },
} as const satisfies Readonly<Record<string, Column>>;

function isUsed(
  { input, output, searches = 0, images = 0, characters = 0, seconds = 0 }: SummedRow,
): boolean {
  return input + output + searches + images + characters + seconds > 0;
}

type Columns = typeof COLUMNS;

/** Maps each of some columns to its value. */
type Values<Members extends keyof Columns> = {
  readonly [Member in Members]: Columns[Member]["type"] extends ColumnType<infer Value> ? Value
    : never;
};

/** The columns with a flag. */
type Flagged<Flag> = {
  [Member in keyof Columns]: Columns[Member] extends Flag ? Member : never;
}[keyof Columns];

/** The columns that may be undefined; a row may lack them. */
type Optional = {
  [Member in keyof Columns]: undefined extends Values<Member>[Member] ? Member : never;
}[keyof Columns];

type Row<Members extends keyof Columns> =
  & Values<Exclude<Members, Optional>>
  & Partial<Values<Extract<Members, Optional>>>;

/** A request that has ended, without its content. Undefined values are unknown. */
export type LedgerRow = Row<keyof Columns>;

/** The row members that sums use. */
export type CountedRow = Row<Flagged<{ readonly counted: true }>>;

/** The row members that features set. */
export type RecordedColumns = {
  -readonly [Member in Flagged<{ readonly recorded: true }>]?: Values<Member>[Member];
};

/** The names of the sums. */
export type SumName = {
  [Member in keyof Columns]: Columns[Member] extends { readonly sums: infer Sums } ? keyof Sums
    : never;
}[keyof Columns];
