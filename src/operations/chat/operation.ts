/** Chat as an operation: the chat request is converted for the target, its answer for the caller. */

import { isText } from "../../core/json/values.ts";
import type { CallerFormat, Envelope } from "../../chat/caller_format.ts";
import { type ChatRequest, type CompletionBody, isObject } from "../../chat/chat.ts";
import type { FieldPaths } from "../../chat/field_paths.ts";
import type { Target } from "../../config/config.ts";
import { unreadable } from "../../core/errors.ts";
import { MAX_BYTES_AT_ONCE } from "../../core/json/writer.ts";
import { requestedOutput } from "../../chat/output_limits.ts";
import { countInput } from "../../chat/token_estimate.ts";
import type { TokenCounter } from "../../core/tokens/token_counter.ts";
import type { TokenFamily } from "../../core/tokens/token_family.ts";
import type { VendorRequest } from "../../providers/contract/adapter.ts";
import type { EndedAnswer } from "../../gateway/feature.ts";
import type { InterceptedChat } from "../../gateway/interceptions.ts";
import { needsImages, type RequestImages } from "../../upstream/images/request_images.ts";
import type { VendorResponse } from "../../upstream/transport.ts";
import { readable } from "../../upstream/upstream_errors.ts";
import { isLongAnswer, parseAnswer, parseLongAnswer } from "../../upstream/vendor_answer.ts";
import { chatCaller } from "../../routing/learned_rejections.ts";
import { sendRepaired } from "../../routing/send_repaired.ts";
import { explainChat } from "./explain_chat.ts";
import type {
  AttemptResult,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  ReadyContext,
  ReadyResult,
  TextResult,
  TokenEstimate,
} from "../../routing/operation.ts";
import { ChatContinuation } from "../continuation/chat_continuation.ts";
import { ContinuableStream } from "../continuation/continuable_stream.ts";
import { answerReady } from "../ready_answer.ts";
import { check, type Checked, convert } from "./prepare_request.ts";
import { refuseIgnored } from "../../routing/refuse_ignored.ts";
import { openStream } from "../../routing/open_stream.ts";
import type { VendorSession } from "../../routing/vendor_session.ts";
import { type ChatAnswerParts, createFold } from "./chat_fold.ts";

