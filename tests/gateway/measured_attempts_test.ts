/** The statistics of targets as requests leave them. */

import { assertEquals } from "@std/assert";
import { until } from "../support/elapse.ts";
import { type Answer, CHAT, fail, hang, MESSAGES, stage } from "../support/stage.ts";
import { sayHello } from "../support/scripted_vendor.ts";

/** Ends each stream of {@linkcode beginStream}. */
const endings: (() => void)[] = [];

/** Sends the first content of a stream. */
const beginStream: Answer = () => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
      const chunk = { choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null }] };
      send(`data: ${JSON.stringify(chunk)}\n\n`);
      endings.push(() => {
        const last = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
        send(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
        controller.close();
      });
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

function statsOf({ gateway }: ReturnType<typeof stage>, model: string) {
  const [found] = gateway.config.resolve(model) ?? [];
  if (found === undefined) throw new TypeError(`There is no model ${model}`);
  return gateway.state.statsOf(found.target);
}

for (const stream of [false, true]) {
  Deno.test(`${stream ? "streams" : "whole answers"} are measured where they end`, async () => {
    const scene = stage({ a: fail(500), b: fail(400), c: sayHello }, { retries: 0 });
    await scene.ask({ stream, model: "a" });
    await scene.ask({ stream, model: "b" });
    await scene.ask({ stream, model: "c" });
    const now = scene.gateway.clock.now();
    const figures = ["a", "b", "c"].map((model) => {
      const { inFlight, failuresInRow, ...stats } = statsOf(scene, model);
      const speed = stream ? stats.streams : stats.answers;
      const other = stream ? stats.answers : stats.streams;
      assertEquals(other.latency.last, undefined);
      return [inFlight, failuresInRow, speed.failures.value(now), speed.latency.last !== undefined];
    });
    assertEquals(figures, [[0, 1, 1, false], [0, 0, undefined, false], [0, 0, 0, true]]);
  });
}

Deno.test("the caller's own deadline is no failure of the target", async () => {
  const scene = stage({ a: hang }, { retries: 0 });
  const reported = await scene.ask({}, { "x-sluice-deadline-ms": "100" });
  assertEquals(reported.status, 504);
  const { inFlight, failuresInRow } = statsOf(scene, "a");
  assertEquals([inFlight, failuresInRow], [0, 0]);
});

Deno.test("a caller who disconnects leaves no open request behind", async () => {
  const scene = stage({ a: hang });
  const caller = new AbortController();
  const answering = scene.gateway.call(CHAT, { model: "a", messages: MESSAGES }, {}, caller.signal);
  await until(() => scene.visits.length === 1);
  assertEquals(statsOf(scene, "a").inFlight, 1);
  caller.abort();
  await (await answering).body?.cancel();
  assertEquals(statsOf(scene, "a").inFlight, 0);
});

Deno.test("a stream is open until it has been read, or its caller disconnects", async () => {
  const scene = stage({ a: beginStream });
  const body = { model: "a", messages: MESSAGES, stream: true };
  const read = await scene.gateway.call(CHAT, body);
  const left = await scene.gateway.call(CHAT, body);
  assertEquals(statsOf(scene, "a").inFlight, 2);
  endings.shift()?.();
  await read.text();
  assertEquals(statsOf(scene, "a").inFlight, 1);
  await left.body?.cancel();
  assertEquals(statsOf(scene, "a").inFlight, 0);
});
