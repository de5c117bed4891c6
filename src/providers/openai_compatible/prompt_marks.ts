/** Marks in chat completions: the member `cache_control` of content parts. */

import { isObject } from "../../core/json/object.ts";
import type { PromptMarks } from "../../contract/prompt_marks.ts";
import {
  CACHE_CONTROL,
  withCacheControl,
  withoutCacheControl,
} from "../shared/prompt_marks/cache_control.ts";
import {
  limitMarks,
  type MarkRules,
  MAX_MARKS,
  placeMarks,
  removeMarks,
} from "../shared/prompt_marks/placement.ts";

const RULES: MarkRules = {
  text: (text) => ({ type: "text", text }),
  canMark: ({ type, text }) => type === "text" && typeof text === "string" && /\S/.test(text),
  withoutMark(block) {
    const plain = withoutCacheControl(block);
    const inner = isObject(block.function) ? withoutCacheControl(block.function) : block.function;
    return inner === block.function ? plain : { ...plain, function: inner };
  },
  mark: withCacheControl,
  isUser: ({ role }) => role === "user" || role === "tool",
};

/** Marks for a vendor of the dialect that accepts them on texts. */
export function chatMarks(minTokens: number): PromptMarks {
  return {
    field: CACHE_CONTROL,
    place(body, onlyPrefix) {
      const { tools, messages: all } = body;
      if (!Array.isArray(all) || isObject(body.cache_control)) return undefined;
      const start = all.findIndex((message) => !isInstruction(message));
      if (start < 0) return undefined;
      const [system, messages] = [all.slice(0, start), all.slice(start)];
      const last: unknown = system.at(-1);
      const prompt = {
        tools: [...(Array.isArray(tools) ? tools : []), ...system.slice(0, -1)],
        system: isObject(last) ? last.content : undefined,
        messages,
      };
      if (isObject(last) && isObject(last.cache_control)) return undefined;
      const marked = placeMarks(prompt, RULES, minTokens, onlyPrefix);
      if (marked === undefined) return undefined;
      const head = isObject(last) && marked.system !== undefined
        ? system.with(-1, { ...last, content: marked.system })
        : system;
      return { ...body, messages: [...head, ...marked.messages ?? messages] };
    },
    limit(body) {
      const { tools, messages } = body;
      if (!Array.isArray(messages)) return undefined;
      const last = isObject(body.cache_control) ? 1 : 0;
      const prompt = { tools, system: undefined, messages };
      const limited = limitMarks(prompt, RULES, MAX_MARKS - last);
      return limited &&
        { body: { ...body, ...limited.parts }, from: limited.count + last, to: MAX_MARKS };
    },
    remove(body) {
      const plain = withoutCacheControl(body);
      const { tools, messages } = body;
      if (!Array.isArray(messages)) return undefined;
      const changed = removeMarks({ tools, system: undefined, messages }, RULES);
      return changed === undefined && plain === body ? undefined : { ...plain, ...changed };
    },
  };
}

function isInstruction(message: unknown): boolean {
  return isObject(message) && (message.role === "system" || message.role === "developer");
}
