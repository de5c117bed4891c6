/** Reads the body of a request, with views that keep what the runtime holds of it small. */

import type { PacketRead } from "../upstream/transport.ts";

/** Reads a body packet by packet. */
export interface BodyReader {
  read(): Promise<PacketRead>;
  cancel(): Promise<void>;
}

/** The bytes around the content of a chunk: its size in hexadecimal digits and two line ends. */
const CHUNK_OVERHEAD_BYTES = 16;
/** What the runtime reads of a chunk besides its content, before its last line end. */
const MAX_HEAD_BYTES = 12;
/** The maximum size of a view: a chunk of 16 KiB, the smallest that is usual, fits into one. */
const MAX_VIEW_BYTES = 16 * 1024 + CHUNK_OVERHEAD_BYTES;
/** Some packets are parts of a chunk, so the largest of this many shows the size of chunks. */
const OBSERVED_PACKETS = 16;

/** @param headers those of the request: a body whose length they declare is not sent in chunks */
export function createBodyReader(body: ReadableStream<Uint8Array>, headers: Headers): BodyReader {
  if (headers.has("content-length")) return body.getReader();
  try {
    return new ChunkReader(body.getReader({ mode: "byob" }));
  } catch (thrown) {
    // A stream of values, not of bytes: no body of the runtime's server.
    if (!(thrown instanceof TypeError)) throw thrown;
    return body.getReader();
  }
}

/**
 * Reads a chunked body. For each read, the runtime takes from the socket about as many bytes as the
 * view has, and returns at most the rest of one chunk. With views that are larger than the sender's
 * chunks it takes more than it returns: it holds up to the whole body, and moves all of that in
 * memory with each read. So views are about as large as the chunks, or smaller. An upload of 64 MiB
 * in chunks of 16 and 64 KiB through the pass-through, with views of 64 KiB, as streams have by
 * default: 13 to 20 s and 1.5 to 7 s; with these views: 0.3 to 1.4 s (Deno 2.9.6, 2026-11-24).
 */
class ChunkReader implements BodyReader {
  readonly #reader: ReadableStreamBYOBReader;
  #size = MAX_VIEW_BYTES;
  /** The number of packets since the size was chosen, and the size of the largest. */
  #packets = 0;
  #largest = 0;

  constructor(reader: ReadableStreamBYOBReader) {
    this.#reader = reader;
  }

  async read(): Promise<PacketRead> {
    const { done, value } = await this.#reader.read(new Uint8Array(this.#size));
    if (done) return { done };
    this.#observe(value.length);
    return { done, value };
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  #observe(bytes: number): void {
    this.#largest = Math.max(this.#largest, bytes);
    // The runtime has also filled the rest of the view, with the head of the chunk: it is larger.
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
