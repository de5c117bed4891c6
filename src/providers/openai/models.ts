/**
 * The features of OpenAI's model families: whether they reason, their efforts, when they accept
 * sampling parameters, and which of OpenAI's two APIs serves them.
 *
 * Families up to gpt-5.1 were checked by pydantic-ai against the live API
 * (https://github.com/pydantic/pydantic-ai, profiles/openai.py, 2026-08-22). The gpt-6 families
 * come from reports of OpenAI users, 2026-09 to 2026-11.
 */

import {
  type ChatRequest,
  isObject,
  isServerTool,
  type JsonObject,
  REASONING_EFFORTS,
  type ReasoningEffort,
} from "../../contract/chat.ts";
import { returnsSearches, showsReasoning } from "../../apis/chat/web_search.ts";
import { converted, ignored, renamed, type Support } from "../../contract/support.ts";
import type { Call, TargetModel } from "../../contract/vendor_request.ts";

/** The APIs for OpenAI's models. */
export type OpenAiApi = "chat" | "responses";

interface Family {
  /** Whether the model reasons when the request names no effort. */
  readonly reasons: "by default" | "on request" | "never";
  /** The accepted efforts, weakest first; empty when it does not reason. */
  readonly efforts: readonly ReasoningEffort[];
  /** False for models that reject sampling parameters although they do not reason. */
  readonly samples: boolean;
}

const LMH = ["low", "medium", "high"] as const;

const byDefault = (...efforts: readonly ReasoningEffort[]): Family => ({
  reasons: "by default",
  efforts,
  samples: false,
});
const onRequest = (...efforts: readonly ReasoningEffort[]): Family => ({
  reasons: "on request",
  efforts,
  samples: true,
});
const never = (samples: boolean): Family => ({ reasons: "never", efforts: [], samples });

/** Families by prefix. The longest matching prefix wins. */
const FAMILIES: readonly (readonly [prefix: string, family: Family])[] = [
  ["gpt-6.2", byDefault(...LMH, "xhigh", "max")],
  ["gpt-6.1-sol", byDefault(...LMH, "xhigh")],
  ["gpt-6.1-terra", byDefault("none", ...LMH, "xhigh", "max")],
  ["gpt-6-astra", byDefault(...LMH, "xhigh", "max")],
  ["gpt-6-sol", byDefault("none", ...LMH, "xhigh", "max")],
  ["gpt-6-luna", byDefault("none", ...LMH, "xhigh", "max")],
  ["gpt-6", byDefault(...LMH, "xhigh", "max")],
  ["gpt-5.6", byDefault("none", ...LMH, "xhigh", "max")],
  ["gpt-5.5", byDefault("none", ...LMH, "xhigh")],
  ["gpt-5.5-pro", byDefault(...LMH, "xhigh")],
  ["gpt-5.4", onRequest("none", ...LMH, "xhigh")],
  ["gpt-5.4-pro", byDefault(...LMH, "xhigh")],
  ["gpt-5.3", onRequest("none", ...LMH, "xhigh")],
  ["gpt-5.3-chat", byDefault("medium")],
  ["gpt-5.2", onRequest("none", ...LMH, "xhigh")],
  ["gpt-5.2-pro", byDefault(...LMH, "xhigh")],
  ["gpt-5.2-chat", byDefault("medium")],
  ["gpt-5.1", onRequest("none", ...LMH)],
  ["gpt-5.1-chat", byDefault("medium")],
  ["gpt-5.1-codex", byDefault(...LMH)],
  ["gpt-5.1-codex-max", byDefault(...LMH, "xhigh")],
  ["gpt-5", byDefault("minimal", ...LMH)],
  ["gpt-5-pro", byDefault("high")],
  ["gpt-5-codex", byDefault(...LMH)],
  ["gpt-5-chat", never(true)],
  ["gpt-5-search-api", never(false)],
  ["gpt-4o-search-preview", never(false)],
  ["gpt-4o-mini-search-preview", never(false)],
  ["gpt-4", never(true)],
  ["gpt-3.5", never(true)],
  // The name in Azure.
  ["gpt-35", never(true)],
  ["chatgpt-", never(true)],
  ["o1", byDefault(...LMH)],
  ["o3", byDefault(...LMH)],
  ["o4", byDefault(...LMH)],
];

/** Parameters that a model rejects while it reasons. */
const SAMPLING = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
] as const;

/**
 * Models that reject `stop` (https://platform.openai.com/docs/api-reference/chat, 2026-08). o3-mini
 * accepts it (observed 2026-08).
 */
const WITHOUT_STOP = /^(?:o3(?!-mini)|o4-mini|gpt-5(?!-chat)|gpt-6)/;

