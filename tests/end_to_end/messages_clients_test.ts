/** Clients of the Messages API over a real port: the official package, and the AI SDK's. */

import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { isObject, type JsonObject } from "../../src/contract/chat.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { anthropic } from "../support/loops/claude.ts";
import { openai } from "../support/loops/dialect.ts";
import { gemini } from "../support/loops/google.ts";
import {
  type Called,
  DESCRIPTION,
  type Loop,
  PARAMETERS,
  QUESTION,
  resultOf,
  TOOL,
} from "../support/loops/loop.ts";
import { sayHello, toEventStream } from "../support/scripted_vendor.ts";
import { Gate, type ServedGateway, serveGateway, serveVendor } from "../support/server.ts";
import { talkAs } from "../support/talking_vendor.ts";

const LOOPS: readonly Loop[] = [openai, anthropic, gemini];
const THREAD_ERROR = {
  type: "error",
  error: {
    type: "invalid_request_error",
    message: "No threads",
    details: { error_code: "thread_unsupported_request" },
  },
};

interface World extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly client: Anthropic;
  readonly arrived: JsonObject[];
}

type Script = (request: Request) => Response | Promise<Response>;

function createWorld(provider: (url: string) => JsonObject, script: Script): World {
  const arrived: JsonObject[] = [];
  const vendor = serveVendor(async (request) => {
    arrived.push(await request.clone().json());
    return await script(request);
  });
  const served = serveGateway({ config: { providers: { vendor: provider(vendor.url) } } });
  const { url, fetch, gateway } = served;
  return {
    served,
    client: new Anthropic({ baseURL: url, apiKey: SERVICE_KEY, fetch, maxRetries: 0 }),
    arrived,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(gateway.bugs, []);
      assertEquals(gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

/** The vendor calls the tool until it has results, and then says "Hello." */
function createLoopWorld(loop: Loop): World {
  return createWorld(loop.provider, async (request) => {
    const body: JsonObject = await request.json();
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    // A stub of Anthropic's API has no threads either.
    if (body.thread !== undefined) return Response.json(THREAD_ERROR, { status: 400 });
    const history = body[loop.history];
    if (Array.isArray(history) && history.length > 1) return sayHello({ url: path, body });
    const streamed = body.stream === true || /:stream/.test(path);
    return streamed ? loop.stream(loop.calls) : Response.json(loop.answer(loop.calls));
  });
}

const TOOLS = [{ name: TOOL, description: DESCRIPTION, input_schema: PARAMETERS }] as const;

type Converse = (world: World, loop: Loop) => Promise<string>;

const WAYS: Readonly<Record<string, Converse>> = {
  "create()": byHand((client, ask) => client.messages.create(ask)),
  "stream()": byHand((client, ask) => client.messages.stream(ask).finalMessage()),
  "beta.messages.toolRunner()": async ({ client }, { model, calls }) => {
    const runnable = betaTool({
      name: TOOL,
      description: DESCRIPTION,
      inputSchema: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      },
      run: ({ city }) => resultFor(calls, city),
    });
    const message = await client.beta.messages.toolRunner({
      model,
      max_tokens: 1000,
      messages: [{ role: "user", content: QUESTION }],
      tools: [runnable],
    });
    return textOf(message.content);
  },
  "AI SDK generateText()": async ({ served }, loop) =>
    (await generateText(aiLoop(served, loop))).text,
  "AI SDK streamText()": async ({ served }, loop) => {
    const result = streamText(aiLoop(served, loop));
    await result.consumeStream();
    return await result.text;
  },
};

function byHand(
  ask: (
    client: Anthropic,
    ask: Anthropic.MessageCreateParamsNonStreaming,
  ) => Promise<Anthropic.Message>,
): Converse {
  return async ({ client }, { model, calls }) => {
    const first = {
      model,
      max_tokens: 1000,
      tools: TOOLS as unknown as Anthropic.Tool[],
      messages: [{ role: "user" as const, content: QUESTION }],
    };
    const made = await ask(client, first);
    assertEquals(made.stop_reason, "tool_use");
    const uses = made.content.filter((block) => block.type === "tool_use");
    assertEquals(
      uses.map(({ name, input }) => [name, input]),
      calls.map(({ city }) => [TOOL, { city }]),
    );
    const results = uses.map(({ id, input }) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: resultFor(calls, isObject(input) ? String(input.city) : ""),
    }));
    const answer = await ask(client, {
      ...first,
      messages: [
        ...first.messages,
        { role: "assistant", content: made.content as Anthropic.ContentBlockParam[] },
        { role: "user", content: results },
      ],
    });
    assertEquals(answer.stop_reason, "end_turn");
    assert(answer.usage.input_tokens > 0);
    return textOf(answer.content);
  };
}

