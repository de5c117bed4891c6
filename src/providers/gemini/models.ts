/**
 * What the Gemini models accept, wherever they are served: how they think, and
 * what only some generations know.
 *
 * Facts: https://ai.google.dev/gemini-api/docs/openai,
 * https://ai.google.dev/gemini-api/docs/thinking and
 * https://ai.google.dev/gemini-api/docs/gemini-3 (2026-11-20).
 */

import { isObject, type JsonObject, type ReasoningEffort } from "../../chat/chat.ts";
import type { Call, ModelFacts } from "../contract/adapter.ts";

/** The words of `thinkingLevel`, weakest first. */
const LEVELS = ["MINIMAL", "LOW", "MEDIUM", "HIGH"] as const;
export type ThinkingLevel = (typeof LEVELS)[number];

/** How a model is told how much to think. The two ways exclude each other. */
export type Thinking =
  | { readonly by: "nothing" }
  /** Tokens; `least` is the smallest budget, `off` what stands for no thinking at all. */
  | { readonly by: "budget"; readonly least: number; readonly most: number; readonly off: number }
  | { readonly by: "level"; readonly levels: readonly ThinkingLevel[] };

type Thinkable = Exclude<Thinking, { by: "nothing" }>;

/** One model, and what it accepts. */
export interface GeminiModel {
  readonly thinking: Thinking;
  /** Presence and frequency penalties: refused from 2.5 on. */
  readonly penalties: boolean;
  /** Whether more than one candidate can be asked for at Google's developer API. */
  readonly candidates: boolean;
  /** Generation 3: ids of calls, thought signatures, media in results, JSON beside tools. */
  readonly modern: boolean;
  /** Whether there is a place for instructions apart from the conversation. */
  readonly system: boolean;
}

/** The row of a model, by any form of its id. A name without a number is taken for the newest. */
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
 * How the model is to think, in the order of what says most: Google's own
 * `thinking_config`, a `thinking` as Anthropic has it, `reasoning_effort`.
 * Undefined leaves it to the model.
 *
 * @param own the caller's `thinking_config`
 */
export function toThinkingConfig(
  call: Call,
  { thinking }: GeminiModel,
  own: JsonObject | undefined,
): JsonObject | undefined {
  const { request, receipt } = call;
  const effort = request.reasoning_effort;
  const asked = isObject(request.thinking) ? request.thinking : undefined;
  if (thinking.by === "nothing") {
    if (asked !== undefined) receipt.ignore("thinking");
    return undefined;
  }
  if (asked !== undefined) receipt.rename("thinking", "generationConfig.thinkingConfig");
  const said = { ...(asked && toOwn(asked, thinking)), ...(own && inCamelCase(own)) };
  if (effort === undefined) return own || asked ? said : undefined;
  if ("thinkingBudget" in said || "thinkingLevel" in said) {
    receipt.ignore("reasoning_effort");
    return said;
  }
  return { ...said, ...toEffort(call, effort, thinking) };
}

/** The weakest level of the model that is no weaker than the one asked for, else its strongest. */
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

/** Parts of ids in order: the first that matches wins. */
const THINKING: readonly (readonly [match: string, thinking: Thinking])[] = [
  ["-image", NOTHING],
  ["-tts", NOTHING],
  ["embedding", NOTHING],
  ["gemini-2.5-pro", { by: "budget", least: 128, most: 32_768, off: 128 }],
  ["gemini-2.5-flash-lite", { by: "budget", least: 512, most: 24_576, off: 0 }],
  ["gemini-2.5-flash", { by: "budget", least: 1, most: 24_576, off: 0 }],
  ["gemini-3-pro", { by: "level", levels: ["LOW", "HIGH"] }],
  ["gemini-3-flash", MINIMAL_TO_HIGH],
  ["gemini-3.1-flash-lite", MINIMAL_TO_HIGH],
  ["gemini-3.5-flash", MINIMAL_TO_HIGH],
];

/** Where no row says it: all newer models take these levels, and older ones nothing. */
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

/** The budgets of Google's own OpenAI layer; the last two go to the model's most. */
const BUDGET_OF_EFFORT = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: Infinity,
  max: Infinity,
} as const satisfies Record<ReasoningEffort, number>;

/** What is kept for the answer itself, where the thinking budget would take it all. */
const ROOM = 1024;

function toEffort(call: Call, effort: ReasoningEffort, thinking: Thinkable): JsonObject {
  const { receipt, request } = call;
  if (thinking.by === "level") {
    const level = nearestLevel(effort, thinking.levels);
    if (level?.toLowerCase() === effort) {
      receipt.rename("reasoning_effort", "generationConfig.thinkingConfig.thinkingLevel");
    } else receipt.convert("reasoning_effort", effort, level?.toLowerCase());
    return { thinkingLevel: level };
  }
  const longest = request.max_completion_tokens ?? request.max_tokens;
  const wanted = BUDGET_OF_EFFORT[effort];
  const budget = wanted === 0 ? thinking.off : fitBudget(wanted, longest, thinking);
  receipt.convert("reasoning_effort", effort, budget);
  return { thinkingBudget: budget };
}

/** Thinking counts against the answer's longest length: a budget above it leaves no answer. */
function fitBudget(
  wanted: number,
  maxTokens: number | undefined,
  { least, most }: Extract<Thinking, { by: "budget" }>,
): number {
  const room = maxTokens === undefined ? most : maxTokens - ROOM;
  return Math.max(least, Math.min(wanted, most, room));
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

/** `thinking` as Anthropic has it: whoever asks for it wants to see the thoughts. */
function toOwn({ type, budget_tokens: tokens }: JsonObject, thinking: Thinkable): JsonObject {
  if (type === "disabled") {
    return thinking.by === "budget"
      ? { thinkingBudget: thinking.off }
      : { thinkingLevel: thinking.levels[0] };
  }
  if (typeof tokens !== "number" || !Number.isInteger(tokens)) return { includeThoughts: true };
  const budget = thinking.by === "budget" ? fitBudget(tokens, undefined, thinking) : tokens;
  return { thinkingBudget: budget, includeThoughts: true };
}
