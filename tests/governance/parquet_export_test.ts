/** Exports as Parquet, read back by another library than the one that writes them. */

import { assertEquals } from "@std/assert";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { EXPORTED_COLUMNS } from "../../src/governance/store_copy/request_export.ts";
import { createTestGateway } from "../support/gateway.ts";
import { EMPTY, exportOf, FULL } from "../support/exported_rows.ts";
import { usageRow } from "../support/usage_rows.ts";

Deno.test("a Parquet export has every value of every request", async () => {
  const many = Array.from({ length: 250 }, (_, index) => usageRow({ id: `req_${index}` }));
  const bytes = await exportOf([FULL, EMPTY, ...many], 100);
  const file = bytes.buffer as ArrayBuffer;
  const metadata = parquetMetadata(file);
  assertEquals(metadata.row_groups.map(({ num_rows }) => num_rows), [100n, 100n, 52n]);
  const rows = await parquetReadObjects({ file });
  assertEquals(rows.length, 252);
  assertEquals(Object.keys(rows[0] ?? {}), EXPORTED_COLUMNS.map(({ name }) => name));
  const [full, empty] = rows;
  assertEquals(
    [
      full?.id,
      full?.tags,
      full?.key,
      full?.cost_usd,
      full?.input_tokens,
      full?.time,
      full?.first_token_ms,
    ],
    [FULL.id, FULL.tags, FULL.key, FULL.usd, BigInt(FULL.input), new Date(FULL.time), 7.25],
  );
  assertEquals(full?.prices, { ...FULL.prices });
  assertEquals([empty?.id, empty?.tags, empty?.cost_usd, empty?.prices], ["", [], null, null]);
  assertEquals(new Set(rows.slice(2).map(({ id }) => id)).size, 250);
});

Deno.test("an export without requests is a valid file", async () => {
  const bytes = await exportOf([], 100);
  assertEquals(await parquetReadObjects({ file: bytes.buffer as ArrayBuffer }), []);
});

Deno.test("an export and the API have one set of names", async () => {
  const attempt = { provider: "p", upstream: "m-1", startedMs: 0, ms: 2, error: "x", status: 502 };
  const row = usageRow({ attempts: 2, attemptRows: [attempt], modelFound: true });
  const bytes = await exportOf([row], 100);
  const [exported = {}] = await parquetReadObjects({ file: bytes.buffer as ArrayBuffer });
  const gateway = createTestGateway({
    config: { providers: { mock: { kind: "mock", models: ["m"] } } },
    usage: {
      count: () => Promise.reject(new Error("not asked")),
      summarize: () => Promise.reject(new Error("not asked")),
      list: () => Promise.resolve({ rows: [row], next: undefined }),
    },
  });
  // The path is made of the others.
  const { object, path: _path, ...reported } = await (await gateway.call(`/v1/requests/${row.id}`))
    .json();
  assertEquals([object, Object.keys(exported).sort()], ["request", Object.keys(reported).sort()]);
  const [{ cause, ...ofAdmin }] = exported.attempts as [Record<string, unknown>];
  assertEquals([[ofAdmin], cause], [reported.attempts, null]);
  assertEquals([exported.attempt_count, exported.model_found], [2n, undefined]);
  const csv = await (await gateway.call("/v1/requests?format=csv")).text();
  const isExported = (name: string) => Object.hasOwn(exported, name);
  assertEquals(csv.split("\n")[0]?.split(",").filter((name) => !isExported(name)), []);
});
