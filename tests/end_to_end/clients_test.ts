/** Real clients over a real port, in front of scripted vendors: what works with OpenAI works here. */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import {
  APICallError,
  generateObject,
  generateText,
  isStepCount,
  streamObject,
  streamText,
  tool,
} from "ai";
import OpenAI, { APIError, APIUserAbortError } from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import {
  Gate,
  type Port,
  type ServedGateway,
  serveGateway,
  serveVendor,
} from "../support/server.ts";
import { talkAs, USAGE, type VendorKind } from "../support/talking_vendor.ts";

const MODELS: Readonly<Record<VendorKind, string>> = {
  openai: "gpt-4.1",
  anthropic: "claude-haiku-4-5",
};
const KINDS = Object.keys(MODELS) as readonly VendorKind[];

const HELLO = [{ role: "user", content: "Hello?" }] as const satisfies readonly unknown[];
const WEATHER = z.object({ city: z.string(), celsius: z.number() });

interface World extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly client: OpenAI;
  /** What the vendor was sent, in order. */
  readonly sent: Record<string, unknown>[];
  readonly model: string;
}

type Script = (request: Request) => Response | Promise<Response>;

/** A gateway in front of one vendor, with the official client pointed at it. */
function createWorld(kind: VendorKind, script?: Script): World {
  const sent: Record<string, unknown>[] = [];
  const vendor = serveVendor(async (request) => {
    sent.push(await request.clone().json());
    return await (script?.(request) ?? talkAs(kind, request));
  });
  const served = serveGateway({ config: configFor(kind, vendor) });
  return {
    served,
    client: createClient(served),
    sent,
    model: MODELS[kind],
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(served.gateway.bugs, []);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

function configFor(kind: VendorKind, { url }: Port): Record<string, unknown> {
  const provider = { kind, api_key: VENDOR_KEY, base_url: `${url}/v1`, models: [MODELS[kind]] };
  return { providers: { vendor: provider } };
}

function createClient({ url, fetch }: ServedGateway, apiKey = SERVICE_KEY): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, fetch, maxRetries: 0 });
}

function createSdkModel({ url, fetch }: ServedGateway, model: string) {
  const settings = { name: "sluice", baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch };
  return createOpenAICompatible({
    ...settings,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })(model);
}

