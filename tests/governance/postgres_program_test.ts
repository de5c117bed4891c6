/** The ledger in PostgreSQL, with a real server: replicas, failures, logins and TLS. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type PostgresRules, toStoreRules } from "../../src/config/shared_store.ts";
import { PostgresConnection } from "../../src/governance/ledger/postgres_connection.ts";
import { PostgresUsageStore } from "../../src/governance/ledger/postgres_store.ts";
import { StoreError } from "../../src/governance/ledger/usage_store.ts";
import { until } from "../support/elapse.ts";
import { HAS_POSTGRES, PASSWORD, PostgresServer, withPostgres } from "../support/postgres.ts";
import { startSluice } from "../support/process.ts";
import { CHAT } from "../support/stage.ts";
import { emptyDatabase, sharedPostgres, stopPostgres } from "../support/postgres_store.ts";
import { FIRST_SCHEMA } from "../support/postgres_0_2_0.ts";
import { ROW_TIME, usageRow } from "../support/usage_rows.ts";

const ALL = { from: ROW_TIME - 86_400_000, to: ROW_TIME + 86_400_000, groupBy: [] };

Deno.test.afterAll(stopPostgres);

function testPostgres(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: withPostgres(name), ignore: !HAS_POSTGRES, fn });
}

async function requestsIn(rules: PostgresRules): Promise<number> {
  const store = new PostgresUsageStore(rules);
  try {
    return (await store.summarize({ ...ALL, to: Date.parse("2100-01-01") }))[0]?.requests ?? 0;
  } finally {
    await store.close();
  }
}

testPostgres("replicas that start at once create the schema together", async () => {
  const rules = await emptyDatabase();
  const stores = Array.from({ length: 8 }, () => new PostgresUsageStore(rules));
  await Promise.all(stores.map((store) => store.open()));
  await Promise.all(stores.map((store, index) => store.write([usageRow()], `batch_${index}`)));
  await Promise.all(stores.map((store) => store.close()));
  assertEquals(await requestsIn(rules), 8);
});

testPostgres("a batch that is written twice counts once, also at the same time", async () => {
  const rules = await emptyDatabase();
  const stores = Array.from({ length: 4 }, () => new PostgresUsageStore(rules));
  const rows = Array.from({ length: 10 }, () => usageRow());
  await Promise.all(stores.map((store) => store.write(rows, "batch_1")));
  await stores[0]?.write(rows, "batch_1");
  await stores[0]?.write(rows, "batch_2");
  await Promise.all(stores.map((store) => store.close()));
  assertEquals(await requestsIn(rules), 20);
});

testPostgres(
  "rows of several gateways are all counted, once each, while reports are read",
  async () => {
    const rules = await emptyDatabase();
    const stores = Array.from({ length: 3 }, () => new PostgresUsageStore(rules));
    await Promise.all(stores.map(async (store, gateway) => {
      for (let batch = 0; batch < 30; batch++) {
        const rows = Array.from(
          { length: 100 },
          (_, index) => usageRow({ key: `key-${index % 7}` }),
        );
        await store.write(rows, `batch_${gateway}_${batch}`);
        if (batch % 10 === gateway) {
          await store.summarize(ALL);
        }
      }
    }));
    await Promise.all(stores.map((store) => store.close()));
    assertEquals(await requestsIn(rules), 9000);
  },
);

testPostgres("totals and quarters get the rows that an older gateway has counted", async () => {
  const rules = await emptyDatabase();
  const store = new PostgresUsageStore(rules);
  const query = { ...ALL, groupBy: ["hour"] as const };
  const rows = Array.from({ length: 100 }, (_, index) => usageRow({ ms: 10 * index }));
  for (let batch = 0; batch < 50; batch++) await store.write(rows, `batch_${batch}`);
  const expected = await store.summarize(query);
  assertEquals(expected[0]?.requests, 5000);
  // An older version moves one position only, and adds no totals.
  const connection = new PostgresConnection(rules, undefined, 5000);
  await connection.call(async (sql) => {
    await sql("DELETE FROM sluice_usage_sums WHERE span = 4 OR span >= 9");
    await sql("UPDATE sluice_counted SET total_row = 0, quarter_row = 2000");
    await sql("DELETE FROM sluice_usage_sums WHERE span >= 9");
  });
  await connection.close();
  assertEquals(await store.summarize(query), expected);
  await store.write(rows, "batch_last");
  assertEquals((await store.summarize(query))[0]?.requests, 5100);
  assertEquals((await store.summarize(ALL))[0]?.requests, 5100);
  await store.close();
});

testPostgres(
  "a schema that is newer, a wrong login and an unknown database end the start",
  async () => {
    const rules = await emptyDatabase();
    const store = new PostgresUsageStore(rules);
    await store.open();
    await store.close();
    const connection = new PostgresConnection(rules, undefined, 5000);
    await connection.call((sql) => sql("UPDATE sluice_schema SET version = 1000"));
    await connection.close();
    const server = await sharedPostgres();
    for (
      const [url, message] of [
        [rules.url, "newer than this program"],
        [server.url("postgres", "127.0.0.1", "wrong"), "password authentication failed"],
        [server.url("missing"), "does not exist"],
      ] as const
    ) {
      const wrong = new PostgresUsageStore(toStoreRules(url) as PostgresRules);
      const thrown = await assertRejects(() => wrong.open(), StoreError, message);
      assertEquals(thrown.failure, "setup");
      assert(!thrown.message.includes("wrong") && !thrown.message.includes(PASSWORD));
      await wrong.close();
    }
  },
);

/** The schema of the first version, with one request. */
const FIRST_VERSION = `${FIRST_SCHEMA}
   INSERT INTO sluice_requests VALUES (DEFAULT, to_timestamp(${ROW_TIME / 1000}), 'req_old', 'a',
     '{}', 'm', 'p', 'm-1', 'messages', 200, NULL, 1, 1, 0, 0, 2, 0, 'vendor', 1, NULL, 5, NULL);
   CREATE TABLE sluice_schema (version integer NOT NULL);
   INSERT INTO sluice_schema VALUES (1);`;

