/** Bodies of the Messages API for models that do not take all of it, as clients do not know them. */

import { isObject, type JsonObject } from "../../../core/json/object.ts";
import type { RequestRewrite, TargetModel } from "../../contract/adapter.ts";
import type { Receipt } from "../../contract/receipt.ts";
import { CLAUDE_EFFORTS, type ClaudeModel, claudeModel } from "./models.ts";
import { withoutSystemTurns } from "./system_turns.ts";
import { nearestEffort, planThinking } from "./thinking.ts";

/**
 * Converts what a known model refuses: its mode of thinking, its effort, and system messages inside
 * the conversation. The same body if there is nothing to convert, or if the model is not known.
 */
export function fitToModel(
  body: JsonObject,
  { base, facts }: TargetModel,
  receipt: Receipt,
): JsonObject {
  const model = claudeModel(base, facts);
  if (model.match === "") return body;
  const { thinking } = body;
  const isAdaptive = isObject(thinking) && thinking.type === "adaptive";
  const fitted = isAdaptive && (model.thinking === "budget" || model.thinking === "none")
    ? withBudget(body, model, receipt)
    : body;
  const placed = model.systemTurns ? fitted : placeSystem(fitted, receipt);
  return fitEffort(placed, model, receipt);
}

/** The effort that the model takes; none if it takes no effort. */
function fitEffort(body: JsonObject, model: ClaudeModel, receipt: Receipt): JsonObject {
  const { output_config: config } = body;
  if (!isObject(config) || config.effort == null) return body;
  const effort = CLAUDE_EFFORTS.find((known) => known === config.effort);
  if (model.efforts.length === 0) return withoutEffort(body, receipt);
  if (effort === undefined || model.efforts.includes(effort)) return body;
  const nearest = nearestEffort(model, effort);
  receipt.convert("output_config.effort", effort, nearest);
  return { ...body, output_config: { ...config, effort: nearest } };
}

function withoutEffort(
  { output_config: config, ...body }: JsonObject,
  receipt: Receipt,
): JsonObject {
  const { effort: _, ...others } = isObject(config) ? config : {};
  receipt.ignore("output_config.effort");
  return Object.keys(others).length > 0 ? { ...body, output_config: others } : body;
}

/**
 * Adaptive thinking as a budget, by the effort; without thinking where the rest of the body rules a
 * budget out (https://platform.claude.com/docs/en/build-with-claude/extended-thinking, 2026-11-20).
 */
function withBudget(body: JsonObject, model: ClaudeModel, receipt: Receipt): JsonObject {
  const { thinking: _, ...others } = body;
  const { output_config: config, max_tokens: most } = body;
  const asked = isObject(config) ? config.effort : undefined;
  const effort = CLAUDE_EFFORTS.find((known) => known === asked) ?? "high";
  const isPossible = typeof most === "number" && !rulesOutBudget(body);
  const plan = isPossible ? planThinking({ ...model, efforts: [] }, effort, most) : {};
  if (plan.thinking === undefined) {
    receipt.ignore("thinking");
    return others;
  }
  receipt.convert("thinking", "adaptive", "enabled");
  return { ...body, thinking: plan.thinking };
}

function rulesOutBudget(
  { messages, temperature, tool_choice: choice, top_k }: JsonObject,
): boolean {
  const isForced = isObject(choice) && (choice.type === "any" || choice.type === "tool");
  const isSampled = top_k != null || temperature != null && temperature !== 1;
  return isForced || isSampled || endsInUnthoughtCalls(messages);
}

/** Whether the last turn of the assistant calls tools without having thought. */
function endsInUnthoughtCalls(messages: unknown): boolean {
  const turns = Array.isArray(messages) ? messages.filter(isObject) : [];
  const content = turns.findLast(({ role }) => role === "assistant")?.content;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const [first] = blocks;
  const hasThought = first?.type === "thinking" || first?.type === "redacted_thinking";
  return blocks.some(({ type }) => type === "tool_use") && !hasThought;
}

function placeSystem(body: JsonObject, receipt: Receipt): JsonObject {
  const placed = withoutSystemTurns(body);
  if (placed !== body) receipt.convert("messages.role", "system", "user");
  return placed;
}

/** Any model that takes a budget. */
const BUDGET = claudeModel("claude-haiku-4-5");

function rewriteBody(
  name: string,
  change: (body: JsonObject, receipt: Receipt) => JsonObject,
): RequestRewrite {
  return {
    name,
    isKept: true,
    apply(request, receipt) {
      const body = change(request.body, receipt);
      return body === request.body ? request : { ...request, body };
    },
  };
}

/** The same conversions for models that are not known, after they have refused something. */
export const ADAPTIVE_REFUSED = rewriteBody("thinking.adaptive", (body, receipt) => {
  const { thinking } = body;
  return isObject(thinking) && thinking.type === "adaptive"
    ? withBudget(body, BUDGET, receipt)
    : body;
});

/** Adaptive thinking in place of a budget. */
export const BUDGET_REFUSED = rewriteBody("thinking.enabled", (body, receipt) => {
  const { thinking } = body;
  if (!isObject(thinking) || thinking.type !== "enabled") return body;
  const { budget_tokens: _, ...others } = thinking;
  receipt.convert("thinking", "enabled", "adaptive");
  return { ...body, thinking: { ...others, type: "adaptive" } };
});

/** A body without an effort. */
export const EFFORT_REFUSED = rewriteBody("output_config.effort", (body, receipt) => {
  const { output_config: config } = body;
  return isObject(config) && config.effort !== undefined ? withoutEffort(body, receipt) : body;
});

/** A body without the role `system`. */
export const SYSTEM_REFUSED = rewriteBody("messages.system", placeSystem);
