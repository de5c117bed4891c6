/** The path of a request: resolve the model, run the fallback chain, answer. */

import type { Answer } from "./attempt.ts";
import { toChain } from "./fallback_chain.ts";
import type { CallerFormat } from "../chat/caller_format.ts";
import type { ChatRequest } from "../chat/chat.ts";
import type { Config, FallbackTarget, ServiceKey } from "../config/config.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { type RequestRecord, toErrorRecord } from "./request_record.ts";
import { RequestImages } from "../upstream/images/request_images.ts";
import type { Admission } from "../governance/admission.ts";
import { tokensOfChars } from "../governance/token_estimate.ts";
import type { Operation, TokenEstimate } from "./operation.ts";
import { ChatOperation } from "./operations/chat.ts";
import { EmbeddingsOperation, type WriteEmbeddings } from "./operations/embeddings.ts";
import type { EmbeddingsRequest } from "../providers/contract/embeddings.ts";
import { Failover, type PathDeps, type RequestOptions } from "./failover.ts";
import { toResponseBody } from "../streaming/response_stream.ts";
import type { AnswerFold, OpenStream } from "../streaming/fold.ts";
import { readable } from "../upstream/upstream_errors.ts";

/** The answer to the caller, without HTTP details. */
export interface Reply {
  /** The vendor's headers that pass through. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON as text or as pieces of it in UTF-8, or a stream of events. */
  readonly body:
    | string
    | readonly Uint8Array<ArrayBuffer>[]
    | ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Answers a request: tries one target after the other until one answers.
 *
 * @throws {GatewayError} the error of the last target.
 */
export async function answer(
  operation: Operation,
  chain: readonly FallbackTarget[],
  options: RequestOptions,
  config: Config,
  record: RequestRecord,
  deps: PathDeps,
): Promise<Reply> {
  const admission = admit(operation, chain, config, record, deps);
  record.reserve(admission instanceof Promise ? await admission : admission);
  const found = await new Failover(operation, options, record, deps).run(chain);
  const { headers, result } = found;
  if (result.type === "stream") {
    const body = toStream(found, result.stream, config, record, deps);
    return { headers, body };
  }
  record.usage = result.usage;
  record.outputChars = result.outputChars ?? result.text.length;
  return { headers, body: result.text };
}

/** @throws {GatewayError} when a limit or the budget of the key, or a limit of the model, is reached. */
function admit(
  operation: Operation,
  [first]: readonly FallbackTarget[],
  { limits }: Config,
  record: RequestRecord,
  { limiter }: PathDeps,
): Admission | Promise<Admission> | undefined {
  const { serviceKey: key } = record;
  if (first === undefined || key === undefined) return undefined;
  const { id: model, facts: { prices } } = first.target.model;
  return limiter.admit({
    key,
    model,
    prices,
    estimate: () => operation.estimate?.() ?? ofBytes(record.bodyBytes),
  }, limits);
}

function ofBytes(bytes: number): TokenEstimate {
  return { input: tokensOfChars(bytes), maxOutput: undefined };
}

/**
 * Answers a chat request.
 *
 * @throws {GatewayError} `model_not_found`, or the error of the last target.
 */
export async function completeChat(
  asked: ChatRequest,
  options: RequestOptions,
  key: ServiceKey,
  config: Config,
  record: RequestRecord,
  deps: PathDeps,
): Promise<Reply> {
  const chain = toChain(asked, key, config, deps.random);
  const operation = await toChatOperation(asked, record.format, key, config, deps);
  return await answer(operation, chain, options, config, record, deps);
}

/** The operation of a chat request in the format that its answer is written in. */
export async function toChatOperation(
  asked: ChatRequest,
  format: CallerFormat,
  key: ServiceKey,
  { server: { images, maxBody, reasoningState } }: Config,
  { download, reasoning }: Pick<PathDeps, "download" | "reasoning">,
): Promise<ChatOperation> {
  const request = withoutModels(asked);
  const read = await reasoning.read(request, key.name, reasoningState, maxBody);
  return new ChatOperation(read, format, new RequestImages(images, download));
}

/**
 * Answers a request for embeddings.
 *
 * @param models more models to try after the first
 * @throws {GatewayError} `model_not_found`, or what the last target answered.
 */
export async function createEmbeddings(
  { request, models }: AskedEmbeddings,
  write: WriteEmbeddings,
  options: RequestOptions,
  key: ServiceKey,
  config: Config,
  record: RequestRecord,
  deps: PathDeps,
): Promise<Reply> {
  const chain = toChain({ model: request.model, models }, key, config, deps.random);
  const operation = new EmbeddingsOperation(request, write);
  return await answer(operation, chain, options, config, record, deps);
}

/** A request for embeddings, and the models to fall back to. */
export interface AskedEmbeddings {
  readonly request: EmbeddingsRequest;
  readonly models: readonly string[] | undefined;
}

/** Removes the fallback models, which no vendor gets. */
function withoutModels(asked: ChatRequest): ChatRequest {
  if (asked.models === undefined) return asked;
  const { models: _, ...request } = asked;
  return request as ChatRequest;
}

function toStream(
  { deadline }: Answer,
  stream: OpenStream,
  { server }: Config,
  record: RequestRecord,
  deps: PathDeps,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  record.firstTokenAt = deps.clock.now();
  record.open = true;
  record.answered(200, record.firstTokenAt);
  return toResponseBody(stream, {
    clock: deps.clock,
    format: record.format,
    requestId: record.id,
    keepAlive: server.keepAlive,
    writeTimeout: server.writeTimeout,
    onPacket: () => deadline.touch(),
    onPause: () => deadline.hold(),
    onUnread: () => record.connection?.closeUnread(),
    onGap: deps.observer.streamStarted(record),
    onReadError: (thrown) => toReadError(thrown),
    onEnd: (fold, cancelled) => {
      deadline.end();
      record.usage = fold.usage;
      record.outputChars = fold.outputChars;
      noteEnd(record, fold, cancelled);
      record.end();
    },
  });
}

/** Bytes that cannot be read are the vendor's failure, not a bug of the gateway. */
function toReadError(thrown: unknown): GatewayError {
  try {
    return readable(() => {
      throw thrown;
    });
  } catch (error) {
    return toGatewayError(error);
  }
}

function noteEnd(record: RequestRecord, fold: AnswerFold, cancelled: boolean): void {
  const { failure } = fold;
  if (cancelled && !fold.ended || failure?.kind === "client_gone") {
    record.outcome = "client_gone";
  } else if (failure !== undefined) {
    record.outcome = "failed";
    record.error = toErrorRecord(failure);
  }
}
