/** The OpenAI Agents SDK over a real port: a run with a tool in front of several vendors. */

import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { assert, assertEquals } from "@std/assert";
import OpenAI from "openai";
import { z } from "zod";
import type { JsonObject } from "../../src/contract/chat.ts";
import { SERVICE_KEY } from "../support/gateway.ts";
import { anthropic } from "../support/loops/claude.ts";
import { openai } from "../support/loops/dialect.ts";
import { DESCRIPTION, type Loop, QUESTION, resultOf, TOOL } from "../support/loops/loop.ts";
import { openaiResponses } from "../support/loops/responses.ts";
import { createLoopWorld, type LoopWorld } from "../support/loops/world.ts";

/** The APIs through which the SDK can ask. */
const APIS = [["Responses", true], ["chat completions", false]] as const;

async function run(
  { served: { url, fetch } }: LoopWorld,
  { model, calls }: Loop,
  useResponses: boolean,
  stream: boolean,
): Promise<unknown> {
  const openAIClient = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: SERVICE_KEY,
    fetch,
    maxRetries: 0,
  });
  const modelProvider = new OpenAIProvider({ openAIClient, useResponses });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const weather = tool({
    name: TOOL,
    description: DESCRIPTION,
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => ({ celsius: calls.find((call) => call.city === city)?.celsius }),
  });
  const agent = new Agent({
    name: "Assistant",
    instructions: "Be brief.",
    model,
    tools: [weather],
  });
  if (!stream) return (await runner.run(agent, QUESTION)).finalOutput;
  const streamed = await runner.run(agent, QUESTION, { stream });
  let text = "";
  for await (const piece of streamed.toTextStream()) text += piece;
  await streamed.completed;
  assertEquals(text, streamed.finalOutput);
  return text;
}

for (const loop of [openaiResponses, openai, anthropic]) {
  for (const [api, useResponses] of APIS) {
    for (const stream of [false, true]) {
      const how = stream ? "streamed" : "whole";
      Deno.test(`OpenAI Agents SDK to ${loop.name}: a run with a tool through ${api}, ${how}`, async () => {
        const { calls } = loop;
        await using world = createLoopWorld(loop, calls);
        assertEquals(await run(world, loop, useResponses, stream), "Hello.");
        assertEquals(world.arrived.length, 2);
        const second = JSON.stringify(world.arrived[1]?.body);
        for (const call of calls) {
          assert(second.includes(JSON.stringify(resultOf(call)).slice(1, -1)), second);
          assert(second.includes(call.id), `${call.id} in ${second}`);
        }
        assert(!second.includes("@vendor"), "an ID keeps the provider");
      });
    }
  }
}

Deno.test("OpenAI Agents SDK: the vendor gets the instructions, the tool and the model's state", async () => {
  await using world = createLoopWorld(anthropic, anthropic.calls);
  await run(world, anthropic, true, false);
  const [first, second] = world.arrived.map(({ body }) => body);
  assertEquals(first?.system, "Be brief.");
  const [offered] = first?.tools as JsonObject[];
  assertEquals([offered?.name, offered?.description], [TOOL, DESCRIPTION]);
  const [, ...back] = second?.messages as JsonObject[];
  const results = anthropic.calls;
  assertEquals(back, anthropic.back({ calls: results, results, whole: true }));
});
