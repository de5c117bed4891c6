/** Counts and sums of the columns of a table, by which a copy is verified. */

import { Buffer } from "node:buffer";
import type { CopiedRow, CopiedTable, CopiedValue, ValueKind } from "./tables.ts";

const DAY_MS = 86_400_000;

/** The sums of real numbers depend on their order: their relative tolerance. */
const TOLERANCE = 1e-9;

/** The number of rows, then the sum of each column. */
export type Checksums = readonly number[];

/**
 * What the sum of a column adds for a value: numbers; of times the milliseconds of their day, whose
 * sum stays exact; of texts their bytes in UTF-8; of lists their members; of JSON one.
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

/** Adds rows up while they are copied. */
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
