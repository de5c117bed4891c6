/**
 * OpenAI and Anthropic as scripts: each calls the first tool, repeats a tool result, follows a
 * schema, or says hello. Both have the same answers.
 */

import { isObject, type JsonObject } from "../../src/contract/chat.ts";

export type VendorKind = "openai" | "anthropic";

/** The usage of every answer. */
export const USAGE = { prompt: 20, cached: 8, completion: 7 } as const;

/** The answer of a vendor in pieces, independent of its format. */
interface Turn {
  readonly words: readonly string[];
  /** The name of the tool to call, and the pieces of its arguments. */
  readonly call?: { readonly name: string; readonly pieces: readonly string[] };
}

/** Answers in the format of this kind. */
export async function talkAs(kind: VendorKind, request: Request): Promise<Response> {
  const body: JsonObject = await request.json();
  const turn = decide(body);
  if (kind === "openai") return body.stream === true ? toChunks(turn) : toCompletion(turn);
  return body.stream === true ? toEvents(turn) : toMessage(turn);
}

function decide(body: JsonObject): Turn {
  const result = toolResultOf(body);
  if (result !== undefined) return { words: ["The tool says", ` ${result}`] };
  const [tool] = Array.isArray(body.tools) ? body.tools.filter(isObject) : [];
  if (tool !== undefined) {
    const name = isObject(tool.function) ? tool.function.name : tool.name;
    return { words: [], call: { name: String(name), pieces: ['{"city":', '"Oslo"}'] } };
  }
  const schema = isObject(body.response_format) || isObject(body.output_config);
  return { words: schema ? ['{"city":"Oslo",', '"celsius":-3}'] : ["Hello", " there."] };
}

/** The text of the tool result if it is the last message. */
function toolResultOf(body: JsonObject): string | undefined {
  const last = Array.isArray(body.messages) ? body.messages.filter(isObject).at(-1) : undefined;
  if (last?.role === "tool") return textOf(last.content);
  if (!Array.isArray(last?.content)) return undefined;
  const result = last.content.filter(isObject).find((block) => block.type === "tool_result");
  return result === undefined ? undefined : textOf(result.content);
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.filter(isObject).map((part) => String(part.text)).join("");
}

const CALL_ID = "call_vendor_1";

const ENVELOPE = { id: "chatcmpl-vendor", created: 1_700_000_001, model: "gpt-4.1-2025-04-14" };
const OPENAI_USAGE = {
  prompt_tokens: USAGE.prompt,
  completion_tokens: USAGE.completion,
  total_tokens: USAGE.prompt + USAGE.completion,
  prompt_tokens_details: { cached_tokens: USAGE.cached },
};

function toCompletion({ words, call }: Turn): Response {
  const tool_calls = call && [{
    id: CALL_ID,
    type: "function",
    function: { name: call.name, arguments: call.pieces.join("") },
  }];
  const content = call === undefined ? words.join("") : null;
  return Response.json({
    ...ENVELOPE,
    object: "chat.completion",
    choices: [{
      index: 0,
      message: { role: "assistant", content, refusal: null, ...(tool_calls && { tool_calls }) },
      finish_reason: call === undefined ? "stop" : "tool_calls",
    }],
    usage: OPENAI_USAGE,
  });
}

function toChunks({ words, call }: Turn): Response {
  const deltas: JsonObject[] = [{ role: "assistant", content: call === undefined ? "" : null }];
  for (const content of words) deltas.push({ content });
  if (call !== undefined) {
    const { name, pieces } = call;
    const start = { index: 0, id: CALL_ID, type: "function", function: { name, arguments: "" } };
    deltas.push({ tool_calls: [start] });
    for (const piece of pieces) {
      deltas.push({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    }
  }
  const chunk = (choices: readonly JsonObject[], usage: unknown = null) => ({
    ...ENVELOPE,
    object: "chat.completion.chunk",
    choices,
    usage,
    obfuscation: "x7",
  });
  const finish_reason = call === undefined ? "stop" : "tool_calls";
  return toSse(
    [
      ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
      chunk([{ index: 0, delta: {}, finish_reason }]),
      chunk([], OPENAI_USAGE),
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n",
  );
}

const CLAUDE_USAGE = {
  input_tokens: USAGE.prompt - USAGE.cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: USAGE.cached,
};
const MESSAGE = {
  id: "msg_vendor",
  type: "message",
  role: "assistant",
  model: "claude-haiku-4-5-20251001",
  stop_sequence: null,
};

function toMessage({ words, call }: Turn): Response {
  const content = call === undefined ? [{ type: "text", text: words.join("") }] : [{
    type: "tool_use",
    id: CALL_ID,
    name: call.name,
    input: JSON.parse(call.pieces.join("")),
  }];
  return Response.json({
    ...MESSAGE,
    content,
    stop_reason: call === undefined ? "end_turn" : "tool_use",
    usage: { ...CLAUDE_USAGE, output_tokens: USAGE.completion },
  });
}

function toEvents({ words, call }: Turn): Response {
  const block = call === undefined
    ? { type: "text", text: "" }
    : { type: "tool_use", id: CALL_ID, name: call.name, input: {} };
  const deltas = call === undefined
    ? words.map((text) => ({ type: "text_delta", text }))
    : call.pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
  const message = { ...MESSAGE, content: [], usage: { ...CLAUDE_USAGE, output_tokens: 1 } };
  const stop_reason = call === undefined ? "end_turn" : "tool_use";
  return toSse(
    [
      { type: "message_start", message },
      { type: "ping" },
      { type: "content_block_start", index: 0, content_block: block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: USAGE.completion },
      },
      { type: "message_stop" },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  );
}

function toSse(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}
