/** One request in the form for each target: unchanged for those with this API, else converted. */

import type { CallerFormat } from "../../../apis/chat/caller_format.ts";
import type { JsonObject } from "../../../contract/chat.ts";
import type { Target } from "../../../config/config.ts";
import { countInput } from "../../../apis/chat/token_estimate.ts";
import type { TokenCounter, TokenFamily } from "../../../core/tokens/token_counter.ts";
import type { NativeApi } from "../../../contract/native.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import type { OnceStore } from "../../../memory/store.ts";
import type { StreamContinuation } from "../../operation.ts";
import type { FeaturedChat, RequestFeatures } from "../../request_features.ts";
import type { ConversionDeps } from "../conversion_deps.ts";
import { ChatOperation } from "../chat/chat_operation.ts";
import { ChatContinuation } from "../continuation/chat_continuation.ts";
import type { NativeRequest } from "../native.ts";
import { EARLIER, type PlacedItem } from "../../../apis/responses/conversation.ts";
import {
  type AnswerMemory,
  ExpansionBudget,
  type ItemsSize,
  type KeptConversation,
} from "./memory.ts";
import { createCompactionFormat } from "../../../apis/responses/compaction_format.ts";
import { createResponsesFormat } from "../../../apis/responses/format.ts";
import {
  duplicateItem,
  isReference,
  itemNotFound,
  madeElsewhere,
  pinOf,
  responseNotFound,
  toNativeBody,
} from "../../../apis/responses/native_body.ts";
import { sessionMark, type SessionName } from "../../feature_attempts.ts";
import { parseItemId, RESPONSE_PREFIX } from "../../../apis/responses/output_items.ts";
import type { ProviderIds } from "../../../apis/responses/provider_ids.ts";
import { type ConvertedRequest, toChatRequest } from "../../../apis/responses/to_chat.ts";
import type { ResponseRecord } from "../../../apis/responses/response_record.ts";
import { ToolNames } from "../../../apis/responses/tools.ts";
import { inputItemsOf, type ResponsesRequest } from "../../../apis/responses/request.ts";
import { NativeStream } from "../continuation/continuable_stream.ts";

/** The request for targets that support only chat. */
interface Converted {
  readonly request: ConvertedRequest;
  readonly format: CallerFormat;
  readonly chat: FeaturedChat;
  readonly operation: ChatOperation;
}

/** The stored answers and items that a request refers to. */
interface Remembered {
  /** The conversation before the input; undefined if it is not stored, or there is none. */
  readonly earlier: KeptConversation | undefined;
  /** The items that the input refers to, by their IDs. */
  readonly items: ReadonlyMap<string, JsonObject>;
}

/** The item that requests a summary. */
const TRIGGER: PlacedItem = { item: { type: "compaction_trigger" }, path: "input" };

const NOTHING: Remembered = { earlier: undefined, items: new Map() };

/** The dependencies of an operation. */
export interface ResponsesDeps extends ConversionDeps {
  readonly memory: AnswerMemory;
  /** The IDs of providers that the caller may use. */
  readonly ids: ProviderIds;
  /** The session in the IDs of new responses, if the model has session affinity. */
  readonly session: SessionName | undefined;
  /** The owner of the service key. */
  readonly owner: string;
  /** The charges for unfinished answers. */
  readonly unsettled: OnceStore;
  /** Milliseconds since the Unix epoch. */
  readonly wallTime: () => number;
  /** The budget for stored items. */
  readonly room: () => ItemsSize;
}

/** The request in the form for each target. */
export class TargetRequests {
  readonly features: RequestFeatures;
  readonly stream: boolean;
  readonly #request: ResponsesRequest;
  readonly #deps: ResponsesDeps;
  readonly #pin: string | undefined;
  readonly #remembered: Remembered;
  #counted: TokenCounter | undefined;
  #converted: Converted | undefined;

  /** @param pin the only provider that may get the request, if there is one */
  constructor(
    request: ResponsesRequest,
    deps: ResponsesDeps,
    pin: string | undefined,
    remembered: Remembered,
  ) {
    this.features = deps.features;
    this.stream = request.stream ?? false;
    this.#request = request;
    this.#deps = deps;
    this.#pin = pin;
    this.#remembered = remembered;
  }

  /** The request for targets that support only chat, once it was needed. */
  get converted(): ConvertedRequest | undefined {
    return this.#converted?.request;
  }

  /** The estimated tokens of the input for a family of models, stored items included. */
  estimateInput(family: TokenFamily): number {
    return (this.#counted ??= this.#countInput()).tokens(family);
  }

  #countInput(): TokenCounter {
    const { input, instructions, tools, text } = this.#request;
    const { earlier, items } = this.#remembered;
    const stored = [earlier?.items, [...items.values()]];
    return countInput([input, instructions, stored], [tools, text]);
  }