testPostgres(
  "a database of the first version is brought up to date with its requests",
  async () => {
    const rules = await emptyDatabase();
    const connection = new PostgresConnection(rules, undefined, 5000);
    await connection.call((sql) => sql(FIRST_VERSION));
    const stores = [new PostgresUsageStore(rules), new PostgresUsageStore(rules)] as const;
    const attemptRows = [{ provider: "p", upstream: "m-1", startedMs: 0, ms: 5, status: 200 }];
    const row = usageRow({ id: "req_new", time: ROW_TIME + 1, attemptRows });
    await Promise.all(stores.map((store, index) => store.write([row], `batch_new_${index}`)));
    const { rows } = await stores[0].list({ key: "a", limit: 10 });
    await Promise.all(stores.map((store) => store.close()));
    const [found] = await connection.call((sql) =>
      sql("SELECT count(*)::int AS indexes FROM pg_indexes WHERE tablename = 'sluice_requests'")
    );
    await connection.close();
    assertEquals(rows.map(({ id, attemptRows: attempts }) => [id, attempts]), [
      ...[["req_new", attemptRows], ["req_new", attemptRows], ["req_old", undefined]],
    ]);
    assertEquals(found?.indexes, 7);
  },
);

testPostgres(
  "a gateway of version 0.2.0 continues to write to a database with more columns",
  async () => {
    const rules = await emptyDatabase();
    const store = new PostgresUsageStore(rules);
    await store.write([usageRow({ savedUsd: 0.5 })], "batch_1");
    const connection = new PostgresConnection(rules, undefined, 5000);
    await connection.call(async (sql) => {
      const columns = "time, id, key, tags, model, provider, upstream, format, status, error, " +
        "attempts, input, cached_input, cache_write, output, reasoning, source, usd, prices, ms, " +
        "first_token_ms, attempt_rows";
      await sql(`INSERT INTO sluice_requests (${columns}) VALUES (to_timestamp(${ROW_TIME / 1000}),
      'req_old', 'a', '{}', 'm', 'p', 'm-1', 'messages', 200, NULL, 1, 1, 0, 0, 2, 0, 'vendor', 1,
      NULL, 5, NULL, NULL)`);
      const sums =
        "span, start, tag, key, model, provider, requests, errors, input, cached_input, " +
        "cache_write, output, reasoning, estimated, usd, unpriced, durations, first_tokens";
      await sql(
        `INSERT INTO sluice_usage_sums (${sums})
       SELECT ${sums} FROM json_populate_recordset(NULL::sluice_usage_sums, $1)`,
        [JSON.stringify([{
          ...{ span: 1, start: 0, tag: "", key: "a", model: "m", provider: "p", requests: 1 },
          ...{ errors: 0, input: 0, cached_input: 0, cache_write: 0, output: 0, reasoning: 0 },
          ...{ estimated: 0, usd: 0, unpriced: 0, durations: "", first_tokens: "" },
        }])],
      );
    });
    await connection.close();
    const [sums] = await store.summarize(ALL);
    assertEquals([sums?.requests, sums?.usd, sums?.savedUsd], [2, 1.001, 0.5]);
    const { rows } = await store.list({ limit: 10, id: "req_old" });
    assertEquals([rows[0]?.id, rows[0]?.hedged, rows[0]?.savedUsd], [
      "req_old",
      undefined,
      undefined,
    ]);
    await store.close();
  },
);

