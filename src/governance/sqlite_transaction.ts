/** Transactions of SQLite databases. */

import type { DatabaseSync } from "node:sqlite";

/**
 * Runs work in a transaction: all of it takes effect, or nothing.
 *
 * @param mode `deferred` for reading one state of the tables; `immediate` locks them for writing
 * @throws whatever `work` or the database throws.
 */
export function transact<Result>(
  database: DatabaseSync,
  mode: "deferred" | "immediate",
  work: () => Result,
): Result {
  // The errors of exec() have no code.
  database.prepare(`BEGIN ${mode}`).run();
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (thrown) {
    // Some errors, such as a full disk, have already ended the transaction.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw thrown;
  }
}
