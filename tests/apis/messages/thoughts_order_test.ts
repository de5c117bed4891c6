/** Thoughts of GPT and Gemini for callers who enable thinking, in the order of the vendor. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { collect, readEvents } from "../../support/message_events.ts";
import { ScriptedVendor, toEventStream } from "../../support/scripted_vendor.ts";

const BODY = {
  ...{ max_tokens: 20_000, stream: true, messages: [{ role: "user", content: "Hi" }] },
  tools: [{ name: "look", input_schema: { type: "object", properties: {} } }],
};
const ENABLED = { type: "enabled", budget_tokens: 10_000 };

const reasoning = (index: number, text: string) => [
  {
    ...{ type: "response.output_item.added", output_index: index },
    item: { id: `rs_${index}`, type: "reasoning", summary: [] },
  },
  {
    ...{ type: "response.reasoning_summary_text.delta", output_index: index, summary_index: 0 },
    ...{ item_id: `rs_${index}`, delta: text },
  },
  {
    ...{ type: "response.output_item.done", output_index: index },
    item: {
      ...{ id: `rs_${index}`, type: "reasoning", encrypted_content: `e${index}` },
      summary: [{ type: "summary_text", text }],
    },
  },
];
const CALL = { id: "fc_3", type: "function_call", call_id: "c1", name: "look", arguments: "{}" };
const RESPONSE = {
  ...{ id: "resp_1", object: "response", created_at: 1, model: "gpt-5.5", output: [] },
  usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
};
const GPT_EVENTS = [
  { type: "response.created", response: { ...RESPONSE, status: "in_progress" } },
  ...reasoning(0, "First thought."),
  {
    ...{ type: "response.output_item.added", output_index: 1 },
    item: { id: "msg_1", type: "message", role: "assistant", content: [] },
  },
  {
    ...{ type: "response.output_text.delta", output_index: 1, content_index: 0 },
    ...{ item_id: "msg_1", delta: "I look." },
  },
  {
    ...{ type: "response.output_item.done", output_index: 1 },
    item: {
      ...{ id: "msg_1", type: "message", role: "assistant" },
      content: [{ type: "output_text", text: "I look.", annotations: [] }],
    },
  },
  ...reasoning(2, "Second thought."),
  { type: "response.output_item.added", output_index: 3, item: { ...CALL, arguments: "" } },
  { type: "response.function_call_arguments.delta", output_index: 3, delta: "{}" },
  { type: "response.output_item.done", output_index: 3, item: CALL },
  { type: "response.completed", response: { ...RESPONSE, status: "completed" } },
];

const part = (members: JsonObject) => ({ candidates: [{ content: { parts: [members] } }] });
const GEMINI_EVENTS = [
  part({ text: "First thought.", thought: true }),
  part({ text: "I look." }),
  part({ text: "Second thought.", thought: true }),
  {
    candidates: [{
      content: { parts: [{ functionCall: { name: "look", args: {} }, thoughtSignature: "sig" }] },
      finishReason: "STOP",
    }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
  },
];

const VENDORS = [
  { kind: "openai", model: "gpt-5.5", events: GPT_EVENTS },
  { kind: "gemini", model: "gemini-2.5-pro", events: GEMINI_EVENTS },
] as const;

for (const { kind, model, events } of VENDORS) {
  const ask = async (members: JsonObject) => {
    const vendor = new ScriptedVendor(() => toEventStream(events));
    const gateway = createTestGateway({
      config: { providers: { p: { kind, api_key: VENDOR_KEY, models: [model] } } },
      fetch: vendor.fetch,
    });
    const response = await gateway.call("/v1/messages", { ...BODY, model, ...members });
    const text = await response.text();
    assertEquals(response.status, 200, text);
    return { message: collect(readEvents(text)), sent: vendor.body, headers: response.headers };
  };
  const asksThoughts = ({ reasoning, generationConfig: config }: JsonObject) =>
    kind === "openai"
      ? (reasoning as JsonObject | undefined)?.summary
      : ((config as JsonObject).thinkingConfig as JsonObject | undefined)?.includeThoughts;

  Deno.test(`${kind}: thoughts, text and calls are blocks in the vendor's order`, async () => {
    const { message, sent } = await ask({ thinking: ENABLED });
    assert(asksThoughts(sent), JSON.stringify(sent));
    const blocks = (message.content as JsonObject[]).map(({ type, text, thinking, name }) => [
      type,
      text ?? thinking ?? name,
    ]);
    assertEquals(blocks, [
      ["thinking", "First thought."],
      ["text", "I look."],
      ["thinking", "Second thought."],
      ["tool_use", "look"],
    ]);
  });

  Deno.test(`${kind}: thoughts are asked for only if the caller enables thinking`, async () => {
    for (const thinking of [undefined, { type: "disabled" }, { ...ENABLED, display: "omitted" }]) {
      const { sent } = await ask(thinking === undefined ? {} : { thinking });
      assert(!asksThoughts(sent), JSON.stringify([thinking, sent]));
    }
  });
}
