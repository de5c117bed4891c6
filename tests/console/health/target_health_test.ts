/** The states of a target at the edges of their thresholds. */

import { assertEquals } from "@std/assert";
import { TargetHealth, type TargetState } from "../../../src/console/health/target_health.ts";

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

function create() {
  const health = new TargetHealth({ provider: "p", upstream: "m" });
  let request = 0;
  const add = (time: number, failed: boolean, ms = 100, isStream = true) =>
    health.add({
      ...{ provider: "p", upstream: "m", time, request: `r${++request}` },
      ...(failed
        ? {
          failure: {
            ...{ error: "e", status: 502, cause: undefined, isRescued: request % 2 === 0 },
            ended: time,
          },
        }
        : { firstContent: { ms, isStream } }),
    });
  return { health, add };
}

/** The state after a sequence of attempts, `x` for a failure, one in each second. */
function stateAfter(sequence: string): TargetState {
  const { health, add } = create();
  let time = NOW;
  for (const one of sequence) add(time += 1000, one === "x");
  return health.stateAt(time).state;
}

Deno.test("failing and degraded begin at their shares", () => {
  for (
    const [sequence, state] of [
      ["xxxx", "ok"],
      ["xxxxx", "failing"],
      ["..xx", "ok"],
      ["..xxx", "failing"],
      ["...xx", "ok"],
      [`${".".repeat(30)}xxxx`, "degraded"],
      [`${".".repeat(30)}xxxxx`, "failing"],
      [`x${".".repeat(18)}`, "ok"],
      [`x${".".repeat(19)}`, "degraded"],
      [`x${".".repeat(20)}`, "ok"],
    ] as const
  ) {
    assertEquals(stateAfter(sequence), state, sequence);
  }
});

Deno.test("since and the sums of an outage begin with the failures in a row", () => {
  const { health, add } = create();
  for (let index = 0; index < 100; index++) add(NOW + index, index === 3);
  for (let index = 0; index < 7; index++) add(NOW + 60_000 + index * 1000, true);
  const { incident, since, state } = health.report(NOW + 70_000);
  assertEquals([state, since], ["failing", NOW + 60_000]);
  assertEquals(incident, { since: NOW + 60_000, attempts: 7, failures: 7, rescued: 3 });
});

Deno.test("a failure never improves a state, and only a success ends silence", () => {
  const { health, add } = create();
  for (let index = 0; index < 5; index++) add(NOW + index, true);
  assertEquals(health.stateAt(NOW + 10 * MINUTE_MS).state, "failing");
  assertEquals(health.stateAt(NOW + 10 * MINUTE_MS + 5).state, "silent");
  // Silence outlasts the day.
  assertEquals(health.stateAt(NOW + 2 * DAY_MS), { state: "silent", since: NOW + 4 });
  add(NOW + 20 * MINUTE_MS, false);
  assertEquals(health.stateAt(NOW + 20 * MINUTE_MS).state, "ok");
  add(NOW + 20 * MINUTE_MS, true);
  add(NOW + 20 * MINUTE_MS, true);
  assertEquals(health.stateAt(NOW + 20 * MINUTE_MS).state, "ok");
  add(NOW + 20 * MINUTE_MS, true);
  add(NOW + 20 * MINUTE_MS, true);
  // 4 of 5 in the window.
  assertEquals(health.stateAt(NOW + 20 * MINUTE_MS).state, "failing");
  // One failure in a later window of few attempts does not make it OK.
  add(NOW + 35 * MINUTE_MS, true);
  assertEquals(health.stateAt(NOW + 35 * MINUTE_MS).state, "failing");
});

Deno.test("slow compares with the target's own day, for streams and whole answers apart", () => {
  const { health, add } = create();
  for (let index = 0; index < 200; index++) add(NOW + index * MINUTE_MS, false, 500);
  let time = NOW + 205 * MINUTE_MS;
  // Whole answers take longer, which says nothing about streams.
  for (let index = 0; index < 30; index++) add(time += 1000, false, 5000, false);
  assertEquals(health.stateAt(time).state, "ok");
  time += 20 * MINUTE_MS;
  for (let index = 0; index < 19; index++) add(time += 1000, false, 1500);
  assertEquals(health.stateAt(time).state, "ok");
  for (let index = 0; index < 20; index++) add(time += 1000, false, 1500);
  assertEquals(health.stateAt(time).state, "slow");
  const { firstContent } = health.report(time);
  assertEquals(Math.round((firstContent?.recent ?? 0) / (firstContent?.usual ?? 1)), 3);
  // Without attempts nothing is slow; after a day it is unused.
  assertEquals(health.stateAt(time + 11 * MINUTE_MS).state, "ok");
  assertEquals(health.stateAt(time + DAY_MS + 1), { state: "unused", since: time });
});

Deno.test("cells are of 5 minutes, and those of the day before are removed", () => {
  const { health, add } = create();
  const start = NOW - NOW % (5 * MINUTE_MS);
  add(start, true);
  add(start + 1, false);
  add(start + 7 * MINUTE_MS, true);
  assertEquals(health.cells(start + 10 * MINUTE_MS), [
    [start, 2, 1],
    [start + 5 * MINUTE_MS, 1, 1],
  ]);
  add(start + DAY_MS + MINUTE_MS, false);
  assertEquals(health.cells(start + DAY_MS + MINUTE_MS), [
    [start + 5 * MINUTE_MS, 1, 1],
    [start + DAY_MS, 1, 0],
  ]);
  // Much later than the day: nothing of before is left.
  add(start + 5 * DAY_MS, false);
  assertEquals(health.cells(start + 5 * DAY_MS).length, 1);
});
