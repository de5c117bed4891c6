/** Requests and answers of the Messages and the Responses API, and vectors, without a browser. */

import { assertEquals, assertThrows } from "@std/assert";
import { AnswerFold } from "../../src/console/assets/views/playground/answer_fold.js";
import { loadedApi } from "../../src/console/assets/views/playground/apis/list.js";
import * as messagesApi from "../../src/console/assets/views/playground/apis/messages.js";
import * as responsesApi from "../../src/console/assets/views/playground/apis/responses.js";
import {
  cosine,
  mostAlike,
  toInputs,
  vectorsOf,
} from "../../src/console/assets/views/playground/apis/vectors.js";

const NONE = new Set<string>();
const PARAMETERS = { type: "object", properties: { city: { type: "string" } } };
const FUNCTION = { name: "weather", description: "Says it", parameters: PARAMETERS };
const call = (id: string) => ({
  ...{ id, type: "function" },
  function: { name: "weather", arguments: '{"city":"Oslo"}' },
});

const CHAT = {
  ...{ model: "m", stream: true, stream_options: { include_usage: true }, max_tokens: 9 },
  messages: [
    { role: "system", content: "Be kind" },
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        { type: "image_url", image_url: { url: "https://x.test/a.png" } },
      ],
    },
    {
      role: "assistant",
      content: "One moment",
      tool_calls: [call("c1"), call("c2")],
      reasoning_details: [
        { type: "thinking", thinking: "Hm", signature: "s", api: "messages" },
        { type: "reasoning", id: "r1", summary: [], api: "responses" },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "3" },
    { role: "tool", tool_call_id: "c2", content: "4" },
    { role: "assistant", content: "Cold" },
    { role: "user", content: "Thanks" },
  ],
  tools: [{ type: "function", function: FUNCTION }],
  ...{ tool_choice: "required", parallel_tool_calls: false, reasoning_effort: "low" },
};

Deno.test("a request of the Messages API has what the chat has", () => {
  const image = (source: object) => ({ type: "image", source });
  const use = (id: string) => ({ type: "tool_use", id, name: "weather", input: { city: "Oslo" } });
  const result = (tool_use_id: string, content: string) => ({
    ...{ type: "tool_result", tool_use_id, content },
  });
  assertEquals(
    messagesApi.toBody({ ...CHAT, stop: ["x"], user: "u", top_k: 3 }, new Set(["top_k"])),
    {
      ...{ model: "m", stream: true, max_tokens: 9, system: "Be kind", top_k: 3 },
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            image({ type: "base64", media_type: "image/png", data: "AAAA" }),
            image({ type: "url", url: "https://x.test/a.png" }),
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm", signature: "s" },
            { type: "text", text: "One moment" },
            use("c1"),
            use("c2"),
          ],
        },
        { role: "user", content: [result("c1", "3"), result("c2", "4")] },
        { role: "assistant", content: "Cold" },
        { role: "user", content: "Thanks" },
      ],
      tools: [{ name: "weather", description: "Says it", input_schema: PARAMETERS }],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      output_config: { effort: "low" },
      stop_sequences: ["x"],
      metadata: { user_id: "u" },
    },
  );
  const refused = (members: object) => () => messagesApi.toBody({ ...CHAT, ...members }, NONE);
  assertThrows(refused({ seed: 1 }), RangeError, "seed: the Messages API does not have it");
  assertThrows(refused({ max_tokens: undefined }), RangeError, "max_tokens");
});

Deno.test("a request of the Responses API has what the chat has", () => {
  const schema = { type: "json_schema", json_schema: { name: "s", schema: {} } };
  const body = responsesApi.toBody({ ...CHAT, response_format: schema, verbosity: "low" }, NONE);
  const item = (call_id: string) => ({
    ...{ type: "function_call", call_id, name: "weather", arguments: '{"city":"Oslo"}' },
  });
  assertEquals(body, {
    ...{ model: "m", stream: true, max_output_tokens: 9, instructions: "Be kind" },
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image_url: "data:image/png;base64,AAAA" },
          { type: "input_image", image_url: "https://x.test/a.png" },
        ],
      },
      { type: "reasoning", id: "r1", summary: [] },
      { role: "assistant", content: "One moment" },
      item("c1"),
      item("c2"),
      { type: "function_call_output", call_id: "c1", output: "3" },
      { type: "function_call_output", call_id: "c2", output: "4" },
      { role: "assistant", content: "Cold" },
      { role: "user", content: "Thanks" },
    ],
    tools: [{ type: "function", ...FUNCTION }],
    ...{ tool_choice: "required", parallel_tool_calls: false, reasoning: { effort: "low" } },
    text: { format: { type: "json_schema", name: "s", schema: {} }, verbosity: "low" },
  });
  const refused = () => responsesApi.toBody({ ...CHAT, stop: ["x"] }, NONE);
  assertThrows(refused, RangeError, "stop: the Responses API does not have it");
});

Deno.test("Chat Completions gets no reasoning of other APIs", () => {
  const { toBody } = loadedApi("chat") as { toBody: (chat: typeof CHAT) => typeof CHAT };
  const { messages } = toBody(CHAT);
  assertThrows(() => loadedApi("messages"), RangeError, "is being loaded");
  assertEquals(messages[2], {
    ...{ role: "assistant", content: "One moment", tool_calls: [call("c1"), call("c2")] },
  });
});

interface Reader {
  isComplete: boolean;
  // deno-lint-ignore no-explicit-any
  read(event: any): any;
  // deno-lint-ignore no-explicit-any
  readWhole(body: any): any[];
}

