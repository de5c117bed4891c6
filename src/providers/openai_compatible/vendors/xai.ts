import { isObject, type JsonObject } from "../../../contract/chat.ts";
import { nearestOf } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { hintAt, PROMPT_CACHE_KEY, SESSION_NOTE } from "../../shared/session_hints.ts";
import { dialectImages } from "../images.ts";
import type { ImageCall } from "../../../contract/media.ts";
import {
  AS_EVENTS,
  AS_RATIO,
  aspectRatioOf,
  dataUrlOf,
  editedImages,
  ignoreMask,
  NO_FIELD,
} from "../../shared/images.ts";
import { ignored, native, nativeAs, refused } from "../../../contract/support.ts";
import { present } from "../../../core/json/values.ts";
import type { Call, Failure, UpstreamError } from "../../../contract/vendor_request.ts";

const RATIOS = ["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "2:1", "1:2"];
const HOST = /^(?:.+\.)?x\.ai$/;
const CONVERSATION = "x-grok-conv-id";
const byHeader = hintAt(HOST, { header: CONVERSATION });
const byMember = hintAt(HOST, { member: PROMPT_CACHE_KEY });

/** xAI (https://docs.x.ai/docs/api-reference, 2026-08). */
export const xai = openAiCompatible(dialectOf({
  kind: "xai",
  genAiName: "x_ai",
  baseUrl: "https://api.x.ai/v1",
  responses: true,
  apis: {
    // https://docs.x.ai/developers/model-capabilities/images/generation (2026-11).
    images: dialectImages({
      edits: toEditMembers,
      parameters: {
        size: AS_RATIO,
        quality: NO_FIELD,
        style: NO_FIELD,
        background: NO_FIELD,
        moderation: NO_FIELD,
        output_format: NO_FIELD,
        output_compression: NO_FIELD,
        stream: AS_EVENTS,
        partial_images: NO_FIELD,
      },
      extensions: { aspect_ratio: native, resolution: native },
      request: (body, call) => ({
        ...present({ aspect_ratio: aspectRatioOf(call, RATIOS) }),
        ...body,
      }),
    }),
  },
  ranges: { top_logprobs: [0, 8] },
  stops: 8,
  parameters: {
    ...lacks("no such field", "logit_bias"),
    tools: nativeAs("schemas without additionalProperties: false"),
  },
  content: { input_audio: refused("no audio input") },
  // https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits (2026-11-24):
  // a header for chat completions, a member for the Responses API.
  sessionHint: ({ url }, provider) =>
    url.endsWith("/responses") ? byMember({ url }, provider) : byHeader({ url }, provider),
  adds: { [PROMPT_CACHE_KEY]: SESSION_NOTE, [CONVERSATION]: SESSION_NOTE },
  tiers: { default: "default", priority: "priority" },
  names: false,
  // Tools are strict without it, and strict schemas may have optional properties
  // (https://docs.x.ai/developers/model-capabilities/text/structured-outputs, 2026-11-24).
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
  error: classifyError,
  rewrites: [withOpenSchemas],
}));

/**
 * The images of one edit, which is JSON:
 * https://docs.x.ai/developers/model-capabilities/images/editing (2026-11).
 */
const MAX_EDITED = 3;

function toEditMembers(call: ImageCall): JsonObject {
  ignoreMask(call);
  const images = editedImages(call, MAX_EDITED)?.map((image) => ({
    type: "image_url",
    url: dataUrlOf(image),
  })) ?? [];
  return images.length === 1 ? { image: images[0] } : { images };
}

/**
 * Classifies errors whose code only repeats the status. A moderated prompt is a 403 whose message
 * names the account (https://github.com/UKGovernmentBEIS/inspect_ai/pull/2267, 2025-08-12); a wrong
 * key is a 400. Both are recognized by the message, so they affect only this request.
 */
function classifyError(failure: Failure): UpstreamError | undefined {
  const { body } = failure;
  const status = failure.where === "answer" ? failure.status : undefined;
  const message = isObject(body) && typeof body.error === "string" ? body.error : "";
  if (status === 403 && message.startsWith(MODERATED)) {
    const check = /\bFailed check: \w+/.exec(message)?.[0];
    return {
      kind: "content_filter",
      message: check === undefined ? MODERATED : `${MODERATED}. ${check}`,
    };
  }
  const isWrongKey = status === 400 && message.startsWith("Incorrect API key provided");
  return isWrongKey ? { kind: "upstream_auth" } : undefined;
}

const MODERATED = "Content violates usage guidelines";

const BY_REASONING = ignored("rejected by models that reason");

/** Tools with `additionalProperties: false` are rejected (vercel/ai, packages/xai, 2026-08-22). */
function withOpenSchemas(body: JsonObject, { changes }: Call): JsonObject {
  if (!Array.isArray(body.tools)) return body;
  const note = () => changes.convert("tools.parameters");
  const tools = body.tools.map((tool: JsonObject) => {
    const fn = isObject(tool.function) ? tool.function : {};
    if (!isObject(fn.parameters)) return tool;
    return { ...tool, function: { ...fn, parameters: opened(fn.parameters, note) } };
  });
  return { ...body, tools };
}

/** Members whose value is data or a list of names rather than a schema. */
const DATA = new Set(["enum", "const", "default", "examples", "example", "required"]);
const MAPS = new Set(["properties", "$defs", "definitions", "patternProperties"]);

function opened(schema: unknown, note: () => void): unknown {
  if (Array.isArray(schema)) return schema.map((inner) => opened(inner, note));
  if (!isObject(schema)) return schema;
  if (schema.additionalProperties === false) note();
  const kept = Object.entries(schema).filter(([name, value]) =>
    name !== "additionalProperties" || value !== false
  );
  return Object.fromEntries(kept.map(([name, value]) => [
    name,
    DATA.has(name)
      ? value
      : MAPS.has(name) && isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, opened(inner, note)]))
      : opened(value, note),
  ]));
}
