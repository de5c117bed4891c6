/** Clients of Gemini's API over a real port: Google's package, and the AI SDK's. */

import { createGoogle } from "@ai-sdk/google";
import type { Content, Part } from "@google/genai";
import { assert, assertEquals } from "@std/assert";
import { generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { SERVICE_KEY } from "../support/gateway.ts";
import { createLoopWorld, LOOPS, type World } from "../support/gemini_world.ts";
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
import type { ServedGateway } from "../support/server.ts";

const TOOLS = [{
  functionDeclarations: [{
    name: TOOL,
    description: DESCRIPTION,
    parametersJsonSchema: PARAMETERS,
  }],
}];

type Converse = (world: World, loop: Loop) => Promise<string>;

const WAYS: Readonly<Record<string, Converse>> = {
  "generateContent()": byHand(async ({ client }, model, contents) => {
    const response = await client.models.generateContent({
      model,
      contents,
      config: { tools: TOOLS },
    });
    assert((response.usageMetadata?.promptTokenCount ?? 0) > 0);
    return response.candidates?.[0]?.content ?? {};
  }),
  "generateContentStream()": byHand(async ({ client }, model, contents) => {
    const stream = await client.models.generateContentStream({
      model,
      contents,
      config: { tools: TOOLS },
    });
    const parts: Part[] = [];
    let finish: string | undefined;
    for await (const { candidates } of stream) {
      parts.push(...candidates?.[0]?.content?.parts ?? []);
      finish = candidates?.[0]?.finishReason ?? finish;
    }
    assertEquals(finish, "STOP");
    return { role: "model", parts };
  }),
  "chats.sendMessageStream()": async ({ client }, { model, calls }) => {
    const chat = client.chats.create({ model, config: { tools: TOOLS } });
    const made: Part[] = [];
    for await (const chunk of await chat.sendMessageStream({ message: QUESTION })) {
      made.push(...chunk.functionCalls?.map((functionCall) => ({ functionCall })) ?? []);
    }
    let text = "";
    const message = resultsOf(made, calls);
    for await (const chunk of await chat.sendMessageStream({ message })) text += chunk.text ?? "";
    return text;
  },
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
  ask: (world: World, model: string, contents: Content[]) => Promise<Content>,
): Converse {
  return async (world, { model, calls }) => {
    const question = { role: "user", parts: [{ text: QUESTION }] };
    const made = await ask(world, model, [question]);
    const results = { role: "user", parts: resultsOf(made.parts ?? [], calls) };
    const answer = await ask(world, model, [question, made, results]);
    return (answer.parts ?? []).map(({ text }) => text ?? "").join("");
  };
}

function resultsOf(parts: readonly Part[], calls: readonly Called[]): Part[] {
  const made = parts.flatMap(({ functionCall }) => functionCall ?? []);
  assertEquals(
    made.map(({ name, args }) => [name, args]),
    calls.map(({ city }) => [TOOL, { city }]),
  );
  return made.map(({ id, args }) => ({
    functionResponse: {
      ...(id !== undefined && { id }),
      name: TOOL,
      response: JSON.parse(resultFor(calls, String(args?.city))),
    },
  }));
}

function resultFor(calls: readonly Called[], city: string): string {
  const called = calls.find((call) => call.city === city);
  if (called === undefined) throw new TypeError(city);
  return resultOf(called);
}

function aiLoop({ url, fetch }: ServedGateway, { model, calls }: Loop) {
  const provider = createGoogle({ baseURL: `${url}/v1beta`, apiKey: SERVICE_KEY, fetch });
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

for (const loop of LOOPS) {
  for (const [way, converse] of Object.entries(WAYS)) {
    Deno.test(`Gemini's API, ${loop.name}: ${way} goes through two calls at once, and results come back`, async () => {
      await using world = createLoopWorld(loop);
      assertEquals(await converse(world, loop), "Hello.");
      const last = world.arrived.at(-1)?.[loop.history];
      assert(Array.isArray(last) && last.length > 2);
      // The AI SDK's package keeps only members that it knows, and writes results its own way.
      if (way.startsWith("AI SDK") || loop === gemini) {
        for (const { city, celsius } of loop.calls) {
          const sent = JSON.stringify(last);
          assert(sent.includes(city) && sent.includes(String(celsius)), sent);
        }
        return;
      }
      // Converted targets get their own history, state included.
      const { calls } = loop;
      assertEquals(last, [loop.question, ...loop.back({ calls, results: calls, whole: true })]);
    });
  }
}
