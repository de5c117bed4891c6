/** Keys in a PostgreSQL database, which several gateways may share. */

import { type PostgresRules, toStoreName } from "../../config/shared_store.ts";
import { PostgresConnection, type RunSql, type SqlRow } from "../ledger/postgres_connection.ts";
import { BEGIN } from "../ledger/postgres_schema.ts";
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

const TIMEOUT_MS = 5000;

/** Each entry changes the schema by one version. Entries are only ever added. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE sluice_keys (
     position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE,
     name text NOT NULL UNIQUE, prefix text NOT NULL UNIQUE, hash text NOT NULL,
     pepper text NOT NULL, models text, limits text, budget text, expires bigint,
     created bigint NOT NULL, revoked bigint, previous text, changed bigint NOT NULL
   );
   CREATE INDEX sluice_keys_changed ON sluice_keys (changed);`,
  "ALTER TABLE sluice_keys ADD COLUMN priority text, ADD COLUMN weight double precision;",
  "ALTER TABLE sluice_keys ADD COLUMN owner text, ADD COLUMN team text, ADD COLUMN note text;",
];

/** The version that the running change has set. */
const VERSION = "(SELECT version FROM sluice_keys_state)";

/** Advisory locks are numbers that all programs of a database share: this one is random. */
const MIGRATION_LOCK = 4_813_377_902_561_874n;

export class PostgresKeyStore implements KeyStore {
  readonly name: string;
  readonly #connection: PostgresConnection;
  readonly #newPepper: () => string;
  #isMigrated = false;

  /**
   * @param newPepper creates the pepper of a new store
   * @param certificate the CA certificates that verify the server's certificate, in PEM
   */
  constructor(rules: PostgresRules, newPepper: () => string, certificate?: string) {
    this.name = toStoreName(rules);
    this.#newPepper = newPepper;
    this.#connection = new PostgresConnection(rules, certificate, TIMEOUT_MS);
  }

  readVersion(): Promise<number> {
    return this.#call(async (sql) => Number((await readState(sql)).version));
  }

  readKeys(since?: number): Promise<KeySet> {
    return this.#call(async (sql) => {
      // Reads the version first, so that a later change is found with the next version.
      const { version: text, pepper } = await readState(sql);
      const version = Number(text);
      const isWhole = since === undefined || version < since;
      const rows = isWhole
        ? await sql("SELECT * FROM sluice_keys WHERE revoked IS NULL ORDER BY position")
        : await sql("SELECT * FROM sluice_keys WHERE changed > $1 ORDER BY position", [since]);
      return { version, pepper: String(pepper), isWhole, keys: rows.map(toStoredKey) };
    });
  }

  find(id: string): Promise<StoredKey | undefined> {
    return this.#call(async (sql) => {
      const [row] = await sql("SELECT * FROM sluice_keys WHERE id = $1", [id]);
      return row && toStoredKey(row);
    });
  }

  list({ name, search, after, revoked, limit }: KeyQuery): Promise<readonly StoredKey[]> {
    return this.#call(async (sql) => {
      const rows = await sql(
        `SELECT * FROM sluice_keys WHERE ($1::text IS NULL OR name = $1)
         AND ($2::text IS NULL OR position > (SELECT position FROM sluice_keys WHERE id = $2))
         AND ($3::boolean OR revoked IS NULL)
         AND ($5::text IS NULL OR strpos(lower(name || ' ' || prefix), lower($5)) > 0)
         ORDER BY position LIMIT $4`,
        [name ?? null, after ?? null, revoked, limit, search ?? null],
      );
      return rows.map(toStoredKey);
    });
  }

  insert(key: StoredKey, maxKeys: number): Promise<"inserted" | "name_taken" | "full"> {
    return this.#change(async (sql) => {
      const same = await sql("SELECT 1 FROM sluice_keys WHERE name = $1", [key.name]);
      if (same.length > 0) return "name_taken";
      const [active] = await sql("SELECT COUNT(*) AS keys FROM sluice_keys WHERE revoked IS NULL");
      if (Number(active?.keys) >= maxKeys) return "full";
      const values = toKeyValues(key);
      const places = values.map((_, index) => `$${index + 1}`).join(", ");
      await sql(
        `INSERT INTO sluice_keys (${KEY_COLUMNS.join(", ")}, changed)
         VALUES (${places}, ${VERSION})`,
        values,
      );
      return "inserted";
    });
  }

  update(id: string, changes: KeyChanges, hash?: string): Promise<boolean> {
    const columns = toChangedColumns(changes);
    return this.#change(async (sql) => {
      const set = [
        `changed = ${VERSION}`,
        ...columns.map(([name], index) => `${name} = $${index + 3}`),
      ];
      const rows = await sql(
        `UPDATE sluice_keys SET ${set.join(", ")} 
         WHERE id = $1 AND ($2::text IS NULL OR hash = $2) AND revoked IS NULL RETURNING 1`,
        [id, hash ?? null, ...columns.map(([, value]) => value)],
      );
      return rows.length > 0;
    });
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Runs a change, one at a time in the whole database, because all of them lock the version. */
  #change<Result>(run: (sql: RunSql) => Promise<Result>): Promise<Result> {
    return this.#call(async (sql) => {
      await sql(`${BEGIN}; UPDATE sluice_keys_state SET version = version + 1`);
      const result = await run(sql);
      await sql("COMMIT");
      return result;
    });
  }

  /** Runs statements after the schema has been created. */
  #call<Result>(run: (sql: RunSql) => Promise<Result>): Promise<Result> {
    return this.#connection.call(async (sql) => {
      try {
        if (!this.#isMigrated) await migrate(sql, this.#newPepper);
        this.#isMigrated = true;
        return await run(sql);
      } catch (thrown) {
        // The server may restart with a different database.
        this.#isMigrated = false;
        throw thrown;
      }
    });
  }
}

/** Migrates the tables. If several replicas start at once, one does it and the others wait. */
async function migrate(sql: RunSql, newPepper: () => string): Promise<void> {
  if (await readSchema(sql) === MIGRATIONS.length) return;
  await sql(`${BEGIN}; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  await sql(
    `CREATE TABLE IF NOT EXISTS sluice_keys_state (
       id integer PRIMARY KEY CHECK (id = 1), schema integer NOT NULL, version bigint NOT NULL,
       pepper text NOT NULL
     )`,
  );
  const insert = "INSERT INTO sluice_keys_state VALUES (1, 0, 0, $1) ON CONFLICT DO NOTHING";
  await sql(insert, [newPepper()]);
  // Another replica may have changed the schema while this one waited for the lock.
  for (const migration of MIGRATIONS.slice(await readSchema(sql))) await sql(migration);
  await sql(`UPDATE sluice_keys_state SET schema = ${MIGRATIONS.length}; COMMIT`);
}

/** @throws {StoreError} `setup` when the schema is newer than this version of the gateway. */
async function readSchema(sql: RunSql): Promise<number> {
  const [found] = await sql("SELECT to_regclass('sluice_keys_state') IS NOT NULL AS exists");
  if (found?.exists !== true) return 0;
  const schema = Number((await readState(sql)).schema ?? 0);
  if (schema <= MIGRATIONS.length) return schema;
  throw new StoreError(
    `the schema of its keys has version ${schema}, which is newer than this program`,
    "setup",
  );
}

async function readState(sql: RunSql): Promise<SqlRow> {
  const [state] = await sql("SELECT schema, version, pepper FROM sluice_keys_state");
  return state ?? {};
}
