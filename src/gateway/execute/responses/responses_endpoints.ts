/** Requests of `POST /v1/responses` and of the operations below it. */

import { requestedOutput } from "../../../apis/chat/output_limits.ts";
import { isObject } from "../../../core/json/object.ts";
import { json, jsonOrEvents, toSchema } from "../../../apis/openapi.ts";
import type { ApiKind } from "../../feature.ts";
import type { OperationContext, ParsedRequest } from "../../parsed_request.ts";
import { responses } from "../../../apis/responses/format.ts";
import { type ConversionDeps, createChatOperation } from "../conversion_deps.ts";
import type {
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../../operation.ts";
import {
  CountOperation,
  type CountRequest,
  toChatCounting,
  toNativeCounting,
} from "../counting.ts";
import { AnswerMemory, sizeOf } from "./memory.ts";
import { pinOf } from "../../../apis/responses/native_body.ts";
import {
  PreparedOperation,
  ResponsesOperation,
  type WatchBackground,
} from "./responses_operation.ts";
import { KeyProviderIds } from "./key_provider_ids.ts";
import {
  createTargetRequests,
  type ResponsesDeps,
  type TargetRequests,
} from "./target_requests.ts";
import { NewAnswer } from "./unsettled.ts";
import type { Target } from "../../../config/config.ts";
import type { TokenFamily } from "../../../core/tokens/token_counter.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import { explainNative, type NativeRequest, prepareNative } from "../native.ts";
import { createNativeResponses } from "../../../apis/responses/native_answers.ts";
import type { ProviderIds } from "../../../apis/responses/provider_ids.ts";
import type { OperationEndpoint } from "../../operation_kind.ts";
import {
  readResponsesRequest,
  type ResponsesRequest,
  responsesRequest,
} from "../../../apis/responses/request.ts";
import type { VendorRequest } from "../../../contract/vendor_request.ts";

/** Compacts the conversation of one request. */
class CompactOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #requests: TargetRequests;
  readonly #ids: ProviderIds;

  constructor(requests: TargetRequests, ids: ProviderIds) {
    this.#requests = requests;
    this.#ids = ids;
  }

  estimate(family: TokenFamily): TokenEstimate {
    return { input: this.#requests.estimateInput(family), maxOutput: undefined };
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const api = this.#requests.nativeApiOf(target);
    if (api === undefined) return await this.#prepareConverted(target, context);
    const { answers, format } = createNativeResponses(
      this.#ids.marker(target.provider.settings.id),
    );
    context.attempt.format = format;
    const request = await this.#toRequest(target, context.changes);
    return prepareNative(api, request, answers, withoutParams(target), context);
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const api = this.#requests.nativeApiOf(target);
    if (api === undefined) {
      const { request, operation } = await this.#requests.compact();
      for (const name of request.ignored) context.changes.ignore(name);
      return operation.explain(target, context);
    }
    const request = await this.#toRequest(target, context.changes);
    return explainNative(api, request, withoutParams(target), context);
  }

  async #prepareConverted(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const { request, format, operation } = await this.#requests.compact();
    for (const name of request.ignored) context.changes.ignore(name);
    context.attempt.format = format;
    return await operation.prepare(target, context);
  }

  async #toRequest(target: Target, changes: RequestChanges): Promise<NativeRequest> {
    const request = await this.#requests.toNative(target, changes);
    return { ...request, stream: false, adjust: toCompact };
  }
}

function toCompact(created: VendorRequest): VendorRequest {
  const url = new URL(created.url);
  url.pathname += "/compact";
  return { ...created, url: url.href };
}

/** The defaults of a model apply to new answers only. */
function withoutParams({ params: _, ...target }: Target): Target {
  return { ...target, params: undefined };
}

/** The count of a request of the Responses API. */
function toResponsesCount(
  body: ResponsesRequest,
  requests: TargetRequests,
  { features }: Pick<ConversionDeps, "features">,
): CountRequest {
  return {
    body,
    async toCounting(target, context) {
      const api = requests.nativeApiOf(target);
      if (api !== undefined) {
        const request = await requests.toNative(target, context.changes);
        return toNativeCounting(api, request, target, context);
      }
      const { request } = await requests.convert();
      for (const name of request.ignored) context.changes.ignore(name);
      return await toChatCounting(() => request, features, target, context);
    },
    estimate: (family) => requests.estimateInput(family),
    write: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  };
}

