/**
 * Two turns with a tool between them, by the official client through every native
 * vendor: calls, results and a vendor's own state go out and come back in its words.
 */

import { assert, assertEquals } from "@std/assert";
import OpenAI from "openai";
import { type Delta, isObject, type JsonObject } from "../../src/contract/chat.ts";
import { parseCallId } from "../../src/apis/chat/call_ids.ts";
import { SERVICE_KEY } from "../support/gateway.ts";
import { anthropic, bedrock, claudeOnVertex } from "../support/loops/claude.ts";
import { azure, mistral, openai } from "../support/loops/dialect.ts";
import { gemini, geminiOnVertex } from "../support/loops/google.ts";
import {
  argumentsOf,
  type Called,
  DESCRIPTION,
  FUNCTION_TOOL,
  type Loop,
  PARAMETERS,
  QUESTION,
  resultOf,
  TOOL,
} from "../support/loops/loop.ts";
import { type Arrived, createLoopWorld } from "../support/loops/world.ts";
import { coherePlan, cohereThinking, ollama } from "../support/loops/others.ts";
import { azureResponses, openaiResponses } from "../support/loops/responses.ts";

const LOOPS: readonly Loop[] = [
  openai,
  openaiResponses,
  azure,
  azureResponses,
  anthropic,
  gemini,
  geminiOnVertex,
  claudeOnVertex,
  bedrock,
  mistral,
  coherePlan,
  cohereThinking,
  ollama,
];

interface World extends AsyncDisposable {
  readonly client: OpenAI;
  readonly arrived: readonly Arrived[];
}

/** The official client in front of a gateway and a vendor. */
function createWorld(loop: Loop, calls: readonly Called[]): World {
  const world = createLoopWorld(loop, calls);
  const { url, fetch } = world.served;
  return {
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 }),
    arrived: world.arrived,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

type Completions = OpenAI["chat"]["completions"];
type Ask = OpenAI.ChatCompletionCreateParamsNonStreaming;

/** A way of asking for one message of the assistant. */
type AskOnce = (completions: Completions, ask: Ask) => Promise<OpenAI.ChatCompletionMessage>;

const askWhole: AskOnce = async (completions, ask) => {
  const { choices: [choice] } = await completions.create(ask);
  assertEquals(choice?.finish_reason, choice?.message.tool_calls ? "tool_calls" : "stop");
  return choice?.message ?? nothing();
};

/** Assembles a stream piece by piece, as callers do who need the whole reasoning. */
const askInPieces: AskOnce = async (completions, ask) => {
  const message: JsonObject = { role: "assistant", content: null };
  const calls: JsonObject[] = [];
  for await (const { choices: [choice] } of await completions.create({ ...ask, stream: true })) {
    const { content, reasoning_content, reasoning_details, tool_calls } = choice?.delta as Delta;
    if (content) message.content = `${message.content ?? ""}${content}`;
    if (reasoning_content !== undefined) {
      message.reasoning_content = `${message.reasoning_content ?? ""}${reasoning_content}`;
    }
    if (reasoning_details !== undefined) {
      message.reasoning_details = [...listOf(message.reasoning_details), ...reasoning_details];
    }
    for (const { index, function: called, ...first } of tool_calls ?? []) {
      const known = calls[index] ??= { ...first, function: { name: called?.name, arguments: "" } };
      if (isObject(known.function)) known.function.arguments += called?.arguments ?? "";
    }
  }
  if (calls.length > 0) message.tool_calls = calls;
  return message as unknown as OpenAI.ChatCompletionMessage;
};

/**
 * Lets the package assemble the stream: of members that it does not know it keeps only the last
 * piece.
 */
const askByHelper: AskOnce = async (completions, ask) => {
  const { choices: [choice] } = await completions.stream({ ...ask, stream: true })
    .finalChatCompletion();
  return choice?.message ?? nothing();
};

/** A way of going through both turns, which gives the messages of the assistant. */
interface Way {
  readonly name: string;
  readonly stream: boolean;
  /** Whether the package puts the pieces together, and keeps only the last of the thoughts. */
  readonly byPackage: boolean;
  /**
   * Whether the package runs the tool: it returns only OpenAI's own members, and results in the
   * order of the calls.
   */
  readonly runs: boolean;
  readonly converse: (
    client: OpenAI,
    loop: Loop,
    calls: readonly Called[],
  ) => Promise<readonly OpenAI.ChatCompletionMessageParam[]>;
}

const WAYS: readonly Way[] = [
  byHand("create()", { stream: false, byPackage: false }, askWhole),
  byHand("create() with stream", { stream: true, byPackage: false }, askInPieces),
  byHand("stream()", { stream: true, byPackage: true }, askByHelper),
  {
    name: "runTools()",
    stream: false,
    byPackage: false,
    runs: true,
    async converse({ chat }, loop) {
      const runner = chat.completions.runTools({ ...firstAsk(loop), tools: [runnable(loop)] });
      await runner.done();
      return runner.messages;
    },
  },
  {
    name: "runTools() with stream",
    stream: true,
    byPackage: true,
    runs: true,
    async converse({ chat }, loop) {
      const tools = [runnable(loop)];
      const runner = chat.completions.runTools({ ...firstAsk(loop), stream: true, tools });
      await runner.done();
      return runner.messages;
    },
  },
];

