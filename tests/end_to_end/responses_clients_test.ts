/**
 * Real clients of the Responses API over a real port: tools in two turns in front of each kind of
 * vendor, structured output, streams and errors.
 */

import { createOpenAI } from "@ai-sdk/openai";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { generateText, isStepCount, streamText, tool } from "ai";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { isObject, type JsonObject } from "../../src/contract/chat.ts";
import { SERVICE_KEY } from "../support/gateway.ts";
import { anthropic, bedrock } from "../support/loops/claude.ts";
import { mistral, openai } from "../support/loops/dialect.ts";
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
import { openaiResponses } from "../support/loops/responses.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { type ServedGateway, serveGateway, serveVendor } from "../support/server.ts";

const CONVERTED: readonly Loop[] = [openai, anthropic, gemini, bedrock, mistral];

interface World extends AsyncDisposable {
  readonly client: OpenAI;
  readonly served: ServedGateway;
  /** The bodies that the vendor got. */
  readonly arrived: readonly JsonObject[];
}

/** The vendor calls the tool first, and says "Hello." from then on. */
function createWorld({ provider, answer, stream }: Loop, calls: readonly Called[]): World {
  const arrived: JsonObject[] = [];
  const vendor = serveVendor(async (request) => {
    const body: JsonObject = await request.json();
    const { pathname, search } = new URL(request.url);
    const url = pathname + search;
    arrived.push(body);
    if (arrived.length > 1 || calls.length === 0) return sayHello({ url, body });
    const streamed = body.stream === true || /converse-stream$|:stream/.test(url);
    return streamed ? stream(calls) : Response.json(answer(calls));
  });
  const served = serveGateway({ config: { providers: { vendor: provider(vendor.url) } } });
  const { url, fetch, gateway } = served;
  return {
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 }),
    served,
    arrived,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(gateway.bugs, []);
      assertEquals(gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

/** A way of going through both turns, which gives the text of the answer. */
interface Way {
  readonly name: string;
  converse(world: World, loop: Loop): Promise<string>;
}

const TOOLS = [{
  type: "function" as const,
  name: TOOL,
  description: DESCRIPTION,
  parameters: PARAMETERS as unknown as Record<string, unknown>,
  strict: false,
}];

type Ask = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Answer = (client: OpenAI, ask: Ask) => Promise<OpenAI.Responses.Response>;

const whole: Answer = ({ responses }, ask) => responses.create(ask);
const streamed: Answer = ({ responses }, ask) =>
  responses.stream({ ...ask, stream: true }).finalResponse();

function resultsFor(
  { output }: OpenAI.Responses.Response,
  calls: readonly Called[],
): OpenAI.Responses.ResponseInputItem[] {
  return output.filter((item) => item.type === "function_call").map((item, at) => ({
    type: "function_call_output" as const,
    call_id: item.call_id,
    output: resultOf(calls[at] as Called),
  }));
}

function byHand(name: string, answer: Answer): Way {
  return {
    name,
    async converse({ client }, { model, calls }) {
      const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: QUESTION }];
      const ask = { model, tools: TOOLS };
      const made = await answer(client, { ...ask, input });
      const back = [...input, ...made.output, ...resultsFor(made, calls)];
      return (await answer(client, { ...ask, input: back as OpenAI.Responses.ResponseInput }))
        .output_text;
    },
  };
}

function byReference(name: string, answer: Answer): Way {
  return {
    name,
    async converse({ client }, { model, calls }) {
      const ask = { model, tools: TOOLS };
      const input = [{ role: "user" as const, content: QUESTION }];
      const made = await answer(client, { ...ask, input });
      const results = resultsFor(made, calls);
      const next = { ...ask, input: results, previous_response_id: made.id };
      return (await answer(client, next)).output_text;
    },
  };
}

function bySdk(name: string, store: boolean | undefined, stream: boolean): Way {
  return {
    name,
    async converse({ served: { url, fetch } }, { model, calls }) {
      const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch });
      const options = {
        model: provider(model),
        prompt: QUESTION,
        maxRetries: 0,
        stopWhen: isStepCount(3),
        tools: {
          [TOOL]: tool({
            description: DESCRIPTION,
            inputSchema: z.object({ city: z.string() }),
            execute: ({ city }) => ({ celsius: calls.find((call) => call.city === city)?.celsius }),
          }),
        },
        ...(store !== undefined && { providerOptions: { openai: { store } } }),
      };
      if (!stream) return (await generateText(options)).text;
      const result = streamText({ ...options, onError: ({ error }) => Promise.reject(error) });
      return await result.text;
    },
  };
}

