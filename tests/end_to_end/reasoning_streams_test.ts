/**
 * Streams that reason and then say a text, as the stream helpers of the official packages put them
 * together: the text is there, the reasoning precedes it, and the vendor gets its state back with
 * the next turn.
 */

import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { assert, assertEquals } from "@std/assert";
import { type ModelMessage, streamText } from "ai";
import OpenAI from "openai";
import type { JsonObject } from "../../src/contract/chat.ts";
import { readFixtures } from "../support/fixtures.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { toEventStream } from "../support/scripted_vendor.ts";
import { type ServedGateway, serveGateway, serveVendor } from "../support/server.ts";

interface World extends AsyncDisposable {
  readonly served: ServedGateway;
  /** The bodies that the vendor got. */
  readonly arrived: readonly JsonObject[];
}

function createWorld(provider: JsonObject, stream: () => Response): World {
  const arrived: JsonObject[] = [];
  const vendor = serveVendor(async (request) => {
    arrived.push(await request.json());
    return stream();
  });
  const vendorConfig = { api_key: VENDOR_KEY, base_url: `${vendor.url}/v1`, ...provider };
  const served = serveGateway({ config: { providers: { vendor: vendorConfig } } });
  return {
    served,
    arrived,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(served.gateway.bugs, []);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

const GPT = "gpt-5";
const SEALED = "gAAAAABsealed";

/** A vendor of the Responses API that reasons and says "Hello!". */
function createGpt(): World {
  const fixture = readFixtures().find(({ vendor, name }) =>
    `${vendor}/${name}` === "openai/responses_reasoning_stream"
  );
  if (fixture?.upstream.type !== "stream") throw new TypeError("The fixture is no stream");
  const { bytes } = fixture.upstream;
  return createWorld(
    { kind: "openai", models: [GPT], api: "responses" },
    () => new Response(bytes.slice(), { headers: { "content-type": "text/event-stream" } }),
  );
}

/** The state and the text of the first turn that the vendor got with the second one. */
function assertStateIsBack({ arrived }: World): void {
  const input = arrived[1]?.input as readonly JsonObject[];
  const state = input.findIndex((item) => item.encrypted_content === SEALED);
  const text = input.findIndex((item) => item.content === "Hello!");
  assert(state >= 0 && text > state, JSON.stringify(input));
}

Deno.test("Anthropic package: the text of GPT's stream follows its reasoning, whose state comes back", async () => {
  await using world = createGpt();
  const { url, fetch } = world.served;
  const client = new Anthropic({ baseURL: url, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Say hello." }];
  for (let turn = 0; turn < 2; turn++) {
    const { content } = await client.messages.stream({
      model: GPT,
      max_tokens: 4000,
      messages,
      thinking: { type: "enabled", budget_tokens: 2000 },
    }).finalMessage();
    const types = content.map(({ type }) => type);
    assertEquals([types[0], types.at(-1)], ["thinking", "text"], types.join());
    assertEquals(content.flatMap((block) => block.type === "text" ? block.text : []), ["Hello!"]);
    messages.push({ role: "assistant", content }, { role: "user", content: "Again." });
  }
  assertStateIsBack(world);
});

Deno.test("AI SDK for Anthropic: the text of GPT's stream follows its reasoning, whose state comes back", async () => {
  await using world = createGpt();
  const { url, fetch } = world.served;
  const provider = createAnthropic({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch });
  const messages: ModelMessage[] = [{ role: "user", content: "Say hello." }];
  for (let turn = 0; turn < 2; turn++) {
    const result = streamText({
      model: provider(GPT),
      messages,
      maxOutputTokens: 4000,
      maxRetries: 0,
      providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } } },
    });
    assertEquals((await Array.fromAsync(result.textStream)).join(""), "Hello!");
    // The package adds another part about the message.
    const types = (await result.content).map(({ type }) => type).filter((one) => one !== "custom");
    assertEquals([types[0], types.at(-1)], ["reasoning", "text"], types.join());
    messages.push(...(await result.response).messages, { role: "user", content: "Again." });
  }
  assertStateIsBack(world);
});

const CLAUDE = "claude-opus-4-6";
const SIGNATURE = "EqQBsig+/=";

/** Claude's stream of a thought and a text. */
function claudeStream(): Response {
  const block = (index: number, start: JsonObject, deltas: readonly JsonObject[]) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  const message = { id: "msg_1", type: "message", role: "assistant", model: CLAUDE, content: [] };
  const thinking = { type: "thinking", thinking: "", signature: "" };
  return toEventStream([
    {
      type: "message_start",
      message: { ...message, usage: { input_tokens: 9, output_tokens: 1 } },
    },
    ...block(0, thinking, [
      { type: "thinking_delta", thinking: "Be " },
      { type: "thinking_delta", thinking: "kind." },
      { type: "signature_delta", signature: SIGNATURE },
    ]),
    ...block(1, { type: "text", text: "" }, [
      { type: "text_delta", text: "Hel" },
      { type: "text_delta", text: "lo!" },
    ]),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 12 } },
    { type: "message_stop" },
  ]);
}

Deno.test("openai package: the text of Claude's stream follows its reasoning, whose state comes back", async () => {
  await using world = createWorld({ kind: "anthropic", models: [CLAUDE] }, claudeStream);
  const { url, fetch } = world.served;
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Say hello." }];
  for (let turn = 0; turn < 2; turn++) {
    const response = await client.responses.stream({
      model: CLAUDE,
      input,
      reasoning: { effort: "low", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      store: false,
    }).finalResponse();
    assertEquals(response.output_text, "Hello!");
    assertEquals(response.output.map(({ type }) => type), ["reasoning", "message"]);
    input.push(...response.output as OpenAI.Responses.ResponseInput);
    input.push({ role: "user", content: "Again." });
  }
  const [, turn] = world.arrived[1]?.messages as readonly JsonObject[];
  assertEquals(turn?.content, [
    { type: "thinking", thinking: "Be kind.", signature: SIGNATURE },
    { type: "text", text: "Hello!" },
  ]);
});
