/** Reads frames from bytes that may be split anywhere. */

import process from "node:process";
import { createParser } from "eventsource-parser";
import { GatewayError } from "../core/errors.ts";
import { isQuickToParse } from "../core/json/limits.ts";
import { PartialFrame } from "./partial_frame.ts";
import type { Frame, Framing } from "../contract/stream_decoder.ts";

/**
 * The maximum length of a message, in UTF-16 units or bytes, which bounds the memory of a stream.
 */
const MAX_FRAME_LENGTH = 8 * 1024 * 1024;

/** @throws {GatewayError} `upstream_error` for a message that is too long. */
export function refuseOver(length: number): void {
  if (length <= MAX_FRAME_LENGTH) return;
  throw new GatewayError("upstream_error", "The provider sent an event over 8 MiB");
}

/**
 * The failure of a stream with an event that would take a long time to parse, since events are
 * parsed in one go.
 */
export const COMPLEX_EVENT = {
  kind: "upstream_error",
  message: "The provider sent an event that holds too many elements or levels",
} as const;

/** Collects bytes and returns each frame as soon as it is complete. */
export interface FrameReader {
  push(bytes: Uint8Array): readonly Frame[];
  /** Handles the end of the stream: returns a final frame without a terminator, if any. */
  end(): readonly Frame[];
}

/**
 * Whether the last frame of a stream is complete. A truncated frame is ignored rather than treated
 * as malformed.
 */
export function isComplete({ data }: Frame): boolean {
  // It is rejected when it is read, with a specific message.
  if (!isQuickToParse(data)) return true;
  try {
    return data === "[DONE]" || JSON.parse(data) !== undefined;
  } catch {
    return false;
  }
}

/** Creates the reader for a framing. */
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
  // The number of bytes passed to the parser since its last event.
  let charsSinceEvent = 0;
  return {
    push: (bytes) => {
      const frames = parser.feed(text.decode(bytes, { stream: true }));
      charsSinceEvent = frames.length > 0 ? 0 : charsSinceEvent + bytes.length;
      refuseOver(charsSinceEvent);
      return frames;
    },
    end: () => parser.end(text.decode()),
  };
}

