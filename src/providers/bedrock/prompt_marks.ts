/**
 * Marks in the Converse API: separate blocks after the cached content
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html, 2026-11-24).
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { PromptMarks } from "../../contract/prompt_marks.ts";
import { minCachedTokens } from "../shared/claude/models.ts";
import {
  type ChangedParts,
  limitMarks,
  type MarkRules,
  MAX_MARKS,
  placeMarks,
  type Prompt,
  removeMarks,
} from "../shared/prompt_marks/placement.ts";
import type { BedrockModel } from "./models.ts";

/** Claude before 3.5 caches nothing here, and rejects the marks. */
const WITHOUT_CACHE = /claude-(?:instant|v?2|3-(?:opus|sonnet|haiku))/;

/** Whether a Claude model caches prompts. */
export function cachesPrompts(id: string): boolean {
  return !WITHOUT_CACHE.test(id);
}

/** Marks for a model: Claude only, since Nova caches prompts by itself. */
export function converseMarks(
  base: string,
  { caches, claude }: BedrockModel,
): PromptMarks | undefined {
  if (!caches || claude === undefined || !cachesPrompts(base)) return undefined;
  const minTokens = minCachedTokens(base);
  return {
    field: "cachePoint",
    place: (body, onlyPrefix) =>
      withParts(body, (prompt) => placeMarks(prompt, RULES, minTokens, onlyPrefix)),
    limit(body) {
      let from = 0;
      const limited = withParts(body, (prompt) => {
        const { parts, count } = limitMarks(prompt, RULES, MAX_MARKS) ?? {};
        from = count ?? 0;
        return parts;
      });
      return limited && { body: limited, from, to: MAX_MARKS };
    },
    remove: (body) => withParts(body, (prompt) => removeMarks(prompt, RULES)),
  };
}

/** The body with the parts that change. */
function withParts(
  body: JsonObject,
  change: (prompt: Prompt) => ChangedParts | undefined,
): JsonObject | undefined {
  const { system, messages, toolConfig } = body;
  if (!Array.isArray(messages)) return undefined;
  const config = isObject(toolConfig) ? toolConfig : {};
  const changed = change({ tools: config.tools, system, messages });
  if (changed === undefined) return undefined;
  const { tools, ...others } = changed;
  return {
    ...body,
    ...others,
    ...(tools !== undefined && { toolConfig: { ...config, tools } }),
  };
}

/** Members of blocks and tools that may be marked. */
const MARKABLE = ["image", "document", "toolUse", "toolResult", "toolSpec"];

const RULES: MarkRules = {
  text: (text) => ({ text }),
  canMark: (block) =>
    typeof block.text === "string"
      ? /\S/.test(block.text)
      : MARKABLE.some((member) => block[member] !== undefined),
  withoutMark: (block) => block.cachePoint === undefined ? block : undefined,
  mark: (blocks, index) => blocks.toSpliced(index + 1, 0, { cachePoint: { type: "default" } }),
  isUser: ({ role }) => role === "user",
};
