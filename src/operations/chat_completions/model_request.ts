/** Requests of `POST /v1/chat/completions`. */

import type { ChatRequest } from "../../chat/chat.ts";
import type { ApiKind } from "../../gateway/feature.ts";
import type { ModelRequest } from "../../routing/model_request.ts";
import { createChatOperation } from "../conversion_deps.ts";
import { containerNotFound, containersIn } from "../../formats/responses/container_ids.ts";
import type { InterceptedChat } from "../../gateway/interceptions.ts";
import { ConvertedChat } from "./converted_chat.ts";
import { readLooseRequest } from "./loose_request.ts";
import { readProviderMember } from "./provider_member.ts";
import { mayHedge } from "../../routing/hedging/may_hedge.ts";
import { ChatOperation } from "../chat/operation.ts";
import { formatFor } from "../../formats/chat_completions/custom_calls.ts";
import { chatCompletions } from "../../formats/chat_completions/format.ts";

const API: ApiKind = {
  format: chatCompletions.name,
  idPrefix: chatCompletions.idPrefix,
  operation: "chat",
};

/**
 * Reads a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readChatCompletion(body: unknown): ModelRequest {
  const { chat: models, origins, receipt } = readLooseRequest(body);
  const stream = models.stream ?? false;
  return {
    models,
    stream,
    caller: { api: API, body: models },
    routeOptions: readProviderMember(models.provider),
    mayHedge: () => mayHedge(models),
    createOperation(context) {
      if (!context.config.hasOneOwner) refuseContainers(models);
      return createChatOperation(context, models, (body, { images, interceptions }) => {
        const create = (read: InterceptedChat) =>
          receipt === undefined
            ? new ChatOperation(read, formatFor(body, false), images)
            : new ConvertedChat(read, images, receipt, origins);
        const chat = interceptions.readChat(withoutModels(body));
        return chat instanceof Promise ? chat.then(create) : create(chat);
      });
    },
  };
}

/** Removes the fallback models, which are never sent to a vendor. */
function withoutModels(asked: ChatRequest): ChatRequest {
  if (asked.models === undefined) return asked;
  const { models: _, ...request } = asked;
  return request as ChatRequest;
}

/**
 * Answers of this format name no containers, so a container is always another caller's.
 *
 * @throws {GatewayError} `response_not_found` for a tool that names a container.
 */
function refuseContainers({ tools }: ChatRequest): void {
  if (!Array.isArray(tools)) return;
  for (const { id, path } of containersIn(tools)) throw containerNotFound(id, path);
}
