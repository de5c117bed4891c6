/** Defines how the values of a ledger column are stored, read and reported. */

import type { SQLInputValue } from "node:sqlite";
import type { PricesUsed } from "../cost.ts";
import { type AttemptRow, toAttemptReport, type UsageSource } from "./attempt_row.ts";

/** A statement, with the placeholders `$1`, `$2`, … for its values. */
export interface SqlQuery {
  readonly text: string;
  readonly values: readonly (number | string | null)[];
}

/** A database row, by column name. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * Yields statements and receives their rows. SQLite runs them synchronously, and PostgreSQL one
 * message after the other.
 */
export type SqlSteps<Result> = Generator<SqlQuery, Result, readonly SqlRow[]>;

/** The type of a column. Undefined is stored as NULL. */
export interface ColumnType<Value> {
  /** The SQL types. */
  readonly sqlite: string;
  readonly postgres: string;
  /** The type of the JSON value that PostgreSQL inserts, if it differs from the column's. */
  readonly record?: string;
  /** The expression that PostgreSQL inserts for this value, if it is not the value itself. */
  readonly insert?: (name: string) => string;
  /** The expression that PostgreSQL reads, if it is not the column itself. */
  readonly select?: (name: string) => string;
  toSqlite(value: Value): SQLInputValue;
  /** The JSON value that PostgreSQL inserts. */
  toPostgres(value: Value): unknown;
  /** Reads a value from a store. Undefined for NULL, and for a value of another type. */
  read(stored: unknown): Value | undefined;
  /** The value in the JSON of a request. */
  report(value: Value): unknown;
}

/** The latest time that a Date can represent, in milliseconds. */
export const MAX_TIME = 8.64e15;

/** A time in milliseconds since the Unix epoch. */
export const TIME: ColumnType<number> = {
  sqlite: "INTEGER",
  postgres: "timestamptz",
  record: "double precision",
  insert: (name) => `to_timestamp(${name} / 1000)`,
  select: (name) => `round(extract(epoch FROM ${name}) * 1000)`,
  toSqlite: (time) => time,
  toPostgres: (time) => time,
  read: (stored) => Math.abs(Number(stored)) <= MAX_TIME ? Number(stored) : undefined,
  report: (time) => new Date(time).toISOString(),
};

/** An optional text. */
export const TEXT: ColumnType<string | undefined> = {
  sqlite: "TEXT",
  postgres: "text",
  toSqlite: (text) => text === undefined ? null : toStored(text),
  toPostgres: (text) => text && toStored(text),
  read: toText,
  report: (text) => text ?? null,
};

/** A required text. */
export const NAME: ColumnType<string> = {
  sqlite: "TEXT",
  postgres: "text",
  toSqlite: toStored,
  toPostgres: toStored,
  read: (stored) => toText(stored) ?? "",
  report: (text) => text,
};

/** A text from a fixed set, which needs no escaping. */
export function oneOf<Value extends string>(): ColumnType<Value> {
  return {
    sqlite: "TEXT",
    postgres: "text",
    toSqlite: (text) => text,
    toPostgres: (text) => text,
    read: (stored) => String(stored ?? "") as Value,
    report: (text) => text,
  };
}

/** A required small integer. */
export const INTEGER: ColumnType<number> = number("INTEGER", "integer");
/** A required count, such as a number of tokens. */
export const COUNT: ColumnType<number> = number("INTEGER", "bigint");
/** A required number. */
export const REAL: ColumnType<number> = number("REAL", "double precision");
/** A number that may be unknown. */
export const OPTIONAL_REAL: ColumnType<number | undefined> = optional("REAL", "double precision");
/** An amount; 0 if absent. */
export const AMOUNT: ColumnType<number | undefined> = {
  ...OPTIONAL_REAL,
  report: (amount) => amount ?? 0,
};
/** An integer; 0 if absent. */
export const OPTIONAL_INTEGER: ColumnType<number | undefined> = {
  ...optional("INTEGER", "bigint"),
  toSqlite: (value) => value === undefined ? null : Math.round(value),
  toPostgres: (value) => value === undefined ? undefined : Math.round(value),
  report: (value) => value === undefined ? 0 : Math.round(value),
};

/** A flag, stored as 1 or 0; false if absent. */
export const FLAG: ColumnType<boolean | undefined> = {
  sqlite: "INTEGER",
  postgres: "smallint",
  toSqlite: (flag) => flag === undefined ? null : Number(flag),
  toPostgres: (flag) => flag === undefined ? undefined : Number(flag),
  read: (stored) => isNull(stored) ? undefined : Number(stored) === 1,
  report: (flag) => flag ?? false,
};

