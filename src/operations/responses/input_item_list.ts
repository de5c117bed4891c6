/** The input items of an answer that the gateway stores, as the API lists them. */

import { invalidValue } from "../../core/invalid_value.ts";
import { isObject, type JsonObject } from "../../chat/chat.ts";
import { isText } from "../../core/json/values.ts";
import type { KeptAnswer } from "./memory.ts";
import { itemNotFound } from "../../formats/responses/native_body.ts";
import { inputItemId, textPart } from "../../formats/responses/output_items.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/**
 * A page of the input items, the newest first unless `order` is `asc`.
 *
 * @param query with its `?`, or empty
 * @throws {GatewayError} `invalid_value` for a parameter, `response_not_found` for an unknown item.
 */
export function toInputItemList({ response, input }: KeptAnswer, query: string): JsonObject {
  const given = new URLSearchParams(query);
  const limit = given.get("limit") ?? String(DEFAULT_LIMIT);
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > MAX_LIMIT) {
    throw invalidValue("limit", `must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  const order = given.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw invalidValue("order", "must be 'asc' or 'desc'");
  const idOf = (item: JsonObject, index: number) =>
    isText(item.id) ? item.id : inputItemId(String(response.id), item, index);
  const ids = input.map(idOf);
  const positions = order === "asc" ? [...ids.keys()] : [...ids.keys()].reverse();
  const after = given.get("after");
  const last = after === null ? -1 : positions.findIndex((position) => ids[position] === after);
  if (after !== null && last === -1) throw itemNotFound(after, "after");
  const page = positions.slice(last + 1, last + 1 + Number(limit));
  const data = page.map((position) => toListed(input[position] ?? {}, ids[position] ?? ""));
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: last + 1 + page.length < positions.length,
  };
}

/** An item with its ID, and with parts instead of a text. */
function toListed(item: JsonObject, id: string): JsonObject {
  const { role, content } = item;
  if ((item.type ?? "message") !== "message") return { ...item, id };
  const isAnswer = role === "assistant";
  const parts = typeof content === "string"
    ? [isAnswer ? textPart(content) : { type: "input_text", text: content }]
    : content;
  return { type: "message", status: "completed", ...item, id, content: parts };
}

/** An item of the input by its ID. */
export function findInputItem(
  { response, input }: KeptAnswer,
  id: string,
  index: number,
): JsonObject | undefined {
  const item = input[index];
  if (!isObject(item)) return undefined;
  return inputItemId(String(response.id), item, index) === id ? item : undefined;
}
