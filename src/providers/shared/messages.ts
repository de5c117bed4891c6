/**
 * Handles the legacy `functions` and `function_call`. Every answer contains `tool_calls`, and
 * OpenAI's answers also contain `function_call`. Callers may send back either or both.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import { type ChatRequest, type Message, textOf } from "../../contract/chat.ts";
import { isText } from "../../core/json/values.ts";

/** The owner of a member, for receipts. */
type MemberPlace = "messages" | "messages.content" | "messages.tool_calls";

/** Whether a member is sent. */
export type MemberTest = (name: string, place: MemberPlace, owner: JsonObject) => boolean;

/** Removes all other members from messages. Unchanged messages are not copied. */
export function withMembers<Turn extends JsonObject>(
  turns: readonly Turn[],
  isSent: MemberTest,
  changes: RequestChanges,
): readonly Turn[] {
  const only = <Owner>(owner: Owner, place: MemberPlace): Owner => {
    if (!isObject(owner) || !hasOther(owner, place, isSent)) return owner;
    const kept = Object.entries(owner).filter(([name, value]) => {
      const isKept = isSent(name, place, owner);
      if (!isKept && value != null) changes.ignore(`${place}.${name}`);
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

/** Returns the same list if nothing in it changes. */
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

/** Consecutive content of one role, as blocks in the vendor's format. */
export interface Turn<Role, Block> {
  readonly role: Role;
  readonly blocks: readonly Block[];
}

/** Joins consecutive turns of the same role and removes turns without blocks. */
export function mergeTurns<Role, Block>(
  turns: readonly Turn<Role, Block>[],
): Turn<Role, Block>[] {
  const merged: { role: Role; blocks: Block[] }[] = [];
  let last: { role: Role; blocks: Block[] } | undefined;
  for (const { role, blocks } of turns) {
    if (blocks.length === 0) continue;
    if (last?.role === role) { for (const block of blocks) last.blocks.push(block); }
    else merged.push(last = { role, blocks: blocks.slice() });
  }
  return merged;
}

/** The path of a content part in the request, or of the whole content if `part` is omitted. */
export function contentPath(message: number, part?: number): string {
  return part === undefined
    ? `messages[${message}].content`
    : `messages[${message}].content[${part}]`;
}

/**
 * Whether any message mentions JSON. Without this, a model in JSON mode may never end its answer.
 */
export function mentionsJson(messages: readonly Message[]): boolean {
  return messages.some(({ content }) => /json/i.test(textOf(content)));
}

/**
 * Converts `function_call` and messages of role `function` to tool calls and results. Every message
 * keeps its index, so that paths in errors remain valid.
 */
export function withoutLegacy(messages: readonly Message[]): readonly Message[] {
  let id = "";
  return withoutDuplicateCalls(messages).map((message, index): Message => {
    if (message.role === "assistant" && message.function_call != null) {
      const { function_call, ...turn } = message;
      id = `call_${index}`;
      const call = { id, type: "function" as const, function: function_call };
      return { ...turn, tool_calls: [...(turn.tool_calls ?? []), call] };
    }
    if (message.role !== "function") return message;
    return { role: "tool", tool_call_id: id, content: message.content ?? "" };
  });
}

/**
 * Removes duplicate calls: a message with both `function_call` and `tool_calls` keeps the one to
 * which its result refers.
 */
export function withoutDuplicateCalls(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(hasFunctionCall)) return messages;
  return messages.map((message, index): Message => {
    if (message.role !== "assistant" || message.function_call == null) return message;
    const { function_call, tool_calls, ...turn } = message;
    // Some servers send an empty call with every answer. A call without a name is ignored.
    if (function_call.name === "") return tool_calls == null ? turn : { ...turn, tool_calls };
    if (tool_calls == null) return message;
    return messages[index + 1]?.role === "function"
      ? { ...turn, function_call }
      : { ...turn, tool_calls };
  });
}

/**
 * Adds `tool_calls` for a legacy `function_call`, since every answer must have them. Removes a call
 * without a name, except in a delta, which may continue an earlier call.
 */
export function addToolCalls(message: JsonObject, isDelta: boolean): void {
  const { function_call: call } = message;
  if (!isObject(call)) return;
  if (!isText(call.name) && !(isDelta && call.arguments)) delete message.function_call;
  else if (!Array.isArray(message.tool_calls)) message.tool_calls = [{ function: call }];
}

/** Records that legacy fields are sent under their current names. */
export function noteLegacyTools({ request, changes }: LegacyCall): void {
  if (request.functions === undefined) return;
  changes.rename("functions", "tools");
  if (request.function_call !== undefined) changes.rename("function_call", "tool_choice");
}

function hasFunctionCall(message: Message): boolean {
  return message.role === "assistant" && message.function_call != null;
}

interface LegacyCall {
  readonly request: ChatRequest;
  readonly changes: { rename(parameter: string, to: string): void };
}
