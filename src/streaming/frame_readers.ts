/** Bytes to frames, whatever way the network cut them. */

import { crc32 } from "node:zlib";
import { createParser } from "eventsource-parser";
import { GatewayError } from "../core/errors.ts";
import type { Frame, Framing } from "../providers/contract/frames.ts";

/** The longest message, in UTF-16 units: a vendor that never ends one must not fill the memory. */
const LONGEST = 16 * 1024 * 1024;

/** @throws {GatewayError} `upstream_error` for a message that is too long. */
export function refuseOver(length: number): void {
  if (length <= LONGEST) return;
  throw new GatewayError("upstream_error", "The provider sent an event over 16 MiB");
}

/** Collects bytes and gives back each frame as soon as its last byte is there. */
export interface FrameReader {
  push(bytes: Uint8Array): readonly Frame[];
  /** The stream ended: gives the last frame if its terminator was missing. */
  end(): readonly Frame[];
}

export function createFrameReader(framing: Framing): FrameReader {
  switch (framing) {
    case "sse":
      return createSseReader();
    case "ndjson":
      return createLineReader();
    case "aws-event-stream":
      return new EventStreamReader();
  }
}

function createSseReader(): FrameReader {
  const text = new TextDecoder();
  const parser = createSseParser();
  // What the parser was given since its last event.
  let loose = 0;
  return {
    push: (bytes) => {
      const frames = parser.feed(text.decode(bytes, { stream: true }));
      loose = frames.length > 0 ? 0 : loose + bytes.length;
      refuseOver(loose);
      return frames;
    },
    end: () => parser.end(text.decode()),
  };
}