/** The chat operation of one request. */
export class ChatOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly chat: ChatRequest;
  readonly #intercepted: InterceptedChat;
  readonly #format: CallerFormat;
  readonly #images: RequestImages;
  readonly #origins: FieldPaths | undefined;
  #input: TokenCounter | undefined;

  /** Whether more requests of the same attempt follow, so that its time limits go on. */
  isPart = false;

  /**
   * @param intercepted the request without its fallback `models`, which are never sent to a vendor
   * @param format how the answer is written
   * @param images what has been downloaded for this request; kept between attempts
   * @param origins the caller's own fields, if the caller speaks another format
   */
  constructor(
    intercepted: InterceptedChat,
    format: CallerFormat,
    images: RequestImages,
    origins?: FieldPaths,
  ) {
    this.chat = intercepted.request;
    this.#intercepted = intercepted;
    this.#format = format;
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

  answer(toContext: () => ReadyContext): Promise<ReadyResult | undefined> | undefined {
    return answerReady(this.#intercepted.interceptions, toContext, () => {
      const { stream = false, stream_options = undefined } = this.chat;
      return { format: this.#format, stream, stream_options };
    });
  }

  get headers(): Readonly<Record<string, string>> | undefined {
    return this.#intercepted.interceptions.headers;
  }

  get keepsText(): number {
    return this.#intercepted.interceptions.keepsText;
  }

  ended(answer: EndedAnswer): void {
    this.#intercepted.interceptions.ended(answer);
  }

  prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const origins = this.#origins;
    return origins === undefined
      ? this.#prepare(target, context)
      : this.#prepareLocated(target, context, origins);
  }

  async #prepareLocated(
    target: Target,
    context: PrepareContext,
    origins: FieldPaths,
  ): Promise<PreparedAttempt> {
    const prepared = await origins.locatingAsync(() => this.#prepare(target, context));
    return {
      ...prepared,
      origins,
      execute: (session) => origins.locatingAsync(() => prepared.execute(session)),
    };
  }

  async #prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const { receipt, record, newId, strict } = context;
    const chat = this.#intercepted;
    let checked = chat.call(check(target, this.chat, receipt, newId));
    let isLarge = record.bodyBytes > MAX_BYTES_AT_ONCE;
    if (needsImages(checked.call.request.messages, checked.adapter.imageSources)) {
      if (strict) refuseIgnored(receipt, this.#origins);
      checked = await this.#withImages(checked, context);
      isLarge = true;
    }
    if (record.slice?.isOver) await record.slice.next();
    const { adapter, call, unsigned } = convert(
      checked,
      chat.interceptions,
      target.provider.adapter,
    );
    if (record.slice?.isOver) await record.slice.next();
    const rejections = context.state.rejectionsOf(target);
    const request = rejections.isEmpty
      ? unsigned
      : rejections.apply(unsigned, chatCaller(this.chat, adapter), receipt, context.clock);
    const stamp: Envelope = {
      id: newId(this.#format.idPrefix),
      created: Math.floor(context.clock.wallTime() / 1000),
      model: call.model.upstream,
    };
    const continuable = record.continuesStreams && call.stream
      ? new ContinuableStream(this.chat, this.#format)
      : undefined;
    const attempt = new ChatAttempt({
      adapter,
      call,
      format: continuable?.format ?? this.#format,
      stamp,
      target,
      chat,
      origins: this.#origins,
      isPart: this.isPart,
    });
    return {
      adapter,
      stream: call.stream,
      execute: (session) => {
        const result = attempt.execute(request, session, this.chat, isLarge);
        return continuable === undefined ? result : this.#withContinuation(result, continuable);
      },
    };
  }

  async #withContinuation(
    attempt: Promise<AttemptResult>,
    stream: ContinuableStream,
  ): Promise<AttemptResult> {
    const result = await attempt;
    if (result.type !== "stream") return result;
    const continuation = new ChatContinuation({
      chat: () => this.#intercepted,
      create: (chat, format) => new ChatOperation(chat, format, this.#images, this.#origins),
    }, stream);
    return { ...result, continuation };
  }

  explain(target: Target, context: ExplainContext): ExplainedRequest {
    const origins = this.#origins;
    if (origins === undefined) return explainChat(this.#intercepted, target, context);
    return origins.locating(() => ({
      ...explainChat(this.#intercepted, target, context),
      origins,
    }));
  }

  /** The call with data URLs for the images that the vendor does not download itself. */
  async #withImages({ adapter, call }: Checked, context: PrepareContext): Promise<Checked> {
    const { messages } = call.request;
    const filled = await context.within((signal) =>
      this.#images.fill(messages, adapter.imageSources, signal)
    );
    return { adapter, call: { ...call, request: { ...call.request, messages: filled } } };
  }
}

/** One attempt of a chat. */
class ChatAttempt {
  readonly #parts: ChatAnswerParts;

  constructor(parts: ChatAnswerParts) {
    this.#parts = parts;
  }

  /**
   * Sends a request and reads the answer. If the vendor rejects a field, the request is sent again
   * without it at once, within the same attempt.
   */
  execute(
    request: VendorRequest,
    session: VendorSession,
    asked: ChatRequest,
    isLarge: boolean,
  ): Promise<AttemptResult> {
    const { adapter } = this.#parts;
    return sendRepaired({
      request,
      session,
      isLarge,
      caller: () => chatCaller(asked, adapter),
      read: (response) => this.#read(response, session),
    });
  }

  /** Reads a 2xx: all of it, or a stream up to its first chunk. */
  async #read(response: VendorResponse, session: VendorSession): Promise<AttemptResult> {
    const { adapter, call } = this.#parts;
    const json = response.headers.get("content-type")?.includes("json") ?? false;
    if (call.stream && !(json && adapter.framing === "sse")) {
      return {
        type: "stream",
        stream: await openStream(createFold(this.#parts), response, session),
      };
    }
    const text = await session.readText(response);
    const body = isLongAnswer(text) ? await parseLongAnswer(text) : parseAnswer(text);
    if (isObject(body) && body.error) {
      session.refused(body);
      const error = readable(() => adapter.toError({ where: "stream", body }));
      throw session.toCallerError(error, call.request);
    }
    if (call.stream) throw unreadable("The provider answered without a stream");
    if (this.#parts.isPart !== true) session.deadline.end();
    const result = this.#toResult(response, body, text);
    return result instanceof Promise ? await result : result;
  }

  #toResult(
    { status, headers }: VendorResponse,
    body: unknown,
    text: string,
  ): TextResult | Promise<TextResult> {
    const { adapter, call, format, stamp, chat } = this.#parts;
    const passes = adapter.transparent && !chat?.interceptions.seesContent;
    if (passes && format.isPassable(body)) return toResult(body, stamp, text);
    const read = readable(() => adapter.toCompletion({ status, headers, body }, call));
    const completion = chat?.completion(read, { adapter, call }) ?? read;
    const written = format.writeCompletion(completion, stamp, isLongAnswer(text));
    return typeof written === "string"
      ? toResult(completion, stamp, written)
      : written.then((whole) => toResult(completion, stamp, whole));
  }
}

function toResult(body: CompletionBody, stamp: Envelope, text: string): TextResult {
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