/** What an answer folds to. */
function folded(chunks: readonly unknown[]) {
  const fold = new AnswerFold();
  for (const chunk of chunks) if (chunk !== undefined) fold.addChunk(chunk);
  const { reasoning, finishReason, model, usage } = fold;
  return { message: fold.toMessage(), reasoning, finishReason, model, usage };
}

const streamed = (reader: Reader, events: readonly unknown[]) =>
  folded(events.map((event) => reader.read(event)));

const USAGE = {
  ...{ prompt_tokens: 7, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } },
  completion_tokens_details: { reasoning_tokens: 2 },
};

Deno.test("an answer of the Messages API is the same streamed and whole", () => {
  const usage = {
    ...{ input_tokens: 1, cache_creation_input_tokens: 2, cache_read_input_tokens: 4 },
    ...{ output_tokens: 5, output_tokens_details: { thinking_tokens: 2 } },
  };
  const content = [
    { type: "thinking", thinking: "Hm.", signature: "sig" },
    { type: "text", text: "Hello" },
    { type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } },
  ];
  const part = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
  const begin = (index: number, content_block: object) => ({
    ...{ type: "content_block_start", index, content_block },
  });
  const reader = new messagesApi.Reader();
  const read = streamed(reader, [
    { type: "message_start", message: { model: "m", usage: { input_tokens: 9 } } },
    { type: "ping" },
    begin(0, { type: "thinking", thinking: "", signature: "" }),
    ...["H", "m."].map((thinking) => part(0, { type: "thinking_delta", thinking })),
    part(0, { type: "signature_delta", signature: "sig" }),
    { type: "content_block_stop", index: 0 },
    begin(1, { type: "text", text: "" }),
    ...["Hel", "lo"].map((text) => part(1, { type: "text_delta", text })),
    { type: "content_block_stop", index: 1 },
    begin(2, { type: "tool_use", id: "c1", name: "weather", input: {} }),
    ...['{"city":', '"Oslo"}'].map((partial_json) =>
      part(2, { type: "input_json_delta", partial_json })
    ),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage },
  ]);
  assertEquals(reader.isComplete, false);
  reader.read({ type: "message_stop" });
  assertEquals(reader.isComplete, true);
  assertEquals(read, {
    ...{ reasoning: "Hm.", finishReason: "tool_calls", model: "m", usage: USAGE },
    message: {
      ...{ role: "assistant", content: "Hello", tool_calls: [call("c1")] },
      reasoning_details: [
        { type: "thinking", thinking: "Hm.", signature: "sig", api: "messages" },
      ],
    },
  });
  const whole = { model: "m", content, usage, stop_reason: "tool_use" };
  assertEquals(folded(new messagesApi.Reader().readWhole(whole)), read);
});

Deno.test("an answer of the Responses API is the same streamed and whole", () => {
  const usage = {
    ...{ input_tokens: 7, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } },
    output_tokens_details: { reasoning_tokens: 2 },
  };
  const thought = { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "Hm." }] };
  const tool = { type: "function_call", call_id: "c1", name: "weather" };
  const text = '{"city":"Oslo"}';
  const response = {
    ...{ model: "m", status: "completed", usage },
    output: [
      thought,
      { type: "message", content: [{ type: "output_text", text: "Hello" }] },
      { ...tool, arguments: text },
    ],
  };
  const reader = new responsesApi.Reader();
  const read = streamed(reader, [
    { type: "response.created", response: { model: "m" } },
    { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Hm." },
    { type: "response.output_item.done", output_index: 0, item: thought },
    ...["Hel", "lo"].map((delta) => ({ type: "response.output_text.delta", delta })),
    { type: "response.output_item.added", output_index: 2, item: { ...tool, arguments: "" } },
    { type: "response.function_call_arguments.delta", output_index: 2, delta: text },
    { type: "response.completed", response },
  ]);
  assertEquals(reader.isComplete, true);
  assertEquals(read, {
    ...{ reasoning: "Hm.", finishReason: "tool_calls", model: "m", usage: USAGE },
    message: {
      ...{ role: "assistant", content: "Hello", tool_calls: [call("c1")] },
      reasoning_details: [{ ...thought, api: "responses" }],
    },
  });
  assertEquals(folded(new responsesApi.Reader().readWhole(response)), read);
  const cut = { ...response, status: "incomplete", output: [] };
  const incomplete_details = { reason: "max_output_tokens" };
  const ended = streamed(new responsesApi.Reader(), [
    { type: "response.incomplete", response: { ...cut, incomplete_details } },
  ]);
  assertEquals(ended.finishReason, "length");
  const failing = (event: object) => () => new responsesApi.Reader().read(event);
  const error = { code: "server_error", message: "It broke" };
  assertThrows(failing({ type: "error", ...error }), Error, "It broke");
  assertThrows(failing({ type: "response.failed", response: { error } }), Error, "It broke");
});

Deno.test("vectors are put in order and compared", () => {
  assertEquals(toInputs(" one \n\n two\n"), ["one", "two"]);
  const data = [{ index: 1, embedding: [0, 2] }, { index: 0, embedding: [3, 0] }];
  assertEquals(vectorsOf({ data }), [[3, 0], [0, 2]]);
  assertEquals(cosine([3, 0], [0, 2]), 0);
  assertEquals(cosine([1, 0], [-2, 0]), -1);
  assertEquals(cosine([1, 1], [2, 2])?.toFixed(6), "1.000000");
  assertEquals([cosine([0, 0], [1, 1]), cosine([1], [1, 1])], [null, null]);
  assertEquals(mostAlike([[1, 0], [0, 1], [1, 1], [0, 3]]), { one: 1, other: 3, value: 1 });
  assertEquals(mostAlike([[1, 0]]), undefined);
});