/** Support levels for an OpenAI model in chat completions, given the rest of the request. */
export function openAiSupport(
  request: ChatRequest,
  model: TargetModel,
): Readonly<Record<string, Support>> {
  const levels: Record<string, Support> = {
    ...samplingSupport(request, model),
    cache_control: ignored("caches by itself"),
    top_k: ignored("no such field"),
  };
  // Both together are rejected: https://github.com/langchain-ai/langgraph/issues/5943 (2025-08-19).
  if (request.max_completion_tokens !== undefined) {
    levels.max_tokens = ignored("max_completion_tokens is there");
  }
  if (isReasoningModel(model)) {
    levels.max_tokens ??= renamed("max_completion_tokens");
    if (WITHOUT_STOP.test(familyName(model.base))) levels.stop = ignored("rejected by this model");
    const idle = request.reasoning_effort === "none" && hasTools(request);
    if (idle && WITHOUT_NONE_BESIDE_TOOLS.test(familyName(model.base))) {
      levels.reasoning_effort = converted("none is omitted with tools: it is the default");
    }
  }
  return levels;
}

/** Support levels of sampling and reasoning parameters, which both APIs share. */
export function samplingSupport(
  request: ChatRequest,
  model: TargetModel,
): Readonly<Record<string, Support>> {
  const family = familyOf(model.base);
  const levels: Record<string, Support> = {};
  const reasoning = reasons(model, family);
  if (refusesSampling(request, model, family)) {
    const support = ignored(reasoning ? "rejected while reasoning" : "rejected by this model");
    for (const name of SAMPLING) levels[name] = support;
  }
  if (!reasoning && (family !== undefined || model.facts.capabilities?.reasoning === false)) {
    levels.reasoning_effort = ignored("the model does not reason");
  }
  return levels;
}

/** Whether a model is known to reason, always or on request. */
export function isReasoningModel(model: TargetModel): boolean {
  return reasons(model, familyOf(model.base));
}

/** Whether a value is one of OpenAI's efforts. */
export function isEffort(value: unknown): value is ReasoningEffort {
  return REASONING_EFFORTS.some((effort) => effort === value);
}

/** The body for chat completions, with stop sequences and the effort limited to accepted values. */
export function toAccepted(body: JsonObject, call: Call): JsonObject {
  return withNearestEffort(withFewStops(body, call), call);
}

/** The accepted effort nearest to the requested one; of two equally near, the weaker one. */
export function nearestEffort(
  requested: ReasoningEffort,
  base: string,
  api: OpenAiApi = "chat",
): ReasoningEffort {
  if (api === "responses" && requested === "max" && MAX_ON_RESPONSES.test(familyName(base))) {
    return requested;
  }
  const efforts = familyOf(base)?.efforts ?? [];
  const requestedIndex = REASONING_EFFORTS.indexOf(requested);
  let best = requested;
  let distance = Infinity;
  for (const effort of efforts) {
    const away = Math.abs(REASONING_EFFORTS.indexOf(effort) - requestedIndex);
    if (away < distance) [best, distance] = [effort, away];
  }
  return best;
}

/** The API that can serve a request to a model. */
export function apiFor(request: ChatRequest, base: string): OpenAiApi {
  const id = familyName(base);
  const rule = API_RULES.find(({ models }) => models.test(id));
  if (rule?.only !== undefined) return rule.only;
  if (needsChat(request)) return "chat";
  // Only the Responses API has tools that OpenAI runs, and files by URL.
  if (needsResponses(request)) return "responses";
  // Only the Responses API has this field and its summaries.
  if (isObject(request.reasoning)) return "responses";
  const family = familyOf(base);
  if (family !== undefined && family.reasons !== "never" && showsReasoning(request)) {
    return "responses";
  }
  if (request.reasoning_effort === "max" && MAX_ON_RESPONSES.test(id)) return "responses";
  if (rule === undefined || !hasTools(request)) return "chat";
  return rule.toolsOnChat.includes(request.reasoning_effort) ? "chat" : "responses";
}

/** Which API serves a model. The first matching rule applies; the default is chat completions. */
type ApiRule =
  & { readonly models: RegExp }
  & (
    | { readonly only: OpenAiApi }
    /** The efforts (undefined for none) with which chat completions accepts tools. */
    | {
      readonly only?: never;
      readonly toolsOnChat: readonly (ReasoningEffort | undefined)[];
    }
  );

