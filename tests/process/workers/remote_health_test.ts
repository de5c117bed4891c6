/** The attempts of a worker reach the main thread in batches. */

import { assertEquals } from "@std/assert";
import type { TargetAttempt } from "../../../src/console/health/target_attempts.ts";
import type { LedgerRow } from "../../../src/governance/ledger/row.ts";
import { RemoteHealth } from "../../../src/process/workers/worker.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const ROW: LedgerRow = {
  ...{ id: "r1", time: 1_800_000_000_000, key: "k", tags: [], model: "m", provider: "p" },
  ...{ upstream: "m", format: "chat", status: 502, error: "upstream_error", attempts: 1, ms: 5 },
  ...{ input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, source: "none" },
};

function create() {
  const clock = new ManualClock();
  const sent: (readonly TargetAttempt[])[] = [];
  const never = () => Promise.reject(new Error("not read"));
  const health = new RemoteHealth({
    clock,
    send: (attempts) => sent.push(attempts),
    switched: never,
    keepsTexts: () => true,
    report: never,
    history: never,
  });
  return { clock, health, sent };
}

Deno.test("attempts wait half a second for others, and leave no timer", () => {
  const { clock, health, sent } = create();
  health.add({ ...ROW, attempts: 0, provider: undefined, status: 404 }, []);
  assertEquals(clock.pending, 0);
  health.add(ROW, []);
  health.add(ROW, []);
  clock.advance(499);
  assertEquals(sent, []);
  clock.advance(1);
  assertEquals([sent.length, sent[0]?.length, clock.pending], [1, 2, 0]);
});

Deno.test("a full batch is sent at once, and the rest at the end", () => {
  const { clock, health, sent } = create();
  for (let index = 0; index < 501; index++) health.add(ROW, []);
  assertEquals(sent.map(({ length }) => length), [500]);
  health.flush();
  assertEquals(sent.map(({ length }) => length), [500, 1]);
  assertEquals(clock.pending, 0);
});
