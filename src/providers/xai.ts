import { isObject, type JsonObject } from "../chat.ts";
import type { Failure, Verdict } from "./adapter.ts";
import { nearestOf } from "./dialect_rewrites.ts";
import { dialectOf, lacks } from "./dialect_row.ts";
import { openAiCompatible } from "./openai.ts";
import { ignored, nativeAs, refused } from "./support.ts";

/** xAI (https://docs.x.ai/docs/api-reference, 2026-08). */
export const xai = openAiCompatible(dialectOf({
  kind: "xai",
  genAiName: "x_ai",
  baseUrl: "https://api.x.ai/v1",
  ranges: { top_logprobs: [0, 8] },
  stops: 8,
  parameters: {
    ...lacks("no such field", "logit_bias"),
    tools: nativeAs("schemas without additionalProperties: false"),
  },
  content: { input_audio: refused("no audio input") },
  tiers: { default: "default", priority: "priority" },
  names: false,
  strictTools: false,
  // https://github.com/langchain-ai/langchain/issues/34140 (2025-11-28).
  emptyTurns: false,
  replays: "reasoning_content",
  efforts: [
    [/^grok-4\.3/, nearestOf("none", "low", "medium", "high")],
    [/^grok-4\.5/, nearestOf("low", "medium", "high")],
    [/^grok-4\.[67]/, nearestOf("low", "medium", "high", "xhigh")],
  ],
  supportFor: (_, { facts, base }) =>
    facts.capabilities?.reasoning ?? !base.includes("non-reasoning")
      ? { frequency_penalty: BY_REASONING, presence_penalty: BY_REASONING, stop: BY_REASONING }
      : {},
  error: toOwnVerdict,
  rewrites: [withOpenSchemas],
}));

/**
 * Errors whose code says nothing but the status. A moderated prompt is a 403, whose words name the
 * account (https://github.com/UKGovernmentBEIS/inspect_ai/pull/2267, 2025-08-12); a wrong key is a
 * 400. Both are told from words, so they concern this request alone.
 */
function toOwnVerdict(failure: Failure): Verdict | undefined {
  const { body } = failure;
  const status = failure.where === "answer" ? failure.status : undefined;
  const words = isObject(body) && typeof body.error === "string" ? body.error : "";
  if (status === 403 && words.startsWith(MODERATED)) {
    const check = /\bFailed check: \w+/.exec(words)?.[0];
    return {
      kind: "content_filter",
      message: check === undefined ? MODERATED : `${MODERATED}. ${check}`,
    };
  }
  const isWrongKey = status === 400 && words.startsWith("Incorrect API key provided");
  return isWrongKey ? { kind: "upstream_auth" } : undefined;
}

const MODERATED = "Content violates usage guidelines";

const BY_REASONING = ignored("refused by models that reason");

/** Tools whose schemas close their objects are refused (vercel/ai, packages/xai, 2026-08-22). */
function withOpenSchemas(body: JsonObject): JsonObject {
  if (!Array.isArray(body.tools)) return body;
  const tools = body.tools.map((tool: JsonObject) => {
    const made = isObject(tool.function) ? tool.function : {};
    if (!isObject(made.parameters)) return tool;
    return { ...tool, function: { ...made, parameters: opened(made.parameters) } };
  });
  return { ...body, tools };
}

/** Members whose value is a caller's data or a map of the caller's names, not a schema. */
const DATA = new Set(["enum", "const", "default", "examples", "example", "required"]);
const MAPS = new Set(["properties", "$defs", "definitions", "patternProperties"]);

function opened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(opened);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([name, value]) =>
    name !== "additionalProperties" || value !== false
  );
  return Object.fromEntries(kept.map(([name, value]) => [
    name,
    DATA.has(name)
      ? value
      : MAPS.has(name) && isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, opened(inner)]))
      : opened(value),
  ]));
}
