/** The body of a request for a provider that has the Responses API itself. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import { parseItemId } from "./output_items.ts";
import { parseOwnedId } from "./provider_ids.ts";
import { isPacked } from "./reasoning_state.ts";
import { inputItemsOf, type ResponsesRequest } from "./request.ts";

/** The provider that a request must go to, because the request refers to its answers or items. */
export function pinOf(request: ResponsesRequest): string | undefined {
  const { previous_response_id: previous } = request;
  const pinned = previous === undefined ? undefined : parseOwnedId(previous).provider;
  if (pinned !== undefined || typeof request.input === "string") return pinned;
  for (const { type, id } of inputItemsOf(request)) {
    const { provider } = type === "item_reference" && typeof id === "string"
      ? parseOwnedId(id)
      : { provider: undefined };
    if (provider !== undefined) return provider;
  }
  return undefined;
}

/**
 * The body for one provider: with its original IDs, and without other providers' items.
 *
 * @param earlier items that the gateway remembers, which precede the input
 * @throws {GatewayError} `response_not_found` for an item of another provider.
 */
export function toNativeBody(
  request: ResponsesRequest,
  earlier: readonly JsonObject[] | undefined,
  provider: string,
  receipt: Receipt,
): JsonObject {
  const { models: _, ...body }: JsonObject = request;
  const { previous_response_id: previous } = request;
  if (previous !== undefined) body.previous_response_id = parseOwnedId(previous).id;
  if (earlier !== undefined) {
    delete body.previous_response_id;
    body.input = [...earlier, ...inputItemsOf(request)];
  }
  if (Array.isArray(body.input)) {
    body.input = body.input.flatMap((item: JsonObject, index: number) =>
      toOwnItem(item, `input[${index}]`, provider, receipt)
    );
  }
  return body;
}

function toOwnItem(
  item: JsonObject,
  path: string,
  provider: string,
  receipt: Receipt,
): readonly JsonObject[] {
  const own = toOwnIds(item, path, provider);
  if (item.type !== "reasoning") return [own];
  const isForeign = typeof item.id === "string" && isOther(item.id, provider);
  if (!isForeign && !isPacked(item.encrypted_content)) return [own];
  // Only the provider that encrypted it can read it.
  receipt.ignore("input.reasoning");
  return [];
}

function toOwnIds(item: JsonObject, path: string, provider: string): JsonObject {
  const { id } = item;
  if (typeof id !== "string") return item;
  const owned = parseOwnedId(id);
  if (owned.provider === provider) return { ...item, id: owned.id };
  if (!isOther(id, provider)) return item;
  if (item.type === "item_reference") throw itemNotFound(id, path);
  const { id: _, ...rest } = item;
  return rest;
}

/** Whether an ID was made by another provider, or by the gateway. */
function isOther(id: string, provider: string): boolean {
  const owned = parseOwnedId(id);
  if (owned.provider !== undefined) return owned.provider !== provider;
  return parseItemId(id) !== undefined;
}

/** The maximum length of an ID in a message, in characters. */
const MAX_ID = 100;

/** OpenAI's error for an item that is not kept. */
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

/** OpenAI's error for a response that is not kept. */
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

/** The error for a target whose provider did not make the answer that the request refers to. */
export function madeElsewhere(provider: string): GatewayError {
  return new GatewayError(
    "response_not_found",
    `The request refers to an answer of the provider '${provider}', which does not serve this ` +
      "model through the Responses API",
    { param: "previous_response_id", code: "previous_response_not_found" },
  );
}

/** Whether an item is a reference to one of an earlier answer. */
export function isReference(item: unknown): item is JsonObject & { id: string } {
  return isObject(item) && item.type === "item_reference" && typeof item.id === "string";
}