testPostgres("values that the server refuses are told apart, and not repeated", async () => {
  const store = new PostgresUsageStore(await emptyDatabase());
  const row = usageRow({ input: 1e300 });
  const thrown = await assertRejects(() => store.write([row], "batch_1"), StoreError);
  assertEquals([thrown.failure, thrown.message], ["values", "SQLSTATE 22P02"]);
  await store.write([usageRow()], "batch_2");
  await store.close();
});

testPostgres("TLS checks as much as sslmode says", async () => {
  const server = await PostgresServer.start();
  const certificate = await Deno.readTextFile(
    new URL("../support/tls/localhost.pem", import.meta.url),
  );
  const open = async (parameters: string, host: string) => {
    const rules = toStoreRules(server.url("postgres", host) + parameters) as PostgresRules;
    const ca = parameters.includes("verify") ? certificate : undefined;
    const connection = new PostgresConnection(rules, ca, 5000);
    try {
      const [row] = await connection.call((sql) =>
        sql("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
      );
      return row?.ssl;
    } catch (thrown) {
      assert(thrown instanceof StoreError && !thrown.message.includes(PASSWORD));
      return "refused";
    } finally {
      await connection.close();
    }
  };
  try {
    assertEquals(await open("", "127.0.0.1"), false);
    assertEquals(await open("?sslmode=require", "127.0.0.1"), "refused");
    await server.kill();
    await server.resumeWithTls("localhost");
    assertEquals(await open("?sslmode=disable", "127.0.0.1"), false);
    assertEquals(await open("", "127.0.0.1"), true);
    assertEquals(await open("?sslmode=require", "127.0.0.1"), true);
    assertEquals(await open("?sslmode=verify-full", "localhost"), true);
    await server.kill();
    await server.resumeWithTls("elsewhere");
    assertEquals(await open("?sslmode=require", "127.0.0.1"), true);
    assertEquals(await open("?sslmode=verify-full", "localhost"), "refused");
  } finally {
    await server.stop();
  }
});

Deno.test("a server that accepts and says nothing fails after a time limit", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) accepted.push(connection);
  })();
  const url = `postgres://user:secret@127.0.0.1:${listener.addr.port}/database`;
  const store = new PostgresUsageStore(toStoreRules(url) as PostgresRules);
  const thrown = await assertRejects(() => store.write([usageRow()], "batch_1"), StoreError);
  assertEquals(thrown.failure, "unavailable");
  assert(!thrown.message.includes("secret"));
  await store.close();
  listener.close();
  await accepting;
  for (const connection of accepted) connection.close();
});

Deno.test("with a server that hangs, the gateway starts, answers and ends", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) accepted.push(connection);
  })();
  const url = `postgres://user:secret@127.0.0.1:${listener.addr.port}/database`;
  await using sluice = startSluice(["--port", "0"], { files: { "config.yaml": configOf(url, 1) } });
  await sluice.logged("http://127.0.0.1:");
  const origin = originIn(sluice.stderr());
  for (let index = 0; index < 20; index++) assertEquals(await ask(origin), 200);
  sluice.signal("SIGTERM");
  const { code, stderr } = await sluice.finished;
  assertEquals(code, 0);
  assertStringIncludes(stderr, "20 rows of the ledger are lost");
  assert(!stderr.includes("secret"));
  listener.close();
  await accepting;
  for (const connection of accepted) connection.close();
});

const KEY = "sk-service-key-of-team-a";
const QUESTION = "a question that no database may have";

function configOf(store: string, workers: number): string {
  return JSON.stringify({
    server: { workers, keys: [{ name: "team-a", key: KEY }] },
    providers: {
      mock: { kind: "mock", models: [{ id: "echo", prices: { input: 1, output: 2 } }] },
    },
    store,
  });
}

/** The address in the gateway's banner. */
function originIn(banner: string): string {
  return /http:\/\/127\.0\.0\.1:\d+/.exec(banner)?.[0] ?? "";
}

