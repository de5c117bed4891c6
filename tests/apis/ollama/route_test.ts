/** Ollama's API in front of other vendors, through the whole gateway. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { textOf as sentText } from "../../support/sent_body.ts";
import { talkAs, USAGE, type VendorKind } from "../../support/talking_vendor.ts";
import { turn } from "../../support/elapse.ts";

const MODEL = "some-model";
const MESSAGES = [{ role: "user", content: "Hello" }];
const ASK = { model: MODEL, messages: MESSAGES };
const TOOLS = [{
  type: "function",
  function: {
    name: "weather",
    description: "The weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
}];

/** A gateway whose only vendor has another API than Ollama's. */
function converting(kind: VendorKind, sent: JsonObject[] = []) {
  const model = {
    id: MODEL,
    upstream: kind === "openai" ? "gpt-4.1" : "claude-opus-5",
    context_window: 128_000,
    capabilities: { tools: true, vision: true, reasoning: true },
  };
  const embedder = { id: "embedder", upstream: "text-embedding-3-small" };
  const models = kind === "openai" ? [model, embedder] : [model];
  return createTestGateway({
    config: { providers: { vendor: { kind, api_key: VENDOR_KEY, models } } },
    fetch: async (url, { body }) => {
      sent.push(JSON.parse(String(body)));
      return await talkAs(kind, new Request(url, { method: "POST", body: String(body) }));
    },
  });
}

