/**
 * A second key of a call's state, for clients that return no ids: the tool, its arguments and the
 * call's position (https://github.com/ollama/ollama-python, 2026-11-28).
 */

import { createHash } from "node:crypto";
import { isMarked } from "../../chat/call_ids.ts";
import type { Message } from "../../chat/chat.ts";
import { isObject } from "../../core/json/object.ts";
import { OWN_CALL_ID } from "../../formats/calls.ts";

/** The formats whose clients may return calls without ids. */
export const WITHOUT_IDS: ReadonlySet<string> = new Set(["ollama"]);

/** A call as the vendor made it, and as the client returns it. */
export interface KeyedCall {
  readonly name: string;
  /** As JSON. */
  readonly input: string;
  /** The number of assistant messages before its own. */
  readonly turn: number;
  /** Its position in the message. */
  readonly index: number;
}

/** The name of the state in the store. */
export function toCallKey({ name, input, turn, index }: KeyedCall): string {
  const digest = createHash("sha256").update(JSON.stringify([name, plain(input), turn, index]));
  return `call_key_${digest.digest("base64url")}`;
}

/** The number of assistant messages. */
export function countTurns(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === "assistant").length;
}

/** The keys of the calls without an id of the client, by the id that they got. */
export function callKeys(messages: readonly Message[]): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  let turn = 0;
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const [index, call] of (message.tool_calls ?? []).entries()) {
      const hasId = !call.id.startsWith(OWN_CALL_ID) || isMarked(call.id);
      if (call.type !== "function" || hasId) continue;
      const { name, arguments: input } = call.function;
      keys.set(call.id, toCallKey({ name, input, turn, index }));
    }
    turn++;
  }
  return keys;
}

/** Arguments whatever the order of their members and the spelling of their numbers. */
function plain(input: string): unknown {
  try {
    return sorted(JSON.parse(input));
  } catch {
    return input;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.keys(value).sort().map((name) => [name, sorted(value[name])]);
}
