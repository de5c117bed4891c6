/** Writes the IDs of the tool calls of one answer, and the keys of their state. */

import { isMarked, toHead } from "../../apis/chat/call_ids.ts";
import { pack, type ReasoningState, Sealer } from "./packing.ts";
import type { StateStore } from "../../memory/store.ts";
import type { UniqueIds } from "./vendor_ids.ts";
import { createHash } from "node:crypto";
import type { Message } from "../../contract/chat.ts";
import { isObject } from "../../core/json/object.ts";
import { OWN_CALL_ID } from "../../apis/calls.ts";

// A second key of a call's state, for clients that return no ids: the tool, its arguments and the
// call's position (https://github.com/ollama/ollama-python, 2026-11-28).

/** The formats whose clients may return calls without ids. */
export const WITHOUT_IDS: ReadonlySet<string> = new Set(["ollama"]);

/** A call as the vendor made it, and as the client returns it. */
interface KeyedCall {
  readonly name: string;
  /** As JSON. */
  readonly input: string;
  /** The number of assistant messages before its own. */
  readonly turn: number;
  /** Its position in the message. */
  readonly index: number;
}

/** The name of the state in the store. Exported for tests. */
export function toCallKey({ name, input, turn, index }: KeyedCall): string {
  const digest = createHash("sha256").update(JSON.stringify([name, plain(input), turn, index]));
  return `call_key_${digest.digest("base64url")}`;
}

/** The number of assistant messages. */
export function countTurns(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === "assistant").length;
}

/** The keys of calls without a client id, by the id that was assigned to them. */
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

/** Arguments, normalized for the order of members and the notation of numbers. */
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

/** The inputs of the IDs of one answer. */
interface CallIdWriterOptions {
  /** Whether ids carry state. */
  readonly carries: boolean;
  readonly ids: UniqueIds;
  /** The position of the answer, if its calls may come back without ids. */
  readonly turn?: number | undefined;
  /** The name of the service key that the answer goes to. */
  readonly owner: string;
  /** The ID of the provider that answers. */
  readonly provider: string;
  /** The maximum length of an id, in characters. */
  readonly maxLength: number;
  readonly sealer: Sealer;
  readonly store: StateStore;
  /** Returns 16 cryptographically random characters. */
  readonly newReference: () => string;
}

/**
 * The authenticated data of a sealed id: it opens only for its owner and with the same vendor's id.
 */
export function bindingOf(head: string, owner: string): string {
  return JSON.stringify([head, owner]);
}

/** Writes ids that carry state, or refer to it. */
export class CallIdWriter {
  readonly #options: CallIdWriterOptions;

  constructor(options: CallIdWriterOptions) {
    this.#options = options;
  }

  /** Whether ids carry state. */
  get carries(): boolean {
    return this.#options.carries;
  }

  /**
   * The id for callers: with the state or a reference to it. Without state, it is the vendor's own
   * id unless another call has the same one.
   */
  write(id: string, state: Omit<ReasoningState, "provider">, choice: number): string {
    const { carries, ids } = this.#options;
    if (Object.keys(state).length === 0) {
      // A vendor's id with the mark, such as another gateway's, must not be mistaken for one of ours.
      return ids.of(carries && isMarked(id) ? toHead(id, "none") : id, choice);
    }
    const { owner, provider, maxLength, sealer } = this.#options;
    const packed = pack({ provider, ...state });
    const head = toHead(id, "sealed");
    if (packed !== undefined && head.length + Sealer.lengthOf(packed.length) <= maxLength) {
      return head + sealer.seal(packed, bindingOf(head, owner));
    }
    return this.#put(id, packed) ?? this.write(id, {}, choice);
  }

  /** Whether calls may come back without ids. */
  get remembers(): boolean {
    return this.#options.turn !== undefined;
  }

  /** Stores the state of a call for clients that return no ids. */
  remember(
    call: Omit<KeyedCall, "turn">,
    state: Omit<ReasoningState, "provider">,
  ): void {
    const { owner, provider, store, turn } = this.#options;
    if (turn === undefined || Object.keys(state).length === 0) return;
    const packed = pack({ provider, ...state });
    if (packed !== undefined) store.put(owner, toCallKey({ ...call, turn }), packed);
  }

  /** An id that refers to stored state; undefined if the state cannot be stored. */
  store(id: string, state: Omit<ReasoningState, "provider">): string | undefined {
    return this.#put(id, pack({ provider: this.#options.provider, ...state }));
  }

  /** Replaces the state of an id from {@linkcode store}. */
  update(id: string, state: Omit<ReasoningState, "provider">): void {
    const packed = pack({ provider: this.#options.provider, ...state });
    if (packed !== undefined) this.#options.store.put(this.#options.owner, id, packed);
  }

  #put(id: string, packed: Uint8Array | undefined): string | undefined {
    const { owner, maxLength, store, newReference } = this.#options;
    const stored = toHead(id, "stored") + newReference();
    if (packed === undefined || stored.length > maxLength) return undefined;
    return store.put(owner, stored, packed) ? stored : undefined;
  }
}
