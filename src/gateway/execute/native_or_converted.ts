/** A chat in a caller's format: sent unchanged to targets with this API, else converted. */

import type { CallerFormat, ConvertedRequest } from "../../apis/chat/caller_format.ts";
import type { NativeAnswers } from "../../apis/native_answers.ts";
import type { Target } from "../../config/config.ts";
import type { ChatRequest } from "../../contract/chat.ts";
import type { NativeApi, NativeFormat } from "../../contract/native.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import type { Clock } from "../../core/clock.ts";
import { withinDepth } from "../../core/errors.ts";
import type { TokenFamily } from "../../core/tokens/token_counter.ts";
import type {
  AskedRequest,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  ReadyResult,
  TokenEstimate,
  UnaryResult,
} from "../operation.ts";
import type { FeaturedChat } from "../request_features.ts";
import { ChatOperation } from "./chat/chat_operation.ts";
import { ChatContinuation } from "./continuation/chat_continuation.ts";
import {
  type NativeContinuation,
  NativeStream,
  type NativeStreamParts,
} from "./continuation/continuable_stream.ts";
import type { ConversionDeps } from "./conversion_deps.ts";
import { explainNative, type NativeBody, prepareNative } from "./native.ts";
import { answerReady } from "./ready_answer.ts";

/** A chat in a caller's format. */
export interface FormatChat {
  /** The API that accepts it unchanged. */
  readonly api: NativeFormat;
  readonly stream: boolean;
  estimate(family: TokenFamily): TokenEstimate;
  /** The format of a feature's answer; absent if no feature may answer. */
  readonly readyFormat?: (() => CallerFormat) | undefined;
  /**
   * The request for a target with the API.
   *
   * @throws {GatewayError} for a request that refers to objects of others.
   */
  toNative(target: Target): NativeBody;
  /** The readers of such a target's answers. */
  readNative(target: Target, context: PrepareContext): NativeReading;
  /** Targets of the same variant share one conversion. Default: all targets. */
  variantOf?(target: Target): string;
  /**
   * The request for other targets.
   *
   * @throws {GatewayError} for a request that cannot be converted.
   */
  convert(target: Target): ConvertedRequest;
  /** How the answer of such a target is written. */
  formatFor(target: Target, changes: RequestChanges): CallerFormat;
  /** Answers in place of such targets, for a request that generates nothing. */
  readonly answerFor?: ((target: Target, clock: Clock) => UnaryResult) | undefined;
}

/** How the answers of a target with the caller's API are read. */
export interface NativeReading {
  readonly answers: NativeAnswers;
  /** Records a stream that other targets can continue. */
  readonly recorded?: NativeStreamParts | undefined;
}

/** A converted request, and as features have read it. */
interface Conversion {
  readonly request: ConvertedRequest;
  readonly chat: FeaturedChat;
}

/** The operation of one chat. */
export class NativeOrConverted implements ExplainableOperation {
  readonly name = "chat";
  readonly #request: FormatChat;
  readonly #deps: ConversionDeps;
  /** By variant. */
  readonly #conversions = new Map<string, Conversion>();

  constructor(request: FormatChat, deps: ConversionDeps) {
    this.#request = request;
    this.#deps = deps;
  }

  /** The converted request, once a target needed one. */
  get chat(): ChatRequest | undefined {
    const [conversion] = this.#conversions.values();
    return conversion?.request.chat;
  }

  estimate(family: TokenFamily): TokenEstimate {
    return this.#request.estimate(family);
  }

  answer(request: AskedRequest): Promise<ReadyResult | undefined> | undefined {
    const { readyFormat, stream } = this.#request;
    if (readyFormat === undefined || !request.record.features.mayAnswer) return undefined;
    return answerReady(request, () => ({ format: readyFormat(), stream }));
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    const api = this.#nativeApiOf(target);
    if (api !== undefined) return this.#prepareNative(api, target, context);
    const { answerFor } = this.#request;
    if (answerFor === undefined) return this.#prepareConverted(target, context);
    const { adapter } = target.provider;
    const execute = () => Promise.resolve(answerFor(target, context.clock));
    return { adapter, stream: false, execute };
  }

  #prepareNative(
    api: NativeApi,
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    const { answers, recorded } = this.#request.readNative(target, context);
    const native = {
      ...this.#request.toNative(target),
      features: this.#deps.features,
      continuation: recorded && this.#toContinuation(recorded),
    };
    return prepareNative(api, native, answers, target, context);
  }

  async #prepareConverted(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const operation = await this.#toChat(target, context.changes);
    return await operation.prepare(target, context);
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const api = this.#nativeApiOf(target);
    if (api !== undefined) {
      const native = { ...this.#request.toNative(target), features: this.#deps.features };
      return explainNative(api, native, target, context);
    }
    if (this.#request.answerFor !== undefined) return { unsigned: undefined, rows: [] };
    const operation = await this.#toChat(target, context.changes);
    return operation.explain(target, context);
  }

  /** The target's API of this format, if it may be used. */
  #nativeApiOf({ provider, model }: Target): NativeApi | undefined {
    if (!this.#deps.features.allowsNative) return undefined;
    return provider.adapter.native?.(this.#request.api, model, provider.settings);
  }

  /** Continues an interrupted stream at a target that gets a chat request. */
  #toContinuation(recorded: NativeStreamParts): NativeContinuation {
    const request = {
      chat: async (target: Target, changes: RequestChanges) =>
        (await this.#convert(target, changes)).chat,
      create: (chat: FeaturedChat, format: CallerFormat) =>
        new ChatOperation(chat, format, this.#deps.images),
    };
    const continuation = new ChatContinuation(request, new NativeStream(recorded));
    return { record: recorded.record, continuation };
  }

  async #toChat(target: Target, changes: RequestChanges): Promise<ChatOperation> {
    const { chat, request } = await this.#convert(target, changes);
    const format = this.#request.formatFor(target, changes);
    return new ChatOperation(chat, format, this.#deps.images, request.origins);
  }

  async #convert(target: Target, changes: RequestChanges): Promise<Conversion> {
    const variant = this.#request.variantOf?.(target) ?? "";
    let conversion = this.#conversions.get(variant);
    if (conversion === undefined) {
      const request = withinDepth(() => this.#request.convert(target));
      const chat = await this.#deps.features.readChat(request.chat);
      this.#conversions.set(variant, conversion = { request, chat });
    }
    changes.include(conversion.request.changes);
    return conversion;
  }
}
