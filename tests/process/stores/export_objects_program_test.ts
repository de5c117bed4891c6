/** Exports to object storage: signed, one object for each day, repeated without doing work twice. */

import { type Clock, systemClock } from "../../../src/core/clock.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { parquetReadObjects } from "hyparquet";
import { DatabaseSync } from "node:sqlite";
import { GatewayError } from "../../../src/core/errors.ts";
import { PostgresUsageStore } from "../../../src/governance/ledger/postgres_store.ts";
import { SqliteUsageStore } from "../../../src/governance/ledger/sqlite_store.ts";
import { StoreError } from "../../../src/governance/ledger/usage_store.ts";
import { S3Bucket, S3Upload } from "../../../src/upstream/object_storage/s3_bucket.ts";
import type { Fetch } from "../../../src/upstream/transport.ts";
import { HAS_POSTGRES, withPostgres } from "../../support/postgres.ts";
import { runSluice } from "../../support/process.ts";
import { S3_KEYS, type S3Server, startS3 } from "../../support/s3_server.ts";
import { emptyDatabase, stopPostgres } from "../../support/postgres_store.ts";
import { ROW_TIME, usageRow } from "../../support/usage_rows.ts";
import { exportToBucket } from "../../../src/tools/store_commands.ts";
import { inFolder } from "../../support/file_modes.ts";

Deno.test.afterAll(stopPostgres);

const DAY_MS = 86_400_000;
const DAYS = ["2026-11-21", "2026-11-22", "2026-11-23"] as const;
const PART_BYTES = 5 * 1024 * 1024;

/** Three days: 2, 3 and 1 requests, written in another order than that of their times. */
const ROWS = [[1, 0], [0, 0], [2, 0], [1, 1], [0, 1], [1, 2]].map(([day = 0, index = 0]) =>
  usageRow({
    prices: undefined,
    id: `req_${day}_${index}`,
    time: ROW_TIME + (day - 1) * DAY_MS + index,
  })
);

/** The IDs in the object of a day. */
async function idsOf(server: S3Server, day: string): Promise<unknown[]> {
  const found = server.objects.get(`/bucket/a b/usage/date=${day}/requests.parquet`);
  const file = found?.bytes.buffer ?? new ArrayBuffer();
  return (await parquetReadObjects({ file })).map(({ id }) => id);
}

Deno.test("sluice store export writes one object for each day, and later only days that have more", () =>
  inFolder(async (folder) => {
    await using server = startS3();
    const url = `sqlite:${folder}/s.db`;
    const store = new SqliteUsageStore(`${folder}/s.db`);
    await store.write(ROWS);
    const run = () =>
      runSluice(["store", "export", "s3://bucket/a b/usage", "--store", url], { env: server.env });
    const first = await run();
    assertEquals(first.code, 0, first.stderr);
    assertStringIncludes(first.stdout, "Wrote 6 requests");
    assertStringIncludes(first.stdout, ": 3 objects, 0 already complete");
    assertEquals(await idsOf(server, DAYS[0]), ["req_0_0", "req_0_1"]);
    assertEquals(await idsOf(server, DAYS[1]), ["req_1_0", "req_1_1", "req_1_2"]);
    assertEquals(await idsOf(server, DAYS[2]), ["req_2_0"]);
    // One more request of the last day; and `keep` has removed one of the first.
    await store.write([usageRow({ id: "req_2_1", time: ROW_TIME + DAY_MS + 1 })]);
    await store.close();
    {
      using file = new DatabaseSync(`${folder}/s.db`);
      file.exec("DELETE FROM requests WHERE id = 'req_0_0'");
    }
    server.requests.length = 0;
    assertMatch((await run()).stdout, /^Wrote 2 requests of .*: 1 object, 2 already complete$/m);
    assertEquals(server.requests.filter((line) => line.startsWith("PUT")).length, 1);
    assertEquals(await idsOf(server, DAYS[0]), ["req_0_0", "req_0_1"]);
    assertEquals(await idsOf(server, DAYS[2]), ["req_2_0", "req_2_1"]);
  }));

const REPORTS = { onProgress: () => {}, onWarning: () => {} };

/** Waits for a second attempt take no time. */
const clock: Clock = {
  ...{ now: () => performance.now(), wallTime: () => Date.now() },
  after(ms: number, run: () => void) {
    const timer = setTimeout(run, ms > 10_000 ? ms : 0);
    return () => clearTimeout(timer);
  },
  limit: (ms, owner, name) => systemClock.limit(ms, owner, name),
};

function openBucket(server: S3Server): S3Bucket {
  return new S3Bucket(
    { bucket: "bucket", region: "eu-test-1", endpoint: server.url },
    (name) => server.env[name],
    {
      ...{ clock, fetch: fetch as unknown as Fetch },
      ...{ direct: fetch as unknown as Fetch, readFile: () => "" },
    },
  );
}

/** Exports a file or a database to the bucket of a server. */
function exportTo(server: S3Server, store: Parameters<typeof exportToBucket>[0]) {
  const bucket = openBucket(server);
  return exportToBucket(store, { ...REPORTS, format: "csv", bucket, prefix: "" });
}

