/**
 * Forwards the events of a native API unchanged, and reads usage, completeness and errors from
 * them.
 */

import type { AnswerSummary } from "../apis/chat/caller_format.ts";
import type { Usage } from "../contract/chat.ts";
import type { GatewayError } from "../core/errors.ts";
import { isQuickToParse } from "../core/json/limits.ts";
import type { Frame, Framing } from "../contract/stream_decoder.ts";
import type { NativeStreamReader } from "../apis/native_answers.ts";
import { endOfEvent } from "./event_splitter.ts";
import { type AnswerFold, endedEarly } from "./fold.ts";
import { PartialFrame } from "./partial_frame.ts";
import {
  COMPLEX_EVENT,
  createFrameReader,
  createSseParser,
  type FrameReader,
  isComplete,
  refuseOver,
} from "./frame_readers.ts";
import type { UpstreamError } from "../contract/vendor_request.ts";

/** The components of the fold. */
export interface NativeFoldParts {
  readonly framing: Framing;
  readonly reader: NativeStreamReader;
  /** Converts the body of an error event into the error that the caller may see. */
  readonly toError: (body: unknown) => GatewayError;
  /** The error for a stream that ends too early. */
  readonly toEndError: (error: UpstreamError) => GatewayError;
  /** The same as in `NativeApi`. */
  readonly unwrap?: ((frame: Frame) => Frame | undefined) | undefined;
}

/** A data line in an event for which the parser does not create a frame. */
const HAS_DATA = /^data(:|\r?$)/m;
/** A comment that a vendor sends as data. */
const COMMENT_AS_DATA = "data: :";
const LF = 10;
const CR = 13;

/** Forwards a vendor's events to the caller. Ignores input after the end. */
export class NativeFold implements AnswerFold {
  ended = false;
  failure: GatewayError | undefined;
  onWritten: ((output: string | Uint8Array) => void) | undefined;
  readonly #parts: NativeFoldParts;
  readonly #parser = createSseParser();
  /** The reader of a stream whose bytes cannot be forwarded unchanged. */
  #frames: FrameReader | undefined;
  /** The bytes after the last complete event. */
  readonly #tail = new PartialFrame();

  constructor(parts: NativeFoldParts) {
    this.#parts = parts;
    if (parts.framing !== "sse" || parts.reader.rewrites || parts.unwrap !== undefined) {
      this.#frames = createFrameReader(parts.framing);
    }
  }

  get started(): boolean {
    return this.#parts.reader.started;
  }

  get usage(): Usage | undefined {
    return this.#parts.reader.usage;
  }

  get serviceTier(): string | undefined {
    return this.#parts.reader.serviceTier;
  }

  get outputChars(): number {
    return this.#parts.reader.outputChars;
  }

  get summary(): AnswerSummary {
    return this.#parts.reader.summary;
  }

  push(packet: Uint8Array): string | Uint8Array {
    if (this.ended) return "";
    const output = this.#frames === undefined
      ? this.#pushBytes(packet)
      : this.#pushFrames(this.#frames.push(packet));
    this.onWritten?.(output);
    return output;
  }

