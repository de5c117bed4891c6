/** Lists of prompts at a target that is called by chat: each prompt's events as they arrive. */

import type { StopSignal } from "../../src/core/stop_signal.ts";
import { assert, assertEquals, assertRejects } from "@std/assert";
import OpenAI from "openai";
import type { JsonObject } from "../../src/contract/chat.ts";
import { until } from "../support/elapse.ts";
import { untilQuiet } from "../support/manual_clock.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";

const MODEL = "m";
const PRICES = { input: 1000, cached_input: 100, output: 1000 };
const encoder = new TextEncoder();

interface Asked {
  readonly prompt: string;
  readonly body: JsonObject;
  readonly signal: StopSignal;
}

/** A vendor with chats only, whose answer to each prompt is given by the test. */
function createWorld(
  answer: (asked: Asked) => Response | Promise<Response>,
  provider: JsonObject = {},
  key: JsonObject = {},
  routing?: JsonObject,
) {
  const asked: Asked[] = [];
  const gateway = createTestGateway({
    config: {
      ...(routing && { routing }),
      server: { keys: [{ name: "app", key: SERVICE_KEY, ...key }] },
      providers: {
        v: {
          ...{ kind: "openai", api: "chat", api_key: VENDOR_KEY },
          models: [{ id: MODEL, max_output_tokens: 100, prices: PRICES }],
          ...provider,
        },
      },
    },
    fetch: async (_url, { body: text, signal }) => {
      const body: JsonObject = JSON.parse(String(text));
      const [message] = (body.messages ?? []) as { content: string }[];
      const prompt = message?.content ?? "";
      const request = { prompt, body, signal: signal ?? new AbortController().signal };
      asked.push(request);
      return await answer(request);
    },
  });
  const client = new OpenAI({
    baseURL: "http://127.0.0.1/v1",
    apiKey: SERVICE_KEY,
    maxRetries: 0,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("host", "127.0.0.1");
      return gateway.app.handle(new Request(String(url), { ...init, headers }));
    },
  });
  const create = (prompt: string[], members: JsonObject = {}) =>
    client.completions.create({ model: MODEL, prompt, stream: true, ...members });
  const raw = async (prompt: string[], members: JsonObject = {}, signal?: AbortSignal) => {
    const body = { model: MODEL, prompt, stream: true, ...members };
    return await gateway.call("/v1/completions", body, {}, signal);
  };
  return { asked, client, create, gateway, raw };
}

/** A stream whose events are sent one by one, when the gateway reads. */
function toStream(events: AsyncIterable<unknown> | Iterable<unknown>): Response {
  const encoded = async function* () {
    for await (const event of events) {
      const data = typeof event === "string" ? event : JSON.stringify(event);
      yield encoder.encode(`data: ${data}\n\n`);
    }
  };
  const headers = { "content-type": "text/event-stream" };
  return new Response(ReadableStream.from(encoded()), { headers });
}

function toChunk(content: string, finish_reason: string | null = null, index = 0): JsonObject {
  return {
    ...{ id: "c", object: "chat.completion.chunk", created: 7, model: "vendor-model" },
    choices: [{ index, delta: { content }, finish_reason }],
  };
}

function toUsageChunk(usage: JsonObject): JsonObject {
  return { ...toChunk(""), choices: [], usage };
}