Deno.test("openai package: models.list() and models.retrieve() support every form of a model ID", async () => {
  await using served = serveGateway({
    config: {
      providers: {
        first: { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-4.1", "weird@2024"] },
        second: {
          kind: "openai_compatible",
          base_url: "http://127.0.0.1:1/v1",
          models: ["gpt-4.1", "@cf/meta/llama-4"],
        },
      },
      aliases: { fast: "gpt-4.1@second" },
    },
  });
  const client = createClient(served);
  const listed = [];
  for await (const model of client.models.list()) listed.push(model.id);
  assertEquals(listed.toSorted(), [
    "@cf/meta/llama-4",
    "fast",
    "gpt-4.1",
    "gpt-4.1@first",
    "gpt-4.1@second",
    "weird@2024",
  ]);
  for (const id of [...listed, "weird@2024@first", "@cf/meta/llama-4@second"]) {
    const model = await client.models.retrieve(id);
    assertEquals([model.id, model.object, typeof model.created], [id, "model", "number"]);
  }
  assertEquals((await client.models.retrieve("fast")).owned_by, "openai_compatible");
  await assertRejects(() => client.models.retrieve("gpt-5"), OpenAI.NotFoundError);
});

for (const kind of KINDS) {
  Deno.test(`openai package, ${kind}: create() returns a completion`, async () => {
    await using world = createWorld(kind);
    const { client, model } = world;
    const completion = await client.chat.completions.create({ model, messages: [...HELLO] });
    assertEquals(completion.object, "chat.completion");
    assertEquals(completion.choices[0]?.message.content, "Hello there.");
    assertEquals(completion.choices[0]?.finish_reason, "stop");
    assertEquals(completion.usage?.prompt_tokens, USAGE.prompt);
    assertEquals(completion.usage?.completion_tokens, USAGE.completion);
    assertEquals(completion.usage?.prompt_tokens_details?.cached_tokens, USAGE.cached);
    assertEquals(completion._request_id, world.served.gateway.lines[0]?.id);
  });

  Deno.test(`openai package, ${kind}: create() with stream returns chunks in OpenAI's order`, async () => {
    await using world = createWorld(kind);
    const { client, model } = world;
    const stream = await client.chat.completions.create({
      model,
      messages: [...HELLO],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    assertEquals(chunks.map(({ choices }) => choices[0]?.delta), [
      { role: "assistant", content: "" },
      { content: "Hello" },
      { content: " there." },
      {},
      undefined,
    ]);
    assertEquals(chunks.map(({ choices }) => choices[0]?.finish_reason), [
      null,
      null,
      null,
      "stop",
      undefined,
    ]);
    assertEquals(new Set(chunks.map(({ id }) => id)).size, 1);
    assertEquals(chunks.at(-1)?.usage?.total_tokens, USAGE.prompt + USAGE.completion);
  });

  Deno.test(`openai package, ${kind}: the stream helper collects a completion`, async () => {
    await using world = createWorld(kind);
    const { client, model } = world;
    const texts: string[] = [];
    const stream = client.chat.completions
      .stream({ model, messages: [...HELLO], stream_options: { include_usage: true } })
      .on("content", (delta) => texts.push(delta));
    const completion = await stream.finalChatCompletion();
    assertEquals(texts, ["Hello", " there."]);
    assertEquals(completion.choices[0]?.message.content, "Hello there.");
    assertEquals((await stream.totalUsage()).completion_tokens, USAGE.completion);
  });

  Deno.test(`openai package, ${kind}: parse() returns an object of the schema`, async () => {
    await using world = createWorld(kind);
    const { client, model } = world;
    const response_format = zodResponseFormat(WEATHER, "weather");
    const ask = { model, messages: [...HELLO], response_format };
    const completion = await client.chat.completions.parse(ask);
    assertEquals(completion.choices[0]?.message.parsed, { city: "Oslo", celsius: -3 });
    const streamed = await client.chat.completions.stream(ask).finalChatCompletion();
    assertEquals(streamed.choices[0]?.message.parsed, { city: "Oslo", celsius: -3 });
  });

  Deno.test(`openai package, ${kind}: aborting a stream ends it, and the vendor's connection`, async () => {
    const gone = new Gate();
    const script: Script = async (request) => {
      request.signal.addEventListener("abort", () => gone.open());
      return unending(await talkAs(kind, request));
    };
    await using world = createWorld(kind, script);
    const { client, model } = world;
    const caller = new AbortController();
    const stream = client.chat.completions.stream({ model, messages: [...HELLO] }, {
      signal: caller.signal,
    });
    const ended = assertRejects(() => stream.done(), APIUserAbortError);
    await stream.emitted("connect");
    stream.once("content", () => caller.abort());
    await ended;
    await gone.opened;
  });

  Deno.test(`openai package, ${kind}: an error within a stream is thrown by the iteration`, async () => {
    const script: Script = async (request) => {
      const text = await (await talkAs(kind, request)).text();
      const start = text.slice(0, text.indexOf(" there."));
      const events = start.slice(0, start.lastIndexOf("\n\n") + 2);
      const error = { type: "overloaded_error", message: "Overloaded" };
      return new Response(
        `${events}event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`,
        { headers: { "content-type": "text/event-stream" } },
      );
    };
    await using world = createWorld(kind, script);
    const { client, model } = world;
    const stream = await client.chat.completions.create({
      model,
      messages: [...HELLO],
      stream: true,
    });
    let text = "";
    const error = await assertRejects(async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    }, APIError);
    assertEquals(text, "Hello");
    assertEquals(error.code, "upstream_unavailable");
    assertEquals(error.type, "api_error");
  });

  Deno.test(`AI SDK, ${kind}: generateText() returns text and usage`, async () => {
    await using world = createWorld(kind);
    const { text, usage, finishReason } = await generateText({
      model: createSdkModel(world.served, world.model),
      prompt: "Hello?",
      maxRetries: 0,
    });
    assertEquals([text, finishReason], ["Hello there.", "stop"]);
    assertEquals(
      [usage.inputTokens, usage.outputTokens, usage.inputTokenDetails.cacheReadTokens],
      [USAGE.prompt, USAGE.completion, USAGE.cached],
    );
  });

  Deno.test(`AI SDK, ${kind}: generateText() calls a tool in two steps`, async () => {
    await using world = createWorld(kind);
    const { text, steps } = await generateText(toolLoop(world));
    assertEquals(text, 'The tool says {"celsius":-3}');
    assertEquals(steps.map(({ finishReason }) => finishReason), ["tool-calls", "stop"]);
    assertEquals(steps[0]?.toolCalls[0]?.input, { city: "Oslo" });
  });

  Deno.test(`AI SDK, ${kind}: streamText() streams its text piece by piece`, async () => {
    await using world = createWorld(kind);
    const result = streamText({
      model: createSdkModel(world.served, world.model),
      prompt: "Hello?",
      maxRetries: 0,
    });
    assertEquals(await Array.fromAsync(result.textStream), ["Hello", " there."]);
    assertEquals((await result.usage).outputTokens, USAGE.completion);
    assertEquals(await result.finishReason, "stop");
  });

  Deno.test(`AI SDK, ${kind}: streamText() calls a tool in two steps`, async () => {
    await using world = createWorld(kind);
    const result = streamText(toolLoop(world));
    assertEquals(
      (await Array.fromAsync(result.textStream)).join(""),
      'The tool says {"celsius":-3}',
    );
    const steps = await result.steps;
    assertEquals(steps.map(({ finishReason }) => finishReason), ["tool-calls", "stop"]);
    assertEquals(steps[0]?.toolCalls[0]?.input, { city: "Oslo" });
    assertEquals((await result.totalUsage).outputTokens, 2 * USAGE.completion);
  });
}

function toolLoop({ served, model }: World) {
  return {
    model: createSdkModel(served, model),
    prompt: "The weather in Oslo?",
    maxRetries: 0,
    stopWhen: isStepCount(2),
    tools: {
      get_weather: tool({
        description: "The weather of a city",
        inputSchema: z.object({ city: z.string() }),
        execute: () => ({ celsius: -3 }),
      }),
    },
  };
}

/** What the vendor answers, and what the official client throws then. */
const FAILURES = [
  { status: 400, error: OpenAI.BadRequestError, code: "invalid_value" },
  { status: 401, error: OpenAI.InternalServerError, code: "upstream_auth" },
  { status: 404, error: OpenAI.NotFoundError, code: "model_not_found" },
  { status: 429, error: OpenAI.RateLimitError, code: "rate_limit_exceeded" },
  { status: 500, error: OpenAI.InternalServerError, code: "upstream_error" },
  { status: 503, error: OpenAI.InternalServerError, code: "upstream_unavailable" },
] as const;

for (const { status, error, code } of FAILURES) {
  for (const stream of [false, true]) {
    Deno.test(`openai package: a vendor's ${status} throws ${error.name}${stream ? " for a stream" : ""}`, async () => {
      await using world = createWorld("openai", () =>
        Response.json(
          { error: { message: "So it goes", type: "x", param: "messages", code: "invalid_value" } },
          { status, headers: { "retry-after": "3" } },
        ));
      const { client, model } = world;
      const thrown = await assertRejects(
        () => client.chat.completions.create({ model, messages: [...HELLO], stream }),
        APIError,
      );
      assertInstanceOf(thrown, error);
      assertEquals(thrown.code, code);
      assertEquals(thrown.headers?.get("retry-after"), status === 401 ? null : "3");
      assertEquals(thrown.requestID, world.served.gateway.lines[0]?.id);
    });
  }
}

/** What structured output asks for: objects in lists, choices, formats, itself. */
const RECIPE = z.object({
  title: z.string().min(8),
  kind: z.enum(["soup", "cake"]),
  minutes: z.int().min(10).max(90),
  vegan: z.boolean(),
  note: z.string().nullable(),
  made: z.iso.datetime(),
  by: z.email(),
  steps: z.array(z.object({ text: z.string(), seconds: z.number().positive() })).min(2),
  source: z.union([z.object({ type: z.literal("book"), isbn: z.string() }), z.null()]),
  get variants() {
    return z.array(RECIPE);
  },
});

Deno.test("openai package, mock: parse() returns an object of the schema, streamed or not", async () => {
  await using served = serveGateway({ config: { providers: { mock: MOCK } } });
  const client = createClient(served);
  const response_format = zodResponseFormat(RECIPE, "recipe");
  const ask = { model: "mock-echo", messages: [...HELLO], response_format };
  const completion = await client.chat.completions.parse(ask);
  const parsed = completion.choices[0]?.message.parsed;
  assertEquals(RECIPE.parse(parsed), parsed);
  const streamed = await client.chat.completions.stream(ask).finalChatCompletion();
  assertEquals(streamed.choices[0]?.message.parsed, parsed);
});

Deno.test("AI SDK, mock: generateObject() and streamObject() return an object of the schema", async () => {
  await using served = serveGateway({ config: { providers: { mock: MOCK } } });
  const ask = {
    model: createSdkModel(served, "mock-echo"),
    schema: RECIPE,
    prompt: "A recipe",
    maxRetries: 0,
  };
  const { object } = await generateObject(ask);
  assertEquals(RECIPE.parse(object), object);
  const streaming = streamObject(ask);
  const partial = await Array.fromAsync(streaming.partialObjectStream);
  assert(partial.length > 2);
  assertEquals(await streaming.object, object);
  const { object: list } = await generateObject({ ...ask, schema: WEATHER, output: "array" });
  assertEquals(list, [{ city: "mock", celsius: 1 }]);
});

Deno.test("AI SDK, mock: a choice is one of the options", async () => {
  await using served = serveGateway({ config: { providers: { mock: MOCK } } });
  const { object } = await generateObject({
    model: createSdkModel(served, "mock-echo"),
    output: "enum",
    enum: ["sunny", "rainy"],
    prompt: "The weather?",
    maxRetries: 0,
  });
  assertEquals(object, "sunny");
});

Deno.test("openai package: a wrong service key throws AuthenticationError", async () => {
  await using served = serveGateway({ config: { providers: { mock: MOCK } } });
  const client = createClient(served, "sk-wrong");
  const thrown = await assertRejects(() => client.models.list(), OpenAI.AuthenticationError);
  assertEquals(thrown.code, "invalid_api_key");
});

Deno.test("openai package: an unknown model throws NotFoundError, a bad field BadRequestError", async () => {
  await using served = serveGateway({ config: { providers: { mock: MOCK } } });
  const { chat } = createClient(served);
  const unknown = await assertRejects(
    () => chat.completions.create({ model: "mock-ecko", messages: [...HELLO] }),
    OpenAI.NotFoundError,
  );
  assertEquals([unknown.code, unknown.param], ["model_not_found", "model"]);
  assert(unknown.message.includes("did you mean 'mock-echo'"));
  const bad = await assertRejects(
    () =>
      chat.completions.create({
        model: "mock-echo",
        messages: [...HELLO, { role: "user", content: 7 as never }],
      }),
    OpenAI.BadRequestError,
  );
  assertEquals([bad.code, bad.param], ["invalid_value", "messages[1].content"]);
});

Deno.test("AI SDK: an error before the answer is an APICallError with its status", async () => {
  await using served = serveGateway({ config: { providers: { mock: MOCK } } });
  const thrown = await assertRejects(
    () => generateText({ model: createSdkModel(served, "nobody"), prompt: "x", maxRetries: 0 }),
    APICallError,
  );
  assertEquals(thrown.statusCode, 404);
  assertEquals(thrown.message, "The model 'nobody' does not exist; see GET /v1/models");
});

const MOCK = { kind: "mock", models: ["mock-echo"] };

/** The same answer without its end: the connection stays open. */
function unending(answer: Response): Response {
  const reader = answer.body?.getReader();
  const body = new ReadableStream({
    async pull(controller) {
      const text = new TextDecoder().decode((await reader?.read())?.value);
      const cut = text.indexOf("\n\n", text.indexOf("Hello")) + 2;
      controller.enqueue(new TextEncoder().encode(text.slice(0, cut)));
      return new Promise<void>(() => {});
    },
    cancel: () => reader?.cancel(),
  });
  return new Response(body, answer);
}
