/** The path of a request: resolve the model, run the plan, answer. */

import type { Answer } from "./attempt.ts";
import { toChain } from "./fallback_chain.ts";
import type { CallerFormat } from "../chat/caller_format.ts";
import type { ChatRequest } from "../chat/chat.ts";
import type { Config, ServiceKey } from "../config/config.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { type Exchange, toErrorRecord } from "./request_record.ts";
import { RequestImages } from "../upstream/images/request_images.ts";
import { type PathDeps, Plan, type Wishes } from "./failover.ts";
import { toBody } from "../streaming/response_stream.ts";
import type { OpenStream, StreamFold } from "../streaming/fold.ts";
import { readable } from "../upstream/upstream_errors.ts";

/** What the caller is answered, short of HTTP. */
export interface Reply {
  /** The vendor's headers that pass through. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON as text, or a stream of events. */
  readonly body: string | ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Answers a chat request.
 *
 * @throws {GatewayError} `model_not_found`, or what the last target answered.
 */
export async function complete(
  asked: ChatRequest,
  wishes: Wishes,
  key: ServiceKey,
  config: Config,
  exchange: Exchange,
  deps: PathDeps,
): Promise<Reply> {
  const links = toChain(asked, key, config, deps.random);
  const images = new RequestImages(config.server.images, deps.download);
  const plan = new Plan(withoutModels(asked), wishes, images, exchange, deps);
  const answer = await plan.run(links);
  const { headers } = answer;
  if (answer.result.type === "stream") {
    return {
      headers,
      body: toStream(answer, answer.result.stream, wishes.format, config, exchange, deps),
    };
  }
  const { body, text } = answer.result;
  exchange.usage = body.usage;
  return { headers, body: text ?? wishes.format.writeCompletion(body, answer.stamp) };
}

/** The chain is ours: no vendor is told of it. */
function withoutModels(asked: ChatRequest): ChatRequest {
  if (asked.models === undefined) return asked;
  const { models: _, ...request } = asked;
  return request as ChatRequest;
}

function toStream(
  { deadline }: Answer,
  stream: OpenStream,
  format: CallerFormat,
  { server }: Config,
  exchange: Exchange,
  deps: PathDeps,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  exchange.firstTokenAt = deps.clock.now();
  exchange.open = true;
  exchange.answered(200, exchange.firstTokenAt);
  return toBody(stream, {
    clock: deps.clock,
    format,
    keepAlive: server.keepAlive,
    writeTimeout: server.writeTimeout,
    onPacket: () => deadline.touch(),
    onPause: () => deadline.hold(),
    onUnread: () => exchange.connection?.closeUnread(),
    onGap: deps.observer.streamStarted(exchange),
    onReadError: (thrown) => toReadError(thrown),
    onEnd: (fold, cancelled) => {
      deadline.end();
      exchange.usage = fold.usage;
      noteEnd(exchange, fold, cancelled);
      exchange.end();
    },
  });
}

/** A vendor's bytes that broke our reading of them are the vendor's failure, not a bug. */
function toReadError(thrown: unknown): GatewayError {
  try {
    return readable(() => {
      throw thrown;
    });
  } catch (error) {
    return toGatewayError(error);
  }
}

function noteEnd(exchange: Exchange, fold: StreamFold, cancelled: boolean): void {
  const { failure } = fold;
  if (cancelled && !fold.ended || failure?.kind === "client_gone") {
    exchange.outcome = "client_gone";
  } else if (failure !== undefined) {
    exchange.outcome = "failed";
    exchange.error = toErrorRecord(failure);
  }
}
