/** A Responses request as an operation: each target gets it in the words that it knows. */

import type { CallerFormat } from "../../chat/caller_format.ts";
import type { ChatRequest, JsonObject } from "../../chat/chat.ts";
import type { Target } from "../../config/config.ts";
import { estimateInputTokens } from "../../governance/token_estimate.ts";
import type { NativeApi } from "../../providers/contract/native.ts";
import type { RequestReasoning } from "../../reasoning_state/carrier.ts";
import type {
  Operation,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../../routing/operation.ts";
import { ChatOperation } from "../../routing/operations/chat.ts";
import { prepareNative } from "../../routing/operations/native.ts";
import type { RequestImages } from "../../upstream/images/request_images.ts";
import type { PlacedItem } from "./conversation.ts";
import { createResponsesFormat } from "./format.ts";
import type { AnswerMemory } from "./memory.ts";
import { createNativeResponses } from "./native_answers.ts";
import {
  isReference,
  itemNotFound,
  madeElsewhere,
  pinOf,
  responseNotFound,
  toNativeBody,
} from "./native_body.ts";
import { inputItemsOf, type ResponsesRequest } from "./request.ts";
import { type ConvertedRequest, toChatRequest } from "./to_chat.ts";

/** The request for targets that know chat alone. */
interface Converted {
  readonly request: ConvertedRequest;
  readonly format: CallerFormat;
  readonly operation: ChatOperation;
}

/** What the gateway remembers of what a request refers to. */
interface Remembered {
  /** The conversation before the input; undefined if it is not here, or there is none. */
  readonly earlier: readonly JsonObject[] | undefined;
  /** The items that the input refers to, by their IDs. */
  readonly items: ReadonlyMap<string, JsonObject>;
}

/** What the conversion of one request needs. */
export interface ConversionTools {
  /** What has been downloaded for this request; kept between attempts. */
  readonly images: RequestImages;
  readonly memory: AnswerMemory;
  /** Reads the state that the IDs of tool calls carry. */
  readonly readReasoning: (chat: ChatRequest) => Promise<RequestReasoning>;
}

/** The operation of one request. */
export class ResponsesOperation implements Operation {
  readonly name = "chat";
  readonly #request: ResponsesRequest;
  readonly #tools: ConversionTools;
  readonly #pin: string | undefined;
  #remembered: Remembered | undefined;
  #converted: Converted | undefined;

  constructor(request: ResponsesRequest, tools: ConversionTools) {
    this.#request = request;
    this.#tools = tools;
    this.#pin = pinOf(request);
  }

  /** The parameters and messages, for traces; undefined for a request that was not converted. */
  get chat(): ChatRequest | undefined {
    return this.#converted?.request.chat;
  }

  estimate(): TokenEstimate {
    const { input, instructions, tools, text, max_output_tokens: maxOutput } = this.#request;
    return { input: estimateInputTokens([input, instructions, tools, text]), maxOutput };
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const { adapter, settings } = target.provider;
    const api = adapter.native?.("responses", target.model, settings);
    const isNative = api !== undefined && (api.accepts?.(this.#request) ?? true);
    if (this.#pin !== undefined && (!isNative || this.#pin !== settings.id)) {
      throw madeElsewhere(this.#pin);
    }
    if (isNative) return await this.#prepareNative(api, target, context);
    const { request, format, operation } = await this.#convert();
    for (const name of request.ignored) context.receipt.ignore(name);
    context.record.format = format;
    return await operation.prepare(target, context);
  }

  /** The chat request that targets get which know chat alone. */
  async toChat(): Promise<ChatRequest> {
    return (await this.#convert()).request.chat;
  }

  async #prepareNative(
    api: NativeApi,
    target: Target,
    context: PrepareContext,
  ): Promise<PreparedAttempt> {
    const { id } = target.provider.settings;
    const { earlier, items } = await this.#remember();
    const own = items.size === 0
      ? this.#request
      : { ...this.#request, input: this.#input(items).map(({ item }) => item) };
    const body = toNativeBody(own, earlier, id, context.receipt);
    const { answers, format } = createNativeResponses(id);
    context.record.format = format;
    const stream = this.#request.stream ?? false;
    return prepareNative(api, { body, headers: new Map(), stream }, answers, target, context);
  }

  async #convert(): Promise<Converted> {
    if (this.#converted !== undefined) return this.#converted;
    const { earlier, items } = await this.#remember();
    const { previous_response_id: previous, store } = this.#request;
    if (previous !== undefined && earlier === undefined) throw responseNotFound(previous);
    const input = this.#input(items);
    for (const { item, path } of input) if (isReference(item)) throw itemNotFound(item.id, path);
    const request = toChatRequest(this.#request, [
      ...(earlier ?? []).map((item) => ({ item, path: "previous_response_id" })),
      ...input,
    ]);
    const kept = input.map(({ item }) => item);
    const format = createResponsesFormat({
      request: this.#request,
      names: request.names,
      onAnswer: (response) => {
        if (store !== false) this.#tools.memory.keep({ response, input: kept });
      },
    });
    const reasoning = await this.#tools.readReasoning(request.chat);
    const operation = new ChatOperation(reasoning, format, this.#tools.images);
    return this.#converted = { request, format, operation };
  }

  /** The input, with the items that it refers to in the place of references. */
  #input(items: ReadonlyMap<string, JsonObject>): readonly PlacedItem[] {
    return inputItemsOf(this.#request).map((item, index) => ({
      item: isReference(item) ? items.get(item.id) ?? item : item,
      path: `input[${index}]`,
    }));
  }

  async #remember(): Promise<Remembered> {
    if (this.#remembered !== undefined) return this.#remembered;
    const { memory } = this.#tools;
    const { previous_response_id: previous } = this.#request;
    const ids = inputItemsOf(this.#request).filter(isReference).map(({ id }) => id);
    const isOurs = previous !== undefined && this.#pin === undefined;
    const earlier = isOurs ? await memory.conversation(previous) : undefined;
    return this.#remembered = { earlier, items: await memory.items(ids) };
  }
}
