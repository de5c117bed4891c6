/** What Ollama answers: whole, line by line, or with an error. */

import type {
  AnswerMessage,
  AnswerToolCall,
  ChunkBody,
  CompletionBody,
  Delta,
  FinishReason,
  JsonObject,
  Usage,
} from "../chat.ts";
import { isObject } from "../chat.ts";
import { kindOfStatus } from "../errors.ts";
import type { Frame } from "../framing.ts";
import { type Call, type Failure, NOTHING, type Step, type StreamDecoder } from "./adapter.ts";
import type { Verdict } from "./adapter.ts";
import { broken, failed, isText, toCount, toText } from "./answers.ts";
import { suspensionOf } from "./error_codes.ts";
import { FenceFilter } from "./json_fence.ts";
import { toPlan } from "./ollama_plan.ts";

/** Reads an answer that is not a stream. */
export function toCompletion(body: unknown, call: Call): CompletionBody {
  if (!isObject(body) || !isObject(body.message)) throw broken("is not a message");
  const { message, done_reason, logprobs } = body;
  const { single, instructed } = toPlan(call);
  const tool_calls = callsOf(message, single ? 1 : Infinity).map((made) => toCall(made, call));
  const fence = instructed ? new FenceFilter() : undefined;
  const said = toText(message.content);
  const text = fence ? fence.push(said) + fence.end() : said;
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

/** Reads https://docs.ollama.com/api/streaming (2026-08): each line is a piece of the answer. */
export class LineDecoder implements StreamDecoder {
  readonly #call: Call;
  readonly #most: number;
  readonly #fence: FenceFilter | undefined;
  #envelope: Pick<ChunkBody, "created" | "model"> | undefined;
  #tools = 0;

  constructor(call: Call) {
    const { single, instructed } = toPlan(call);
    this.#call = call;
    this.#most = single ? 1 : Infinity;
    this.#fence = instructed ? new FenceFilter() : undefined;
  }

  push(frame: Frame): Step {
    let line: unknown;
    try {
      line = JSON.parse(frame.data);
    } catch {
      return failed("sent a line that is not JSON");
    }
    if (!isObject(line)) return failed("sent a line that is not an object");
    if (line.error) return { chunks: [], failure: toError({ where: "stream", body: line }) };
    const { message, done, logprobs } = line;
    if (!isObject(message) && done !== true) return NOTHING;
    this.#envelope ??= toEnvelope(line);
    // The last line may hold a piece of the answer like any other.
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
    const said = toText(message.content);
    const content = this.#fence === undefined ? said : this.#fence.push(said);
    if (content !== "") chunks.push(this.#chunk({ content }, logprobs));
    for (const made of callsOf(message, this.#most - this.#tools)) {
      // The vendor's own index is 0 for every call on many versions:
      // https://github.com/ollama/ollama/issues/15457 (2026-04).
      const index = this.#tools++;
      chunks.push(this.#chunk({ tool_calls: [{ index, ...toCall(made, this.#call) }] }));
    }
    return chunks;
  }

  #chunk(delta: Delta, logprobs?: unknown): ChunkBody {
    return { ...this.#envelope, choices: [{ index: 0, delta, logprobs }] };
  }
}

/**
 * Classifies a failure: status first, then words, for there are no codes. Words decide about this
 * request alone.
 */
export function toError(failure: Failure): Verdict {
  const message = wordsOf(failure.body);
  const status = failure.where === "answer" ? failure.status : undefined;
  const kind = kindOfStatus(status ?? 500);
  const told = { kind, message, suspends: suspensionOf(status) };
  if (kind !== "invalid_request" || message === undefined) return told;
  if (TOO_LONG.test(message)) return { ...told, kind: "context_length" };
  if (/does not support (?:vision|images?)/i.test(message)) {
    return { ...told, kind: "unsupported_content" };
  }
  const words = NO_THINKING.exec(message)?.[0];
  if (words !== undefined) {
    const repair = { without: "think", parameters: ["reasoning_effort", "thinking"], words };
    return { ...told, kind: "unsupported_parameter", repair };
  }
  if (/does not support tools/i.test(message)) {
    return { ...told, kind: "unsupported_parameter", param: "tools" };
  }
  return told;
}

/** Models that do not think, by their name, and old servers that know no levels. */
const NO_THINKING = /^(?:"[^"]*"|\S+) does not support thinking|^(?:invalid )?think value\b/i;

const TOO_LONG = /(?:exceeds|longer than) (?:the|its) (?:\w+ )?context/i;

function wordsOf(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { error } = body;
  const words = isObject(error) ? error.message : error;
  return [words, body.message].find(isText);
}

/** Calls come whole, their arguments as an object. */
function callsOf({ tool_calls: calls }: JsonObject, most: number): readonly JsonObject[] {
  return Array.isArray(calls) ? calls.filter(isObject).slice(0, most) : [];
}

function toCall({ id, function: made }: JsonObject, call: Call): AnswerToolCall {
  const { name, arguments: input } = isObject(made) ? made : {};
  if (!isText(name)) throw broken("calls a tool without a name");
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

function toFinishReason(reason: unknown, called: boolean): FinishReason {
  return reason === "length" ? "length" : called ? "tool_calls" : "stop";
}

/** Counts that are missing are 0: a prompt that was in the cache whole has none on old servers. */
function toUsage({ prompt_eval_count, eval_count }: JsonObject): Usage {
  const prompt = toCount(prompt_eval_count);
  const completion = toCount(eval_count);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}

function toLogprobs(logprobs: unknown): JsonObject | undefined {
  return Array.isArray(logprobs) && logprobs.length > 0
    ? { content: logprobs, refusal: null }
    : undefined;
}
