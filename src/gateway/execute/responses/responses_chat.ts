/** A request of the Responses API, with the stored answers and items that it refers to. */

import type { CallerFormat } from "../../../apis/chat/caller_format.ts";
import { requestedOutput } from "../../../apis/chat/output_limits.ts";
import { countInput, inputEstimate } from "../../../apis/chat/token_estimate.ts";
import { createCompactionFormat } from "../../../apis/responses/compaction_format.ts";
import { EARLIER, type PlacedItem } from "../../../apis/responses/conversation.ts";
import { createResponsesFormat } from "../../../apis/responses/format.ts";
import { createNativeResponses } from "../../../apis/responses/native_answers.ts";
import {
  duplicateItem,
  isReference,
  itemNotFound,
  madeElsewhere,
  pinOf,
  responseNotFound,
  toNativeBody,
} from "../../../apis/responses/native_body.ts";
import { parseItemId, RESPONSE_PREFIX } from "../../../apis/responses/output_items.ts";
import type { ProviderIds } from "../../../apis/responses/provider_ids.ts";
import { inputItemsOf, type ResponsesRequest } from "../../../apis/responses/request.ts";
import { ResponseRecord } from "../../../apis/responses/response_record.ts";
import { type ConvertedResponses, toChatRequest } from "../../../apis/responses/to_chat.ts";
import { ToolNames } from "../../../apis/responses/tools.ts";
import type { JsonObject } from "../../../contract/chat.ts";
import type { VendorRequest } from "../../../contract/vendor_request.ts";
import type { OnceStore } from "../../../memory/store.ts";
import { sessionMark, type SessionName } from "../../feature_attempts.ts";
import type { PrepareContext } from "../../operation.ts";
import type { ConversionDeps } from "../create_operation.ts";
import type { FormatChat, NativeReading } from "../native_or_converted.ts";
import {
  type AnswerMemory,
  ExpansionBudget,
  type ItemsSize,
  type KeptConversation,
} from "./memory.ts";
import { NewAnswer } from "./unsettled.ts";

/** The dependencies of a request. */
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

/** The stored answers and items that a request refers to. */
interface Remembered {
  /** The conversation before the input; undefined if it is not stored, or there is none. */
  readonly earlier: KeptConversation | undefined;
  /** The items that the input refers to, by their IDs. */
  readonly items: ReadonlyMap<string, JsonObject>;
}

/** A request whose references have been looked up. */
export interface ResolvedRequest extends Remembered {
  readonly request: ResponsesRequest;
  readonly deps: ResponsesDeps;
  /** The only provider that may get the request, if there is one. */
  readonly pin: string | undefined;
}

/** The request for targets that support only chat, and the format of its answer. */
interface Conversion {
  readonly request: ConvertedResponses;
  readonly format: CallerFormat;
}

/** The item that requests a summary. */
const TRIGGER: PlacedItem = { item: { type: "compaction_trigger" }, path: "input" };

const NOTHING: Remembered = { earlier: undefined, items: new Map() };

/**
 * A request for a response.
 *
 * @param further items after the input
 */
export function toResponsesChat(
  resolved: ResolvedRequest,
  further: readonly PlacedItem[] = [],
): FormatChat {
  const { request, deps: { ids }, pin, earlier, items } = resolved;
  const { instructions, stream = false, text, tools } = request;
  const estimate = inputEstimate(() => {
    const stored = [earlier?.items, [...items.values()]];
    return countInput([request.input, instructions, stored], [tools, text]);
  });
  let converted: Conversion | undefined;
  const conversion = () => converted ??= convert(resolved, further);
  return {
    api: "responses",
    body: request,
    stream,
    estimate: (family) => ({
      input: estimate(family),
      maxOutput: requestedOutput(request).maxOutput,
    }),
    readyFormat: () => conversion().format,
    checkTarget: pin === undefined ? undefined : ({ provider }, isNative) => {
      if (!isNative || pin !== provider.settings.id) throw madeElsewhere(pin);
    },
    provesAbsence: true,
    async toNative({ provider }, changes) {
      const own = items.size === 0
        ? request
        : { ...request, input: inputOf(resolved).map(({ item }) => item) };
      const context = { ids, provider: provider.settings.id, changes };
      return { body: await toNativeBody(own, earlier?.items, context), stream };
    },
    readNative: ({ provider }, context) =>
      readNative(resolved, provider.settings.id, context, () => converted?.request.names),
    convert: () => conversion().request,
    formatFor: () => conversion().format,
  };
}

