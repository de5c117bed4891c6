/**
 * Answers of Bedrock's Converse API, whole and streamed.
 *
 * Shapes:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
 * (2026-11-20).
 */

import {
  type AnswerMessage,
  type AnswerToolCall,
  type CompletionBody,
  type Delta,
  type FinishReason,
  isObject,
  type JsonObject,
  type Usage,
} from "../../contract/chat.ts";
import { BlockOrder } from "../../apis/chat/answer_blocks.ts";
import { GatewayError } from "../../core/errors.ts";
import {
  type Frame,
  NOTHING,
  type Step,
  type StreamDecoder,
} from "../../contract/stream_decoder.ts";
import { REASONING_FORMAT } from "./content.ts";
import { toBedrockError } from "./errors.ts";
import { type ConversePlan, toPlan } from "./tools.ts";
import { FenceFilter } from "../shared/json_fence.ts";
import { KeyRewriter, replaceKeys } from "../shared/refusals/names.ts";
import { addUp } from "../../apis/usage.ts";
import { isText, toCount, toText } from "../../core/json/values.ts";
import {
  brokenAnswer,
  failed,
  malformedEvent,
  parseData,
  unreadableEvent,
} from "../shared/errors.ts";
import type { Call, VendorAnswer } from "../../contract/vendor_request.ts";

/**
 * Reads a whole answer.
 *
 * @throws {GatewayError} `upstream_error` when the body is not a valid message.
 */
export function toCompletion({ body }: VendorAnswer, call: Call): CompletionBody {
  const output = isObject(body) && isObject(body.output) ? body.output : {};
  const content = isObject(output.message) ? output.message.content : undefined;
  if (!isObject(body) || !Array.isArray(content)) throw brokenAnswer("is not a message");
  const outputError = outputErrorOf(body.stopReason);
  if (outputError !== undefined) {
    throw new GatewayError("upstream_error", outputError.message, outputError);
  }
  const plan = toPlan(call);
  const said = readBlocks(content.filter(isObject), call, plan);
  let { text } = said;
  if (plan.json.by === "instruction") {
    const fence = new FenceFilter();
    text = fence.push(text) + fence.end();
  }
  const called = said.calls.length > 0;
  const message: AnswerMessage = {
    role: "assistant",
    content: text === "" && called ? null : text,
    ...(said.reasoning !== "" && { reasoning_content: said.reasoning }),
    ...(said.details.length > 0 && { reasoning_details: said.details }),
    ...(called && { tool_calls: said.calls }),
  };
  if (plan.json.by !== "instruction") said.order.addTo(message);
  const finish_reason = toFinishReason(body.stopReason, called);
  return { choices: [{ index: 0, message, finish_reason }], ...toEnd(body) };
}

/** The name in the receipt for calls to tools that the caller did not declare, or forbade. */
const UNDECLARED_CALLS = "message.tool_calls";

interface AnswerContent {
  readonly text: string;
  readonly reasoning: string;
  readonly details: JsonObject[];
  readonly calls: AnswerToolCall[];
  readonly order: BlockOrder;
}

function readBlocks(blocks: readonly JsonObject[], call: Call, plan: ConversePlan): AnswerContent {
  const details: JsonObject[] = [];
  const calls: AnswerToolCall[] = [];
  let text = "";
  let reasoning = "";
  let answered = false;
  const order = new BlockOrder();
  const say = (said: string) => {
    text += said;
    order.say("text", said);
  };
  for (const { text: words, citationsContent, reasoningContent, toolUse } of blocks) {
    say(toText(words) + textOfCited(citationsContent));
    if (isObject(reasoningContent)) {
      const thought = isObject(reasoningContent.reasoningText)
        ? reasoningContent.reasoningText
        : {};
      reasoning += toText(thought.text);
      order.say("thinking", toText(thought.text));
      const detail = toDetail({ ...thought, redactedContent: reasoningContent.redactedContent });
      if (detail !== undefined) details.push(detail);
    }
    if (!isObject(toolUse)) continue;
    if (!isText(toolUse.name)) throw brokenAnswer("calls a tool without a name");
    const input = JSON.stringify(toolUse.input ?? {});
    if (toolUse.name === plan.jsonTool) {
      // A second answer would make the text invalid JSON.
      if (!answered) say(plan.jsonKeys ? replaceKeys(input, plan.jsonKeys) : input);
      answered = true;
    } else if (!plan.allowsCalls) call.changes.ignore(UNDECLARED_CALLS);
    else {
      const { name } = toolUse;
      const id = isText(toolUse.toolUseId) ? toolUse.toolUseId : call.newId("tooluse_");
      calls.push({ id, type: "function", function: { name, arguments: input } });
      order.call();
    }
  }
  return { text, reasoning, details, calls, order };
}

