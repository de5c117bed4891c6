/** A PostgreSQL database as the source or the target of a copy. */

import { MAX_TIME } from "../ledger/column_types.ts";
import type { RunSql } from "../ledger/postgres_connection.ts";
import { isCurrent } from "../ledger/postgres_schema.ts";
import { StoreError } from "../ledger/usage_store.ts";
import {
  type CopiedRow,
  type CopiedTable,
  type CopySource,
  type CopyTarget,
  type DayCount,
  type DayRange,
  PAGE_ROWS,
  readCopiedRow,
  readDayCount,
  type StoreMarks,
  TABLES,
  type ValueKind,
} from "./copy.ts";

/** The time limit for a statement in a copy, in milliseconds: sums over many rows take minutes. */
const TIMEOUT_MS = 3_600_000;

/** Whether a row's time can be read. */
const HAS_TIME = `isfinite(time) AND abs(extract(epoch FROM time)) < ${MAX_TIME / 1000}`;

/** The expression that reads a value, if it is not the column itself. */
const READ: Partial<Record<ValueKind, (column: string) => string>> = {
  time: (column) => `round(extract(epoch FROM ${column}) * 1000)`,
  list: (column) => `array_to_json(${column})::text`,
  json: (column) => `${column}::text`,
};
/** The type of the JSON value that is inserted. */
const TYPES: Readonly<Record<ValueKind, string>> = {
  integer: "bigint",
  instant: "bigint",
  real: "double precision",
  text: "text",
  time: "double precision",
  list: "text[]",
  json: "jsonb",
};

/** A snapshot of a database: it excludes rows that gateways write later. */
export class PostgresCopySource implements CopySource {
  readonly #sql: RunSql;

  private constructor(sql: RunSql) {
    this.#sql = sql;
  }

  /**
   * Begins the snapshot's transaction.
   *
   * @throws {StoreError} when the database contains no store, or one from another version.
   */
  static async open(sql: RunSql): Promise<PostgresCopySource> {
    await sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const [found] = await sql("SELECT to_regclass('sluice_schema') IS NOT NULL AS exists");
    if (found?.exists !== true) throw new StoreError("it has no store", "setup");
    if (!await isCurrent(sql)) {
      throw new StoreError(
        "it is from another version: start this version of the gateway with it once",
        "setup",
      );
    }
    return new PostgresCopySource(sql);
  }

  /** The number of gateway connections, which may write after this state. */
  async countWriters(): Promise<number> {
    const [row] = await this.#sql(
      `SELECT count(*) AS writers FROM pg_stat_activity WHERE application_name = 'sluice'
         AND datname = current_database() AND pid <> pg_backend_pid()`,
    );
    return Number(row?.writers);
  }

  async count(table: CopiedTable): Promise<number> {
    return await this.#has(table.postgres) ? await countRows(this.#sql, table) : 0;
  }

  async countDays(): Promise<readonly DayCount[]> {
    const rows = await this.#sql(
      `SELECT CASE WHEN ${HAS_TIME} THEN floor(extract(epoch FROM time) / 86400) * 86400000 END
         AS start, count(*) AS rows FROM sluice_requests GROUP BY 1 ORDER BY 1`,
      [],
      TIMEOUT_MS,
    );
    return rows.map(readDayCount);
  }

  async *pages(
    table: CopiedTable,
    range?: DayRange,
  ): AsyncGenerator<readonly (CopiedRow | undefined)[]> {
    const { columns, postgres, isNumbered } = table;
    if (!await this.#has(postgres)) return;
    const selected = columns.map(({ name, kind }, index) =>
      `${READ[kind]?.(name) ?? name} AS c${index}`
    );
    const number = columns[0]?.name;
    const order = range !== undefined
      ? ` WHERE time >= to_timestamp(${range.from / 1000})
           AND time < to_timestamp(${range.to / 1000}) ORDER BY time, ${number}`
      : isNumbered
      ? ` ORDER BY ${number}`
      : "";
    await this.#sql(
      `DECLARE copied NO SCROLL CURSOR FOR SELECT ${selected.join(", ")} FROM ${postgres}${order}`,
    );
    for (let isLast = false; !isLast;) {
      const rows = await this.#sql(`FETCH ${PAGE_ROWS} FROM copied`, undefined, TIMEOUT_MS);
      isLast = rows.length < PAGE_ROWS;
      if (rows.length > 0) yield rows.map((row) => readCopiedRow(table, row));
    }
    await this.#sql("CLOSE copied");
  }

  /** @throws {StoreError} if an earlier version has counted rows that this version has not. */
  async readMarks(): Promise<StoreMarks> {
    const [counted] = await this.#sql("SELECT * FROM sluice_counted");
    const complete = Math.min(Number(counted?.total_row), Number(counted?.quarter_row));
    if (complete < Number(counted?.last_row)) {
      throw new StoreError(
        "an earlier version has counted some rows: let this version run with it for a minute",
        "setup",
      );
    }
    const [keys] = await this.#has("sluice_keys_state")
      ? await this.#sql("SELECT version, pepper FROM sluice_keys_state")
      : [];
    return {
      lastRow: Number(counted?.last_row),
      totalsSince: Number(counted?.totals_since),
      quartersSince: Number(counted?.quarters_since),
      keys: keys && { version: Number(keys.version), pepper: String(keys.pepper) },
    };
  }

  async #has(table: string): Promise<boolean> {
    const [found] = await this.#sql("SELECT to_regclass($1) IS NOT NULL AS exists", [table]);
    return found?.exists === true;
  }
}

