/**
 * Streams over a real port: when events arrive, and how each side learns that the other has
 * disconnected.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Fetch } from "../../src/upstream/transport.ts";
import {
  createTestGateway,
  SERVICE_KEY,
  type TestGateway,
  VENDOR_KEY,
} from "../support/gateway.ts";
import {
  Gate,
  serveBrokenVendor,
  type ServedGateway,
  serveGateway,
  serveVendor,
} from "../support/server.ts";
import { turn } from "../support/elapse.ts";

/** The maximum time until a vendor's connection is closed after a caller has disconnected. */
const SOON = 1000;
/** Long enough for a loopback answer, short enough for a test that expects none. */
const A_WHILE = 50;

interface Dialect {
  readonly kind: "openai" | "anthropic";
  readonly model: string;
  readonly begin: string;
  readonly say: (text: string) => string;
  readonly finish: string;
}

const openAiChunk = (delta: unknown, finish: string | null = null) =>
  `data: ${
    JSON.stringify({
      id: "chatcmpl-vendor",
      object: "chat.completion.chunk",
      created: 1_700_000_001,
      model: "gpt-4.1-2025-04-14",
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  }\n\n`;

const claudeEvent = (event: { readonly type: string; readonly [member: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const OPENAI: Dialect = {
  kind: "openai",
  model: "gpt-4.1",
  begin: openAiChunk({ role: "assistant", content: "" }),
  say: (content) => openAiChunk({ content }),
  finish: openAiChunk({}, "stop") + "data: [DONE]\n\n",
};

const CLAUDE: Dialect = {
  kind: "anthropic",
  model: "claude-haiku-4-5",
  begin: claudeEvent({
    type: "message_start",
    message: {
      id: "msg_vendor",
      type: "message",
      role: "assistant",
      model: "claude-haiku-4-5",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  }) + claudeEvent({ type: "ping" }) +
    claudeEvent({
      type: "content_block_start",
      index: 0,
      content_block: { type: "text", text: "" },
    }),
  say: (text) =>
    claudeEvent({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    }),
  finish: claudeEvent({ type: "content_block_stop", index: 0 }) +
    claudeEvent({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 5 },
    }) + claudeEvent({ type: "message_stop" }),
};

function configFor(dialect: Dialect, vendorUrl: string): Record<string, unknown> {
  return {
    providers: {
      vendor: {
        kind: dialect.kind,
        api_key: VENDOR_KEY,
        base_url: `${vendorUrl}/v1`,
        models: [dialect.model],
      },
    },
  };
}

function ask(
  served: ServedGateway,
  { model }: Dialect,
  { stream, signal }: { stream: boolean; signal?: AbortSignal },
): Promise<Response> {
  return served.fetch(`${served.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${SERVICE_KEY}` },
    body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "Hello?" }] }),
    ...(signal && { signal }),
  });
}

/** Asks for a stream through a gateway in whose time nothing passes by itself. */
function streamFrom(fetch: Fetch): { gateway: TestGateway; answer: Promise<Response> } {
  const gateway = createTestGateway({ config: configFor(OPENAI, "http://vendor.test"), fetch });
  const messages = [{ role: "user", content: "Hello?" }];
  const request = { model: OPENAI.model, stream: true, messages };
  return { gateway, answer: gateway.call("/v1/chat/completions", request) };
}

const encoder = new TextEncoder();
const EVENTS = { headers: { "content-type": "text/event-stream" } };

/** A stream that writes what the script gives, at the pace of the script. */
function scripted(script: AsyncGenerator<string, void, void>): Response {
  return new Response(
    ReadableStream.from(script).pipeThrough(new TextEncoderStream()),
    EVENTS,
  );
}

/** Reads a stream event by event. */
async function* eventsOf(response: Response): AsyncGenerator<string, void, void> {
  if (response.body === null) throw new TypeError("The answer has no body");
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split("\n\n");
    rest = events.pop() ?? "";
    yield* events;
  }
  assertEquals(rest, "", "the stream ended within an event");
}