function toUsage(prompt_tokens: number, completion_tokens: number): JsonObject {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** A whole stream: the prompt in capitals. */
function toAnswer({ prompt }: Asked, usage: JsonObject | undefined = toUsage(3, 2)): Response {
  const text = prompt.toUpperCase();
  return toStream([
    toChunk(text),
    toChunk("", "stop"),
    ...(usage === undefined ? [] : [toUsageChunk(usage)]),
    "[DONE]",
  ]);
}

/** A stream with one event, until it is cancelled. */
function toEndless(event: JsonObject, cancel: () => void): Response {
  const start = (controller: ReadableStreamDefaultController) =>
    controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
  const headers = { "content-type": "text/event-stream" };
  return new Response(new ReadableStream({ start, cancel }), { headers });
}

/** No answer. */
function untilAborted({ signal }: Asked): Promise<Response> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

function toJson({ prompt }: Asked, usage: JsonObject | undefined): Response {
  const message = { role: "assistant", content: prompt.toUpperCase(), refusal: null };
  return Response.json({
    ...{ id: "c", object: "chat.completion", created: 7, model: "vendor-model" },
    choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
    ...(usage && { usage }),
  });
}

Deno.test("a prompt's events go out as they arrive, before the next prompt is answered", async () => {
  const read: string[] = [];
  const ends: string[] = [];
  const untilRead = (event: string) => until(() => read.includes(event), 3000);
  const { create, gateway, asked } = createWorld(async ({ prompt }) => {
    if (prompt === "b") await untilRead("0 stop");
    return toStream(async function* () {
      yield toChunk(prompt.toUpperCase());
      // The rest follows when the client has read the first piece.
      await untilRead(prompt === "a" ? "0 A" : "1 B");
      yield toChunk("!", "stop");
      yield toUsageChunk(toUsage(3, 2));
      yield "[DONE]";
      ends.push(prompt);
    }());
  });
  const ids = new Set<string>();
  let usage: unknown;
  for await (const event of await create(["a", "b"], { stream_options: { include_usage: true } })) {
    ids.add(event.id);
    usage = event.usage;
    for (const { index, text, finish_reason: reason } of event.choices) {
      read.push(`${index} ${reason ?? text}`);
    }
  }
  assertEquals(read, ["0 A", "0 !", "0 stop", "1 B", "1 !", "1 stop"]);
  assertEquals(ids.size, 1);
  await until(() => ends.length === 2);
  assertEquals(usage, toUsage(6, 4));
  assertEquals(asked.map(({ body }) => body.stream), [true, true]);
  const [line] = gateway.lines;
  assertEquals([line?.prompt_tokens, line?.completion_tokens], [6, 4]);
  await untilQuiet(gateway.clock);
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("the index of a choice is that of its prompt times n, and echo repeats the prompt", async () => {
  const { create, raw } = createWorld(({ prompt }) =>
    toStream([
      ...[0, 1].map((index) => toChunk(prompt.toUpperCase() + index, null, index)),
      ...[0, 1].map((index) => toChunk("", "length", index)),
      "[DONE]",
    ])
  );
  const texts: string[] = [];
  const prompts = ["a", "b", "c"];
  for await (const { choices } of await create(prompts, { n: 2, echo: true })) {
    for (const { index, text } of choices) texts[index] = (texts[index] ?? "") + text;
  }
  assertEquals(texts, ["aA0", "aA1", "bB0", "bB1", "cC0", "cC1"]);
  const whole = await (await raw(prompts)).text();
  assertEquals(whole.match(/\[DONE\]/g)?.length, 1);
  assert(whole.endsWith("data: [DONE]\n\n"), whole);
});

Deno.test("the next prompt is sent when the client has read the one before", async () => {
  const { asked, gateway, raw } = createWorld((request) => toAnswer(request));
  const { body } = await raw(["a", "b", "c"]);
  assert(body !== null);
  const turn = () => new Promise<void>((resolve) => queueMicrotask(resolve));
  for (let i = 0; i < 200; i++) await turn();
  assertEquals(asked.map(({ prompt }) => prompt), ["a"]);
  const text = await new Response(body).text();
  assertEquals(asked.map(({ prompt }) => prompt), ["a", "b", "c"]);
  assert(text.endsWith("[DONE]\n\n"));
  await untilQuiet(gateway.clock);
});

Deno.test("a failure of a later prompt is an error event without [DONE]; all is billed", async () => {
  const failures: readonly (readonly [string, (asked: Asked) => Response, number])[] = [
    ["refused", () => Response.json({ error: { message: "no" } }, { status: 500 }), 3],
    ["cut", () => toStream([toChunk("piece of text")]), 4],
    ["error", () => toStream([toChunk("x"), { error: { message: "no" } }]), 4],
  ];
  for (const [name, fail, input] of failures) {
    const { create, gateway, raw } = createWorld((asked) =>
      asked.prompt === "a" ? toAnswer(asked, toUsage(3, 2000)) : fail(asked)
    );
    const text = await (await raw(["a", "b", "c"])).text();
    assert(text.includes('"text":"A"'), name);
    assert(!text.includes("[DONE]"), name);
    assert(text.trimEnd().split("\n\n").at(-1)?.startsWith('data: {"error":'), text);
    const [line] = gateway.lines;
    assertEquals(line?.outcome, "failed", name);
    assert(Number(line?.completion_tokens) >= 2000, `${name}: ${line?.completion_tokens}`);
    assert(Number(line?.prompt_tokens) >= input, `${name}: ${line?.prompt_tokens}`);
    assertEquals(line?.usage_estimated, name === "refused" ? undefined : true, name);
    const read = async () => {
      for await (const _ of await create(["a", "b"]));
    };
    await assertRejects(read, OpenAI.APIError);
    await untilQuiet(gateway.clock);
    assertEquals(gateway.clock.pending, 0, name);
  }
});

Deno.test("the first prompt's failure is a status, and no other prompt is sent", async () => {
  const { asked, gateway, raw } = createWorld(() =>
    Response.json({ error: { message: "no" } }, { status: 400 })
  );
  const response = await raw(["a", "b"]);
  assertEquals(response.status, 400);
  await response.body?.cancel();
  assertEquals(asked.length, 1);
  assertEquals(gateway.lines[0]?.prompt_tokens, undefined);
});

Deno.test("the caller's end ends a prompt that streams and one that has no answer yet", async () => {
  const cases = [
    { hasHead: true, aborts: true },
    { hasHead: true, aborts: false },
    { hasHead: false, aborts: false },
  ];
  for (const { hasHead, aborts } of cases) {
    const ended = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { asked, gateway, raw } = createWorld((request) => {
      if (request.prompt === "a") return toAnswer(request, toUsage(3, 2000));
      begun.resolve();
      if (hasHead) return toEndless(toChunk("B"), () => ended.resolve());
      request.signal.addEventListener("abort", () => ended.resolve());
      return untilAborted(request);
    });
    const controller = new AbortController();
    const response = await raw(["a", "b", "c"], {}, controller.signal);
    const reader = response.body?.getReader();
    let text = "";
    const reading = (async () => {
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
        text += new TextDecoder().decode(part.value);
        if (text.includes('"B"')) return;
      }
    })();
    await begun.promise;
    if (hasHead) await reading;
    if (aborts) controller.abort();
    await reader?.cancel();
    await Promise.all([ended.promise, reading]);
    await untilQuiet(gateway.clock);
    assertEquals(asked.map(({ prompt }) => prompt), ["a", "b"]);
    assertEquals(gateway.clock.pending, 0);
    const [line] = gateway.lines;
    assertEquals([line?.outcome, line?.usage_estimated], ["client_gone", true]);
    assert(Number(line?.completion_tokens) >= 2000, String(line?.completion_tokens));
    assert(Number(line?.prompt_tokens) > 3, String(line?.prompt_tokens));
  }
});

Deno.test("the first token of each prompt has its own timeout", async () => {
  const timeout = { first_token: "20s", idle: "5s", total: "300s" };
  const waits = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const world = createWorld(async (asked) => {
    if (asked.prompt === "b") {
      begun.resolve();
      await waits.promise;
    }
    if (asked.prompt === "c") return await untilAborted(asked);
    return toAnswer(asked);
  }, { timeout });
  const text = world.raw(["a", "b", "c"]).then((response) => response.text());
  await begun.promise;
  // Longer than the idle timeout, and within that of the first token.
  world.gateway.clock.advance(15_000);
  waits.resolve();
  for (let i = 0; i < 500 && world.asked.length < 3; i++) await Promise.resolve();
  assertEquals(world.asked.length, 3);
  world.gateway.clock.advance(20_000);
  const events = await text;
  assert(events.includes('"text":"B"'), events);
  assert(events.includes("did not begin its answer within 20 s"), events);
  // The vendor may bill the prompt that it has not answered.
  const [line] = world.gateway.lines;
  assertEquals(line?.usage_estimated, true);
  assert(Number(line?.prompt_tokens) > 6, String(line?.prompt_tokens));
  await untilQuiet(world.gateway.clock);
  assertEquals(world.gateway.clock.pending, 0);
});

const DETAILED = {
  ...toUsage(10, 5),
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 3 },
};

const DETAILS_OF_TWO = {
  ...toUsage(20, 10),
  prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 6 },
};

