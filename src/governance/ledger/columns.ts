/** Derives statements, rows and reports from the table of columns. */

import type { Column, SqlRow, Sum } from "./column_types.ts";
import { COLUMNS, type CountedRow, type LedgerRow, type SumName } from "./row.ts";

/** A column and the row member that holds its value. */
export interface RowColumn extends Column {
  readonly member: keyof LedgerRow;
}

/** All columns. */
export const ROW_COLUMNS: readonly RowColumn[] = Object.entries<Column>(COLUMNS).map((
  [member, column],
) => ({ ...column, member: member as keyof LedgerRow }));

/** The columns that sums are computed from. */
export const COUNTED_COLUMNS: readonly RowColumn[] = ROW_COLUMNS.filter(({ counted }) => counted);

/** A sum and the member that holds it. */
export interface RowSum extends Omit<Sum, "of"> {
  readonly member: SumName;
  /** The summand for a row. */
  readonly of: (row: CountedRow) => number;
}

/** All sums, in report order. */
export const ROW_SUMS: readonly RowSum[] = ROW_COLUMNS.flatMap(({ member, sums = {} }) =>
  Object.entries(sums).map(([name, sum]) => ({
    ...sum,
    member: name as SumName,
    of: sum.of ?? ((row: CountedRow) => Number(row[member as keyof CountedRow] ?? 0)),
  }))
);

/** The sums for a group of requests. */
export type Sums = Record<SumName, number>;

/** The sums for no requests. */
export function noSums(): Sums {
  return { ...NO_SUMS };
}

const NO_SUMS = Object.fromEntries(ROW_SUMS.map(({ member }) => [member, 0])) as Sums;

/** Reads the columns that sums need; undefined if another program has changed the row. */
export function readCountedRow(stored: SqlRow): CountedRow | undefined {
  return read(COUNTED_COLUMNS, stored) as CountedRow | undefined;
}

/** Reads a whole row; undefined if another program has changed it. */
export function readRow(stored: SqlRow): LedgerRow | undefined {
  return read(ROW_COLUMNS, stored) as LedgerRow | undefined;
}

function read(columns: readonly RowColumn[], stored: SqlRow): object | undefined {
  const row: Record<string, unknown> = {};
  for (const { member, name, type } of columns) row[member] = type.read(stored[name]);
  // Without these columns, a row can be neither grouped nor listed.
  return row.time === undefined || row.tags === undefined ? undefined : row;
}

/** A request's columns in lists. */
export const LISTED_COLUMNS: readonly RowColumn[] = ROW_COLUMNS.filter(({ isDetail, report }) =>
  report !== undefined && !isDetail
);

/** A request in lists. */
export function toRequestReport(row: LedgerRow): Readonly<Record<string, unknown>> {
  const report: Record<string, unknown> = { object: "request" };
  for (const { member, report: name = "", type } of LISTED_COLUMNS) {
    report[name] = type.report(row[member]);
  }
  return report;
}

/** A group's sums in reports. Amounts are rounded to nano-dollars. */
export function toSumsReport(sums: Readonly<Sums>): Readonly<Record<string, number | null>> {
  const report: Record<string, number | null> = {};
  for (const { member, report: name, show } of ROW_SUMS) {
    report[name] = show === undefined ? sums[member] : show(sums[member], sums);
  }
  return report;
}

/** The columns missing from a database table, with their definitions. */
export interface TableColumns {
  readonly requests: ReadonlyMap<string, string>;
  readonly sums: ReadonlyMap<string, string>;
}

/** The sum columns with the key's last team and owner. */
export const HOLDER_COLUMNS = ["team", "owner"] as const;

/** The columns of both tables in a database. Rows from an earlier version have NULL, and sums 0. */
export function tableColumns(database: "sqlite" | "postgres"): TableColumns {
  const [integer, real] = database === "sqlite"
    ? ["INTEGER", "REAL"]
    : ["bigint", "double precision"];
  return {
    requests: new Map(ROW_COLUMNS.map(({ name, type }) => [name, type[database]])),
    sums: new Map([
      ...ROW_SUMS.map(({ isReal, name }) =>
        [name, `${isReal ? real : integer} NOT NULL DEFAULT 0`] as const
      ),
      ...HOLDER_COLUMNS.map((name) => [name, "text NOT NULL DEFAULT ''"] as const),
    ]),
  };
}

/** The statements that add missing columns to a table. */
export function toMissingColumns(
  table: string,
  columns: ReadonlyMap<string, string>,
  existing: ReadonlySet<string>,
): string[] {
  return [...columns].filter(([name]) => !existing.has(name))
    .map(([name, type]) => `ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
}
