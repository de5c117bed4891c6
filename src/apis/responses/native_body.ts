/** The request body for a provider that has the Responses API. */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { TimeSlice } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import { readCompaction } from "./compaction.ts";
import {
  ITEM_MEMBERS,
  namesProvider,
  type ProviderIds,
  withOwnAnnotations,
  withOwnContainers,
} from "./provider_ids.ts";
import { isPacked, parseItemId } from "./output_items.ts";
import { inputItemsOf, type ResponsesRequest } from "./request.ts";

/**
 * The provider that a request must be sent to, because it refers to its answers or items.
 *
 * @throws {GatewayError} `response_not_found` for a provider's ID that does not belong to the
 * caller.
 */
export function pinOf(request: ResponsesRequest, ids: ProviderIds): string | undefined {
  const { previous_response_id: previous, conversation } = request;
  if (previous !== undefined && namesProvider(previous)) {
    const owned = ids.read(previous);
    if (owned === undefined) throw responseNotFound(previous);
    return owned.provider;
  }
  const named = conversationIdOf(conversation);
  if (named !== undefined && namesProvider(named)) return toConversation(named, ids).provider;
  if (typeof request.input === "string") return undefined;
  for (const [index, item] of inputItemsOf(request).entries()) {
    if (!isReference(item) || !namesProvider(item.id)) continue;
    const owned = ids.read(item.id);
    if (owned === undefined) throw itemNotFound(item.id, `input[${index}]`);
    return owned.provider;
  }
  return undefined;
}

/** The inputs for the body for one provider. */
export interface NativeBodyContext {
  readonly ids: ProviderIds;
  readonly provider: string;
  readonly changes: RequestChanges;
}

/**
 * Creates the body for one provider: with the provider's IDs, and without other providers' items.
 *
 * @param earlier items stored by the gateway, which precede the input
 * @throws {GatewayError} `response_not_found` for an item of another provider, and for IDs that do
 * not belong to the caller.
 */
export async function toNativeBody(
  request: ResponsesRequest,
  earlier: readonly JsonObject[] | undefined,
  context: NativeBodyContext,
): Promise<JsonObject> {
  const { models: _, ...body }: JsonObject = request;
  const { ids, provider } = context;
  const { previous_response_id: previous, conversation, tools } = request;
  if (earlier !== undefined) {
    delete body.previous_response_id;
    body.input = [...earlier, ...inputItemsOf(request)];
  } else if (previous !== undefined) {
    const owned = ids.read(previous);
    if (owned === undefined) throw responseNotFound(previous);
    body.previous_response_id = owned.id;
  }
  const named = conversationIdOf(conversation);
  if (named !== undefined) {
    const { id, provider: maker = provider } = toConversation(named, ids);
    if (maker !== provider) throw conversationNotFound(named);
    body.conversation = isObject(conversation) ? { ...conversation, id } : id;
  }
  if (tools !== undefined) body.tools = withOwnContainers(tools, context);
  if (Array.isArray(body.input)) body.input = await toOwnItems(body.input, context);
  return body;
}

/** Checking an ID takes microseconds, and there may be many. */
async function toOwnItems(
  input: readonly JsonObject[],
  context: NativeBodyContext,
): Promise<JsonObject[]> {
  const slice = new TimeSlice();
  const items: JsonObject[] = [];
  for (const item of ownItems(input, context)) {
    if (item !== undefined) items.push(item);
    if (slice.isOver) await slice.next();
  }
  return items;
}

/** The items with their providers' IDs. Exported for tests. */
export function* ownItems(
  input: readonly JsonObject[],
  context: NativeBodyContext,
): Iterable<JsonObject | undefined> {
  for (const [index, item] of input.entries()) {
    yield toOwnItem(item, `input[${index}]`, context);
  }
}