async function ask(origin: string): Promise<number> {
  const response = await fetch(`${origin}${CHAT}`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: QUESTION }] }),
    signal: AbortSignal.timeout(15_000),
  });
  await response.body?.cancel();
  return response.status;
}

for (const workers of [1, 2]) {
  testPostgres(
    `no request fails while the server is killed and restarted, and each row is there or counted: ${workers} workers`,
    async () => {
      const server = await PostgresServer.start();
      try {
        const url = await server.createDatabase("usage");
        await server.kill();
        await using sluice = startSluice(["--port", "0"], {
          files: { "config.yaml": configOf(url, workers) },
        });
        // The server is down, and the gateway starts all the same.
        await sluice.logged("http://127.0.0.1:");
        const origin = originIn(sluice.stderr());
        await sluice.logged("is unavailable, and rows are queued in memory");
        let sent = 0;
        let isOver = false;
        const callers = Array.from({ length: 4 }, async () => {
          while (!isOver) {
            assertEquals(await ask(origin), 200);
            sent++;
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        });
        const untilSent = async (count: number) => {
          const goal = sent + count;
          await until(() => sent >= goal, 30_000);
        };
        await untilSent(100);
        await server.resume();
        await sluice.logged("is available again");
        await untilSent(200);
        await server.kill();
        await untilSent(200);
        await server.resume();
        await untilSent(200);
        isOver = true;
        await Promise.all(callers);
        sluice.signal("SIGTERM");
        const { code, stderr, stdout } = await sluice.finished;
        assertEquals(code, 0);
        assert(!(stderr + stdout).includes(PASSWORD));
        assert(!(stderr + stdout).includes(encodeURIComponent(PASSWORD)));
        const lost = [...stderr.matchAll(/(\d+) rows of the ledger are lost/g)]
          .reduce((sum, [, count]) => sum + Number(count), 0);
        const rules = toStoreRules(url) as PostgresRules;
        const stored = await requestsIn(rules);
        assert(stored <= sent && stored + lost >= sent, `${stored} of ${sent}, ${lost} lost`);
        const dump = await server.dump("usage");
        assertStringIncludes(dump, "team-a");
        for (const secret of [KEY, PASSWORD, QUESTION]) assert(!dump.includes(secret), secret);
      } finally {
        await server.stop();
      }
    },
  );
}

testPostgres(
  "a start with a wrong password ends with the reason, without the password",
  async () => {
    const url = (await sharedPostgres()).url("postgres", "127.0.0.1", "wrong-secret");
    await using sluice = startSluice(["--port", "0"], {
      files: { "config.yaml": configOf(url, 1) },
    });
    const { code, stderr } = await sluice.finished;
    assertEquals(code, 1);
    assertStringIncludes(stderr, "Cannot open the store postgres://127.0.0.1:");
    assertStringIncludes(stderr, "password authentication failed");
    assert(!stderr.includes("wrong-secret"));
  },
);

Deno.test("no fault of the setting repeats it", async () => {
  for (
    const [store, message] of [
      ["postgres://user:secret@host/db?sslmode=maybe", "unknown sslmode"],
      ["postgres://user:secret@host/db?token=secret", "unknown parameter"],
      ["postgres://user:%secret@host/db", "percent-encode"],
      ["postgres://host/secret", "the user and the host"],
      ["postgre://user:secret@host/db", "must be 'sqlite:'"],
      ["sqlite:", "must have a file path"],
    ] as const
  ) {
    await using sluice = startSluice(["check"], { files: { "config.yaml": configOf(store, 1) } });
    const { code, stderr, stdout } = await sluice.finished;
    assertEquals(code, 1);
    assertStringIncludes(stderr, message);
    assert(!(stderr + stdout).includes("secret"), stderr);
  }
});

Deno.test("a URL is read with its escapes, its defaults and an IPv6 address", () => {
  assertEquals(
    toStoreRules("postgresql://a%40b:p%2Fw@[::1]/my%20db?sslmode=verify-ca&sslrootcert=/c.pem"),
    {
      kind: "postgres",
      url: "postgresql://a%40b:p%2Fw@[::1]/my%20db?sslmode=verify-ca&sslrootcert=/c.pem",
      host: "::1",
      port: 5432,
      database: "my db",
      user: "a@b",
      password: "p/w",
      sslMode: "verify-ca",
      rootCertificate: "/c.pem",
    },
  );
  const rules = toStoreRules("postgres://u@h:6432") as PostgresRules;
  assertEquals([rules.database, rules.password, rules.port, rules.sslMode], [
    "u",
    "",
    6432,
    "prefer",
  ]);
});