const API: ApiKind = {
  format: responses.name,
  idPrefix: responses.idPrefix,
  operation: "chat",
};
/** New answers of a model. */
const CREATE: ApiKind = { ...API, copies: "unless_stored" };
const COUNT: ApiKind = { ...API, asksNoModel: true };

/**
 * Reads a request for a new response. One with `generate: false`, a member of the messages of
 * WebSockets, only prepares the next one.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readResponseRequest(body: unknown): ParsedRequest {
  const read = readResponsesRequest(body);
  const stream = read.stream ?? false;
  const generates = !isObject(body) || body.generate !== false;
  return toModelRequest(
    read,
    stream,
    (request, requests, { ids, owner, unsettled }) => {
      const watch: WatchBackground = (attempt, record) => {
        const answer = new NewAnswer(attempt, record, owner, unsettled);
        return (response) => answer.seen(response);
      };
      const background = request.background ? watch : undefined;
      const { maxOutput: limit } = requestedOutput(request);
      const operation = new ResponsesOperation(requests, ids, limit, background);
      if (generates) return operation;
      return new PreparedOperation({ model: request.model, stream }, operation);
    },
    generates ? CREATE : API,
  );
}

/**
 * Reads a request to count input tokens.
 *
 * @param onEstimate called if the answer is an estimate
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readCountRequest(body: unknown, onEstimate: () => void): ParsedRequest {
  return toModelRequest(
    readResponsesRequest(body),
    false,
    (request, requests, deps) =>
      new CountOperation(toResponsesCount(request, requests, deps), onEstimate),
    COUNT,
  );
}

/**
 * Reads a request to compact a conversation.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readCompactRequest(body: unknown): ParsedRequest {
  return toModelRequest(
    readResponsesRequest(body),
    false,
    (_, requests, { ids }) => new CompactOperation(requests, ids),
  );
}

function toModelRequest(
  request: ResponsesRequest,
  stream: boolean,
  create: (
    request: ResponsesRequest,
    requests: TargetRequests,
    deps: ResponsesDeps,
  ) => ExplainableOperation,
  api: ApiKind = API,
): ParsedRequest {
  return {
    models: request,
    stream,
    caller: { api, body: request },
    providerOf: (context) => pinOf(request, new KeyProviderIds(context)),
    createOperation: (context) =>
      createChatOperation(context, request, (body, own) => {
        const deps = toDeps(body, own, context);
        const requests = createTargetRequests(body, deps);
        return requests instanceof Promise
          ? requests.then((found) => create(body, found, deps))
          : create(body, requests, deps);
      }),
  };
}

function toDeps(
  request: ResponsesRequest,
  own: ConversionDeps,
  context: OperationContext,
): ResponsesDeps {
  const { principal: { id: owner }, config: { server }, deps, bytes } = context;
  return {
    ...own,
    memory: new AnswerMemory(deps.answers, owner),
    ids: new KeyProviderIds(context),
    session: context.features.session,
    owner,
    unsettled: deps.unsettled,
    wallTime: () => deps.clock.wallTime(),
    room: () => ({
      length: server.maxBody - bytes,
      elements: server.maxElements - sizeOf([request]).elements,
    }),
  };
}

/** The common description of the endpoints. */
function describeRequest() {
  return {
    tag: "Chat",
    request: ["ResponseRequest", toSchema(responsesRequest)],
    example: { input: "Hello" },
  } as const;
}

/** `POST /v1/responses` and the endpoints below it that have a body. */
export const RESPONSES: readonly OperationEndpoint[] = [
  {
    path: "/v1/responses",
    explainedAs: "responses",
    mirror: "path",
    schema: responsesRequest,
    describe: () => ({
      ...describeRequest(),
      summary: "Create a response",
      answers: jsonOrEvents("Response"),
      events: "ResponseEvent",
    }),
    format: responses,
    read: readResponseRequest,
  },
  {
    path: "/v1/responses/input_tokens",
    explainedAs: "input_tokens",
    mirror: "path",
    schema: responsesRequest,
    describe: () => ({
      ...describeRequest(),
      summary: "Count the input tokens of a response",
      answers: json("ResponseTokenCount"),
    }),
    format: responses,
    read: (body, context) => readCountRequest(body, () => context.noteEstimate()),
  },
  {
    path: "/v1/responses/compact",
    explainedAs: "compact",
    mirror: "path",
    schema: responsesRequest,
    describe: () => ({
      ...describeRequest(),
      summary: "Compact a conversation",
      answers: json("ResponseCompaction"),
    }),
    format: responses,
    read: readCompactRequest,
  },
];
