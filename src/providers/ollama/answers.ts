/** Converts Ollama's answers, streams and errors. */

import type {
  AnswerMessage,
  AnswerToolCall,
  ChunkBody,
  CompletionBody,
  Delta,
} from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { kindOfStatus } from "../../core/errors.ts";
import {
  type Frame,
  NOTHING,
  type Step,
  type StreamDecoder,
} from "../../contract/stream_decoder.ts";
import {
  brokenAnswer,
  failed,
  parseData,
  saysTooLong,
  suspensionOf,
  unreadableEvent,
} from "../shared/errors.ts";
import { FenceFilter } from "../shared/json_fence.ts";
import { isText, toText } from "../../core/json/values.ts";
import { RefInliner } from "../shared/inline_refs.ts";
import { routeJson, wantedJson } from "../shared/json_schema.ts";
import { type FunctionTool, planTools } from "../shared/tool_plan.ts";
import { mentionsJson } from "../shared/messages.ts";
import type { Call, Failure, UpstreamError } from "../../contract/vendor_request.ts";
import { toFinishReason, toUsage } from "../../apis/ollama/native_answers.ts";

export interface ConversionPlan {
  /** The tools that are sent. */
  readonly tools: readonly FunctionTool[];
  /** Whether the answer may have only one call. */
  readonly single: boolean;
  /** The `format` that the server enforces. */
  readonly format: JsonObject | "json" | undefined;
  /** Whether references in its schema are omitted or not inlined. */
  readonly formatChanged: boolean;
  /** Whether only an instruction makes the answer JSON. */
  readonly instructed: boolean;
  /** Instructions for the prompt. */
  readonly hints: readonly string[];
  readonly refs: RefInliner;
}

/** Creates the plan from the tools and the format of a request. */
export function toConversionPlan(call: Call): ConversionPlan {
  const { request } = call;
  const { tools: known, mode, name } = planTools(call);
  const tools = mode === "none"
    ? []
    : known.filter(({ definition }) => name === undefined || definition.name === name);
  const forced = mode === "required" && tools.length > 0;
  const refs = new RefInliner();
  const { format, hint, changed = false } = toFormat(call, tools.length > 0, forced, refs);
  const choice = name === undefined
    ? "Answer by calling a tool."
    : `Answer by calling the tool '${name}'.`;
  return {
    tools,
    single: tools.length > 0 && request.parallel_tool_calls === false,
    format,
    formatChanged: changed,
    instructed: hint !== undefined && format === undefined,
    hints: [...(forced ? [choice] : []), ...(hint === undefined ? [] : [hint])],
    refs,
  };
}

interface JsonFormat {
  readonly format?: ConversionPlan["format"];
  readonly hint?: string | undefined;
  readonly changed?: boolean;
}

function toFormat(call: Call, calls: boolean, forced: boolean, refs: RefInliner): JsonFormat {
  const { request } = call;
  const requestedFormat = wantedJson(request);
  // If a call is required, the answer has no text that could be JSON.
  if (requestedFormat === undefined || forced) return {};
  const route = routeJson(requestedFormat, { limits: NONE, forcedChoice: false });
  const text = route.by === "instruction" ? route.text : undefined;
  // If a format is set, the model does not call tools:
  // https://github.com/ollama/ollama/issues/11185 (2025-06).
  if (calls || isCloud(call)) return { hint: text };
  if (requestedFormat.schema !== undefined) {
    const { schema: format, cut, lost } = refs.inline(
      requestedFormat.schema,
      "response_format.json_schema.schema",
    );
    return { format, changed: cut || lost };
  }
  return { format: "json", hint: mentionsJson(request.messages) ? undefined : text };
}

const NONE = { schemas: 0, optional: 0, unions: 0 };

/**
 * The cloud enforces no format: https://docs.ollama.com/capabilities/structured-outputs (2026-08).
 */
function isCloud({ model, provider }: Call): boolean {
  const host = URL.parse(provider.baseUrl)?.hostname ?? "";
  return /[:-]cloud$/.test(model.upstream) || /(^|\.)ollama\.com$/.test(host);
}