for (const dialect of [OPENAI, CLAUDE]) {
  Deno.test(`a stream of ${dialect.kind}: each chunk reaches the caller before the vendor sends the next`, async () => {
    const words = ["one ", "two ", "three ", "four ", "five"];
    const received = words.map(() => new Gate());
    let sent = 0;
    await using vendor = serveVendor(() => {
      return scripted(async function* () {
        yield dialect.begin;
        for (const [index, word] of words.entries()) {
          sent++;
          yield dialect.say(word);
          await soon(received[index]?.opened);
        }
        yield dialect.finish;
      }());
    });
    await using served = serveGateway({ config: configFor(dialect, vendor.url) });
    const response = await ask(served, dialect, { stream: true });
    const seen: string[] = [];
    let last = "";
    for await (const event of eventsOf(response)) {
      last = event;
      if (event === "data: [DONE]") continue;
      const text = JSON.parse(event.slice(6)).choices[0].delta.content;
      if (!text) continue;
      seen.push(text);
      assertEquals(sent, seen.length, "the vendor has sent more than the caller has seen");
      received[seen.length - 1]?.open();
    }
    assertEquals(seen, words);
    assertEquals(last, "data: [DONE]");
  });

  Deno.test(`a stream of ${dialect.kind}: there is no status before a chunk that holds more than a role`, async () => {
    const begun = new Gate();
    const go = new Gate();
    await using vendor = serveVendor(() =>
      scripted(async function* () {
        yield dialect.begin;
        begun.open();
        await go.opened;
        yield dialect.say("Hello.") + dialect.finish;
      }())
    );
    await using served = serveGateway({ config: configFor(dialect, vendor.url) });
    const answered = ask(served, dialect, { stream: true });
    await begun.opened;
    assertEquals(await Promise.race([answered, waited("nothing yet")]), "nothing yet");
    go.open();
    const response = await answered;
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assertStringIncludes(await response.text(), "Hello.");
  });

  Deno.test(`a stream of ${dialect.kind}: a stream that breaks after the role is an error with a status`, async () => {
    await using vendor = serveBrokenVendor(dialect.begin);
    await using served = serveGateway({ config: configFor(dialect, vendor.url) });
    const response = await ask(served, dialect, { stream: true });
    const { error } = await response.json();
    assertEquals(response.status, 502);
    assertEquals(error.code, "upstream_error");
    assertEquals(Object.keys(error), ["message", "type", "param", "code"]);
    assertEquals(served.gateway.bugs, []);
  });

  Deno.test(`a stream of ${dialect.kind}: a connection that breaks ends in one error event and no [DONE]`, async () => {
    await using vendor = serveBrokenVendor(dialect.begin + dialect.say("Hel"));
    await using served = serveGateway({ config: configFor(dialect, vendor.url) });
    const response = await ask(served, dialect, { stream: true });
    assertEquals(response.status, 200);
    const events = await Array.fromAsync(eventsOf(response));
    const last = JSON.parse(events.at(-1)?.slice(6) ?? "");
    assertEquals(last, {
      error: {
        message: "The connection to the provider was lost",
        type: "api_error",
        param: null,
        code: "upstream_error",
      },
    });
    assertEquals(events.filter((event) => event.includes('"error"')).length, 1);
    assert(!events.includes("data: [DONE]"));
    assertEquals(served.gateway.bugs, []);
    assertEquals(served.gateway.lines.at(-1)?.outcome, "failed");
    assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
  });

  Deno.test(`a stream of ${dialect.kind}: a client disconnect closes the vendor's connection within a second`, async () => {
    const gone = new Gate<number>();
    await using vendor = serveVendor((request) => {
      request.signal.addEventListener("abort", () => gone.open(performance.now()));
      return endless([dialect.begin, dialect.say("Hel")]);
    });
    await using served = serveGateway({ config: configFor(dialect, vendor.url) });
    const caller = new AbortController();
    const response = await ask(served, dialect, { stream: true, signal: caller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    const left = performance.now();
    caller.abort();
    await reader?.closed.catch(() => {});
    assert(await soon(gone.opened) - left < SOON);
    await logged(served);
    assertEquals(served.gateway.lines.at(-1)?.outcome, "client_gone");
    assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
  });
}

Deno.test("a client disconnect before the first chunk closes the vendor's connection within a second", async () => {
  const arrived = new Gate();
  const gone = new Gate<number>();
  await using vendor = serveVendor((request) => {
    request.signal.addEventListener("abort", () => gone.open(performance.now()));
    arrived.open();
    return endless([OPENAI.begin]);
  });
  await using served = serveGateway({ config: configFor(OPENAI, vendor.url) });
  const caller = new AbortController();
  const answer = ask(served, OPENAI, { stream: true, signal: caller.signal });
  await arrived.opened;
  const left = performance.now();
  caller.abort();
  assertEquals(await nameOfFailure(answer), "AbortError");
  assert(await soon(gone.opened) - left < SOON);
  await logged(served);
  assertEquals(served.gateway.lines.at(-1)?.outcome, "client_gone");
  assertEquals(served.gateway.lines.at(-1)?.status, 499);
});

Deno.test("a client disconnect before an answer closes the vendor's connection within a second", async () => {
  const arrived = new Gate();
  const gone = new Gate<number>();
  await using vendor = serveVendor(async (request) => {
    const aborted = new Promise<void>((resolve) =>
      request.signal.addEventListener("abort", () => resolve())
    );
    arrived.open();
    await aborted;
    gone.open(performance.now());
    return new Response(null);
  });
  await using served = serveGateway({ config: configFor(OPENAI, vendor.url) });
  const caller = new AbortController();
  const answer = ask(served, OPENAI, { stream: false, signal: caller.signal });
  await arrived.opened;
  const left = performance.now();
  caller.abort();
  assertEquals(await nameOfFailure(answer), "AbortError");
  assert(await soon(gone.opened) - left < SOON);
  await logged(served);
  assertEquals(served.gateway.lines.at(-1)?.outcome, "client_gone");
  assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
});

Deno.test("a client disconnect during an answer closes the vendor's connection within a second", async () => {
  const begun = new Gate();
  const gone = new Gate<number>();
  await using vendor = serveVendor((request) => {
    request.signal.addEventListener("abort", () => gone.open(performance.now()));
    return endless(['{"choices":['], () => begun.open());
  });
  await using served = serveGateway({ config: configFor(OPENAI, vendor.url) });
  const caller = new AbortController();
  const answer = ask(served, OPENAI, { stream: false, signal: caller.signal });
  await begun.opened;
  const left = performance.now();
  caller.abort();
  assertEquals(await nameOfFailure(answer), "AbortError");
  assert(await soon(gone.opened) - left < SOON);
});

Deno.test("a stream: each packet becomes one write, and none if it completes no event", async () => {
  const long = OPENAI.say("x".repeat(100));
  const packets = [
    OPENAI.begin + long.repeat(50),
    long.repeat(200) + long.slice(0, 20),
    long.slice(20, 40),
    long.slice(40) + long,
    long + OPENAI.finish,
  ];
  const { answer } = streamFrom(() => Promise.resolve(new Response(inPackets(packets), EVENTS)));
  const response = await answer;
  const events = [];
  for await (const write of response.body ?? []) {
    events.push(new TextDecoder().decode(write).split("\n\n").length - 1);
  }
  assertEquals(events, [51, 200, 2, 3]);
});

Deno.test("a stream: the vendor is read no faster than the caller reads", async () => {
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(encoder.encode(pulled === 1 ? OPENAI.begin : OPENAI.say("more ")));
    },
  }, { highWaterMark: 0 });
  const { gateway, answer } = streamFrom(() => Promise.resolve(new Response(body, EVENTS)));
  const response = await answer;
  const reader = response.body?.getReader();
  await settled();
  const before = pulled;
  assert(before <= 3, `${before} packets were read for a caller that has read none`);
  for (let read = 0; read < 10; read++) await reader?.read();
  await settled();
  assert(pulled - before <= 11, `${pulled - before} packets were read for 10 reads`);
  await reader?.cancel();
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
});

