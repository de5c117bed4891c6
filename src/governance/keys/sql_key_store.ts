/** Keys in database tables: the same statements for SQLite and PostgreSQL. */

import type { SqlQuery, SqlRow, SqlSteps } from "../ledger/column_types.ts";
import { StoreError } from "../ledger/usage_store.ts";
import {
  KEY_COLUMNS,
  type KeyChanges,
  type KeyQuery,
  type KeySet,
  type KeyStore,
  type StoredKey,
  toChangedColumns,
  toKeyValues,
  toStoredKey,
} from "./key_store.ts";

/** What differs between the databases. */
export interface KeyDialect {
  /** The table of the keys. The table with the pepper and the versions has the suffix `_state`. */
  readonly table: string;
  /** The type of the column that numbers the keys. */
  readonly position: string;
  /** The function that returns the position of a text in another one, from 1; otherwise 0. */
  readonly positionOf: string;
}

export abstract class SqlKeyStore implements KeyStore {
  abstract readonly name: string;
  readonly #dialect: KeyDialect;
  /** The expression for the version that the current change gets. */
  readonly #nextVersion: string;

  constructor(dialect: KeyDialect) {
    this.#dialect = dialect;
    this.#nextVersion = `(SELECT version + 1 FROM ${dialect.table}_state)`;
  }

  /** Runs steps that only read. */
  protected abstract read<Result>(steps: () => SqlSteps<Result>): Promise<Result>;

  /** Runs steps in a transaction, one at a time in the whole database. */
  protected abstract change<Result>(steps: () => SqlSteps<Result>): Promise<Result>;

  abstract close(): Promise<void>;

  readVersion(): Promise<number> {
    const { table } = this.#dialect;
    return this.read(function* () {
      return Number((yield* readState(table)).version);
    });
  }

  readKeys(since?: number): Promise<KeySet> {
    const { table } = this.#dialect;
    return this.read(function* () {
      // Reads the version first, so that changes made in the meantime are found by the next read.
      const { version: text, pepper } = yield* readState(table);
      const version = Number(text);
      const isWhole = since === undefined || version < since;
      const rows = isWhole
        ? yield query(`SELECT * FROM ${table} WHERE revoked IS NULL ORDER BY position`)
        : yield query(`SELECT * FROM ${table} WHERE changed > $1 ORDER BY position`, since);
      return { version, pepper: String(pepper), isWhole, keys: rows.map(toStoredKey) };
    });
  }

  find(id: string): Promise<StoredKey | undefined> {
    const { table } = this.#dialect;
    return this.read(function* () {
      const [row] = yield query(`SELECT * FROM ${table} WHERE id = $1`, id);
      return row && toStoredKey(row);
    });
  }

  list({ name, search, after, revoked, limit }: KeyQuery): Promise<readonly StoredKey[]> {
    const { table, positionOf } = this.#dialect;
    const values: (string | number)[] = [];
    const bind = (value: string | number) => `$${values.push(value)}`;
    const conditions = [revoked ? "TRUE" : "revoked IS NULL"];
    if (name !== undefined) conditions.push(`name = ${bind(name)}`);
    if (after !== undefined) {
      conditions.push(`position > (SELECT position FROM ${table} WHERE id = ${bind(after)})`);
    }
    if (search !== undefined) {
      conditions.push(`${positionOf}(lower(name || ' ' || prefix), lower(${bind(search)})) > 0`);
    }
    const where = conditions.join(" AND ");
    const text = `SELECT * FROM ${table} WHERE ${where} ORDER BY position LIMIT ${bind(limit)}`;
    return this.read(function* () {
      return (yield query(text, ...values)).map(toStoredKey);
    });
  }

