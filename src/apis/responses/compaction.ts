/**
 * Compaction for targets that support only chat: the model writes a summary, which is the only item
 * of the output. Clients send the item back in place of the conversation.
 *
 * https://developers.openai.com/api/docs/guides/compaction (2026-11-25).
 */

import { isObject, type JsonObject, type Message } from "../../contract/chat.ts";
import { isText } from "../../core/json/values.ts";

/** The types under which clients send a summary back: Codex writes the second one. */
const TYPES: ReadonlySet<unknown> = new Set(["compaction", "compaction_summary"]);

/** The prefix of every summary that the gateway encodes. */
const TAG = "sluice-c1.";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The last message of a conversation to compact. */
export const SUMMARY_REQUEST: Message = {
  role: "user",
  content:
    "Summarize this conversation, so that it can continue from the summary alone. Keep the " +
    "user's requests and decisions, what was done and found, the names, paths, commands and values " +
    "that are still needed, and the next steps. Reply with the summary only, and call no tool.",
};

/** The text that replaces the conversation for the model. */
const HEADING = "Summary of the conversation so far:\n\n";

/** Creates the item for a summary. */
export function toCompactionItem(id: string, summary: string): JsonObject {
  const encrypted_content = TAG + encoder.encode(summary).toBase64({ alphabet: "base64url" });
  return { id, type: "compaction", encrypted_content };
}

/** The summary that an item holds, as a text for the model; undefined if a vendor wrote it. */
export function readCompaction(item: unknown): string | undefined {
  if (!isObject(item) || !TYPES.has(item.type)) return undefined;
  const { encrypted_content: packed } = item;
  if (!isText(packed) || !packed.startsWith(TAG)) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(packed.slice(TAG.length), { alphabet: "base64url" });
    return HEADING + decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
