/**
 * Shared code of the routes that call models: reading the body and the options, and writing the
 * answer.
 */

import type { CallerFormat } from "../../chat/caller_format.ts";
import { isObject } from "../../chat/chat.ts";
import { type Balance, BALANCES, isBalance } from "../../config/routing_schema.ts";
import { invalidValue } from "../../core/invalid_value.ts";
import { MICRO_USD } from "../../governance/cost.ts";
import { MAX_DEPTH, MAX_MEMBERS } from "../../core/json/limits.ts";
import { answerModel, type Reply } from "../../routing/answer.ts";
import { unknownModel } from "../../routing/fallback_chain.ts";
import { explain } from "../../routing/explain.ts";
import type { RequestOptions } from "../../routing/request_options.ts";
import type { ModelRequest } from "../../routing/model_request.ts";
import { checkMemberNames } from "../../operations/member_names.ts";
import { toIncomingLimits } from "../incoming_bodies.ts";
import { readLabels } from "../caller_labels.ts";
import { type BodyOptions, readJson } from "../request_body.ts";
import { readCacheChoice } from "../cache_header.ts";
import { toEarlyReply } from "./early_reply.ts";
import { createIdRestorer } from "./owned_objects.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** The longest model name that is logged, in UTF-16 units: the caller chooses the name. */
const MAX_MODEL_CHARS = 200;

/** No model has a longer name, in UTF-16 units. */
const MAX_NAME_CHARS = 10_000;

/**
 * Answers a request to a model, or explains it for `x-sluice-explain: true`.
 *
 * @param read reads the parsed body
 */
export async function answerModelRequest(
  request: Request,
  context: RouteContext,
  read: (body: unknown) => ModelRequest,
): Promise<RouteResponse> {
  const isExplained = wantsExplanation(request);
  const body = await readModelRequest(request, context, isExplained);
  return await answerAsked(read(body), { request, body, isExplained }, context);
}

/** A request whose body has been read. */
interface ReadRequest {
  readonly request: Request;
  readonly body: unknown;
  readonly isExplained: boolean;
}

/** Answers or explains a request that has been read. */
export async function answerAsked(
  asked: ModelRequest,
  { request, body, isExplained }: ReadRequest,
  context: RouteContext,
): Promise<RouteResponse> {
  const { config, record, key, deps } = context;
  checkMemberNames(body, record.routeFormat.name);
  // A format may have a model for requests that name none.
  if (record.model === undefined) nameModel(context, asked.models.model);
  if (record.slice?.isOver) await record.slice.next();
  const session = { headers: request.headers, body };
  const options = { ...readOptions(request), session };
  if (isExplained) {
    const { strict, balance, cache, maxCost } = options;
    const input = {
      strict,
      balance,
      cache,
      maxCost,
      session,
      key,
      config,
      addresses: false,
      bytes: record.bodyBytes,
    };
    return json(await explain(asked, input, deps));
  }
  record.stream = asked.stream;
  return await respond(answerModel(asked, options, key, config, record, deps), context);
}

/**
 * Reads the body of a request that names a model, and admits the request.
 *
 * @throws {GatewayError} `overloaded`, and the errors of {@linkcode readJson}.
 */
async function readModelRequest(
  request: Request,
  context: RouteContext,
  isExplained: boolean,
): Promise<unknown> {
  const { record } = context;
  const { value: body, bytes, slice } = await readJson(request, bodyOptions(context));
  record.bodyBytes = bytes;
  record.slice = slice;
  // An explanation is not a request to a model, so it has no row in the ledger.
  record.isModelRequest = !isExplained;
  readLabels(request, body, context.config.server.endUsers, record);
  record.toOwnText = createIdRestorer(context);
  context.admit();
  const deployment = context.params.get("model");
  if (deployment !== undefined && isObject(body)) body.model = deployment;
  if (isObject(body) && typeof body.model === "string") {
    // Each search in a name of many megabytes would hold the event loop.
    const isTooLong = body.model.length > MAX_NAME_CHARS;
    const model = isTooLong ? body.model.slice(0, MAX_MODEL_CHARS) : body.model;
    nameModel(context, model);
    if (isTooLong) throw unknownModel(`${model}…`, "model", context.key, context.config);
  }
  return body;
}

