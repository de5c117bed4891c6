/** A request of Ollama's API: sent unchanged to targets with this API, else converted. */

import type { CallerFormat, ConvertedRequest } from "../../../apis/chat/caller_format.ts";
import type { ChatRequest } from "../../../contract/chat.ts";
import { requestedOutput } from "../../../apis/chat/output_limits.ts";
import { countInput } from "../../../apis/chat/token_estimate.ts";
import type { Target } from "../../../config/config.ts";
import type { JsonObject } from "../../../core/json/object.ts";
import { toList, toObject } from "../../../core/json/values.ts";
import type { TokenCounter, TokenFamily } from "../../../core/tokens/token_counter.ts";
import {
  type AnswerShape,
  toContentMembers,
  toHead,
  type WriteOptions,
} from "../../../apis/ollama/stream_writer.ts";
import type { CheckedBody } from "../../../apis/ollama/converted_request.ts";
import { nativeAnswers, toCountedContent } from "../../../apis/ollama/native_answers.ts";
import { ollamaFormat } from "../../../apis/ollama/format.ts";
import { readChat, readGenerate } from "../../../apis/ollama/read_chat.ts";
import type { NativeApi } from "../../../contract/native.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
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
import { ChatOperation } from "../chat/chat_operation.ts";
import type { ConversionDeps } from "../conversion_deps.ts";
import { explainNative, type NativeRequest, prepareNative } from "../native.ts";
import { answerReady } from "../ready_answer.ts";
import { withinDepth } from "../../../core/errors.ts";

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** The reader of each kind of request. */
const READERS: Readonly<Record<AnswerShape, (body: unknown) => ConvertedRequest>> = {
  chat: readChat,
  generate: readGenerate,
};

/** A request, and the writer of its answer. */
export interface OllamaRequest extends CheckedBody {
  readonly options: WriteOptions;
}

/**
 * Whether a request only loads a model, or unloads it: it has no messages, or no prompt.
 * https://github.com/ollama/ollama/blob/main/docs/api.md#load-a-model (2026-08).
 */
export function isLoad({ messages, prompt, images }: JsonObject, shape: AnswerShape): boolean {
  if (shape === "chat") return toList(messages).length === 0;
  return (prompt == null || prompt === "") && toList(images).length === 0;
}

/** The operation of one request. */
export class OllamaOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #request: OllamaRequest;
  readonly #deps: ConversionDeps;
  readonly #format: CallerFormat;
  readonly #isLoad: boolean;
  #converted: { readonly request: ConvertedRequest; readonly chat: ChatOperation } | undefined;
  #input: TokenCounter | undefined;

  /** @param request with the members that every target needs checked */
  constructor(request: OllamaRequest, deps: ConversionDeps) {
    this.#request = request;
    this.#deps = deps;
    this.#format = ollamaFormat(request.options);
    this.#isLoad = isLoad(request.body, request.options.shape);
  }

  estimate(family: TokenFamily): TokenEstimate {
    if (this.#isLoad) return { input: 0, maxOutput: 0 };
    const { body } = this.#request;
    return {
      input: (this.#input ??= countInput(toCountedContent(body), [body.tools, body.format]))
        .tokens(family),
      ...requestedOutput(toObject(body.options)),
    };
  }

  /** The converted request, once a target needed one. */
  get chat(): ChatRequest | undefined {
    return this.#converted?.request.chat;
  }

  answer(request: AskedRequest): Promise<ReadyResult | undefined> | undefined {
    if (this.#isLoad || !request.record.features.mayAnswer) return undefined;
    const style = { format: this.#format, stream: this.#request.stream };
    return answerReady(request, () => style);
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    const api = this.#nativeApiOf(target);
    if (api !== undefined) return prepareNative(api, this.#native, nativeAnswers, target, context);
    return this.#isLoad
      ? this.#prepareLoaded(target, context)
      : this.#prepareConverted(target, context);
  }

  async #prepareConverted(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const operation = await this.#convert(context.changes);
    return await operation.prepare(target, context);
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const api = this.#nativeApiOf(target);
    if (api !== undefined) return explainNative(api, this.#native, target, context);
    if (this.#isLoad) return { unsigned: undefined, rows: [] };
    const operation = await this.#convert(context.changes);
    return operation.explain(target, context);
  }

  /** The target's native API of this format, if it may be used. */
  #nativeApiOf({ provider, model }: Target): NativeApi | undefined {
    if (!this.#deps.features.allowsNative) return undefined;
    return provider.adapter.native?.("ollama", model, provider.settings);
  }

  get #native(): NativeRequest {
    const { body, options, stream } = this.#request;
    const { features } = this.#deps;
    return {
      body,
      headers: NO_HEADERS,
      features,
      stream: stream && !this.#isLoad,
      adjust: (request) => ({ ...request, url: request.url.replace(/chat$/, options.shape) }),
    };
  }

  /** Answers at once, since other vendors have no models to load. */
  #prepareLoaded({ provider, model }: Target, { clock }: PrepareContext): PreparedAttempt {
    const { body: { keep_alive: kept }, options: { shape } } = this.#request;
    const created = Math.floor(clock.wallTime() / 1000);
    const content = { text: "", thinking: "", images: [], calls: [], logprobs: [] };
    const answer = {
      ...toHead({ id: "", created, model: model.upstream }),
      ...toContentMembers(content, shape),
      done: true,
      done_reason: kept === 0 ? "unload" : "load",
    };
    return {
      adapter: provider.adapter,
      stream: false,
      execute: () =>
        Promise.resolve({
          type: "text",
          text: JSON.stringify(answer),
          usage: undefined,
          outputChars: 0,
          summary: { id: "", model: "", finishReasons: [] },
        }),
    };
  }

  /** The chat operation, for all targets that get a chat request. */
  async #convert(changes: RequestChanges): Promise<ChatOperation> {
    if (this.#converted === undefined) {
      const { body, options } = this.#request;
      const { images, features } = this.#deps;
      const request = withinDepth(() => READERS[options.shape](body));
      const read = await features.readChat(request.chat);
      const chat = new ChatOperation(read, this.#format, images, request.origins);
      this.#converted = { request, chat };
    }
    changes.include(this.#converted.request.changes);
    return this.#converted.chat;
  }
}
