/**
 * Makes call IDs unique for callers, and restores the vendors' IDs in requests. Some servers use an
 * ID for more than one call: `call_0` in each answer, or the tool's name
 * (https://github.com/NVIDIA-NeMo/Switchyard/issues/502, 2026). Callers that match results to calls
 * by ID would answer the wrong call.
 */

import type { ChatRequest, Message } from "../../contract/chat.ts";
import { isMarked } from "../../apis/chat/call_ids.ts";
import { uniquely } from "../../core/collections.ts";

/** Assigns one answer's IDs: an ID that is already in use gets the suffix `_2`, `_3`, and so on. */
export class UniqueIds {
  readonly #earlier: ChatRequest | undefined;
  /** Keyed by choice index, since only one choice becomes part of the conversation. */
  readonly #choices = new Map<number, (id: string) => string>();

  /** @param earlier the request whose IDs also count, for callers that pair by ID */
  constructor(earlier: ChatRequest | undefined) {
    this.#earlier = earlier;
  }

  /** A new call's ID. */
  of(id: string, choice: number): string {
    let toUnique = this.#choices.get(choice);
    if (toUnique === undefined) {
      toUnique = uniquely((own) => own, Infinity);
      for (const used of callIdsOf(this.#earlier)) toUnique(used);
      this.#choices.set(choice, toUnique);
    }
    return toUnique(id);
  }
}

function callIdsOf(request: ChatRequest | undefined): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of request?.messages ?? []) {
    if (message.role !== "assistant") continue;
    for (const { id } of message.tool_calls ?? []) ids.add(id);
  }
  return ids;
}

/**
 * The request with the vendors' IDs instead of those from {@linkcode UniqueIds}; the same request
 * if there are none.
 */
export function withSharedIds(request: ChatRequest): ChatRequest {
  if (!request.messages.some(hasNumberedCall)) return request;
  const own = sharedIds(request.messages);
  return own.size === 0 ? request : withCallIds(request, own);
}

/**
 * Replaces call IDs, in calls and results. If calls in a turn then share an ID, their results are
 * put in the order of the calls.
 *
 * @param own the vendors' IDs, by the callers' IDs
 */
export function withCallIds(
  request: ChatRequest,
  own: ReadonlyMap<string, string>,
): ChatRequest {
  const messages: Message[] = [];
  const toOwn = (message: ToolMessage): ToolMessage => {
    const id = own.get(message.tool_call_id);
    return id === undefined ? message : { ...message, tool_call_id: id };
  };
  const { messages: original } = request;
  for (let at = 0; at < original.length; at++) {
    const message = original[at] as Message;
    if (message.role === "tool") messages.push(toOwn(message));
    else if (message.role !== "assistant" || !message.tool_calls?.some(({ id }) => own.has(id))) {
      messages.push(message);
    } else {
      const { tool_calls: calls } = message;
      const renamed = calls.map((call) => ({ ...call, id: own.get(call.id) ?? call.id }));
      messages.push({ ...message, tool_calls: renamed });
      const results = resultsAfter(original, at);
      at += results.length;
      if (new Set(renamed.map(({ id }) => id)).size < renamed.length) {
        const order = new Map(calls.map(({ id }, position) => [id, position]));
        results.sort((one, other) => placeIn(order, one) - placeIn(order, other));
      }
      for (const result of results) messages.push(toOwn(result));
    }
  }
  return { ...request, messages };
}

type ToolMessage = Extract<Message, { role: "tool" }>;

function resultsAfter(messages: readonly Message[], call: number): ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let at = call + 1; at < messages.length; at++) {
    const message = messages[at];
    if (message?.role !== "tool") break;
    results.push(message);
  }
  return results;
}

function placeIn(order: ReadonlyMap<string, number>, { tool_call_id }: ToolMessage): number {
  return order.get(tool_call_id) ?? order.size;
}

function hasNumberedCall(message: Message): boolean {
  return message.role === "assistant" &&
    message.tool_calls?.some(({ id }) => baseOf(id) !== undefined) === true;
}

/** The vendors' IDs, by the IDs that callers use. */
function sharedIds(messages: readonly Message[]): ReadonlyMap<string, string> {
  const own = new Map<string, string>();
  const seen = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const call of message.tool_calls ?? []) {
      const base = baseOf(call.id);
      const name = call.type === "function" ? call.function.name : call.custom.name;
      // A vendor that uses names as IDs may have generated this one itself.
      const isGiven = base !== undefined && seen.has(base) && call.id !== name;
      if (isGiven) own.set(call.id, base);
      seen.add(call.id);
    }
  }
  return own;
}

/** The ID without its number; undefined for an ID without one. */
function baseOf(id: string): string | undefined {
  const at = id.lastIndexOf("_");
  if (at < 1 || isMarked(id)) return undefined;
  return NUMBER.test(id.slice(at + 1, at + 1 + MAX_DIGITS + 1)) ? id.slice(0, at) : undefined;
}

const MAX_DIGITS = 6;
const NUMBER = /^(?:[2-9]|[1-9]\d{1,5})$/;
