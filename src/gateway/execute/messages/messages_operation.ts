/** A request of the Messages API: sent unchanged to targets with this API, else converted. */

import type { CallerFormat } from "../../../apis/chat/caller_format.ts";
import type { ChatRequest } from "../../../contract/chat.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import type { Target } from "../../../config/config.ts";
import type { Adapter } from "../../../contract/adapter.ts";
import type { NativeApi } from "../../../contract/native.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import { requestedOutput } from "../../../apis/chat/output_limits.ts";
import { countInput } from "../../../apis/chat/token_estimate.ts";
import type { TokenCounter, TokenFamily } from "../../../core/tokens/token_counter.ts";
import { mayThinkUnasked, tokenFamilyOf } from "../../../apis/token_families.ts";
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
import { explainNative, type NativeRequest, prepareNative } from "../native.ts";
import { answerReady } from "../ready_answer.ts";
import type { ConversionDeps } from "../conversion_deps.ts";
import { ChatOperation } from "../chat/chat_operation.ts";
import { ChatContinuation, type ContinuedRequest } from "../continuation/chat_continuation.ts";
import {
  isPlain,
  type NativeContinuation,
  NativeStream,
} from "../continuation/continuable_stream.ts";
import type { FeaturedChat } from "../../request_features.ts";
import type { NativeAnswers } from "../../../apis/native_answers.ts";
import type { ProviderIds } from "../../../apis/responses/provider_ids.ts";
import {
  MessageRecord,
  usesContainer,
  withMarkedContainers,
  withOwnContainer,
} from "../../../apis/messages/message_record.ts";
import type { WriteOptions } from "../../../apis/messages/answer_parts.ts";
import { messagesFormat } from "../../../apis/messages/format.ts";
import { nativeAnswers, withoutOwnState } from "../../../apis/messages/native_answers.ts";
import { type ConvertedRequest, readMessagesRequest } from "../../../apis/messages/read_request.ts";
import { asksWebSearch } from "../../../apis/messages/web_search.ts";
import type { MessagesOutline } from "../../../apis/messages/schema.ts";
import { withinDepth } from "../../../core/errors.ts";

/** The dependencies of an operation. */
export interface MessagesDeps extends ConversionDeps {
  /** The caller's headers that are part of the format, by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The vendor IDs that the caller may use; undefined if all service keys share them. */
  readonly ids: ProviderIds | undefined;
}

