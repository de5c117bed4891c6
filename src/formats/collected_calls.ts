/** The tool calls of a stream, for formats that have no pieces of calls. */

import type { ToolCallDelta } from "../chat/chat.ts";
import { JsonScanner } from "../core/json/scanner.ts";

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
