/** The endpoint of OpenAI's chat completions. */

import { chatCompletions } from "../../formats/chat_completions/format.ts";
import type { OperationEndpoint } from "../../routing/operation_kind.ts";
import { readChatCompletion } from "./model_request.ts";

/** `POST /v1/chat/completions`. */
export const CHAT_COMPLETIONS: OperationEndpoint = {
  path: "/v1/chat/completions",
  explainedAs: "chat_completions",
  format: chatCompletions,
  read: readChatCompletion,
};