function linesOf(text: string): JsonObject[] {
  assert(text.endsWith("\n"), text);
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

function contentOf(lines: readonly JsonObject[]): string {
  return lines.map(({ message }) => (message as JsonObject).content).join("");
}

for (const kind of ["openai", "anthropic"] as const) {
  Deno.test(`ollama: an answer of ${kind} is one object`, async () => {
    const gateway = converting(kind);
    const response = await gateway.call("/api/chat", { ...ASK, stream: false });
    assertEquals(response.status, 200);
    assertStringIncludes(response.headers.get("content-type") ?? "", "application/json");
    const { created_at, model, total_duration, ...body } = await response.json();
    assertEquals(body, {
      message: { role: "assistant", content: "Hello there." },
      done: true,
      done_reason: "stop",
      prompt_eval_count: USAGE.prompt,
      eval_count: USAGE.completion,
    });
    assert(Date.parse(created_at) > 0 && model !== "" && total_duration >= 0);
    assertEquals(gateway.lines[0]?.model, MODEL);
    assertEquals(gateway.bugs, []);
  });

  Deno.test(`ollama: a stream of ${kind} is lines, which is the default`, async () => {
    const response = await converting(kind).call("/api/chat", ASK);
    assertEquals(response.headers.get("content-type"), "application/x-ndjson");
    const lines = linesOf(await response.text());
    assertEquals(contentOf(lines), "Hello there.");
    assertEquals(lines.map(({ done }) => done), [false, false, true]);
    const { done_reason, prompt_eval_count, eval_count, message } = lines.at(-1) ?? {};
    assertEquals(message, { role: "assistant", content: "" });
    assertEquals([done_reason, prompt_eval_count, eval_count], [
      "stop",
      USAGE.prompt,
      USAGE.completion,
    ]);
  });

  Deno.test(`ollama: the prompt of /api/generate is a message of the user to ${kind}`, async () => {
    const sent: JsonObject[] = [];
    const gateway = converting(kind, sent);
    const ask = { model: MODEL, prompt: "Hello", system: "Be brief." };
    const whole = await (await gateway.call("/api/generate", { ...ask, stream: false })).json();
    assertEquals([whole.response, whole.done, whole.message], ["Hello there.", true, undefined]);
    const lines = linesOf(await (await gateway.call("/api/generate", ask)).text());
    assertEquals(lines.map(({ response }) => response), ["Hello", " there.", ""]);
    for (const { messages, system } of sent) {
      const said = JSON.stringify([system, messages]);
      assert(said.includes("Be brief.") && said.includes("Hello"), said);
    }
  });

  for (const member of ["tool_call_id", "tool_name", "neither"]) {
    Deno.test(`ollama: a call of ${kind} and its result by ${member} are a pair`, async () => {
      const gateway = converting(kind);
      const first = { ...ASK, tools: TOOLS };
      const lines = linesOf(await (await gateway.call("/api/chat", first)).text());
      const [call, ...others] = lines.flatMap(({ message }) =>
        ((message as JsonObject).tool_calls ?? []) as JsonObject[]
      );
      assertEquals(others, []);
      assertEquals(call?.function, { index: 0, name: "weather", arguments: { city: "Oslo" } });
      assertEquals(lines.at(-1)?.done_reason, "stop");
      const turn = { role: "assistant", content: "", tool_calls: [call] };
      const reference = member === "tool_call_id"
        ? { tool_call_id: call?.id }
        : member === "tool_name"
        ? { tool_name: "weather" }
        : {};
      const result = { role: "tool", content: "cold", ...reference };
      const messages = [...MESSAGES, turn, result];
      const second = await gateway.call("/api/chat", { ...first, messages, stream: false });
      assertEquals((await second.json()).message.content, "The tool says cold");
    });
  }
}

Deno.test("ollama: results go to the calls of their names, in their order", async () => {
  const sent: JsonObject[] = [];
  const call = (name: string, city: string) => ({ function: { name, arguments: { city } } });
  const result = (tool_name: string, content: string) => ({ role: "tool", tool_name, content });
  await converting("openai", sent).call("/api/chat", {
    ...ASK,
    messages: [
      ...MESSAGES,
      { role: "assistant", tool_calls: [call("a", "1"), call("b", "2"), call("a", "3")] },
      result("b", "of 2"),
      result("a", "of 1"),
      result("a", "of 3"),
    ],
  });
  const [, turn, ...results] = sent[0]?.messages as JsonObject[];
  const cities = new Map(
    (turn?.tool_calls as { id: string; function: { arguments: string } }[]).map((made) => [
      made.id,
      JSON.parse(made.function.arguments).city,
    ]),
  );
  assertEquals(cities.size, 3);
  assertEquals(
    results.map(({ tool_call_id, content }) =>
      `of ${cities.get(String(tool_call_id))}, ${content}`
    ),
    ["of 2, of 2", "of 1, of 1", "of 3, of 3"],
  );
});

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

Deno.test("ollama: images, options, format and thinking reach another vendor under its names", async () => {
  const sent: JsonObject[] = [];
  const response = await converting("openai", sent).call("/api/chat", {
    model: MODEL,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "What is this?", images: [PNG] },
    ],
    format: { type: "object", properties: { city: { type: "string" } } },
    options: {
      temperature: 2.5,
      top_p: 0.9,
      seed: 7,
      num_predict: 50,
      stop: ["END", ""],
      presence_penalty: 0.1,
      num_ctx: 4096,
    },
    keep_alive: "5m",
  });
  assertEquals(response.status, 200);
  const { messages, temperature, top_p, seed, stop, presence_penalty, ...others } = sent[0] ?? {};
  const limit = others.max_completion_tokens ?? others.max_tokens;
  assertEquals([temperature, top_p, seed, limit, stop, presence_penalty], [
    2,
    0.9,
    7,
    50,
    ["END"],
    0.1,
  ]);
  assertEquals(messages, [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
      ],
    },
  ]);
  const { json_schema } = others.response_format as { json_schema: JsonObject };
  assertEquals((json_schema.schema as JsonObject).type, "object");
  assertEquals([others.num_ctx, others.keep_alive, others.options], [
    undefined,
    undefined,
    undefined,
  ]);
  const ignored = response.headers.get("x-sluice-ignored") ?? "";
  for (const name of ["options.num_ctx", "keep_alive"]) assertStringIncludes(ignored, name);
  assertStringIncludes(response.headers.get("x-sluice-converted") ?? "", "2.5->2");
  await response.body?.cancel();
});