function byHand(name: string, how: Pick<Way, "stream" | "byPackage">, askOnce: AskOnce): Way {
  return {
    name,
    ...how,
    runs: false,
    async converse({ chat: { completions } }, loop, calls) {
      const ask: Ask = { ...firstAsk(loop), tools: [TOOL_OF_OPENAI] };
      const made = await askOnce(completions, ask);
      const results = (made.tool_calls ?? []).map(({ id }, at) => ({
        role: "tool" as const,
        tool_call_id: id,
        content: resultOf(calls[at] ?? nothing()),
      }));
      const messages = [...ask.messages, made, ...results.toReversed()];
      return [...messages, await askOnce(completions, { ...ask, messages })];
    },
  };
}

const TOOL_OF_OPENAI = FUNCTION_TOOL as unknown as OpenAI.ChatCompletionTool;

function firstAsk({ model }: Loop) {
  return { model, messages: [{ role: "user" as const, content: QUESTION }] };
}

/** The tool as runners are given it. */
function runnable({ calls }: Loop) {
  return {
    type: "function" as const,
    function: {
      name: TOOL,
      description: DESCRIPTION,
      parameters: PARAMETERS as unknown as { type: "object" },
      parse: JSON.parse as (text: string) => { city: string },
      function: ({ city }: { city: string }) =>
        resultOf(calls.find((call) => call.city === city) ?? nothing()),
    },
  };
}

for (const loop of LOOPS) {
  for (const count of [1, 2]) {
    for (const way of WAYS) {
      const calls = count === 1 ? "one call" : "two calls at once";
      Deno.test(`${loop.name}: ${way.name} goes through ${calls}, and calls, results and state come back to the vendor`, async () => {
        await checkLoop(loop, loop.calls.slice(0, count), way);
      });
    }
  }
}

for (const loop of [openaiResponses, anthropic, gemini, bedrock]) {
  Deno.test(`${loop.name}: a caller of functions gets tool_calls, and may come back with function_call`, async () => {
    const [call] = loop.calls;
    await using world = createWorld(loop, [call]);
    const { completions } = world.client.chat;
    const ask = firstAsk(loop);
    const functions = [FUNCTION_TOOL.function];
    const { choices: [first] } = await completions.create({ ...ask, functions });
    const [made] = first?.message.tool_calls ?? [];
    assertEquals(first?.finish_reason, "tool_calls");
    assertEquals(made?.type === "function" && made.function, {
      name: TOOL,
      arguments: argumentsOf(call),
    });
    const { choices: [second] } = await completions.create({
      ...ask,
      functions,
      messages: [
        ...ask.messages,
        {
          role: "assistant",
          content: null,
          function_call: { name: TOOL, arguments: argumentsOf(call) },
        },
        { role: "function", name: TOOL, content: resultOf(call) },
      ],
    });
    assertEquals(second?.message.content, "Hello.");
    // Legacy calls have no id, so they get one from their position.
    const calls = [{ ...call, id: "call_1" }];
    assertEquals(
      world.arrived.at(-1)?.body[loop.history],
      [loop.question, ...loop.back({ calls, results: calls, whole: false })],
    );
  });
}

async function checkLoop(loop: Loop, calls: readonly Called[], way: Way): Promise<void> {
  await using world = createWorld(loop, calls);
  const messages = await way.converse(world.client, loop, calls);
  const [made, answer] = messages.filter((message) => message.role === "assistant");
  assertEquals(answer?.content, "Hello.");
  checkCalls(made ?? nothing(), loop, calls, way);
  const results = way.runs ? calls : calls.toReversed();
  const turns = [[loop.question], [
    loop.question,
    ...loop.back({ calls, results, whole: true }),
  ]];
  assertEquals(world.arrived.map(({ body }) => body[loop.history]), turns);
  for (const { path, body: { [loop.history]: _, ...frame } } of world.arrived) {
    assertEquals(path, loop.path(way.stream));
    // Runners say more than they were told, as a choice of tools.
    if (!way.runs) assertEquals(frame, loop.frame(way.stream));
  }
}

/** The calls as the caller got them. */
function checkCalls(
  message: OpenAI.ChatCompletionAssistantMessageParam,
  { ownIds, reasoning }: Loop,
  calls: readonly Called[],
  { byPackage }: Way,
): void {
  const made = message.tool_calls?.filter((call) => call.type === "function") ?? [];
  assert(!message.content);
  assertEquals(
    made.map((call) => [call.type, call.function.name, JSON.parse(call.function.arguments)]),
    calls.map(({ city }) => ["function", TOOL, { city }]),
  );
  const ids = made.map(({ id }) => parseCallId(id)?.original ?? id);
  if (ownIds) assertEquals(ids, calls.map(({ id }) => id));
  assertEquals(new Set(made.map(({ id }) => id)).size, calls.length);
  const { reasoning_content } = message as unknown as JsonObject;
  if (!byPackage) assertEquals(reasoning_content, reasoning);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function nothing(): never {
  throw new TypeError("There is none");
}
