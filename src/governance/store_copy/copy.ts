/**
 * Copies all rows from a store into an empty one. The tables are the same in SQLite and PostgreSQL.
 */

import { StoreError } from "../ledger/usage_store.ts";
import { MAX_TIME, parsed } from "../ledger/column_types.ts";
import { ROW_COLUMNS, type RowColumn, tableColumns } from "../ledger/columns.ts";
import { KEY_COLUMNS as SUM_KEYS } from "../ledger/rollups.ts";
import { KEY_COLUMNS as KEY_VALUES } from "../keys/key_store.ts";

/** The number of rows in memory at once. */
export const PAGE_ROWS = 1000;

/** The requests on a day in UTC. */
export interface DayCount {
  /** Milliseconds since the Unix epoch; undefined for rows without a readable time. */
  readonly start: number | undefined;
  readonly rows: number;
}

/** Reads values that a database returned. */
export function readDayCount({ start, rows }: Readonly<Record<string, unknown>>): DayCount {
  return { start: start === null ? undefined : Number(start), rows: Number(rows) };
}

/** A period, and the number of its requests. */
export interface DayRange {
  /** Milliseconds since the Unix epoch; `to` is not in the range. */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

type Awaitable<Value> = Value | Promise<Value>;

/** A snapshot of a store: it excludes changes after it was opened. */
export interface CopySource {
  count(table: CopiedTable): Awaitable<number>;
  /** The days with requests, in order. */
  countDays(): Awaitable<readonly DayCount[]>;
  /**
   * The rows in order, at most {@linkcode PAGE_ROWS} at once; undefined stands for an unreadable
   * row.
   *
   * @param range only the requests in this period, by time
   */
  pages(
    table: CopiedTable,
    range?: DayRange,
  ): AsyncIterable<readonly (CopiedRow | undefined)[]>;
  readMarks(): Awaitable<StoreMarks>;
}

/** A store that is being filled. It is invisible to others before it is complete. */
export interface CopyTarget {
  /** The first table with rows. */
  findFilled(): Awaitable<CopiedTable | undefined>;
  write(table: CopiedTable, rows: readonly CopiedRow[]): Awaitable<void>;
  writeMarks(marks: StoreMarks): Awaitable<void>;
  count(table: CopiedTable): Awaitable<number>;
}

/** The rows of a table that were copied. */
export interface CopiedCount {
  readonly table: string;
  readonly rows: number;
  /** Rows that are not copied because another program corrupted them. */
  readonly unreadable: number;
}

/** Called after each page, with the number of copied rows and the total. */
export type OnProgress = (table: string, done: number, rows: number) => void;

/** @throws {StoreError} if the target is not empty, or if the copy is incomplete. */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  onProgress: OnProgress,
): Promise<readonly CopiedCount[]> {
  const filled = await target.findFilled();
  if (filled !== undefined) throw notEmpty(filled);
  const counts: CopiedCount[] = [];
  for (const table of TABLES) counts.push(await copyTable(table, source, target, onProgress));
  await target.writeMarks(await source.readMarks());
  return counts;
}

/** The error for a target that has rows. */
export function notEmpty({ name }: CopiedTable): StoreError {
  return new StoreError(`it is not empty: '${name}' has rows, and nothing is overwritten`, "setup");
}

async function copyTable(
  table: CopiedTable,
  source: CopySource,
  target: CopyTarget,
  onProgress: OnProgress,
): Promise<CopiedCount> {
  const all = await source.count(table);
  let done = 0;
  let unreadable = 0;
  for await (const page of source.pages(table)) {
    const rows = page.filter((row) => row !== undefined);
    await target.write(table, rows);
    done += page.length;
    unreadable += page.length - rows.length;
    onProgress(table.name, done, all);
  }
  const expected = done - unreadable;
  const found = await target.count(table);
  if (done !== all) throw differs(table.name, all, done);
  if (found !== expected) throw differs(table.name, expected, found);
  return { table: table.name, rows: expected, unreadable };
}

/** The error for a copy that lacks some of a table's rows. */
export function differs(table: string, expected: number, found: number): StoreError {
  const text = `the copy differs: '${table}' has ${found} rows instead of ${expected}`;
  return new StoreError(text, "setup");
}

/**
 * The type of a value, which a copy transfers as JSON: a number, a text, a list of texts, or any
 * JSON. An instant is a number of milliseconds in both databases, a time is a date in PostgreSQL.
 */
export type ValueKind = "integer" | "instant" | "real" | "text" | "time" | "list" | "json";

