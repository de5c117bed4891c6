/** The thread for texts: it is kept between calls, and ends when it is idle or takes too long. */

import { assertEquals, assertRejects } from "@std/assert";
import { CallError } from "../../../../src/core/open_calls.ts";
import { TextThread } from "../../../../src/process/config/editing/text_thread.ts";
import type { CallMessage } from "../../../../src/process/threads/threads.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import type { TextCall } from "../../../../src/process/config/editing/text_calls.ts";

const KEY = new Uint8Array(32);
const MASK: TextCall & { type: "mask" } = { type: "mask", texts: ["a"], key: KEY, comments: true };

/** Threads that reply at once, unless a text is `slow`. */
function threads() {
  const log: string[] = [];
  const clock = new ManualClock();
  const thread = new TextThread((_, { onReport }) => {
    const number = log.filter((line) => line.startsWith("start")).length + 1;
    log.push(`start ${number}`);
    return {
      send({ id, call }: CallMessage<TextCall>) {
        if (call.type === "mask" && call.texts[0] === "slow") return;
        const result = call.type === "mask" ? call.texts : undefined;
        queueMicrotask(() => onReport({ type: "reply", id, result: result as readonly string[] }));
      },
      end: () => void log.push(`end ${number}`),
    };
  }, clock);
  return { log, clock, thread };
}

Deno.test("a thread is used by several calls, and ends when it is idle", async () => {
  const { log, clock, thread } = threads();
  assertEquals(await thread.run(MASK), ["a"]);
  clock.advance(29_000);
  assertEquals(await thread.run(MASK), ["a"]);
  clock.advance(29_000);
  assertEquals(log, ["start 1"]);
  clock.advance(1000);
  assertEquals(log, ["start 1", "end 1"]);
  await thread.run(MASK);
  assertEquals(log, ["start 1", "end 1", "start 2"]);
});

Deno.test("a thread that takes too long ends, and the next call starts another one", async () => {
  const { log, clock, thread } = threads();
  const slow = assertRejects(() => thread.run({ ...MASK, texts: ["slow"] }), CallError, "20 s");
  // The thread has started, and got the call.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  clock.advance(20_000);
  await slow;
  assertEquals(log, ["start 1", "end 1"]);
  assertEquals(await thread.run(MASK), ["a"]);
  assertEquals(log, ["start 1", "end 1", "start 2"]);
});
