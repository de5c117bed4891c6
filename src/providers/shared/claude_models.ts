/**
 * What the Claude models accept, wherever they are served: how they think, the
 * efforts they know, and which requests they refuse.
 *
 * Facts: https://platform.claude.com/docs/en/models/overview,
 * https://platform.claude.com/docs/en/build-with-claude/thinking and
 * https://platform.claude.com/docs/en/build-with-claude/effort (2026-11-20).
 */

import { isObject, type JsonObject, type ReasoningEffort } from "../../chat/chat.ts";
import type { Call, ModelFacts } from "../contract/adapter.ts";
import type { SchemaLimits, SchemaRules } from "./json_schema.ts";

/** The efforts of `output_config.effort`. */
export type ClaudeEffort = "low" | "medium" | "high" | "xhigh" | "max";

/** One family of models, and what it accepts. */
export interface ClaudeModel {
  /** A part of the model's id. */
  readonly match: string;
  /** The most tokens that one answer may have, thinking included. */
  readonly maxTokens: number;
  /** Whether it takes temperature, top_p and top_k. */
  readonly sampling: boolean;
  /** Whether temperature and top_p may stand together: refused from Opus 4.1 on. */
  readonly samplesTogether: boolean;
  /** How it is asked to think; `always` cannot be turned off, `both` is budget or adaptive. */
  readonly thinking: "none" | "budget" | "both" | "adaptive" | "always";
  /** What an effort of `none` becomes: nothing, a `thinking` of this type, or the lowest effort. */
  readonly off: "omit" | "disabled" | "between_tools" | "lowest";
  /** The efforts it knows, weakest first; empty where the field itself is refused. */
  readonly efforts: readonly ClaudeEffort[];
  /** Whether a tool may be forced on it. */
  readonly forcedChoice: boolean;
  /** Whether it has JSON schemas for answers and strict tools. */
  readonly schemas: boolean;
  /** Whether a request may end in an assistant message, which the answer then continues. */
  readonly prefill: boolean;
  /** Whether a conversation may begin with the assistant (observed 2026-08). */
  readonly assistantFirst: boolean;
}

/** What a request's wish for thinking comes to. */
export interface ThinkingPlan {
  /** The value of `thinking`. */
  readonly thinking?: JsonObject | undefined;
  /** The value of `output_config.effort`. */
  readonly effort?: ClaudeEffort | undefined;
}

const ALL = ["low", "medium", "high", "xhigh", "max"] as const;

/** From 5.x on: no sampling, no prefill, thinking by default. */
const NEWEST = {
  maxTokens: 128_000,
  sampling: false,
  samplesTogether: false,
  thinking: "adaptive",
  off: "disabled",
  efforts: ALL,
  forcedChoice: true,
  schemas: true,
  prefill: false,
  assistantFirst: true,
} as const;
const ALWAYS = { ...NEWEST, thinking: "always", off: "lowest" } as const;
const OPUS_4_7 = { ...NEWEST, off: "omit" } as const;
const GEN_4_6 = {
  ...OPUS_4_7,
  sampling: true,
  thinking: "both",
  efforts: ["low", "medium", "high", "max"],
} as const;
const GEN_4_5 = {
  maxTokens: 64_000,
  sampling: true,
  samplesTogether: false,
  thinking: "budget",
  off: "omit",
  efforts: [],
  forcedChoice: true,
  schemas: true,
  prefill: true,
  assistantFirst: true,
} as const;
/**
 * Newer models refuse temperature and top_p beside each other
 * (https://github.com/vercel/ai/tree/main/packages/anthropic, changelog, 2026-08-22); these were
 * seen to take both (2026-08).
 */
const GEN_4 = { ...GEN_4_5, schemas: false, samplesTogether: true } as const;
const GEN_3 = { ...GEN_4, thinking: "none", assistantFirst: false } as const;