/** The Messages operation of one request. */
export class MessagesOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #body: JsonObject;
  readonly #deps: MessagesDeps;
  readonly #writeOptions: WriteOptions;
  readonly #format: CallerFormat;
  /** The converted requests, by cache markers and the limit of the answer. */
  readonly #converted = new Map<string, Conversion>();
  #input: TokenCounter | undefined;
  /** The requested model. */
  #model = "";
  #nativeBody: JsonObject | undefined;

  /** @param body with the members that every target needs checked */
  constructor(body: MessagesOutline, deps: MessagesDeps) {
    const { models: _, ...rest } = body;
    this.#body = rest;
    this.#deps = deps;
    this.#writeOptions = {
      stops: Array.isArray(body.stop_sequences) ? body.stop_sequences : [],
      omitsThinking: isObject(body.thinking) && body.thinking.display === "omitted",
      searches: asksWebSearch(body),
      estimate: () => this.#estimateInput(tokenFamilyOf(this.#model)),
    };
    this.#format = messagesFormat(this.#writeOptions);
  }

  estimate(family: TokenFamily): TokenEstimate {
    return { input: this.#estimateInput(family), ...requestedOutput(this.#body) };
  }

  #estimateInput(family: TokenFamily): number {
    const { system, messages, tools } = this.#body;
    return (this.#input ??= countInput([system, messages], [tools])).tokens(family);
  }

  /** The converted request, once a target needed one. */
  get chat(): ChatRequest | undefined {
    const [conversion] = this.#converted.values();
    return conversion?.request.chat;
  }

  answer(request: AskedRequest): Promise<ReadyResult | undefined> | undefined {
    if (!request.record.features.mayAnswer) return undefined;
    const style = { format: this.#format, stream: this.#body.stream === true };
    return answerReady(request, () => style);
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    this.#model = target.model.base;
    const api = this.#nativeApiOf(target);
    if (api !== undefined) {
      const continuation = context.record.continuesStreams ? this.#toContinuation() : undefined;
      const native = { ...this.#native(target), continuation };
      return prepareNative(api, native, this.#answers(target), target, context);
    }
    return this.#prepareConverted(target, context);
  }

  async #prepareConverted(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const { chat, operation, request } = await this.#convert(target, context.changes);
    if (!this.#omitsThinking(target)) return await operation.prepare(target, context);
    const onOmitted = () => context.changes.rename("thinking", "omitted");
    const format = messagesFormat({ ...this.#writeOptions, onOmitted });
    const silent = new ChatOperation(chat, format, this.#deps.images, request.origins);
    return await silent.prepare(target, context);
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const api = this.#nativeApiOf(target);
    if (api !== undefined) return explainNative(api, this.#native(target), target, context);
    const { operation } = await this.#convert(target, context.changes);
    return operation.explain(target, context);
  }

  /**
   * Whether thinking is omitted from the answer: the caller did not request it, and the model may
   * think by default.
   */
  #omitsThinking({ model }: Target): boolean {
    return !asksThinking(this.#body) && mayThinkUnasked(model.base);
  }

  /** The target's Messages API, if it may be used. */
  #nativeApiOf({ provider, model }: Target): NativeApi | undefined {
    if (!this.#deps.features.allowsNative) return undefined;
    return provider.adapter.native?.("messages", model, provider.settings);
  }

  #native({ provider }: Target): NativeRequest {
    const { headers, ids, features } = this.#deps;
    const shared = this.#nativeBody ??= withoutOwnState(this.#body);
    const body = ids === undefined ? shared : withOwnContainer(shared, ids, provider.settings.id);
    return { body, headers, features, stream: body.stream === true };
  }

  #answers({ provider }: Target): NativeAnswers {
    const { ids } = this.#deps;
    return ids === undefined || !usesContainer(this.#body)
      ? nativeAnswers
      : withMarkedContainers(nativeAnswers, ids.marker(provider.settings.id));
  }

  /** Continues an interrupted stream at a target that gets a chat request. */
  #toContinuation(): NativeContinuation {
    const record = new MessageRecord();
    const options = asksThinking(this.#body)
      ? this.#writeOptions
      : { ...this.#writeOptions, onOmitted() {} };
    const stream = new NativeStream({
      record,
      isPlain: () => this.#isPlain(),
      format: this.#format,
      createWriter: () => record.createWriter(options),
    });
    const request: ContinuedRequest = {
      chat: async (target, changes) => (await this.#convert(target, changes)).chat,
      create: (chat, format) => new ChatOperation(chat, format, this.#deps.images),
    };
    return { record, continuation: new ChatContinuation(request, stream) };
  }

  /** Whether the request asks for plain text; false if it cannot be converted. */
  #isPlain(): boolean {
    try {
      return isPlain(withinDepth(() => readMessagesRequest(this.#body, false)).chat);
    } catch {
      return false;
    }
  }

  /** The chat operation for a target. Targets with the same requirements share one conversion. */
  async #convert(target: Target, changes: RequestChanges): Promise<Conversion> {
    const markers = takesMarkers(target.provider.adapter);
    const limit = limitOf(this.#body, target);
    const key = `${markers} ${limit}`;
    let conversion = this.#converted.get(key);
    if (conversion === undefined) {
      const { images, features } = this.#deps;
      const request = withinDepth(() => withLimit(readMessagesRequest(this.#body, markers), limit));
      const chat = await features.readChat(request.chat);
      const operation = new ChatOperation(chat, this.#format, images, request.origins);
      this.#converted.set(key, conversion = { request, chat, operation });
    }
    changes.include(conversion.request.changes);
    return conversion;
  }
}

interface Conversion {
  readonly request: ConvertedRequest;
  readonly chat: FeaturedChat;
  readonly operation: ChatOperation;
}

/** Agents send the same `max_tokens` for every model, so it is reduced to the model's limit. */
function limitOf({ max_tokens }: JsonObject, { model: { facts } }: Target): number | undefined {
  const { max_output_tokens: most } = facts;
  return most !== undefined && typeof max_tokens === "number" && max_tokens > most
    ? most
    : undefined;
}

function asksThinking({ thinking }: JsonObject): boolean {
  return isObject(thinking) && thinking.type !== "disabled";
}

/** The converted request with the limit of a model. */
function withLimit(
  converted: ConvertedRequest,
  limit: number | undefined,
): ConvertedRequest {
  const { chat, changes } = converted;
  if (limit === undefined || chat.max_tokens === undefined) return converted;
  changes.convert("max_tokens", chat.max_tokens, limit);
  return { ...converted, chat: { ...chat, max_tokens: limit } as ChatRequest };
}

/** Whether an adapter places cache markers; servers of OpenAI's dialect may refuse them. */
function takesMarkers({ supports: { extensions } }: Adapter): boolean {
  return extensions !== "all" && Object.hasOwn(extensions, "cache_control");
}
