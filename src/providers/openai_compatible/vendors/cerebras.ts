import type { JsonObject } from "../../../contract/chat.ts";
import { nearestOf } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { withStrictSchemas } from "../../shared/strict_schema.ts";
import { nativeAs, refused } from "../../../contract/support.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** Cerebras (https://inference-docs.cerebras.ai, 2026-11). */
export const cerebras = openAiCompatible(dialectOf({
  kind: "cerebras",
  baseUrl: "https://api.cerebras.ai/v1",
  tokenLimit: "max_completion_tokens",
  ranges: { temperature: [0, 1.5] },
  stops: 4,
  parameters: {
    ...lacks("refused", "frequency_penalty", "presence_penalty", "logit_bias"),
    ...lacks("refused", "parallel_tool_calls"),
    ...lacks("one choice only", "n"),
    tools: nativeAs("strict if all are strict"),
  },
  content: {
    image_data: nativeAs("png and jpeg"),
    input_audio: refused("no audio input"),
    file: refused("no files"),
  },
  // https://inference-docs.cerebras.ai/capabilities/image-inputs (2026-11).
  imageDataOnly: true,
  replays: "reasoning",
  efforts: [
    [/gpt-oss/, nearestOf("low", "medium", "high")],
    [/glm/, nearestOf("none", "low", "medium", "high")],
  ],
  rewrites: [withGlmThoughts, withOwnStrictSchemas, withEvenTools],
}));

/** GLM expects past reasoning between think tags in the text (pydantic-ai, 2026-08-22). */
function withGlmThoughts(body: JsonObject, { model }: Call): JsonObject {
  if (!model.base.includes("glm")) return body;
  const messages = (body.messages as readonly JsonObject[]).map((turn) => {
    const { reasoning, ...rest } = turn;
    if (typeof reasoning !== "string") return turn;
    const thinking = `<think>${reasoning}</think>`;
    const content = Array.isArray(rest.content)
      ? [{ type: "text", text: thinking }, ...rest.content]
      : `${thinking}${rest.content ?? ""}`;
    return { ...rest, content };
  });
  return { ...body, messages };
}

/**
 * Strict schemas follow OpenAI's rules, and also exclude lists of types and items of any type
 * (https://inference-docs.cerebras.ai/capabilities/structured-outputs, 2026-11-24).
 */
function withOwnStrictSchemas(body: JsonObject, call: Call): JsonObject {
  return withStrictSchemas(
    body,
    call,
    ({ type, items }) => Array.isArray(type) || items === true,
  );
}

/**
 * Either all tools or none must be strict
 * (https://github.com/RooCodeInc/Roo-Code/issues/10334, 2025-12-24).
 */
function withEvenTools(body: JsonObject, { changes }: Call): JsonObject {
  const tools = (body.tools ?? []) as readonly { readonly function: JsonObject }[];
  const exact = tools.filter((tool) => tool.function.strict === true);
  if (exact.length === 0 || exact.length === tools.length) return body;
  changes.ignore("tools.strict");
  return {
    ...body,
    tools: tools.map((tool) => {
      const { strict: _, ...definition } = tool.function;
      return { ...tool, function: definition };
    }),
  };
}