/** Families in order: the first whose `match` is part of the id wins. */
const CLAUDE_MODELS: readonly ClaudeModel[] = [
  { match: "claude-sonnet-5-5", ...NEWEST, off: "between_tools", forcedChoice: false },
  { match: "claude-opus-5-5", ...ALWAYS, forcedChoice: false },
  { match: "claude-haiku-5-5", ...NEWEST },
  { match: "claude-opus-5", ...NEWEST },
  { match: "claude-fable-5-2", ...ALWAYS, forcedChoice: false },
  { match: "claude-fable-5-1", ...ALWAYS, forcedChoice: false },
  { match: "claude-mythos-5-2", ...ALWAYS, forcedChoice: false },
  { match: "claude-mythos-5-1", ...ALWAYS, forcedChoice: false },
  { match: "claude-fable-5", ...ALWAYS },
  { match: "claude-mythos-5", ...ALWAYS },
  { match: "claude-sonnet-5", ...NEWEST },
  { match: "claude-opus-4-8", ...OPUS_4_7 },
  { match: "claude-opus-4-7", ...OPUS_4_7 },
  { match: "claude-opus-4-6", ...GEN_4_6 },
  { match: "claude-sonnet-4-6", ...GEN_4_6 },
  { match: "claude-opus-4-5", ...GEN_4_5, efforts: ["low", "medium", "high"] },
  { match: "claude-sonnet-4-5", ...GEN_4_5 },
  { match: "claude-haiku-4-5", ...GEN_4_5 },
  { match: "claude-opus-4-1", ...GEN_4_5, maxTokens: 32_000 },
  { match: "claude-sonnet-4", ...GEN_4 },
  { match: "claude-opus-4", ...GEN_4, maxTokens: 32_000 },
  { match: "claude-3-7-sonnet", ...GEN_4 },
  { match: "claude-3-5-", ...GEN_3, maxTokens: 8_192 },
  { match: "claude-3-", ...GEN_3, maxTokens: 4_096 },
  { match: "claude-2", ...GEN_3, maxTokens: 4_096 },
  { match: "claude-instant", ...GEN_3, maxTokens: 4_096 },
];

/** A model that no row knows is taken for a new one: what is sent then is what all of them take. */
const UNKNOWN: ClaudeModel = { match: "", ...NEWEST, off: "lowest" };

const MOST_IDS = 1000;
const rows = new Map<string, ClaudeModel>();

function rowOf(id: string): ClaudeModel {
  let row = rows.get(id);
  if (row === undefined) {
    row = CLAUDE_MODELS.find(({ match }) => holds(id, match)) ?? UNKNOWN;
    if (rows.size >= MOST_IDS) rows.clear();
    rows.set(id, row);
  }
  return row;
}

/** The row of a model, by any form of its id; config and catalogue win where they say more. */
export function claudeModel(id: string, facts: ModelFacts = {}): ClaudeModel {
  const row = rowOf(id);
  return {
    ...row,
    maxTokens: facts.max_output_tokens ?? row.maxTokens,
    sampling: facts.rejects_sampling_params === undefined
      ? row.sampling
      : !facts.rejects_sampling_params,
    schemas: row.schemas && facts.capabilities?.json_schema !== false,
  };
}

/** The answer's longest length: the caller's, if the model can do that much, else the model's. */
export function toMaxTokens({ request, receipt }: Call, { maxTokens }: ClaudeModel): number {
  const { max_tokens, max_completion_tokens } = request;
  const name = max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens";
  const asked = request[name] ?? maxTokens;
  if (max_tokens !== undefined && max_tokens !== asked) receipt.ignore("max_tokens");
  if (asked > maxTokens) receipt.convert(name, asked, maxTokens);
  return Math.min(asked, maxTokens);
}

/**
 * How the model is to think: as the caller's own `thinking` says, else by
 * `reasoning_effort`, else as it does by itself.
 *
 * @param ruledOut the types of `thinking` that the rest of the request rules out
 */
export function toThinking(
  call: Call,
  model: ClaudeModel,
  maxTokens: number,
  ruledOut: readonly string[],
): ThinkingPlan {
  const { receipt, request: { reasoning_effort: effort }, fields: { thinking: own } } = call;
  const plan = isObject(own)
    ? {
      thinking: withinAnswer(call, fitThinking(model, own), maxTokens),
      effort: besideOwn(model, own, effort),
    }
    : effort === undefined
    ? {}
    : planThinking(model, effort, maxTokens);
  const kept = ruledOut.some((type) => type === plan.thinking?.type)
    ? { effort: plan.effort }
    : plan;
  if (isObject(own) && kept.thinking !== undefined) {
    const { type } = kept.thinking;
    // The types differ only where both are words of the vendor's.
    if (type !== own.type) receipt.convert("thinking", String(own.type), String(type));
  } else if (own !== undefined) receipt.ignore("thinking");
  if (effort !== undefined) {
    noteEffort(call, effort, isObject(own) ? { effort: kept.effort } : kept);
  }
  return kept;
}

/**
 * What an OpenAI effort becomes; an empty plan means that nothing has to be said.
 *
 * @param maxTokens the answer's longest length, of which a thinking budget is a part
 */
export function planThinking(
  model: ClaudeModel,
  effort: ReasoningEffort,
  maxTokens: number,
): ThinkingPlan {
  if (effort === "none") return planNoThinking(model);
  const nearest = nearestEffort(model, effort);
  if (nearest !== undefined) {
    const adaptive = model.thinking === "adaptive" || model.thinking === "both";
    return adaptive ? { thinking: { type: "adaptive" }, effort: nearest } : { effort: nearest };
  }
  if (model.thinking !== "budget" || maxTokens <= LEAST_BUDGET) return {};
  const share = Math.round(maxTokens * BUDGET_SHARE[effort]);
  return { thinking: { type: "enabled", budget_tokens: Math.max(share, LEAST_BUDGET) } };
}

