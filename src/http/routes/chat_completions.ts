/** `POST /v1/chat/completions`. */

import { readChatCompletion } from "../../operations/chat_completions/model_request.ts";
import { answerModelRequest } from "./model_request.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

/** Answers a chat completion, or explains it for `x-sluice-explain: true`. */
export function chatCompletions(request: Request, context: RouteContext): Promise<RouteResponse> {
  return answerModelRequest(request, context, readChatCompletion);
}
