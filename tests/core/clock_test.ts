/** The machine's clock: waits of one length share a timer, and each still ends on its own. */

import { assert, assertEquals } from "@std/assert";
import { SystemClock, systemClock } from "../../src/core/clock.ts";

function rung(ms: number): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) =>
    void systemClock.after(ms, () => resolve(performance.now() - began))
  );
}

Deno.test("waits of the same length end in order, and not early", async () => {
  const ended: number[] = [];
  const waits = [0, 1, 2].map(async (index) => {
    const took = await rung(20);
    assert(took >= 18, `it ended after ${took} ms`);
    ended.push(index);
  });
  await Promise.all(waits);
  assertEquals(ended, [0, 1, 2]);
});

Deno.test("a wait that begins later in the same queue ends later", async () => {
  const first = rung(30);
  await rung(15);
  const second = rung(30);
  assert(await first >= 28);
  const took = await second;
  assert(took >= 28, `it ended after ${took} ms`);
});

Deno.test("a cancelled wait does not end, and other waits do", async () => {
  let rang = false;
  const cancel = systemClock.after(10, () => {
    rang = true;
  });
  const neighbour = rung(10);
  cancel();
  cancel();
  await neighbour;
  assertEquals(rang, false);
});

// The sanitizer fails these tests if a timer outlives them.
Deno.test("an empty queue keeps no timer for short and for unique lengths", () => {
  for (const ms of [50, 9000, 29_999.83]) {
    const cancels = Array.from({ length: 100 }, () => systemClock.after(ms, () => {}));
    for (const cancel of cancels) cancel();
  }
});

Deno.test("a closed clock keeps no timer and ends no wait", async () => {
  const clock = new SystemClock();
  const rang: number[] = [];
  for (const ms of [5, 60_000]) clock.after(ms, () => rang.push(ms));
  clock.after(30_000, () => {})();
  clock.close();
  await rung(10);
  assertEquals(rang, []);
});

Deno.test("a wait may begin another of the same length, or cancel one", async () => {
  let cancelled = false;
  const cancel = { other: () => {} };
  const took = await new Promise<number>((resolve) => {
    const began = performance.now();
    systemClock.after(10, () => {
      cancel.other();
      systemClock.after(10, () => resolve(performance.now() - began));
    });
    cancel.other = systemClock.after(10, () => {
      cancelled = true;
    });
  });
  assert(took >= 18);
  assertEquals(cancelled, false);
});

Deno.test("a wait that begins another of the same length does not delay those between them", async () => {
  const ended: string[] = [];
  const again = Promise.withResolvers<void>();
  systemClock.after(200, () => void systemClock.after(200, again.resolve));
  await rung(60);
  await Promise.all([
    rung(200).then(() => ended.push("the same length")),
    rung(270).then(() => ended.push("longer")),
  ]);
  await again.promise;
  assertEquals(ended, ["the same length", "longer"]);
});

Deno.test("now() begins with the Unix time and never decreases", () => {
  const first = systemClock.now();
  assert(Math.abs(first - Date.now()) < 5000);
  assert(systemClock.now() >= first);
});

Deno.test("wallTime() follows the machine's clock when it is corrected, now() does not", () => {
  const realNow = Date.now;
  const before = { now: systemClock.now(), wallTime: systemClock.wallTime() };
  try {
    for (const correction of [3_600_000, -86_400_000]) {
      Date.now = () => realNow() + correction;
      assert(Math.abs(systemClock.wallTime() - before.wallTime - correction) < 60_000);
      const passed = systemClock.now() - before.now;
      assert(passed >= 0 && passed < 60_000, `${passed} ms have passed`);
    }
  } finally {
    Date.now = realNow;
  }
});