  insert(key: StoredKey, maxKeys: number): Promise<"inserted" | "name_taken" | "full"> {
    const { table } = this.#dialect;
    const values = toKeyValues(key);
    const places = values.map((_, index) => `$${index + 1}`).join(", ");
    const insert = `INSERT INTO ${table} (${KEY_COLUMNS.join(", ")}, changed)
      VALUES (${places}, ${this.#nextVersion})`;
    return this.change(function* () {
      const same = yield query(`SELECT 1 FROM ${table} WHERE name = $1`, key.name);
      if (same.length > 0) return "name_taken";
      const [active] = yield query(`SELECT COUNT(*) AS keys FROM ${table} WHERE revoked IS NULL`);
      if (Number(active?.keys) >= maxKeys) return "full";
      yield query(insert, ...values);
      yield* countChange(table);
      return "inserted";
    });
  }

  update(id: string, changes: KeyChanges, hash: string | null = null): Promise<boolean> {
    const { table } = this.#dialect;
    const columns = toChangedColumns(changes);
    const set = [
      `changed = ${this.#nextVersion}`,
      ...columns.map(([name], index) => `${name} = $${index + 3}`),
    ].join(", ");
    return this.change(function* () {
      const rows = yield query(
        `UPDATE ${table} SET ${set}
         WHERE id = $1 AND hash = COALESCE($2, hash) AND revoked IS NULL RETURNING 1`,
        ...[id, hash, ...columns.map(([, value]) => value)],
      );
      if (rows.length > 0) yield* countChange(table);
      return rows.length > 0;
    });
  }

  /** Creates and migrates the tables. Must run in a transaction, one at a time. */
  protected *migrate(newPepper: () => string): SqlSteps<void> {
    const { table, position } = this.#dialect;
    yield query(
      `CREATE TABLE IF NOT EXISTS ${table}_state (
         id integer PRIMARY KEY CHECK (id = 1), schema integer NOT NULL, version bigint NOT NULL,
         pepper text NOT NULL
       )`,
    );
    const insert = `INSERT INTO ${table}_state VALUES (1, 0, 0, $1) ON CONFLICT DO NOTHING`;
    yield query(insert, newPepper());
    const version = yield* readSchema(table);
    for (const statement of migrationsOf(table, position).slice(version).flat()) {
      yield query(statement);
    }
    yield query(`UPDATE ${table}_state SET schema = $1`, SCHEMA_VERSION);
  }

  /** Whether the tables, which must exist, are those of this gateway version. */
  protected *isMigrated(): SqlSteps<boolean> {
    return (yield* readSchema(this.#dialect.table)) === SCHEMA_VERSION;
  }
}

/** Each entry changes the schema by one version. Entries are only ever added. */
function migrationsOf(table: string, position: string): readonly (readonly string[])[] {
  const add = (column: string) => `ALTER TABLE ${table} ADD COLUMN ${column}`;
  return [
    [
      `CREATE TABLE ${table} (
         position ${position}, id text NOT NULL UNIQUE, name text NOT NULL UNIQUE,
         prefix text NOT NULL UNIQUE, hash text NOT NULL, pepper text NOT NULL, models text,
         limits text, budget text, expires bigint, created bigint NOT NULL, revoked bigint,
         previous text, changed bigint NOT NULL
       )`,
      `CREATE INDEX ${table}_changed ON ${table} (changed)`,
    ],
    [add("priority text"), add("weight double precision")],
    ["owner text", "team text", "note text"].map(add),
  ];
}

const SCHEMA_VERSION = migrationsOf("", "").length;

/** @throws {StoreError} `setup` when the schema is newer than this gateway version. */
function* readSchema(table: string): SqlSteps<number> {
  const schema = Number((yield* readState(table)).schema ?? 0);
  if (schema <= SCHEMA_VERSION) return schema;
  throw new StoreError(
    `the schema of its keys has version ${schema}, which is newer than this program`,
    "setup",
  );
}

function* readState(table: string): SqlSteps<SqlRow> {
  const [state] = yield query(`SELECT schema, version, pepper FROM ${table}_state`);
  return state ?? {};
}

function* countChange(table: string): SqlSteps<void> {
  yield query(`UPDATE ${table}_state SET version = version + 1`);
}

function query(text: string, ...values: SqlQuery["values"]): SqlQuery {
  return { text, values };
}
