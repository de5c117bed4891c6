/** Clients of Ollama's API over a real port: its own package, and one of the AI SDK. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { generateText, isStepCount, streamText, tool } from "ai";
import { type Message, Ollama, type Tool, type ToolCall } from "ollama";
import { createOllama } from "ollama-ai-provider-v2";
import { z } from "zod";
import type { JsonObject } from "../../src/contract/chat.ts";
import { SERVICE_KEY } from "../support/gateway.ts";
import { anthropic, bedrock } from "../support/loops/claude.ts";
import { openai } from "../support/loops/dialect.ts";
import { gemini } from "../support/loops/google.ts";
import {
  type Called,
  DESCRIPTION,
  FUNCTION_TOOL,
  type Loop,
  QUESTION,
  resultOf,
  TOOL,
} from "../support/loops/loop.ts";
import { openaiResponses } from "../support/loops/responses.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { type ServedGateway, serveGateway, serveVendor } from "../support/server.ts";

interface World extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly client: Ollama;
  readonly arrived: JsonObject[];
}

/** The bodies that are read to their end, whatever the client reads of them. */
const reads: Promise<void>[] = [];

/** The package stops reading at the line that ends an answer, before the end of the body. */
function readsToEnd(own: typeof fetch): typeof fetch {
  return async (input, init) => {
    const { body, status, headers } = await own(input, init);
    if (body === null) return new Response(null, { status, headers });
    const whole = new TransformStream(undefined, undefined, { highWaterMark: Infinity });
    reads.push(body.pipeTo(whole.writable).catch(() => {}));
    return new Response(whole.readable, { status, headers });
  };
}

/** Ollama's package as a client of the gateway. */
function createClient({ url, fetch }: ServedGateway): Ollama {
  return new Ollama({ host: url, fetch: readsToEnd(fetch), headers: HEADERS });
}

const HEADERS = { authorization: `Bearer ${SERVICE_KEY}` };

