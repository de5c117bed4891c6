/** Thinking that nobody asked for, of models that are not Claude, is left out of messages. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { toEventStream } from "../../support/scripted_vendor.ts";

interface Said {
  readonly reasoning?: string;
  readonly details?: readonly JsonObject[];
  readonly content?: string;
  readonly tool_calls?: readonly JsonObject[];
}

const CALL = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
const USAGE = {
  prompt_tokens: 5,
  completion_tokens: 40,
  total_tokens: 45,
  completion_tokens_details: { reasoning_tokens: 30 },
};

function createWorld(said: Said, { kind = "openai_compatible", server = {}, model = "m" } = {}) {
  const { reasoning, details, content, tool_calls } = said;
  const sent: JsonObject[] = [];
  const finish_reason = tool_calls === undefined ? "stop" : "tool_calls";
  const message = {
    role: "assistant",
    content: content ?? null,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(details !== undefined && { reasoning_details: details }),
    ...(tool_calls !== undefined && { tool_calls }),
  };
  const deltas: JsonObject[] = [
    { role: "assistant" },
    ...(reasoning === undefined ? [] : [...reasoning].map((one) => ({ reasoning_content: one }))),
    ...(details === undefined ? [] : [{ reasoning_details: details }]),
    ...(content === undefined ? [] : [...content].map((one) => ({ content: one }))),
    ...(tool_calls ?? []).map((call, index) => ({ tool_calls: [{ index, ...call }] })),
  ];
  const gateway = createTestGateway({
    config: {
      server,
      providers: {
        v: {
          ...{ kind, models: [model], api_key: "k" },
          ...(kind === "openai_compatible" && { base_url: "http://v.test" }),
        },
      },
    },
    fetch: (_url, { body }) => {
      const asked = JSON.parse(String(body));
      sent.push(asked);
      const base = { id: "x", object: "chat.completion", created: 1, model: "m" };
      return Promise.resolve(
        asked.stream
          ? toEventStream([
            ...deltas.map((delta) => ({ ...base, choices: [{ index: 0, delta }] })),
            { ...base, choices: [{ index: 0, delta: {}, finish_reason }], usage: USAGE },
            "[DONE]",
          ])
          : Response.json({
            ...base,
            choices: [{ index: 0, message, finish_reason }],
            usage: USAGE,
          }),
      );
    },
  });
  return { gateway, sent };
}

type World = ReturnType<typeof createWorld>;

/** The content of the message, from its events if it is streamed. */
async function ask({ gateway }: World, members: JsonObject, stream: boolean, model = "m") {
  const response = await gateway.call("/v1/messages", {
    ...{ model, max_tokens: 9000, stream, messages: [{ role: "user", content: "Hi" }] },
    tools: [{ name: "f", input_schema: { type: "object" } }],
    ...members,
  });
  const text = await response.text();
  assertEquals([response.status, gateway.bugs], [200, []], text);
  const converted = response.headers.get("x-sluice-converted");
  if (!stream) {
    const { content, usage } = JSON.parse(text);
    return { content, usage, converted, text };
  }
  const events: JsonObject[] = text.split("\n").filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)));
  const content: JsonObject[] = [];
  let usage: JsonObject = {};
  for (const { type, index, content_block, delta, usage: told } of events) {
    if (type === "content_block_start") content[Number(index)] = content_block as JsonObject;
    const block = content[Number(index)];
    if (type === "content_block_delta" && block !== undefined) {
      const { text, thinking, signature } = delta as Record<string, string>;
      if (text !== undefined) block.text = `${block.text}${text}`;
      if (thinking !== undefined) block.thinking = `${block.thinking}${thinking}`;
      if (signature !== undefined) block.signature = signature;
    }
    if (type === "message_delta") usage = told as JsonObject;
  }
  return { content, usage, converted, text };
}

const typesOf = (content: readonly JsonObject[]) => content.map(({ type }) => type);

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";

  Deno.test(`messages, ${how}: the first block is the text unless thinking was asked for`, async () => {
    const said = { reasoning: "Hmmm", content: "Yes" };
    for (
      const members of [{}, { thinking: { type: "disabled" } }, {
        output_config: { effort: "low" },
      }]
    ) {
      const { content, usage, converted } = await ask(createWorld(said), members, stream);
      assertEquals(content, [{ type: "text", text: "Yes" }]);
      assertEquals(usage.output_tokens, 40);
      assert(converted?.split(", ").includes("thinking->omitted"), String(converted));
    }
    for (
      const thinking of [{ type: "enabled", budget_tokens: 2000 }, { type: "adaptive" }, {
        type: "adaptive",
        display: "omitted",
      }]
    ) {
      const { content, converted } = await ask(createWorld(said), { thinking }, stream);
      assertEquals(typesOf(content), ["thinking", "text"]);
      assert(!String(converted).includes("omitted"), String(converted));
    }
  });

  Deno.test(`messages, ${how}: an answer without thinking reports nothing`, async () => {
    const { content, converted } = await ask(createWorld({ content: "Yes" }), {}, stream);
    assertEquals([typesOf(content), converted], [["text"], null]);
  });

  Deno.test(`messages, ${how}: thinking alone is an empty message, with its tokens`, async () => {
    const { content, usage } = await ask(createWorld({ reasoning: "Hmmm" }), {}, stream);
    assertEquals([content, usage.output_tokens], [[], 40]);
  });

  Deno.test(`messages, ${how}: Claude at a target that is called by chat keeps its thinking`, async () => {
    const model = "anthropic/claude-opus-4.8";
    const world = createWorld({ reasoning: "Hmmm", content: "Yes" }, { model });
    const { content, converted } = await ask(world, {}, stream, model);
    assertEquals([typesOf(content), converted], [["thinking", "text"], null]);
  });

  for (const enabled of [true, false]) {
    Deno.test(`messages, ${how}: state of calls comes back without thinking, in ids: ${enabled}`, async () => {
      const details = [{ type: "reasoning.encrypted", data: "xyz", format: "v-1" }];
      const server = { reasoning_state: { enabled } };
      const world = createWorld(
        { reasoning: "Hmm", details, content: "Yes", tool_calls: [CALL] },
        { kind: "openrouter", server },
      );
      const { content, text } = await ask(world, {}, stream);
      assert(!text.includes("Hmm"), text);
      const state = enabled ? [] : ["thinking"];
      assertEquals(typesOf(content).sort(), ["text", ...state, "tool_use"].sort());
      const call = content.find(({ type }: JsonObject) => type === "tool_use");
      await ask(world, {
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", content },
          { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id, content: "1" }] },
        ],
      }, stream);
      const [, turn] = world.sent.at(-1)?.messages as JsonObject[];
      assertEquals(turn?.reasoning_details, details);
    });
  }
}

Deno.test("messages: a model that thinks long unasked has begun to answer", async () => {
  const world = createWorld({ reasoning: "Hmmm" });
  const { text } = await ask(world, {}, true);
  assert(text.startsWith("event: message_start\n"), text);
});
