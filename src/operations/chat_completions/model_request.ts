/** Requests of `POST /v1/chat/completions`. */

import { type ChatRequest, isObject } from "../../chat/chat.ts";
import { toPlainRequest } from "../../chat/plain_request.ts";
import type { ApiKind } from "../../gateway/feature.ts";
import type { ModelRequest } from "../../routing/model_request.ts";
import { type ConversionDeps, createChatOperation } from "../conversion_deps.ts";
import { containerNotFound, containersIn } from "../../formats/responses/provider_ids.ts";
import { ConvertedChat } from "./converted_chat.ts";
import { readLooseRequest } from "./loose_request.ts";
import { readProviderMember } from "./provider_member.ts";
import { ChatOperation } from "../chat/operation.ts";
import { formatFor } from "../../formats/chat_completions/custom_calls.ts";
import { chatCompletions } from "../../formats/chat_completions/format.ts";

const API: ApiKind = {
  format: chatCompletions.name,
  idPrefix: chatCompletions.idPrefix,
  operation: "chat",
  copies: "harmless",
};

/**
 * Reads a request. Most are plain: they need no conversion, and name nothing that is to be checked.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readChatCompletion(body: unknown): ModelRequest {
  const plain = isObject(body) ? toPlainRequest(body) : undefined;
  if (plain === undefined) return readOther(body);
  return {
    models: plain,
    stream: plain.stream ?? false,
    caller: { api: API, body: plain },
    // Only these two names are of one setting.
    hasKnownMembers: plain.max_tokens === undefined || plain.max_completion_tokens === undefined,
    createOperation: (context) => createChatOperation(context, plain, createChat),
  };
}

/** Reads a request that is not plain. */
function readOther(body: unknown): ModelRequest {
  const { chat: models, origins, receipt } = readLooseRequest(body);
  const create: CreateChat = receipt === undefined
    ? createChat
    : async (body, { images, interceptions }) =>
      new ConvertedChat(
        await interceptions.readChat(withoutModels(body)),
        images,
        receipt,
        origins,
      );
  return {
    models,
    stream: models.stream ?? false,
    caller: { api: API, body: models },
    routeOptions: readProviderMember(models.provider),
    createOperation(context) {
      if (!context.config.hasOneOwner) refuseContainers(models);
      return createChatOperation(context, models, create);
    },
  };
}

type CreateChat = (
  body: ChatRequest,
  deps: ConversionDeps,
) => ChatOperation | Promise<ChatOperation>;

/** The operation of a request in this format. */
const createChat: CreateChat = (body, { images, interceptions }) => {
  const asked = body.models === undefined ? body : withoutModels(body);
  const format = body.tools === undefined ? chatCompletions : formatFor(body, false);
  const chat = interceptions.readChat(asked);
  return chat instanceof Promise
    ? chat.then((read) => new ChatOperation(read, format, images))
    : new ChatOperation(chat, format, images);
};

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
