/** Calls between two threads, as messages that a test carries. */

import { assertEquals, assertRejects } from "@std/assert";
import { CallError } from "../../../src/core/open_calls.ts";
import {
  CallChannel,
  type CallMessage,
  type ReplyMessage,
  replyTo,
} from "../../../src/process/threads/threads.ts";
import { ManualClock } from "../../support/manual_clock.ts";

type Call =
  | { readonly type: "double"; readonly value: number }
  | { readonly type: "spell"; readonly value: number };

interface Results {
  readonly double: number;
  readonly spell: string;
}

/** A channel, and the messages that wait to be delivered. */
function createChannel() {
  const clock = new ManualClock();
  const sent: CallMessage<Call>[] = [];
  const channel = new CallChannel<Call, Results>((message) => void sent.push(message), clock);
  /** Runs the called side for a message. */
  const answer = (message: CallMessage<Call> | undefined) => {
    if (message === undefined) throw new TypeError("There is no message");
    return replyTo<Call, number | string>(message, run, (reply) => {
      // What a thread gets is a copy.
      channel.onReply(structuredClone(reply));
    });
  };
  return { clock, sent, channel, answer };
}

async function run(call: Call): Promise<number | string> {
  await Promise.resolve();
  if (call.type === "double") return 2 * call.value;
  if (call.value < 0) throw new RangeError("It is negative");
  return String(call.value);
}

Deno.test("each call gets the result of its own reply, in any order", async () => {
  const { clock, sent, channel, answer } = createChannel();
  const double = channel.call({ type: "double", value: 4 }, 1000);
  const spell = channel.call({ type: "spell", value: 5 }, 1000);
  await answer(sent[1]);
  await answer(sent[0]);
  const results: [number, string] = [await double, await spell];
  assertEquals(results, [8, "5"]);
  assertEquals([channel.size, clock.pending], [0, 0]);
});

Deno.test("a call that throws in the other thread fails with its message", async () => {
  const { clock, sent, channel, answer } = createChannel();
  const spell = channel.call({ type: "spell", value: -1 }, 1000);
  await answer(sent[0]);
  await assertRejects(() => spell, CallError, "It is negative");
  assertEquals([channel.size, clock.pending], [0, 0]);
});

Deno.test("a call without a reply fails at its time limit, and a late reply changes no other call", async () => {
  const { clock, sent, channel, answer } = createChannel();
  const late = channel.call({ type: "double", value: 1 }, 1000);
  clock.advance(1000);
  await assertRejects(() => late, CallError, "no reply within 1 s");
  const next = channel.call({ type: "double", value: 2 }, 1000);
  await answer(sent[0]);
  assertEquals(channel.size, 1);
  await answer(sent[1]);
  assertEquals([await next, channel.size, clock.pending], [4, 0, 0]);
});

Deno.test("when the other thread exits, open calls fail and later ones work", async () => {
  const { clock, sent, channel, answer } = createChannel();
  const open = channel.call({ type: "double", value: 1 }, 1000);
  channel.failAll("it has exited");
  await assertRejects(() => open, CallError, "it has exited");
  const next = channel.call({ type: "double", value: 2 }, 1000);
  await answer(sent[1]);
  assertEquals([await next, channel.size, clock.pending], [4, 0, 0]);
});

Deno.test("100,000 calls, of which a third gets no reply, leave nothing behind", async () => {
  const { clock, sent, channel } = createChannel();
  let failures = 0;
  for (let batch = 0; batch < 100; batch++) {
    sent.length = 0;
    const calls = Array.from(
      { length: 1000 },
      (_, value) => channel.call({ type: "double", value }, 1000).catch(() => void failures++),
    );
    for (const { id } of sent.filter((_, index) => index % 3 !== 0)) {
      const reply: ReplyMessage<number> = { type: "reply", id, result: id };
      channel.onReply(reply);
    }
    clock.advance(1000);
    await Promise.all(calls);
  }
  assertEquals([failures, channel.size, clock.pending], [33_400, 0, 0]);
});
