/**
 * The members of messages that OpenAI documents. It refuses others, at least some of them
 * (https://github.com/transitive-bullshit/agentic/issues/531, 2026-11-24).
 */

import type { JsonObject } from "../../chat/chat.ts";
import type { Call } from "../contract/adapter.ts";
import { type MemberTest, withMembers } from "../shared/message_members.ts";

/**
 * Members of messages and tool calls, of all roles and types
 * (https://github.com/openai/openai-node, ChatCompletionMessageParam, 7.57.0, 2026-11-24).
 */
const TURN = new Set([
  ...["role", "content", "name", "refusal", "audio", "tool_calls", "tool_call_id", "function_call"],
  // Answers have them, and they are accepted when they come back.
  "annotations",
]);
const CALL = new Set(["id", "type", "function", "custom"]);

/** Members of content parts by type. Parts of other types are not changed. */
const PARTS = new Map(
  ["text", "image_url", "input_audio", "file", "refusal"].map((type) => [
    type,
    new Set(["type", type, "prompt_cache_breakpoint"]),
  ]),
);

const isDocumented: MemberTest = (name, place, owner) => {
  if (place === "messages") return TURN.has(name);
  if (place === "messages.tool_calls") return CALL.has(name);
  return PARTS.get(String(owner.type))?.has(name) ?? true;
};

/** A body without other members of messages, such as those that clients add for themselves. */
export function withDocumentedTurns(body: JsonObject, { receipt }: Call): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  const plain = withMembers(messages as readonly JsonObject[], isDocumented, receipt);
  return plain === messages ? body : { ...body, messages: plain };
}