const WAYS: readonly Way[] = [
  byHand("openai package, create()", whole),
  byHand("openai package, stream()", streamed),
  byReference("openai package, create() with previous_response_id", whole),
  byReference("openai package, stream() with previous_response_id", streamed),
  bySdk("@ai-sdk/openai, generateText()", undefined, false),
  bySdk("@ai-sdk/openai, streamText()", undefined, true),
  bySdk("@ai-sdk/openai, generateText() without store", false, false),
  bySdk("@ai-sdk/openai, streamText() without store", false, true),
];

for (const loop of CONVERTED) {
  for (const way of WAYS) {
    for (const count of [1, 2]) {
      const calls = loop.calls.slice(0, count);
      const what = count === 1 ? "one call" : "two calls at once";
      Deno.test(`Responses to ${loop.name}: ${way.name} goes through ${what}, and the vendor gets its state back`, async () => {
        await using world = createWorld(loop, calls);
        assertEquals(await way.converse(world, loop), "Hello.");
        const [, second] = world.arrived;
        const [, ...back] = second?.[loop.history] as unknown[];
        assertEquals(back, loop.back({ calls, results: calls, whole: true }));
      });
    }
  }
}

// The helper of the package needs events that the scripted vendor leaves out.
for (const way of WAYS.filter(({ name }) => !name.startsWith("openai package, stream()"))) {
  Deno.test(`Responses to ${openaiResponses.name}: ${way.name} goes through both turns unchanged`, async () => {
    const { calls } = openaiResponses;
    await using world = createWorld(openaiResponses, calls);
    assertEquals(await way.converse(world, openaiResponses), "Hello.");
    const [, second] = world.arrived;
    const input = second?.input as JsonObject[];
    const outputs = input.filter(({ type }) => type === "function_call_output");
    assertEquals(outputs.map(({ call_id, output }) => [call_id, output]), [
      [calls[0].id, resultOf(calls[0])],
      [calls[1].id, resultOf(calls[1])],
    ]);
    assert(!JSON.stringify(second).includes("@vendor"), "an ID keeps the provider");
    if (second?.previous_response_id !== undefined) {
      assertEquals(second.previous_response_id, "resp_vendor");
    } else {
      const known = input.filter(({ type }) => type === "reasoning" || type === "item_reference");
      assertEquals(known.map(({ id }) => id).slice(0, 2), ["rs_0", "rs_1"]);
    }
  });
}

Deno.test("openai package: responses.parse() gives structured output", async () => {
  const world = z.object({ text: z.string() });
  const sent: JsonObject[] = [];
  const vendor = serveVendor(async (request) => {
    sent.push(await request.json());
    const message = { role: "assistant", content: '{"text":"Hi"}' };
    return Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  });
  await using served = serveGateway({
    config: { providers: { vendor: openai.provider(vendor.url) } },
  });
  const { url, fetch } = served;
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });
  const format = zodTextFormat(world, "world");
  const parsed = await client.responses.parse({
    model: openai.model,
    input: "?",
    text: { format },
  });
  assertEquals(parsed.output_parsed, { text: "Hi" });
  const asked = sent[0]?.response_format as JsonObject;
  assertEquals([asked.type, isObject(asked.json_schema) && asked.json_schema.name], [
    "json_schema",
    "world",
  ]);
  await vendor[Symbol.asyncDispose]();
});

Deno.test("openai package: errors of the Responses API have OpenAI's classes", async () => {
  await using world = createWorld(openai, []);
  const { client, served: { url, fetch } } = world;
  const { model } = openai;
  await assertRejects(
    () => client.responses.create({ model: "nope", input: "?" }),
    OpenAI.NotFoundError,
  );
  await assertRejects(
    () => client.responses.create({ model, input: "?", temperature: 3 }),
    OpenAI.BadRequestError,
    "temperature",
  );
  await assertRejects(
    () => client.responses.create({ model, input: "?", previous_response_id: "resp_gone" }),
    OpenAI.NotFoundError,
    "store",
  );
  const stranger = new OpenAI({ baseURL: `${url}/v1`, apiKey: "sk-wrong", fetch, maxRetries: 0 });
  await assertRejects(
    () => stranger.responses.create({ model, input: "?" }),
    OpenAI.AuthenticationError,
  );
});

Deno.test("openai package: a stored answer is retrieved, its input listed, and it is deleted", async () => {
  await using world = createWorld(openai, []);
  const { responses } = world.client;
  const made = await responses.create({ model: openai.model, input: "One" });
  assertEquals((await responses.retrieve(made.id)).output_text, "Hello.");
  const items = await Array.fromAsync(responses.inputItems.list(made.id));
  assertEquals(items.length, 1);
  await responses.delete(made.id);
  await assertRejects(() => responses.retrieve(made.id), OpenAI.NotFoundError);
});
