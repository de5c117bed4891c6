/** Calls to other threads: replies, time limits, and what is kept of a call. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { CallError, OpenCalls } from "../../src/core/open_calls.ts";
import { ManualClock } from "../support/manual_clock.ts";

/** Calls whose IDs count from 1, and the replies that each has taken. */
function createCalls() {
  const clock = new ManualClock();
  let lastId = 0;
  const calls = new OpenCalls<number, string>(clock, () => ++lastId);
  const sent: number[] = [];
  /** Opens a call that needs some replies. */
  const run = (count: number, lateMs = 0) => {
    const replies: string[] = [];
    const done = calls.run({
      send: (id) => sent.push(id),
      onReply: (reply) => replies.push(reply) >= count,
      timeoutMs: 100,
      lateMs,
    });
    return { replies, done };
  };
  return { clock, calls, sent, run };
}

Deno.test("a call ends with its last reply, and nothing of it is kept", async () => {
  const { clock, calls, sent, run } = createCalls();
  const [one, other] = [run(1), run(2)];
  assertEquals([sent, calls.size, clock.pending], [[1, 2], 2, 2]);
  calls.onReply(2, "a");
  calls.onReply(1, "b");
  assertEquals(await one.done, true);
  assertEquals([calls.size, clock.pending], [1, 1]);
  calls.onReply(2, "c");
  assertEquals([await other.done, one.replies, other.replies], [true, ["b"], ["a", "c"]]);
  // A second reply and one to an unknown call are ignored.
  calls.onReply(2, "d");
  calls.onReply(9, "e");
  assertEquals([other.replies, calls.size, clock.pending], [["a", "c"], 0, 0]);
});

Deno.test("a call without its last reply ends at the time limit; a late reply is ignored", async () => {
  const { clock, calls, run } = createCalls();
  const { done, replies } = run(2);
  calls.onReply(1, "a");
  clock.advance(99);
  assertEquals(calls.size, 1);
  clock.advance(1);
  assertEquals(await done, false);
  calls.onReply(1, "b");
  assertEquals([replies, calls.size, clock.pending], [["a"], 0, 0]);
});

Deno.test("late replies are taken for a while, until the last one or its end", async () => {
  const { clock, calls, run } = createCalls();
  const [one, other] = [run(2, 1000), run(1, 1000)];
  clock.advance(100);
  assertEquals(await Promise.all([one.done, other.done]), [false, false]);
  assertEquals(calls.size, 2);
  calls.onReply(1, "a");
  calls.onReply(1, "b");
  assertEquals([one.replies, calls.size, clock.pending], [["a", "b"], 1, 1]);
  clock.advance(1000);
  calls.onReply(2, "c");
  assertEquals([other.replies, calls.size, clock.pending], [[], 0, 0]);
});

Deno.test("when the other thread exits, its open calls fail", async () => {
  const { clock, calls, run } = createCalls();
  const calling = [run(1), run(1)];
  calls.failAll("it has exited");
  for (const { done } of calling) await assertRejects(() => done, CallError, "it has exited");
  assertEquals([calls.size, clock.pending], [0, 0]);
  calls.failAll("it has exited");
});

Deno.test("a call that cannot be sent is not kept", async () => {
  const { clock, calls } = createCalls();
  const send = () => {
    throw new RangeError("not cloneable");
  };
  const call = { send, onReply: () => true, timeoutMs: 100 };
  await assertRejects(() => calls.run(call), RangeError, "not cloneable");
  assertEquals([calls.size, clock.pending], [0, 0]);
  assertThrows(send, RangeError);
});
