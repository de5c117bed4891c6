/** Keys in the ledger's SQLite file, in separate tables. */

import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../core/clock.ts";
import type { SqlSteps } from "../ledger/column_types.ts";
import {
  openDatabase,
  runSteps,
  toStoreError,
  transact,
  transactWhenFree,
} from "../sqlite_database.ts";
import { SqlKeyStore } from "./sql_key_store.ts";

/**
 * Milliseconds for which a statement may block the thread while another process has locked the
 * file.
 */
const BUSY_TIMEOUT_MS = 5;

export class SqliteKeyStore extends SqlKeyStore {
  readonly name: string;
  readonly #database: DatabaseSync;
  readonly #clock: Clock;

  /**
   * Opens the file, and migrates the tables.
   *
   * @param newPepper creates the pepper for a new store
   * @throws {Error} when the file cannot be opened, or is newer than this gateway version.
   */
  constructor(path: string, newPepper: () => string, clock: Clock) {
    super({
      table: "service_keys",
      position: "INTEGER PRIMARY KEY AUTOINCREMENT",
      positionOf: "instr",
    });
    this.#clock = clock;
    this.name = `sqlite:${path}`;
    this.#database = openDatabase(
      path,
      "FULL",
      (database) => runSteps(database, this.migrate(newPepper)),
    );
    this.#database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }

  close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }

  /** Reads a snapshot of the tables. Never waits for a writer. */
  protected async read<Result>(steps: () => SqlSteps<Result>): Promise<Result> {
    try {
      return await transact(
        this.#database,
        "deferred",
        () => runSteps(this.#database, steps()),
      );
    } catch (thrown) {
      throw toStoreError(thrown);
    }
  }

  protected change<Result>(steps: () => SqlSteps<Result>): Promise<Result> {
    const run = () => runSteps(this.#database, steps());
    return transactWhenFree(this.#database, this.#clock, run).catch((thrown) => {
      throw toStoreError(thrown);
    });
  }
}
