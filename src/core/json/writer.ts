/**
 * Writes large JSON without blocking the event loop: for 30 MB, `JSON.stringify` blocked it for 67
 * to 175 ms, and this writer for 20 to 57 ms on the same busy machine (2026-11-24).
 */

import { isObject, type JsonObject } from "./object.ts";
import { TimeSlice } from "../clock.ts";
import { isPlain } from "./characters.ts";
import { type JsonContainer, textOf } from "./number_texts.ts";

/**
 * For bodies of up to this size, vendor requests are written by `JSON.stringify`, which is cheaper.
 */
export const MAX_BYTES_AT_ONCE = 4 * 1024 * 1024;

/** The number of UTF-16 units in a string that are written at once. */
const MAX_PIECE_LENGTH = 64 * 1024;

/** The number of UTF-16 units that are written between time checks. */
const MAX_LENGTH_AT_ONCE = 64 * 1024;

/** Each value counts as at least this many units. */
const MIN_LENGTH_OF_VALUE = 32;

/** The same text as from `JSON.stringify` for JSON data, written in time slices. */
export async function toJsonText(value: unknown): Promise<string> {
  const writer = new Writer(value);
  const slice = new TimeSlice();
  while (writer.writeSome()) if (slice.isOver) await slice.next();
  return writer.text;
}

/** A partly written list, object or long string. */
type Open =
  | { readonly type: "list"; readonly list: unknown[]; next: number }
  | {
    readonly type: "object";
    readonly object: JsonObject;
    readonly names: readonly string[];
    next: number;
  }
  | { readonly type: "string"; readonly string: string; next: number };

class Writer {
  text = "";
  #parts: string[] = [];
  #length = 0;
  /** Incomplete values, from the outermost to the innermost. */
  readonly #open: Open[] = [];

  constructor(value: unknown) {
    this.#begin(value);
  }

  /** Writes one step. Returns whether more remains. */
  writeSome(): boolean {
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      this.#continue(open);
      if (this.#length >= MAX_LENGTH_AT_ONCE) break;
    }
    this.#flush();
    return this.#open.length > 0;
  }

  #flush(): void {
    this.text += this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
  }

  #begin(value: unknown): void {
    if (typeof value === "string" && value.length > MAX_PIECE_LENGTH) {
      this.#write('"');
      this.#open.push({ type: "string", string: value, next: 0 });
    } else if (Array.isArray(value)) {
      this.#write("[");
      this.#open.push({ type: "list", list: value, next: 0 });
    } else if (isObject(value)) {
      this.#write("{");
      const names = Object.keys(value).filter((name) => value[name] !== undefined);
      this.#open.push({ type: "object", object: value, names, next: 0 });
    } else {
      this.#write(JSON.stringify(value));
    }
  }

  #beginEntry(holder: JsonContainer, name: string | number): void {
    const value = (holder as JsonObject)[name] ?? null;
    const text = typeof value === "number" ? textOf(holder, name) : undefined;
    if (text === undefined) this.#begin(value);
    else this.#write(text);
  }

  #continue(open: Open): void {
    const at = open.next++;
    switch (open.type) {
      case "list":
        if (at === open.list.length) return this.#end("]");
        if (at > 0) this.#write(",");
        return this.#beginEntry(open.list, at);
      case "object": {
        const name = open.names[at];
        if (name === undefined) return this.#end("}");
        this.#write(`${at > 0 ? "," : ""}${JSON.stringify(name)}:`);
        return this.#beginEntry(open.object, name);
      }
      case "string": {
        if (at === open.string.length) return this.#end('"');
        open.next = endOfPiece(open.string, at);
        const piece = open.string.slice(at, open.next);
        if (!isPlain(piece)) return this.#write(JSON.stringify(piece).slice(1, -1));
        // Most long strings need no escapes, and are not copied.
        this.#flush();
        this.text += piece;
        this.#length = piece.length;
        return;
      }
      default:
        return open satisfies never;
    }
  }

  #end(mark: string): void {
    this.#open.pop();
    this.#write(mark);
  }

  #write(part: string): void {
    this.#parts.push(part);
    this.#length += Math.max(part.length, MIN_LENGTH_OF_VALUE);
  }
}

/** Does not split surrogate pairs, since a lone surrogate would be escaped. */
function endOfPiece(text: string, start: number): number {
  const end = Math.min(start + MAX_PIECE_LENGTH, text.length);
  const isHighSurrogate = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isHighSurrogate && end < text.length ? end - 1 : end;
}
