/** The caller's body for a native API: without what another target said in the same conversation. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { isOwnSignature } from "./carried_state.ts";

/**
 * The body without thinking that other vendors' models made: its signatures are not Anthropic's, and
 * would be refused. A body without such thinking is returned as it is.
 */
export function withoutOwnState(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(hasForeignThinking)) return body;
  const kept = messages.flatMap((message: unknown) => {
    if (!isObject(message) || !hasForeignThinking(message)) return [message];
    const content = blocksOf(message).filter((block) => !isForeignThinking(block));
    return content.length > 0 ? [{ ...message, content }] : [];
  });
  return { ...body, messages: kept };
}

function blocksOf(message: unknown): readonly unknown[] {
  return isObject(message) && Array.isArray(message.content) ? message.content : [];
}

function hasForeignThinking(message: unknown): boolean {
  return blocksOf(message).some(isForeignThinking);
}

function isForeignThinking(block: unknown): boolean {
  if (!isObject(block) || block.type !== "thinking") return false;
  const { signature } = block;
  return !isText(signature) || isOwnSignature(signature);
}