/** A value that is copied from one database to another. */
export type CopiedValue = number | string | null | readonly string[] | object;

/** A row, in its table's column order. */
export type CopiedRow = readonly CopiedValue[];

export interface CopiedColumn {
  readonly name: string;
  readonly kind: ValueKind;
}

/** A table. The first column of one that `isNumbered` is the number of the row. */
export interface CopiedTable {
  /** The name in SQLite, and in messages. */
  readonly name: string;
  /** The name in PostgreSQL. */
  readonly postgres: string;
  readonly isNumbered: boolean;
  readonly columns: readonly CopiedColumn[];
}

const POSTGRES_KINDS = new Map<string, ValueKind>([
  ...["smallint", "integer", "bigint"].map((type) => [type, "integer"] as const),
  ["double precision", "real"],
  ["text", "text"],
  ["timestamptz", "time"],
  ["text[]", "list"],
  ["jsonb", "json"],
]);

function toColumn({ name, type }: RowColumn): CopiedColumn {
  const kind = POSTGRES_KINDS.get(type.postgres);
  if (kind === undefined) throw new TypeError(`The type ${type.postgres} cannot be copied`);
  return { name, kind };
}

function named(kind: ValueKind, names: Iterable<string>): CopiedColumn[] {
  return [...names].map((name) => ({ name, kind }));
}

const NUMBERS = new Set(["span", "start"]);
const SUMS = [...tableColumns("postgres").sums].map(([name, definition]) => ({
  name,
  kind: kindOfSum(definition),
}));

function kindOfSum(definition: string): ValueKind {
  if (definition.startsWith("text")) return "text";
  return definition.startsWith("double") ? "real" : "integer";
}

const INSTANTS = new Set(["expires", "created", "revoked"]);

export const TABLES: readonly CopiedTable[] = [
  {
    name: "requests",
    postgres: "sluice_requests",
    isNumbered: true,
    columns: [{ name: "row", kind: "integer" }, ...ROW_COLUMNS.map(toColumn)],
  },
  {
    name: "usage_sums",
    postgres: "sluice_usage_sums",
    isNumbered: false,
    columns: [
      { name: "span", kind: "integer" },
      { name: "start", kind: "instant" },
      ...named("text", SUM_KEYS.filter((name) => !NUMBERS.has(name))),
      ...SUMS,
      ...named("text", ["durations", "first_tokens"]),
    ],
  },
  {
    name: "service_keys",
    postgres: "sluice_keys",
    isNumbered: true,
    columns: [
      { name: "position", kind: "integer" },
      ...KEY_VALUES.map((name): CopiedColumn => {
        if (name === "weight") return { name, kind: "real" };
        return { name, kind: INSTANTS.has(name) ? "instant" : "text" };
      }),
      { name: "changed", kind: "integer" },
    ],
  },
];

/** The metadata of a store. */
export interface StoreMarks {
  /**
   * The last row included in the sums, and the first hours with complete totals and with complete
   * quarter-hour sums.
   */
  readonly lastRow: number;
  readonly totalsSince: number;
  readonly quartersSince: number;
  /** The version of the keys and their hashes' pepper; undefined without key tables. */
  readonly keys: { readonly version: number; readonly pepper: string } | undefined;
}

/** Reads a value from a database; undefined for a value with another type. */
function readValue(kind: ValueKind, stored: unknown): CopiedValue | undefined {
  if (stored === null || stored === undefined) return null;
  switch (kind) {
    case "text":
      return typeof stored === "string" ? stored : undefined;
    case "list": {
      const list = parsed(String(stored));
      return Array.isArray(list) && list.every((text) => typeof text === "string")
        ? list
        : undefined;
    }
    case "json":
      return parsed(String(stored));
    default: {
      const number = typeof stored === "number" || typeof stored === "string"
        ? Number(stored)
        : NaN;
      if (kind === "real") return Number.isFinite(number) ? number : undefined;
      const limit = kind === "time" ? MAX_TIME : Number.MAX_SAFE_INTEGER;
      return Number.isInteger(number) && Math.abs(number) <= limit ? number : undefined;
    }
  }
}

/** Reads the columns `c0`, `c1`, …. Undefined if a value is not of its kind. */
export function readCopiedRow(
  { columns }: CopiedTable,
  stored: Readonly<Record<string, unknown>>,
): CopiedRow | undefined {
  const row: CopiedValue[] = [];
  for (const [index, { kind }] of columns.entries()) {
    const value = readValue(kind, stored[`c${index}`]);
    if (value === undefined) return undefined;
    row.push(value);
  }
  return row;
}
