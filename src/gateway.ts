/** The path of a request: resolve the model, try a target, answer. */

import { type Answer, attempt, type AttemptDeps, readable } from "./attempt.ts";
import type { ChatRequest, JsonObject } from "./chat.ts";
import type { Config, ServiceKey, Target } from "./config.ts";
import { stampCompletion } from "./envelope.ts";
import { GatewayError, toGatewayError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { type OpenStream, type StreamFold, toBody } from "./stream.ts";
import { passedHeaders } from "./verdict.ts";

/** What the caller is answered, short of HTTP. */
export interface Reply {
  /** The vendor's headers that pass through. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** What the caller asked for beside the body. */
export interface Wishes {
  /** Refuse rather than ignore: the header `x-sluice-strict`. */
  readonly strict: boolean;
}

/**
 * Answers a chat request.
 *
 * @throws {GatewayError} `model_not_found`, `model_not_allowed`, or what the target answered.
 */
export async function complete(
  request: ChatRequest,
  wishes: Wishes,
  key: ServiceKey,
  config: Config,
  exchange: Exchange,
  deps: AttemptDeps,
): Promise<Reply> {
  const [target] = resolve(request.model, key, config);
  const answer = await attempt(target, request, wishes.strict, exchange, deps);
  const headers = passedHeaders(answer.headers, answer.adapter);
  if (answer.result.type === "stream") {
    return { headers, body: toStream(answer, answer.result.stream, exchange, deps) };
  }
  const completion = answer.result.body;
  exchange.usage = completion.usage;
  return { headers, body: stampCompletion(completion, answer.stamp) };
}

/** The longest name that is repeated in a message. */
const MAX_NAME = 200;

function resolve(model: string, key: ServiceKey, config: Config): readonly [Target, ...Target[]] {
  const targets = config.resolve(model);
  const [first, ...others] = targets ?? [];
  if (first === undefined) {
    const near = config.suggest(model, key);
    const hint = near === undefined ? "" : `; did you mean '${near}'?`;
    const name = model.length > MAX_NAME ? `${model.slice(0, MAX_NAME)}…` : model;
    throw new GatewayError("model_not_found", `The model '${name}' does not exist${hint}`, {
      param: "model",
    });
  }
  if (!config.isAllowed(key, model)) {
    throw new GatewayError("model_not_allowed", `This key may not use the model '${model}'`, {
      param: "model",
    });
  }
  return [first, ...others];
}

function toStream(
  { deadline }: Answer,
  stream: OpenStream,
  exchange: Exchange,
  deps: AttemptDeps,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  exchange.firstTokenAt = deps.clock.now();
  exchange.open = true;
  return toBody(stream, {
    clock: deps.clock,
    onPacket: () => deadline.touch(),
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
    exchange.error = { kind: failure.kind, code: failure.code };
  }
}