Deno.test("a stream that stalls is ended by its idle limit with an error event", async () => {
  const stalls = () => Promise.resolve(endless([OPENAI.begin + OPENAI.say("Hel")]));
  const { gateway, answer } = streamFrom(stalls);
  const response = await answer;
  const reader = response.body?.getReader();
  await reader?.read();
  const next = reader?.read();
  gateway.clock.advance(5 * 60_000);
  const { value } = await next ?? {};
  assertStringIncludes(new TextDecoder().decode(value), '"code":"upstream_timeout"');
  assertEquals((await reader?.read())?.done, true);
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
});

Deno.test("a stream that does not begin is ended by its first-token limit with status 504", async () => {
  const asked = new Gate();
  const { gateway, answer } = streamFrom(() => {
    asked.open();
    return Promise.resolve(endless([OPENAI.begin]));
  });
  await asked.opened;
  await settled();
  gateway.clock.advance(5 * 60_000);
  const response = await answer;
  assertEquals(response.status, 504);
  assertEquals((await response.json()).error.code, "upstream_timeout");
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
});

Deno.test("a stream whose bytes end before the answer does is an error, not a short answer", async () => {
  await using vendor = serveVendor(() => new Response(OPENAI.begin + OPENAI.say("Hel"), EVENTS));
  await using served = serveGateway({ config: configFor(OPENAI, vendor.url) });
  const response = await ask(served, OPENAI, { stream: true });
  const events = await Array.fromAsync(eventsOf(response));
  assertStringIncludes(events.at(-1) ?? "", "ended before the answer was complete");
  assert(!events.includes("data: [DONE]"));
});

