/** What chat and Messages both have survives the way from one to the other and back. */

import { assertEquals } from "@std/assert";
import type { AnswerMessage, FinishReason, JsonObject } from "../../../src/contract/chat.ts";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";
import { DEFAULT_WRITE_OPTIONS } from "../../../src/apis/messages/answer_parts.ts";
import { readMessagesRequest } from "../../../src/apis/messages/read_request.ts";
import { writeMessage } from "../../../src/apis/messages/write_message.ts";
import { RequestFeatures } from "../../../src/gateway/request_features.ts";
import { check, convert } from "../../../src/gateway/execute/chat/prepare_request.ts";
import { RequestChanges } from "../../../src/contract/request_changes.ts";
import { countedIds, loadTestConfig, VENDOR_KEY } from "../../support/gateway.ts";
import { Random } from "../../support/random.ts";

const MODEL = "claude-sonnet-4-5";

function target() {
  const provider = { kind: "anthropic", api_key: VENDOR_KEY, models: [MODEL] };
  const [link] = loadTestConfig({ providers: { anthropic: provider } }).resolve(MODEL) ?? [];
  if (link === undefined) throw new TypeError("The model is not configured");
  return link.target;
}

const WORDS = ["Oslo", "naïve", '"quoted"', "line\nbreak", "数", "{}", "😀", "Error"];
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A conversation of parts that both formats have. */
function conversation(random: Random): JsonObject {
  const pick = <Item>(items: readonly Item[]) => random.pick(items);
  const text = () => `${pick(WORDS)} ${pick(WORDS)}`;
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } };
  const messages: JsonObject[] = [];
  if (pick([true, false])) messages.push({ role: "system", content: text() });
  const turns = pick([1, 2, 3]);
  for (let turn = 0; turn < turns; turn++) {
    const parts = [{ type: "text", text: text() }, image];
    messages.push({ role: "user", content: pick([text(), parts]) });
    const calls = pick([0, 1, 2]);
    const tool_calls = Array.from({ length: calls }, (_, at) => ({
      id: `call_${turn}_${at}`,
      type: "function",
      function: { name: "look_up", arguments: JSON.stringify({ [pick(["a", "b"])]: text() }) },
    }));
    const content = calls > 0 ? pick([null, text()]) : text();
    messages.push({ role: "assistant", content, ...(calls > 0 && { tool_calls }) });
    for (const { id } of tool_calls) {
      messages.push({ role: "tool", tool_call_id: id, content: pick([text(), text()]) });
    }
  }
  if (messages.at(-1)?.role === "assistant") messages.push({ role: "user", content: text() });
  return {
    model: MODEL,
    messages,
    max_tokens: 100,
    ...pick([{ temperature: 0.5 }, { top_p: 0.25 }, { stop: ["END"] }, {}]),
    ...pick([{ user: "u-1" }, { stream: true, stream_options: { include_usage: true } }, {}]),
    tools: [{
      type: "function",
      function: {
        name: "look_up",
        description: text(),
        parameters: { type: "object", properties: {} },
      },
    }],
    ...pick([
      { tool_choice: "required" },
      {
        tool_choice: { type: "function", function: { name: "look_up" } },
        parallel_tool_calls: false,
      },
      { tool_choice: "auto" },
      {},
    ]),
  };
}

for (let seed = 1; seed <= 100; seed++) {
  Deno.test(`a chat request comes back from the Messages API as it was, seed ${seed}`, async () => {
    const asked = conversation(new Random(seed));
    const request = readChatRequest(structuredClone(asked));
    const checked = check(target(), request, new RequestChanges(), countedIds());
    const { unsigned } = await convert(checked, new RequestFeatures([]), checked.adapter);
    // Traits are no members.
    assertEquals(
      Object.fromEntries(Object.entries(readMessagesRequest(unsigned.body).chat)),
      asked,
    );
  });
}

Deno.test("an answer comes back from the Messages API as it was", () => {
  const { adapter, call } = check(
    target(),
    readChatRequest({ model: MODEL, messages: [{ role: "user", content: "Hi" }] }),
    new RequestChanges(),
    countedIds(),
  );
  const messages: readonly AnswerMessage[] = WORDS.flatMap((word): AnswerMessage[] => [
    { role: "assistant", content: word, refusal: null },
    { role: "assistant", content: word, refusal: null, reasoning_content: `${word}?` },
    {
      role: "assistant",
      content: null,
      refusal: null,
      tool_calls: [{
        id: "call_1",
        type: "function",
        function: { name: "f", arguments: JSON.stringify({ word }) },
      }],
    },
  ]);
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 5,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 1 },
  };
  for (const message of messages) {
    for (const finish of ["stop", "length", "content_filter"] as const) {
      const called = message.tool_calls !== undefined;
      const finish_reason: FinishReason = called && finish === "stop" ? "tool_calls" : finish;
      const body = {
        id: "msg_1",
        model: "m",
        choices: [{ index: 0, message, finish_reason }],
        usage,
      };
      const written = writeMessage(
        body,
        { id: "x", created: 0, model: "m" },
        DEFAULT_WRITE_OPTIONS,
      );
      const answer = { status: 200, headers: new Headers(), body: written };
      const { choices: [back], ...rest } = adapter.toCompletion(answer, call);
      const { reasoning_details: _, ...said } = back?.message ?? { role: "assistant", content: "" };
      assertEquals({ ...rest, said, finish: back?.finish_reason }, {
        id: "msg_1",
        model: "m",
        usage,
        said: message,
        finish: finish_reason,
      });
    }
  }
});
