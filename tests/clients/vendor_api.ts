/**
 * Vendors of four APIs, Claude's clouds and a server that renders chat templates: what they stream,
 * and what they refuse, as strictly as the real ones.
 */

import { isObject, type JsonObject } from "../../src/contract/chat.ts";
import { type Cloud, refusalOf as cloudRefusalOf } from "../support/claude_clouds.ts";
import { encodeMessages, type EventMessage } from "../support/event_stream.ts";
import { dataOf, list } from "../support/round_trips/wire.ts";
import { type Sent, toEventStream } from "../support/scripted_vendor.ts";
import { refusalOf, STRICT_VENDORS, templateRefusalOf } from "../support/strict_vendors.ts";

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
  /** The refusal of a request that the vendor does not take. */
  refuse(sent: Sent): Response | undefined;
  /** Whether it knows fewer betas than the gateway, which learns them by its first answer. */
  readonly teaches?: true;
  /** An answer as the method of the URL has it. Default: as it is. */
  frame?(answer: Response, url: string): Response | Promise<Response>;
  /** The answer to a request for a web search; undefined for other requests. */
  search?(body: JsonObject): Response | undefined;
}

/** The page that the search of a vendor finds. */
export const PAGE = "https://deno.com/";

type Wire = Pick<VendorApi, "path" | "toolsOf" | "text" | "call">;

/** Claude's Messages API. */
const MESSAGES: Wire = {
  path: "/v1",
  toolsOf: ({ tools }) => namesOf(tools),
  text: (text) => message({ type: "text", text: "" }, { type: "text_delta", text }, "end_turn"),
  call: (id, name, input) =>
    message(
      { type: "tool_use", id, name, input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify(input) },
      "tool_use",
    ),
};

/** OpenAI's chat completions. */
const CHAT: Wire = {
  path: "/v1",
  toolsOf: ({ tools }) => namesOf(tools, "function"),
  text: (content) => chunks({ role: "assistant", content }, "stop"),
  call: (id, name, input) => {
    const called = { name, arguments: JSON.stringify(input) };
    const call = { index: 0, id, type: "function", function: called };
    return chunks({ role: "assistant", tool_calls: [call] }, "tool_calls");
  },
};

/** Its chat template wants alternating roles. */
const DEVSTRAL = "Devstral-Small-2-24B-Instruct-2512";

const CONVERSE = "bedrock anthropic.claude-sonnet-4-5-20250929-v1:0";

