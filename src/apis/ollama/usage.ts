/** What an answer of the Ollama API says besides its content. */

import type { FinishReason, Usage } from "../../contract/chat.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { addUp } from "../usage.ts";

/** The finish reason. Ollama names none for calls. */
export function toFinishReason(reason: unknown, called: boolean): FinishReason {
  return reason === "length" ? "length" : called ? "tool_calls" : "stop";
}

/** The usage. A missing count is 0: old servers omit the count of a cached prompt. */
export function toUsage({ prompt_eval_count, eval_count }: JsonObject): Usage | undefined {
  return addUp({ prompt: [prompt_eval_count], completion: [eval_count] });
}
