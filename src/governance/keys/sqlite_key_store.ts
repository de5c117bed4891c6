/** Keys in the SQLite file of the ledger, in separate tables. */

import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../core/clock.ts";
import { openDatabase, toStoreError, transact, transactWhenFree } from "../sqlite_database.ts";
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

/** Each entry changes the schema by one version. Entries are only ever added. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE service_keys (
     position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL UNIQUE, prefix TEXT NOT NULL UNIQUE, hash TEXT NOT NULL,
     pepper TEXT NOT NULL, models TEXT, limits TEXT, budget TEXT, expires INTEGER,
     created INTEGER NOT NULL, revoked INTEGER, previous TEXT, changed INTEGER NOT NULL
   );
   CREATE INDEX service_keys_changed ON service_keys (changed);`,
  `ALTER TABLE service_keys ADD COLUMN priority TEXT;
   ALTER TABLE service_keys ADD COLUMN weight REAL;`,
  ["owner", "team", "note"].map((name) => `ALTER TABLE service_keys ADD COLUMN ${name} TEXT;`)
    .join("\n"),
];

/** Milliseconds that a statement may block the thread while another process has locked the file. */
const BUSY_TIMEOUT_MS = 5;

const NEXT_VERSION = "(SELECT version + 1 FROM service_keys_state)";

type Row = Readonly<Record<string, unknown>>;

export class SqliteKeyStore implements KeyStore {
  readonly name: string;
  readonly #database: DatabaseSync;
  readonly #clock: Clock;

  /**
   * Opens the file, and migrates the tables.
   *
   * @param newPepper creates the pepper of a new store
   * @throws {Error} when the file cannot be opened, or is newer than this version of the gateway.
   */
  constructor(path: string, newPepper: () => string, clock: Clock) {
    this.#clock = clock;
    this.name = `sqlite:${path}`;
    this.#database = openDatabase(path, "FULL", (database) => migrate(database, newPepper));
    this.#database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }

  readVersion(): Promise<number> {
    return this.#read(() => Number(this.#get("SELECT version FROM service_keys_state")?.version));
  }

  readKeys(since?: number): Promise<KeySet> {
    return this.#read(() => {
      const state = this.#get("SELECT version, pepper FROM service_keys_state");
      const version = Number(state?.version);
      const isWhole = since === undefined || version < since;
      const rows = isWhole
        ? this.#all("SELECT * FROM service_keys WHERE revoked IS NULL ORDER BY position")
        : this.#all("SELECT * FROM service_keys WHERE changed > ? ORDER BY position", since);
      return { version, pepper: String(state?.pepper), isWhole, keys: rows.map(toStoredKey) };
    });
  }

  find(id: string): Promise<StoredKey | undefined> {
    return this.#read(() => {
      const row = this.#get("SELECT * FROM service_keys WHERE id = ?", id);
      return row && toStoredKey(row);
    });
  }

  list({ name, search, after, revoked, limit }: KeyQuery): Promise<readonly StoredKey[]> {
    return this.#read(() =>
      this.#all(
        `SELECT * FROM service_keys WHERE (?1 IS NULL OR name = ?1)
         AND (?2 IS NULL OR position > (SELECT position FROM service_keys WHERE id = ?2))
         AND (?3 OR revoked IS NULL)
         AND (?5 IS NULL OR instr(lower(name || ' ' || prefix), lower(?5)) > 0)
         ORDER BY position LIMIT ?4`,
        name ?? null,
        after ?? null,
        revoked ? 1 : 0,
        limit,
        search ?? null,
      ).map(toStoredKey)
    );
  }

  insert(key: StoredKey, maxKeys: number): Promise<"inserted" | "name_taken" | "full"> {
    return this.#write(() => {
      if (this.#get("SELECT 1 FROM service_keys WHERE name = ?", key.name) !== undefined) {
        return "name_taken";
      }
      const active = this.#get("SELECT COUNT(*) AS keys FROM service_keys WHERE revoked IS NULL");
      if (Number(active?.keys) >= maxKeys) return "full";
      this.#database.prepare(
        `INSERT INTO service_keys (${KEY_COLUMNS.join(", ")}, changed)
         VALUES (${KEY_COLUMNS.map(() => "?").join(", ")}, ${NEXT_VERSION})`,
      ).run(...toKeyValues(key));
      this.#countChange();
      return "inserted";
    });
  }

  update(id: string, changes: KeyChanges, hash: string | null = null): Promise<boolean> {
    const columns = toChangedColumns(changes);
    return this.#write(() => {
      const set = [`changed = ${NEXT_VERSION}`, ...columns.map(([name]) => `${name} = ?`)].join(
        ", ",
      );
      const { changes: changed } = this.#database.prepare(
        `UPDATE service_keys SET ${set} WHERE id = ? AND hash = COALESCE(?, hash) AND revoked IS NULL`,
      ).run(...columns.map(([, value]) => value), id, hash);
      if (changed === 0) return false;
      this.#countChange();
      return true;
    });
  }

  close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }

  #countChange(): void {
    this.#database.exec("UPDATE service_keys_state SET version = version + 1");
  }

  #get(sql: string, ...values: (string | number | null)[]): Row | undefined {
    return this.#database.prepare(sql).get(...values);
  }

  #all(sql: string, ...values: (string | number | null)[]): Row[] {
    return this.#database.prepare(sql).all(...values);
  }

  /** Reads a snapshot of the tables. Never waits for a writing process. */
  #read<Result>(work: () => Result): Promise<Result> {
    return settled(() => transact(this.#database, "deferred", work));
  }

  #write<Result>(work: () => Result): Promise<Result> {
    return transactWhenFree(this.#database, this.#clock, work).catch((thrown) => {
      throw toStoreError(thrown);
    });
  }
}

function migrate(database: DatabaseSync, newPepper: () => string): void {
  database.exec(
    `CREATE TABLE IF NOT EXISTS service_keys_state (
       id INTEGER PRIMARY KEY CHECK (id = 1), schema INTEGER NOT NULL, version INTEGER NOT NULL,
       pepper TEXT NOT NULL
     )`,
  );
  database.prepare("INSERT OR IGNORE INTO service_keys_state VALUES (1, 0, 0, ?)")
    .run(newPepper());
  const schema = Number(database.prepare("SELECT schema FROM service_keys_state").get()?.schema);
  if (schema > MIGRATIONS.length) {
    throw new Error(
      `the schema of its keys has version ${schema}, which is newer than this program`,
    );
  }
  for (const migration of MIGRATIONS.slice(schema)) database.exec(migration);
  database.prepare("UPDATE service_keys_state SET schema = ?").run(MIGRATIONS.length);
}

function settled<Result>(work: () => Result): Promise<Result> {
  try {
    return Promise.resolve(work());
  } catch (thrown) {
    return Promise.reject(toStoreError(thrown));
  }
}
