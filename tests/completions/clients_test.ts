/** Text completions with OpenAI's own client: converted to chats, and sent unchanged. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import OpenAI from "openai";
import { readCompletionRequest } from "../../src/apis/completions/format.ts";
import type { JsonObject } from "../../src/contract/chat.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { toEventStream } from "../support/scripted_vendor.ts";

interface Sent {
  readonly path: string;
  readonly body: JsonObject;
}

/** A vendor that answers a chat with the last message in capitals, and completions too, if it can. */
function createWorld({ kind = "openai", hasCompletions = false, model = "gpt-4.1" } = {}) {
  const sent: Sent[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        v: {
          ...{ kind, api_key: VENDOR_KEY, models: [model] },
          ...(kind === "openai_compatible" && { base_url: "http://v.test/v1" }),
          ...(kind === "openai" && { api: "chat" }),
        },
      },
    },
    fetch: (url, { body: text }) => {
      const body: JsonObject = JSON.parse(String(text));
      const { pathname: path } = new URL(url);
      sent.push({ path, body });
      if (path.endsWith("/chat/completions")) return Promise.resolve(toChatAnswer(body));
      return Promise.resolve(
        hasCompletions ? toTextAnswer(body) : new Response("{}", { status: 404 }),
      );
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
  return { client, gateway, model, sent };
}

const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

function toChatAnswer({ messages, n = 1, stream }: JsonObject): Response {
  const [{ content }] = (messages as JsonObject[]).slice(-1) as [{ content: string }];
  const text = content.toUpperCase();
  const base = { id: "c", created: 7, model: "vendor-model" };
  const indexes = Array.from({ length: Number(n) }, (_, index) => index);
  if (!stream) {
    return Response.json({
      ...{ ...base, object: "chat.completion", usage: USAGE },
      choices: indexes.map((index) => ({
        index,
        message: { role: "assistant", content: text, refusal: null },
        logprobs: null,
        finish_reason: "length",
      })),
    });
  }
  const chunk = { ...base, object: "chat.completion.chunk" };
  return toEventStream([
    ...indexes.flatMap((index) => [
      { ...chunk, choices: [{ index, delta: { role: "assistant", content: "" } }] },
      ...[...text].map((content) => ({ ...chunk, choices: [{ index, delta: { content } }] })),
      { ...chunk, choices: [{ index, delta: {}, finish_reason: "length" }] },
    ]),
    { ...chunk, choices: [], usage: USAGE },
    "[DONE]",
  ]);
}

function toTextAnswer({ prompt, stream, stream_options: options }: JsonObject): Response {
  const prompts = [prompt].flat();
  const base = { id: "cmpl-7", object: "text_completion", created: 7, model: "vendor-model" };
  const choices = prompts.map((one, index) => ({
    ...{ text: ` raw ${one}`, index, logprobs: null, finish_reason: "stop" },
  }));
  if (!stream) return Response.json({ ...base, choices, usage: USAGE });
  const includesUsage = (options as JsonObject | undefined)?.include_usage === true;
  return toEventStream([
    ...choices.map((choice) => ({ ...base, choices: [choice] })),
    ...(includesUsage ? [{ ...base, choices: [], usage: USAGE }] : []),
    "[DONE]",
  ]);
}

Deno.test("a completion becomes a chat, with 16 tokens unless the caller wants more", async () => {
  const { client, gateway, model, sent } = createWorld();
  const answer = await client.completions.create({ model, prompt: "hello", stop: ["X"] });
  assertEquals(answer, {
    ...{ id: answer.id, object: "text_completion", created: 7, model: "vendor-model" },
    choices: [{ text: "HELLO", index: 0, logprobs: null, finish_reason: "length" }],
    usage: USAGE,
  });
  assert(answer.id.startsWith("cmpl-"), answer.id);
  const [{ path, body } = { path: "", body: {} }] = sent;
  assertEquals(path, "/v1/chat/completions");
  assertEquals(body, {
    model,
    messages: [{ role: "user", content: "hello" }],
    max_tokens: 16,
    stop: ["X"],
  });
  await client.completions.create({ model, prompt: "hello", max_tokens: 99 });
  assertEquals(sent[1]?.body.max_tokens, 99);
  assertEquals(gateway.lines[0]?.path, "/v1/completions");
  assertEquals([gateway.lines[0]?.prompt_tokens, gateway.lines[0]?.completion_tokens], [3, 2]);
});

Deno.test("a stream has pieces of the text, and usage on request", async () => {
  for (const include_usage of [false, true]) {
    const { client, model } = createWorld();
    const stream = await client.completions.create({
      ...{ model, prompt: "hey", stream: true, echo: true, n: 2 },
      ...(include_usage && { stream_options: { include_usage } }),
    });
    const texts = ["", ""];
    const ends: unknown[] = [];
    let usage: unknown;
    for await (const event of stream) {
      assertEquals(event.object, "text_completion");
      for (const { index, text, finish_reason } of event.choices) {
        texts[index] += text;
        if (finish_reason !== null) ends.push([index, finish_reason]);
      }
      usage ??= event.usage;
    }
    assertEquals(texts, ["heyHEY", "heyHEY"]);
    assertEquals(ends, [[0, "length"], [1, "length"]]);
    assertEquals(usage, include_usage ? USAGE : undefined);
  }
});

Deno.test("a stream ends with [DONE]", async () => {
  const { gateway, model } = createWorld();
  const body = { model, prompt: ["a", "b"], stream: true };
  for (const prompt of ["a", ["a", "b"]]) {
    const text = await (await gateway.call("/v1/completions", { ...body, prompt })).text();
    assert(text.endsWith("data: [DONE]\n\n"), text);
  }
});

