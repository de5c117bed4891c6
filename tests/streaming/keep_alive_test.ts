/**
 * What callers see of silence, before and within a stream, and what becomes of those who do not
 * read.
 */

import type { StopSignal } from "../../src/core/stop_signal.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { KeepAlive } from "../../src/streaming/keep_alive.ts";
import type { FetchInit } from "../../src/upstream/transport.ts";
import { turn, until } from "../support/elapse.ts";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { CHUNKS } from "../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const BODY = { model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] };
/** One line end: some clients treat each blank line as the end of an event. */
const COMMENT = ": keep-alive\n";
const EVENTS = [...CHUNKS.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
  .map((data) => `data: ${data}\n\n`);
const encoder = new TextEncoder();

/** A vendor whose answers and events the test releases. */
class PacedVendor {
  cancelled = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #answers: ((response: Response) => void)[] = [];
  readonly #calls: StopSignal[] = [];

  readonly fetch = (_: string, { signal }: FetchInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      if (signal) this.#calls.push(signal);
      signal?.addEventListener("abort", () => reject(signal.reason));
      this.#answers.push(resolve);
    });

  get calls(): number {
    return this.#calls.length;
  }

  get aborted(): boolean {
    return this.#calls.every((signal) => signal.aborted);
  }

  begin(): void {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.cancelled = true;
      },
    });
    this.answer(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  }

  answer(response: Response): void {
    this.#answers.shift()?.(response);
  }

  send(text: string): void {
    this.#controller?.enqueue(encoder.encode(text));
  }

  close(): void {
    this.#controller?.close();
  }
}

function gatewayOver(
  vendor: PacedVendor,
  server: Record<string, unknown>,
  provider: Record<string, unknown> = {},
  lag = 0,
): TestGateway {
  return createTestGateway({
    lag,
    config: {
      server,
      providers: {
        v: { kind: "openai_compatible", base_url: "http://v", models: ["m"], ...provider },
      },
    },
    fetch: vendor.fetch,
  });
}

/** A caller that reads only when the test asks it to. */
class Reader {
  readonly #reader: ReadableStreamDefaultReader<string> | undefined;