function aiLoop({ url, fetch }: ServedGateway, { model, calls }: Loop) {
  const provider = createAnthropic({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch });
  return {
    model: provider(model),
    prompt: QUESTION,
    maxRetries: 0,
    stopWhen: isStepCount(2),
    tools: {
      [TOOL]: tool({
        description: DESCRIPTION,
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => resultFor(calls, city),
      }),
    },
  };
}

function resultFor(calls: readonly Called[], city: string): string {
  const call = calls.find((one) => one.city === city);
  if (call === undefined) throw new TypeError(`No call for ${city}`);
  return resultOf(call);
}

function textOf(content: readonly { readonly type: string; readonly text?: unknown }[]): string {
  return content.map((block) => block.type === "text" ? block.text : "").join("");
}

for (const loop of LOOPS) {
  for (const [way, converse] of Object.entries(WAYS)) {
    Deno.test(`Messages, ${loop.name}: ${way} goes through two calls at once, and results come back`, async () => {
      await using world = createLoopWorld(loop);
      assertEquals(await converse(world, loop), "Hello.");
      const last = world.arrived.at(-1)?.[loop.history];
      assert(Array.isArray(last) && last.length > 2);
      for (const { city, celsius } of loop.calls) {
        const sent = JSON.stringify(last);
        assert(sent.includes(city) && sent.includes(String(celsius)), sent);
      }
      // Converted targets get their own history, state included, however the client kept it.
      if (loop !== anthropic) {
        const { calls } = loop;
        assertEquals(last, [loop.question, ...loop.back({ calls, results: calls, whole: true })]);
      }
    });
  }
}

const HELLO = { max_tokens: 100, messages: [{ role: "user" as const, content: "Hello?" }] };
const KINDS = { openai: "gpt-4.1", anthropic: "claude-haiku-4-5" } as const;

for (const kind of ["openai", "anthropic"] as const) {
  const model = KINDS[kind];
  const provider = (url: string) => ({
    kind,
    api_key: VENDOR_KEY,
    base_url: `${url}/v1`,
    models: [model],
  });
  const ask = { ...HELLO, model };

  Deno.test(`Anthropic package, ${kind}: the stream helper says each piece of a text`, async () => {
    await using world = createWorld(provider, (request) => talkAs(kind, request));
    const texts: string[] = [];
    const stream = world.client.messages.stream(ask).on("text", (text) => texts.push(text));
    const { content, usage } = await stream.finalMessage();
    assertEquals(texts, ["Hello", " there."]);
    assertEquals(textOf(content), "Hello there.");
    assertEquals([usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens], [
      12,
      8,
      7,
    ]);
  });

  Deno.test(`Anthropic package, ${kind}: aborting a stream ends the vendor's connection`, async () => {
    const gone = new Gate();
    await using world = createWorld(provider, async (request) => {
      request.signal.addEventListener("abort", () => gone.open());
      return unending(await talkAs(kind, request));
    });
    const stream = world.client.messages.stream(ask);
    const ended = assertRejects(() => stream.done(), Anthropic.APIUserAbortError);
    stream.once("text", () => stream.abort());
    await ended;
    await gone.opened;
  });

  for (
    const [status, error] of [[400, Anthropic.BadRequestError], [404, Anthropic.NotFoundError], [
      429,
      Anthropic.RateLimitError,
    ], [500, Anthropic.InternalServerError]] as const
  ) {
    Deno.test(`Anthropic package, ${kind}: a vendor's ${status} throws ${error.name}`, async () => {
      const body = { type: "error", error: { type: "x", message: "So it goes" } };
      await using world = createWorld(provider, () => Response.json(body, { status }));
      const thrown = await assertRejects(() => world.client.messages.create(ask), error);
      assert(thrown.message.includes("So it goes"));
      assertEquals(thrown.requestID, world.served.gateway.lines[0]?.id);
    });
  }
}

