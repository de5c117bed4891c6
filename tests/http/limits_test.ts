/** Limits on ourselves: bodies that stall, too many requests, and an end that is not waited for. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { elapse, turn, until } from "../support/elapse.ts";
import { createTestGateway, SERVICE_KEY } from "../support/gateway.ts";
import { serveGateway } from "../support/server.ts";

const CHAT = "/v1/chat/completions";
const BODY = { model: "mock-echo", messages: [{ role: "user", content: "Hi" }] };
const MOCK = { mock: { kind: "mock", models: ["mock-echo", "mock-hang", "mock-stall"] } };
const encoder = new TextEncoder();

for (const length of [undefined, "1000", "100000"]) {
  Deno.test(`a body that stalls for body_timeout is a 408, ${length ?? "without a"} length`, async () => {
    const gateway = createTestGateway({ config: { providers: MOCK } });
    let cancelled = false;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(encoder.encode('{"model":')),
      cancel() {
        cancelled = true;
      },
    });
    const answering = gateway.app.handle(
      new Request(`http://gateway.test${CHAT}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${SERVICE_KEY}`,
          ...(length && { "content-length": length }),
        },
        body,
      }),
    );
    await turn();
    gateway.clock.advance(29_999);
    await turn();
    assertEquals(gateway.lines, []);
    gateway.clock.advance(1);
    const answer = await answering;
    const { error } = await answer.json();
    assertEquals([answer.status, error.code], [408, "request_timeout"]);
    assertEquals(error.message, "The request body did not go on for 30 s");
    assertEquals(answer.headers.get("connection"), "close");
    assertEquals(gateway.clock.pending, 0);
    // A short body is read by the runtime at once, which lets go when the connection closes.
    if (length !== "1000") assertEquals(cancelled, true);
  });
}

Deno.test("a long body that goes on, however slowly, is taken", async () => {
  const gateway = createTestGateway({ config: { providers: MOCK } });
  const text = JSON.stringify(BODY);
  let at = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await turn();
      gateway.clock.advance(20_000);
      if (at < text.length) controller.enqueue(encoder.encode(text.slice(at, at += 10)));
      else controller.close();
    },
  });
  const answer = await gateway.app.handle(
    new Request(`http://gateway.test${CHAT}`, {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_KEY}` },
      body,
    }),
  );
  assertEquals(answer.status, 200);
  await answer.body?.cancel();
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("a caller who stalls on a real connection gets its 408, and no longer counts", async () => {
  await using served = serveGateway({
    config: { providers: MOCK, server: { body_timeout: "20ms" } },
  });
  const { hostname, port } = new URL(served.url);
  for (const length of [500, 100_000]) {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const head = `POST ${CHAT} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer ${SERVICE_KEY}\r\n`;
    await connection.write(encoder.encode(`${head}content-length: ${length}\r\n\r\n{"model":`));
    const buffer = new Uint8Array(4096);
    const size = await elapse(served.gateway.clock, connection.read(buffer)) ?? 0;
    const text = new TextDecoder().decode(buffer.subarray(0, size));
    assertStringIncludes(text, "HTTP/1.1 408 ");
    assertStringIncludes(text, "did not go on for 20 ms");
  }
  await served.gateway.app.drain();
});

Deno.test("more than max_in_flight requests are refused with Retry-After 1, and health is not", async () => {
  const gateway = createTestGateway({
    config: { providers: MOCK, server: { max_in_flight: 3 } },
  });
  const callers = [1, 2, 3].map(() => new AbortController());
  const open = callers.map(({ signal }) =>
    gateway.call(CHAT, { ...BODY, model: "mock-hang" }, {}, signal)
  );
  await until(() => gateway.clock.pending >= 3);
  const refused = await gateway.call(CHAT, BODY);
  const { error } = await refused.json();
  assertEquals([refused.status, error.code], [503, "overloaded"]);
  assertEquals(refused.headers.get("retry-after"), "1");
  for (const path of ["/healthz", "/readyz"]) {
    const healthy = await gateway.call(path);
    assertEquals(healthy.status, 200);
    await healthy.body?.cancel();
  }
  callers[0]?.abort();
  await (await open[0])?.body?.cancel();
  const taken = await gateway.call(CHAT, BODY);
  assertEquals(taken.status, 200);
  await taken.body?.cancel();
  for (const caller of callers) caller.abort();
  for (const answering of open) await (await answering).body?.cancel();
  assertEquals(gateway.clock.pending, 0);
});

for (const length of [undefined, "1000"]) {
  Deno.test(`a cut tells those as well who still send, ${length ?? "without a"} length`, async () => {
    const gateway = createTestGateway({ config: { providers: MOCK } });
    const headers = {
      authorization: `Bearer ${SERVICE_KEY}`,
      ...(length && { "content-length": length }),
    };
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(encoder.encode('{"model":')),
    });
    const request = new Request(`http://gateway.test${CHAT}`, { method: "POST", headers, body });
    const answering = gateway.app.handle(request);
    await turn();
    const draining = gateway.app.drain();
    gateway.app.cut();
    const answer = await answering;
    assertEquals([answer.status, (await answer.json()).error.code], [503, "overloaded"]);
    assertEquals(answer.headers.get("connection"), "close");
    await draining;
    assertEquals(gateway.clock.pending, 0);
  });
}

Deno.test("draining refuses new work, lets open answers go on, and a cut tells each of them", async () => {
  const gateway = createTestGateway({ config: { providers: MOCK } });
  const begun = await gateway.call(CHAT, { ...BODY, model: "mock-stall", stream: true });
  const plain = gateway.call(CHAT, { ...BODY, model: "mock-hang" });
  await until(() => gateway.clock.pending >= 2);
  let drained = false;
  const draining = gateway.app.drain().then(() => {
    drained = true;
  });
  const refused = await gateway.call(CHAT, BODY);
  assertEquals([refused.status, (await refused.json()).error.code], [503, "overloaded"]);
  assertEquals(refused.headers.get("retry-after"), "1");
  const ready = await gateway.call("/readyz");
  assertEquals([ready.status, await ready.json()], [503, { status: "draining" }]);
  await turn();
  assertEquals([
    drained,
    gateway.lines.some(({ route, outcome }) => route === CHAT && outcome === "done"),
  ], [
    false,
    false,
  ]);
  gateway.app.cut();
  const text = await begun.text();
  assert(text.startsWith("data: "));
  const last = text.split("\n\n").at(-2) ?? "";
  assertEquals(JSON.parse(last.slice("data: ".length)).error.code, "overloaded");
  const told = await plain;
  assertEquals([told.status, (await told.json()).error.code], [503, "overloaded"]);
  await draining;
  assertEquals(gateway.clock.pending, 0);
});
