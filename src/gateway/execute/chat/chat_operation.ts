/**
 * Chat as an operation: the chat request is converted for the target, its answer for the caller.
 */

import { isText } from "../../../core/json/values.ts";
import type { CallerFormat, Envelope } from "../../../apis/chat/caller_format.ts";
import { type ChatRequest, type CompletionBody, isObject } from "../../../contract/chat.ts";
import type { FieldPaths } from "../../../apis/chat/field_paths.ts";
import type { Target } from "../../../config/config.ts";
import { unreadable } from "../../../core/errors.ts";
import { MAX_BYTES_AT_ONCE } from "../../../core/json/writer.ts";
import { requestedOutput } from "../../../apis/chat/output_limits.ts";
import { countInput } from "../../../apis/chat/token_estimate.ts";
import type { TokenCounter, TokenFamily } from "../../../core/tokens/token_counter.ts";
import type { FeaturedChat } from "../../request_features.ts";
import { needsImages, type RequestImages } from "../../../upstream/images/request_images.ts";
import type { VendorResponse } from "../../../upstream/transport.ts";
import { readable, toCallerError } from "../../../upstream/upstream_errors.ts";
import { isLongAnswer } from "../../../upstream/vendor_answer.ts";
import { chatCaller } from "../../rejected_fields.ts";
import { explainChat } from "./explain_chat.ts";
import type {
  AskedRequest,
  AttemptResult,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedRequest,
  ReadyResult,
  TokenEstimate,
  UnaryResult,
} from "../../operation.ts";
import { ChatContinuation, ContinuableStream } from "../continuation/continuation.ts";
import { answerReady } from "../ready_answer.ts";
import { preparePlain } from "./plain_call.ts";
import { check, convert, type Prepared, withFeatures } from "./prepare_request.ts";
import { openStream } from "../../open_stream.ts";
import type { VendorSession } from "../../vendor_session.ts";
import type { SupportedCall } from "./refusals.ts";
import { andThen } from "../../../core/steps.ts";
import { refuseIgnored } from "../../attempt.ts";
import type { Adapter } from "../../../contract/adapter.ts";
import type { Call } from "../../../contract/vendor_request.ts";
import { StreamFold } from "../../../streaming/fold.ts";
import { usdOf } from "../../../governance/cost.ts";

/** The dependencies for reading the answer to one call. */
export interface ChatAnswerParts {
  readonly adapter: Adapter;
  readonly call: Call;
  readonly format: CallerFormat;
  readonly stamp: Envelope;
  readonly target: Target;
  /** The features of the chat, if there are any. */
  readonly chat?: FeaturedChat;
  /** The caller's fields, if the request was converted from another format. */
  readonly origins?: FieldPaths | undefined;
  /** Whether more requests of the same attempt follow. */
  readonly isPart?: boolean;
}