Deno.test("Messages clients read an estimated usage where the vendor reports none", async () => {
  await using world = createWorld(openai.provider, async (request) => {
    const { stream } = await request.json();
    const answer = (member: string, message: JsonObject) => ({
      ...{ id: "c1", created: 1, model: "m" },
      choices: [{ index: 0, finish_reason: "stop", [member]: message }],
    });
    const message = { role: "assistant", content: "Hello." };
    return stream
      ? toEventStream([answer("delta", message), "[DONE]"])
      : Response.json(answer("message", message));
  });
  const { client, served } = world;
  const { model } = openai;
  const ask = { model, max_tokens: 9, messages: [{ role: "user" as const, content: QUESTION }] };
  const whole = await client.messages.create(ask);
  const streamed = await client.messages.stream(ask).finalMessage();
  for (const { usage } of [whole, streamed]) {
    assert(usage.input_tokens > 0 && usage.output_tokens > 0);
  }
  assertEquals((whole.usage as unknown as JsonObject).estimated, true);
  const provider = createAnthropic({
    baseURL: `${served.url}/v1`,
    apiKey: SERVICE_KEY,
    fetch: served.fetch,
  });
  const prompt = { model: provider(model), prompt: QUESTION, maxRetries: 0 };
  const generated = await generateText(prompt);
  const result = streamText(prompt);
  assertEquals([generated.text, await result.text], ["Hello.", "Hello."]);
  for (const usage of [generated.usage, await result.usage]) {
    assert((usage.inputTokens ?? 0) > 0 && (usage.outputTokens ?? 0) > 0);
  }
});

Deno.test("Anthropic package, mock: models, count_tokens and the errors of the gateway", async () => {
  const served = serveGateway({
    config: { providers: { mock: { kind: "mock", models: ["a", "b"] } } },
  });
  await using _ = served;
  const { url, fetch } = served;
  const client = new Anthropic({ baseURL: url, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });
  const listed: string[] = [];
  for await (const { id } of client.models.list({ limit: 1 })) listed.push(id);
  assertEquals(listed, ["a", "b"]);
  assertEquals((await client.models.retrieve("b")).type, "model");
  const { input_tokens } = await client.messages.countTokens({
    model: "a",
    messages: HELLO.messages,
  });
  assert(input_tokens > 0);
  await assertRejects(() => client.models.retrieve("c"), Anthropic.NotFoundError);
  const stranger = new Anthropic({ baseURL: url, apiKey: "sk-wrong", fetch, maxRetries: 0 });
  await assertRejects(
    () => stranger.messages.create({ ...HELLO, model: "a" }),
    Anthropic.AuthenticationError,
  );
});

/** The same answer without its end: the connection stays open. */
function unending(answer: Response): Response {
  const reader = answer.body?.getReader();
  const body = new ReadableStream({
    async pull(controller) {
      const text = new TextDecoder().decode((await reader?.read())?.value);
      const cut = text.indexOf("\n\n", text.indexOf('Hello"')) + 2;
      controller.enqueue(new TextEncoder().encode(text.slice(0, cut)));
      return new Promise<void>(() => {});
    },
    cancel: () => reader?.cancel(),
  });
  return new Response(body, answer);
}