/** A gateway whose vendor is a server of OpenAI's dialect that gives one stream. */
function streaming(deltas: readonly JsonObject[], finish_reason = "stop", sent: JsonObject[] = []) {
  const events = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason }] },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const vendor = {
    kind: "openai_compatible",
    base_url: "http://v.test/v1",
    models: [MODEL],
    retries: 0,
  };
  return createTestGateway({
    config: { providers: { vendor } },
    fetch: async (_, { body }) => {
      sent.push(JSON.parse(await sentText(body)));
      return new Response(`${events}data: [DONE]\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
}

const THOUGHT = [{ reasoning_content: "Hm." }, { content: "Yes" }];

Deno.test("ollama: thinking is shown unless it is disabled, and has an effort", async () => {
  const sent: JsonObject[] = [];
  const gateway = streaming(THOUGHT, "stop", sent);
  const thinkingWith = async (think?: unknown) => {
    const ask = think === undefined ? ASK : { ...ASK, think };
    const lines = linesOf(await (await gateway.call("/api/chat", ask)).text());
    assertEquals(contentOf(lines), "Yes");
    return lines.flatMap(({ message }) => (message as JsonObject).thinking ?? []);
  };
  assertEquals(await thinkingWith(), ["Hm."]);
  assertEquals(await thinkingWith(true), ["Hm."]);
  assertEquals(await thinkingWith("high"), ["Hm."]);
  assertEquals(await thinkingWith(false), []);
  assertEquals(sent.map(({ reasoning_effort }) => reasoning_effort), [
    undefined,
    "medium",
    "high",
    "none",
  ]);
});

Deno.test("ollama: a call in pieces is one line, before the answer ends", async () => {
  const piece = (text: string, head: JsonObject = {}) => ({
    tool_calls: [{ index: 0, ...head, function: { ...head.function as object, arguments: text } }],
  });
  const gateway = streaming([
    piece('{"big":90071992', { id: "call_1", type: "function", function: { name: "f" } }),
    piece("54740993}"),
    { content: "after" },
  ], "tool_calls");
  const text = await (await gateway.call("/api/chat", { ...ASK, tools: TOOLS })).text();
  const [first, second, last] = text.split("\n");
  assertStringIncludes(first ?? "", '"arguments":{"big":9007199254740993}');
  assertStringIncludes(second ?? "", '"content":"after"');
  assertStringIncludes(last ?? "", '"done":true');
});

Deno.test("ollama: an answer that is cut by its limit says so", async () => {
  const response = await streaming([{ content: "Ye" }], "length").call("/api/chat", ASK);
  assertEquals(linesOf(await response.text()).at(-1)?.done_reason, "length");
});

Deno.test("ollama: a stream that fails after it began ends in a line with the error", async () => {
  const vendor = { kind: "openai_compatible", base_url: "http://v.test/v1", models: [MODEL] };
  const gateway = createTestGateway({
    config: { providers: { vendor: { ...vendor, retries: 0 } } },
    fetch: () =>
      Promise.resolve(
        new Response('data: {"choices":[{"index":0,"delta":{"content":"Ye"}}]}\n\n', {
          headers: { "content-type": "text/event-stream" },
        }),
      ),
  });
  const [first, last, ...others] = linesOf(
    await (await gateway.call("/api/chat", ASK)).text(),
  );
  assertEquals((first?.message as JsonObject).content, "Ye");
  assertEquals([typeof last?.error, others], ["string", []]);
});

Deno.test("ollama: a request without messages or prompt loads a model without asking it", async () => {
  const sent: JsonObject[] = [];
  const gateway = converting("openai", sent);
  const chat = await (await gateway.call("/api/chat", { model: MODEL })).json();
  assertEquals([chat.done, chat.done_reason, chat.message.content], [true, "load", ""]);
  const unload = { model: MODEL, keep_alive: 0 };
  const generate = await (await gateway.call("/api/generate", unload)).json();
  assertEquals([generate.done_reason, generate.response], ["unload", ""]);
  assertEquals(sent, []);
});

const ERRORS: readonly (readonly [
  name: string,
  path: string,
  body: unknown,
  status: number,
  words: string,
  headers?: Record<string, string>,
])[] = [
  ["no key", "/api/chat", ASK, 401, "service key", { authorization: "" }],
  ["a list without a key", "/api/tags", undefined, 401, "service key", { authorization: "" }],
  ["no model", "/api/chat", { messages: MESSAGES }, 400, "'model'"],
  ["an unknown model", "/api/chat", { ...ASK, model: "none" }, 404, "none"],
  ["messages that are no list", "/api/chat", { ...ASK, messages: "Hi" }, 400, "'messages'"],
  [
    "content that is no text",
    "/api/chat",
    { ...ASK, messages: [{ role: "user", content: [] }] },
    400,
    "'messages[0].content'",
  ],
  ["an option of another type", "/api/chat", { ...ASK, options: { top_p: "1" } }, 400, "options"],
  ["an unknown format", "/api/chat", { ...ASK, format: "xml" }, 400, "'format'"],
  ["an unknown level", "/api/chat", { ...ASK, think: "deeply" }, 400, "'think'"],
  [
    "an image that is none",
    "/api/chat",
    { ...ASK, messages: [{ role: "user", content: "", images: ["AAAA"] }] },
    400,
    "'messages[0].images[0]'",
  ],
  [
    "a suffix",
    "/api/generate",
    { model: MODEL, prompt: "a", suffix: "b" },
    400,
    "'suffix'",
  ],
  ["no input", "/api/embed", { model: "embedder" }, 400, "'input'"],
  ["an unknown model to show", "/api/show", { model: "none" }, 404, "none"],
];

for (const [name, path, body, status, words, headers] of ERRORS) {
  Deno.test(`ollama: ${name} is an error of one text`, async () => {
    const response = await converting("openai").call(path, body, headers);
    assertEquals(response.status, status);
    const { error, ...others } = await response.json();
    assertStringIncludes(error, words);
    assertEquals(others, {});
  });
}

Deno.test("ollama: models are listed and shown with what is known of them", async () => {
  const gateway = converting("openai");
  const { models } = await (await gateway.call("/api/tags")).json();
  assertEquals(models.map(({ name, model }: JsonObject) => [name, model]), [
    [MODEL, MODEL],
    ["embedder", "embedder"],
  ]);
  assertEquals(models[0].capabilities, ["completion", "tools", "vision", "thinking"]);
  assertEquals(models[1].capabilities, ["embedding"]);
  assert(Date.parse(models[0].modified_at) > 0);
  for (const name of [MODEL, `${MODEL}:latest`]) {
    const shown = await (await gateway.call("/api/show", { model: name })).json();
    assertEquals(shown.model_info["openai.context_length"], 128_000);
    assertEquals(shown.model_info["general.architecture"], "openai");
    assertEquals(shown.capabilities, models[0].capabilities);
  }
  assertEquals(await (await gateway.call("/api/ps")).json(), { models: [] });
});

Deno.test("ollama: the version needs no key", async () => {
  const response = await converting("openai").call("/api/version", undefined, {
    authorization: "",
  });
  assertEquals(response.status, 200);
  assert(/^0\.\d+\.\d+$/.test((await response.json()).version));
});

Deno.test("ollama: a name with the default tag is that of the model", async () => {
  const gateway = converting("openai");
  const response = await gateway.call("/api/chat", { ...ASK, model: `${MODEL}:latest` });
  assertEquals(contentOf(linesOf(await response.text())), "Hello there.");
  assertEquals(gateway.lines[0]?.model, MODEL);
});

Deno.test("ollama: vectors of another vendor, and what it does not get", async () => {
  const sent: JsonObject[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        vendor: {
          kind: "openai",
          api_key: VENDOR_KEY,
          models: [{ id: "embedder", upstream: "text-embedding-3-small" }],
        },
      },
    },
    fetch: async (_, { body }) => {
      const asked: JsonObject = JSON.parse(await sentText(body));
      sent.push(asked);
      const data = [asked.input].flat().map((_, index) => ({ index, embedding: [index, 1] }));
      return Response.json({ data, model: "m", usage: { prompt_tokens: 3, total_tokens: 3 } });
    },
  });
  const response = await gateway.call("/api/embed", {
    model: "embedder",
    input: ["a", "b"],
    dimensions: 2,
    keep_alive: "5m",
    options: { num_ctx: 9 },
  });
  const { total_duration, ...body } = await response.json();
  assertEquals(body, { model: "m", embeddings: [[0, 1], [1, 1]], prompt_eval_count: 3 });
  assert(total_duration >= 0);
  const ignored = response.headers.get("x-sluice-ignored") ?? "";
  for (const name of ["keep_alive", "options"]) assertStringIncludes(ignored, name);
  const one = await gateway.call("/api/embeddings", { model: "embedder", prompt: "a" });
  assertEquals(await one.json(), { embedding: [0, 1] });
  assertEquals(
    sent.map(({ input, dimensions, keep_alive, options }) => [
      input,
      dimensions,
      keep_alive ?? options,
    ]),
    [[["a", "b"], 2, undefined], ["a", undefined, undefined]],
  );
});

Deno.test("ollama: an explanation shows what a target would get", async () => {
  const headers = { "x-sluice-explain": "true" };
  const response = await converting("openai").call("/api/chat", ASK, headers);
  const { model, targets } = await response.json();
  assertEquals(model, MODEL);
  assertEquals(targets[0].request.body.messages, MESSAGES);
});

Deno.test("ollama: the time that is written is measured", async () => {
  const gateway: ReturnType<typeof createTestGateway> = createTestGateway({
    config: {
      providers: { vendor: { kind: "openai", api_key: VENDOR_KEY, models: [MODEL] } },
    },
    fetch: async (url, { body }) => {
      gateway.clock.advance(250);
      return await talkAs("openai", new Request(url, { method: "POST", body: String(body) }));
    },
  });
  const response = await gateway.call("/api/chat", { ...ASK, stream: false });
  const { total_duration, load_duration, eval_duration } = await response.json();
  assertEquals([total_duration, load_duration, eval_duration], [250_000_000, undefined, undefined]);
});

Deno.test("ollama: while the vendor is silent, white space is sent, which belongs to the next line", async () => {
  const silent = Promise.withResolvers<void>();
  const encoder = new TextEncoder();
  const event = (delta: JsonObject, finish_reason: string | null = null) =>
    encoder.encode(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  async function* events() {
    yield event({ content: "Ye" });
    await silent.promise;
    yield event({ content: "s" });
    yield event({}, "stop");
  }
  const vendor = { kind: "openai_compatible", base_url: "http://v.test/v1", models: [MODEL] };
  const gateway = createTestGateway({
    config: { providers: { vendor }, server: { keep_alive: "15s" } },
    fetch: () =>
      Promise.resolve(
        new Response(ReadableStream.from(events()), {
          headers: { "content-type": "text/event-stream" },
        }),
      ),
  });
  const response = await gateway.call("/api/chat", ASK);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? "";
  const next = reader?.read();
  await turn();
  gateway.clock.advance(15_000);
  const space = (await next)?.value;
  assertEquals(space, " ");
  text += space;
  silent.resolve();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    text += read.value;
  }
  assertEquals(contentOf(linesOf(text)), "Yes");
});

Deno.test("ollama: a request with too many images is refused before they are converted", async () => {
  const sent: JsonObject[] = [];
  const gateway = converting("openai", sent);
  const images = Array(2500).fill("/9j/4AAQSk");
  const turn = { role: "user", content: "x", images };
  const cases: readonly (readonly [path: string, request: JsonObject, param: string])[] = [
    ["/api/chat", { model: MODEL, messages: [turn, turn] }, "messages[1].images"],
    ["/api/generate", { model: MODEL, prompt: "x", images: [...images, ...images] }, "images"],
  ];
  for (const [path, request, param] of cases) {
    const response = await gateway.call(path, request);
    assertEquals(response.status, 400, path);
    assertStringIncludes(
      await response.text(),
      `'${param}': a request may have at most 4000 images`,
    );
  }
  assertEquals(sent, []);
});
