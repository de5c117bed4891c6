/** When workers are added and ended: by the CPU time of the process, in a time of the test's own. */

import { assertEquals } from "@std/assert";
import { scaleWithLoad } from "../../../src/process/workers/scaling.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** A process whose workers use this share of their cores. */
class Stage {
  readonly clock = new ManualClock();
  share = 0;
  workers = 1;
  /** The numbers of workers that were asked for. */
  readonly asked: number[] = [];
  /** How often idle workers were to be ended. */
  endings = 0;
  readonly stop: () => void;
  #cpu = 0;
  #serve: (() => void) | undefined;

  constructor(maxWorkers: number) {
    this.stop = scaleWithLoad({
      clock: this.clock,
      cpuMs: () => this.#cpu,
      workers: () => this.workers,
      minWorkers: 1,
      maxWorkers,
      endIdle: () => this.endings++,
      grow: (count) => {
        this.asked.push(count);
        return new Promise((resolve) => this.#serve = resolve);
      },
    });
  }

  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      this.#cpu += 10 * this.share * this.workers;
      this.clock.advance(10);
      await Promise.resolve();
    }
  }

  /** The workers that were asked for serve. */
  async serve(): Promise<void> {
    this.workers = this.asked.at(-1) ?? 1;
    this.#serve?.();
    await Promise.resolve();
    await Promise.resolve();
  }
}

Deno.test("workers that use their cores for half a second are doubled, up to the maximum", async () => {
  const stage = new Stage(6);
  stage.share = 0.8;
  await stage.run(1480);
  assertEquals(stage.asked, []);
  await stage.run(40);
  assertEquals(stage.asked, [2]);
  // They start: nothing is measured.
  await stage.run(5000);
  assertEquals(stage.asked, [2]);
  await stage.serve();
  await stage.run(1480);
  assertEquals(stage.asked, [2]);
  await stage.run(40);
  assertEquals(stage.asked, [2, 4]);
  await stage.serve();
  await stage.run(2000);
  assertEquals(stage.asked, [2, 4, 6]);
  await stage.serve();
  await stage.run(5000);
  assertEquals(stage.asked, [2, 4, 6]);
  // Some have ended.
  stage.workers = 3;
  await stage.run(2000);
  assertEquals(stage.asked, [2, 4, 6, 6]);
  stage.stop();
  assertEquals([stage.clock.pending, stage.endings], [0, 0]);
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
  await stage.run(10_000);
  for (let bursts = 0; bursts < 20; bursts++) {
    stage.share = 1;
    await stage.run(260);
    stage.share = 0.1;
    await stage.run(500);
  }
  assertEquals(stage.asked, []);
  stage.stop();
  stage.share = 1;
  await stage.run(5000);
  assertEquals([stage.asked, stage.clock.pending], [[], 0]);
});
