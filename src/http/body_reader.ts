/**
 * Reads the body of a request, with views that limit how much of it the runtime buffers; rejects
 * compressed bodies.
 */

import { Buffer } from "node:buffer";
import { setImmediate } from "node:timers";
import { TimeSlice } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { PacketRead } from "../upstream/transport.ts";
import { shortened } from "../core/text.ts";

/** Reads a body packet by packet. */
export interface BodyReader {
  /** All bytes so far, until the next read, if the reader collects them. */
  readonly collected?: Uint8Array;
  read(): Promise<PacketRead>;
  cancel(): Promise<void>;
}

/** The bytes around the content of a chunk: its size in hexadecimal digits and two line endings. */
const CHUNK_OVERHEAD_BYTES = 16;
/**
 * The bytes of a chunk that the runtime reads in addition to its content, up to the last line
 * ending.
 */
const MAX_HEAD_BYTES = 12;
/** The maximum size of a view: a chunk of 16 KiB, the smallest common size, fits into one. */
const MAX_VIEW_BYTES = 16 * 1024 + CHUNK_OVERHEAD_BYTES;
/**
 * Some packets are parts of a chunk, so the largest of this many packets indicates the chunk size.
 */
const OBSERVED_PACKETS = 16;
const FIRST_VIEW_BYTES = 512 + CHUNK_OVERHEAD_BYTES;

/** Smaller packets are joined, if more have arrived, up to this many bytes. */
const MIN_PACKET_BYTES = 16 * 1024;
const MAX_JOINED_BYTES = 64 * 1024;

/** After this many chunks, the average size must be at least this many bytes. */
const MAX_SMALL_CHUNKS = 8192;
const MIN_AVERAGE_BYTES = 256;

/**
 * Creates the reader of a body.
 *
 * @param the request's headers: a body with a declared length is not chunked
 * @param collected the length of a body that the reader collects
 */
export function createBodyReader(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  collected?: number,
): BodyReader {
  if (collected === undefined && headers.has("content-length")) return body.getReader();
  try {
    const reader = body.getReader({ mode: "byob" });
    return collected === undefined
      ? new ChunkReader(reader)
      : new CollectingReader(reader, collected);
  } catch (thrown) {
    // A stream of values instead of bytes, which is not from the runtime's server.
    if (!(thrown instanceof TypeError)) throw thrown;
    return body.getReader();
  }
}

/** The maximum view size for a body whose length is known. */
const MAX_KNOWN_VIEW_BYTES = 256 * 1024;

/**
 * Reads a body of a known length into one array, without copying its packets, which takes two
 * thirds of the CPU time for 316 kB and for 4 MB (Deno 2.9.6, 2026-11-29).
 */
class CollectingReader implements BodyReader {
  readonly #reader: ReadableStreamBYOBReader;
  #buffer: ArrayBuffer;
  #size = 0;

  constructor(reader: ReadableStreamBYOBReader, length: number) {
    this.#reader = reader;
    this.#buffer = new ArrayBuffer(length);
  }