Deno.test("usage adds up with its details, streamed or not; absent details stay absent", async () => {
  const worlds: readonly (readonly [JsonObject, JsonObject])[] = [
    [DETAILED, DETAILS_OF_TWO],
    [{ ...toUsage(10, 5), prompt_tokens_details: null }, toUsage(20, 10)],
    [toUsage(10, 5), toUsage(20, 10)],
  ];
  for (const [usage, sum] of worlds) {
    const { client, create, gateway } = createWorld((asked) =>
      asked.body.stream === true ? toAnswer(asked, usage) : toJson(asked, usage)
    );
    const prompt = ["a", "b"];
    assertEquals((await client.completions.create({ model: MODEL, prompt })).usage, sum);
    let streamed: unknown;
    const stream_options = { include_usage: true };
    for await (const event of await create(prompt, { stream_options })) streamed = event.usage;
    assertEquals(streamed, sum);
    // Cached tokens cost a tenth.
    const cost = usage === DETAILED ? 0.0228 : 0.03;
    assertEquals(gateway.lines.map(({ cost_usd }) => cost_usd), [cost, cost]);
    await untilQuiet(gateway.clock);
  }
});

Deno.test("an answer without usage is billed as an estimate beside those with usage", async () => {
  const long = "word ".repeat(1000);
  for (const stream of [false, true]) {
    const { gateway, raw } = createWorld((asked) => {
      const usage = asked.prompt === long ? toUsage(3, 2000) : undefined;
      return stream
        ? toStream([
          toChunk("text"),
          toChunk("", "stop"),
          ...(usage ? [toUsageChunk(usage)] : []),
          "[DONE]",
        ])
        : toJson(asked, usage);
    });
    const response = await raw([long, "b"], { stream, stream_options: { include_usage: true } });
    const text = await response.text();
    // The caller gets no estimate as if the vendor had counted.
    assert(text.includes('"usage":null'), text);
    const [line] = gateway.lines;
    assertEquals(line?.usage_estimated, true);
    assert(Number(line?.completion_tokens) > 2000, String(line?.completion_tokens));
    // Of the prompt whose usage is unknown, not of all.
    const input = Number(line?.prompt_tokens);
    assert(input > 3 && input < 100, String(input));
    await untilQuiet(gateway.clock);
  }
});

