/** Keys in a PostgreSQL database, which several gateways may share. */

import { type PostgresRules, toStoreName } from "../../config/shared_store.ts";
import type { SqlSteps } from "../ledger/column_types.ts";
import { PostgresConnection, type RunSql, runSteps } from "../ledger/postgres_connection.ts";
import { BEGIN } from "../ledger/postgres_schema.ts";
import { SqlKeyStore } from "./sql_key_store.ts";

const TIMEOUT_MS = 5000;

const TABLE = "sluice_keys";

/** Advisory locks are numbers shared by all clients of a database, so this one is random. */
const MIGRATION_LOCK = 4_813_377_902_561_874n;

export class PostgresKeyStore extends SqlKeyStore {
  readonly name: string;
  readonly #connection: PostgresConnection;
  readonly #newPepper: () => string;
  #isMigrated = false;

  /**
   * @param newPepper creates the pepper for a new store
   * @param certificate the CA certificates that verify the server's certificate, in PEM
   */
  constructor(rules: PostgresRules, newPepper: () => string, certificate?: string) {
    super({
      table: TABLE,
      position: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
      positionOf: "strpos",
    });
    this.name = toStoreName(rules);
    this.#newPepper = newPepper;
    this.#connection = new PostgresConnection(rules, certificate, TIMEOUT_MS);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  protected read<Result>(steps: () => SqlSteps<Result>): Promise<Result> {
    return this.#call((sql) => runSteps(sql, steps()));
  }

  protected change<Result>(steps: () => SqlSteps<Result>): Promise<Result> {
    return this.#call(async (sql) => {
      await sql(`${BEGIN}; SELECT 1 FROM ${TABLE}_state FOR UPDATE`);
      const result = await runSteps(sql, steps());
      await sql("COMMIT");
      return result;
    });
  }

  /** Runs statements after the schema has been created. */
  #call<Result>(run: (sql: RunSql) => Promise<Result>): Promise<Result> {
    return this.#connection.call(async (sql) => {
      try {
        if (!this.#isMigrated) await this.#migrate(sql);
        this.#isMigrated = true;
        return await run(sql);
      } catch (thrown) {
        // The server may restart with a different database.
        this.#isMigrated = false;
        throw thrown;
      }
    });
  }

  /** Migrates the tables. If several replicas start at once, one migrates and the others wait. */
  async #migrate(sql: RunSql): Promise<void> {
    const [found] = await sql(`SELECT to_regclass('${TABLE}_state') IS NOT NULL AS exists`);
    if (found?.exists === true && await runSteps(sql, this.isMigrated())) return;
    await sql(`${BEGIN}; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await runSteps(sql, this.migrate(this.#newPepper));
    await sql("COMMIT");
  }
}
