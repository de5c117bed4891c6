/** Requests of `POST /v1/chat/completions`, and their member `provider`. */

import { type ChatRequest, chatRequestSchema } from "../../../contract/chat.ts";
import { jsonOrEvents, toSchema } from "../../../apis/openapi.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { toPlainRequest } from "../../../apis/chat/read_request.ts";
import type { ApiKind } from "../../feature.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import { type ConversionDeps, createChatOperation } from "../create_operation.ts";
import { containerNotFound, containersIn } from "../../../apis/responses/provider_ids.ts";
import { readLenientRequest } from "./lenient_request.ts";
import { ChatOperation } from "../chat/chat_operation.ts";
import { formatFor } from "../../../apis/chat_completions/custom_calls.ts";
import { chatCompletions } from "../../../apis/chat_completions/format.ts";
import type { FieldPaths } from "../../../apis/chat/field_paths.ts";
import type { Target } from "../../../config/config.ts";
import type { FeaturedChat } from "../../request_features.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import type {
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedRequest,
} from "../../operation.ts";
import type { RequestImages } from "../../../upstream/images/request_images.ts";
import type { OperationEndpoint } from "../../operation_kind.ts";
import { type Balance, isBalance } from "../../../config/routing_schema.ts";
import { GatewayError } from "../../../core/errors.ts";
import type { RouteOptions } from "../../order/route_trace.ts";

/** The same chat, whose receipts also list the conversions. */
class ConvertedChat extends ChatOperation {
  readonly #changes: RequestChanges;

  constructor(
    featured: FeaturedChat,
    images: () => RequestImages,
    changes: RequestChanges,
    origins: FieldPaths | undefined,
  ) {
    super(featured, formatFor(featured.request, true), images, origins);
    this.#changes = changes;
  }

  override prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedRequest | Promise<PreparedRequest> {
    context.changes.include(this.#changes);
    return super.prepare(target, context);
  }

  override explain(
    target: Target,
    context: ExplainContext,
  ): ExplainedRequest | Promise<ExplainedRequest> {
    context.changes.include(this.#changes);
    return super.explain(target, context);
  }
}

// The member `provider` of chat completions, with which callers choose providers. Its members are
// OpenRouter's (https://openrouter.ai/docs/features/provider-routing, 2026-11).

/** The maximum number of names in a list, and their maximum length. */
const MAX_NAMES = 100;
const MAX_NAME_CHARS = 200;

const SORTS: ReadonlyMap<string, Balance> = new Map([["latency", "ttft"]]);

/**
 * Reads the routing choices of a caller. Unknown members are passed to the vendor.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readProviderMember(provider: unknown): RouteOptions | undefined {
  if (!isObject(provider)) return undefined;
  const options = {
    balance: readSort(provider.sort),
    order: readNames(provider.order, "order"),
    only: readNames(provider.only, "only"),
    maxPrice: readMaxPrice(provider.max_price),
  };
  return Object.values(options).some((value) => value !== undefined) ? options : undefined;
}

/** A word, or an object with the word as `by`. Other words are sent to the vendor. */
function readSort(sort: unknown): Balance | undefined {
  if (sort == null) return undefined;
  const word = isObject(sort) ? sort.by : sort;
  if (typeof word !== "string") throw invalid("sort", "must be 'price', 'throughput' or 'latency'");
  return SORTS.get(word) ?? (isBalance(word) ? word : undefined);
}

function readNames(names: unknown, member: string): readonly string[] | undefined {
  if (names == null) return undefined;
  const isList = Array.isArray(names) && names.length <= MAX_NAMES &&
    names.every((name) => typeof name === "string" && name.length <= MAX_NAME_CHARS);
  if (!isList) throw invalid(member, `must be a list of at most ${MAX_NAMES} provider names`);
  return names.length === 0 ? undefined : names.map((name: string) => name.toLowerCase());
}

function readMaxPrice(cap: unknown): RouteOptions["maxPrice"] {
  if (cap == null) return undefined;
  if (!isObject(cap)) throw invalid("max_price", "must be an object");
  const input = readPrice(cap, "prompt");
  const output = readPrice(cap, "completion");
  return input === undefined && output === undefined ? undefined : { input, output };
}

/** USD per million tokens, as a number or, from OpenRouter's clients, as text. */
function readPrice(cap: JsonObject, member: string): number | undefined {
  const value = cap[member];
  if (value == null) return undefined;
  const price = typeof value === "string" && /^\d{1,9}(\.\d{1,9})?$/.test(value)
    ? Number(value)
    : value;
  if (typeof price === "number" && Number.isFinite(price) && price >= 0) return price;
  throw invalid(`max_price.${member}`, "must be a number of USD per million tokens");
}

function invalid(member: string, rule: string): GatewayError {
  const param = `provider.${member}`;
  return new GatewayError("invalid_value", `Invalid value for '${param}': ${rule}`, { param });
}

const API: ApiKind = {
  format: chatCompletions.name,
  idPrefix: chatCompletions.idPrefix,
  operation: "chat",
  copies: "harmless",
};

/**
 * Reads a request. Most are plain: they need no conversion and contain no names to check.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readChatCompletion(body: unknown): ParsedRequest {
  const plain = isObject(body) ? toPlainRequest(body) : undefined;
  if (plain === undefined) return readOther(body);
  return {
    models: plain,
    stream: plain.stream ?? false,
    caller: { api: API, body: plain },
    // Only these two names belong to the same setting.
    hasKnownMembers: plain.max_tokens === undefined || plain.max_completion_tokens === undefined,
    createOperation: (context) => createChatOperation(context, plain, createChat),
  };
}

/** Reads a request that is not plain. */
function readOther(body: unknown): ParsedRequest {
  const { chat: models, origins, changes } = readLenientRequest(body);
  const create: CreateChat = changes === undefined
    ? createChat
    : async (body, { images, features }) =>
      new ConvertedChat(
        await features.readChat(withoutModels(body)),
        images,
        changes,
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
const createChat: CreateChat = (body, { images, features }) => {
  const requested = body.models === undefined ? body : withoutModels(body);
  const format = body.tools === undefined ? chatCompletions : formatFor(body, false);
  const chat = features.readChat(requested);
  return chat instanceof Promise
    ? chat.then((read) => new ChatOperation(read, format, images))
    : new ChatOperation(chat, format, images);
};

/** Removes the fallback models, which are never sent to a vendor. */
function withoutModels(original: ChatRequest): ChatRequest {
  if (original.models === undefined) return original;
  const { models: _, ...request } = original;
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

/** `POST /v1/chat/completions`. */
export const CHAT_COMPLETIONS: OperationEndpoint = {
  path: "/v1/chat/completions",
  mirror: "deployments",
  explainedAs: "chat_completions",
  schema: chatRequestSchema,
  describe: () => ({
    tag: "Chat",
    summary: "Create a chat completion",
    request: ["ChatCompletionRequest", toSchema(chatRequestSchema)],
    answers: jsonOrEvents("ChatCompletion"),
    events: "ChatCompletionChunk",
    example: { messages: [{ role: "user", content: "Hello" }] },
  }),
  format: chatCompletions,
  read: readChatCompletion,
};
