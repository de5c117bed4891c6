/** When workers are added and ended: by the use of processors, in a time of the test's own. */

import { assertEquals } from "@std/assert";
import { readWaitedMs } from "../../../src/process/system/process_facts.ts";
import { measure, scaleWithLoad } from "../../../src/process/workers/scaling.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** A process whose workers use this share of their cores. */
class Stage {
  readonly clock = new ManualClock();
  share = 0;
  /** The share of the time in which some program waits for a processor; undefined if unknown. */
  waited: number | undefined = 0;
  /** Requests that end in a millisecond in all workers; undefined if they are unknown. */
  rate: number | undefined = undefined;
  /** The requests that each worker has ended. */
  readonly ended = new Map([[1, 0]]);
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
  #serve: (() => void) | undefined;

  constructor(maxWorkers: number) {
    this.stop = scaleWithLoad({
      clock: this.clock,
      cpuMs: () => this.#cpu,
      waitedMs: () => this.waited === undefined ? undefined : this.#waited,
      requests: () => {
        this.counts++;
        return Promise.resolve(this.rate === undefined ? undefined : new Map(this.ended));
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
        this.setWorkers(count);
      },
    });
  }

  setWorkers(count: number): void {
    for (let number = count + 1; number <= this.workers; number++) this.ended.delete(number);
    for (let number = this.workers + 1; number <= count; number++) this.ended.set(number, 0);
    this.workers = count;
  }

  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      this.#cpu += 10 * this.share * this.workers;
      this.#waited += 10 * (this.waited ?? 0);
      for (const [number, ended] of this.ended) {
        this.ended.set(number, ended + 10 * (this.rate ?? 0) / this.workers);
      }
      this.clock.advance(10);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
  }

  /** The workers that were asked for serve. */
  async serve(): Promise<void> {
    this.setWorkers(this.asked.at(-1) ?? 1);
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
/** The time in which new workers compile their code, and the intervals. */
const NEXT_MS = 5000 + 5 * 250;

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

Deno.test("a worker is added where the system does not report waiting processes", async () => {
  const stage = new Stage(4);
  stage.share = 0.95;
  stage.waited = undefined;
  assertEquals(await stage.untilAsked(), FIRST_MS);
  stage.stop();
});

/** Two warm workers, one of them added when 3 requests ended in a millisecond. */
async function grown(before = 3): Promise<Stage> {
  const stage = new Stage(2);
  stage.rate = before;
  stage.share = 0.5;
  await stage.run(20_000);
  stage.share = 0.9;
  await stage.untilAsked();
  await stage.serve();
  return stage;
}

/** The time after which each decision of these tests is made, and some more. */
const DECIDED_MS = 310_000;

Deno.test("workers that bring nothing end after three minutes, and are added again after ever longer times", async () => {
  const stage = await grown();
  const waits: number[] = [];
  for (let round = 0; round < 3; round++) {
    if (round > 0) await stage.serve();
    await stage.run(179_900);
    assertEquals(stage.shrunk.length, round);
    await stage.run(200);
    assertEquals([stage.shrunk.length, stage.shrunk.at(-1)], [round + 1, 1]);
    waits.push(Math.round((await stage.untilAsked() ?? Infinity) / 1000));
  }
  assertEquals(waits, [61, 121, 241]);
  stage.stop();
  assertEquals(stage.clock.pending, 0);
});

Deno.test("a new worker that is cold at first, and brings a gain later, stays", async () => {
  const stage = await grown();
  stage.rate = 1;
  await stage.run(100_000);
  stage.rate = 4;
  await stage.run(30_000);
  const { counts } = stage;
  // The gain was clear, so nothing more is measured.
  stage.rate = 1;
  await stage.run(DECIDED_MS);
  assertEquals([stage.shrunk, stage.counts], [[], counts]);
  stage.stop();
});

Deno.test("a small gain in every second window keeps a worker, two windows without any do not", async () => {
  const judge = async (rates: readonly number[]) => {
    const stage = await grown();
    // Windows of ten seconds, the first one 20 s after the growth.
    await stage.run(20_000 - 10);
    for (let passed = 20_000, turn = 0; passed < DECIDED_MS; passed += 10_000, turn++) {
      stage.rate = rates[turn % rates.length] ?? 0;
      await stage.run(10_000);
    }
    stage.stop();
    return stage.shrunk;
  };
  assertEquals(await judge([3, 3.05]), []);
  assertEquals(await judge([3, 2.9, 3.05]), [1]);
  // Windows in which nothing can be known do not count.
  assertEquals(await judge([3, 0.001]), []);
});

Deno.test("a worker is judged only after it has completed 10,000 requests", async () => {
  const stage = await grown();
  // Two workers: the added one has 9600 when the last window begins that could end it.
  stage.rate = 2 * 9600 / 290_000;
  await stage.run(DECIDED_MS);
  assertEquals([stage.shrunk, stage.counts > 20], [[], true]);
  stage.stop();
  const warm = await grown();
  warm.rate = 2 * 10_000 / 150_000;
  await warm.run(DECIDED_MS);
  assertEquals(warm.shrunk, [1]);
  warm.stop();
});

Deno.test("workers are not compared with a rate that was measured cold", async () => {
  const stage = new Stage(2);
  stage.share = 0.9;
  stage.rate = 3;
  assertEquals(await stage.untilAsked(), FIRST_MS);
  await stage.serve();
  const { counts } = stage;
  stage.rate = 1;
  await stage.run(DECIDED_MS);
  assertEquals([stage.shrunk, stage.counts], [[], counts]);
  stage.stop();
  // It has run for long, but completed few requests so far.
  const idle = new Stage(2);
  idle.rate = 0.01;
  await idle.run(60_000);
  idle.rate = 3;
  idle.share = 0.9;
  await idle.untilAsked();
  await idle.serve();
  await idle.run(DECIDED_MS);
  assertEquals(idle.shrunk, []);
  idle.stop();
});

Deno.test("workers that cannot be judged stay", async () => {
  const judged = async (change: (stage: Stage) => void, before = 3) => {
    const stage = await grown(before);
    change(stage);
    await stage.run(DECIDED_MS);
    stage.stop();
    return stage.shrunk;
  };
  assertEquals(await judged(() => {}), [1]);
  assertEquals(await judged((stage) => stage.rate = undefined), []);
  // Callers have left: two workers use what half of one had used.
  assertEquals(await judged((stage) => stage.share = 0.25), []);
  // One has ended before.
  assertEquals(await judged((stage) => stage.setWorkers(1)), []);
});

Deno.test("a worker that was restarted is cold again, and its requests do not count as lost", async () => {
  const stage = await grown();
  for (let passed = 0; passed < DECIDED_MS; passed += 15_000) {
    await stage.run(15_000);
    stage.ended.set(2, 0);
  }
  assertEquals(stage.shrunk, []);
  stage.stop();
});

Deno.test("a rate of requests is known only while the same workers run", async () => {
  const rate = async (first: [number, number][], last: [number, number][]) => {
    const clock = new ManualClock();
    const counts = [new Map(first), new Map(last)];
    const requests = () => Promise.resolve(counts.shift());
    const window = await measure({ clock, cpuMs: () => clock.now() / 2, requests });
    clock.advance(1000);
    const { cpu, requests: measured } = await window.end();
    assertEquals(cpu, 0.5);
    return measured;
  };
  assertEquals(await rate([[1, 100], [2, 0]], [[1, 200], [2, 300]]), 0.4);
  assertEquals(await rate([[1, 100]], [[1, 299]]), undefined);
  assertEquals(await rate([[1, 100], [2, 0]], [[1, 900]]), undefined);
  assertEquals(await rate([[1, 100]], [[1, 900], [2, 0]]), undefined);
  assertEquals(await rate([[1, 100], [2, 50]], [[1, 900], [2, 49]]), undefined);
  assertEquals(await rate([[1, 100], [2, 50]], [[1, 900], [3, 900]]), undefined);
});

Deno.test("only the latest workers are judged", async () => {
  const stage = new Stage(4);
  stage.rate = 3;
  stage.share = 0.5;
  await stage.run(20_000);
  stage.share = 0.9;
  await stage.untilAsked();
  await stage.serve();
  stage.share = 0.5;
  await stage.run(30_000);
  // Both are warm, and each new pair brings nothing.
  stage.share = 0.9;
  await stage.untilAsked();
  await stage.serve();
  await stage.run(DECIDED_MS);
  assertEquals([stage.asked.slice(0, 2), stage.shrunk], [[2, 4], [2]]);
  stage.stop();
});

Deno.test("idle workers may end while the process uses less than 0.4 of one core", async () => {
  const stage = new Stage(4);
  await stage.run(200_000);
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

Deno.test("no idle worker ends within three minutes of its start", async () => {
  const stage = new Stage(2);
  stage.share = 0.9;
  await stage.untilAsked();
  await stage.serve();
  stage.share = 0;
  await stage.run(179_000);
  assertEquals(stage.endings, 0);
  await stage.run(11_000);
  assertEquals(stage.endings, 1);
  stage.stop();
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
