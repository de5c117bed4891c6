/** The health of targets of a process: with the console only, and each attempt once. */

import { assertEquals } from "@std/assert";
import type { LedgerRow } from "../../../src/governance/ledger/row.ts";
import { MemoryUsageStore } from "../../../src/governance/ledger/memory_store.ts";
import { createHealth } from "../../../src/process/stores/health.ts";
import { hurry } from "../../support/elapse.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";

function create(server: Record<string, unknown>, hostname: string) {
  const providers = { mock: { kind: "mock", models: ["mock-echo"] } };
  const config = { server, providers, store: "sqlite:/tmp/not-opened.db" };
  const { config: first } = createTestGateway({ config });
  const [clock, store] = [new ManualClock(), new MemoryUsageStore()];
  const board = createHealth({ first, hostname, config: () => first, store, clock });
  return { board, clock, store };
}

Deno.test("a request that ends right after the start is counted once", async () => {
  const { board, clock, store } = create({ console: "on" }, "0.0.0.0");
  const row: LedgerRow = {
    ...{
      id: "r1",
      time: clock.wallTime(),
      key: "k",
      tags: [],
      model: "mock-echo",
      provider: "mock",
    },
    ...{ upstream: "mock-echo", format: "chat", status: 200, attempts: 1, ms: 5, input: 1 },
    ...{ cachedInput: 0, cacheWrite: 0, output: 1, reasoning: 0, source: "vendor" },
  };
  board?.access.add(row, []);
  await store.write([row]);
  const done = (async () => {
    while (board?.report().isReading) await Promise.resolve();
  })();
  await hurry(clock, done);
  assertEquals(board?.report().targets.map(({ day }) => day), [{ attempts: 1, failures: 0 }]);
});

Deno.test("without the console there is neither memory nor timer", () => {
  for (
    const [server, hostname, exists] of [
      [{ console: "off" }, "127.0.0.1", false],
      [{}, "0.0.0.0", false],
      [{}, "127.0.0.1", true],
      [{ console: "on", serves: ["api", "admin"] }, "127.0.0.1", false],
    ] as const
  ) {
    const { board, clock } = create(server, hostname);
    assertEquals([board !== undefined, clock.pending], [exists, 0]);
  }
});
