/** Answers and streams of the Messages API. */

import {
  type AnswerMessage,
  type AnswerToolCall,
  type CompletionBody,
  type Delta,
  isObject,
  type JsonObject,
  type Usage,
} from "../../contract/chat.ts";
import { BlockOrder } from "../../apis/chat/answer_blocks.ts";
import { returnsSearches, type WebSearchCall } from "../../apis/chat/web_search.ts";
import {
  type Frame,
  NOTHING,
  type Step,
  type StreamDecoder,
} from "../../contract/stream_decoder.ts";
import { toAnthropicError } from "./errors.ts";
import { isReasoning, toPlan } from "./messages.ts";
import { REASONING_FORMAT } from "../../apis/messages/schema.ts";
import { type OpenSearch, SearchReader, toPageCitation } from "./web_search.ts";
import type { Block } from "../shared/claude/conversation.ts";
import { FenceFilter } from "../shared/json_fence.ts";
import { type KeyNames, KeyRewriter, replaceKeys } from "../shared/refusals/names.ts";
import { isText, toList, toText } from "../../core/json/values.ts";
import {
  brokenAnswer,
  failed,
  malformedEvent,
  parseData,
  unreadableEvent,
} from "../shared/errors.ts";
import { toFinishReason, toTier, toUsage } from "../../apis/messages/native_answers.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** Converts the vendor's message to a completion. */
export function toCompletion(body: unknown, call: Call): CompletionBody {
  if (!isObject(body) || !Array.isArray(body.content)) throw brokenAnswer("is not a message");
  const plan = toPlan(call);
  const details: JsonObject[] = [];
  const tool_calls: AnswerToolCall[] = [];
  const isSearch = call.request.web_search_options !== undefined;
  const reader = new SearchReader();
  const searches: WebSearchCall[] = [];
  const annotations: JsonObject[] = [];
  const order = new BlockOrder();
  let text = "";
  for (const block of body.content.filter(isObject)) {
    if (block.type === "text") {
      const start = text.length;
      text += toText(block.text);
      order.say("text", toText(block.text));
      for (const one of isSearch ? toList(block.citations) : []) {
        const citation = toPageCitation(one, start, text.length);
        if (citation !== undefined) annotations.push(citation);
      }
    } else if (isReasoning(block)) {
      details.push(toDetail(block));
      order.say("thinking", toText(block.thinking));
    } else if (block.type === "server_tool_use") reader.begin(block);
    else if (block.type === "web_search_tool_result") {
      const search = reader.end(block);
      if (search !== undefined) searches.push(search);
    } else if (block.type !== "tool_use") continue;
    else if (!isText(block.name)) throw brokenAnswer("calls a tool without a name");
    else if (block.name === plan.jsonTool) {
      const written = JSON.stringify(block.input ?? {});
      const json = plan.jsonKeys ? replaceKeys(written, plan.jsonKeys) : written;
      text += json;
      order.say("text", json);
    } else {
      const id = isText(block.id) ? block.id : call.newId("toolu_");
      const called = { name: block.name, arguments: JSON.stringify(block.input ?? {}) };
      tool_calls.push({ id, type: "function", function: called });
      order.call();
    }
  }
  if (plan.json.by === "instruction") {
    const fence = new FenceFilter();
    text = fence.push(text) + fence.end();
  }
  const reasoning = details.map(({ thinking }) => toText(thinking)).join("");
  const refusal = toRefusal(body);
  const message: AnswerMessage = {
    role: "assistant",
    content: text === "" && (tool_calls.length > 0 || refusal !== null) ? null : text,
    refusal,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(annotations.length > 0 && { annotations }),
    ...(searches.length > 0 && returnsSearches(call.request) && { web_search_calls: searches }),
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  const finish_reason = toFinishReason(body.stop_reason, tool_calls.length > 0);
  // Citations refer to positions in the whole text, and a filtered text differs from its blocks.
  const isWhole = annotations.length > 0 || searches.length > 0 || plan.json.by === "instruction";
  const ordered = isWhole ? message : order.addTo(message);
  return { ...toEnvelope(body), choices: [{ index: 0, message: ordered, finish_reason }] };
}

/** The ID, model, usage and service tier of an answer or of a stream's last chunk. */
function toEnvelope({ id, model, usage }: JsonObject) {
  const tier = toTier(usage);
  return {
    id: isText(id) ? id : undefined,
    model: isText(model) ? model : undefined,
    usage: isObject(usage) ? toUsage(usage) : undefined,
    ...(tier && { service_tier: tier }),
  };
}

function toRefusal({ stop_reason, stop_details }: JsonObject): string | null {
  const explained = stop_reason === "refusal" && isObject(stop_details);
  return explained && isText(stop_details.explanation) ? stop_details.explanation : null;
}

function toDetail({ type, thinking, signature, data }: Block): JsonObject {
  if (type === "redacted_thinking") return { format: REASONING_FORMAT, type, data };
  return { format: REASONING_FORMAT, type, thinking: toText(thinking), signature };
}

/** An open content block; `empty` until a fragment of its arguments arrives. */
type OpenBlock =
  | { readonly type: "tool"; readonly index: number; readonly input: unknown; empty: boolean }
  | {
    readonly type: "json";
    readonly input: unknown;
    readonly keys: KeyRewriter | undefined;
    empty: boolean;
  }
  | { readonly type: "thinking"; thinking: string; signature: string }
  | { readonly type: "redacted_thinking"; readonly data: unknown }
  | { readonly type: "search"; readonly search: OpenSearch }
  /** A text that may cite pages. */
  | { readonly type: "text"; readonly start: number; readonly citations: unknown[] };

/** Reads https://platform.claude.com/docs/en/build-with-claude/streaming (2026-11-20). */
export class MessageDecoder implements StreamDecoder {
  readonly #call: Call;
  readonly #json: string | undefined;
  readonly #jsonKeys: KeyNames | undefined;
  readonly #fence: FenceFilter | undefined;
  /** Open blocks by the vendor's index, except text and block types that callers do not receive. */
  readonly #open = new Map<unknown, OpenBlock>();
  /**
   * Finished thinking blocks, which the last chunk holds together: OpenAI's JavaScript client keeps
   * only the last delta of an unknown member, and the vendor rejects an incomplete set of blocks.
   */
  readonly #details: JsonObject[] = [];
  readonly #isSearch: boolean;
  readonly #searches = new SearchReader();
  /** The length of the text so far, in UTF-16 units. */
  #length = 0;
  #id: string | undefined;
  #model: string | undefined;
  #usage: JsonObject = {};
  readonly #end: JsonObject = {};
  #tools = 0;

  constructor(call: Call) {
    const plan = toPlan(call);
    this.#call = call;
    this.#isSearch = call.request.web_search_options !== undefined;
    this.#json = plan.jsonTool;
    this.#jsonKeys = plan.jsonKeys;
    this.#fence = plan.json.by === "instruction" ? new FenceFilter() : undefined;
  }

  get usage(): Usage | undefined {
    return toUsage(this.#usage);
  }

  push(frame: Frame): Step {
    if (frame.data === "") return NOTHING;
    const data = parseData(frame.data);
    if (!isObject(data)) return unreadableEvent(data);
    switch (data.type ?? frame.event) {
      case "content_block_delta":
        return isObject(data.delta)
          ? this.#onDelta(data.index, data.delta)
          : malformedEvent(data.type);
      case "content_block_start":
        return isObject(data.content_block)
          ? this.#onStart(data.index, data.content_block)
          : malformedEvent(data.type);
      case "content_block_stop":
        return this.#onStop(data.index);
      case "message_start":
        return isObject(data.message) ? this.#onMessage(data.message) : malformedEvent(data.type);
      case "message_delta":
        if (!isObject(data.delta)) return malformedEvent(data.type);
        for (const name of END_MEMBERS) if (name in data.delta) this.#end[name] = data.delta[name];
        this.#count(data.usage);
        return NOTHING;
      case "message_stop":
        return this.#finish();
      case "error":
        return { chunks: [], failure: toAnthropicError({ where: "stream", body: data }) };
      default:
        return NOTHING;
    }
  }

  end(): Step {
    return failed("ended its stream before it was complete");
  }

  detailsOf(): readonly unknown[] {
    return this.#details;
  }

  #onMessage({ id, model, usage, content }: JsonObject): Step {
    if (this.#id !== undefined) {
      return id === this.#id ? NOTHING : failed("began a second answer inside its stream");
    }
    this.#id = isText(id) ? id : undefined;
    this.#model = isText(model) ? model : undefined;
    this.#count(usage);
    const blocks = Array.isArray(content) ? content.filter(isObject) : [];
    const steps = blocks.flatMap((block) => [this.#onStart(block, block), this.#onStop(block)]);
    const failure = steps.find((step) => step.failure);
    return failure ?? { chunks: steps.flatMap((step) => step.chunks) };
  }

  #onStart(index: unknown, block: Block): Step {
    switch (block.type) {
      case "text": {
        const start = this.#length;
        const citations = [...toList(block.citations)];
        if (this.#isSearch) this.#open.set(index, { type: "text", start, citations });
        return this.#say(toText(block.text));
      }
      case "server_tool_use": {
        const search = this.#searches.begin(block);
        if (search !== undefined) this.#open.set(index, { type: "search", search });
        return NOTHING;
      }
      case "web_search_tool_result": {
        const search = this.#searches.end(block);
        if (search === undefined || !returnsSearches(this.#call.request)) return NOTHING;
        return this.#step({ web_search_calls: [search] });
      }
      case "thinking": {
        const thinking = toText(block.thinking);
        this.#open.set(index, { type: "thinking", thinking, signature: toText(block.signature) });
        return thinking === "" ? NOTHING : this.#step({ reasoning_content: thinking });
      }
      case "redacted_thinking":
        this.#open.set(index, { type: block.type, data: block.data });
        return NOTHING;
      case "tool_use": {
        if (!isText(block.name)) return malformedEvent("content_block_start");
        if (block.name === this.#json) {
          const keys = this.#jsonKeys && new KeyRewriter(this.#jsonKeys);
          this.#open.set(index, { type: "json", input: block.input, keys, empty: true });
          return NOTHING;
        }
        const tool = this.#tools++;
        this.#open.set(index, { type: "tool", index: tool, input: block.input, empty: true });
        const id = isText(block.id) ? block.id : this.#call.newId("toolu_");
        const called = { name: block.name, arguments: "" };
        return this.#step({
          tool_calls: [{ index: tool, id, type: "function", function: called }],
        });
      }
      default:
        return NOTHING;
    }
  }

  #onDelta(index: unknown, delta: JsonObject): Step {
    switch (delta.type) {
      case "text_delta":
        return typeof delta.text === "string" ? this.#say(delta.text) : malformedEvent(delta.type);
      case "input_json_delta":
        return typeof delta.partial_json === "string"
          ? this.#onFragment(this.#open.get(index), delta.partial_json)
          : malformedEvent(delta.type);
      case "thinking_delta": {
        if (typeof delta.thinking !== "string") return malformedEvent(delta.type);
        const block = this.#open.get(index);
        if (block?.type === "thinking") block.thinking += delta.thinking;
        return delta.thinking === "" ? NOTHING : this.#step({ reasoning_content: delta.thinking });
      }
      case "signature_delta": {
        const block = this.#open.get(index);
        if (block?.type === "thinking") block.signature += toText(delta.signature);
        return NOTHING;
      }
      case "citations_delta": {
        const block = this.#open.get(index);
        if (block?.type === "text") block.citations.push(delta.citation);
        return NOTHING;
      }
      default:
        return NOTHING;
    }
  }

  #onFragment(block: OpenBlock | undefined, fragment: string): Step {
    if (block?.type === "search") block.search.json += fragment;
    if (fragment === "" || (block?.type !== "tool" && block?.type !== "json")) return NOTHING;
    block.empty = false;
    if (block.type === "json" && block.keys !== undefined) {
      const content = block.keys.push(fragment);
      return content === "" ? NOTHING : this.#step({ content });
    }
    const delta = block.type === "json"
      ? { content: fragment }
      : { tool_calls: [{ index: block.index, function: { arguments: fragment } }] };
    return { ...this.#step(delta), plain: { text: fragment } };
  }

  #onStop(index: unknown): Step {
    const block = this.#open.get(index);
    if (block === undefined) return NOTHING;
    this.#open.delete(index);
    if (block.type === "thinking" || block.type === "redacted_thinking") {
      this.#details.push(toDetail(block));
      return NOTHING;
    }
    if (block.type === "search") return NOTHING;
    if (block.type === "text") return this.#cite(block);
    const rest = block.type === "json" && !block.empty ? block.keys?.end() : undefined;
    if (rest) return this.#step({ content: rest });
    // A call without arguments has no fragments, but callers need `{}` to parse.
    return block.empty ? this.#onFragment(block, JSON.stringify(block.input ?? {})) : NOTHING;
  }

  /** The citations of a text, at its end. */
  #cite({ start, citations }: Extract<OpenBlock, { type: "text" }>): Step {
    const annotations = citations.flatMap((one) => toPageCitation(one, start, this.#length) ?? []);
    return annotations.length === 0 ? NOTHING : this.#step({ annotations });
  }

  #finish(): Step {
    const rest = this.#fence?.end() ?? "";
    const refusal = toRefusal(this.#end);
    const delta: Delta = {
      ...(rest !== "" && { content: rest }),
      ...(refusal !== null && { refusal }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details }),
    };
    const finish_reason = toFinishReason(this.#end.stop_reason, this.#tools > 0);
    const envelope = toEnvelope({ id: this.#id, model: this.#model, usage: this.#usage });
    return { chunks: [{ ...envelope, choices: [{ index: 0, delta, finish_reason }] }], done: true };
  }

  /** Counts are totals, so later ones replace earlier ones. */
  #count(usage: unknown): void {
    if (!isObject(usage)) return;
    for (const [name, value] of Object.entries(usage)) {
      if (value !== null) this.#usage[name] = value;
    }
  }

  #say(text: string): Step {
    this.#length += text.length;
    if (this.#fence !== undefined) {
      const content = this.#fence.push(text);
      return content === "" ? NOTHING : this.#step({ content });
    }
    if (text === "") return NOTHING;
    // Events written from a template would not be counted.
    if (this.#isSearch) return this.#step({ content: text });
    return { ...this.#step({ content: text }), plain: { text } };
  }

  #step(delta: Delta): Step {
    return { chunks: [{ id: this.#id, model: this.#model, choices: [{ index: 0, delta }] }] };
  }
}

/** The members of `message_delta` that describe the end of the answer. */
const END_MEMBERS = ["stop_reason", "stop_details"];