Deno.test("what was answered is billed if a later prompt fails without a stream", async () => {
  for (const usage of [toUsage(3, 2000), undefined]) {
    const { gateway, raw } = createWorld((asked) =>
      asked.prompt === "a"
        ? toJson(asked, usage)
        : Response.json({ error: { message: "no" } }, { status: 400 })
    );
    const response = await raw(["a", "b"], { stream: false });
    assertEquals(response.status, 400);
    await response.body?.cancel();
    const [line] = gateway.lines;
    assertEquals(line?.usage_estimated, usage === undefined ? true : undefined);
    assert(Number(line?.completion_tokens) >= (usage === undefined ? 1 : 2000));
    assertEquals(line?.attempts, 2);
  }
});

Deno.test("limits and budgets reserve for all prompts", async () => {
  const keys: readonly JsonObject[] = [
    { limits: { tokens_per_minute: 340 } },
    { budget: { usd: 0.34, per: "day" } },
  ];
  for (const key of keys) {
    const { asked, gateway, raw } = createWorld((request) => toAnswer(request), {}, key);
    const open = await raw(["a", "b", "c"], { max_tokens: 90 });
    const refused = await raw(["d"], { max_tokens: 90 });
    assertEquals(refused.status, 429, await refused.text());
    await open.text();
    const allowed = await raw(["d"], { max_tokens: 90 });
    assertEquals(allowed.status, 200, await allowed.text());
    assertEquals(asked.length, 4);
    await untilQuiet(gateway.clock);
  }
});

