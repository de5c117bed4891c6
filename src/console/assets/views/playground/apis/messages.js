/**
 * The Messages API (https://docs.anthropic.com/en/api/messages, 2026-11): its requests are written
 * from those of Chat Completions, and its answers are read as such.
 */

import { inApi, others, parsedObject, refuse } from "./members.js";

/** The members that are called as in Chat Completions. */
const SAME = new Set(["model", "stream", "temperature", "top_p", "service_tier"]);
/** Those that are read below. */
const READ = new Set([
  ...["messages", "max_tokens", "max_completion_tokens", "stop", "tools", "tool_choice"],
  ...["parallel_tool_calls", "reasoning_effort", "user", "stream_options"],
]);

/**
 * The body of a request.
 *
 * @param {any} chat the body for Chat Completions
 * @param {Set<string>} unknown names of members that a person wrote as they are
 * @throws {RangeError} for what this API does not have
 */
export function toBody(chat, unknown) {
  refuse(chat, (name) => SAME.has(name) || READ.has(name) || unknown.has(name), "Messages");
  const { messages, stop, user, reasoning_effort: effort } = chat;
  const max = chat.max_tokens ?? chat.max_completion_tokens;
  if (max === undefined && !unknown.has("max_tokens")) {
    throw new RangeError("max_tokens: the Messages API requires it");
  }
  const [first] = messages;
  const system = first?.role === "system" ? first.content : undefined;
  return {
    ...others(chat, READ),
    max_tokens: max,
    ...(system !== undefined && { system }),
    messages: joined((system === undefined ? messages : messages.slice(1)).map(toMessage)),
    ...(stop !== undefined && { stop_sequences: stop }),
    ...(chat.tools !== undefined && { tools: chat.tools.map(toTool) }),
    ...toToolChoice(chat),
    ...(effort !== undefined && { output_config: { effort } }),
    ...(user !== undefined && { metadata: { user_id: user } }),
  };
}

function toMessage({ role, content, tool_call_id, tool_calls = [], reasoning_details = [] }) {
  if (role === "tool") {
    return {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: tool_call_id, content }],
    };
  }
  if (role === "user") {
    return { role, content: typeof content === "string" ? content : content.map(toPart) };
  }
  const calls = tool_calls.map(({ id, function: called, custom }) => ({
    ...{ type: "tool_use", id, name: (called ?? custom).name },
    input: parsedObject(called?.arguments ?? ""),
  }));
  const thinking = inApi(reasoning_details, "messages");
  if (calls.length + thinking.length === 0) return { role, content: content ?? "" };
  const text = content ? [{ type: "text", text: content }] : [];
  return { role, content: [...thinking, ...text, ...calls] };
}

/** The results of several tools are one message. */
function joined(messages) {
  const list = [];
  for (const message of messages) {
    const isResult = Array.isArray(message.content) && message.content[0]?.type === "tool_result";
    const last = list.at(-1);
    if (isResult && last?.content[0]?.type === "tool_result") {
      list[list.length - 1] = { ...last, content: [...last.content, ...message.content] };
    } else list.push(message);
  }
  return list;
}

function toPart({ type, text, image_url }) {
  if (type === "text") return { type, text };
  const [, media_type, data] = /^data:([^;,]+);base64,(.*)$/.exec(image_url.url) ?? [];
  return {
    type: "image",
    source: data === undefined
      ? { type: "url", url: image_url.url }
      : { type: "base64", media_type, data },
  };
}

function toTool(tool) {
  if (tool.type !== "function") return tool;
  const { name, description, parameters = { type: "object" } } = tool.function;
  return { name, ...(description !== undefined && { description }), input_schema: parameters };
}

const CHOICES = new Map([["auto", "auto"], ["none", "none"], ["required", "any"]]);

function toToolChoice({ tool_choice: choice, parallel_tool_calls: isParallel }) {
  if (choice === undefined && isParallel !== false) return {};
  const type = CHOICES.get(choice ?? "auto");
  return {
    tool_choice: {
      ...(type === undefined ? { type: "tool", name: choice.function.name } : { type }),
      ...(isParallel === false && type !== "none" && { disable_parallel_tool_use: true }),
    },
  };
}

const REASONS = new Map([
  ...[["end_turn", "stop"], ["stop_sequence", "stop"], ["max_tokens", "length"]],
  ...[["tool_use", "tool_calls"], ["refusal", "content_filter"]],
]);

/** Reads an answer as chunks of Chat Completions. */
export class Reader {
  isComplete = false;
  #usage = {};
  #blocks = new Map();

  /** The chunk of an event; undefined if it has none. */
  read(event) {
    switch (event.type) {
      case "message_start":
        Object.assign(this.#usage, event.message.usage);
        return { model: event.message.model };
      case "content_block_start":
        return this.#start(event.index, event.content_block);
      case "content_block_delta":
        return this.#grow(event.index, event.delta);
      case "content_block_stop":
        return this.#stop(event.index);
      case "message_delta":
        Object.assign(this.#usage, event.usage);
        return this.#end(event.delta.stop_reason);
      case "message_stop":
        this.isComplete = true;
    }
    return undefined;
  }

  #start(index, block) {
    this.#blocks.set(index, { ...block });
    if (block.type === "text") return delta({ content: block.text });
    return block.type === "tool_use" ? toolDelta(index, block, "") : undefined;
  }

  #grow(index, { type, text, thinking, signature, partial_json }) {
    const block = this.#blocks.get(index);
    switch (type) {
      case "text_delta":
        return delta({ content: text });
      case "thinking_delta":
        block.thinking = (block.thinking ?? "") + thinking;
        return delta({ reasoning_content: thinking });
      case "signature_delta":
        block.signature = signature;
        return undefined;
      case "input_json_delta":
        return toolDelta(index, {}, partial_json);
    }
    return undefined;
  }

  /** A vendor checks thinking that comes back, so it is kept whole. */
  #stop(index) {
    const block = this.#blocks.get(index);
    if (!/thinking$/.test(block?.type)) return undefined;
    return delta({ reasoning_details: [{ ...block, index, api: "messages" }] });
  }

  #end(reason) {
    return {
      usage: toUsage(this.#usage),
      choices: [{ index: 0, delta: {}, finish_reason: REASONS.get(reason) ?? reason }],
    };
  }

  /** The chunks of a whole answer. */
  readWhole({ model, content, usage, stop_reason }) {
    this.isComplete = true;
    Object.assign(this.#usage, usage);
    const blocks = content.map((block, index) => {
      this.#blocks.set(index, block);
      if (block.type === "text") return delta({ content: block.text });
      if (block.type === "tool_use") return toolDelta(index, block, JSON.stringify(block.input));
      return delta({
        reasoning_content: block.thinking,
        ...this.#stop(index)?.choices[0].delta,
      });
    });
    return [{ model }, ...blocks, this.#end(stop_reason)];
  }
}

function delta(members) {
  return { choices: [{ index: 0, delta: members }] };
}

function toolDelta(index, { id, name }, text) {
  return delta({
    tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }],
  });
}

function toUsage({ input_tokens = 0, output_tokens = 0, ...usage }) {
  const cached = usage.cache_read_input_tokens ?? 0;
  return {
    prompt_tokens: input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
    completion_tokens: output_tokens,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: {
      reasoning_tokens: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  };
}
