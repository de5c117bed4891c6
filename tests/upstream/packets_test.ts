/** The end of an answer that is complete: it is read, or given up after a while. */

import { assertEquals } from "@std/assert";
import { readPackets } from "../../src/upstream/read_response.ts";
import { turn } from "../support/elapse.ts";
import { ManualClock } from "../support/manual_clock.ts";

function openBody() {
  let cancelled = false;
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (given) => void (controller = given),
    cancel: () => void (cancelled = true),
  });
  return { body, end: () => controller?.close(), isCancelled: () => cancelled };
}

Deno.test("the end of an answer is awaited for a second, and no timer stays behind", async () => {
  for (const comes of [true, false]) {
    const clock = new ManualClock();
    const { body, end, isCancelled } = openBody();
    const packets = readPackets(new Response(body), new AbortController().signal);
    const finished = packets.finish(clock);
    await turn();
    clock.advance(999);
    assertEquals([clock.pending, isCancelled()], [1, false]);
    if (comes) end();
    else clock.advance(1);
    await finished;
    assertEquals([clock.pending, isCancelled()], [0, !comes]);
  }
});
