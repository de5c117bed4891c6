/** The calls of a conversation whose results may follow, for formats whose results need no ID. */

import type { AnswerToolCall, ToolCallDelta } from "../contract/chat.ts";
import { JsonError } from "../core/json/limits.ts";
import type { InnerJson } from "../core/json/inner_json.ts";
import type { JsonObject } from "../core/json/object.ts";
import { parseArguments } from "./tool_pairing.ts";
import { JsonScanner } from "../core/json/scan.ts";
import { isText } from "../core/json/values.ts";

/** A call whose arguments are still text. */
export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** The name and the arguments of a call. The input of a custom tool is one argument. */
export function readCall(call: AnswerToolCall): WrittenCall {
  if (call.type === "function") {
    return { id: call.id, name: call.function.name, text: call.function.arguments };
  }
  const text = JSON.stringify({ input: call.custom.input });
  return { id: call.id, name: call.custom.name, text };
}

/**
 * The arguments as an object. Arguments with too much JSON stay text, like malformed ones.
 *
 * @param json the budget of all calls of the answer
 */
export function argumentsOf(text: string, json: InnerJson): JsonObject {
  try {
    return parseArguments(text, json);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    return { arguments: text };
  }
}

/** A call. It is written when its arguments are complete. */
export interface CollectedCall {
  readonly id: string;
  readonly name: string;
  readonly isCustom: boolean;
  readonly scanner: JsonScanner;
  /** The arguments, or the input of a custom tool, so far. */
  text: string;
  /** The vendor's state of the call. */
  extra: unknown;
  isWritten: boolean;
}

/** The calls of one choice, in the order in which they began. */
export class CollectedCalls {
  /** By the vendor's index. */
  readonly #calls = new Map<number, CollectedCall>();

  /** The number of calls. */
  get size(): number {
    return this.#calls.size;
  }

  /** Adds a piece to its call. */
  add(piece: ToolCallDelta): CollectedCall {
    const { index, id, function: made, custom, extra_content: extra } = piece;
    let call = this.#calls.get(index);
    if (call === undefined) {
      call = {
        id: id ?? `call_${index}`,
        name: made?.name ?? custom?.name ?? "",
        isCustom: custom !== undefined,
        scanner: new JsonScanner(),
        text: "",
        extra: undefined,
        isWritten: false,
      };
      this.#calls.set(index, call);
    }
    call.extra ??= extra;
    const text = made?.arguments ?? custom?.input ?? "";
    call.text += text;
    if (!call.isCustom) call.scanner.push(text);
    return call;
  }

  /** The calls that are not written yet. */
  unwritten(): readonly CollectedCall[] {
    return [...this.#calls.values()].filter(({ isWritten }) => !isWritten);
  }
}

/**
 * Whether a call can be written. The end of a custom tool's input is unknown until the answer ends.
 */
export function canBeWritten({ isCustom, isWritten, scanner }: CollectedCall): boolean {
  return !isCustom && !isWritten && scanner.complete;
}

/** The arguments as JSON. The input of a custom tool is one argument. */
export function argumentsTextOf({ isCustom, text }: CollectedCall): string {
  return isCustom ? JSON.stringify({ input: text }) : text;
}

/** The prefix of the IDs of calls and results that have none. */
export const OWN_CALL_ID = "call_gw_";

/** The calls of a model's turn whose results may follow. Looking one up takes constant time. */
export class UnansweredCalls {
  readonly #ids = new Set<string>();
  /** The IDs by the name of the function, in the order of the calls. */
  readonly #byName = new Map<string, { readonly ids: string[]; next: number }>();

  add(id: string, name: string): void {
    this.#ids.add(id);
    const known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, { ids: [id], next: 0 });
    else known.ids.push(id);
  }

  /**
   * The ID of the call that a result belongs to: by its ID, else the first unanswered one of its
   * name; without either, the first of all.
   */
  take(id: string | undefined, name: string): string {
    if (isText(id) && this.#ids.delete(id)) return id;
    const named = this.#byName.get(name);
    while (named !== undefined && named.next < named.ids.length) {
      const first = named.ids[named.next++];
      if (first !== undefined && this.#ids.delete(first)) return first;
    }
    if (isText(id)) return id;
    return name === "" ? this.#takeFirst() : `${OWN_CALL_ID}${name}`;
  }

  #takeFirst(): string {
    for (const id of this.#ids) {
      this.#ids.delete(id);
      return id;
    }
    return OWN_CALL_ID;
  }
}
