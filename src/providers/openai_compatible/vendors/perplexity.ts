import { isObject, type JsonObject } from "../../../chat/chat.ts";
import { GatewayError } from "../../../core/errors.ts";
import type { Call } from "../../contract/adapter.ts";
import { nearestOf, withInstruction } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../adapter.ts";
import { nativeAs, refused } from "../../contract/support.ts";
import { contentPath, mergeTurns } from "../../shared/turns.ts";

/** Perplexity's Sonar models (https://docs.perplexity.ai/api-reference, 2026-06-08). */
export const perplexity = openAiCompatible(dialectOf({
  kind: "perplexity",
  baseUrl: "https://api.perplexity.ai",
  tokenLimit: "max_tokens",
  streamUsage: false,
  // 2 itself is refused.
  ranges: { temperature: [0, 1.99] },
  parameters: {
    ...lacks("no such field", "stop", "n", "seed", "logprobs", "top_logprobs", "logit_bias"),
    ...lacks("no such field", "user"),
    ...lacks("no tools", "tools", "tool_choice", "parallel_tool_calls"),
    ...lacks("no tools", "functions", "function_call"),
    response_format: nativeAs("json_object becomes an instruction"),
    frequency_penalty: nativeAs("left out beside presence_penalty"),
  },
  content: {
    input_audio: refused("no audio input"),
    file: refused("no files but as file_url"),
    // https://docs.perplexity.ai/guides/file-attachments (2026-06).
    file_url: nativeAs("by its address, or as base64"),
  },
  alsoTakes: ["web_search_options"],
  adds: { messages: "a short turn of the user's behind a last one of the assistant's" },
  names: false,
  thinkTags: true,
  // Billed like input, and part of no sum (https://docs.perplexity.ai/getting-started/pricing, 2026-06).
  counts: { besidePrompt: ["citation_tokens"] },
  efforts: [[/reasoning|research/, nearestOf("minimal", "low", "medium", "high")]],
  rewrites: [withOnePenalty, withJsonInstruction, withAlternatingTurns],
}));

/** A penalty of 0 is refused, and both at once are. */
function withOnePenalty(body: JsonObject, { receipt }: Call): JsonObject {
  const { frequency_penalty: frequency, presence_penalty: presence, ...rest } = body;
  if (presence && frequency) receipt.ignore("frequency_penalty");
  if (presence) return { ...rest, presence_penalty: presence };
  return frequency ? { ...rest, frequency_penalty: frequency } : rest;
}

function withJsonInstruction(body: JsonObject, { request, receipt }: Call): JsonObject {
  const { response_format: format, ...rest } = body;
  if (!isObject(format) || format.type === "json_schema") return body;
  if (format.type !== "json_object") return rest;
  receipt.convert("response_format", "json_object", "instruction");
  return withInstruction(rest, request);
}

/**
 * Users and the assistant take turns behind the system's messages, and a user
 * has the last word; tools have no part in it.
 */
function withAlternatingTurns(body: JsonObject, { receipt }: Call): JsonObject {
  const messages = body.messages as readonly JsonObject[];
  const begin = messages.findIndex(({ role }) => role !== "system");
  const said = messages.map((turn, index) => {
    if (turn.role === "tool" || turn.tool_calls !== undefined) {
      throw new GatewayError(
        "unsupported_content",
        "This provider cannot be sent calls of tools and their results",
        { param: contentPath(index) },
      );
    }
    const late = turn.role === "system" && index > begin;
    return { role: late ? "user" : String(turn.role), blocks: toParts(turn.content) };
  });
  const turns = mergeTurns(said);
  if (turns.at(-1)?.role === "assistant") {
    turns.push({ role: "user", blocks: toParts("Continue from where you stopped.") });
    receipt.add("messages");
  } else if (turns.length === said.length && begin !== -1) return body;
  receipt.convert("messages");
  return {
    ...body,
    messages: turns.map(({ role, blocks }) => ({ role, content: toContent(blocks) })),
  };
}

function toParts(content: unknown): readonly JsonObject[] {
  if (Array.isArray(content)) return content;
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
}

/** One text where there is nothing else. */
function toContent(parts: readonly JsonObject[]): unknown {
  const texts = parts.map(({ text }) => text);
  return texts.every((text) => typeof text === "string") ? texts.join("\n\n") : parts;
}
