/**
 * The thinking of Claude models: converts the caller's `thinking` or OpenAI's `reasoning_effort` to
 * `thinking` and `output_config.effort`.
 *
 * Facts: https://platform.claude.com/docs/en/build-with-claude/thinking and
 * https://platform.claude.com/docs/en/build-with-claude/effort (2026-11-20).
 */

import type { ReasoningEffort } from "../../../contract/chat.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { CLAUDE_EFFORTS, type ClaudeEffort, type ClaudeModel } from "./models.ts";
import { isDefault } from "../../../contract/support.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** The fields of a request that control thinking. */
interface ThinkingPlan {
  /** The value of `thinking`. */
  readonly thinking?: JsonObject | undefined;
  /** The value of `output_config.effort`. */
  readonly effort?: ClaudeEffort | undefined;
}

/**
 * Converts the caller's `thinking` or, without it, `reasoning_effort`. Without either, nothing is
 * sent.
 *
 * @param ruledOut the types of `thinking` that the rest of the request rules out
 */
export function toThinking(
  call: Call,
  model: ClaudeModel,
  maxTokens: number,
  ruledOut: readonly string[],
): ThinkingPlan {
  const { changes, request: { reasoning_effort: effort }, fields: { thinking: own } } = call;
  const plan = isObject(own)
    ? {
      thinking: withinAnswer(call, fitThinking(model, own), maxTokens),
      effort: effortBeside(model, own, effort),
    }
    : effort === undefined
    ? {}
    : planThinking(model, effort, maxTokens);
  const kept = ruledOut.some((type) => type === plan.thinking?.type)
    ? { effort: plan.effort }
    : plan;
  if (isObject(own) && kept.thinking !== undefined) {
    const { type } = kept.thinking;
    // The types differ only if both are specific to the vendor.
    if (type !== own.type) changes.convert("thinking", String(own.type), String(type));
  } else if (own !== undefined) changes.ignore("thinking");
  if (effort !== undefined) {
    noteEffort(call, effort, isObject(own) ? { effort: kept.effort } : kept);
  }
  return kept;
}

/**
 * Converts an OpenAI effort; an empty plan means that no field is sent.
 * Exported for tests.
 *
 * @param maxTokens the limit on the answer in tokens, which includes the thinking budget
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
  if (model.thinking !== "budget" || maxTokens <= MIN_BUDGET_TOKENS) return {};
  const share = Math.round(maxTokens * BUDGET_SHARE[effort]);
  return { thinking: { type: "enabled", budget_tokens: Math.max(share, MIN_BUDGET_TOKENS) } };
}

/**
 * The lowest effort of the model that is at least the requested one, or its highest. Exported for
 * tests.
 */
export function nearestEffort(
  model: ClaudeModel,
  effort: ReasoningEffort,
): ClaudeEffort | undefined {
  const wanted = CLAUDE_EFFORTS.findIndex((known) => known === effort);
  return model.efforts.find((known) => CLAUDE_EFFORTS.indexOf(known) >= wanted) ??
    model.efforts.at(-1);
}

/**
 * The caller's `thinking` in a mode that the model accepts; undefined if there is none. Unknown
 * modes are forwarded unchanged. Exported for tests.
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
      if (model.noThinking === "lowest") return undefined;
      return model.noThinking === "between_tools" ? { type: "between_tools" } : thinking;
    default:
      return thinking;
  }
}

/** Whether a `thinking` value turns thinking on, which forbids sampling parameters. */
export function isThinking(thinking: unknown): boolean {
  return isObject(thinking) && thinking.type !== "disabled";
}

const MIN_BUDGET_TOKENS = 1024;

/**
 * Thinking budgets as shares of the limit on the answer, so that tokens remain for the answer
 * itself.
 */
const BUDGET_SHARE = {
  minimal: 0.02,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.9,
  max: 0.9,
} as const;

function planNoThinking(model: ClaudeModel): ThinkingPlan {
  switch (model.noThinking) {
    case "omit":
      return {};
    case "lowest":
      return { effort: "low" };
    case "disabled":
    case "between_tools":
      return { thinking: { type: model.noThinking } };
  }
}

