/** When workers are added and ended: by the use of processors, in a time of the test's own. */

import { assertEquals } from "@std/assert";
import { readWaitedMs } from "../../../src/process/system/processor_pressure.ts";
import { scaleWithLoad } from "../../../src/process/workers/scaling.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** A process whose workers use this share of their cores. */
class Stage {
  readonly clock = new ManualClock();
  share = 0;
  /** The share of the time in which some program waits for a processor; undefined if unknown. */
  waited: number | undefined = 0;
  /** Requests that end in a millisecond; undefined if they are unknown. */
  rate: number | undefined = undefined;
  workers = 1;
  /** The numbers of workers that were asked for. */
  readonly asked: number[] = [];
  readonly shrunk: number[] = [];
  /** How often idle workers were to be ended, and requests were counted. */
  endings = 0;
  counts = 0;
  readonly stop: () => void;
  #cpu = 0;
  #waited = 0;
  #requests = 0;
  #serve: (() => void) | undefined;

  constructor(maxWorkers: number) {
    this.stop = scaleWithLoad({
      clock: this.clock,
      cpuMs: () => this.#cpu,
      waitedMs: () => this.waited === undefined ? undefined : this.#waited,
      requests: () => {
        this.counts++;
        return Promise.resolve(this.rate === undefined ? undefined : this.#requests);
      },
      workers: () => this.workers,
      minWorkers: 1,
      maxWorkers,
      endIdle: () => this.endings++,
      grow: (count) => {
        this.asked.push(count);
        return new Promise((resolve) => this.#serve = resolve);
      },
      shrink: (count) => {
        this.shrunk.push(count);
        this.workers = count;
      },
    });
  }

  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      this.#cpu += 10 * this.share * this.workers;
      this.#waited += 10 * (this.waited ?? 0);
      this.#requests += 10 * (this.rate ?? 0);
      this.clock.advance(10);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
  }

  /** The workers that were asked for serve. */
  async serve(): Promise<void> {
    this.workers = this.asked.at(-1) ?? 1;
    this.#serve?.();
    await this.run(10);
  }

  /** Runs until other workers are asked for; returns the milliseconds, or undefined in an hour. */
  async untilAsked(): Promise<number | undefined> {
    const { length } = this.asked;
    for (let passed = 0; passed < 3_600_000; passed += 10) {
      if (this.asked.length > length) return passed;
      await this.run(10);
    }
    return undefined;
  }
}

/** The start, and the five intervals in which workers must be busy. */
const FIRST_MS = 5000 + 5 * 250;
/** The time to settle, to be judged, and the intervals. */
const NEXT_MS = 1000 + 2000 + 5 * 250;

Deno.test("busy workers are doubled up to the maximum, but not in the first seconds", async () => {
  const stage = new Stage(6);
  stage.share = 0.8;
  assertEquals(await stage.untilAsked(), FIRST_MS);
  assertEquals(stage.asked, [2]);
  // They start: nothing is measured.
  await stage.run(10_000);
  assertEquals(stage.asked, [2]);
  for (const expected of [4, 6]) {
    await stage.serve();
    assertEquals(await stage.untilAsked(), NEXT_MS);
    assertEquals(stage.asked.at(-1), expected);
  }
  await stage.serve();
  await stage.run(20_000);
  // Some have ended.
  stage.workers = 3;
  await stage.run(3000);
  assertEquals([stage.asked, stage.shrunk], [[2, 4, 6, 6], []]);
  stage.stop();
  assertEquals([stage.clock.pending, stage.endings], [0, 0]);
});

Deno.test("no worker is added while programs of the machine wait for processors", async () => {
  const stage = new Stage(4);
  stage.share = 0.95;
  stage.waited = 0.35;
  await stage.run(60_000);
  assertEquals([stage.asked, stage.counts > 0], [[], false]);
  stage.waited = 0.25;
  assertEquals((await stage.untilAsked() ?? Infinity) < 2000, true);
  stage.stop();
});

Deno.test("a worker is added where the system does not tell who waits", async () => {
  const stage = new Stage(4);
  stage.share = 0.95;
  stage.waited = undefined;
  assertEquals(await stage.untilAsked(), FIRST_MS);
  stage.stop();
});

Deno.test("workers that bring nothing are ended, and are added again after ever longer times", async () => {
  const stage = new Stage(2);
  stage.share = 0.9;
  stage.rate = 3;
  const waits: number[] = [];
  for (let round = 0; round < 3; round++) {
    waits.push(await stage.untilAsked() ?? Infinity);
    await stage.serve();
    stage.rate = 3.2;
    await stage.run(3100);
    stage.rate = 3;
    assertEquals([stage.shrunk.length, stage.shrunk.at(-1)], [round + 1, 1]);
  }
  // Each time counts from the end of the last judgement, and then come the busy intervals.
  const [first, second = 0, third = 0] = waits;
  assertEquals(first, FIRST_MS);
  assertEquals([Math.round(second / 1000), Math.round(third / 1000)], [61, 121]);
  stage.stop();
  assertEquals(stage.clock.pending, 0);
});

Deno.test("workers that bring more, or cannot be judged, stay", async () => {
  const judged = async (before: number | undefined, after: number | undefined, share = 0.9) => {
    const stage = new Stage(2);
    stage.share = 0.9;
    stage.rate = before;
    await stage.untilAsked();
    await stage.serve();
    stage.rate = after;
    stage.share = share;
    await stage.run(4000);
    stage.stop();
    return stage.shrunk;
  };
  assertEquals(await judged(3, 3.2), [1]);
  assertEquals(await judged(3, 3.4), []);
  assertEquals(await judged(undefined, 3), []);
  assertEquals(await judged(3, undefined), []);
  // Too few to tell: long streams.
  assertEquals(await judged(0.05, 0.05), []);
  // Callers have left: two workers use what half of one had used.
  assertEquals(await judged(3, 1, 0.25), []);
});

Deno.test("workers that were added may end while the process uses less than 0.4 of one core", async () => {
  const stage = new Stage(4);
  await stage.run(60_000);
  assertEquals(stage.endings, 0);
  stage.workers = 4;
  stage.share = 0.09;
  await stage.run(9980);
  assertEquals(stage.endings, 0);
  await stage.run(20_020);
  assertEquals(stage.endings, 3);
  stage.share = 0.11;
  await stage.run(60_000);
  assertEquals(stage.endings, 3);
  stage.share = 0;
  await stage.run(10_000);
  stage.stop();
  await stage.run(60_000);
  assertEquals([stage.endings, stage.asked, stage.clock.pending], [4, [], 0]);
});

Deno.test("workers that have time left, or are busy for a moment only, stay as they are", async () => {
  const stage = new Stage(4);
  stage.share = 0.7;
  await stage.run(20_000);
  assertEquals(stage.counts, 0);
  for (let bursts = 0; bursts < 20; bursts++) {
    stage.share = 1;
    await stage.run(760);
    stage.share = 0.1;
    await stage.run(500);
  }
  assertEquals(stage.asked, []);
  stage.stop();
  stage.share = 1;
  await stage.run(10_000);
  assertEquals([stage.asked, stage.clock.pending], [[], 0]);
});

Deno.test("the time that programs wait is read from the system's pressure file", () => {
  const text = "some avg10=97.00 avg60=92.77 avg300=64.20 total=7012083761\n" +
    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
  assertEquals(readWaitedMs(() => text), 7_012_083.761);
  assertEquals(readWaitedMs(() => ""), undefined);
  assertEquals(
    readWaitedMs(() => {
      throw new Deno.errors.NotFound();
    }),
    undefined,
  );
});
