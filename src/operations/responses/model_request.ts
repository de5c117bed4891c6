/** Requests of `POST /v1/responses` and of the operations below it. */

import { requestedOutput } from "../../chat/output_limits.ts";
import { principalOf } from "../../identity/keys.ts";
import { isObject } from "../../core/json/object.ts";
import type { ApiKind } from "../../gateway/feature.ts";
import { type ModelRequest, type OperationContext } from "../../routing/model_request.ts";
import { responses } from "../../formats/responses/format.ts";
import { type ConversionDeps, createChatOperation } from "../conversion_deps.ts";
import type { ExplainableOperation } from "../../routing/operation.ts";
import { CompactOperation } from "./compact_operation.ts";
import { CountOperation } from "../counting.ts";
import { toResponsesCount } from "./count.ts";
import { sizeOf } from "./expansion.ts";
import { AnswerMemory } from "./memory.ts";
import { pinOf } from "../../formats/responses/native_body.ts";
import { PreparedOperation } from "./prepared_operation.ts";
import { ResponsesOperation, type WatchBackground } from "./operation.ts";
import { KeyProviderIds } from "./key_provider_ids.ts";
import { readResponsesRequest, type ResponsesRequest } from "../../formats/responses/to_chat.ts";
import {
  createTargetRequests,
  type ResponsesDeps,
  type TargetRequests,
} from "./target_requests.ts";
import { NewAnswer } from "./unsettled.ts";

const RESPONSES: ApiKind = {
  format: responses.name,
  idPrefix: responses.idPrefix,
  operation: "chat",
};
/** New answers of a model. */
const CREATE: ApiKind = { ...RESPONSES, copies: "unless_stored" };
const COUNT: ApiKind = { ...RESPONSES, asksNoModel: true };

/**
 * Reads a request for a new response. One with `generate: false`, a member of the messages of
 * WebSockets, only prepares the next one.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readResponseRequest(body: unknown): ModelRequest {
  const request = readResponsesRequest(body);
  const stream = request.stream ?? false;
  const generates = !isObject(body) || body.generate !== false;
  return toModelRequest(
    request,
    stream,
    (requests, { ids, owner, unsettled }) => {
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
    generates ? CREATE : RESPONSES,
  );
}

/**
 * Reads a request to count input tokens.
 *
 * @param onEstimate called if the answer is an estimate
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readCountRequest(body: unknown, onEstimate: () => void): ModelRequest {
  const request = readResponsesRequest(body);
  return toModelRequest(
    request,
    false,
    (requests, deps) => new CountOperation(toResponsesCount(request, requests, deps), onEstimate),
    COUNT,
  );
}

/**
 * Reads a request to compact a conversation.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readCompactRequest(body: unknown): ModelRequest {
  return toModelRequest(
    readResponsesRequest(body),
    false,
    (requests, { ids }) => new CompactOperation(requests, ids),
  );
}

function toModelRequest(
  request: ResponsesRequest,
  stream: boolean,
  create: (requests: TargetRequests, deps: ResponsesDeps) => ExplainableOperation,
  api: ApiKind = RESPONSES,
): ModelRequest {
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
          ? requests.then((found) => create(found, deps))
          : create(requests, deps);
      }),
  };
}

function toDeps(
  request: ResponsesRequest,
  own: ConversionDeps,
  context: OperationContext,
): ResponsesDeps {
  const { key, config: { server }, deps, bytes } = context;
  return {
    ...own,
    memory: new AnswerMemory(deps.answers, principalOf(key).id),
    ids: new KeyProviderIds(context),
    session: context.session,
    owner: principalOf(key).id,
    unsettled: deps.unsettled,
    wallTime: () => deps.clock.wallTime(),
    room: () => ({
      length: server.maxBody - bytes,
      elements: server.maxElements - sizeOf([request]).elements,
    }),
  };
}