export const VENDOR_APIS: readonly VendorApi[] = [
  {
    ...{ kind: "anthropic", model: "claude-sonnet-4-5", ...MESSAGES },
    refuse: ({ body }) => refuse("anthropic Claude", body),
  },
  {
    ...{ kind: "vertex", model: "claude-sonnet-4-5", members: { project: "p" }, ...MESSAGES },
    refuse: (sent) => refuse("vertex Claude", sent.body, sent, "vertex"),
  },
  {
    ...{ kind: "bedrock", model: CONVERSE.replace("bedrock ", ""), ...MESSAGES },
    ...{ path: "", members: { region: "us-east-1" }, teaches: true },
    // Callers of the Messages API get to InvokeModel, others to Converse.
    toolsOf: ({ tools, toolConfig }) =>
      isObject(toolConfig) ? namesOf(toolConfig.tools, "toolSpec") : namesOf(tools),
    refuse: (sent) => {
      const name = isConverse(sent.url) ? CONVERSE : "anthropic Claude";
      return refuse(name, sent.body, sent, "bedrock");
    },
    frame: toBedrockFrames,
  },
  {
    ...{ kind: "openai_compatible", model: "gpt-5.4", ...CHAT },
    refuse: ({ body }) => refuse("openai_compatible some-model", body),
  },
  {
    ...{ kind: "vllm", model: DEVSTRAL, ...CHAT },
    refuse: ({ body }) => {
      const reason = templateRefusalOf(list(body.messages), DEVSTRAL);
      return reason === undefined ? refuse("vllm some-model", body) : toRefusal(reason);
    },
  },
  {
    ...{ kind: "gemini", model: "gemini-3-pro", path: "/v1beta" },
    toolsOf: ({ tools }) =>
      (Array.isArray(tools) ? tools : []).flatMap((entry) => namesOf(entry.functionDeclarations)),
    text: (text) => candidates({ text }),
    call: (_, name, args) => candidates({ functionCall: { name, args }, thoughtSignature: "c2ln" }),
    refuse({ body }) {
      const isMixed = searchesAtGoogle(body) && list(body.tools).some(isOfFunctions);
      const { includeServerSideToolInvocations: isTold } = isObject(body.toolConfig)
        ? body.toolConfig
        : {};
      return isMixed && isTold !== true
        ? toRefusal("Please enable tool_config.include_server_side_tool_invocations")
        : refuse("gemini Gemini", body);
    },
    search: (body) =>
      searchesAtGoogle(body) && !list(body.tools).some(isOfFunctions)
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
    refuse: ({ body }) => refuse("openai responses", body),
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

function searchesAtGoogle({ tools }: JsonObject): boolean {
  return list(tools).some((entry) => isObject(entry) && "googleSearch" in entry);
}

function isOfFunctions(entry: unknown): boolean {
  return isObject(entry) && "functionDeclarations" in entry;
}

function namesOf(entries: unknown, inside?: string): string[] {
  return (Array.isArray(entries) ? entries : []).filter(isObject).map((entry) => {
    const tool = inside === undefined ? entry : entry[inside];
    return isObject(tool) ? String(tool.name) : "";
  });
}

/** The refusal of a body by what a vendor takes, and by what a cloud of Claude takes of a request. */
function refuse(name: string, body: JsonObject, sent?: Sent, cloud?: Cloud): Response | undefined {
  const vendor = STRICT_VENDORS.find((one) => one.name === name);
  if (vendor === undefined) throw new TypeError(name);
  const reason = refusalOf(vendor, body);
  if (reason !== undefined) return toRefusal(reason);
  return sent && cloud && cloudRefusalOf(cloud, sent);
}

function toRefusal(message: string): Response {
  return Response.json({ error: { message, type: "invalid_request_error" } }, { status: 400 });
}

function isConverse(url: string): boolean {
  return url.endsWith("/converse-stream");
}

/** An answer of the Messages API as InvokeModel and Converse have it, event by event. */
async function toBedrockFrames(answer: Response, url: string): Promise<Response> {
  if (!answer.ok || answer.body === null) {
    const { error } = await answer.json();
    return Response.json({ message: error.message }, { status: answer.status });
  }
  const frames = new TransformStream<string, Uint8Array>({
    transform(text, controller) {
      const events = dataOf(text).flatMap(isConverse(url) ? toConverse : toChunk);
      controller.enqueue(encodeMessages(events));
    },
  });
  return new Response(answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(frames), {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
  });
}

function toChunk(event: JsonObject): EventMessage[] {
  const bytes = new TextEncoder().encode(JSON.stringify(event)).toBase64();
  return [{ event: "chunk", data: { bytes } }];
}

function toConverse({ type, content_block: block, delta }: JsonObject): EventMessage[] {
  const at = { contentBlockIndex: 0 };
  if (type === "message_start") return [{ event: "messageStart", data: { role: "assistant" } }];
  if (type === "content_block_start" && isObject(block) && block.type === "tool_use") {
    const toolUse = { toolUseId: block.id, name: block.name };
    return [{ event: "contentBlockStart", data: { ...at, start: { toolUse } } }];
  }
  if (type === "content_block_delta" && isObject(delta)) {
    const { text, partial_json: input } = delta;
    const part = text === undefined ? { toolUse: { input } } : { text };
    return [{ event: "contentBlockDelta", data: { ...at, delta: part } }];
  }
  if (type === "content_block_stop") return [{ event: "contentBlockStop", data: at }];
  if (type === "message_delta" && isObject(delta)) {
    return [{ event: "messageStop", data: { stopReason: delta.stop_reason } }];
  }
  const usage = { inputTokens: 9, outputTokens: 9, totalTokens: 18 };
  return type === "message_stop" ? [{ event: "metadata", data: { usage } }] : [];
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