/** An item with the provider's own ID; undefined for one that only another provider can read. */
function toOwnItem(
  item: JsonObject,
  path: string,
  context: NativeBodyContext,
): JsonObject | undefined {
  if (item.type === "web_search_call" && typeof item.id === "string" && isOther(item.id, context)) {
    // The provider would reject it without its ID; the answer that it led to follows.
    context.changes.ignore("input.web_search_call");
    return undefined;
  }
  const summary = readCompaction(item);
  if (summary !== undefined) return { type: "message", role: "user", content: summary };
  const own = withOwnAnnotations(toOwnIds(item, path, context), path, context);
  if (item.type !== "reasoning") return own;
  const isForeign = typeof item.id === "string" && isOther(item.id, context);
  // It is sent without its ID: its content is complete.
  const isEmpty = "id" in item && !("id" in own) && !item.encrypted_content;
  if (!isForeign && !isEmpty && !isPacked(item.encrypted_content)) return own;
  // Only the provider that encrypted it can read it.
  context.changes.ignore("input.reasoning");
  return undefined;
}

function toOwnIds(item: JsonObject, path: string, context: NativeBodyContext): JsonObject {
  const { ids, provider, changes } = context;
  let own = item;
  for (const name of ITEM_MEMBERS) {
    const id = item[name];
    if (typeof id !== "string") continue;
    const owned = isOther(id, context) ? undefined : ids.read(id);
    if (owned?.id === id) continue;
    if (owned !== undefined && (owned.provider ?? provider) === provider) {
      own = { ...own, [name]: owned.id };
      continue;
    }
    if (name !== "id" || item.type === "item_reference") throw itemNotFound(id, path);
    if (!isOther(id, context)) changes.ignore("input.id");
    const { id: _, ...rest } = own;
    own = rest;
  }
  return own;
}

/** Whether an ID was created by another provider, or by the gateway. */
function isOther(id: string, { provider }: NativeBodyContext): boolean {
  if (namesProvider(id)) return !id.endsWith(`@${provider}`);
  return parseItemId(id) !== undefined;
}

function conversationIdOf(conversation: unknown): string | undefined {
  const id = isObject(conversation) ? conversation.id : conversation;
  return typeof id === "string" ? id : undefined;
}

function toConversation(id: string, ids: ProviderIds) {
  const owned = ids.read(id);
  if (owned === undefined) throw conversationNotFound(id);
  return owned;
}

function conversationNotFound(id: string): GatewayError {
  return new GatewayError(
    "response_not_found",
    `Conversation with id '${id.slice(0, MAX_ID)}' not found`,
    { param: "conversation" },
  );
}

/** The maximum length of an ID in a message, in characters. */
const MAX_ID = 100;

/** OpenAI's error for an item that is not stored. */
export function itemNotFound(id: string, param: string): GatewayError {
  return new GatewayError(
    "response_not_found",
    `Item with id '${
      id.slice(0, MAX_ID)
    }' not found. Answers are kept for a limited time, and not ` +
      "at all when `store` is set to false. Send the items themselves, and set `store` to false",
    { param },
  );
}

/**
 * The error for an item that a request refers to twice, which OpenAI also rejects
 * (https://github.com/mastra-ai/mastra/issues/21409, 2026-11-24).
 */
export function duplicateItem(id: string, param: string): GatewayError {
  return new GatewayError(
    "invalid_value",
    `Duplicate item with id '${id.slice(0, MAX_ID)}': refer to each item once`,
    { param },
  );
}

/** OpenAI's error for a response that is not stored. */
export function responseNotFound(id: string): GatewayError {
  return new GatewayError(
    "response_not_found",
    `Previous response with id '${
      id.slice(0, MAX_ID)
    }' not found. Answers are kept for a limited ` +
      "time, and not at all when `store` is set to false. Send the items of the conversation as " +
      "`input`, and set `store` to false",
    { param: "previous_response_id", code: "previous_response_not_found" },
  );
}

/** The error for a target whose provider did not generate the answer that the request refers to. */
export function madeElsewhere(provider: string): GatewayError {
  return new GatewayError(
    "response_not_found",
    `The request refers to an answer of the provider '${provider}', which the model does not reach ` +
      `through the Responses API: ask for a model of that provider, such as 'MODEL@${provider}'`,
    { param: "previous_response_id", code: "previous_response_not_found" },
  );
}

/** Whether an item is a reference to an item of an earlier answer. */
export function isReference(item: unknown): item is JsonObject & { id: string } {
  return isObject(item) && item.type === "item_reference" && typeof item.id === "string";
}