function textOfCited(cited: unknown): string {
  const parts = isObject(cited) && Array.isArray(cited.content) ? cited.content : [];
  return parts.filter(isObject).map((part) => toText(part.text)).join("");
}

/** Reasoning that can be sent back: the vendor rejects reasoning without its signature. */
function toDetail({ text, signature, redactedContent }: JsonObject): JsonObject | undefined {
  const format = REASONING_FORMAT;
  if (isText(redactedContent)) return { format, type: "redactedContent", redactedContent };
  if (!isText(signature)) return undefined;
  return { format, type: "reasoningText", text: toText(text), signature };
}

const FINISH_REASONS = new Map<unknown, FinishReason>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["guardrail_intervened", "content_filter"],
  ["content_filtered", "content_filter"],
]);

/** @param called whether the answer has calls for the caller; the call of the JSON tool is not one */
function toFinishReason(reason: unknown, called: boolean): FinishReason {
  return FINISH_REASONS.get(reason) ?? (called ? "tool_calls" : "stop");
}

const MALFORMED_OUTPUT = new Set<unknown>(["malformed_model_output", "malformed_tool_use"]);

/**
 * The error for model output that the vendor could not parse; undefined for other finish reasons.
 */
function outputErrorOf(reason: unknown): { message: string; code: string } | undefined {
  if (!MALFORMED_OUTPUT.has(reason)) return undefined;
  const code = String(reason);
  return { message: `The model's output was malformed (${code})`, code };
}

/** Usage and service tier, from a whole answer or a stream's last event. */
function toEnd({ usage, serviceTier }: JsonObject) {
  const tier = isObject(serviceTier) ? serviceTier.type : undefined;
  return {
    usage: isObject(usage) ? toUsage(usage) : undefined,
    ...(isText(tier) && { service_tier: tier === "reserved" ? "scale" : tier }),
  };
}

/** The vendor does not count cached tokens in `inputTokens`; OpenAI includes them. */
function toUsage(usage: JsonObject): Usage | undefined {
  const { cacheReadInputTokens: cached, cacheWriteInputTokens: written } = usage;
  const details = Array.isArray(usage.cacheDetails) ? usage.cacheDetails.filter(isObject) : [];
  const hour = details.filter(({ ttl }) => ttl === "1h")
    .reduce((sum, { inputTokens }) => sum + toCount(inputTokens), 0);
  const sums = addUp({
    prompt: [usage.inputTokens, cached, written],
    completion: [usage.outputTokens],
    total: usage.totalTokens,
  });
  return sums && {
    ...sums,
    prompt_tokens_details: {
      cached_tokens: toCount(cached),
      cache_write_tokens: toCount(written),
      ...(hour > 0 && { cache_write_1h_tokens: hour }),
    },
  };
}

/** An open content block; `empty` until a fragment of its arguments arrives. */
type OpenBlock =
  | { readonly type: "tool"; readonly index: number; empty: boolean }
  | { readonly type: "json"; readonly keys: KeyRewriter | undefined; empty: boolean }
  | { readonly type: "ignored" }
  | { readonly type: "reasoning"; text: string; signature: string; redactedContent: string };

/** Decodes the events of ConverseStream. */
export class ConverseDecoder implements StreamDecoder {
  readonly #call: Call;
  readonly #plan: ConversePlan;
  readonly #fence: FenceFilter | undefined;
  /** Blocks by the vendor's index. Text is not among them. */
  readonly #open = new Map<unknown, OpenBlock>();
  /**
   * Finished reasoning blocks, which the last chunk holds together: OpenAI's JavaScript client
   * keeps only the last delta of an unknown member, and the vendor rejects an incomplete set of
   * blocks.
   */
  readonly #details: JsonObject[] = [];
  #tools = 0;
  #answered = false;
  #stopped = false;
  #counted = false;

  constructor(call: Call) {
    this.#call = call;
    this.#plan = toPlan(call);
    this.#fence = this.#plan.json.by === "instruction" ? new FenceFilter() : undefined;
  }

