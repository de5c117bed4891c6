/**
 * The Responses API (https://platform.openai.com/docs/api-reference/responses, 2026-11): its requests
 * are written from those of Chat Completions, and its answers are read as such.
 */

import { ApiError } from "../../../lib/api.js";
import { inApi, others, refuse } from "./members.js";

/** The members that are called as in Chat Completions. */
const SAME = new Set([
  ...["model", "stream", "temperature", "top_p", "parallel_tool_calls", "service_tier", "store"],
  ...["user", "metadata"],
]);
/** Those that are read below. */
const READ = new Set([
  ...["messages", "max_tokens", "max_completion_tokens", "tools", "tool_choice"],
  ...["reasoning_effort", "response_format", "verbosity", "stream_options"],
]);

/**
 * The body of a request.
 *
 * @param {any} chat the body for Chat Completions
 * @param {Set<string>} unknown names of members that a person wrote as they are
 * @throws {RangeError} for what this API does not have
 */
export function toBody(chat, unknown) {
  refuse(chat, (name) => SAME.has(name) || READ.has(name) || unknown.has(name), "Responses");
  const { messages, tools, tool_choice: choice, reasoning_effort: effort } = chat;
  const max = chat.max_tokens ?? chat.max_completion_tokens;
  const [first] = messages;
  const instructions = first?.role === "system" ? first.content : undefined;
  return {
    ...others(chat, READ),
    ...(instructions !== undefined && { instructions }),
    input: (instructions === undefined ? messages : messages.slice(1)).flatMap(toItems),
    ...(max !== undefined && { max_output_tokens: max }),
    ...(tools !== undefined && { tools: tools.map(flattened) }),
    ...(choice !== undefined && {
      tool_choice: typeof choice === "string" ? choice : flattened(choice),
    }),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...toText(chat),
  };
}

/** A member such as `function` is not nested here. */
function flattened({ type, ...nested }) {
  return { type, ...(nested[type] ?? nested) };
}

function toText({ response_format: format, verbosity }) {
  if (format === undefined && verbosity === undefined) return {};
  return {
    text: {
      ...(format !== undefined && { format: flattened(format) }),
      ...(verbosity !== undefined && { verbosity }),
    },
  };
}

function toItems({ role, content, tool_call_id, tool_calls = [], reasoning_details = [] }) {
  if (role === "tool") {
    return [{ type: "function_call_output", call_id: tool_call_id, output: content }];
  }
  if (role === "user") {
    return [{ role, content: typeof content === "string" ? content : content.map(toPart) }];
  }
  return [
    ...inApi(reasoning_details, "responses"),
    ...(content ? [{ role, content }] : []),
    ...tool_calls.map(({ id, function: { name, arguments: text } }) => ({
      ...{ type: "function_call", call_id: id, name, arguments: text },
    })),
  ];
}

function toPart({ type, text, image_url }) {
  return type === "text"
    ? { type: "input_text", text }
    : { type: "input_image", image_url: image_url.url };
}

/** Reads an answer as chunks of Chat Completions. */
export class Reader {
  isComplete = false;
  #hasCalls = false;

  /** The chunk of an event; undefined if it has none. @throws {ApiError} */
  read(event) {
    switch (event.type) {
      case "response.created":
        return { model: event.response.model };
      case "response.output_text.delta":
        return delta({ content: event.delta });
      case "response.refusal.delta":
        return delta({ refusal: event.delta });
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return delta({ reasoning_content: event.delta });
      case "response.output_item.added":
        return this.#start(event.output_index, event.item);
      case "response.function_call_arguments.delta":
        return toolDelta(event.output_index, {}, event.delta);
      case "response.output_item.done":
        return reasoningOf(event.output_index, event.item);
      case "response.completed":
      case "response.incomplete":
        return this.#end(event.response);
      case "response.failed":
        throw toError(event.response.error);
      case "error":
        throw toError(event);
    }
    return undefined;
  }

  #start(index, item) {
    if (item.type !== "function_call") return undefined;
    this.#hasCalls = true;
    return toolDelta(index, item, "");
  }

  #end({ status, usage, incomplete_details: details }) {
    this.isComplete = true;
    const whole = this.#hasCalls ? "tool_calls" : "stop";
    const reason = details?.reason === "max_output_tokens" ? "length" : details?.reason;
    return {
      usage: usage && toUsage(usage),
      choices: [{
        index: 0,
        delta: {},
        finish_reason: status === "incomplete" ? reason ?? "length" : whole,
      }],
    };
  }

  /** The chunks of a whole answer. @throws {ApiError} */
  readWhole(response) {
    if (response.status === "failed") throw toError(response.error);
    const items = response.output.flatMap((item, index) => {
      const { type, content = [], summary = [] } = item;
      if (type === "function_call") {
        return [this.#start(index, item), toolDelta(index, {}, item.arguments)];
      }
      if (type === "reasoning") {
        const text = [...summary, ...content].map((part) => part.text).join("\n\n");
        return [delta({ reasoning_content: text }), reasoningOf(index, item)];
      }
      return content.map(({ text, refusal }) => delta({ content: text, refusal }));
    });
    return [{ model: response.model }, ...items, this.#end(response)];
  }
}

function delta(members) {
  return { choices: [{ index: 0, delta: members }] };
}

function toolDelta(index, { call_id, name }, text) {
  return delta({
    tool_calls: [{ index, id: call_id, type: "function", function: { name, arguments: text } }],
  });
}

/** Reasoning that comes back to the vendor is kept whole. */
function reasoningOf(index, item) {
  if (item.type !== "reasoning") return undefined;
  return delta({ reasoning_details: [{ ...item, index, api: "responses" }] });
}

function toError(error) {
  return new ApiError(String(error?.message ?? "The answer failed"), {
    code: error?.code,
    param: error?.param,
  });
}

function toUsage({ input_tokens, output_tokens, ...usage }) {
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    prompt_tokens_details: { cached_tokens: usage.input_tokens_details?.cached_tokens ?? 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.output_tokens_details?.reasoning_tokens ?? 0,
    },
  };
}
