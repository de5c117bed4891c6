/** Shows what the targets of a chat completion would get. */

import type { ChatRequest } from "../../chat/chat.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { toChatOperation } from "../../routing/answer.ts";
import { explain, type ExplainDeps, type ExplainInput } from "../../routing/explain.ts";
import { chatCompletions } from "./format.ts";

/**
 * Explains a request. Nothing is sent.
 *
 * @throws {GatewayError} `model_not_found`, or `too_large` for so many targets.
 */
export async function explainChatCompletion(
  asked: ChatRequest,
  input: ExplainInput,
  deps: ExplainDeps,
): Promise<JsonObject> {
  const { key, config } = input;
  return await explain(
    asked,
    input,
    deps,
    () => toChatOperation(asked, chatCompletions, key, config, deps),
  );
}