Deno.test("an explanation says into how many requests a list is split", async () => {
  const { gateway, asked } = createWorld((request) => toAnswer(request));
  const explain = { "x-sluice-explain": "true" };
  for (const [prompt, parts] of [[["a", "b"], 2], ["a", undefined]] as const) {
    const response = await gateway.call("/v1/completions", { model: MODEL, prompt }, explain);
    assertEquals((await response.json()).targets[0].request.parts, parts);
  }
  assertEquals(asked, []);
});

Deno.test("a server without completions is called by chat, a prompt after the other", async () => {
  const { asked, gateway, raw } = createWorld(
    (request) => request.prompt === "" ? new Response("{}", { status: 404 }) : toAnswer(request),
    { kind: "openai_compatible", api: undefined, base_url: "http://v.test/v1" },
  );
  const text = await (await raw(["a", "b"])).text();
  assert(text.endsWith("data: [DONE]\n\n"), text);
  assertEquals(asked.map(({ prompt }) => prompt), ["", "a", "b"]);
  const [line] = gateway.lines;
  assertEquals([line?.prompt_tokens, line?.completion_tokens], [6, 4]);
  await untilQuiet(gateway.clock);
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("the response cache keeps the answers to all prompts", async () => {
  const { asked, gateway, raw } = createWorld(
    (request) => toAnswer(request),
    {},
    {},
    { cache: { ttl: "1h" } },
  );
  const members = { temperature: 0, stream_options: { include_usage: true } };
  const texts: string[] = [];
  for (const prompts of [["a", "b"], ["a", "b"], ["a", "c"]]) {
    const text = await (await raw(prompts, members)).text();
    texts.push(text.replaceAll(/"id":"[^"]*"|"created":\d+|"usage":.*/g, ""));
    await untilQuiet(gateway.clock);
  }
  // A hit costs nothing, so its usage is zero.
  assertEquals(texts[1], texts[0]);
  assert(texts[2]?.includes('"text":"C"'));
  assertEquals(asked.map(({ prompt }) => prompt), ["a", "b", "a", "c"]);
});

Deno.test("another target answers all prompts if the first prompt fails", async () => {
  const { asked, gateway, raw } = createWorld(
    (request) =>
      asked.length === 1
        ? Response.json({ error: { message: "no" } }, { status: 500 })
        : toAnswer(request),
    { models: [MODEL, "n"] },
  );
  const text = await (await raw(["a", "b"], { models: ["n"] })).text();
  assert(text.endsWith("data: [DONE]\n\n"), text);
  assertEquals(asked.map(({ prompt, body }) => [prompt, body.model]), [
    ["a", MODEL],
    ...["a", "b"].map((prompt) => [prompt, "n"]),
  ]);
  await untilQuiet(gateway.clock);
});

Deno.test("a list is not continued by another target: the failure is an error event", async () => {
  const { asked, gateway, raw } = createWorld(
    (request) => request.prompt === "a" ? toAnswer(request) : toStream([toChunk("piece")]),
    { models: [MODEL, "n"] },
    {},
    { on_stream_failure: "continue" },
  );
  const text = await (await raw(["a", "b"], { models: ["n"] })).text();
  assert(text.trimEnd().split("\n\n").at(-1)?.startsWith('data: {"error":'), text);
  assertEquals(asked.map(({ body }) => body.model), [MODEL, MODEL]);
  await untilQuiet(gateway.clock);
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("what prompts may have cost counts for the cap on the cost of all attempts", async () => {
  const other = { id: "n", max_output_tokens: 100, prices: PRICES };
  const { asked, gateway } = createWorld(
    (request) =>
      asked.length === 1
        ? toJson(request, undefined)
        : Response.json({ error: { message: "no" } }, { status: 500 }),
    { models: [{ ...other, id: MODEL }, other] },
  );
  const body = { model: MODEL, models: ["n"], prompt: ["a", "b"], max_tokens: 90 };
  const response = await gateway.call("/v1/completions", body, { "x-sluice-max-cost": "0.25" });
  assertEquals(response.status, 502, await response.text());
  assertEquals(asked.map(({ body }) => body.model), [MODEL, MODEL]);
});
