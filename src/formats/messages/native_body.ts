/** The caller's body for a native API, without other vendors' thinking. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { isOwnSignature } from "./carried_state.ts";

/**
 * Removes the thinking of other vendors' models: its signatures are not Anthropic's, so Anthropic
 * would refuse them. A body without such thinking is returned unchanged.
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