/**
 * Reads the body of a request that no model answers.
 *
 * @throws {GatewayError} the errors of {@linkcode readJson}.
 */
export async function readRequestBody(request: Request, context: RouteContext): Promise<unknown> {
  const { value, bytes } = await readJson(request, bodyOptions(context));
  context.record.bodyBytes = bytes;
  return value;
}

/** Records the model that the caller asks for. */
export function nameModel({ config, record }: RouteContext, model: string): void {
  record.model = model.slice(0, MAX_MODEL_CHARS);
  record.alias = config.patternOf(model);
  record.columns.alias = config.aliasOf(model);
}

function bodyOptions({ config: { server }, deps, incoming, record }: RouteContext): BodyOptions {
  return {
    maxBytes: server.maxBody,
    maxPauseMs: server.bodyTimeout,
    json: { elements: server.maxElements, members: MAX_MEMBERS, depth: MAX_DEPTH },
    incoming,
    incomingLimits: toIncomingLimits(server),
    memory: record.memory,
    clock: deps.clock,
    shutdown: deps.shutdown,
  };
}

/** Whether the caller asks for an explanation of the request instead of an answer. */
export function wantsExplanation({ headers }: Request): boolean {
  return isTrue(headers, "x-sluice-explain");
}

function isTrue(headers: Headers, name: string): boolean {
  return headers.get(name)?.toLowerCase() === "true";
}

/**
 * Reads the options in the headers of a request.
 *
 * @throws {GatewayError} `invalid_value` for an invalid deadline, order, cost or cache.
 */
export function readOptions({ headers }: Request): RequestOptions {
  const strict = isTrue(headers, "x-sluice-strict");
  return {
    strict,
    deadline: readDeadline(headers),
    balance: readBalance(headers),
    maxCost: readMaxCost(headers),
    cache: readCacheChoice(headers),
  };
}

function readDeadline(headers: Headers): number | undefined {
  const text = headers.get("x-sluice-deadline-ms");
  if (text === null) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw invalidValue("x-sluice-deadline-ms", "must be a whole number of milliseconds");
}

function readBalance(headers: Headers): Balance | undefined {
  const text = headers.get("x-sluice-order");
  if (text === null || isBalance(text)) return text ?? undefined;
  throw invalidValue("x-sluice-order", `must be one of ${BALANCES.join(", ")}`);
}

/** In millionths of a US dollar. */
function readMaxCost(headers: Headers): number | undefined {
  const text = headers.get("x-sluice-max-cost");
  if (text === null) return undefined;
  if (/^\d{1,6}(\.\d{1,9})?$/.test(text)) return Number(text) * MICRO_USD;
  throw invalidValue("x-sluice-max-cost", "must be a number of US dollars, such as 0.05");
}

/** The response with a model's answer; a stream may start before the answer does. */
export function respond(pending: Promise<Reply>, context: RouteContext): Promise<RouteResponse> {
  const { earlyKeepAlive, keepAlive } = context.config.server;
  const { mayQueue, stream } = context.record;
  // A stream that waits in a queue must not look like a broken connection.
  const delay = earlyKeepAlive ?? (mayQueue && keepAlive > 0 ? keepAlive : undefined);
  const isEarly = stream && delay !== undefined;
  const reply = isEarly ? toEarlyReply(pending, delay, context) : pending;
  return reply.then((written) => toRouteResponse(written, context.record.format));
}

function toRouteResponse({ body, headers }: Reply, { streamType }: CallerFormat): RouteResponse {
  if (!(body instanceof ReadableStream)) {
    return { status: 200, body, headers: { "content-type": "application/json", ...headers } };
  }
  return {
    status: 200,
    body,
    headers: {
      "content-type": streamType ?? "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      // nginx and other reverse proxies buffer event streams without this header.
      "x-accel-buffering": "no",
      ...headers,
    },
  };
}