/** The chat operation of one request. */
export class ChatOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly chat: ChatRequest;
  readonly #chat: FeaturedChat;
  /** How the answer is written. */
  readonly format: CallerFormat;
  readonly #images: () => RequestImages;
  readonly #origins: FieldPaths | undefined;
  #input: TokenCounter | undefined;

  /** Whether more requests of the same attempt follow, so that its time limits continue. */
  isPart = false;

  /**
   * @param featured the request without its fallback `models`, which are never sent to a vendor
   * @param images the images downloaded for this request, shared by its attempts
   * @param origins the caller's fields, if the request was converted from another format
   */
  constructor(
    featured: FeaturedChat,
    format: CallerFormat,
    images: () => RequestImages,
    origins?: FieldPaths,
  ) {
    this.chat = featured.request;
    this.#chat = featured;
    this.format = format;
    this.#images = images;
    this.#origins = origins;
  }

  estimate(family: TokenFamily): TokenEstimate {
    const { messages, tools, functions, response_format: format } = this.chat;
    return {
      input: (this.#input ??= countInput(messages, [tools, functions, format])).tokens(family),
      ...requestedOutput(this.chat),
    };
  }

  answer(request: AskedRequest): Promise<ReadyResult | undefined> | undefined {
    if (!request.record.features.mayAnswer) return undefined;
    const { stream = false, stream_options = undefined } = this.chat;
    return answerReady(request, { format: () => this.format, stream, stream_options });
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedRequest | Promise<PreparedRequest> {
    return this.#origins === undefined
      ? this.#prepare(target, context)
      : this.#locating(() => this.#prepare(target, context), this.#origins);
  }

  /** Uses the caller's fields in errors. */
  #locating<Result>(
    run: () => Result | Promise<Result>,
    origins: FieldPaths,
  ): Result | Promise<Result> {
    const result = origins.locating(run);
    return result instanceof Promise ? origins.locatingAsync(() => result) : result;
  }

  #prepare(target: Target, context: PrepareContext): PreparedRequest | Promise<PreparedRequest> {
    const { changes, record, newId } = context;
    const plain = this.#chat.isUnchanged
      ? preparePlain(target, this.chat, changes, newId)
      : undefined;
    if (plain !== undefined) {
      const { features } = this.#chat;
      const sent = features.sends ? withFeatures(plain, features, target.provider.adapter) : plain;
      const isLarge = record.bodyBytes > MAX_BYTES_AT_ONCE;
      return sent instanceof Promise
        ? sent.then((late) => this.#toPrepared(late, target, context, isLarge))
        : this.#toPrepared(sent, target, context, isLarge);
    }
    const checked = this.#chat.call(check(target, this.chat, changes, newId));
    if (needsImages(checked.call.request.messages, checked.adapter.imageSources)) {
      return this.#prepareImages(checked, target, context);
    }
    const isLarge = record.bodyBytes > MAX_BYTES_AT_ONCE;
    return record.slice?.isOver
      ? record.slice.next().then(() => this.#convert(checked, target, context, isLarge))
      : this.#convert(checked, target, context, isLarge);
  }

  async #prepareImages(
    checked: SupportedCall,
    target: Target,
    context: PrepareContext,
  ): Promise<PreparedRequest> {
    if (context.strict) refuseIgnored(context.changes, this.#origins);
    const filled = await this.#withImages(checked, context);
    const { slice } = context.record;
    if (slice?.isOver) await slice.next();
    return this.#convert(filled, target, context, true);
  }

  #convert(
    checked: SupportedCall,
    target: Target,
    context: PrepareContext,
    isLarge: boolean,
  ): PreparedRequest | Promise<PreparedRequest> {
    const { features } = this.#chat;
    const prepared = convert(checked, features, target.provider.adapter);
    return andThen(prepared, (own) => this.#toPrepared(own, target, context, isLarge));
  }

  #toPrepared(
    { adapter, call, unsigned }: Prepared,
    target: Target,
    context: PrepareContext,
    isLarge: boolean,
  ): PreparedRequest {
    const { changes, record, newId } = context;
    const chat = this.#chat;
    const { clock, known: { rejections } } = context;
    const request = rejections?.apply(unsigned, chatCaller(this.chat, adapter), changes, clock) ??
      unsigned;
    const stamp: Envelope = {
      id: newId(this.format.idPrefix),
      created: Math.floor(context.clock.wallTime() / 1000),
      model: call.model.upstream,
    };
    const continuable = record.continuesStreams && call.stream
      ? new ContinuableStream(this.chat, this.format)
      : undefined;
    const parts: ChatAnswerParts = {
      adapter,
      call,
      format: continuable?.format ?? this.format,
      stamp,
      target,
      chat,
      origins: this.#origins,
      isPart: this.isPart,
    };
    return {
      adapter,
      stream: call.stream,
      ...(this.#origins && { origins: this.#origins }),
      exchange: {
        request,
        isLarge,
        caller: () => chatCaller(this.chat, adapter),
        read: (response, session) => {
          const result = read(parts, response, session);
          if (continuable === undefined) return result;
          return result instanceof Promise
            ? result.then((late) => this.#withContinuation(late, continuable))
            : this.#withContinuation(result, continuable);
        },
      },
    };
  }

  #withContinuation(result: AttemptResult, stream: ContinuableStream): AttemptResult {
    if (result.type !== "stream") return result;
    const continuation = new ChatContinuation({
      chat: () => this.#chat,
      create: (chat, format) => new ChatOperation(chat, format, this.#images, this.#origins),
    }, stream);
    return { ...result, continuation };
  }

  explain(
    target: Target,
    context: ExplainContext,
  ): ExplainedRequest | Promise<ExplainedRequest> {
    const origins = this.#origins;
    const explain = () => explainChat(this.#chat, target, context);
    return origins === undefined
      ? explain()
      : andThen(this.#locating(explain, origins), (explained) => ({ ...explained, origins }));
  }

  /** The call with data URLs for the images that the vendor does not download itself. */
  async #withImages(
    { adapter, call }: SupportedCall,
    context: PrepareContext,
  ): Promise<SupportedCall> {
    const { messages } = call.request;
    const filled = await context.within((signal) =>
      this.#images().fill(messages, adapter.imageSources, signal)
    );
    return { adapter, call: { ...call, request: { ...call.request, messages: filled } } };
  }
}

/** Reads a 2xx response completely; a stream up to its first chunk. */
function read(
  parts: ChatAnswerParts,
  response: VendorResponse,
  session: VendorSession,
): AttemptResult | Promise<AttemptResult> {
  const { adapter, call } = parts;
  const json = response.headers.get("content-type")?.includes("json") ?? false;
  if (call.stream && !(json && adapter.framing === "sse")) {
    return openStream(createFold(parts), response, session)
      .then((stream) => ({ type: "stream", stream }));
  }
  return session.readJson(response, (text, body) => {
    if (isObject(body) && body.error) {
      session.refused(body);
      const error = readable(() => adapter.toError({ where: "stream", body }));
      throw session.toCallerError(error, call.request);
    }
    if (call.stream) throw unreadable("The provider answered without a stream");
    if (parts.isPart !== true) session.deadline.end();
    return toTextResult(parts, response, body, text);
  });
}

function toTextResult(
  { adapter, call, format, stamp, chat }: ChatAnswerParts,
  { status, headers }: VendorResponse,
  body: unknown,
  text: string,
): UnaryResult | Promise<UnaryResult> {
  const passes = adapter.transparent && !chat?.features.seesContent;
  if (passes && format.isPassable(body)) return toResult(body, stamp, text);
  const completed = readable(() => adapter.toCompletion({ status, headers, body }, call));
  const completion = chat?.completion(completed, { adapter, call }) ?? completed;
  const written = format.writeCompletion(completion, stamp, isLongAnswer(text));
  return typeof written === "string"
    ? toResult(completion, stamp, written)
    : written.then((whole) => toResult(completion, stamp, whole));
}

function toResult(body: CompletionBody, stamp: Envelope, text: string): UnaryResult {
  const { choices, id, model, usage, service_tier: tier } = body;
  return {
    type: "text",
    text,
    usage,
    serviceTier: isText(tier) ? tier : undefined,
    summary: {
      id: id ?? stamp.id,
      model: model ?? stamp.model,
      finishReasons: choices.map(({ finish_reason }) => finish_reason),
    },
    choices,
  };
}

/**
 * The fold for one call's stream: bytes of the vendor in, events for the caller out. Exported for
 * tests.
 *
 * @param learnsAfter as in {@linkcode StreamFold}; never if `upstream.template_cache` is disabled
 */
export function createFold(
  { adapter, call, format, stamp, target, chat, origins }: ChatAnswerParts,
  learnsAfter = target.provider.templateCache ? undefined : Infinity,
): StreamFold {
  const decoder = adapter.decoder(call);
  const { prices } = target.model.facts;
  const writer = format.createStreamWriter(
    stamp,
    call.request,
    (usage, tier) => usdOf({ usage, prices, tier }),
  );
  const isRead = writer.isRepeatable === false || chat?.features.seesContent;
  const learns = isRead ? Infinity : learnsAfter;
  return new StreamFold({
    framing: adapter.framing,
    decoder: chat?.decoder(decoder, { adapter, call }) ?? decoder,
    writer,
    toError(upstreamError) {
      const error = toCallerError(upstreamError, target.provider, call.request);
      return origins?.locate(error) ?? error;
    },
    ...(learns === undefined ? {} : { learnsAfter: learns }),
  });
}
