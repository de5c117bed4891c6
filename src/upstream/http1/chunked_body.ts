/**
 * HTTP/1.1's chunked transfer coding, according to RFC 9112, 7.1
 * (https://www.rfc-editor.org/rfc/rfc9112, 2022-06).
 */

/** The bytes are not a valid HTTP response. */
export class BadMessage extends Error {
  override readonly name = "BadMessage";
}

/** Extracts the body of one response from the bytes of its connection. */
export interface BodyDecoder {
  /** Whether the body is complete. */
  readonly ended: boolean;
  /** The number of remaining bytes, if the length was declared. */
  readonly left?: number;
  /** The number of bytes in the last call that belong to the body. */
  readonly taken: number;
  /**
   * Extracts the payload of these bytes. Its parts are moved together within the same array.
   *
   * @throws {BadMessage}
   */
  take(bytes: Uint8Array): Uint8Array;
  /**
   * Called when the connection was closed.
   *
   * @throws {BadMessage} when the body is incomplete.
   */
  close(): void;
}

/** The error for a body whose connection was closed too early. */
export function brokenOff(): BadMessage {
  return new BadMessage("The connection was lost during the response");
}

/** The part of a chunked body to which the next byte belongs. */
enum Part {
  Size,
  Extension,
  EndOfSize,
  Data,
  EndOfData,
  Trailer,
  EndOfTrailer,
  Ended,
}

/** The maximum size of a chunk's first line and of one trailer, in bytes. */
const MAX_LINE_BYTES = 8192;
/** The maximum size of all trailers and of extensions in excess of the payload's size, in bytes. */
const MAX_EXTRA_BYTES = 16 * 1024;

const LF = 10;
const CR = 13;
const SPACE = 32;
const SEMICOLON = 59;

/** Decodes a chunked body. */
export class ChunkedBody implements BodyDecoder {
  taken = 0;
  #part = Part.Size;
  /** The chunk size while it is parsed, then the chunk's remaining bytes. */
  #left = 0;
  /** The number of bytes in the current line. */
  #line = 0;
  /** The number of bytes in trailers, and in extensions less the payload. */
  #extra = 0;

  get ended(): boolean {
    return this.#part === Part.Ended;
  }

  take(bytes: Uint8Array): Uint8Array {
    let at = 0;
    let from = -1;
    let to = 0;
    while (at < bytes.length && this.#part !== Part.Ended) {
      if (this.#part !== Part.Data) {
        this.#step(bytes[at++] ?? 0);
        continue;
      }
      const size = Math.min(this.#left, bytes.length - at);
      if (from === -1) from = to = at;
      if (to !== at) bytes.copyWithin(to, at, at + size);
      to += size;
      at += size;
      this.#left -= size;
      if (this.#left === 0) this.#part = Part.EndOfData;
    }
    this.taken = at;
    return from === -1 ? bytes.subarray(0, 0) : bytes.subarray(from, to);
  }

  close(): void {
    if (!this.ended) throw brokenOff();
  }

  #step(byte: number): void {
    if (++this.#line > MAX_LINE_BYTES) throw new BadMessage("A line of the answer is too long");
    switch (this.#part) {
      case Part.Size:
        return this.#readSize(byte);
      case Part.Extension:
        if (++this.#extra > MAX_EXTRA_BYTES) {
          throw new BadMessage("The answer has too many bytes of chunk extensions");
        }
        if (byte === LF) this.#startChunk();
        else if (byte === CR) this.#part = Part.EndOfSize;
        return;
      case Part.EndOfSize:
        if (byte !== LF) throw badSize();
        return this.#startChunk();
      case Part.EndOfData:
        if (byte === LF) this.#startLine(Part.Size);
        else if (byte !== CR || this.#line > 1) {
          throw new BadMessage("A chunk of the answer is longer than declared");
        }
        return;
      case Part.Trailer:
      case Part.EndOfTrailer:
        return this.#readTrailer(byte);
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      this.#left = this.#left * 16 + digit;
      if (this.#left > Number.MAX_SAFE_INTEGER) throw badSize();
      return;
    }
    if (this.#line === 1) throw badSize();
    if (byte === LF) this.#startChunk();
    else if (byte === CR) this.#part = Part.EndOfSize;
    else if (byte === SEMICOLON || byte === SPACE) this.#part = Part.Extension;
    else throw badSize();
  }

  /** Trailers are skipped, because the gateway does not need them. */
  #readTrailer(byte: number): void {
    if (++this.#extra > MAX_EXTRA_BYTES) throw new BadMessage("The answer has too many trailers");
    if (byte === LF) {
      const isEmpty = this.#line === (this.#part === Part.EndOfTrailer ? 2 : 1);
      this.#startLine(isEmpty ? Part.Ended : Part.Trailer);
    } else if (this.#part === Part.EndOfTrailer) {
      throw new BadMessage("The answer has a faulty trailer");
    } else if (byte === CR) this.#part = Part.EndOfTrailer;
  }

  #startChunk(): void {
    this.#extra = Math.max(0, this.#extra - this.#left);
    this.#startLine(this.#left === 0 ? Part.Trailer : Part.Data);
  }

  #startLine(part: Part): void {
    this.#part = part;
    this.#line = 0;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function badSize(): BadMessage {
  return new BadMessage("A chunk of the answer has a faulty size");
}
