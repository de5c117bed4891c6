/** A request of the Messages API as a chat request, for targets that have another API. */

import { createHash } from "node:crypto";
import { InnerJson, InnerText, STATE_LIMITS } from "../../core/json/inner_json.ts";
import type { ChatRequest, JsonObject, ReasoningEffort } from "../../contract/chat.ts";
import type { ConvertedRequest } from "../chat/caller_format.ts";
import { type FieldName, FieldPaths } from "../chat/field_paths.ts";
import { addTraits } from "../chat/web_search.ts";
import { GatewayError } from "../../core/errors.ts";
import { copyTexts } from "../../core/json/number_texts.ts";
import { isText, present } from "../../core/json/values.ts";
import { RequestChanges } from "../../contract/request_changes.ts";
import { type Reading, toChatMessages } from "./read_turns.ts";
import { isFilled, toChatTools } from "./read_tools.ts";
import { checkBody, type MessagesBody } from "./schema.ts";

/**
 * Converts a request.
 *
 * @param markers whether cache markers are kept
 * @throws {GatewayError} `invalid_value` with the path of the first fault; `unsupported_content`
 * and `unsupported_parameter` for features that only Anthropic's API has.
 */
export function readMessagesRequest(body: unknown, markers = true): ConvertedRequest {
  const checked = checkBody(body);
  refuseAnthropicOnly(checked);
  const changes = new RequestChanges();
  const stateJson = new InnerJson(STATE_LIMITS);
  const reading: Reading = { changes, markers, stateJson, inputs: new InnerText() };
  const { system: _, messages: __, ...parameters } = checked;
  const placed = toChatMessages(checked, reading);
  const { toolPaths, webSearch, ...tools } = toChatTools(checked, reading);
  const chat = present({
    model: checked.model,
    messages: placed.map(({ message }) => message),
    stream: checked.stream ?? undefined,
    // Anthropic reports usage in every stream.
    stream_options: checked.stream ? { include_usage: true } : undefined,
    max_tokens: checked.max_tokens ?? undefined,
    temperature: checked.temperature ?? undefined,
    top_p: checked.top_p ?? undefined,
    top_k: checked.top_k ?? undefined,
    stop: checked.stop_sequences?.length ? checked.stop_sequences : undefined,
    ...tools,
    response_format: toResponseFormat(checked),
    reasoning_effort: toEffort(checked, changes),
    user: toUser(checked, changes),
    service_tier: toServiceTier(checked),
    cache_control: markers && isFilled(checked.cache_control) ? checked.cache_control : undefined,
  });
  copyTexts(checked, chat);
  addTraits(chat, {
    isConverted: true,
    relaxesStrict: true,
    showsReasoning: showsThinking(checked),
    webSearch,
  });
  recordDropped(parameters, changes);
  const origins = new FieldPaths({
    messages: placed.map(({ origin }) => origin),
    tools: toolPaths,
    parameters: "input_schema",
    conversation: "messages",
    fields: [
      ...isText(checked.output_config?.effort) ? [EFFORT] : [],
      ...webSearch === undefined ? [] : [["web_search_options", webSearch.tool, "same"] as const],
      ...FIELDS,
    ],
  });
  return { chat: chat as unknown as ChatRequest, origins, changes };
}

/** The member that sets the effort, if it is not `thinking`. */
const EFFORT: FieldName = ["reasoning_effort", "output_config.effort"];

/** The names of chat parameters here. */
const FIELDS: readonly FieldName[] = [
  ["max_completion_tokens", "max_tokens"],
  ["stop", "stop_sequences", "same"],
  ["response_format.json_schema", "output_config.format", "same"],
  ["response_format", "output_config.format"],
  ["reasoning_effort", "thinking"],
  ["parallel_tool_calls", "tool_choice.disable_parallel_tool_use"],
  ["user", "metadata.user_id"],
  ["tool_choice", "tool_choice"],
  ...["model", "max_tokens", "stream", "temperature", "top_p", "top_k", "service_tier"]
    .map((name): FieldName => [name, name]),
];

/** Members that are converted, or can be omitted without effect. */
const TAKEN = new Set([
  "model",
  "models",
  "max_tokens",
  "stream",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "output_format",
  "metadata",
  "service_tier",
  "cache_control",
  "container",
  "mcp_servers",
]);

function recordDropped(parameters: JsonObject, changes: RequestChanges): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (TAKEN.has(name) || value == null) continue;
    if (name === "speed" && value === "standard") continue;
    changes.ignore(name);
  }
}

/** The error code that makes clients send the whole conversation. */
const THREAD_UNSUPPORTED = "thread_unsupported_request";

function refuseAnthropicOnly(body: MessagesBody): void {
  if (body.thread != null) {
    throw new GatewayError(
      "unsupported_parameter",
      "This model does not support 'thread': send all messages of the conversation",
      { param: "thread", code: THREAD_UNSUPPORTED },
    );
  }
  for (const name of ["container", "mcp_servers"]) {
    const value = body[name];
    if (!isText(value) && !isFilled(value)) continue;
    throw new GatewayError(
      "unsupported_parameter",
      `This model does not support '${name}', which only Anthropic's own API has`,
      { param: name },
    );
  }
}

function toResponseFormat({ output_config, output_format }: MessagesBody): JsonObject | undefined {
  const format = output_config?.format ?? output_format;
  if (format == null) return undefined;
  return {
    type: "json_schema",
    json_schema: { name: "output", schema: format.schema, strict: true },
  };
}

/** Whether the caller receives the thinking text. */
function showsThinking({ thinking }: MessagesBody): boolean {
  return thinking != null && thinking.type !== "disabled" && thinking.display !== "omitted";
}

/** Shares of `max_tokens`: a larger budget maps to a higher effort. */
const LOW_BUDGET = 0.1;
const MEDIUM_BUDGET = 0.3;

function toEffort(body: MessagesBody, changes: RequestChanges): ReasoningEffort | undefined {
  const { thinking, output_config, max_tokens } = body;
  if (thinking?.type === "disabled") return "none";
  if (isText(output_config?.effort)) return output_config.effort as ReasoningEffort;
  switch (thinking?.type) {
    case "between_tools":
      return "low";
    case "enabled": {
      const { budget_tokens: budget } = thinking;
      if (budget == null) return undefined;
      const share = max_tokens == null ? 1 : budget / max_tokens;
      const effort = share <= LOW_BUDGET ? "low" : share <= MEDIUM_BUDGET ? "medium" : "high";
      changes.convert("thinking.budget_tokens", budget, effort);
      return effort;
    }
    default:
      return undefined;
  }
}

/** The maximum length of an OpenAI user ID, in characters. */
const MAX_USER_LENGTH = 64;

function toUser({ metadata }: MessagesBody, changes: RequestChanges): string | undefined {
  const { user_id, ...others } = metadata ?? {};
  for (const [name, value] of Object.entries(others)) {
    if (value != null) changes.ignore(`metadata.${name}`);
  }
  if (!isText(user_id) || user_id.length <= MAX_USER_LENGTH) return user_id || undefined;
  changes.convert("metadata.user_id");
  return createHash("sha256").update(user_id).digest("hex");
}

function toServiceTier({ service_tier: tier }: MessagesBody): string | undefined {
  return tier === "standard_only" ? "default" : tier ?? undefined;
}