/** Converts a non-streamed answer. */
export function toCompletion(body: unknown, call: Call): CompletionBody {
  if (!isObject(body) || !isObject(body.message)) throw brokenAnswer("is not a message");
  const { message, done_reason, logprobs } = body;
  const { single, instructed } = toConversionPlan(call);
  const tool_calls = callsOf(message, single ? 1 : Infinity).map((toolCall) =>
    toCall(toolCall, call)
  );
  const fence = instructed ? new FenceFilter() : undefined;
  const rawText = toText(message.content);
  const text = fence ? fence.push(rawText) + fence.end() : rawText;
  const thinking = toText(message.thinking);
  const answer: AnswerMessage = {
    role: "assistant",
    content: text === "" && tool_calls.length > 0 ? null : text,
    ...(thinking !== "" && { reasoning_content: thinking }),
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  const finish_reason = toFinishReason(done_reason, tool_calls.length > 0);
  return {
    ...toEnvelope(body),
    choices: [{ index: 0, message: answer, logprobs: toLogprobs(logprobs), finish_reason }],
    usage: toUsage(body),
  };
}

/** Decodes a stream of lines (https://docs.ollama.com/api/streaming, 2026-08). */
export class LineDecoder implements StreamDecoder {
  readonly #call: Call;
  readonly #most: number;
  readonly #fence: FenceFilter | undefined;
  #envelope: Pick<ChunkBody, "created" | "model"> | undefined;
  #tools = 0;

  constructor(call: Call) {
    const { single, instructed } = toConversionPlan(call);
    this.#call = call;
    this.#most = single ? 1 : Infinity;
    this.#fence = instructed ? new FenceFilter() : undefined;
  }

  push(frame: Frame): Step {
    const line = parseData(frame.data);
    if (!isObject(line)) return unreadableEvent(line, "a line");
    if (line.error) return { chunks: [], failure: toOllamaError({ where: "stream", body: line }) };
    const { message, done, logprobs } = line;
    if (!isObject(message) && done !== true) return NOTHING;
    this.#envelope ??= toEnvelope(line);
    // The last line may also contain a piece of the answer.
    const chunks = isObject(message) ? this.#onMessage(message, toLogprobs(logprobs)) : [];
    if (done !== true) return { chunks };
    const content = this.#fence?.end() ?? "";
    const finish_reason = toFinishReason(line.done_reason, this.#tools > 0);
    const last = {
      ...this.#envelope,
      choices: [{ index: 0, delta: { content }, finish_reason }],
      usage: toUsage(line),
    };
    return { chunks: [...chunks, last], done: true };
  }

  end(): Step {
    return failed("ended its stream before it was complete");
  }

  #onMessage(message: JsonObject, logprobs: unknown): ChunkBody[] {
    const chunks: ChunkBody[] = [];
    const thinking = toText(message.thinking);
    if (thinking !== "") chunks.push(this.#chunk({ reasoning_content: thinking }));
    const rawText = toText(message.content);
    const content = this.#fence === undefined ? rawText : this.#fence.push(rawText);
    if (content !== "") chunks.push(this.#chunk({ content }, logprobs));
    for (const toolCall of callsOf(message, this.#most - this.#tools)) {
      // In many versions the vendor's index is 0 for every call:
      // https://github.com/ollama/ollama/issues/15457 (2026-04).
      const index = this.#tools++;
      chunks.push(this.#chunk({ tool_calls: [{ index, ...toCall(toolCall, this.#call) }] }));
    }
    return chunks;
  }

  #chunk(delta: Delta, logprobs?: unknown): ChunkBody {
    return { ...this.#envelope, choices: [{ index: 0, delta, logprobs }] };
  }
}

/**
 * Classifies a failure by its status, then by its message, since there are no codes. The message
 * affects only this request.
 */
export function toOllamaError(failure: Failure): UpstreamError {
  const message = wordsOf(failure.body);
  const status = failure.where === "answer" ? failure.status : undefined;
  const kind = kindOfStatus(status ?? 500);
  const upstreamError = { kind, message, suspends: suspensionOf(status) };
  if (kind !== "invalid_request" || message === undefined) return upstreamError;
  if (saysTooLong(message)) return { ...upstreamError, kind: "context_length" };
  if (/does not support (?:vision|images?)/i.test(message)) {
    return { ...upstreamError, kind: "unsupported_content" };
  }
  const words = NO_THINKING.exec(message)?.[0];
  if (words !== undefined) {
    const repair = { without: "think", parameters: ["reasoning_effort", "thinking"], words };
    return { ...upstreamError, kind: "unsupported_parameter", repair };
  }
  if (/does not support tools/i.test(message)) {
    return { ...upstreamError, kind: "unsupported_parameter", param: "tools" };
  }
  return upstreamError;
}

/** Messages about models that do not think, and from older servers without thinking levels. */
const NO_THINKING = /^(?:"[^"]*"|\S+) does not support thinking|^(?:invalid )?think value\b/i;

function wordsOf(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { error } = body;
  const words = isObject(error) ? error.message : error;
  return [words, body.message].find(isText);
}

/** The tool calls. They arrive in one piece, with their arguments as an object. */
function callsOf({ tool_calls: calls }: JsonObject, most: number): readonly JsonObject[] {
  return Array.isArray(calls) ? calls.filter(isObject).slice(0, most) : [];
}

function toCall({ id, function: toolCall }: JsonObject, call: Call): AnswerToolCall {
  const { name, arguments: input } = isObject(toolCall) ? toolCall : {};
  if (!isText(name)) throw brokenAnswer("calls a tool without a name");
  const text = isText(input) ? input : JSON.stringify(isObject(input) ? input : {});
  return {
    id: isText(id) ? id : call.newId("call_"),
    type: "function",
    function: { name, arguments: text },
  };
}

function toEnvelope({ model, created_at }: JsonObject): Pick<ChunkBody, "created" | "model"> {
  const moment = isText(created_at) ? Date.parse(created_at) : NaN;
  return {
    model: isText(model) ? model : undefined,
    created: moment > 0 ? Math.floor(moment / 1000) : undefined,
  };
}

function toLogprobs(logprobs: unknown): JsonObject | undefined {
  return Array.isArray(logprobs) && logprobs.length > 0
    ? { content: logprobs, refusal: null }
    : undefined;
}
