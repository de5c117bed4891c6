/** Drops members of messages, of their content parts and of their tool calls, and reports them. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import type { Receipt } from "../contract/receipt.ts";

/** The owner of a member, as receipts name it. */
export type MemberPlace = "messages" | "messages.content" | "messages.tool_calls";

/** Whether a member is sent. */
export type MemberTest = (name: string, place: MemberPlace, owner: JsonObject) => boolean;

/** Messages with only these members. Unchanged messages are not copied. */
export function withMembers<Turn extends JsonObject>(
  turns: readonly Turn[],
  isSent: MemberTest,
  receipt: Receipt,
): readonly Turn[] {
  const only = <Owner>(owner: Owner, place: MemberPlace): Owner => {
    if (!isObject(owner) || !hasOther(owner, place, isSent)) return owner;
    const kept = Object.entries(owner).filter(([name, value]) => {
      const isKept = isSent(name, place, owner);
      if (!isKept && value != null) receipt.ignore(`${place}.${name}`);
      return isKept;
    });
    return Object.fromEntries(kept) as Owner;
  };
  const onlyIn = (entries: unknown, place: MemberPlace) =>
    Array.isArray(entries) ? mapChanged(entries, (entry) => only(entry, place)) : entries;
  return mapChanged(turns, (turn) => {
    const kept = only(turn, "messages");
    const content = onlyIn(kept.content, "messages.content");
    const tool_calls = onlyIn(kept.tool_calls, "messages.tool_calls");
    if (content === kept.content && tool_calls === kept.tool_calls) return kept;
    return {
      ...kept,
      ...(content !== kept.content && { content }),
      ...(tool_calls !== kept.tool_calls && { tool_calls }),
    };
  });
}

/** The same list if nothing in it changes. */
function mapChanged<Entry>(
  entries: readonly Entry[],
  change: (entry: Entry) => Entry,
): readonly Entry[] {
  const changed = entries.map(change);
  return changed.every((entry, at) => entry === entries[at]) ? entries : changed;
}

function hasOther(owner: JsonObject, place: MemberPlace, isSent: MemberTest): boolean {
  for (const name in owner) if (!isSent(name, place, owner)) return true;
  return false;
}
