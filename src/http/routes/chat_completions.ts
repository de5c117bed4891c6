/** `POST /v1/chat/completions`. */

import { chatCompletions as format } from "../../formats/chat_completions/format.ts";
import { explainChatCompletion } from "../../formats/chat_completions/explain.ts";
import { completeChat } from "../../routing/answer.ts";
import { readModelRequest, readOptions, respond, wantsExplanation } from "./model_request.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** Answers a chat completion, or explains it for `x-sluice-explain: true`. */
export async function chatCompletions(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  const { config, record, key, deps } = context;
  const chat = format.readRequest(await readModelRequest(request, context));
  if (record.slice?.isOver) await record.slice.next();
  const options = readOptions(request);
  if (wantsExplanation(request)) {
    const { strict } = options;
    const { bodyBytes: bytes } = record;
    const input = { strict, key, config, addresses: false, bytes };
    return json(await explainChatCompletion(chat, input, deps));
  }
  record.stream = chat.stream ?? false;
  return await respond(completeChat(chat, options, key, config, record, deps), context);
}