  /**
   * The target's Responses API, if it supports this request.
   *
   * @throws {GatewayError} `response_not_found` for a target that did not create the referenced
   * objects.
   */
  nativeApiOf({ provider: { adapter, settings }, model }: Target): NativeApi | undefined {
    const api = adapter.native?.("responses", model, settings);
    const isNative = api !== undefined && this.#deps.features.allowsNative &&
      (api.accepts?.(this.#request) ?? true);
    if (this.#pin !== undefined && (!isNative || this.#pin !== settings.id)) {
      throw madeElsewhere(this.#pin);
    }
    return isNative ? api : undefined;
  }

  /** The request for a target with this API. @throws {GatewayError} as {@linkcode toNativeBody}. */
  async toNative({ provider }: Target, changes: RequestChanges): Promise<NativeRequest> {
    const { earlier, items } = this.#remembered;
    const own = items.size === 0
      ? this.#request
      : { ...this.#request, input: this.#input(items).map(({ item }) => item) };
    const context = { ids: this.#deps.ids, provider: provider.settings.id, changes };
    const body = await toNativeBody(own, earlier?.items, context);
    const { features, stream } = this;
    return { body, headers: new Map(), stream, features };
  }

  /**
   * The request for targets that support only chat.
   *
   * @throws {GatewayError} as {@linkcode toChatRequest}, and `response_not_found` for stored
   * answers.
   */
  async convert(): Promise<Converted> {
    return this.#converted ??= await this.#convert([]);
  }

  /**
   * The request to compact the conversation, for targets that support only chat.
   *
   * @throws {GatewayError} as {@linkcode convert}.
   */
  async compact(): Promise<Converted> {
    return this.#converted ??= await this.#convert([TRIGGER]);
  }

  /** @param further items after the input */
  async #convert(further: readonly PlacedItem[]): Promise<Converted> {
    const { earlier, items } = this.#remembered;
    const { previous_response_id: previous, store } = this.#request;
    if (previous !== undefined && earlier === undefined) throw responseNotFound(previous);
    const input = this.#input(items);
    for (const { item, path } of input) if (isReference(item)) throw itemNotFound(item.id, path);
    const isEndpoint = further.length > 0;
    const { stream: _, ...unary } = this.#request;
    const request = toChatRequest(isEndpoint ? unary as ResponsesRequest : this.#request, [
      ...(earlier?.items ?? []).map((item) => ({ item, path: EARLIER })),
      ...input,
      ...further,
    ]);
    const kept = input.map(({ item }) => item);
    const context = {
      request: this.#request,
      names: request.names,
      wallTime: this.#deps.wallTime,
      onAnswer: (response: JsonObject) => {
        if (store !== false) {
          const { model } = this.#request;
          this.#deps.memory.keep({ response, model, input: kept, earlier: earlier?.ids ?? [] });
        }
      },
    };
    const { session } = this.#deps;
    const base: CallerFormat = {
      ...createResponsesFormat(context),
      ...(session && { idPrefix: `${RESPONSE_PREFIX}${sessionMark(session)}_` }),
    };
    const format = request.compacts
      ? createCompactionFormat(base, { ...context, isEndpoint })
      : base;
    const chat = await this.#deps.features.readChat(request.chat);
    const operation = new ChatOperation(
      chat,
      format,
      this.#deps.images,
      request.origins,
    );
    return { request, format, chat, operation };
  }

  /**
   * Whether another target may continue its stream. The vendor's ID of a stored answer would then
   * be invalid.
   */
  get isContinuable(): boolean {
    const { store, text } = this.#request;
    const format = text?.format?.type ?? "text";
    return store === false && this.#pin === undefined && format === "text";
  }

  /** Continues a stream of a target with this API at one that gets a chat request. */
  toContinuation(record: ResponseRecord, format: CallerFormat): StreamContinuation {
    const { images, wallTime } = this.#deps;
    const stream = new NativeStream({
      record,
      isPlain: () => this.isContinuable,
      format,
      createWriter: () => {
        const names = this.converted?.names ?? new ToolNames();
        return record.createWriter({ request: this.#request, names, wallTime, onEnd() {} });
      },
    });
    return new ChatContinuation({
      chat: async (_, changes) => {
        const { chat, request } = await this.convert();
        for (const name of request.ignored) changes.ignore(name);
        return chat;
      },
      create: (chat, own) => new ChatOperation(chat, own, images),
    }, stream);
  }

  /** The input, with references replaced by the items that they refer to. */
  #input(items: ReadonlyMap<string, JsonObject>): readonly PlacedItem[] {
    return inputItemsOf(this.#request).map((item, index) => ({
      item: isReference(item) ? items.get(item.id) ?? item : item,
      path: `input[${index}]`,
    }));
  }
}

/**
 * Finds the stored items that a request refers to.
 *
 * @throws {GatewayError} `response_not_found` for IDs that do not belong to the caller,
 * `invalid_value` for an item that is referred to twice, `too_large` if the stored items exceed the
 * limits.
 */
export function createTargetRequests(
  request: ResponsesRequest,
  deps: ResponsesDeps,
): TargetRequests | Promise<TargetRequests> {
  const pin = pinOf(request, deps.ids);
  const create = (remembered: Remembered) => new TargetRequests(request, deps, pin, remembered);
  const previous = pin === undefined ? request.previous_response_id : undefined;
  const ids = referencesIn(request);
  if (previous === undefined && ids.length === 0) return create(NOTHING);
  return remember(previous, ids, deps).then(create);
}

/** The IDs of the stored items that a request refers to. */
function referencesIn(request: ResponsesRequest): readonly string[] {
  const { input } = request;
  if (!Array.isArray(input)) return [];
  const ids = new Set<string>();
  for (const [index, item] of input.entries()) {
    if (!isReference(item) || parseItemId(item.id) === undefined) continue;
    if (ids.has(item.id)) throw duplicateItem(item.id, `input[${index}]`);
    ids.add(item.id);
  }
  return [...ids];
}

async function remember(
  previous: string | undefined,
  ids: readonly string[],
  { memory, room }: ResponsesDeps,
): Promise<Remembered> {
  const budget = new ExpansionBudget(room());
  const earlier = previous === undefined ? undefined : await memory.conversation(previous, budget);
  return { earlier, items: await memory.items(ids, budget) };
}