/** The vendor calls the tool until it has results, and then says "Hello." */
function createWorld(loop: Loop): World {
  const arrived: JsonObject[] = [];
  const vendor = serveVendor(async (request) => {
    const body: JsonObject = await request.json();
    arrived.push(body);
    const { pathname, search } = new URL(request.url);
    const url = pathname + search;
    const history = body[loop.history];
    if (Array.isArray(history) && history.length > 1) return sayHello({ url, body });
    const streamed = body.stream === true || /[:-]stream/.test(url);
    return streamed ? loop.stream(loop.calls) : Response.json(loop.answer(loop.calls));
  });
  const served = serveGateway({ config: { providers: { vendor: loop.provider(vendor.url) } } });
  const { gateway } = served;
  return {
    served,
    client: createClient(served),
    arrived,
    async [Symbol.asyncDispose]() {
      await Promise.all(reads.splice(0));
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(gateway.bugs, []);
      assertEquals(gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

const TOOLS: Tool[] = [structuredClone(FUNCTION_TOOL) as unknown as Tool];

type Converse = (world: World, loop: Loop) => Promise<string>;

const WAYS: Readonly<Record<string, Converse>> = {
  "chat()": byHand(async ({ client }, model, messages) => {
    const { message, done, prompt_eval_count } = await client.chat({
      model,
      messages,
      tools: TOOLS,
    });
    assert(done && prompt_eval_count > 0);
    return message;
  }),
  "chat() as a stream": byHand(async ({ client }, model, messages) => {
    const stream = await client.chat({ model, messages, tools: TOOLS, stream: true });
    let content = "";
    const calls: ToolCall[] = [];
    let reason: string | undefined;
    for await (const { message, done, done_reason } of stream) {
      content += message.content;
      calls.push(...message.tool_calls ?? []);
      if (done) reason = done_reason;
    }
    assertEquals(reason, "stop");
    return { role: "assistant", content, tool_calls: calls };
  }),
  "AI SDK generateText()": async ({ served }, loop) =>
    (await generateText(aiLoop(served, loop))).text,
  "AI SDK streamText()": async ({ served }, loop) => {
    const result = streamText(aiLoop(served, loop));
    await result.consumeStream();
    return await result.text;
  },
};

/** Two turns, whose history is kept unchanged. */
function byHand(
  ask: (world: World, model: string, messages: Message[]) => Promise<Message>,
): Converse {
  return async (world, { model, calls }) => {
    const question = { role: "user", content: QUESTION };
    const turn = await ask(world, model, [question]);
    const made = turn.tool_calls ?? [];
    assertEquals(
      made.map(({ function: { name, arguments: input } }) => [name, input]),
      calls.map(({ city }) => [TOOL, { city }]),
    );
    const results = made.map(({ function: { name, arguments: input } }) => ({
      role: "tool",
      tool_name: name,
      content: resultFor(calls, input.city),
    }));
    return (await ask(world, model, [question, turn, ...results])).content;
  };
}

function resultFor(calls: readonly Called[], city: unknown): string {
  const called = calls.find((call) => call.city === city);
  if (called === undefined) throw new TypeError(String(city));
  return resultOf(called);
}

function aiLoop({ url, fetch }: ServedGateway, { model, calls }: Loop) {
  const provider = createOllama({ baseURL: `${url}/api`, headers: HEADERS, fetch });
  return {
    model: provider(model),
    prompt: QUESTION,
    maxRetries: 0,
    stopWhen: isStepCount(2),
    tools: {
      [TOOL]: tool({
        description: DESCRIPTION,
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => JSON.parse(resultFor(calls, city)),
      }),
    },
  };
}

for (const loop of [openai, openaiResponses, anthropic, bedrock, gemini]) {
  for (const [way, converse] of Object.entries(WAYS)) {
    Deno.test(`Ollama's API, ${loop.name}: ${way} goes through two calls at once, and results come back`, async () => {
      await using world = createWorld(loop);
      assertEquals(await converse(world, loop), "Hello.");
      const last = world.arrived.at(-1)?.[loop.history];
      assert(Array.isArray(last) && last.length > 2);
      if (!way.startsWith("chat()")) {
        const sent = JSON.stringify(last);
        for (const { city, celsius } of loop.calls) {
          assert(sent.includes(city) && sent.includes(String(celsius)), sent);
        }
        return;
      }
      // The package keeps whole calls, so targets get their own history, state included.
      const { calls } = loop;
      assertEquals(last, [loop.question, ...loop.back({ calls, results: calls, whole: true })]);
    });
  }
}

Deno.test("Ollama's API: the package generates, lists, shows, embeds and gets errors", async () => {
  await using served = serveGateway({
    config: { providers: { mock: { kind: "mock", models: ["mock-echo"] } } },
  });
  const client = createClient(served);
  const { response } = await client.generate({ model: "mock-echo", prompt: "Hello" });
  assert(response !== undefined && response.length > 0);
  let text = "";
  for await (
    const part of await client.generate({ model: "mock-echo", prompt: "Hello", stream: true })
  ) text += part.response;
  assertEquals(text, response);
  const { models } = await client.list();
  assertEquals(models.map(({ name }) => name), ["mock-echo"]);
  assert((await client.show({ model: "mock-echo" })).capabilities.includes("completion"));
  assertEquals((await client.ps()).models, []);
  assert((await client.version()).version.startsWith("0."));
  const error = await assertRejects(() => client.show({ model: "none" }), Error, "none");
  assertEquals(Reflect.get(error, "status_code"), 404);
  await assertRejects(
    () => client.chat({ model: "none", messages: [], stream: true }),
    Error,
    "none",
  );
  await Promise.all(reads.splice(0));
});

Deno.test("Ollama's API: a stream that the package aborts ends the request to the vendor", async () => {
  const aborted = Promise.withResolvers<void>();
  await using vendor = serveVendor((request) => {
    request.signal.addEventListener("abort", () => aborted.resolve());
    const first = 'data: {"choices":[{"index":0,"delta":{"content":"Ye"}}]}\n\n';
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(first)),
      cancel: () => aborted.resolve(),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const provider = { kind: "openai_compatible", base_url: `${vendor.url}/v1`, models: ["m"] };
  await using served = serveGateway({ config: { providers: { vendor: provider } } });
  const client = createClient(served);
  const messages = [{ role: "user", content: "Hi" }];
  const stream = await client.chat({ model: "m", messages, stream: true });
  await assertRejects(async () => {
    for await (const { message } of stream) {
      assertEquals(message.content, "Ye");
      stream.abort();
    }
  });
  await aborted.promise;
  await Promise.all(reads.splice(0));
});