/** The weakest effort of the model that is no weaker than the one asked for, else its strongest. */
export function nearestEffort(
  model: ClaudeModel,
  effort: ReasoningEffort,
): ClaudeEffort | undefined {
  const wanted = ALL.findIndex((known) => known === effort);
  return model.efforts.find((known) => ALL.indexOf(known) >= wanted) ?? model.efforts.at(-1);
}

/**
 * A caller's own `thinking` in the mode that the model takes, or undefined when
 * it takes none like it. A mode that is not known here goes through.
 */
export function fitThinking(model: ClaudeModel, thinking: JsonObject): JsonObject | undefined {
  if (model.thinking === "none") return undefined;
  switch (thinking.type) {
    case "enabled": {
      if (model.thinking === "budget" || model.thinking === "both") return thinking;
      const { budget_tokens: _, ...rest } = thinking;
      return { ...rest, type: "adaptive" };
    }
    case "adaptive":
      return model.thinking === "budget" ? undefined : thinking;
    case "disabled":
      if (model.off === "lowest") return undefined;
      return model.off === "between_tools" ? { type: "between_tools" } : thinking;
    default:
      return thinking;
  }
}

/** Whether a `thinking` value turns thinking on, which forbids sampling parameters. */
export function isThinking(thinking: unknown): boolean {
  return isObject(thinking) && thinking.type !== "disabled";
}

/**
 * The part of JSON Schema that answers and strict tools are held to:
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs (2026-11-20).
 */
export const CLAUDE_SCHEMA: SchemaRules = {
  keeps: new Set([
    "anyOf",
    "allOf",
    "enum",
    "const",
    "required",
    "title",
    "default",
    "pattern",
    "minItems",
  ]),
  formats: new Set([
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
  ]),
  closed: true,
  oneOfAsAnyOf: true,
  allows(keyword, value) {
    switch (keyword) {
      case "pattern":
        // Look-around, word borders, back references and counted repetition are refused.
        return typeof value === "string" && !/\(\?|\\[bBk1-9]|\{/.test(value);
      case "minItems":
        return value === 0 || value === 1;
      case "allOf":
        return Array.isArray(value) && !value.some((one) => isObject(one) && "$ref" in one);
      case "enum":
        return Array.isArray(value) &&
          value.every((one) => typeof one !== "object" || one === null);
      case "const":
        return typeof value !== "object" || value === null;
      default:
        return true;
    }
  },
};

/** What all schemas of one request may have together, by the same page. */
export const CLAUDE_SCHEMA_LIMITS: SchemaLimits = { schemas: 20, optional: 24, unions: 16 };

const LEAST_BUDGET = 1024;

/** Shares of the answer's longest length, so that there is always room for the answer itself. */
const BUDGET_SHARE = {
  minimal: 0.02,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.9,
  max: 0.9,
} as const;

/** A row that ends in a digit must not match a longer number: `-5-2` is no part of `-5-20260610`. */
function holds(id: string, match: string): boolean {
  const at = id.indexOf(match);
  return at >= 0 && !(/\d$/.test(match) && /\d/.test(id.charAt(at + match.length)));
}

function planNoThinking(model: ClaudeModel): ThinkingPlan {
  switch (model.off) {
    case "omit":
      return {};
    case "lowest":
      return { effort: "low" };
    case "disabled":
    case "between_tools":
      return { thinking: { type: model.off } };
  }
}

/** A budget that was smaller than the answer stays so where the model's maximum cuts the answer. */
function withinAnswer(
  { receipt, request: { max_completion_tokens, max_tokens } }: Call,
  thinking: JsonObject | undefined,
  most: number,
): JsonObject | undefined {
  const budget = thinking?.budget_tokens;
  const asked = max_completion_tokens ?? max_tokens ?? Infinity;
  if (typeof budget !== "number" || budget < most || budget >= asked) return thinking;
  receipt.convert("thinking.budget_tokens", budget, most - 1);
  return { ...thinking, budget_tokens: most - 1 };
}

/** An effort goes along with thinking of the caller's own only where that is adaptive. */
function besideOwn(
  model: ClaudeModel,
  own: JsonObject,
  effort: ReasoningEffort | undefined,
): ClaudeEffort | undefined {
  const adaptive = own.type === "adaptive" && fitThinking(model, own) !== undefined;
  return adaptive && effort && effort !== "none" ? nearestEffort(model, effort) : undefined;
}

function noteEffort({ receipt }: Call, asked: ReasoningEffort, plan: ThinkingPlan): void {
  if (plan.effort !== undefined) {
    if (plan.effort === asked) receipt.rename("reasoning_effort", "output_config.effort");
    else receipt.convert("reasoning_effort", asked, plan.effort);
  } else if (plan.thinking) receipt.rename("reasoning_effort", "thinking");
  else if (asked !== "none") receipt.ignore("reasoning_effort");
}
