/** What happens while no connection can be accepted: pauses that grow, and few words. */

import { assertEquals } from "@std/assert";
import { AcceptFailures } from "../../src/process/accept_failures.ts";
import { turn } from "../support/elapse.ts";
import { ManualClock } from "../support/manual_clock.ts";

const EMFILE = new Error("Too many open files (os error 24)");

class Stage {
  readonly clock = new ManualClock();
  readonly said: string[] = [];
  counted = 0;
  readonly failures = new AcceptFailures({
    clock: this.clock,
    say: (text) => this.said.push(text),
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

Deno.test("pauses grow to a second, are short when room was made, and begin anew after a success", async () => {
  const stage = new Stage();
  const waits: number[] = [];
  for (let time = 0; time < 6; time++) waits.push(await stage.pause());
  assertEquals(waits, [100, 200, 400, 800, 1000, 1000]);
  assertEquals(await stage.pause(3), 20);
  stage.failures.end();
  assertEquals(await stage.pause(), 100);
});

Deno.test("the operator is told once a minute, and when it is over", async () => {
  const stage = new Stage();
  await stage.pause(8);
  await stage.pause();
  stage.failures.end();
  stage.failures.end();
  assertEquals(stage.said, [
    "no connection can be accepted: Too many open files; 8 idle ones were closed",
    "connections are accepted again, after 0.1 s",
  ]);
  for (let time = 0; time < 5; time++) {
    await stage.pause();
    stage.failures.end();
  }
  assertEquals([stage.said.length, stage.counted], [2, 7]);
  stage.clock.advance(60_000);
  await stage.pause();
  assertEquals(stage.said.slice(2), ["no connection can be accepted: Too many open files"]);
});

Deno.test("stopped, a pause ends at once and leaves no timer", async () => {
  const { failures, clock } = new Stage();
  const pausing = failures.pause(EMFILE, 0);
  failures.stop();
  await pausing;
  assertEquals(clock.pending, 0);
});
