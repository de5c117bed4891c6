/** A chat request as a Responses request, to prove that the way back loses nothing. */

import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { packState } from "../../../src/apis/responses/output_items.ts";

export interface FromChat {
  readonly body: JsonObject;
  /** The parts that the Responses API cannot express. */
  readonly lost: readonly string[];
}

const SAME = new Set([
  "model",
  "models",
  "stream",
  "temperature",
  "top_p",
  "parallel_tool_calls",
  "metadata",
  "service_tier",
  "user",
  "safety_identifier",
  "prompt_cache_key",
]);

/** Converts a chat request, and reports what was lost. */
export function fromChat(chat: JsonObject): FromChat {
  const lost: string[] = [];
  const body: JsonObject = { input: toInput(chat.messages as JsonObject[], lost) };
  const text: JsonObject = {};
  for (const [name, value] of Object.entries(chat)) {
    if (value === null || name === "messages") continue;
    if (SAME.has(name)) body[name] = value;
    else if (name === "max_completion_tokens") body.max_output_tokens = value;
    else if (name === "reasoning_effort") body.reasoning = { effort: value };
    else if (name === "verbosity") text.verbosity = value;
    else if (name === "response_format") text.format = toFormat(value as JsonObject);
    else if (name === "tools") {
      body.tools = (value as JsonObject[]).map((tool) => toTool(tool, lost));
    } else if (name === "tool_choice") body.tool_choice = toChoice(value);
    else if (name === "logprobs" && value === true) body.include = ["message.output_text.logprobs"];
    else if (name === "top_logprobs" && chat.logprobs === true) body.top_logprobs = value;
    // Streams always include usage.
    else if (name !== "stream_options" || (value as JsonObject).include_obfuscation != null) {
      lost.push(name);
    }
  }
  return { body: { ...body, ...(Object.keys(text).length > 0 && { text }) }, lost };
}

function toFormat({ type, json_schema, ...rest }: JsonObject): JsonObject {
  return { type, ...(isObject(json_schema) && json_schema), ...rest };
}

function toTool(tool: JsonObject, lost: string[]): JsonObject {
  if (tool.type !== "function" || !isObject(tool.function)) {
    lost.push(`tools.${tool.type}`);
    return tool;
  }
  for (const name of Object.keys(tool)) {
    if (name !== "type" && name !== "function") lost.push(`tools.${name}`);
  }
  for (const name of Object.keys(tool.function)) {
    if (!["name", "description", "parameters", "strict"].includes(name)) lost.push(`tools.${name}`);
  }
  return { type: "function", ...tool.function };
}

function toChoice(choice: unknown): unknown {
  if (!isObject(choice)) return choice === "any" ? "required" : choice;
  if (isObject(choice.allowed_tools)) {
    const { mode, tools } = choice.allowed_tools;
    return { type: "allowed_tools", mode, tools: (tools as JsonObject[]).map(toChoice) };
  }
  return isObject(choice.function) ? { type: "function", name: choice.function.name } : choice;
}

function toInput(messages: readonly JsonObject[], lost: string[]): JsonObject[] {
  return messages.flatMap((message) => {
    const { role, content } = message;
    for (const name of Object.keys(message)) if (!MEMBERS.has(name)) lost.push(`messages.${name}`);
    if (role === "tool") {
      const output = toParts(content, lost);
      return [{ type: "function_call_output", call_id: message.tool_call_id, output }];
    }
    if (role === "function") {
      lost.push("messages.function");
      return [];
    }
    if (role !== "assistant") return [{ role, content: toParts(content, lost) }];
    return toItems(message, lost);
  });
}

const MEMBERS = new Set([
  "role",
  "content",
  "refusal",
  "tool_calls",
  "tool_call_id",
  "reasoning_content",
  "reasoning_details",
]);

function toItems(message: JsonObject, lost: string[]): JsonObject[] {
  const { content, refusal, reasoning_content: thoughts, reasoning_details: details } = message;
  const items: JsonObject[] = [];
  if (thoughts || details) {
    items.push({
      type: "reasoning",
      summary: thoughts ? [{ type: "summary_text", text: thoughts }] : [],
      ...(Array.isArray(details) && { encrypted_content: packState(details, false) }),
    });
  }
  // Answers of this API hold text in parts, but one text: several would become one.
  if (Array.isArray(content)) lost.push("messages.content");
  else if (content != null && (content !== "" || !message.tool_calls)) {
    items.push({ role: "assistant", content });
  } else if (content === "") lost.push("messages.content");
  if (refusal) items.push({ role: "assistant", content: [{ type: "refusal", refusal }] });
  for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
    if (!isObject(call) || !isObject(call.function)) lost.push("messages.tool_calls");
    else {
      if (Object.keys(call).length > 3) lost.push("messages.tool_calls.extra");
      const { name, arguments: text } = call.function;
      items.push({ type: "function_call", call_id: call.id, name, arguments: text });
    }
  }
  return items;
}

function toParts(content: unknown, lost: string[]): unknown {
  if (!Array.isArray(content)) return content;
  return content.flatMap((part: JsonObject) => {
    const { type, ...members } = part;
    switch (type) {
      case "text":
        return [{ ...members, type: "input_text" }];
      case "refusal":
        return [part];
      case "image_url": {
        const { url, detail } = members.image_url as JsonObject;
        return [{ type: "input_image", image_url: url, ...(detail != null && { detail }) }];
      }
      case "file":
        if (isObject(members.file) && members.file.file_url) lost.push("messages.content.file");
        return [{ type: "input_file", ...members.file as JsonObject }];
      case "file_url":
        if (Object.keys(members).length > 1) lost.push("messages.content.file_url");
        return [{ type: "input_file", file_url: (members.file_url as JsonObject).url }];
      case "input_audio":
        return [part];
    }
    lost.push(`messages.content.${type}`);
    return [];
  });
}
