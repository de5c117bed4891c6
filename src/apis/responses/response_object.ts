/**
 * The response object: the content of every answer, and of the first and the last event of a
 * stream.
 *
 * Shape: `Response` of https://github.com/openai/openai-openapi (v2.3.0, 2026-08-21).
 */

import type { Envelope } from "../chat/caller_format.ts";
import { type FinishReason, isObject, type JsonObject, type Usage } from "../../contract/chat.ts";
import { toCount } from "../../core/json/values.ts";
import type { ResponsesRequest } from "./request.ts";

/** How an answer ended. */
export interface Ending {
  readonly status: "completed" | "incomplete" | "failed";
  /**
   * Seconds since the Unix epoch, only if the status is `completed` (`Response.completed_at` of the
   * openai package 7.57.0, 2026-11-22).
   */
  readonly completed_at?: number;
  readonly incomplete_details: { readonly reason: string } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/**
 * A response that has begun: the request's own members, and no output. It has every member that
 * `ResponseResource` of https://github.com/openresponses/openresponses (2026-11-22) requires.
 */
export function toResponse(
  request: ResponsesRequest,
  { id, created, model }: Envelope,
): JsonObject {
  const { text = {}, reasoning = {} } = request;
  return {
    id,
    object: "response",
    created_at: created,
    completed_at: null,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { ...text, format: text.format ?? { type: "text" } },
    tool_choice: request.tool_choice ?? "auto",
    tools: (request.tools ?? []).map(toShownTool),
    top_p: request.top_p ?? 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: request.top_logprobs ?? 0,
    truncation: "disabled",
    usage: null,
    user: request.user ?? null,
    safety_identifier: request.safety_identifier ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    metadata: request.metadata ?? {},
    service_tier: request.service_tier ?? "default",
  };
}

/** A tool of the request; a function has all of its members. */
function toShownTool(tool: JsonObject): JsonObject {
  if (tool.type !== "function") return tool;
  const { description = null, parameters = null, strict = null } = tool;
  return { ...tool, description, parameters, strict };
}

/** The same response at its end. */
export function ended(
  response: JsonObject,
  ending: Ending,
  output: readonly JsonObject[],
  usage: Usage | undefined,
): JsonObject {
  return { ...response, ...ending, output, usage: usage === undefined ? null : toUsage(usage) };
}

/**
 * The final members of an answer that the vendor completed.
 *
 * @param now milliseconds since the Unix epoch
 */
export function toEnding(reason: FinishReason, isRefusal: boolean, now: number): Ending {
  const isCut = reason === "length" || reason === "content_filter" && !isRefusal;
  return {
    status: isCut ? "incomplete" : "completed",
    ...(!isCut && { completed_at: Math.floor(now / 1000) }),
    incomplete_details: isCut
      ? { reason: reason === "length" ? "max_output_tokens" : reason }
      : null,
    error: null,
  };
}

/** Token counts under the names of this API. */
export function toUsage(usage: Usage): JsonObject {
  const read = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const made = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: toCount(read.cached_tokens),
      cache_write_tokens: toCount(read.cache_write_tokens),
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: toCount(made.reasoning_tokens) },
    total_tokens: usage.total_tokens,
  };
}
