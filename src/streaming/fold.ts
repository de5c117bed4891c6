/**
 * Converts the stream of one answer: a synchronous fold frames, decodes and writes each packet, so
 * that one network read becomes one write.
 */

import type { StreamWriter } from "../apis/chat/caller_format.ts";
import type { ChunkBody } from "../contract/chat.ts";
import type { GatewayError } from "../core/errors.ts";
import { isQuickToParse } from "../core/json/limits.ts";
import { EventReader, type SseEvent } from "./event_splitter.ts";
import type { SseTemplateCache } from "./sse_template_cache.ts";
import { COMPLEX_EVENT, createFrameReader, type FrameReader, isComplete } from "./frame_readers.ts";
import type { Frame, Framing, Step, StreamDecoder } from "../contract/stream_decoder.ts";
import type { Packets } from "../upstream/read_response.ts";
import type { UpstreamError } from "../contract/vendor_request.ts";

/** The components of the fold. */
export interface FoldParts {
  readonly framing: Framing;
  readonly decoder: StreamDecoder;
  readonly writer: StreamWriter;
  /** Converts a vendor's failure into the error that the caller may see. */
  readonly toError: (upstreamError: NonNullable<Step["failure"]>) => GatewayError;
  /**
   * The number of plain events before the template cache learns a template. Learning a template
   * costs more than a few cache hits save. `Infinity` disables the template cache. Default: 4.
   */
  readonly learnsAfter?: number;
}

/** Converts the bytes of one stream for the caller. Input after the end is ignored. */
export interface AnswerFold {
  /** True once the answer has content. */
  readonly started: boolean;
  /** True once the answer is complete or has failed. */
  readonly ended: boolean;
  /** The failure that ended the answer early. */
  readonly failure: GatewayError | undefined;
  readonly usage: StreamWriter["usage"];
  readonly serviceTier: string | undefined;
  readonly summary: StreamWriter["summary"];
  /** UTF-16 units of the text, reasoning and tool arguments so far; approximate. */
  readonly outputChars: number;
  /** Called with all output, if set. */
  onWritten: ((output: string | Uint8Array) => void) | undefined;
  /**
   * Returns the events completed by these bytes, as text or as bytes. Bytes are valid until the
   * next `push` on any fold.
   */
  push(bytes: Uint8Array): string | Uint8Array;
  /**
   * Handles the end of the vendor's stream. Returns the last events; sets `failure` if the answer
   * is incomplete.
   */
  end(): string;
  /** Ends the answer with an error from the gateway. */
  fail(error: GatewayError): void;
}

/** Longer events, in UTF-16 units, are rare and are not parsed again to create a template. */
const MAX_TEMPLATE_LENGTH = 64 * 1024;

const LEARN_AFTER_EVENTS = 4;

/** Converts a vendor's bytes into the caller's events. It ignores input after the end. */
export class StreamFold implements AnswerFold {
  ended = false;
  failure: GatewayError | undefined;
  onWritten: ((output: string | Uint8Array) => void) | undefined;
  readonly #parts: FoldParts;
  readonly #reader: FrameReader | EventReader;
  readonly #learnsAfter: number;
  /** UTF-16 units of the output in parsed events. */
  #parsedChars = 0;
  /** The number of plain events that were parsed. */
  #plainEvents = 0;

