/**
 * The features of the Gemini models in every API that serves them: how they think, and what only
 * some generations support.
 *
 * Facts: https://ai.google.dev/gemini-api/docs/openai,
 * https://ai.google.dev/gemini-api/docs/thinking and
 * https://ai.google.dev/gemini-api/docs/gemini-3 (2026-11-20).
 */

import type { ReasoningEffort } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { showsReasoning } from "../../apis/chat/web_search.ts";
import type { Capability, ModelFacts } from "../../contract/model_facts.ts";
import { isText, toObject } from "../../core/json/values.ts";
import type { ListedModel, ModelListApi } from "../../contract/adapter.ts";
import { entriesOf, includesWord, listRequest, toFacts } from "../shared/model_list.ts";
import type { Auth, Call, ProviderSettings, VendorRequest } from "../../contract/vendor_request.ts";

/** The values of `thinkingLevel`, lowest first. */
const LEVELS = ["MINIMAL", "LOW", "MEDIUM", "HIGH"] as const;
type ThinkingLevel = (typeof LEVELS)[number];

/** How the amount of thinking is set. A request can have a budget or a level, not both. */
type Thinking =
  | { readonly by: "nothing" }
  /** In tokens. `off` is the budget that disables thinking, or the smallest one. */
  | { readonly by: "budget"; readonly min: number; readonly max: number; readonly off: number }
  | { readonly by: "level"; readonly levels: readonly ThinkingLevel[] };

type EnabledThinking = Exclude<Thinking, { by: "nothing" }>;

/** The features of one model. */
export interface GeminiModel {
  readonly thinking: Thinking;
  /** Whether it accepts presence and frequency penalties, which models from 2.5 on reject. */
  readonly penalties: boolean;
  /** Whether it supports several candidates in Google's developer API. */
  readonly candidates: boolean;
  /** Generation 3: call IDs, thought signatures, media in results, JSON together with tools. */
  readonly modern: boolean;
  /** Whether it supports a system instruction. */
  readonly system: boolean;
}

/** The features of a model, under any form of its ID. A name without a version means the newest. */
export function geminiModel(id: string, facts: ModelFacts = {}): GeminiModel {
  const generation = generationOf(id);
  const thinking = facts.capabilities?.reasoning === false
    ? NOTHING
    : THINKING.find(([match]) => id.includes(match))?.[1] ?? thinkingOf(generation);
  const gemma = id.includes("gemma");
  return {
    thinking: gemma ? NOTHING : thinking,
    penalties: generation < 2.5,
    candidates: generation < 3,
    modern: generation >= 3,
    system: !gemma,
  };
}

/**
 * The thinking configuration: from Google's `thinking_config`, otherwise from Anthropic's
 * `thinking`, otherwise from `reasoning_effort`. Undefined means the model's default.
 *
 * @param googleConfig the caller's `thinking_config`
 */
export function toThinkingConfig(
  call: Call,
  model: GeminiModel,
  googleConfig: JsonObject | undefined,
): JsonObject | undefined {
  const config = toRequestedConfig(call, model, googleConfig);
  const { request, changes } = call;
  if (model.thinking.by === "nothing" || !showsReasoning(request)) return config;
  if (config?.includeThoughts !== undefined) return config;
  changes.add(INCLUDE_THOUGHTS);
  return { ...config, includeThoughts: true };
}

/** The member that includes thoughts in the answer. */
export const INCLUDE_THOUGHTS = "generationConfig.thinkingConfig.includeThoughts";

function toRequestedConfig(
  call: Call,
  { thinking }: GeminiModel,
  googleConfig: JsonObject | undefined,
): JsonObject | undefined {
  const { request, changes } = call;
  const effort = request.reasoning_effort;
  const anthropicThinking = isObject(request.thinking) ? request.thinking : undefined;
  if (thinking.by === "nothing") {
    if (anthropicThinking !== undefined) changes.ignore("thinking");
    return undefined;
  }
  if (anthropicThinking !== undefined) {
    changes.rename("thinking", "generationConfig.thinkingConfig");
  }
  const config = {
    ...(anthropicThinking && fromAnthropicThinking(anthropicThinking, thinking)),
    ...(googleConfig && inCamelCase(googleConfig)),
  };
  if (effort === undefined) return googleConfig || anthropicThinking ? config : undefined;
  if ("thinkingBudget" in config || "thinkingLevel" in config) {
    changes.ignore("reasoning_effort");
    return config;
  }
  return { ...config, ...toEffort(call, effort, thinking) };
}

/**
 * The lowest level of the model that is at least the requested one, otherwise its highest. Exported
 * for tests.
 */
export function nearestLevel(
  effort: ReasoningEffort,
  levels: readonly ThinkingLevel[],
): ThinkingLevel | undefined {
  const wanted = LEVELS.indexOf(LEVEL_OF_EFFORT[effort]);
  return levels.find((level) => LEVELS.indexOf(level) >= wanted) ?? levels.at(-1);
}

const NOTHING: Thinking = { by: "nothing" };
const LOW_TO_HIGH: Thinking = { by: "level", levels: ["LOW", "MEDIUM", "HIGH"] };
const MINIMAL_TO_HIGH: Thinking = { by: "level", levels: LEVELS };

