/** Marks in the Messages API: the member `cache_control` of blocks and tools. */

import { isObject, type JsonObject } from "../../../core/json/object.ts";
import type { PromptMarks } from "../../../contract/prompt_marks.ts";
import { minCachedTokens } from "../claude/models.ts";
import { limitMarks, type MarkRules, MAX_MARKS, placeMarks, removeMarks } from "./placement.ts";
import type { TargetModel } from "../../../contract/vendor_request.ts";

/** The name of the marks in receipts and tables of additions. */
export const CACHE_CONTROL = "cache_control";

/** Why {@linkcode CACHE_CONTROL} is added, in tables of additions. */
export const CACHE_CONTROL_NOTE = "marks of what the vendor may cache, for requests without any " +
  "(routing.prompt_caching)";

/** A copy of the blocks with the member on one of them. */
export function withCacheControl(
  blocks: readonly JsonObject[],
  index: number,
): readonly JsonObject[] {
  return blocks.map((block, at) => at === index ? { ...block, cache_control: EPHEMERAL } : block);
}

const EPHEMERAL: JsonObject = { type: "ephemeral" };

/** The same object without the member; null is not a mark. */
export function withoutCacheControl(block: JsonObject): JsonObject {
  if (!isObject(block.cache_control)) return block;
  const { cache_control: _, ...plain } = block;
  return plain;
}

/**
 * Blocks that may be marked. Others, such as thinking blocks and those of server tools, are
 * skipped.
 */
const MARKABLE: ReadonlySet<unknown> = new Set(["image", "document", "tool_use", "tool_result"]);

const RULES: MarkRules = {
  text: (text) => ({ type: "text", text }),
  // A tool has a name. A tool that the model loads later cannot be marked:
  // https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool (2026-11-24).
  canMark: ({ type, text, name, defer_loading }) =>
    type === "text"
      ? typeof text === "string" && /\S/.test(text)
      : MARKABLE.has(type) || typeof name === "string" && isToolType(type) && !defer_loading,
  withoutMark: withoutCacheControl,
  mark: withCacheControl,
  isUser: ({ role }) => role === "user",
};

/** Whether an entry of `tools` has this type: none, or one of the client's or the vendor's tools. */
function isToolType(type: unknown): boolean {
  return type === undefined || type === "custom" || /_\d{8}$/.test(String(type));
}

/** Marks of the Messages API for the Claude models; other models cache prompts automatically. */
export function claudeMarks({ base, upstream }: TargetModel): PromptMarks | undefined {
  const id = [base, upstream].find((name) => name.includes("claude"));
  return id === undefined ? undefined : messagesMarks(minCachedTokens(id));
}

/** Marks for a body of the Messages API. */
function messagesMarks(minTokens: number): PromptMarks {
  return {
    field: CACHE_CONTROL,
    place(body, onlyPrefix) {
      const { tools, system, messages } = body;
      // At the top level, the member applies to the last block of the request.
      if (!Array.isArray(messages) || isObject(body.cache_control)) return undefined;
      const marked = placeMarks({ tools, system, messages }, RULES, minTokens, onlyPrefix);
      return marked && { ...body, ...marked };
    },
    limit(body) {
      const { tools, system, messages } = body;
      if (!Array.isArray(messages)) return undefined;
      // The top-level mark is the last one.
      const last = isObject(body.cache_control) ? 1 : 0;
      const limited = limitMarks({ tools, system, messages }, RULES, MAX_MARKS - last);
      return limited &&
        { body: { ...body, ...limited.parts }, from: limited.count + last, to: MAX_MARKS };
    },
    remove(body) {
      const plain = withoutCacheControl(body);
      const { tools, system, messages } = body;
      if (!Array.isArray(messages)) return undefined;
      const changed = removeMarks({ tools, system, messages }, RULES);
      return changed === undefined && plain === body ? undefined : { ...plain, ...changed };
    },
  };
}
