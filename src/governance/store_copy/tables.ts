/** The tables of a store for copies: the same rows in SQLite and in PostgreSQL. */

import { ROW_COLUMNS, type RowColumn, tableColumns } from "../ledger/columns.ts";
import { KEY_COLUMNS as SUM_KEYS } from "../ledger/rollups.ts";
import { KEY_COLUMNS as KEY_VALUES } from "../keys/key_store.ts";
import { Buffer } from "node:buffer";

/**
 * The type of a value, which a copy transfers as JSON: a number, a text, a list of texts, or any
 * JSON. An instant is a number of milliseconds in both databases, a time is a date in PostgreSQL.
 */
export type ValueKind = "integer" | "instant" | "real" | "text" | "time" | "list" | "json";

/** A value on its way from one database to another. */
export type CopiedValue = number | string | null | readonly string[] | object;

/** A row in the order of the columns of its table. */
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
   * sums of quarters.
   */
  readonly lastRow: number;
  readonly totalsSince: number;
  readonly quartersSince: number;
  /** The version of the keys and the pepper of their hashes; undefined without tables of keys. */
  readonly keys: { readonly version: number; readonly pepper: string } | undefined;
}

/** The latest time that a date can have, in milliseconds. */
const MAX_TIME = 8.64e15;

/** Reads a value from a database; undefined for a value of another type. */
function readValue(kind: ValueKind, stored: unknown): CopiedValue | undefined {
  if (stored === null || stored === undefined) return null;
  switch (kind) {
    case "text":
      return typeof stored === "string" ? stored : undefined;
    case "list": {
      const list = parse(stored);
      return Array.isArray(list) && list.every((text) => typeof text === "string")
        ? list
        : undefined;
    }
    case "json":
      return parse(stored) as CopiedValue | undefined;
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

function parse(stored: unknown): unknown {
  try {
    return JSON.parse(String(stored));
  } catch {
    return undefined;
  }
}

const DAY_MS = 86_400_000;

/** The sums of real numbers depend on their order: their relative tolerance. */
const TOLERANCE = 1e-9;

/** The number of rows, then the sum of each column. */
export type Checksums = readonly number[];

/**
 * The summand of a value: the number itself; for times, the milliseconds of the day, whose sum is
 * exact; for texts, the UTF-8 bytes; for lists, the number of entries; for JSON, one.
 */
function measure(kind: ValueKind, value: CopiedValue): number {
  if (value === null) return 0;
  switch (kind) {
    case "integer":
    case "real":
      return Number(value);
    case "instant":
    case "time":
      return Number(value) % DAY_MS;
    case "text":
      return Buffer.byteLength(String(value));
    case "list":
      return (value as readonly string[]).length;
    case "json":
      return 1;
  }
}

/** The expression of {@linkcode measure} in SQLite. */
export const SQLITE_MEASURES: Readonly<Record<ValueKind, (column: string) => string>> = {
  integer: (column) => column,
  real: (column) => column,
  instant: (column) => `${column} % ${DAY_MS}`,
  time: (column) => `${column} % ${DAY_MS}`,
  text: (column) => `OCTET_LENGTH(${column})`,
  list: (column) => `JSON_ARRAY_LENGTH(${column})`,
  json: (column) => `${column} IS NOT NULL`,
};

/** The expression of {@linkcode measure} in PostgreSQL. */
export const POSTGRES_MEASURES: Readonly<Record<ValueKind, (column: string) => string>> = {
  integer: (column) => column,
  real: (column) => column,
  instant: (column) => `${column} % ${DAY_MS}`,
  time: (column) => `round(extract(epoch FROM ${column}) * 1000) % ${DAY_MS}`,
  text: (column) => `octet_length(${column})`,
  list: (column) => `cardinality(${column})`,
  json: (column) => `(${column} IS NOT NULL)::integer`,
};

/** The query of the count and the sums of a table, in columns `s0`, `s1`, …. */
export function toChecksumQuery(
  { columns }: CopiedTable,
  from: string,
  measures: typeof SQLITE_MEASURES,
  toName: (column: string) => string,
): string {
  const sums = columns.map(({ name, kind }, index) =>
    `COALESCE(SUM(${measures[kind](toName(name))}), 0) AS s${index + 1}`
  );
  return `SELECT COUNT(*) AS s0, ${sums.join(", ")} FROM ${from}`;
}

/** The checksums that the query of {@linkcode toChecksumQuery} returned. */
export function readChecksums(
  { columns }: CopiedTable,
  row: Readonly<Record<string, unknown>> = {},
): Checksums {
  return Array.from({ length: columns.length + 1 }, (_, index) => Number(row[`s${index}`]));
}

/** Sums rows while they are copied. */
export class RowChecksums {
  readonly #kinds: readonly ValueKind[];
  readonly #sums: number[];

  constructor({ columns }: CopiedTable) {
    this.#kinds = columns.map(({ kind }) => kind);
    this.#sums = Array(columns.length + 1).fill(0);
  }

  get sums(): Checksums {
    return this.#sums;
  }

  add(row: CopiedRow): void {
    this.#sums[0] = (this.#sums[0] ?? 0) + 1;
    for (const [index, kind] of this.#kinds.entries()) {
      this.#sums[index + 1] = (this.#sums[index + 1] ?? 0) + measure(kind, row[index] ?? null);
    }
  }
}

/** The first difference of the checksums of a table, as a text for the operator; else undefined. */
export function differenceOf(
  { name, columns }: CopiedTable,
  expected: Checksums,
  found: Checksums,
): string | undefined {
  for (const [index, sum] of expected.entries()) {
    const other = found[index] ?? NaN;
    const column = columns[index - 1];
    const tolerance = column?.kind === "real" ? TOLERANCE * Math.max(1, Math.abs(sum)) : 0;
    if (Math.abs(sum - other) <= tolerance) continue;
    return column === undefined
      ? `'${name}' has ${other} rows instead of ${sum}`
      : `the sum of '${name}.${column.name}' is ${other} instead of ${sum}`;
  }
  return undefined;
}