  constructor(parts: FoldParts) {
    this.#parts = parts;
    const { decoder, writer } = parts;
    if (writer.details) writer.details.read = () => decoder.detailsOf?.(0) ?? [];
    this.#learnsAfter = parts.learnsAfter ?? LEARN_AFTER_EVENTS;
    this.#reader = parts.framing === "sse" && this.#learnsAfter !== Infinity
      ? new EventReader((event, templates) => this.#pushEvent(event, templates))
      : createFrameReader(parts.framing);
  }

  get started(): boolean {
    return this.#parts.writer.started;
  }

  get usage(): StreamWriter["usage"] {
    const { decoder, writer } = this.#parts;
    return writer.usage ?? decoder.usage;
  }

  get serviceTier(): string | undefined {
    return this.#parts.writer.serviceTier;
  }

  get summary(): StreamWriter["summary"] {
    return this.#parts.writer.summary;
  }

  get outputChars(): number {
    const matched = this.#reader instanceof EventReader ? this.#reader.matchedBytes : 0;
    return matched + this.#parsedChars;
  }

  push(bytes: Uint8Array): string | Uint8Array {
    const output = this.#reader instanceof EventReader
      ? this.#reader.push(bytes)
      : this.#pushFrames(this.#reader.push(bytes));
    this.onWritten?.(output);
    return output;
  }

  end(): string {
    let text = this.#pushFrames(this.#reader.end().filter(isComplete));
    if (!this.ended) text += this.#apply(this.#parts.decoder.end());
    if (!this.ended) text += this.#finish();
    this.onWritten?.(text);
    return text;
  }

  fail(error: GatewayError): void {
    this.ended = true;
    this.failure = error;
  }

  #pushFrames(frames: readonly Frame[]): string {
    let text = "";
    for (const frame of frames) {
      if (this.ended) break;
      text += this.#apply(this.#decode(frame));
    }
    return text;
  }

  /** Converts a parsed event, from which the template cache may learn. */
  #pushEvent(event: SseEvent, templates: SseTemplateCache): string {
    const [frame, ...others] = event.frames;
    if (frame === undefined || this.ended) return "";
    const step = this.#decode(frame);
    const text = this.#apply(step);
    templates.forget();
    if (
      step.plain !== undefined && others.length === 0 &&
      event.text.length <= MAX_TEMPLATE_LENGTH && this.#parts.writer.isRepeatable !== false &&
      this.#plainEvents++ >= this.#learnsAfter
    ) {
      templates.learn(event.text, text, step.plain);
    }
    return text + this.#pushFrames(others);
  }

  /**
   * A decoder parses an event in one go, so events that would take a long time to parse are
   * rejected.
   */
  #decode(frame: Frame): Step {
    if (isQuickToParse(frame.data)) return this.#parts.decoder.push(frame);
    return { chunks: [], failure: COMPLEX_EVENT };
  }

  #apply(step: Step): string {
    let text = "";
    for (const chunk of step.chunks) {
      this.#parsedChars += charsOf(chunk);
      if (this.#parsedChars > (this.#parts.writer.maxLength ?? Infinity)) {
        this.fail(this.#parts.toError(LONG_ANSWER));
        return text;
      }
      text += this.#parts.writer.write(chunk);
    }
    if (step.failure !== undefined) this.fail(this.#parts.toError(step.failure));
    else if (step.done) text += this.#finish();
    return text;
  }

  #finish(): string {
    const { writer, toError } = this.#parts;
    this.ended = true;
    if (writer.complete) return writer.end();
    this.failure = toError(endedEarly(writer.started));
    return "";
  }
}

/** The failure of a stream that is too long for the caller's format. */
const LONG_ANSWER = {
  kind: "upstream_error",
  message: "The provider's answer is too long to be streamed in this format",
} as const;

/** The failure of a stream that ends before its answer is complete. */
export function endedEarly(started: boolean): UpstreamError {
  const message = started
    ? "The provider's stream ended before the answer was complete"
    : "The provider's stream contained no answer";
  return { kind: "upstream_error", message };
}

function charsOf({ choices }: ChunkBody): number {
  let chars = 0;
  for (const { delta: { content, reasoning_content, tool_calls } } of choices) {
    chars += (content?.length ?? 0) + (reasoning_content?.length ?? 0);
    for (const call of tool_calls ?? []) {
      chars += call.function?.arguments?.length ?? call.custom?.input?.length ?? 0;
    }
  }
  return chars;
}

/** A started stream. */
export interface OpenStream {
  readonly fold: AnswerFold;
  readonly packets: Packets;
  /** The media type of a stream of bytes, such as audio, to which nothing may be added. */
  readonly contentType?: string | undefined;
  /** The events that were converted while looking for the first chunk, which are written first. */
  readonly first: Uint8Array<ArrayBuffer>;
}