  get collected(): Uint8Array {
    return new Uint8Array(this.#buffer, 0, this.#size);
  }

  async read(): Promise<PacketRead> {
    const buffer = this.#buffer;
    const room = Math.min(buffer.byteLength - this.#size, MAX_KNOWN_VIEW_BYTES);
    if (room === 0) {
      // The server closes the body when its end is read.
      await this.#reader.read(new Uint8Array(1));
      return { done: true };
    }
    const { done, value } = await this.#reader.read(new Uint8Array(buffer, this.#size, room));
    if (value === undefined) return { done: true };
    // The bytes have moved to another buffer, even at the end.
    this.#buffer = value.buffer;
    this.#size += value.length;
    return done ? { done } : { done, value };
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

/**
 * Reads a chunked body. For each read, the runtime reads about as many bytes from the socket as the
 * view holds, but at least 8 KiB, and returns at most the rest of one chunk. If it reads more than
 * it returns, and other work is done between reads, it buffers up to the whole body, and moves that
 * buffer in memory on each read. Views are therefore about as large as the chunks, or smaller, and
 * small chunks that have arrived are read without a pause and returned together.
 *
 * An upload of 64 MiB through the pass-through, with views of 64 KiB, as streams have by default:
 * 13 to 20 s in chunks of 16 KiB, and over 120 s in chunks of 1 KiB, during which the event loop is
 * blocked; with this reader 0.5 to 1 s of CPU time in chunks of 1 to 64 KiB (Deno 2.9.6,
 * 2026-11-25).
 */
class ChunkReader implements BodyReader {
  readonly #reader: ReadableStreamBYOBReader;
  #size = FIRST_VIEW_BYTES;
  /** The number of packets since the size was chosen, and the size of the largest. */
  #packets = 0;
  #largest = 0;
  /** The pending read of the next packet. */
  #next: Promise<ReadableStreamReadResult<Uint8Array>> | undefined;
  /** Lets other connections run while small chunks arrive. */
  readonly #slice = new TimeSlice();
  /** The number of chunks, or parts of them, and their bytes. */
  #chunks = 0;
  #bytes = 0;
  #isRefused = false;

  constructor(reader: ReadableStreamBYOBReader) {
    this.#reader = reader;
  }

  /** @throws {GatewayError} `too_large` for a body with too many small chunks. */
  async read(): Promise<PacketRead> {
    const first = await this.#request();
    this.#next = undefined;
    if (first.done) return { done: true };
    this.#observe(first.value.length);
    return first.value.length >= MIN_PACKET_BYTES ? first : await this.#join(first.value);
  }

  /**
   * Cancels the body, unless it was rejected: the runtime would then read the rest of it at once,
   * which takes a second for 150,000 chunks. Its connection is closed after the response.
   */
  cancel(): Promise<void> {
    return this.#isRefused ? Promise.resolve() : this.#reader.cancel();
  }

  /** Joins a small packet with those that have arrived. */
  async #join(first: Uint8Array): Promise<PacketRead> {
    const packets = [first];
    let size = first.length;
    while (size < MAX_JOINED_BYTES) {
      if (this.#slice.isOver) {
        await this.#slice.next();
        break;
      }
      const packet = await this.#arrived();
      if (packet === undefined) break;
      packets.push(packet);
      size += packet.length;
      this.#observe(packet.length);
    }
    return { done: false, value: packets.length === 1 ? first : Buffer.concat(packets, size) };
  }

  /** The next packet; undefined if it has not arrived, or there is none. */
  async #arrived(): Promise<Uint8Array | undefined> {
    let read: ReadableStreamReadResult<Uint8Array> | undefined;
    // A failure is reported by the next read.
    this.#request().then((result) => read = result, () => {});
    await new Promise((resolve) => setImmediate(resolve));
    if (read === undefined || read.done) return undefined;
    this.#next = undefined;
    return read.value;
  }

  #request(): Promise<ReadableStreamReadResult<Uint8Array>> {
    return this.#next ??= this.#reader.read(new Uint8Array(this.#size));
  }

  #observe(bytes: number): void {
    this.#chunks++;
    this.#bytes += bytes;
    if (this.#chunks > MAX_SMALL_CHUNKS && this.#bytes < this.#chunks * MIN_AVERAGE_BYTES) {
      this.#isRefused = true;
      throw tooSmall();
    }
    this.#largest = Math.max(this.#largest, bytes);
    // The runtime has also filled the rest of the view with the chunk's head, so the chunk is
    // larger.
    if (bytes > this.#size - MAX_HEAD_BYTES) this.#choose(2 * this.#size);
    else if (++this.#packets === OBSERVED_PACKETS) {
      this.#choose(this.#largest + CHUNK_OVERHEAD_BYTES);
    }
  }

  #choose(size: number): void {
    this.#size = Math.min(size, MAX_VIEW_BYTES);
    this.#packets = this.#largest = 0;
  }
}

function tooSmall(): GatewayError {
  const message = `The request body has over ${MAX_SMALL_CHUNKS} chunks of less than ` +
    `${MIN_AVERAGE_BYTES} bytes on average: send larger chunks, or a content-length`;
  return new GatewayError("too_large", message, { headers: { connection: "close" } });
}

// Compressed request bodies, which the gateway does not support: their JSON and forms cannot be
// read. The header is checked only after a body could not be read.

/** The maximum length of the header's value in a message, in UTF-16 units. */
const MAX_SHOWN_CHARS = 100;

/** The content-encoding of a body, for messages; undefined without one. */
export function encodingOf(headers: Headers): string | undefined {
  const encoding = headers.get("content-encoding") ?? "identity";
  return /^\s*(?:identity)?\s*$/i.test(encoding) ? undefined : shortened(encoding, MAX_SHOWN_CHARS);
}

/** The error of a body that could not be read: `unsupported_media_type` for a compressed one. */
export function toEncodingError(thrown: unknown, headers: Headers): unknown {
  const encoding = encodingOf(headers);
  if (encoding === undefined || !isOfContent(thrown)) return thrown;
  const message =
    `The request body has content-encoding '${encoding}'; send it without compression`;
  return new GatewayError("unsupported_media_type", message);
}

function isOfContent(thrown: unknown): boolean {
  return thrown instanceof GatewayError &&
    (thrown.kind === "invalid_request" || thrown.kind === "invalid_value");
}
