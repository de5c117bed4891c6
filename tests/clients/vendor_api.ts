/** Streams of vendors with four APIs: a text, and a call of a tool. */

import { isObject, type JsonObject } from "../../src/chat/chat.ts";
import { toEventStream } from "../support/scripted_vendor.ts";

/** One vendor: how a gateway reaches it, and what it streams. */
export interface VendorApi {
  readonly kind: string;
  readonly model: string;
  readonly path: string;
  /** More members of the provider in the gateway's configuration. */
  readonly members?: JsonObject;
  /** The names of the tools that a request declares. */
  toolsOf(body: JsonObject): readonly string[];
  text(text: string): Response;
  call(id: string, name: string, input: JsonObject): Response;
  /** The answer to a request for a web search; undefined for other requests. */
  search?(body: JsonObject): Response | undefined;
}

/** The page that the search of a vendor finds. */
export const PAGE = "https://deno.com/";

export const VENDOR_APIS: readonly VendorApi[] = [
  {
    ...{ kind: "anthropic", model: "claude-sonnet-4-5", path: "/v1" },
    toolsOf: ({ tools }) => namesOf(tools),
    text: (text) => message({ type: "text", text: "" }, { type: "text_delta", text }, "end_turn"),
    call: (id, name, input) =>
      message(
        { type: "tool_use", id, name, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(input) },
        "tool_use",
      ),
  },
  {
    ...{ kind: "openai_compatible", model: "gpt-5.4", path: "/v1" },
    toolsOf: ({ tools }) => namesOf(tools, "function"),
    text: (content) => chunks({ role: "assistant", content }, "stop"),
    call: (id, name, input) => {
      const called = { name, arguments: JSON.stringify(input) };
      const call = { index: 0, id, type: "function", function: called };
      return chunks({ role: "assistant", tool_calls: [call] }, "tool_calls");
    },
  },
  {
    ...{ kind: "gemini", model: "gemini-3-pro", path: "/v1beta" },
    toolsOf: ({ tools }) =>
      (Array.isArray(tools) ? tools : []).flatMap((entry) => namesOf(entry.functionDeclarations)),
    text: (text) => candidates({ text }),
    call: (_, name, args) => candidates({ functionCall: { name, args }, thoughtSignature: "c2ln" }),
    search: ({ tools }) =>
      JSON.stringify(tools ?? []).includes("googleSearch")
        ? candidates({ text: "Deno is out." }, {
          groundingMetadata: {
            webSearchQueries: ["deno"],
            groundingChunks: [{ web: { uri: PAGE, title: "Deno" } }],
          },
        })
        : undefined,
  },
  {
    ...{ kind: "openai", model: "gpt-5.4", path: "/v1", members: { api: "responses" } },
    toolsOf: ({ tools }) => namesOf(tools),
    text: (text) => {
      const part = { type: "output_text", text, annotations: [], logprobs: [] };
      const item = { type: "message", id: "msg_1", role: "assistant", status: "completed" };
      const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
      return response({ ...item, content: [part] }, { ...item, content: [] }, [
        { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
        { type: "response.output_text.delta", ...at, delta: text, logprobs: [] },
        { type: "response.output_text.done", ...at, text, logprobs: [] },
        { type: "response.content_part.done", ...at, part },
      ]);
    },
    call: (id, name, input) => {
      const item = { type: "function_call", id: `fc_${id}`, call_id: id, name };
      const text = JSON.stringify(input);
      const at = { item_id: item.id, output_index: 0 };
      return response(
        { ...item, arguments: text, status: "completed" },
        { ...item, arguments: "", status: "in_progress" },
        [
          { type: "response.function_call_arguments.delta", ...at, delta: text },
          { type: "response.function_call_arguments.done", ...at, name, arguments: text },
        ],
      );
    },
  },
];

function namesOf(entries: unknown, inside?: string): string[] {
  return (Array.isArray(entries) ? entries : []).filter(isObject).map((entry) => {
    const tool = inside === undefined ? entry : entry[inside];
    return isObject(tool) ? String(tool.name) : "";
  });
}

function message(block: JsonObject, delta: JsonObject, stop_reason: string): Response {
  const message = {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 9, output_tokens: 1 } },
  };
  return toEventStream([
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ]);
}

function chunks(delta: JsonObject, finish_reason: string): Response {
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
  const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
  return toEventStream([
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage },
    "[DONE]",
  ]);
}

function candidates(part: JsonObject, members: JsonObject = {}): Response {
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 };
  const content = { role: "model", parts: [part] };
  const candidate = { content, finishReason: "STOP", ...members };
  return toEventStream([{ candidates: [candidate], usageMetadata }]);
}

function response(item: JsonObject, started: JsonObject, between: JsonObject[]): Response {
  const usage = { input_tokens: 9, output_tokens: 4, total_tokens: 13 };
  const response = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [] };
  return toEventStream([
    { type: "response.created", response: { ...response, status: "in_progress" } },
    { type: "response.output_item.added", output_index: 0, item: started },
    ...between,
    { type: "response.output_item.done", output_index: 0, item },
    {
      type: "response.completed",
      response: { ...response, status: "completed", output: [item], usage },
    },
  ]);
}
