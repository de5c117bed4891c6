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
    assertEquals(error.message, "The request body stalled for 30 s");
    assertEquals(answer.headers.get("connection"), "close");
    assertEquals(gateway.clock.pending, 0);
    // A short body is read by the runtime at once, which lets go when the connection closes.
    if (length !== "1000") assertEquals(cancelled, true);
  });
}

/** Sends a body of which a piece comes after each pause. */
async function drip(size: number, piece: number, pauseMs: number) {
  const gateway = createTestGateway({ config: { providers: MOCK } });
  const bytes = encoder.encode(JSON.stringify(BODY).padEnd(size));
  const began = gateway.clock.now();
  let at = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await turn();
      gateway.clock.advance(pauseMs);
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at += piece));
      else controller.close();
    },
  });
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const answer = await gateway.app.handle(
    new Request(`http://gateway.test${CHAT}`, { method: "POST", headers, body }),
  );
  const text = await answer.text();
  assertEquals(gateway.clock.pending, 0);
  return { answer, text, ms: gateway.clock.now() - began };
}

Deno.test("a slow body is accepted for up to 8 times body_timeout", async () => {
  const { answer, ms } = await drip(100, 10, 20_000);
  assertEquals([answer.status, ms], [200, 220_000]);
});

Deno.test("a body of one byte a second is a 408 after 8 times body_timeout", async () => {
  const { answer, text, ms } = await drip(1000, 1, 1000);
  const { error } = JSON.parse(text);
  assertEquals([answer.status, error.code], [408, "request_timeout"]);
  assertEquals(error.message, "The request body was not complete after 240 s");
  assertEquals(answer.headers.get("connection"), "close");
  assertEquals(ms, 240_000);
});

Deno.test("a body may take longer if it arrives at 64 kB/s or faster", async () => {
  const { answer, ms } = await drip(64_000 * 300, 64_000, 1000);
  assertEquals(answer.status, 200);
  assert(ms > 300_000);
});

Deno.test("a slower body is a 408 after its time limit", async () => {
  const { answer, text, ms } = await drip(40_000 * 300, 40_000, 1000);
  assertEquals(answer.status, 408);
  assertStringIncludes(text, "not complete after 240 s");
  assertEquals(ms, 240_000);
});

Deno.test("a body that becomes slow is a 408 once its average is below 64 kB/s", async () => {
  // 20 MB at once are good for 312.5 seconds, and a pause.
  const gateway = createTestGateway({ config: { providers: MOCK } });
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(encoder.encode("{".padEnd(20_000_000))),
    async pull(controller) {
      await turn();
      gateway.clock.advance(10_000);
      controller.enqueue(encoder.encode(" "));
    },
  });
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const began = gateway.clock.now();
  const answer = await gateway.app.handle(
    new Request(`http://gateway.test${CHAT}`, { method: "POST", headers, body }),
  );
  assertEquals([answer.status, gateway.clock.now() - began], [408, 350_000]);
  assertStringIncludes(await answer.text(), "not complete after 342.5 s");
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("a caller that stalls on a real connection gets a 408 and no longer counts", async () => {
  await using served = serveGateway({
    config: { providers: MOCK, server: { body_timeout: "20ms" } },
  });
  const { hostname, port } = new URL(served.url);
  for (const length of [500, 100_000]) {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const head =
      `POST ${CHAT} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${SERVICE_KEY}\r\n`;
    await connection.write(encoder.encode(`${head}content-length: ${length}\r\n\r\n{"model":`));
    const buffer = new Uint8Array(4096);
    const size = await elapse(served.gateway.clock, connection.read(buffer)) ?? 0;
    const text = new TextDecoder().decode(buffer.subarray(0, size));
    assertStringIncludes(text, "HTTP/1.1 408 ");
    assertStringIncludes(text, "stalled for 20 ms");
  }
  await served.gateway.app.drain();
});

/** A body that stalls after its start. */
function unfinished(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode('{"model":')),
  });
}

