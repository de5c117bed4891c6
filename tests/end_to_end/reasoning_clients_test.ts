/**
 * Reasoning state on the second turn of a tool loop, bit for bit: every vendor that has such state,
 * with every client. The official client for JavaScript has further tests in tool_loops_test.ts.
 */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { AIMessageChunk } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { ChatOpenAI } from "@langchain/openai";
import { assert, assertEquals } from "@std/assert";
import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import OpenAI from "openai";
import { SERVICE_KEY } from "../support/gateway.ts";
import {
  DESCRIPTION,
  FUNCTION_TOOL,
  PARAMETERS,
  QUESTION,
  resultOf,
  TOOL,
} from "../support/loops/loop.ts";
import { checkReturned, createLongWorld, longLoop } from "../support/loops/long.ts";
import { REASONING_LOOPS, type ReasoningLoop } from "../support/loops/reasoning.ts";
import { createLoopWorld, type LoopWorld } from "../support/loops/world.ts";

/** Has the conversation, and gives the text of the second turn. */
type Converse = (world: LoopWorld, loop: ReasoningLoop) => Promise<string>;

const CLIENTS: Readonly<Record<string, Converse>> = {
  "openai create": (world, loop) => byOpenAi(world, loop, false),
  "openai stream": (world, loop) => byOpenAi(world, loop, true),
  async "openai runTools"({ served: { url, fetch } }, loop) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });
    const runner = client.chat.completions.runTools({
      model: loop.model,
      messages: [{ role: "user", content: QUESTION }],
      tools: [{
        type: "function",
        function: {
          name: TOOL,
          description: DESCRIPTION,
          parameters: PARAMETERS as unknown as { type: "object" },
          parse: JSON.parse as (text: string) => { city: string },
          function: ({ city }: { city: string }) => JSON.stringify(weatherIn(city, loop)),
        },
      }],
    });
    return await runner.finalContent() ?? "";
  },
  async "AI SDK generateText"(world, loop) {
    return (await generateText(toAsk(world, loop))).text;
  },
  async "AI SDK streamText"(world, loop) {
    return (await Array.fromAsync(streamText(toAsk(world, loop)).textStream)).join("");
  },
  "LangChain JS invoke": (world, loop) => byLangChain(world, loop, false),
  "LangChain JS stream": (world, loop) => byLangChain(world, loop, true),
};

/** By the messages that the package puts together itself. */
async function byOpenAi(
  { served: { url, fetch } }: LoopWorld,
  { model, calls }: ReasoningLoop,
  stream: boolean,
): Promise<string> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });
  const { completions } = client.chat;
  const tools = [FUNCTION_TOOL as unknown as OpenAI.ChatCompletionTool];
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: QUESTION }];
  for (let turn = 0; turn < 2; turn++) {
    const ask = { model, messages, tools };
    const { choices: [choice] } = stream
      ? await completions.stream({ ...ask, stream }).finalChatCompletion()
      : await completions.create(ask);
    if (choice === undefined) break;
    messages.push(choice.message);
    const made = choice.message.tool_calls ?? [];
    made.forEach(({ id }, at) => {
      const content = resultOf(calls[at] ?? calls[0]);
      messages.push({ role: "tool", tool_call_id: id, content });
    });
  }
  return String(messages.at(-1)?.content);
}

function weatherIn(city: string, { calls }: ReasoningLoop): { readonly celsius: number } {
  return { celsius: calls.find((one) => one.city === city)?.celsius ?? NaN };
}

function toAsk({ served: { url, fetch } }: LoopWorld, loop: ReasoningLoop) {
  const provider = createOpenAICompatible({
    name: "sluice",
    baseURL: `${url}/v1`,
    apiKey: SERVICE_KEY,
    fetch,
  });
  return {
    model: provider(loop.model),
    prompt: QUESTION,
    maxRetries: 0,
    stopWhen: isStepCount(2),
    tools: {
      [TOOL]: tool({
        description: DESCRIPTION,
        inputSchema: jsonSchema<{ city: string }>(PARAMETERS as never),
        execute: ({ city }) => weatherIn(city, loop),
      }),
    },
  };
}

async function byLangChain(
  { served: { url, fetch } }: LoopWorld,
  loop: ReasoningLoop,
  stream: boolean,
): Promise<string> {
  const model = new ChatOpenAI({
    model: loop.model,
    apiKey: SERVICE_KEY,
    configuration: { baseURL: `${url}/v1`, fetch },
    maxRetries: 0,
    useResponsesApi: false,
  }).bindTools([FUNCTION_TOOL]);
  const question = new HumanMessage(QUESTION);
  const ask = async (messages: Parameters<typeof model.invoke>[0]): Promise<AIMessageChunk> => {
    if (!stream) return await model.invoke(messages);
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await model.stream(messages)) {
      whole = whole === undefined ? chunk : concat(whole, chunk);
    }
    return whole ?? nothing();
  };
  const called = await ask([question]);
  const results = (called.tool_calls ?? []).map(({ id = "", args }) =>
    new ToolMessage({
      tool_call_id: id,
      content: JSON.stringify(weatherIn(String(args.city), loop)),
    })
  );
  return String((await ask([question, called, ...results])).content);
}

/** State in the ids, and state in the memory. */
const PLACES = {
  "the ids": {},
  "the memory": { reasoning_state: { max_id_length: 64 } },
};

for (const [client, converse] of Object.entries(CLIENTS)) {
  for (const loop of REASONING_LOOPS) {
    for (const [place, server] of Object.entries(PLACES)) {
      Deno.test(`${client}, ${loop.name}: the state comes back from ${place}`, async () => {
        await using world = createLoopWorld(loop, loop.calls, server);
        assertEquals(await converse(world, loop), "Hello.");
        checkReturned(world, loop);
      });
    }
  }
}

for (const [client, converse] of Object.entries(CLIENTS)) {
  Deno.test(`${client} returns an id of over 12,000 characters as it is`, async () => {
    const loop = longLoop();
    await using world = createLongWorld(loop);
    assertEquals(await converse(world, loop), "Hello.");
    checkReturned(world, loop);
  });
}

Deno.test("the table of clients and vendors is what these tests cover", async () => {
  const readme = await Deno.readTextFile(
    new URL("../../docs/features/reasoning_state.md", import.meta.url),
  );
  const names = Object.keys(CLIENTS);
  for (const name of names) assert(readme.includes(`| ${name} `), `no row for the client ${name}`);
  for (const { name } of REASONING_LOOPS) {
    assert(readme.includes(`| ${name} `), `no row for ${name}`);
  }
});

function nothing(): never {
  throw new TypeError("There is none");
}