/** Parts of IDs in order: the first that matches wins. */
const THINKING: readonly (readonly [match: string, thinking: Thinking])[] = [
  ["-image", NOTHING],
  ["-tts", NOTHING],
  ["embedding", NOTHING],
  ["gemini-2.5-pro", { by: "budget", min: 128, max: 32_768, off: 128 }],
  ["gemini-2.5-flash-lite", { by: "budget", min: 512, max: 24_576, off: 0 }],
  ["gemini-2.5-flash", { by: "budget", min: 1, max: 24_576, off: 0 }],
  ["gemini-3-pro", { by: "level", levels: ["LOW", "HIGH"] }],
  ["gemini-3-flash", MINIMAL_TO_HIGH],
  ["gemini-3.1-flash-lite", MINIMAL_TO_HIGH],
  ["gemini-3.5-flash", MINIMAL_TO_HIGH],
];

/**
 * The default for models without a row: newer models support these levels, older ones do not think.
 */
function thinkingOf(generation: number): Thinking {
  return generation >= 3 ? LOW_TO_HIGH : NOTHING;
}

function generationOf(id: string): number {
  const found = /gemini-(\d+(?:\.\d+)?)/.exec(id)?.[1];
  if (found !== undefined) return Number(found);
  return /gemma|text-bison|chat-bison/.test(id) ? 2 : Infinity;
}

const LEVEL_OF_EFFORT = {
  none: "MINIMAL",
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
} as const satisfies Record<ReasoningEffort, ThinkingLevel>;

/**
 * The budgets in Google's OpenAI-compatible API, in tokens. The last two mean the model's maximum.
 */
const BUDGET_OF_EFFORT = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: Infinity,
  max: Infinity,
} as const satisfies Record<ReasoningEffort, number>;

/** The tokens that remain for the answer if the thinking budget would use them all. */
const MIN_ANSWER_TOKENS = 1024;

function toEffort(call: Call, effort: ReasoningEffort, thinking: EnabledThinking): JsonObject {
  const { changes, request } = call;
  if (thinking.by === "level") {
    const level = nearestLevel(effort, thinking.levels);
    if (level?.toLowerCase() === effort) {
      changes.rename("reasoning_effort", "generationConfig.thinkingConfig.thinkingLevel");
    } else changes.convert("reasoning_effort", effort, level?.toLowerCase());
    return { thinkingLevel: level };
  }
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  const wanted = BUDGET_OF_EFFORT[effort];
  const budget = wanted === 0 ? thinking.off : fitBudget(wanted, maxTokens, thinking);
  changes.convert("reasoning_effort", effort, budget);
  return { thinkingBudget: budget };
}

/** Limits a budget to the model's range and to the limit on the answer, which includes thinking. */
function fitBudget(
  wanted: number,
  maxTokens: number | undefined,
  { min, max }: Extract<Thinking, { by: "budget" }>,
): number {
  const available = maxTokens === undefined ? max : maxTokens - MIN_ANSWER_TOKENS;
  return Math.max(min, Math.min(wanted, max, available));
}

function inCamelCase(config: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [CAMEL_CASE.get(name) ?? name, value]),
  );
}

const CAMEL_CASE = new Map([
  ["include_thoughts", "includeThoughts"],
  ["thinking_budget", "thinkingBudget"],
  ["thinking_level", "thinkingLevel"],
]);

/** Converts Anthropic's `thinking`. A client that sends it also expects thoughts in the answer. */
function fromAnthropicThinking(
  { type, budget_tokens: tokens }: JsonObject,
  thinking: EnabledThinking,
): JsonObject {
  if (type === "disabled") {
    return thinking.by === "budget"
      ? { thinkingBudget: thinking.off }
      : { thinkingLevel: thinking.levels[0] };
  }
  if (typeof tokens !== "number" || !Number.isInteger(tokens)) return { includeThoughts: true };
  const budget = thinking.by === "budget" ? fitBudget(tokens, undefined, thinking) : tokens;
  return { thinkingBudget: budget, includeThoughts: true };
}

// The Gemini API's model list (https://ai.google.dev/api/models, 2026-11-20).

/** The capability of models, by method; undefined for chat. */
const METHODS: readonly (readonly [method: string, capability: Capability | undefined])[] = [
  ["generateContent", undefined],
  ["embedContent", "embeddings"],
  ["predict", "images"],
];

/** The models that generate content, embeddings or images. */
export function geminiModels(auth: Auth): ModelListApi {
  const toRequest = ({ baseUrl }: ProviderSettings, token?: string): VendorRequest => {
    const page = token === undefined ? "" : `&pageToken=${encodeURIComponent(token)}`;
    return listRequest(`${baseUrl}/models?pageSize=1000${page}`, auth);
  };
  return {
    toRequests: (provider) => [toRequest(provider)],
    read(body, _, provider) {
      const { models, nextPageToken: token } = toObject(body);
      return {
        models: entriesOf(models).flatMap(toModel),
        ...(isText(token) && { next: [toRequest(provider, token)] }),
      };
    },
  };
}

function toModel(entry: JsonObject): ListedModel[] {
  const { displayName, name, supportedGenerationMethods: methods, thinking } = entry;
  const found = METHODS.find(([method]) => includesWord(methods, method));
  if (!isText(name) || found === undefined) return [];
  const [, capability] = found;
  return [{
    id: name.replace(/^models\//, ""),
    facts: toFacts({
      name: displayName,
      context: entry.inputTokenLimit,
      output: capability === undefined ? entry.outputTokenLimit : undefined,
      capabilities: capability === undefined
        ? { reasoning: typeof thinking === "boolean" ? thinking : undefined }
        : { [capability]: true },
    }),
  }];
}