/** Keeps a budget below the limit on the answer if the model's maximum reduces that limit. */
function withinAnswer(
  { changes, request: { max_completion_tokens, max_tokens } }: Call,
  thinking: JsonObject | undefined,
  limit: number,
): JsonObject | undefined {
  const budget = thinking?.budget_tokens;
  const requested = max_completion_tokens ?? max_tokens ?? Infinity;
  if (typeof budget !== "number" || budget < limit || budget >= requested) return thinking;
  changes.convert("thinking.budget_tokens", budget, limit - 1);
  return { ...thinking, budget_tokens: limit - 1 };
}

/** The effort to send with the caller's `thinking`, which must be adaptive. */
function effortBeside(
  model: ClaudeModel,
  own: JsonObject,
  effort: ReasoningEffort | undefined,
): ClaudeEffort | undefined {
  const adaptive = own.type === "adaptive" && fitThinking(model, own) !== undefined;
  return adaptive && effort && effort !== "none" ? nearestEffort(model, effort) : undefined;
}

function noteEffort({ changes }: Call, requested: ReasoningEffort, plan: ThinkingPlan): void {
  if (plan.effort !== undefined) {
    if (plan.effort === requested) changes.rename("reasoning_effort", "output_config.effort");
    else changes.convert("reasoning_effort", requested, plan.effort);
  } else if (plan.thinking) changes.rename("reasoning_effort", "thinking");
  else if (requested !== "none") changes.ignore("reasoning_effort");
}

/** The sampling parameters to send. */
export interface Sampling {
  readonly temperature?: number;
  readonly top_p?: unknown;
  readonly top_k?: unknown;
}

/** The highest temperature; OpenAI's is 2. */
const MAX_TEMPERATURE = 1;

/**
 * The sampling parameters of a request that the model accepts; the receipt names the others.
 *
 * @param accepted whether the model accepts any; a model that thinks does not
 * @param together whether the model accepts temperature and top_p in one request
 */
export function toSampling(
  { request, changes, fields: { temperature, top_p, top_k } }: Call,
  accepted: boolean,
  together: boolean,
): Sampling {
  const sent: { -readonly [Name in keyof Sampling]: Sampling[Name] } = {};
  const ignore = (name: string, value: unknown) => {
    if (value !== undefined && !isDefault(name, value, request)) changes.ignore(name);
  };
  if (accepted && typeof temperature === "number") {
    sent.temperature = Math.min(temperature, MAX_TEMPERATURE);
    if (temperature > MAX_TEMPERATURE) {
      changes.convert("temperature", temperature, MAX_TEMPERATURE);
    }
  } else ignore("temperature", temperature);
  const alone = temperature === undefined || together;
  if (accepted && alone && top_p !== undefined) sent.top_p = top_p;
  else ignore("top_p", top_p);
  if (accepted && Number.isInteger(top_k)) sent.top_k = top_k;
  else ignore("top_k", top_k);
  return sent;
}

/** The stop sequences without blank ones, which the vendor rejects. */
export function toStopSequences(
  { request: { stop }, changes }: Call,
): readonly string[] | undefined {
  const given = typeof stop === "string" ? [stop] : stop ?? [];
  const sent = given.filter((text) => text.trim() !== "");
  if (sent.length < given.length) changes.ignore("stop");
  return sent.length > 0 ? sent : undefined;
}

/**
 * The caller's limit on the length of the answer, in tokens, reduced to the model's maximum.
 *
 * @param maxTokens the model's maximum; undefined if unknown
 */
export function limitTokens(
  { request: { max_tokens, max_completion_tokens } }: Call,
  maxTokens: number | undefined,
): number | undefined {
  const requested = max_completion_tokens ?? max_tokens;
  return requested === undefined || maxTokens === undefined
    ? requested
    : Math.min(requested, maxTokens);
}

/** Records in the receipt what {@linkcode limitTokens} reduced or omitted. */
export function noteTokenLimit(
  { request, changes }: Call,
  sent: number | undefined,
): void {
  const { max_tokens, max_completion_tokens } = request;
  const name = max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens";
  const original = request[name];
  if (max_tokens !== undefined && max_tokens !== original) changes.ignore("max_tokens");
  if (original !== undefined && sent !== undefined && original > sent) {
    changes.convert(name, original, sent);
  }
}
