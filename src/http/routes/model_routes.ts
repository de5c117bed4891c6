/**
 * Shared code of the routes that call models: reading the body and the options, starting streams
 * with keep-alive comments, and writing the answer.
 */

import { isObject } from "../../core/json/object.ts";
import { type Balance, BALANCES, isBalance } from "../../config/routing_schema.ts";
import type { ModelPlan } from "../../gateway/plan.ts";
import { answerModel, type RouteAnswer, streamHeaders } from "../../gateway/answer.ts";
import { unknownModel } from "../../gateway/fallback_chain.ts";
import { explain } from "../../gateway/explain.ts";
import type { ParsedRequest } from "../../gateway/parsed_request.ts";
import { checkMemberNames } from "../../gateway/execute/member_names.ts";
import { readLabels } from "../caller_labels.ts";
import { type JsonRequest, readJson } from "../request_body.ts";
import { restoreIds } from "./owned_objects.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";
import { KeepAlive } from "../../streaming/keep_alive.ts";
import type { Clock } from "../../core/clock.ts";
import { invalidValue, toGatewayError } from "../../core/errors.ts";
import type { RequestRecord } from "../../gateway/request_record.ts";
import type { RequestOptions } from "../../gateway/operation.ts";

// Starts a stream with keep-alive comments before the first event, for callers behind proxies that
// close silent connections. A failure after that becomes an error event.

/**
 * Returns the reply if it arrives in time, otherwise a stream of keep-alive comments that continues
 * with the reply.
 *
 * @param delayMs how long to wait for the reply
 */
async function toEarlyReply(
  pending: Promise<RouteAnswer>,
  delayMs: number,
  context: RouteContext,
): Promise<RouteAnswer> {
  const { config, record, deps: { clock } } = context;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const isDue = () => config.server.early_keep_alive !== undefined || record.isQueued;
  const check = () => {
    if (isDue()) resolve(undefined);
    else cancel = clock.after(delayMs, check);
  };
  let cancel = clock.after(delayMs, check);
  const reply = await Promise.race([pending, promise]).finally(() => cancel());
  if (reply !== undefined) return reply;
  record.open = true;
  record.early = true;
  const body = new EarlyBody(pending, config.server.keep_alive || delayMs, context);
  const headers = streamHeaders(record.format);
  return { status: 200, headers, body: new ReadableStream(body) };
}

type Bytes = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController<Bytes>;

/** Writes comments until the reply arrives, then the reply's stream. */
class EarlyBody implements UnderlyingDefaultSource<Bytes> {
  readonly #reader: Promise<ReadableStreamDefaultReader<Bytes>>;
  readonly #keepAliveMs: number;
  readonly #config: RouteContext["config"];
  readonly #record: RequestRecord;
  readonly #clock: Clock;
  #stopKeepAlive = () => {};
  #cancelled = false;

  constructor(
    pending: Promise<RouteAnswer>,
    keepAliveMs: number,
    { config, record, deps: { clock } }: RouteContext,
  ) {
    this.#reader = pending.then(({ body }) => (body as ReadableStream<Bytes>).getReader());
    this.#keepAliveMs = keepAliveMs;
    this.#config = config;
    this.#record = record;
    this.#clock = clock;
  }

  start(controller: Controller): void {
    const { format } = this.#record;
    const comment = format.earlyKeepAlive ?? format.keepAlive;
    controller.enqueue(comment);
    const keepAlive = new KeepAlive(controller, {
      clock: this.#clock,
      ms: this.#keepAliveMs,
      comment,
    });
    this.#stopKeepAlive = () => keepAlive.stop();
    // `pull` may be called late, so the timer is stopped here.
    this.#reader.then(this.#stopKeepAlive, this.#stopKeepAlive);
  }