/** A request to compact a conversation. No feature answers it. */
export function toCompaction(resolved: ResolvedRequest): FormatChat {
  const { deps: { ids } } = resolved;
  const chat = toResponsesChat(resolved, [TRIGGER]);
  return {
    ...chat,
    stream: false,
    estimate: (family) => ({ ...chat.estimate(family), maxOutput: undefined }),
    readyFormat: undefined,
    provesAbsence: false,
    async toNative(target, changes) {
      const { body } = await chat.toNative(target, changes);
      return { body, stream: false, adjust: toCompact, withoutParams: true };
    },
    readNative: ({ provider }) => createNativeResponses(ids.marker(provider.settings.id)),
  };
}

function toCompact(created: VendorRequest): VendorRequest {
  const url = new URL(created.url);
  url.pathname += "/compact";
  return { ...created, url: url.href };
}

/**
 * Reads the answers of a provider with the API.
 *
 * @param namesOf the names of tools, if the request was converted for another target
 */
function readNative(
  { request, deps: { ids, owner, unsettled, wallTime }, pin }: ResolvedRequest,
  provider: string,
  { attempt, record }: PrepareContext,
  namesOf: () => ToolNames | undefined,
): NativeReading {
  // A vendor may finish a background answer after the request.
  const pending = request.background ? new NewAnswer(attempt, record, owner, unsettled) : undefined;
  const { answers, format } = createNativeResponses(
    ids.marker(provider),
    pending && ((response) => pending.seen(response)),
  );
  // If another target continued a stored answer, the vendor's ID would be invalid.
  const isContinuable = request.store === false && pin === undefined &&
    (request.text?.format?.type ?? "text") === "text";
  if (!isContinuable || !record.continuesStreams) return { answers, format };
  const events = new ResponseRecord();
  const recorded = {
    record: events,
    isPlain: () => true,
    format,
    createWriter: () =>
      events.createWriter({ request, names: namesOf() ?? new ToolNames(), wallTime, onEnd() {} }),
  };
  const writeStreamError: CallerFormat["writeStreamError"] = (error, requestId) =>
    events.fail(error) ?? format.writeStreamError(error, requestId);
  return { answers, format: { ...format, writeStreamError }, recorded };
}

/**
 * Converts a request for targets that support only chat.
 *
 * @throws {GatewayError} as {@linkcode toChatRequest}, and `response_not_found` for stored answers.
 */
function convert(resolved: ResolvedRequest, further: readonly PlacedItem[]): Conversion {
  const { request, deps, earlier } = resolved;
  const { model, previous_response_id: previous, store } = request;
  if (previous !== undefined && earlier === undefined) throw responseNotFound(previous);
  const input = inputOf(resolved);
  for (const { item, path } of input) if (isReference(item)) throw itemNotFound(item.id, path);
  const isEndpoint = further.length > 0;
  const { stream: _, ...unary } = request;
  const converted = toChatRequest(isEndpoint ? unary as ResponsesRequest : request, [
    ...(earlier?.items ?? []).map((item) => ({ item, path: EARLIER })),
    ...input,
    ...further,
  ]);
  const context = {
    request,
    names: converted.names,
    wallTime: deps.wallTime,
    onAnswer(response: JsonObject) {
      if (store === false) return;
      const items = input.map(({ item }) => item);
      deps.memory.keep({ response, model, input: items, earlier: earlier?.ids ?? [] });
    },
  };
  const { session } = deps;
  const base: CallerFormat = {
    ...createResponsesFormat(context),
    ...(session && { idPrefix: `${RESPONSE_PREFIX}${sessionMark(session)}_` }),
  };
  const format = converted.compacts
    ? createCompactionFormat(base, { ...context, isEndpoint })
    : base;
  return { request: converted, format };
}

/** The input, with references replaced by the items that they refer to. */
function inputOf({ request, items }: ResolvedRequest): readonly PlacedItem[] {
  return inputItemsOf(request).map((item, index) => ({
    item: isReference(item) ? items.get(item.id) ?? item : item,
    path: `input[${index}]`,
  }));
}

/**
 * Looks up the stored items that a request refers to.
 *
 * @throws {GatewayError} `response_not_found` for IDs that do not belong to the caller,
 * `invalid_value` for an item that is referred to twice, `too_large` if the stored items exceed the
 * limits.
 */
export function resolve(
  request: ResponsesRequest,
  deps: ResponsesDeps,
): ResolvedRequest | Promise<ResolvedRequest> {
  const pin = pinOf(request, deps.ids);
  const previous = pin === undefined ? request.previous_response_id : undefined;
  const ids = referencesIn(request);
  const known = { request, deps, pin };
  if (previous === undefined && ids.length === 0) return { ...known, ...NOTHING };
  return remember(previous, ids, deps).then((remembered) => ({ ...known, ...remembered }));
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