  constructor({ body }: Response) {
    this.#reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  }

  async next(): Promise<string | undefined> {
    return (await this.#reader?.read())?.value;
  }

  async rest(): Promise<string> {
    let text = "";
    for (let piece = await this.next(); piece !== undefined; piece = await this.next()) {
      text += piece;
    }
    return text;
  }
}

Deno.test("a begun stream: a comment after each 15 s of silence, and none while events come", async () => {
  const vendor = new PacedVendor();
  const gateway = gatewayOver(vendor, { keep_alive: "15s" });
  const answering = gateway.call(CHAT, BODY);
  await until(() => vendor.calls === 1);
  vendor.begin();
  vendor.send(EVENTS[0] ?? "");
  await turn();
  gateway.clock.advance(60_000);
  vendor.send(EVENTS[1] ?? "");
  const reader = new Reader(await answering);
  assertStringIncludes(await reader.next() ?? "", "Hello.", "nothing before the first event");
  await turn();
  gateway.clock.advance(14_000);
  vendor.send(EVENTS[1] ?? "");
  assertStringIncludes(await reader.next() ?? "", "Hello.");
  gateway.clock.advance(14_000);
  const next = reader.next();
  gateway.clock.advance(1000);
  assertEquals(await next, COMMENT);
  for (let time = 0; time < 3; time++) {
    const another = reader.next();
    await turn();
    gateway.clock.advance(15_000);
    assertEquals(await another, COMMENT);
  }
  vendor.send(EVENTS.slice(2).join(""));
  vendor.close();
  assert((await reader.rest()).endsWith("data: [DONE]\n\n"));
  await until(() => gateway.clock.pending === 0);
});

Deno.test("a begun stream: comments are not queued for a client that does not read", async () => {
  const vendor = new PacedVendor();
  const gateway = gatewayOver(vendor, { keep_alive: "1s", write_timeout: "1h" });
  const answering = gateway.call(CHAT, BODY);
  await until(() => vendor.calls === 1);
  vendor.begin();
  vendor.send(EVENTS.slice(0, 2).join(""));
  const { body } = await answering;
  for (let second = 0; second < 100; second++) {
    await turn();
    gateway.clock.advance(1000);
  }
  vendor.send(EVENTS.slice(2).join(""));
  vendor.close();
  const text = await new Response(body).text();
  assert(text.split(COMMENT).length <= 3, "comments piled up");
  assert(text.endsWith("data: [DONE]\n\n"));
});

Deno.test("a stream is silent with keep_alive 0s", async () => {
  const vendor = new PacedVendor();
  const gateway = gatewayOver(vendor, { keep_alive: "0s" });
  const answering = gateway.call(CHAT, BODY);
  await until(() => vendor.calls === 1);
  vendor.begin();
  vendor.send(EVENTS.slice(0, 2).join(""));
  const reader = new Reader(await answering);
  await reader.next();
  gateway.clock.advance(200_000);
  await turn();
  vendor.send(EVENTS.slice(2).join(""));
  vendor.close();
  assert(!(await reader.rest()).includes(COMMENT));
});

Deno.test("if a client does not read for write_timeout, the vendor's stream is closed and its memory is freed", async () => {
  const vendor = new PacedVendor();
  const gateway = gatewayOver(vendor, { write_timeout: "60s" });
  const answering = gateway.call(CHAT, BODY);
  await until(() => vendor.calls === 1);
  vendor.begin();
  vendor.send(EVENTS.slice(0, 2).join(""));
  const { body } = await answering;
  await turn();
  vendor.send(EVENTS[1] ?? "");
  gateway.clock.advance(59_000);
  await turn();
  assertEquals([vendor.cancelled, gateway.lines.length], [false, 0]);
  gateway.clock.advance(1000);
  await turn();
  assertEquals(vendor.cancelled, true);
  assertEquals(gateway.lines.map(({ outcome }) => outcome), ["client_gone"]);
  assertEquals(gateway.clock.pending, 0);
  const failed = await new Response(body).text().then(() => false, () => true);
  assert(failed, "unread output is dropped");
});

Deno.test("a client that pauses does not cause a timeout of the vendor", async () => {
  const vendor = new PacedVendor();
  const gateway = gatewayOver(vendor, { write_timeout: "60s" }, { timeout: { idle: "10s" } });
  const answering = gateway.call(CHAT, BODY);
  await until(() => vendor.calls === 1);
  vendor.begin();
  vendor.send(EVENTS.slice(0, 2).join(""));
  const { body } = await answering;
  for (let second = 0; second < 50; second++) {
    gateway.clock.advance(1000);
    await turn();
  }
  vendor.send(EVENTS.slice(2).join(""));
  vendor.close();
  assert((await new Response(body).text()).endsWith("data: [DONE]\n\n"));
});

Deno.test("early_keep_alive: a stream begins with comments, and its events follow", async () => {
  const vendor = new PacedVendor();
  const gateway = gatewayOver(vendor, { early_keep_alive: "5s", keep_alive: "15s" });
  const answering = gateway.call(CHAT, BODY);
  await until(() => vendor.calls === 1 && gateway.clock.pending > 0);
  gateway.clock.advance(5000);
  const answer = await answering;
  assertEquals([answer.status, answer.headers.get("x-sluice-provider")], [200, null]);
  assertStringIncludes(answer.headers.get("content-type") ?? "", "text/event-stream");
  const reader = new Reader(answer);
  assertEquals(await reader.next(), COMMENT);
  const second = reader.next();
  await turn();
  gateway.clock.advance(15_000);
  assertEquals(await second, COMMENT);
  vendor.begin();
  vendor.send(EVENTS.join(""));
  vendor.close();
  const rest = await reader.rest();
  assertStringIncludes(rest, "Hello.");
  assert(rest.endsWith("data: [DONE]\n\n"));
  assertEquals(gateway.lines.map(({ outcome, status }) => [outcome, status]), [["done", 200]]);
  await until(() => gateway.clock.pending === 0);
});

Deno.test("early_keep_alive: failures are retried, and then become an error event", async () => {
  const vendor = new PacedVendor();
  const gateway = gatewayOver(vendor, { early_keep_alive: "5s" }, { retries: 1 });
  const answering = gateway.call(CHAT, BODY);
  await until(() => vendor.calls === 1 && gateway.clock.pending > 0);
  gateway.clock.advance(5000);
  const answer = await answering;
  const reading = answer.text();
  vendor.answer(new Response(null, { status: 500 }));
  await turn();
  gateway.clock.advance(1000);
  await until(() => vendor.calls === 2);
  vendor.answer(Response.json({ error: { message: "Words" } }, { status: 400 }));
  const text = await reading;
  assert(text.startsWith(COMMENT));
  const [last, ...others] = text.split("\n").filter((line) => line.startsWith("data: "));
  assertEquals(others, []);
  assertEquals(JSON.parse(last?.slice(6) ?? "").error.message, "Words");
  const line = gateway.lines.at(-1);
  assertEquals([line?.outcome, line?.status, line?.attempts], ["failed", 200, 2]);
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("early_keep_alive: an earlier failure keeps its status, and answers without a stream are not affected", async () => {
  const vendor = new PacedVendor();
  const gateway = gatewayOver(vendor, { early_keep_alive: "5s" });
  const answering = gateway.call(CHAT, BODY);
  await until(() => vendor.calls === 1);
  gateway.clock.advance(4000);
  vendor.answer(new Response(null, { status: 500 }));
  const answer = await answering;
  assertEquals(answer.status, 502);
  await answer.body?.cancel();
  const plain = gateway.call(CHAT, { ...BODY, stream: false });
  await until(() => vendor.calls === 2);
  gateway.clock.advance(60_000);
  vendor.answer(new Response(null, { status: 500 }));
  assertEquals((await (await plain).json()).error.code, "upstream_error");
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("early_keep_alive: a client disconnect before the first event ends the attempt", async () => {
  const vendor = new PacedVendor();
  const gateway = gatewayOver(vendor, { early_keep_alive: "5s" });
  const caller = new AbortController();
  const answering = gateway.call(CHAT, BODY, {}, caller.signal);
  await until(() => vendor.calls === 1 && gateway.clock.pending > 0);
  gateway.clock.advance(5000);
  const { body } = await answering;
  caller.abort();
  await body?.cancel();
  await until(() => gateway.lines.length > 0);
  assertEquals([vendor.aborted, gateway.clock.pending], [true, 0]);
  assertEquals(gateway.lines.map(({ outcome }) => outcome), ["client_gone"]);
});

for (const leaves of [true, false]) {
  const who = leaves ? "leaves after the first event" : "does not read";
  Deno.test(`early_keep_alive: a caller who ${who} is logged as such, even if the log lags behind`, async () => {
    const vendor = new PacedVendor();
    const server = { early_keep_alive: "5s", keep_alive: "0s", write_timeout: "60s" };
    const gateway = gatewayOver(vendor, server, {}, 10);
    const caller = new AbortController();
    const answering = gateway.call(CHAT, BODY, {}, caller.signal);
    await until(() => vendor.calls === 1 && gateway.clock.pending > 0);
    gateway.clock.advance(5000);
    const reader = (await answering).body?.getReader();
    await reader?.read();
    vendor.begin();
    vendor.send(EVENTS.slice(0, 2).join(""));
    assert((await reader?.read())?.done === false);
    await turn();
    if (leaves) {
      caller.abort();
      await reader?.cancel();
    } else {
      for (let sent = 0; sent < 5; sent++) {
        vendor.send(EVENTS[1] ?? "");
        await turn();
      }
      gateway.clock.advance(60_000);
      await reader?.read();
      await reader?.read().catch(() => {});
    }
    await turn();
    gateway.clock.advance(10);
    const line = gateway.lines.at(-1);
    assertEquals([line?.outcome, line?.error, gateway.lines.length], ["client_gone", undefined, 1]);
    assertEquals(gateway.clock.pending, 0);
  });
}

Deno.test("early_keep_alive: a shutdown is an error event in the stream", async () => {
  const vendor = new PacedVendor();
  const gateway = gatewayOver(vendor, { early_keep_alive: "5s" });
  const answering = gateway.call(CHAT, BODY);
  await until(() => vendor.calls === 1 && gateway.clock.pending > 0);
  gateway.clock.advance(5000);
  const answer = await answering;
  gateway.app.abort();
  const text = await answer.text();
  assertStringIncludes(text, '"code":"overloaded"');
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("comments: after a silence counted from the last write, only to readers, until stopped", () => {
  const clock = new ManualClock();
  const begin = clock.now();
  const written: number[] = [];
  const controller = { desiredSize: 1, enqueue: () => void written.push(clock.now() - begin) };
  const comments = new KeepAlive(controller, { clock, ms: 10, comment: new Uint8Array(1) });
  clock.advance(4);
  comments.wrote(clock.now());
  clock.advance(9);
  assertEquals(written, []);
  clock.advance(12);
  assertEquals(written, [14, 24]);
  controller.desiredSize = 0;
  clock.advance(10);
  assertEquals(written, [14, 24]);
  controller.desiredSize = 1;
  clock.advance(9);
  assertEquals(written, [14, 24, 44]);
  assertEquals(clock.pending, 1);
  comments.stop();
  assertEquals(clock.pending, 0);
});

Deno.test("comments end when their own write ends the stream", () => {
  const clock = new ManualClock();
  const text = new Uint8Array(1);
  const written: Uint8Array[] = [];
  let stop = () => {};
  const enqueue = (bytes: unknown) => {
    assert(bytes === text);
    written.push(text);
    stop();
  };
  const comments = new KeepAlive({ desiredSize: 1, enqueue }, {
    ...{ clock, ms: 10, comment: () => text },
  });
  stop = () => comments.stop();
  clock.advance(100);
  assertEquals([written.length, clock.pending], [1, 0]);
  // A stream that was cancelled has no size.
  const gone = new KeepAlive({ desiredSize: null, enqueue: () => written.push(text) }, {
    ...{ clock, ms: 10, comment: text },
  });
  clock.advance(10);
  gone.stop();
  assertEquals(written.length, 1);
});