Deno.test("requests with an incomplete body do not count for max_in_flight, but delay a drain", async () => {
  const gateway = createTestGateway({ config: { providers: MOCK, server: { max_in_flight: 2 } } });
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const slow = Array.from({ length: 22 }, () =>
    gateway.app.handle(
      new Request(`http://gateway.test${CHAT}`, { method: "POST", headers, body: unfinished() }),
    ));
  await turn();
  const taken = await gateway.call(CHAT, BODY);
  assertEquals(taken.status, 200);
  await taken.body?.cancel();
  let drained = false;
  const draining = gateway.app.drain().then(() => {
    drained = true;
  });
  await turn();
  assertEquals(drained, false);
  gateway.clock.advance(30_000);
  for (const answering of slow) {
    const answer = await answering;
    assertEquals(answer.status, 408);
    await answer.body?.cancel();
  }
  await draining;
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("a request is refused if too many are in flight when its body is complete", async () => {
  const gateway = createTestGateway({ config: { providers: MOCK, server: { max_in_flight: 1 } } });
  const { promise: rest, resolve } = Promise.withResolvers<void>();
  const text = JSON.stringify(BODY);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(encoder.encode(text.slice(0, 9))),
    async pull(controller) {
      await rest;
      controller.enqueue(encoder.encode(text.slice(9)));
      controller.close();
    },
  }, { highWaterMark: 0 });
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const late = gateway.app.handle(
    new Request(`http://gateway.test${CHAT}`, { method: "POST", headers, body }),
  );
  const caller = new AbortController();
  const open = gateway.call(CHAT, { ...BODY, model: "mock-hang" }, {}, caller.signal);
  await until(() => gateway.clock.pending >= 2);
  resolve();
  const refused = await late;
  assertEquals([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  await refused.body?.cancel();
  caller.abort();
  await (await open).body?.cancel();
  const taken = await gateway.call(CHAT, BODY);
  assertEquals(taken.status, 200);
  await taken.body?.cancel();
  await gateway.app.drain();
});

Deno.test("of more than 1000 concurrent bodies, the oldest is refused and the newest is served", async () => {
  const gateway = createTestGateway({ config: { providers: MOCK, server: { max_in_flight: 20 } } });
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const send = () =>
    gateway.app.handle(
      new Request(`http://gateway.test${CHAT}`, { method: "POST", headers, body: unfinished() }),
    );
  const slow = Array.from({ length: 1000 }, send);
  const taken = await gateway.call(CHAT, BODY);
  assertEquals(taken.status, 200);
  await taken.body?.cancel();
  const [first] = slow;
  const refused = await first;
  assertEquals([refused?.status, refused?.headers.get("connection")], [503, "close"]);
  assertEquals((await refused?.json()).error.code, "overloaded");
  gateway.clock.advance(30_000);
  for (const answering of slow.slice(1)) await (await answering).body?.cancel();
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("requests over max_in_flight are refused with Retry-After 1, except /healthz", async () => {
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
    gateway.app.abort();
    const answer = await answering;
    assertEquals([answer.status, (await answer.json()).error.code], [503, "overloaded"]);
    assertEquals(answer.headers.get("connection"), "close");
    await draining;
    assertEquals(gateway.clock.pending, 0);
  });
}

Deno.test("draining refuses new requests and lets open answers finish; abort() ends them with an error", async () => {
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
  gateway.app.abort();
  const text = await begun.text();
  assert(text.startsWith("data: "));
  const last = text.split("\n\n").at(-2) ?? "";
  assertEquals(JSON.parse(last.slice("data: ".length)).error.code, "overloaded");
  const reported = await plain;
  assertEquals([reported.status, (await reported.json()).error.code], [503, "overloaded"]);
  await draining;
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("a body over the limit has its 413 on a real connection, although all of it is sent first", async () => {
  await using served = serveGateway({ config: { providers: MOCK, server: { max_body: "100kB" } } });
  const { hostname, port } = new URL(served.url);
  const bytes = new Uint8Array(3_000_000).fill(0x20);
  const key = `authorization: Bearer ${SERVICE_KEY}\r\n`;
  for (const framing of [`content-length: ${bytes.length}\r\n`, "transfer-encoding: chunked\r\n"]) {
    const connection = await Deno.connect({ hostname, port: Number(port) });
    const head = `POST ${CHAT} HTTP/1.1\r\nhost: localhost\r\n${key}${framing}\r\n`;
    const isChunked = framing.startsWith("transfer");
    const start = isChunked ? `${head}${bytes.length.toString(16)}\r\n` : head;
    await connection.write(encoder.encode(start));
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    if (isChunked) await connection.write(encoder.encode("\r\n0\r\n\r\n"));
    const buffer = new Uint8Array(4096);
    const size = await connection.read(buffer) ?? 0;
    const answer = new TextDecoder().decode(buffer.subarray(0, size));
    assertStringIncludes(answer, "HTTP/1.1 413 ");
    assertStringIncludes(answer, "connection: close");
    connection.close();
  }
});
