/** The stores through PgBouncer, which gives each transaction another connection of the server. */

import { assert, assertEquals } from "@std/assert";
import { type PostgresRules, toStoreRules } from "../../src/config/shared_store.ts";
import { PostgresKeyStore } from "../../src/governance/keys/postgres_key_store.ts";
import { PostgresConnection } from "../../src/governance/ledger/postgres_connection.ts";
import { PostgresUsageStore } from "../../src/governance/ledger/postgres_store.ts";
import { copyInto } from "../../src/tools/copy_stores.ts";
import { HAS_PGBOUNCER, startPgBouncer } from "../support/pgbouncer.ts";
import { HAS_POSTGRES } from "../support/postgres.ts";
import { sharedPostgres, stopPostgres } from "../support/postgres_store.ts";
import { ROW_TIME, usageRow } from "../support/usage_rows.ts";

Deno.test.afterAll(stopPostgres);

const IS_AVAILABLE = HAS_POSTGRES && HAS_PGBOUNCER;
const REASON = IS_AVAILABLE ? "" : " (skipped: no PostgreSQL or no PgBouncer here)";
const GATEWAYS = 4;
const BATCHES = 30;
const ALL = { from: ROW_TIME - 86_400_000, to: ROW_TIME + 86_400_000, groupBy: [] } as const;

Deno.test({
  name: `gateways over PgBouncer with two connections lose and repeat nothing${REASON}`,
  ignore: !IS_AVAILABLE,
  async fn() {
    const server = await sharedPostgres();
    await server.createDatabase("pooled");
    await using pooler = await startPgBouncer(server.port, 2);
    const rules = toStoreRules(pooler.url("pooled")) as PostgresRules;
    const stores = Array.from({ length: GATEWAYS }, () => new PostgresUsageStore(rules));
    const keys = new PostgresKeyStore(rules, () => "pepper");
    const settings = new PostgresConnection(rules, undefined, 5000);
    try {
      await Promise.all(stores.map((store) => store.open()));
      await Promise.all(stores.map(async (store, gateway) => {
        for (let batch = 0; batch < BATCHES; batch++) {
          const rows = Array.from({ length: 50 }, () => usageRow());
          await store.write(rows, `batch_${gateway}_${batch}`);
          // A batch whose reply was lost.
          if (batch % 10 === 0) await store.write(rows, `batch_${gateway}_${batch}`);
          if (batch % 5 === 0) await store.summarize(ALL);
        }
      }));
      for (const store of stores) {
        const [sums] = await store.summarize(ALL);
        assertEquals(sums?.requests, GATEWAYS * BATCHES * 50);
      }
      const changes = Array.from({ length: 10 }, (_, index) => ({
        ...{ id: `key_${index}`, name: `k${index}`, prefix: `p${index}`, hash: "h", pepper: "p" },
        ...{ settings: {}, created: 1, revoked: undefined, previous: [] },
      }));
      for (const key of changes) assertEquals(await keys.insert(key as never, 100), "inserted");
      assertEquals((await keys.readKeys()).keys.length, 10);
      // No setting of a report has stayed in a connection that others get.
      for (let count = 0; count < 10; count++) {
        const [row] = await settings.call((sql) => sql("SHOW work_mem"));
        assertEquals(row?.work_mem, "4MB");
      }
      // The whole month is removed, or row by row if it is before those that have partitions.
      while (await stores[0]?.prune(ROW_TIME + 40 * 86_400_000));
      const left = await stores[1]?.list({ limit: 10 });
      // The last counted row may stay.
      assert((left?.rows.length ?? 0) <= 1);
      const folder = await Deno.makeTempDir({ prefix: "sluice-" });
      const path = `${folder}/copy.db`;
      const counts = await copyInto(rules, {
        target: { kind: "sqlite", url: `sqlite:${path}`, path },
        ...{ isNew: true, onProgress: () => {}, onWarning: () => {} },
      });
      assertEquals(counts.find(({ table }) => table === "service_keys")?.rows, 10);
      await Deno.remove(folder, { recursive: true });
    } finally {
      await Promise.all([...stores.map((store) => store.close()), keys.close(), settings.close()]);
    }
  },
});