Deno.test("after an error event the vendor's stream is closed", async () => {
  const failure = 'data: {"error":{"message":"Out of memory"}}\n\n';
  const rows: readonly (readonly [packets: readonly string[], status: number])[] = [
    [[failure], 502],
    [[OPENAI.begin, OPENAI.say("Hel"), failure], 200],
  ];
  for (const [packets, status] of rows) {
    const left = [...packets];
    const closed = new Gate();
    const body = new ReadableStream({
      pull(controller) {
        const packet = left.shift();
        if (packet !== undefined) controller.enqueue(encoder.encode(packet));
      },
      cancel: () => closed.open(),
    });
    const { answer } = streamFrom(() => Promise.resolve(new Response(body, EVENTS)));
    const response = await answer;
    assertEquals(response.status, status);
    assertStringIncludes(await response.text(), "Out of memory");
    await soon(closed.opened);
  }
});

/** A stream that sends these packets and then nothing, until it is cancelled. */
function endless(packets: readonly string[], onSent?: () => void): Response {
  const left = [...packets];
  const body = new ReadableStream({
    pull(controller) {
      const packet = left.shift();
      if (packet !== undefined) return controller.enqueue(encoder.encode(packet));
      onSent?.();
      return new Promise<void>(() => {});
    },
  });
  return new Response(body, EVENTS);
}

/** A stream whose every read gives one packet, and then its end. */
function inPackets(packets: readonly string[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const left = [...packets];
  return new ReadableStream({
    pull(controller) {
      const packet = left.shift();
      if (packet === undefined) controller.close();
      else controller.enqueue(encoder.encode(packet));
    },
  }, { highWaterMark: 0 });
}

function waited<Value>(value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(() => resolve(value), A_WHILE));
}

/** Fails instead of waiting for ever. */
function soon<Value>(promise: Value | Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("The other side did not do its part")), SOON);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Lets everything run that waits for nothing but its turn. */
function settled(): Promise<void> {
  return turn();
}

/** Waits until the request's line is in the log: it is written when the gateway has noticed. */
async function logged({ gateway }: ServedGateway): Promise<void> {
  for (let turn = 0; gateway.lines.length === 0 && turn < 100; turn++) await settled();
  assertEquals(gateway.lines.length, 1);
}

async function nameOfFailure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "none";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.name : String(thrown);
  }
}
