/** What happens while cannot accept connections: pauses that grow, and few words. */

import { assertEquals } from "@std/assert";
import { AcceptFailures } from "../../../src/process/listener/listener.ts";
import { turn } from "../../support/elapse.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const EMFILE = new Error("Too many open files (os error 24)");

class Stage {
  readonly clock = new ManualClock();
  readonly logged: string[] = [];
  counted = 0;
  readonly failures = new AcceptFailures({
    clock: this.clock,
    log: (text) => this.logged.push(text),
    onAcceptFailure: () => this.counted++,
  });

  /** How long a failure is waited after. */
  async pause(closed = 0): Promise<number> {
    let isOver = false;
    const pausing = this.failures.pause(EMFILE, closed).then(() => isOver = true);
    let waited = 0;
    while (!isOver) {
      this.clock.advance(20);
      waited += 20;
      await turn();
    }
    await pausing;
    return waited;
  }
}

Deno.test("pauses grow to a second, are short after connections were closed, and reset after a success", async () => {
  const stage = new Stage();
  const waits: number[] = [];
  for (let time = 0; time < 6; time++) waits.push(await stage.pause());
  assertEquals(waits, [100, 200, 400, 800, 1000, 1000]);
  assertEquals(await stage.pause(3), 20);
  stage.failures.end();
  assertEquals(await stage.pause(), 100);
});

Deno.test("failures are logged once a minute, and when they end", async () => {
  const stage = new Stage();
  await stage.pause(8);
  await stage.pause();
  stage.failures.end();
  stage.failures.end();
  assertEquals(stage.logged, [
    "cannot accept connections: Too many open files; closed 8 idle connections",
    "accepting connections again after 0.1 s",
  ]);
  for (let time = 0; time < 5; time++) {
    await stage.pause();
    stage.failures.end();
  }
  assertEquals([stage.logged.length, stage.counted], [2, 7]);
  stage.clock.advance(60_000);
  await stage.pause();
  assertEquals(stage.logged.slice(2), ["cannot accept connections: Too many open files"]);
});

Deno.test("stop() ends a pause at once and leaves no timer", async () => {
  const { failures, clock } = new Stage();
  const pausing = failures.pause(EMFILE, 0);
  failures.stop();
  await pausing;
  assertEquals(clock.pending, 0);
});
