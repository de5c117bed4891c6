/** A request of `generateContent`: sent unchanged to targets with this API, else converted. */

import type { CallerFormat, ConvertedRequest } from "../../../apis/chat/caller_format.ts";
import type { ChatRequest } from "../../../contract/chat.ts";
import { requestedOutput } from "../../../apis/chat/output_limits.ts";
import { countInput } from "../../../apis/chat/token_estimate.ts";
import type { Target } from "../../../config/config.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import type { TokenCounter, TokenFamily } from "../../../core/tokens/token_counter.ts";
import { toCountedContent, withoutOwnState } from "../../../apis/gemini/native_body.ts";
import { geminiFormat } from "../../../apis/gemini/format.ts";
import { memberOf } from "../../../apis/read_fields.ts";
import { nativeAnswers } from "../../../apis/gemini/native_answers.ts";
import { readGenerateRequest } from "../../../apis/gemini/read_request.ts";
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
import { answerReady } from "../ready_answer.ts";
import { explainNative, type NativeRequest, prepareNative } from "../native.ts";
import { withinDepth } from "../../../core/errors.ts";

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** One request: its body, and the values in its path. */
export interface GenerateRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly stream: boolean;
}

/** The operation of one request. */
export class GenerateOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #request: GenerateRequest;
  readonly #deps: ConversionDeps;
  readonly #format: CallerFormat;
  #converted: { readonly request: ConvertedRequest; readonly chat: ChatOperation } | undefined;
  #input: TokenCounter | undefined;
  #nativeBody: JsonObject | undefined;

  /** @param request with the members that every target needs checked */
  constructor(request: GenerateRequest, deps: ConversionDeps) {
    this.#request = request;
    this.#deps = deps;
    const thinking = memberOf(configOf(request.body), "thinkingConfig");
    const showsThoughts = isObject(thinking) && memberOf(thinking, "includeThoughts") === true;
    this.#format = geminiFormat({ showsThoughts });
  }

  estimate(family: TokenFamily): TokenEstimate {
    const { body } = this.#request;
    const config = configOf(body);
    return {
      input: (this.#input ??= countInput(toCountedContent(body), [body.tools])).tokens(family),
      ...requestedOutput(config),
    };
  }

  /** The converted request, once a target needed one. */
  get chat(): ChatRequest | undefined {
    return this.#converted?.request.chat;
  }

  answer(request: AskedRequest): Promise<ReadyResult | undefined> | undefined {
    if (!request.record.features.mayAnswer) return undefined;
    const style = { format: this.#format, stream: this.#request.stream };
    return answerReady(request, () => style);
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    const api = this.#nativeApiOf(target);
    return api === undefined
      ? this.#prepareConverted(target, context)
      : prepareNative(api, this.#native, nativeAnswers, target, context);
  }

  async #prepareConverted(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const operation = await this.#convert(context.changes);
    return await operation.prepare(target, context);
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const api = this.#nativeApiOf(target);
    if (api !== undefined) return explainNative(api, this.#native, target, context);
    const operation = await this.#convert(context.changes);
    return operation.explain(target, context);
  }

  /** The target's native API of this format, if it may be used. */
  #nativeApiOf({ provider, model }: Target): NativeApi | undefined {
    if (!this.#deps.features.allowsNative) return undefined;
    return provider.adapter.native?.("gemini", model, provider.settings);
  }

  get #native(): NativeRequest {
    const { body, stream } = this.#request;
    const { features } = this.#deps;
    const own = this.#nativeBody ??= withoutOwnState(body);
    return { body: own, headers: NO_HEADERS, features, stream };
  }

  /** The chat operation, for all targets that get a chat request. */
  async #convert(changes: RequestChanges): Promise<ChatOperation> {
    if (this.#converted === undefined) {
      const { body, ...target } = this.#request;
      const { images, features } = this.#deps;
      const request = withinDepth(() => readGenerateRequest(body, target));
      const read = await features.readChat(request.chat);
      const chat = new ChatOperation(read, this.#format, images, request.origins);
      this.#converted = { request, chat };
    }
    changes.include(this.#converted.request.changes);
    return this.#converted.chat;
  }
}

function configOf(body: JsonObject): JsonObject {
  const config = memberOf(body, "generationConfig");
  return isObject(config) ? config : {};
}
