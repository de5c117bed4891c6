/** Stores of keys that an earlier version has created. */

import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../../src/core/clock.ts";
import type { KeyStore } from "../../../src/governance/keys/key_store.ts";
import { PostgresKeyStore } from "../../../src/governance/keys/postgres_key_store.ts";
import { SqliteKeyStore } from "../../../src/governance/keys/sqlite_key_store.ts";
import { PostgresConnection } from "../../../src/governance/ledger/postgres_connection.ts";
import { withKeyFile } from "../../support/keys.ts";
import { HAS_POSTGRES, withPostgres } from "../../support/postgres.ts";
import { emptyDatabase, stopPostgres } from "../../support/postgres_store.ts";

Deno.test.afterAll(stopPostgres);

const newPepper = () => "another pepper";

/** The columns of version 1 after the position of a key, in both stores but for their types. */
const COLUMNS_1 = `id text NOT NULL UNIQUE, name text NOT NULL UNIQUE, prefix text NOT NULL UNIQUE,
  hash text NOT NULL, pepper text NOT NULL, models text, limits text, budget text, expires bigint,
  created bigint NOT NULL, revoked bigint, previous text, changed bigint NOT NULL`;

/** A key as version 1 wrote it. */
const ROW_1 = `'key_1', 'team', 'sk-sluice-1', 'ab', 'pp', '["gpt-*"]', NULL,
  '{"usd":5,"per":"month"}', 1798761600, 1790000000123, NULL, NULL, 1`;

const NAMES_1 = `id, name, prefix, hash, pepper, models, limits, budget, expires, created, revoked,
  previous, changed`;

/** The statements that make a store of version 1. */
function versionOf(table: string, position: string): readonly string[] {
  return [
    `CREATE TABLE ${table}_state (id integer PRIMARY KEY, schema integer NOT NULL,
       version bigint NOT NULL, pepper text NOT NULL)`,
    `INSERT INTO ${table}_state VALUES (1, 1, 1, 'the first pepper')`,
    `CREATE TABLE ${table} (position ${position}, ${COLUMNS_1})`,
    `CREATE INDEX ${table}_changed ON ${table} (changed)`,
    `INSERT INTO ${table} (${NAMES_1}) VALUES (${ROW_1})`,
  ];
}

/** The key of version 1 is as it was, and gets the settings that version 1 did not have. */
async function checkStore(open: () => KeyStore): Promise<void> {
  const store = open();
  try {
    const { pepper, keys: [key] } = await store.readKeys();
    const settings = {
      models: ["gpt-*"],
      budget: { usd: 5, per: "month" },
      expires: 1_798_761_600,
    };
    assertEquals([pepper, key?.name, key?.created], ["the first pepper", "team", 1790000000123]);
    assertEquals(key?.settings as unknown, settings);
    const change = {
      settings: {
        priority: "batch",
        ...{ weight: 0.5, owner: "Ada", team: "search", note: "nightly" },
      },
    } as const;
    assertEquals(await store.update("key_1", change), true);
    const changed = await store.find("key_1");
    assertEquals(changed?.settings as unknown, { ...settings, ...change.settings });
    await store.update("key_1", {
      settings: { priority: null, weight: null, owner: null, team: null, note: null },
    });
    assertEquals((await store.find("key_1"))?.settings as unknown, settings);
  } finally {
    await store.close();
  }
  // The second start finds the tables up to date.
  const again = open();
  assertEquals((await again.readKeys()).keys.length, 1);
  await again.close();
}

Deno.test("SQLite: a store of keys of version 1 gets the columns that it lacks", async () => {
  await withKeyFile(async (path) => {
    const database = new DatabaseSync(path);
    const statements = versionOf("service_keys", "INTEGER PRIMARY KEY AUTOINCREMENT");
    for (const statement of statements) database.exec(statement);
    database.close();
    await checkStore(() => new SqliteKeyStore(path, newPepper, systemClock));
  });
});

Deno.test({
  name: withPostgres("PostgreSQL: a store of keys of version 1 gets the columns that it lacks"),
  ignore: !HAS_POSTGRES,
  async fn() {
    const rules = await emptyDatabase();
    const connection = new PostgresConnection(rules, undefined, 5000);
    const position = "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
    await connection.call(async (sql) => {
      for (const statement of versionOf("sluice_keys", position)) await sql(statement);
    });
    await connection.close();
    await checkStore(() => new PostgresKeyStore(rules, newPepper));
  },
});