  push({ event, data, failed: isFailure }: Frame): Step {
    const body = parseData(data);
    if (isFailure) return toFailure(event, body);
    if (!isObject(body)) return KNOWN_EVENTS.has(event) ? unreadableEvent(body) : NOTHING;
    switch (event) {
      case "contentBlockDelta":
        return isObject(body.delta)
          ? this.#onDelta(body.contentBlockIndex, body.delta)
          : malformedEvent(event);
      case "contentBlockStart":
        return isObject(body.start) ? this.#onStart(body.contentBlockIndex, body.start) : NOTHING;
      case "contentBlockStop":
        return this.#onStop(body.contentBlockIndex);
      case "messageStop":
        return this.#finish(body.stopReason);
      case "metadata":
        this.#counted = true;
        return { chunks: [{ choices: [], ...toEnd(body) }], done: this.#stopped };
      default:
        return NOTHING;
    }
  }

  /** The stream has no end event; usage may be missing. */
  end(): Step {
    if (this.#stopped) return { chunks: [], done: true };
    return failed("ended its stream before it was complete");
  }

  detailsOf(): readonly unknown[] {
    return this.#details;
  }

  #onStart(index: unknown, { toolUse }: JsonObject): Step {
    if (!isObject(toolUse)) return NOTHING;
    if (!isText(toolUse.name)) return malformedEvent("contentBlockStart");
    const isAnswer = toolUse.name === this.#plan.jsonTool;
    if (isAnswer && !this.#answered) {
      this.#answered = true;
      const keys = this.#plan.jsonKeys && new KeyRewriter(this.#plan.jsonKeys);
      this.#open.set(index, { type: "json", keys, empty: true });
      return NOTHING;
    }
    if (!this.#plan.allowsCalls && !isAnswer) this.#call.changes.ignore(UNDECLARED_CALLS);
    if (isAnswer || !this.#plan.allowsCalls) {
      this.#open.set(index, { type: "ignored" });
      return NOTHING;
    }
    const tool = this.#tools++;
    this.#open.set(index, { type: "tool", index: tool, empty: true });
    const { name } = toolUse;
    const id = isText(toolUse.toolUseId) ? toolUse.toolUseId : this.#call.newId("tooluse_");
    return step({
      tool_calls: [{ index: tool, id, type: "function", function: { name, arguments: "" } }],
    });
  }

  #onDelta(index: unknown, { text, toolUse, reasoningContent }: JsonObject): Step {
    if (typeof text === "string") {
      const content = this.#fence === undefined ? text : this.#fence.push(text);
      return content === "" ? NOTHING : step({ content });
    }
    if (isObject(toolUse)) {
      const block = this.#open.get(index);
      if (block === undefined || typeof toolUse.input !== "string") {
        return malformedEvent("contentBlockDelta");
      }
      return onFragment(block, toolUse.input);
    }
    return isObject(reasoningContent) ? this.#onReasoning(index, reasoningContent) : NOTHING;
  }

  #onReasoning(index: unknown, { text, signature, redactedContent }: JsonObject): Step {
    let block = this.#open.get(index);
    if (block?.type !== "reasoning") {
      block = { type: "reasoning", text: "", signature: "", redactedContent: "" };
      this.#open.set(index, block);
    }
    block.text += toText(text);
    block.signature += toText(signature);
    block.redactedContent += toText(redactedContent);
    return isText(text) ? step({ reasoning_content: text }) : NOTHING;
  }

  #onStop(index: unknown): Step {
    const block = this.#open.get(index);
    if (block === undefined) return NOTHING;
    this.#open.delete(index);
    if (block.type === "reasoning") {
      const detail = toDetail({ ...block });
      if (detail !== undefined) this.#details.push(detail);
      return NOTHING;
    }
    const rest = block.type === "json" ? block.keys?.end() : undefined;
    if (rest) return step({ content: rest });
    // A call without arguments has no fragments, but callers need `{}` to parse.
    return "empty" in block && block.empty ? onFragment(block, "{}") : NOTHING;
  }

  #finish(reason: unknown): Step {
    const outputError = outputErrorOf(reason);
    if (outputError !== undefined) {
      return { chunks: [], failure: { kind: "upstream_error", ...outputError } };
    }
    this.#stopped = true;
    const rest = this.#fence?.end() ?? "";
    const delta: Delta = {
      ...(rest !== "" && { content: rest }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details }),
    };
    const finish_reason = toFinishReason(reason, this.#tools > 0);
    return { chunks: [{ choices: [{ index: 0, delta, finish_reason }] }], done: this.#counted };
  }
}

const KNOWN_EVENTS = new Set<unknown>([
  "messageStart",
  "contentBlockStart",
  "contentBlockDelta",
  "contentBlockStop",
  "messageStop",
  "metadata",
]);

/** An exception is named by its frame's headers. */
function toFailure(name: string | undefined, data: unknown): Step {
  const body = isObject(data) ? data : {};
  return {
    chunks: [],
    failure: toBedrockError({ where: "stream", body: { ...body, __type: name } }),
  };
}

function onFragment(block: OpenBlock, fragment: string): Step {
  if (fragment === "" || (block.type !== "tool" && block.type !== "json")) return NOTHING;
  block.empty = false;
  if (block.type === "json") {
    const content = block.keys?.push(fragment) ?? fragment;
    return content === "" ? NOTHING : step({ content });
  }
  return step({ tool_calls: [{ index: block.index, function: { arguments: fragment } }] });
}

function step(delta: Delta): Step {
  return { chunks: [{ choices: [{ index: 0, delta }] }] };
}
