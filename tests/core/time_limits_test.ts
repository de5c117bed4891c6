/** Time limits in lists: each is exact by the injected clock, and a list has one timer. */

import { assertEquals } from "@std/assert";
import type { TimeLimited } from "../../src/core/clock.ts";
import { ManualClock } from "../support/manual_clock.ts";

/** Keeps which limits were over, and when. */
class Owner implements TimeLimited<string> {
  readonly over: string[] = [];
  readonly #clock: ManualClock;
  readonly #began: number;

  constructor(clock: ManualClock) {
    this.#clock = clock;
    this.#began = clock.now();
  }

  onTimeLimit(name: string): void {
    this.over.push(`${name} at ${this.#clock.now() - this.#began}`);
  }
}

Deno.test("limits of the same length share a timer, and each is over in its millisecond", () => {
  const clock = new ManualClock();
  const owner = new Owner(clock);
  for (let number = 0; number < 4; number++) {
    clock.limit(100, owner, `limit ${number}`);
    clock.advance(10);
  }
  assertEquals(clock.pending, 1);
  clock.limit(75, owner, "short");
  assertEquals(clock.pending, 2);
  clock.advance(59);
  assertEquals(owner.over, []);
  for (let ms = 0; ms < 100; ms++) clock.advance(1);
  assertEquals(owner.over, [
    "limit 0 at 100",
    "limit 1 at 110",
    "short at 115",
    "limit 2 at 120",
    "limit 3 at 130",
  ]);
  assertEquals(clock.pending, 0);
});

Deno.test("a cancelled limit is never over, and the last one takes the timer with it", () => {
  const clock = new ManualClock();
  const owner = new Owner(clock);
  const [first, second, third] = ["first", "second", "third"].map((name) =>
    clock.limit(50, owner, name)
  );
  second?.cancel();
  second?.cancel();
  first?.cancel();
  assertEquals(clock.pending, 1);
  clock.advance(50);
  assertEquals(owner.over, ["third at 50"]);
  third?.cancel();
  assertEquals(clock.pending, 0);
  clock.limit(50, owner, "fourth").cancel();
  assertEquals(clock.pending, 0);
});

Deno.test("a limit that is over may cancel others and begin new ones of the same length", () => {
  const clock = new ManualClock();
  const over: string[] = [];
  const owner: TimeLimited<string> = {
    onTimeLimit(name) {
      over.push(name);
      if (name !== "first") return;
      other.cancel();
      clock.limit(50, owner, "next");
    },
  };
  clock.limit(50, owner, "first");
  const other = clock.limit(50, owner, "other");
  clock.advance(50);
  assertEquals([over, clock.pending], [["first"], 1]);
  clock.advance(49);
  assertEquals(over, ["first"]);
  clock.advance(1);
  assertEquals([over, clock.pending], [["first", "next"], 0]);
});

Deno.test("a limit whose owner throws does not stop the others", () => {
  const clock = new ManualClock();
  const owner = new Owner(clock);
  const faulty: TimeLimited<string> = {
    onTimeLimit() {
      throw new RangeError("no");
    },
  };
  clock.limit(50, faulty, "faulty");
  clock.limit(50, owner, "other");
  try {
    clock.advance(50);
  } catch {
    // The error of the owner.
  }
  clock.advance(0);
  assertEquals([owner.over, clock.pending], [["other at 50"], 0]);
});