/** A list of texts; unreadable otherwise. */
export const TEXTS: ColumnType<readonly string[]> = {
  sqlite: "TEXT",
  postgres: "text[]",
  select: (name) => `array_to_json(${name})::text`,
  toSqlite: (texts) => texts.length === 0 ? "[]" : JSON.stringify(texts.map(toStored)),
  toPostgres: (texts) => texts.map(toStored),
  read(stored) {
    const texts = parsed<unknown>(String(stored));
    const isList = Array.isArray(texts) && texts.every((text) => typeof text === "string");
    return isList ? texts.map(fromStored) : undefined;
  },
  report: (texts) => texts,
};

/** The attempts, as JSON text. */
export const ATTEMPTS: ColumnType<readonly AttemptRow[] | undefined> = {
  sqlite: "TEXT",
  postgres: "text",
  toSqlite: (rows) => rows === undefined ? null : toStored(JSON.stringify(rows)),
  toPostgres: (rows) => rows && toStored(JSON.stringify(rows)),
  read: (stored) => parsed(toText(stored)),
  report: (rows) => rows?.map((attempt) => toAttemptReport(attempt, true)) ?? null,
};

/** The prices, as JSON. */
export const PRICES: ColumnType<PricesUsed | undefined> = {
  sqlite: "TEXT",
  postgres: "jsonb",
  select: (name) => `${name}::text`,
  toSqlite: (prices) => prices === undefined ? null : JSON.stringify(prices),
  toPostgres: (prices) => prices,
  read: (stored) => parsed(toText(stored)),
  report: (prices) => prices ?? null,
};

function number(sqlite: string, postgres: string): ColumnType<number> {
  return {
    ...{ sqlite, postgres },
    toSqlite: (value) => value,
    toPostgres: (value) => value,
    read: Number,
    report: (value) => value,
  };
}

function optional(sqlite: string, postgres: string): ColumnType<number | undefined> {
  return {
    ...{ sqlite, postgres },
    toSqlite: (value) => value ?? null,
    toPostgres: (value) => value,
    read: (stored) => isNull(stored) ? undefined : Number(stored),
    report: (value) => value ?? null,
  };
}

function isNull(stored: unknown): boolean {
  return stored === null || stored === undefined;
}

function toText(stored: unknown): string | undefined {
  return isNull(stored) ? undefined : fromStored(String(stored));
}

/** Parses JSON that the gateway wrote; undefined for text from another program. */
export function parsed<Value>(text: string | undefined): Value | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}

/** One column of the ledger. */
export interface Column<Value = unknown> {
  readonly type: ColumnType<Value>;
  /** The name in databases. */
  readonly name: string;
  /** The name in reports and exports; absent for a column that neither contains. */
  readonly report?: string;
  /** Whether lists of requests omit it, because it describes a request in detail. */
  readonly isDetail?: true;
  /** Whether sums depend on it. */
  readonly counted?: true;
  /** The sums that this column adds for a group of requests. */
  readonly sums?: Readonly<Record<string, Sum>>;
  /** Set by a feature, in `RequestRecord.columns`. */
  readonly recorded?: true;
}

/** One sum of a group of requests. */
export interface Sum {
  /** The name in databases. */
  readonly name: string;
  /** A group's member in reports. */
  readonly report: string;
  /** Whether it is a sum of real numbers instead of integers. */
  readonly isReal?: true;
  /** The summand for a row. By default, the column's value, or 0 if undefined. */
  readonly of?: (row: SummedRow) => number;
  /** The value in reports. Default: the sum. */
  readonly show?: (sum: number, sums: Readonly<Record<string, number>>) => number | null;
}

/** The row members that computed sums read. */
export interface SummedRow {
  readonly status: number;
  readonly error?: string | undefined;
  readonly input: number;
  readonly output: number;
  readonly searches?: number | undefined;
  readonly images?: number | undefined;
  readonly characters?: number | undefined;
  readonly seconds?: number | undefined;
  readonly source: UsageSource;
  readonly usd?: number | undefined;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly savedUsd?: number | undefined;
  readonly responseCache?: string | undefined;
  readonly affinity?: string | undefined;
  readonly hedged?: boolean | undefined;
  readonly hedgeUsd?: number | undefined;
  readonly priceOrdered?: boolean | undefined;
  readonly priceOrderUsd?: number | undefined;
  readonly queuedMs?: number | undefined;
  readonly attemptRows?: readonly AttemptRow[] | undefined;
}

// Text in the form that databases can store. PostgreSQL rejects NUL in text, and the SQLite driver
// truncates text there, so NUL is escaped.

/** The escape character. The digit after it distinguishes NUL from the character itself. */
const ESCAPE = "\u2400";

/** Matches text that may have to be escaped. */
const SPECIAL = /[\0\u2400\ud800-\udfff]/;

/** The text to store. Half characters (lone surrogates) become U+FFFD. */
export function toStored(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.toWellFormed().replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll("\0", `${ESCAPE}0`);
}

/** The original of a text from {@linkcode toStored}. */
export function fromStored(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(`${ESCAPE}0`, "\0").replaceAll(`${ESCAPE}1`, ESCAPE);
}