/** Parses server-sent events from text. `end` receives the last piece of the text. */
export interface SseParser {
  feed(text: string): readonly Frame[];
  end(text: string): readonly Frame[];
}

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). The
 * parser drops a last event without a blank line. Vendors that close the connection early send such
 * an event, so `end` adds the blank line. The parser also skips JSON without a `data:` prefix. At
 * the end of the stream such JSON becomes the last frame, because Google reports failures this way
 * (https://github.com/vercel/ai/issues/5217, 2025).
 *
 * Events without data, and those whose data is a comment, yield no frame.
 */
export function createSseParser(): SseParser {
  let frames: Frame[] = [];
  const tail = new TextTail();
  const parser = createParser({
    onEvent: ({ event, data: sent }) => {
      const data = withoutComments(sent);
      if (data !== "") frames.push({ event, data });
    },
  });
  const feed = (text: string): readonly Frame[] => {
    tail.add(text);
    parser.feed(text);
    const taken = frames;
    frames = [];
    return taken;
  };
  return { feed, end: (text) => [...feed(text + "\n\n"), ...readBareJson(tail.text)] };
}

/**
 * The data of an event without the comments at its start. Some servers send their heartbeats
 * through an event writer, so that `: keepalive` arrives as data
 * (https://github.com/anomalyco/opencode/issues/50871, 2026). No JSON text begins with a colon.
 */
function withoutComments(data: string): string {
  let rest = data;
  while (isComment(rest)) {
    const end = rest.indexOf("\n");
    rest = end === -1 ? "" : rest.slice(end + 1);
  }
  return rest;
}

function isComment(line: string): boolean {
  // Most data begins with a brace, so no further check is needed.
  return line.startsWith(":") || line.startsWith(" ") && /^ *:/.test(line);
}

/** The last pieces of text of a stream. They are joined only at its end. */
class TextTail {
  #pieces: string[] = [];
  #length = 0;
  /** The first stored piece. */
  #first = 0;

  add(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    for (;;) {
      const { length = 0 } = this.#pieces[this.#first] ?? "";
      if (this.#length - length < MAX_BARE_JSON_CHARS) break;
      this.#length -= length;
      this.#pieces[this.#first++] = "";
    }
    if (this.#first < MAX_DROPPED_PIECES) return;
    this.#pieces = this.#pieces.slice(this.#first);
    this.#first = 0;
  }

  /** The last {@linkcode MAX_BARE_JSON_CHARS} characters, or the whole text. */
  get text(): string {
    return this.#pieces.slice(this.#first).join("").slice(-MAX_BARE_JSON_CHARS);
  }
}

const MAX_DROPPED_PIECES = 64;

/** The maximum length of JSON without a prefix, in UTF-16 units. */
const MAX_BARE_JSON_CHARS = 8192;

/** Reads the JSON without a prefix after the last event, if there is any. */
function readBareJson(tail: string): Frame[] {
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

/** Reads newline-delimited JSON, with one value per line. */
function createLineReader(): FrameReader {
  const text = new TextDecoder();
  let rest = "";
  const take = (input: string): readonly Frame[] => {
    const end = input.lastIndexOf("\n") + 1;
    // Only new input is searched for line breaks, since a long line arrives in many packets.
    const lines = end === 0 ? [] : (rest + input.slice(0, end)).split("\n");
    rest = end === 0 ? rest + input : input.slice(end);
    refuseOver(rest.length);
    return lines.filter((line) => line.trim() !== "" && !isComment(line))
      .map((data) => ({ data }));
  };
  return {
    push: (bytes) => take(text.decode(bytes, { stream: true })),
    end: () => take(text.decode() + "\n"),
  };
}

/** https://smithy.io/2.0/aws/amazon-eventstream.html (2026-11-20). */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const MAX_HEADER_BYTES = 128 * 1024;
const MAX_PAYLOAD_BYTES = MAX_FRAME_LENGTH;

/**
 * Reads AWS's binary messages: two lengths with a checksum, headers, payload, and a checksum of the
 * whole message. A malformed message ends the stream, since the start of the next message is then
 * unknown.
 */
class EventStreamReader implements FrameReader {
  readonly #text = new TextDecoder();
  /** The received part of the next message. */
  readonly #partial = new PartialFrame();
  #failed = false;
  /** Caches the headers of the last message. Nearly all messages have the same headers. */
  #lastBytes = new Uint8Array(0);
  #lastHeaders: MessageHeaders = new Map();

  push(bytes: Uint8Array): readonly Frame[] {
    if (this.#failed) return [];
    const isContinued = this.#partial.length > 0;
    if (isContinued) this.#partial.add(bytes);
    const all = isContinued ? this.#partial.bytes : bytes;
    const view = new DataView(all.buffer, all.byteOffset, all.length);
    const frames: Frame[] = [];
    let at = 0;
    try {
      for (let size = sizeAt(view, at); size > 0; size = sizeAt(view, at)) {
        frames.push(this.#read(all, view, at, at + size - CHECKSUM_BYTES));
        at += size;
      }
    } catch (thrown) {
      if (!(thrown instanceof MalformedMessage)) throw thrown;
      frames.push(this.#fail(thrown.message));
    }
    if (at > 0 || !isContinued) {
      const rest = all.subarray(at);
      this.#partial.take();
      this.#partial.add(rest);
    }
    return frames;
  }

  end(): readonly Frame[] {
    return this.#failed || this.#partial.length === 0 ? [] : [this.#fail("ends inside a message")];
  }

  #fail(what: string): Frame {
    this.#failed = true;
    const message = `The provider's event stream ${what}`;
    return { data: JSON.stringify({ message }), failed: true };
  }

  /** Reads the message from `start` to its checksum at `end`. */
  #read(bytes: Uint8Array, view: DataView, start: number, end: number): Frame {
    if (crc32(bytes.subarray(start, end)) !== view.getUint32(end)) {
      throw new MalformedMessage("holds a message with a wrong checksum");
    }
    const payload = start + PRELUDE_BYTES + view.getUint32(start + 4);
    const headers = this.#readHeaders(bytes.subarray(start + PRELUDE_BYTES, payload));
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
        throw new MalformedMessage("holds a message of no known type");
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

/** The values of text headers, by name. */
type MessageHeaders = ReadonlyMap<string, string>;

/** Thrown and caught inside the reader. */
class MalformedMessage extends Error {}

let zlib: typeof import("node:zlib") | undefined;

/** The checksum of bytes. The module is loaded on first use, because loading takes time. */
function crc32(bytes: Uint8Array): number {
  zlib ??= process.getBuiltinModule("node:zlib");
  return zlib.crc32(bytes);
}

/**
 * The length in bytes of the message that begins here, or 0 while it is incomplete.
 *
 * @throws {MalformedMessage} for an impossible length or a wrong checksum.
 */
function sizeAt(view: DataView, at: number): number {
  const available = view.byteLength - at;
  if (available < PRELUDE_BYTES) return 0;
  const size = view.getUint32(at);
  const headers = view.getUint32(at + 4);
  const payload = size - headers - PRELUDE_BYTES - CHECKSUM_BYTES;
  // Checked before the reader waits for a message of that size.
  if (payload < 0 || payload > MAX_PAYLOAD_BYTES || headers > MAX_HEADER_BYTES) {
    throw new MalformedMessage("holds a message of an impossible length");
  }
  const lengths = new Uint8Array(view.buffer, view.byteOffset + at, 8);
  if (crc32(lengths) !== view.getUint32(at + 8)) {
    throw new MalformedMessage("holds a message with a wrong checksum");
  }
  return available < size ? 0 : size;
}

/**
 * Lengths of header values in bytes, by type number. Values of type bytes or text have a prefix.
 */
const VALUE_LENGTHS = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16] as const;
const BYTES_TYPE = 6;
const TEXT_TYPE = 7;

function readHeaders(bytes: Uint8Array): MessageHeaders {
  const headers = new Map<string, string>();
  const names = new Set<string>();
  let at = 0;
  const take = (length: number): Uint8Array => {
    at += length;
    if (at > bytes.length) throw new MalformedMessage("holds a malformed header");
    return bytes.subarray(at - length, at);
  };
  const count = (length: number) => take(length).reduce((sum, byte) => sum * 256 + byte, 0);
  const text = new TextDecoder();
  while (at < bytes.length) {
    const name = text.decode(take(count(1)));
    const type = count(1);
    if (name === "" || names.has(name) || type >= VALUE_LENGTHS.length) {
      throw new MalformedMessage("holds a malformed header");
    }
    names.add(name);
    const value = take(
      type === BYTES_TYPE || type === TEXT_TYPE ? count(2) : VALUE_LENGTHS[type] ?? 0,
    );
    if (type === TEXT_TYPE) headers.set(name, text.decode(value));
  }
  return headers;
}