Deno.test({
  name: withPostgres("the days of PostgreSQL are those of SQLite, with unreadable rows counted"),
  ignore: !HAS_POSTGRES,
  fn: () =>
    inFolder(async (folder) => {
      const rules = await emptyDatabase();
      const path = `${folder}/s.db`;
      const stores = [new PostgresUsageStore(rules), new SqliteUsageStore(path)];
      for (const store of stores) {
        await store.write(ROWS, "batch_1");
        await store.close();
      }
      {
        using file = new DatabaseSync(path);
        file.exec("UPDATE requests SET time = 'broken' WHERE id = 'req_2_0'");
      }
      await using one = startS3();
      await using other = startS3();
      assertEquals(await exportTo(one, rules), {
        ...{ rows: 6, unreadable: 0, written: 3, skipped: 0 },
      });
      const file = { kind: "sqlite", url: `sqlite:${path}`, path } as const;
      assertEquals(await exportTo(other, file), {
        ...{ rows: 5, unreadable: 1, written: 2, skipped: 0 },
      });
      const texts = [one, other].map(({ objects }) =>
        [...objects].slice(0, 2).map(([key, { bytes }]) => [key, new TextDecoder().decode(bytes)])
      );
      assertEquals(texts[0], texts[1]);
    }),
});

Deno.test("objects whose columns have the names of an earlier version are written again", () =>
  inFolder(async (folder) => {
    await using server = startS3();
    const path = `${folder}/s.db`;
    const store = new SqliteUsageStore(path);
    await store.write(ROWS);
    await store.close();
    const file = { kind: "sqlite", url: `sqlite:${path}`, path } as const;
    await exportTo(server, file);
    for (const [key, { bytes, metadata }] of server.objects) {
      const earlier = Object.entries(metadata).filter(([name]) => !name.includes("columns"));
      server.objects.set(key, { bytes, metadata: Object.fromEntries(earlier) });
    }
    {
      using database = new DatabaseSync(path);
      database.exec("DELETE FROM requests WHERE id = 'req_0_0'");
    }
    // Of the first day, the object has a request that the store no longer has.
    assertEquals(await exportTo(server, file), {
      ...{ rows: 4, unreadable: 0, written: 2, skipped: 1 },
    });
    assertEquals((await exportTo(server, file)).skipped, 3);
  }));

Deno.test("an object that something else wrote is not replaced, and failures name no secret", () =>
  inFolder(async (folder) => {
    await using server = startS3();
    const path = `${folder}/s.db`;
    const store = new SqliteUsageStore(path);
    await store.write(ROWS);
    await store.close();
    const file = { kind: "sqlite", url: `sqlite:${path}`, path } as const;
    const key = `/bucket/date=${DAYS[0]}/requests.csv`;
    server.objects.set(key, { bytes: new Uint8Array(3), metadata: {} });
    await assertRejects(() => exportTo(server, file), StoreError, "exists and is no export");
    assertEquals(server.objects.get(key)?.bytes.length, 3);
    server.objects.delete(key);
    // The server loses a byte of what it confirmed.
    const lossy = (request: string) => {
      const [, stored] = request.startsWith("HEAD") ? [...server.objects][0] ?? [] : [];
      if (stored === undefined) return undefined;
      const size = String(stored.bytes.length - 1);
      return new Response(null, { headers: { ...stored.metadata, "content-length": size } });
    };
    server.faults.push(lossy, lossy, lossy);
    await assertRejects(() => exportTo(server, file), StoreError, "is not what was written");
    const wrong = { ...server, env: { ...server.env, AWS_SECRET_ACCESS_KEY: "another-secret" } };
    server.objects.clear();
    const { message } = await assertRejects(() => exportTo(wrong, file), GatewayError);
    assertStringIncludes(message, "403");
    const { code, stderr } = await runSluice(
      ["store", "export", "s3://bucket/x", "--store", file.url, "--endpoint", server.url],
      { env: { ...wrong.env, AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1" } },
    );
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      "to s3://bucket/x: The object storage rejected the request: status 403",
    );
    for (const secret of [S3_KEYS.secret, "another-secret"]) assert(!stderr.includes(secret));
  }));

Deno.test("a large object is uploaded in parts, again after SlowDown, and abandoned on failure", async () => {
  await using server = startS3();
  const bucket = openBucket(server);
  const bytes = new Uint8Array(PART_BYTES * 2 + 1000).map((_, index) => index * 7);
  const upload = async (key: string) => {
    const object = new S3Upload(bucket, key, { "sluice-requests": "7" }, PART_BYTES);
    try {
      for (let at = 0; at < bytes.length; at += 1_000_000) {
        await object.write(bytes.subarray(at, at + 1_000_000));
      }
      return await object.end();
    } catch (thrown) {
      await object.abandon();
      throw thrown;
    }
  };
  const slowDown = () => new Response("<Error><Code>SlowDown</Code></Error>", { status: 503 });
  server.faults.push(() => undefined, slowDown);
  assertEquals(await upload("it's (a) key!"), bytes.length);
  const stored = server.objects.get("/bucket/it's (a) key!");
  assertEquals(stored?.bytes, bytes);
  assertEquals((await bucket.head("it's (a) key!"))?.metadata("sluice-requests"), "7");
  const parts = server.requests.filter((line) => line.includes("partNumber"));
  assertEquals(parts.length, 3);
  // The answer to the last request of an upload may be a failure with status 200.
  const late = (line: string) =>
    line.startsWith("POST") && line.includes("uploadId")
      ? new Response("<Error><Code>InternalError</Code></Error>")
      : undefined;
  server.faults.push(...Array.from({ length: 6 }, () => late));
  await assertRejects(() => upload("other"), GatewayError, "InternalError");
  assertEquals([server.objects.has("/bucket/other"), server.uploads.size], [false, 0]);
});
