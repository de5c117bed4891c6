/** The caller's body for a native API, without other vendors' thinking and searches. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { isOwnSignature } from "./carried_state.ts";
import { isOwnSearch, withoutOwnCitations } from "./web_search.ts";

/**
 * Removes the thinking and the searches of other vendors' models: their signatures and contents are
 * not Anthropic's, so Anthropic would refuse them. A body without them is returned unchanged.
 */
export function withoutOwnState(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(hasForeign)) return body;
  const kept = messages.flatMap((message: unknown) => {
    if (!isObject(message) || !hasForeign(message)) return [message];
    const content = blocksOf(message).filter((block) => !isForeign(block))
      .map((block) => isObject(block) ? withoutOwnCitations(block) : block);
    return content.length > 0 ? [{ ...message, content }] : [];
  });
  return { ...body, messages: kept };
}

function blocksOf(message: unknown): readonly unknown[] {
  return isObject(message) && Array.isArray(message.content) ? message.content : [];
}

function hasForeign(message: unknown): boolean {
  return blocksOf(message).some((block) =>
    isForeign(block) || isObject(block) && withoutOwnCitations(block) !== block
  );
}

function isForeign(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block.type !== "thinking") return isOwnSearch(block);
  const { signature } = block;
  return !isText(signature) || isOwnSignature(signature);
}