/** Server-sent events as text; `end` takes the last of it. */
export interface SseParser {
  feed(text: string): readonly Frame[];
  end(text: string): readonly Frame[];
}

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 * The parser drops a last event that has no blank line behind it; vendors that
 * close early send just that, so `end` supplies one. JSON that stands bare at
 * the end of the stream, which the parser skips, becomes the last frame: that
 * is how Google breaks off (https://github.com/vercel/ai/issues/5217, 2025).
 */
export function createSseParser(): SseParser {
  let frames: Frame[] = [];
  let tail = "";
  const parser = createParser({
    onEvent: (event) => frames.push({ event: event.event, data: event.data }),
  });
  const feed = (text: string): readonly Frame[] => {
    tail = (tail + text).slice(-MAX_BARE);
    parser.feed(text);
    const taken = frames;
    frames = [];
    return taken;
  };
  return { feed, end: (text) => [...feed(text + "\n\n"), ...readBare(tail)] };
}

/** Enough for an error, in UTF-16 units. */
const MAX_BARE = 8192;

/** The JSON behind the last line of an event, if there is any. */
function readBare(tail: string): Frame[] {
  const rest = tail.slice(tail.lastIndexOf("\ndata:") + 1);
  const start = rest.search(/^[[{]/m);
  if (start < 0) return [];
  const data = rest.slice(start).trim();
  try {
    JSON.parse(data);
    return [{ data }];
  } catch {
    return [];
  }
}

/** One JSON value a line. */
function createLineReader(): FrameReader {
  const text = new TextDecoder();
  let rest = "";
  const take = (input: string): readonly Frame[] => {
    const end = input.lastIndexOf("\n") + 1;
    // A line is looked through when it is whole: a long one comes in many packets.
    const lines = end === 0 ? [] : (rest + input.slice(0, end)).split("\n");
    rest = end === 0 ? rest + input : input.slice(end);
    refuseOver(rest.length);
    return lines.filter((line) => line.trim() !== "").map((data) => ({ data }));
  };
  return {
    push: (bytes) => take(text.decode(bytes, { stream: true })),
    end: () => take(text.decode() + "\n"),
  };
}

/** https://smithy.io/2.0/aws/amazon-eventstream.html (2026-11-20). */
const PRELUDE = 12;
const CHECKSUM = 4;
const MOST_HEADERS = 128 * 1024;
const MOST_PAYLOAD = 24 * 1024 * 1024;

/**
 * The binary messages of AWS: two lengths and their checksum, headers, payload,
 * and a checksum of it all. After a broken one no other can be found, so it is
 * the last.
 */
class EventStreamReader implements FrameReader {
  readonly #text = new TextDecoder();
  /** What has come of the next message: the first `#length` bytes. */
  #held = new Uint8Array(0);
  #length = 0;
  #broken = false;
  /** Headers as they came last: nearly all messages have the same. */
  #lastBytes = new Uint8Array(0);
  #lastHeaders: MessageHeaders = new Map();

  push(bytes: Uint8Array): readonly Frame[] {
    if (this.#broken) return [];
    const all = this.#length === 0 ? bytes : this.#append(bytes);
    const view = new DataView(all.buffer, all.byteOffset, all.length);
    const frames: Frame[] = [];
    let at = 0;
    try {
      for (let size = sizeAt(view, at); size > 0; size = sizeAt(view, at)) {
        frames.push(this.#read(all, view, at, at + size - CHECKSUM));
        at += size;
      }
    } catch (thrown) {
      if (!(thrown instanceof BrokenMessage)) throw thrown;
      frames.push(this.#break(thrown.message));
    }
    if (at > 0 || this.#length === 0) {
      this.#held = all.slice(at);
      this.#length = this.#held.length;
    }
    return frames;
  }

  end(): readonly Frame[] {
    return this.#broken || this.#length === 0 ? [] : [this.#break("ends inside a message")];
  }

  #append(bytes: Uint8Array): Uint8Array {
    const length = this.#length + bytes.length;
    if (length > this.#held.length) {
      // Twice as much as is needed, so that a long message is not copied for each packet.
      const grown = new Uint8Array(2 * length);
      grown.set(this.#held.subarray(0, this.#length));
      this.#held = grown;
    }
    this.#held.set(bytes, this.#length);
    this.#length = length;
    return this.#held.subarray(0, length);
  }

  #break(what: string): Frame {
    this.#broken = true;
    const message = `The provider's event stream ${what}`;
    return { data: JSON.stringify({ message }), failed: true };
  }

  /** Reads the message from `start` to its checksum at `end`. */
  #read(bytes: Uint8Array, view: DataView, start: number, end: number): Frame {
    if (crc32(bytes.subarray(start, end)) !== view.getUint32(end)) {
      throw new BrokenMessage("holds a message with a wrong checksum");
    }
    const payload = start + PRELUDE + view.getUint32(start + 4);
    const headers = this.#readHeaders(bytes.subarray(start + PRELUDE, payload));
    const data = this.#text.decode(bytes.subarray(payload, end));
    switch (headers.get(":message-type")) {
      case "event":
        return { event: headers.get(":event-type"), data };
      case "exception":
        return { event: headers.get(":exception-type") ?? "", data, failed: true };
      case "error": {
        const message = headers.get(":error-message");
        const event = headers.get(":error-code") ?? "";
        return { event, data: JSON.stringify({ message }), failed: true };
      }
      default:
        throw new BrokenMessage("holds a message of no known type");
    }
  }

  #readHeaders(bytes: Uint8Array): MessageHeaders {
    const last = this.#lastBytes;
    if (bytes.length === last.length && bytes.every((byte, at) => byte === last[at])) {
      return this.#lastHeaders;
    }
    this.#lastHeaders = readHeaders(bytes);
    this.#lastBytes = bytes.slice();
    return this.#lastHeaders;
  }
}

/** Names to values, of those headers that are text. */
type MessageHeaders = ReadonlyMap<string, string>;

/** Thrown inside the reader only. */
class BrokenMessage extends Error {}

/** The length of the message that begins here, or 0 while it is not all there. */
function sizeAt(view: DataView, at: number): number {
  const there = view.byteLength - at;
  if (there < PRELUDE) return 0;
  const size = view.getUint32(at);
  const headers = view.getUint32(at + 4);
  const payload = size - headers - PRELUDE - CHECKSUM;
  // Checked before anything of that size is waited for.
  if (payload < 0 || payload > MOST_PAYLOAD || headers > MOST_HEADERS) {
    throw new BrokenMessage("holds a message of an impossible length");
  }
  const lengths = new Uint8Array(view.buffer, view.byteOffset + at, 8);
  if (crc32(lengths) !== view.getUint32(at + 8)) {
    throw new BrokenMessage("holds a message with a wrong checksum");
  }
  return there < size ? 0 : size;
}

/** Lengths of headers' values by the number of their type; bytes and text say their own. */
const VALUE_LENGTHS = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16] as const;
const BYTES = 6;
const TEXT = 7;

function readHeaders(bytes: Uint8Array): MessageHeaders {
  const headers = new Map<string, string>();
  const names = new Set<string>();
  let at = 0;
  const take = (length: number): Uint8Array => {
    at += length;
    if (at > bytes.length) throw new BrokenMessage("holds a malformed header");
    return bytes.subarray(at - length, at);
  };
  const count = (length: number) => take(length).reduce((sum, byte) => sum * 256 + byte, 0);
  const text = new TextDecoder();
  while (at < bytes.length) {
    const name = text.decode(take(count(1)));
    const type = count(1);
    if (name === "" || names.has(name) || type >= VALUE_LENGTHS.length) {
      throw new BrokenMessage("holds a malformed header");
    }
    names.add(name);
    const value = take(type === BYTES || type === TEXT ? count(2) : VALUE_LENGTHS[type] ?? 0);
    if (type === TEXT) headers.set(name, text.decode(value));
  }
  return headers;
}
