import { isObject, type JsonObject } from "../../../contract/chat.ts";
import { GatewayError } from "../../../core/errors.ts";
import { nearestOf, withInstruction } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings, TEXT_ALONE } from "../embeddings.ts";
import { converted, ignored, nativeAs, refused } from "../../../contract/support.ts";
import { contentPath, mergeTurns } from "../../shared/messages.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** Perplexity's Sonar models (https://docs.perplexity.ai/api-reference, 2026-06-08). */
export const perplexity = openAiCompatible(dialectOf({
  kind: "perplexity",
  models: false,
  apis: {
    // https://docs.perplexity.ai/docs/embeddings/quickstart (2026-11).
    embeddings: dialectEmbeddings({
      limits: { inputs: 512 },
      parameters: {
        encoding_format: converted("the vendor's 8-bit integers become numbers"),
        user: ignored("no such field"),
      },
      inputs: TEXT_ALONE,
      vector: toNumbers,
    }),
  },
  baseUrl: "https://api.perplexity.ai",
  tokenLimit: "max_tokens",
  streamUsage: false,
  // 2 is rejected.
  ranges: { temperature: [0, 1.99] },
  parameters: {
    ...lacks("no such field", "stop", "n", "seed", "logprobs", "top_logprobs", "logit_bias"),
    ...lacks("no such field", "user"),
    ...lacks("no tools", "tools", "tool_choice", "parallel_tool_calls"),
    ...lacks("no tools", "functions", "function_call"),
    response_format: nativeAs("json_object becomes an instruction"),
    frequency_penalty: nativeAs("omitted with presence_penalty"),
  },
  content: {
    input_audio: refused("no audio input"),
    file: refused("no files except as file_url"),
    // https://docs.perplexity.ai/guides/file-attachments (2026-06).
    file_url: nativeAs("by URL, or as base64"),
  },
  alsoTakes: ["web_search_options"],
  adds: { messages: "a short user message after a final assistant message" },
  names: false,
  thinkTags: true,
  // Billed like input, but not part of any sum
  // (https://docs.perplexity.ai/getting-started/pricing, 2026-06).
  counts: { inputMembers: ["citation_tokens"] },
  efforts: [[/reasoning|research/, nearestOf("minimal", "low", "medium", "high")]],
  rewrites: [withOnePenalty, withJsonInstruction, withAlternatingTurns],
}));

/** A penalty of 0 is rejected, and so are both penalties together. */
function withOnePenalty(body: JsonObject, { changes }: Call): JsonObject {
  const { frequency_penalty: frequency, presence_penalty: presence, ...rest } = body;
  if (presence && frequency) changes.ignore("frequency_penalty");
  if (presence) return { ...rest, presence_penalty: presence };
  return frequency ? { ...rest, frequency_penalty: frequency } : rest;
}

function withJsonInstruction(body: JsonObject, { request, changes }: Call): JsonObject {
  const { response_format: format, ...rest } = body;
  if (!isObject(format) || format.type === "json_schema") return body;
  if (format.type !== "json_object") return rest;
  changes.convert("response_format", "json_object", "instruction");
  return withInstruction(rest, request);
}

/**
 * After the system messages, user and assistant messages must alternate, and the last one must be
 * the user's. Tool messages are not supported.
 */
function withAlternatingTurns(body: JsonObject, { changes }: Call): JsonObject {
  const messages = body.messages as readonly JsonObject[];
  const begin = messages.findIndex(({ role }) => role !== "system");
  const converted = messages.map((turn, index) => {
    if (turn.role === "tool" || turn.tool_calls !== undefined) {
      throw new GatewayError(
        "unsupported_content",
        "This provider does not support tool calls and their results",
        { param: contentPath(index) },
      );
    }
    const late = turn.role === "system" && index > begin;
    return { role: late ? "user" : String(turn.role), blocks: toParts(turn.content) };
  });
  const turns = mergeTurns(converted);
  if (turns.at(-1)?.role === "assistant") {
    turns.push({ role: "user", blocks: toParts("Continue from where you stopped.") });
    changes.add("messages");
  } else if (turns.length === converted.length && begin !== -1) return body;
  changes.convert("messages");
  return {
    ...body,
    messages: turns.map(({ role, blocks }) => ({ role, content: toContent(blocks) })),
  };
}

function toParts(content: unknown): readonly JsonObject[] {
  if (Array.isArray(content)) return content;
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
}

/** One text if there are no other parts. */
function toContent(parts: readonly JsonObject[]): unknown {
  const texts = parts.map(({ text }) => text);
  return texts.every((text) => typeof text === "string") ? texts.join("\n\n") : parts;
}

/** The vendor's vectors are signed 8-bit integers as base64. */
function toNumbers(value: unknown): readonly number[] | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return [...new Int8Array(Uint8Array.fromBase64(value).buffer)];
  } catch {
    return undefined;
  }
}