/**
 * Chat completions rejects function tools while these models reason, and rejects some models
 * altogether (probes: https://github.com/BerriAI/litellm/pull/34569, 2026-07-24;
 * https://github.com/openclaw/openclaw/pull/76727, 2026-05-03; models with the Responses API only
 * are listed in `ModelIdsResponses` of https://github.com/openai/openai-openapi, 2026-08-21). Newer
 * generations are assumed to behave like the last probed one.
 */
const API_RULES: readonly ApiRule[] = [
  { models: /audio|-search-preview|search-api/, only: "chat" },
  {
    models: /-pro($|-)|codex|-deep-research|^computer-use|^gpt-daybreak|-cyber$/,
    only: "responses",
  },
  { models: /^gpt-5\.6|^gpt-6-(?:sol|luna)|^gpt-6\.1-terra/, toolsOnChat: ["none"] },
  { models: /^gpt-5\.4/, toolsOnChat: [undefined, "none"] },
  // A two-digit version must begin with 1: gpt-35-turbo is Azure's name of gpt-3.5.
  { models: /^gpt-5\.(?:[5-9]|\d\d)|^gpt-(?:[6-9]|1\d)/, toolsOnChat: [] },
];

/**
 * Effort `none` combined with tools is rejected (https://github.com/livekit/agents/issues/5084,
 * 2026-03).
 */
const WITHOUT_NONE_BESIDE_TOOLS = /^gpt-5\.4/;

/** Chat completions accepts at most xhigh for them (https://docs.laozhang.ai, 2026-11-04). */
const MAX_ON_RESPONSES = /^gpt-6\.1-sol/;

/** The maximum number of stop sequences. */
const MAX_STOPS = 4;

function withFewStops(body: JsonObject, { changes }: Call): JsonObject {
  const { stop } = body;
  if (!Array.isArray(stop) || stop.length <= MAX_STOPS) return body;
  changes.convert("stop", stop.length, MAX_STOPS);
  return { ...body, stop: stop.slice(0, MAX_STOPS) };
}

function withNearestEffort(
  body: JsonObject,
  { request, model, changes }: Call,
): JsonObject {
  const requested = request.reasoning_effort;
  if (requested === undefined || body.reasoning_effort === undefined) return body;
  const accepted = nearestEffort(requested, model.base);
  if (accepted === requested) return body;
  changes.convert("reasoning_effort", requested, accepted);
  return { ...body, reasoning_effort: accepted };
}

/** Whether a request uses a feature that the Responses API lacks. */
function needsChat(request: ChatRequest): boolean {
  if ((request.n ?? 1) > 1 || request.audio !== undefined) return true;
  if (request.modalities?.includes("audio")) return true;
  return request.messages.some((message) =>
    message.role === "assistant" && isObject(message.audio) ||
    Array.isArray(message.content) && message.content.some((part) => part.type === "input_audio")
  );
}

/** Whether a request uses a feature that chat completions lack. */
function needsResponses(request: ChatRequest): boolean {
  const { messages, tools = [], web_search_options: search } = request;
  return tools.some(isServerTool) || search !== undefined && returnsSearches(request) ||
    messages.some(({ content }) =>
      Array.isArray(content) && content.some((part) => part.type === "file_url")
    );
}

function hasTools({ tools = [], functions = [] }: ChatRequest): boolean {
  return tools.length > 0 || functions.length > 0;
}

/** The name that determines the family: for a fine-tuned model, that of its base model. */
function familyName(base: string): string {
  return base.startsWith("ft:") ? base.slice("ft:".length) : base;
}

/** A cache with one entry for each configured model. */
const families = new Map<string, Family | undefined>();

function familyOf(base: string): Family | undefined {
  if (!families.has(base)) families.set(base, findFamily(base));
  return families.get(base);
}

function findFamily(base: string): Family | undefined {
  const id = familyName(base);
  let found: readonly [string, Family] | undefined;
  for (const row of FAMILIES) {
    if (id.startsWith(row[0]) && row[0].length > (found?.[0].length ?? 0)) found = row;
  }
  return found?.[1];
}

/** Whether a model reasons. Facts from the catalog or config.yaml override those of the family. */
function reasons(model: TargetModel, family: Family | undefined): boolean {
  return model.facts.capabilities?.reasoning ??
    (family !== undefined && family.reasons !== "never");
}

function refusesSampling(
  request: ChatRequest,
  model: TargetModel,
  family: Family | undefined,
): boolean {
  const effort = request.reasoning_effort;
  const known = model.facts.rejects_sampling_params;
  if (!reasons(model, family)) return known ?? (family?.reasons === "never" && !family.samples);
  if (effort === undefined) return known ?? family?.reasons === "by default";
  if (effort === "none" && (family?.efforts.includes("none") ?? true)) return false;
  return true;
}
