/** The members of messages that OpenAI documents; it refuses others. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import type { Call } from "../contract/adapter.ts";

/** Members of messages (https://platform.openai.com/docs/api-reference/chat/create, 2026-11). */
const DOCUMENTED = new Set([
  "role",
  "content",
  "name",
  "refusal",
  "audio",
  "tool_calls",
  "tool_call_id",
  "function_call",
  // Answers have them, and they are accepted when they come back.
  "annotations",
]);

/** A body without other members of messages, such as those that clients add for themselves. */
export function withDocumentedTurns(body: JsonObject, { receipt }: Call): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(hasOthers)) return body;
  const plain = messages.map((turn: unknown) => {
    if (!isObject(turn) || !hasOthers(turn)) return turn;
    const entries = Object.entries(turn).filter(([name, value]) => {
      const isKept = DOCUMENTED.has(name);
      if (!isKept && value != null) receipt.ignore(`messages.${name}`);
      return isKept;
    });
    return Object.fromEntries(entries);
  });
  return { ...body, messages: plain };
}

function hasOthers(turn: unknown): boolean {
  for (const name in turn as JsonObject) if (!DOCUMENTED.has(name)) return true;
  return false;
}