  async pull(controller: Controller): Promise<void> {
    try {
      const packet = await (await this.#reader).read();
      if (packet.done) controller.close();
      else controller.enqueue(packet.value);
    } catch (thrown) {
      // A response stream that fails after its start has already ended the record.
      if (!this.#recordFailure(thrown)) return controller.error(thrown);
      const { format, id } = this.#record;
      controller.enqueue(format.writeStreamError(toGatewayError(thrown), id));
      if (!this.#cancelled) controller.close();
    }
  }

  /** Handles a disconnect. The request's signal ends the attempts; a reply is canceled. */
  async cancel(): Promise<void> {
    this.#cancelled = true;
    this.#stopKeepAlive();
    await this.#reader.then((open) => open.cancel(), (thrown) => this.#recordFailure(thrown));
  }

  /** Records the failure and ends the record. Returns false when the record has ended already. */
  #recordFailure(thrown: unknown): boolean {
    // An ended record must not change: the log may write it later.
    if (this.#record.ended) return false;
    this.#record.failed(toGatewayError(thrown), this.#config);
    return this.#record.end();
  }
}

/** The maximum length of a logged model name, in UTF-16 units, since the caller chooses it. */
const MAX_MODEL_CHARS = 200;

/** The maximum length of a model name, in UTF-16 units. */
const MAX_NAME_CHARS = 10_000;

/**
 * Answers a model request, or explains it for `x-sluice-explain: true`.
 *
 * @param read reads the parsed body
 */
export async function answerModelRequest(
  request: Request,
  context: RouteContext,
  read: ReadBody,
): Promise<RouteResponse> {
  const body = await readJson(request, context.config.server.bodies, context);
  return await answerBody(body, request, context, read);
}

/** Reads a parsed body. @throws {GatewayError} `invalid_value` for an invalid one. */
type ReadBody = (body: unknown, context: RouteContext) => ParsedRequest;

/**
 * The same for a body that has been read: admits the request, and records the facts in the body.
 *
 * @throws {GatewayError} `overloaded`, and `model_not_found` for a name that is too long.
 */
export function answerBody(
  { value: body, bytes, slice, source }: JsonRequest,
  { headers }: Request,
  context: RouteContext,
  read: ReadBody,
): RouteResponse | Promise<RouteResponse> {
  const { config, params, record } = context;
  const isExplained = wantsExplanation(headers);
  record.bodyBytes = bytes;
  record.slice = slice;
  record.source = source;
  // An explanation is not a model request, so it has no row in the ledger.
  record.isModelRequest = !isExplained;
  const members = isObject(body) ? body : undefined;
  readLabels(headers, members, config.server.end_users, record);
  if (!config.hasOneOwner) {
    record.withProviderIds = (text, provider) => restoreIds(text, provider, context);
  }
  context.open.admit(record, config.server.max_in_flight);
  if (members !== undefined) {
    const deployment = params.get("model");
    if (deployment !== undefined) members.model = deployment;
    if (typeof members.model === "string") nameModel(context, members.model);
  }
  return answerAsked(read(body, context), { headers, body, isExplained }, context);
}

/** A request whose body has been read. */
interface ReceivedRequest {
  readonly headers: Headers;
  readonly body: unknown;
  readonly isExplained: boolean;
}

/** Answers or explains a request that has been read. */
export function answerAsked(
  parsed: ParsedRequest,
  read: ReceivedRequest,
  context: RouteContext,
): RouteResponse | Promise<RouteResponse> {
  const { config, deps, principal, record } = context;
  if (record.slice?.isOver) {
    return record.slice.next().then(() => answerAsked(parsed, read, context));
  }
  const { headers, body, isExplained } = read;
  if (!parsed.hasKnownMembers) checkMemberNames(body, record.routeFormat.name);
  // A format may define a default model.
  if (record.model === undefined) nameModel(context, parsed.models.model);
  const plan = parsed.models.models === undefined ? record.plan : undefined;
  const options = context.options = readOptions(headers, body, plan);
  if (isExplained) {
    const input = { ...options, principal, config, addresses: false, bytes: record.bodyBytes };
    return explain(parsed, input, deps).then(json);
  }
  record.stream = parsed.stream;
  const reply = answerModel(parsed, context);
  return parsed.stream ? respond(reply, context) : reply;
}

/**
 * Reads the body of a request that does not call a model.
 *
 * @throws {GatewayError} the errors of {@linkcode readJson}.
 */
export async function readRequestBody(request: Request, context: RouteContext): Promise<unknown> {
  const { value, bytes } = await readJson(request, context.config.server.bodies, context);
  context.record.bodyBytes = bytes;
  return value;
}

/**
 * Records the requested model, and finds its plan.
 *
 * @throws {GatewayError} `model_not_found` for a name that is too long.
 */
export function nameModel(
  { config, deps, principal: { key }, record }: RouteContext,
  model: string,
): void {
  // Searching a name of many megabytes would block the event loop.
  const isTooLong = model.length > MAX_NAME_CHARS;
  const name = isTooLong ? model.slice(0, MAX_MODEL_CHARS) : model;
  record.model = name.slice(0, MAX_MODEL_CHARS);
  const plan = record.plan = deps.plans.find(name, config);
  record.alias = plan === undefined ? config.patternOf(name) : plan.pattern;
  record.columns.alias = plan === undefined ? config.aliasOf(name) : plan.alias;
  if (isTooLong) throw unknownModel(`${name}…`, "model", key, config);
}

/** Whether the caller requests an explanation instead of an answer. */
export function wantsExplanation(headers: Headers): boolean {
  const explain = headers.get("x-sluice-explain");
  return explain !== null && isTrue(explain);
}

function isTrue(text: string): boolean {
  return text.toLowerCase() === "true";
}

/**
 * Reads the options in the headers of a request.
 *
 * @param body the parsed body, for features
 * @param plan the plan; headers that do not affect it are not read
 * @throws {GatewayError} `invalid_value` for an invalid deadline or order.
 */
export function readOptions(headers: Headers, body?: unknown, plan?: ModelPlan): RequestOptions {
  const deadline = headers.get("x-sluice-deadline-ms");
  const strict = headers.get("x-sluice-strict");
  return {
    strict: strict !== null && isTrue(strict),
    deadline: deadline === null ? undefined : readDeadline(deadline),
    balance: plan?.hasOneTarget ? undefined : readBalance(headers),
    sent: { headers, body },
  };
}

function readDeadline(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw invalidValue("x-sluice-deadline-ms", "must be a whole number of milliseconds");
}

function readBalance(headers: Headers): Balance | undefined {
  const text = headers.get("x-sluice-order");
  if (text === null || isBalance(text)) return text ?? undefined;
  throw invalidValue("x-sluice-order", `must be one of ${BALANCES.join(", ")}`);
}

/** The response with a model's answer: a stream may start before the answer does. */
export function respond(
  pending: Promise<RouteAnswer>,
  context: RouteContext,
): Promise<RouteResponse> {
  const { early_keep_alive: earlyKeepAlive, keep_alive: keepAlive } = context.config.server;
  const { features: { mayWait }, stream } = context.record;
  // A stream that waits in a queue must not look like a broken connection.
  const delay = earlyKeepAlive ?? (mayWait && keepAlive > 0 ? keepAlive : undefined);
  return stream && delay !== undefined ? toEarlyReply(pending, delay, context) : pending;
}
