/**
 * Helpers for bytes: a view for searching and comparing, copies, UTF-8 in shared buffers, and
 * vectors as base64.
 */

import { Buffer } from "node:buffer";

/** Up to this many bytes, a loop copies faster than `Uint8Array.set`. */
const MAX_LOOP_COPY_BYTES = 48;

/** Nearly every packet's output is smaller. */
const INITIAL_OUTPUT_BYTES = 64 * 1024;

/** A larger buffer, which a long event needed, is released. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** Two views of the same bytes: the array copies and searches faster; the buffer compares. */
export class Bytes {
  readonly array: Uint8Array;
  readonly #view: DataView;

  constructor(array: Uint8Array) {
    this.array = array;
    this.#view = new DataView(array.buffer, array.byteOffset, array.byteLength);
  }

  get length(): number {
    return this.array.length;
  }

  /** Whether the bytes of `part` are at this position. */
  has(part: Bytes, at: number): boolean {
    const { length } = part;
    if (at + length > this.length) return false;
    const own = this.#view;
    const other = part.#view;
    let position = 0;
    // Compares four bytes at a time; `Buffer.compare` takes one and a half times as long.
    for (; position + 4 <= length; position += 4) {
      if (own.getInt32(at + position) !== other.getInt32(position)) return false;
    }
    for (; position < length; position++) {
      if (own.getInt8(at + position) !== other.getInt8(position)) return false;
    }
    return true;
  }
}

/**
 * The size of a shared buffer, in bytes. A slow reader of a small array keeps the whole buffer in
 * memory.
 */
const SLAB_BYTES = 8 * 1024;
/** Larger arrays do not share a buffer. */
const MAX_SHARED_BYTES = 4 * 1024;
/** The maximum number of bytes per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();
let slab = Buffer.from(new ArrayBuffer(SLAB_BYTES));
let used = 0;

/** A copy of bytes. */
export function copyBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { length } = bytes;
  if (length > MAX_SHARED_BYTES) return new Uint8Array(bytes);
  if (used + length > SLAB_BYTES) renew();
  const start = used;
  used += length;
  slab.set(bytes, start);
  return new Uint8Array(slab.buffer, start, length);
}

/** Joins pieces of bytes. A single piece is not copied. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [first, ...others] = pieces;
  return first === undefined || others.length > 0 ? Buffer.concat(pieces) : first;
}

/** Encodes a text as UTF-8. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  const maxBytes = text.length * MAX_BYTES_PER_UNIT;
  if (maxBytes > MAX_SHARED_BYTES) return encoder.encode(text);
  if (used + maxBytes > SLAB_BYTES) renew();
  const start = used;
  const length = slab.write(text, start, "utf8");
  used += length;
  return new Uint8Array(slab.buffer, start, length);
}

/** The next arrays use a new buffer. */
function renew(): void {
  slab = Buffer.from(new ArrayBuffer(SLAB_BYTES));
  used = 0;
}

/** Collects a packet's output in a buffer that the next packet reuses. */
export class Output {
  #bytes = new Uint8Array(INITIAL_OUTPUT_BYTES);
  #length = 0;

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = new Uint8Array(INITIAL_OUTPUT_BYTES);
  }

  add(part: Uint8Array): void {
    this.#reserve(part.length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  addSlice(array: Uint8Array, start: number, end: number): void {
    if (end - start > MAX_LOOP_COPY_BYTES) return this.add(array.subarray(start, end));
    this.#reserve(end - start);
    for (let at = start; at < end; at++) this.#bytes[this.#length++] = array[at] ?? 0;
  }

  addText(text: string): void {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    this.#reserve(text.length * 3);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  get length(): number {
    return this.#length;
  }

  /** The collected bytes, valid until `clear`. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * needed);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** The maximum length of a piece that is encoded at once, in UTF-16 units. */
const MAX_PIECE_LENGTH = 128 * 1024;

/**
 * Encodes a text in pieces, so that no second copy of the whole text is in memory. Each piece is
 * valid until the next one.
 */
export function* encodePieces(text: string): Generator<Uint8Array> {
  const bytes = new Uint8Array(MAX_BYTES_PER_UNIT * MAX_PIECE_LENGTH);
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = endOfPiece(text, at);
    yield bytes.subarray(0, encoder.encodeInto(text.slice(at, end), bytes).written);
  }
}

/** Does not split a surrogate pair. */
function endOfPiece(text: string, start: number): number {
  const end = Math.min(start + MAX_PIECE_LENGTH, text.length);
  return end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}