Deno.test("each prompt of a list has its choices, in order", async () => {
  const { client, gateway, model, sent } = createWorld();
  const prompt = ["one", "two", "three"];
  const answer = await client.completions.create({ model, prompt, n: 2, echo: true });
  assertEquals(
    answer.choices.map(({ index, text }) => [index, text]),
    prompt.flatMap((text, at) =>
      [0, 1].map((n) => [at * 2 + n, text + text.toUpperCase()] as [number, string])
    ),
  );
  assertEquals(answer.usage, { prompt_tokens: 9, completion_tokens: 6, total_tokens: 15 });
  assertEquals(sent.length, 3);
  assertEquals(gateway.lines.length, 1);
  assertEquals(gateway.lines[0]?.prompt_tokens, 9);
  const stream = await client.completions.create({ model, prompt, stream: true });
  const texts: string[] = [];
  for await (const { choices } of stream) {
    for (const { index, text } of choices) texts[index] = (texts[index] ?? "") + text;
  }
  assertEquals(texts, ["ONE", "TWO", "THREE"]);
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("what a chat cannot do is reported", async () => {
  const { gateway, model } = createWorld();
  const body = { model, prompt: "a", best_of: 3, suffix: "z", logprobs: 2, user: "u" };
  const response = await gateway.call("/v1/completions", body);
  const ignored = response.headers.get("x-sluice-ignored") ?? "";
  for (const name of ["best_of", "suffix", "logprobs"]) assertStringIncludes(ignored, name);
  assertStringIncludes(response.headers.get("x-sluice-converted") ?? "", "prompt->messages");
  await response.body?.cancel();
  const strict = await gateway.call("/v1/completions", body, { "x-sluice-strict": "true" });
  assertEquals(strict.status, 400, await strict.text());
  const one = await gateway.call("/v1/completions", { model, prompt: "a", best_of: 1 });
  assertEquals(one.headers.get("x-sluice-ignored"), null);
  await one.body?.cancel();
});

Deno.test("faults are refused with their paths, tokens too", async () => {
  const { gateway, model, sent } = createWorld();
  const faults: readonly (readonly [JsonObject, string])[] = [
    [{ prompt: [1, 2, 3] }, "prompt"],
    [{ prompt: [[1, 2], [3]] }, "prompt"],
    [{ prompt: [] }, "prompt"],
    [{}, "prompt"],
    [{ prompt: ["a", 3] }, "prompt[1]"],
    [{ prompt: Array(129).fill("a") }, "prompt"],
    [{ prompt: "a", max_tokens: 0 }, "max_tokens"],
    [{ prompt: "a", temperature: 3 }, "temperature"],
    [{ prompt: "a", n: "two" }, "n"],
  ];
  for (const [members, param] of faults) {
    const response = await gateway.call("/v1/completions", { model, ...members });
    const { error } = await response.json();
    assertEquals([response.status, error.param], [400, param]);
  }
  assertEquals(sent, []);
  assertEquals(readCompletionRequest({ model, prompt: Array(128).fill("a") }).prompts.length, 128);
});

for (const kind of ["openai_compatible", "vllm"]) {
  Deno.test(`${kind}: completions pass unchanged where the server has them`, async () => {
    const { client, gateway, model, sent } = createWorld({ kind, hasCompletions: true });
    const prompt = ["one", "two"];
    const members = { suffix: "z", best_of: 2, logprobs: 1, echo: true };
    const answer = await client.completions.create({ model, prompt, ...members });
    assertEquals(answer.choices.map(({ text }) => text), [" raw one", " raw two"]);
    assertEquals([answer.id, answer.usage], ["cmpl-7", USAGE]);
    assertEquals(sent, [{
      path: "/v1/completions",
      body: { model, max_tokens: 16, prompt, ...members },
    }]);
    const stream = await client.completions.create({
      ...{ model, prompt, stream: true, stream_options: { include_usage: true } },
    });
    let usage: unknown;
    let text = "";
    for await (const event of stream) {
      text += event.choices[0]?.text ?? "";
      usage ??= event.usage;
    }
    assertEquals([text, usage], [" raw one raw two", USAGE]);
    assertEquals(gateway.lines.map(({ completion_tokens: tokens }) => tokens), [2, 2]);
  });
}

Deno.test("a server without completions is called by chat", async () => {
  const { client, model, sent } = createWorld({ kind: "openai_compatible" });
  const answer = await client.completions.create({ model, prompt: "hello" });
  assertEquals(answer.choices[0]?.text, "HELLO");
  assertEquals(sent.map(({ path }) => path), ["/v1/completions", "/v1/chat/completions"]);
});

Deno.test("OpenAI: only its older models have completions", async () => {
  const model = "gpt-3.5-turbo-instruct";
  const { client, sent } = createWorld({ hasCompletions: true, model });
  const answer = await client.completions.create({ model, prompt: "hello" });
  assertEquals([answer.choices[0]?.text, sent[0]?.path], [" raw hello", "/v1/completions"]);
});

Deno.test("completions are explained", async () => {
  const explain = { "x-sluice-explain": "true" };
  const { gateway, model, sent } = createWorld();
  const asked = { model, prompt: "hello", suffix: "z" };
  const converted = await (await gateway.call("/v1/completions", asked, explain)).json();
  assertEquals(converted.targets[0].request.body.messages, [{ role: "user", content: "hello" }]);
  const other = createWorld({ kind: "vllm", model });
  const native = await (await other.gateway.call("/v1/completions", asked, explain)).json();
  assertEquals(native.targets[0].request.body.prompt, "hello");
  assertEquals([sent, other.sent], [[], []]);
});