/**
 * A database with a store's tables. The whole copy is one transaction, during which no gateway
 * writes.
 */
export class PostgresCopyTarget implements CopyTarget {
  readonly #sql: RunSql;

  private constructor(sql: RunSql) {
    this.#sql = sql;
  }

  static async open(sql: RunSql): Promise<PostgresCopyTarget> {
    const tables = TABLES.map(({ postgres }) => postgres).join(", ");
    await sql(`BEGIN; LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
    return new PostgresCopyTarget(sql);
  }

  async findFilled(): Promise<CopiedTable | undefined> {
    for (const table of TABLES) {
      const rows = await this.#sql(`SELECT 1 FROM ${table.postgres} LIMIT 1`);
      if (rows.length > 0) return table;
    }
    return undefined;
  }

  async write({ postgres, columns }: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const names = columns.map(({ name }) => name).join(", ");
    const values = columns.map(({ name, kind }) =>
      kind === "time" ? `to_timestamp(${name} / 1000)` : name
    );
    const types = columns.map(({ name, kind }) => `${name} ${TYPES[kind]}`);
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))
    );
    await this.#sql(
      `INSERT INTO ${postgres} (${names}) OVERRIDING SYSTEM VALUE
       SELECT ${values.join(", ")} FROM json_to_recordset($1) AS rows(${types.join(", ")})`,
      [JSON.stringify(objects)],
      TIMEOUT_MS,
    );
  }

  async writeMarks(
    { lastRow, totalsSince, quartersSince, keys }: StoreMarks,
  ): Promise<void> {
    await this.#sql(
      `UPDATE sluice_counted SET last_row = $1, total_row = $1, quarter_row = $1,
         totals_since = $2, quarters_since = $3`,
      [lastRow, totalsSince, quartersSince],
    );
    for (const { postgres, columns: [number], isNumbered } of TABLES) {
      if (!isNumbered || number === undefined) continue;
      // Later rows have later numbers.
      const last = postgres === "sluice_requests"
        ? `greatest(max(${number.name}), ${lastRow})`
        : `max(${number.name})`;
      await this.#sql(
        `SELECT setval(pg_get_serial_sequence('${postgres}', '${number.name}'), last)
         FROM (SELECT ${last} AS last FROM ${postgres}) numbers WHERE last > 0`,
      );
    }
    if (keys === undefined) return;
    await this.#sql("UPDATE sluice_keys_state SET version = $1, pepper = $2", [
      ...[keys.version, keys.pepper],
    ]);
  }

  count(table: CopiedTable): Promise<number> {
    return countRows(this.#sql, table);
  }

  /** Commits; otherwise, the copy is discarded. */
  async commit(): Promise<void> {
    await this.#sql("COMMIT", undefined, TIMEOUT_MS);
  }
}

async function countRows(sql: RunSql, { postgres }: CopiedTable): Promise<number> {
  const [row] = await sql(`SELECT count(*) AS rows FROM ${postgres}`, [], TIMEOUT_MS);
  return Number(row?.rows);
}