  end(): string {
    if (this.ended) return "";
    const frames = this.#frames === undefined
      ? this.#parser.end(decoder.decode(this.#tail.take()))
      : this.#frames.end();
    const text = this.#pushFrames(frames.filter(isComplete));
    this.onWritten?.(text);
    const { complete, endsWithStream } = this.#parts.reader;
    if (endsWithStream && complete) this.ended = true;
    if (!this.ended) {
      this.fail(this.#parts.toEndError(endedEarly(this.started)));
    }
    return text;
  }

  fail(error: GatewayError): void {
    this.ended = true;
    this.failure = error;
  }

  /** Returns the bytes of the events completed by the packet, which end at blank lines. */
  #pushBytes(packet: Uint8Array): string | Uint8Array {
    const skipped = this.#tail.length === 0 ? this.#skip(packet, 0) : 0;
    if (skipped === packet.length) return packet;
    const rest = packet.subarray(skipped);
    if (this.#hasLoneReturn(rest)) {
      return decoder.decode(packet.subarray(0, skipped)) + this.#switchToFrames(rest);
    }
    if (!this.#completesEvent(rest)) {
      this.#tail.add(rest);
      refuseOver(this.#tail.length);
      return packet.subarray(0, skipped);
    }
    const bytes = skipped === 0 ? this.#withTail(packet) : packet;
    let passed = this.#skip(bytes, skipped);
    // The bytes before an omitted heartbeat, and the start of the remaining ones.
    let before = "";
    let start = 0;
    for (let end = endOfEvent(bytes, passed); end !== 0; end = endOfEvent(bytes, passed)) {
      const event = bytes.subarray(passed, end);
      const text = decoder.decode(event);
      const [frame] = this.#parser.feed(text);
      if (frame !== undefined && this.#read(frame, event) === undefined) break;
      if (frame === undefined ? HAS_DATA.test(text) : text.includes(COMMENT_AS_DATA)) {
        // Clients would try to parse the comment.
        before += decoder.decode(bytes.subarray(start, passed));
        if (frame !== undefined) before += toText(frame);
        start = end;
      }
      passed = end;
      if (this.#isComplete()) break;
      passed = this.#skip(bytes, passed);
    }
    if (!this.ended) this.#tail.add(bytes.subarray(passed));
    const last = bytes.subarray(start, passed);
    return before === "" ? last : before + decoder.decode(last);
  }

  /** The position after those complete events from `start` that need not be parsed. */
  #skip(bytes: Uint8Array, start: number): number {
    const { reader } = this.#parts;
    return reader.started ? reader.skip?.(bytes, start) ?? start : start;
  }

  /** Whether a blank line ends in this packet, so that the stored bytes must be copied. */
  #completesEvent(packet: Uint8Array): boolean {
    const tail = this.#tail;
    if (packet[0] === LF && (tail.endsWith(LF) || tail.endsWith(LF, CR))) return true;
    return packet[0] === CR && packet[1] === LF && tail.endsWith(LF) || endOfEvent(packet, 0) !== 0;
  }

  /** Whether a line ends with only a carriage return, which only the parser detects. */
  #hasLoneReturn(packet: Uint8Array): boolean {
    if (this.#tail.endsWith(CR) && packet.length > 0 && packet[0] !== LF) return true;
    const last = packet.length - 1;
    for (let at = packet.indexOf(CR); at !== -1 && at < last; at = packet.indexOf(CR, at + 1)) {
      if (packet[at + 1] !== LF) return true;
    }
    return false;
  }

  #switchToFrames(packet: Uint8Array): string {
    const bytes = this.#withTail(packet);
    this.#frames = createFrameReader("sse");
    return this.#pushFrames(this.#frames.push(bytes));
  }

  #pushFrames(frames: readonly Frame[]): string {
    let text = "";
    for (const frame of frames) {
      const event = this.#parts.unwrap === undefined ? frame : this.#parts.unwrap(frame);
      if (event === undefined) continue;
      const passed = this.#read(event);
      if (passed === undefined) break;
      text += this.#parts.framing === "ndjson" ? `${passed.data}\n` : toText(passed);
      if (this.#isComplete()) break;
    }
    return text;
  }

  /** Reads one event; undefined for an error, which ends the stream. */
  #read(event: Frame, bytes?: Uint8Array): Frame | undefined {
    if (!isQuickToParse(event.data)) {
      this.fail(this.#parts.toEndError(COMPLEX_EVENT));
      return undefined;
    }
    const read = this.#parts.reader.push(event, bytes);
    if (read === undefined) return event;
    if ("data" in read) return { ...event, data: read.data };
    this.fail(this.#parts.toError(read.error));
    return undefined;
  }

  #isComplete(): boolean {
    const { complete, endsWithStream } = this.#parts.reader;
    this.ended ||= complete && !endsWithStream;
    return this.ended;
  }

  /** The stored bytes joined with those of the packet. */
  #withTail(packet: Uint8Array): Uint8Array {
    if (this.#tail.length === 0) return packet;
    this.#tail.add(packet);
    // A copy, since the rest of it becomes the next tail.
    return this.#tail.take().slice();
  }
}

const decoder = new TextDecoder();

function toText({ event, data }: Frame): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data;
  return `${name}data: ${lines}\n\n`;
}
