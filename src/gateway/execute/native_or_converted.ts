/** A chat in a caller's format: sent unchanged to targets with this API, else converted. */

import type { CallerFormat, ConvertedRequest } from "../../apis/chat/caller_format.ts";
import type { NativeAnswers } from "../../apis/native_answers.ts";
import type { Target } from "../../config/config.ts";
import type { ChatRequest, JsonObject } from "../../contract/chat.ts";
import type { NativeApi, NativeFormat } from "../../contract/native.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import type { Clock } from "../../core/clock.ts";
import { withinDepth } from "../../core/errors.ts";
import { andThen } from "../../core/steps.ts";
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
import type { FeaturedChat, RequestFeatures } from "../request_features.ts";
import { execute } from "../send_repaired.ts";
import { ChatOperation } from "./chat/chat_operation.ts";
import {
  ChatContinuation,
  type NativeContinuation,
  NativeStream,
  type NativeStreamParts,
} from "./continuation/continuation.ts";
import type { ConversionDeps } from "./create_operation.ts";
import { explainNative, type NativeBody, type NativeRequest, prepareNative } from "./native.ts";
import { answerReady } from "./ready_answer.ts";

/** A chat in a caller's format. */
export interface FormatChat {
  /** The API that accepts it unchanged. */
  readonly api: NativeFormat;
  readonly body: JsonObject;
  readonly stream: boolean;
  estimate(family: TokenFamily): TokenEstimate;
  /** The format of a feature's answer; absent if no feature may answer. */
  readonly readyFormat?: (() => CallerFormat) | undefined;
  /** @throws {GatewayError} for a target that lacks objects that the request refers to. */
  readonly checkTarget?: ((target: Target, isNative: boolean) => void) | undefined;
  /**
   * Whether a 404 or 405 proves that a server lacks the API. The method of a path below it may be
   * missing alone.
   */
  readonly provesAbsence?: boolean;
  /**
   * The request for a target with the API.
   *
   * @throws {GatewayError} for a request that refers to objects of others.
   */
  toNative(target: Target, changes: RequestChanges): NativeBody | Promise<NativeBody>;
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
  /** The format of errors that end a stream. Default: the route's. */
  readonly format?: CallerFormat;
  /** Records a stream that other targets can continue. */
  readonly recorded?: NativeStreamParts | undefined;
}

/** A converted request, and as features have read it. */
interface Conversion {
  readonly request: ConvertedRequest;
  readonly chat: FeaturedChat;
}

/**
 * The target's API in the caller's format, if it supports the request and features allow it.
 *
 * @param known the servers that lack the API
 * @throws {GatewayError} for a target that lacks objects that the request refers to.
 */
export function nativeApiOf(
  request: FormatChat,
  target: Target,
  { allowsNative }: RequestFeatures,
  known?: Pick<ExplainContext, "clock" | "state">,
): NativeApi | undefined {
  const { provider: { adapter, settings }, model } = target;
  const api = allowsNative ? adapter.native?.(request.api, model, settings) : undefined;
  const isNative = api !== undefined && (api.accepts?.(request.body) ?? true);
  request.checkTarget?.(target, isNative);
  if (!isNative) return undefined;
  const isAbsent = api.mayBeAbsent && request.provesAbsence &&
    known?.state.lacksNative(target, known.clock.now());
  return isAbsent ? undefined : api;
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
    return answerReady(request, { format: readyFormat, stream });
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    const api = nativeApiOf(this.#request, target, this.#deps.features, context);
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
    const { answers, format, recorded } = this.#request.readNative(target, context);
    if (format !== undefined) context.attempt.format = format;
    const parts = {
      features: this.#deps.features,
      continuation: recorded && this.#toContinuation(recorded),
      onAbsent: api.mayBeAbsent && this.#request.provesAbsence
        ? this.#fallback(target, context)
        : undefined,
    };
    return andThen(
      this.#request.toNative(target, context.changes),
      (native) => prepareNative(api, { ...native, ...parts }, answers, target, context),
    );
  }

  /** Converts a request if the server lacks the API, and records this if it then answers. */
  #fallback(target: Target, context: PrepareContext): NonNullable<NativeRequest["onAbsent"]> {
    return async (session) => {
      const converted = await this.#prepareConverted(target, context);
      const result = await execute(converted, session);
      context.state.nativeIsAbsent(target, context.clock.now());
      return result;
    };
  }

  async #prepareConverted(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const operation = await this.#toChat(target, context.changes);
    context.attempt.format = operation.format;
    return await operation.prepare(target, context);
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const api = nativeApiOf(this.#request, target, this.#deps.features, context);
    if (api !== undefined) {
      const native = await this.#request.toNative(target, context.changes);
      const { features } = this.#deps;
      return explainNative(api, { ...native, features }, target, context);
    }
    if (this.#request.answerFor !== undefined) return { unsigned: undefined, rows: [] };
    const operation = await this.#toChat(target, context.changes);
    return operation.explain(target, context);
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
