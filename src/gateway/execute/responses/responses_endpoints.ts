/** Requests of `POST /v1/responses` and of the operations below it. */

import { json, jsonOrEvents, toSchema } from "../../../apis/openapi.ts";
import { responses } from "../../../apis/responses/format.ts";
import { pinOf } from "../../../apis/responses/native_body.ts";
import { RESPONSE_PREFIX } from "../../../apis/responses/output_items.ts";
import {
  readResponsesRequest,
  type ResponsesRequest,
  responsesRequest,
} from "../../../apis/responses/request.ts";
import type { Target } from "../../../config/config.ts";
import { isObject } from "../../../core/json/object.ts";
import { andThen } from "../../../core/steps.ts";
import type { ApiKind } from "../../feature.ts";
import type {
  AskedRequest,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  ReadyResult,
  TokenEstimate,
} from "../../operation.ts";
import type { OperationEndpoint } from "../../operation_kind.ts";
import type { OperationContext, ParsedRequest } from "../../parsed_request.ts";
import { type ConversionDeps, createChatOperation } from "../create_operation.ts";
import { CountOperation, type CountRequest } from "../counting.ts";
import { NativeOrConverted } from "../native_or_converted.ts";
import { toWritten } from "../ready_answer.ts";
import { KeyProviderIds } from "./key_provider_ids.ts";
import { AnswerMemory, sizeOf } from "./memory.ts";
import {
  resolve,
  type ResolvedRequest,
  type ResponsesDeps,
  toCompaction,
  toResponsesChat,
} from "./responses_chat.ts";

// A request with `generate: false`, which only prepares the next one of a conversation. It passes
// the checks and the limits of a request for a response, but no model is called.

/** The request's members in the answer. */
interface PreparedRequest {
  readonly model: string;
  readonly stream: boolean;
}

/** Answers a request with a response that has no output. */
class PreparedOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly callsNoModel = true;
  readonly #request: PreparedRequest;
  readonly #response: ExplainableOperation;

  /** @param response the operation of the same request without `generate: false` */
  constructor(request: PreparedRequest, response: ExplainableOperation) {
    this.#request = request;
    this.#response = response;
  }

  estimate(): TokenEstimate {
    return { input: 0, maxOutput: 0 };
  }

  answer({ deps: { clock, newId } }: AskedRequest): Promise<ReadyResult> {
    const { model, stream } = this.#request;
    const id = newId(RESPONSE_PREFIX);
    const created_at = Math.floor(clock.wallTime() / 1000);
    const response = { id, object: "response", created_at, model, output: [] };
    const counts = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    const completed = { ...response, status: "completed", usage: counts };
    const text = stream
      ? toEvent(0, "response.created", { ...response, status: "in_progress" }) +
        toEvent(1, "response.completed", completed)
      : JSON.stringify(completed);
    return Promise.resolve({ result: toWritten(text, stream), headers: {} });
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    return this.#response.prepare(target, context);
  }

  explain(
    target: Target,
    context: ExplainContext,
  ): ExplainedRequest | Promise<ExplainedRequest> {
    return this.#response.explain(target, context);
  }
}

function toEvent(sequence_number: number, type: string, response: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, response })}\n\n`;
}

/** A request to count the tokens of the input. */
function toInputCount(resolved: ResolvedRequest): CountRequest {
  return {
    chat: toResponsesChat(resolved),
    mustConvert: true,
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
const COUNT: ApiKind = { ...API, callsNoModel: true };

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
    (resolved) => {
      const { request, deps } = resolved;
      const operation = new NativeOrConverted(toResponsesChat(resolved), deps);
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
    (resolved) => new CountOperation(toInputCount(resolved), resolved.deps.features, onEstimate),
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
    (resolved) => new NativeOrConverted(toCompaction(resolved), resolved.deps),
  );
}

function toModelRequest(
  request: ResponsesRequest,
  stream: boolean,
  create: (resolved: ResolvedRequest) => ExplainableOperation,
  api: ApiKind = API,
): ParsedRequest {
  return {
    models: request,
    stream,
    caller: { api, body: request },
    providerOf: (context) => pinOf(request, new KeyProviderIds(context)),
    createOperation: (context) =>
      createChatOperation(
        context,
        request,
        (body, own) => andThen(resolve(body, toDeps(body, own, context)), create),
      ),
  };
}

function toDeps(
  request: ResponsesRequest,
  own: ConversionDeps,
  context: OperationContext,
): ResponsesDeps {
  const { principal: { id: owner }, config: { server }, deps, record } = context;
  return {
    ...own,
    memory: new AnswerMemory(deps.answers, owner),
    ids: new KeyProviderIds(context),
    session: record.features.session,
    owner,
    unsettled: deps.unsettled,
    wallTime: () => deps.clock.wallTime(),
    room: () => ({
      length: server.max_body - record.bodyBytes,
      elements: server.max_elements - sizeOf([request]).elements,
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
