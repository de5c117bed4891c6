/** The interface by which a caller format reads answers of vendor APIs in the same format. */

import type { AnswerSummary } from "./chat/caller_format.ts";
import type { Usage } from "../contract/chat.ts";
import type { JsonObject } from "../core/json/object.ts";
import type { Frame } from "../contract/stream_decoder.ts";

/** Reads the events of one native stream. A caller format provides it. */
export interface NativeStreamReader {
  /** True once an event with content was read. */
  readonly started: boolean;
  /** True once the event that ends an answer has been read. */
  readonly complete: boolean;
  /** True for a format without a final event: an answer ends with its stream. */
  readonly endsWithStream?: boolean;
  /** The usage that was read so far. */
  readonly usage: Usage | undefined;
  /** The service tier that the vendor reports. */
  readonly serviceTier?: string | undefined;
  readonly summary: AnswerSummary;
  /** The length of the text, reasoning and tool arguments that were read so far; approximate. */
  readonly outputChars: number;
  /**
   * Skips the complete events at `start` that need not be decoded, and counts their output. Called
   * once the answer has started. The bytes are valid during the call. @returns the position after
   * these events
   */
  skip?(bytes: Uint8Array, start: number): number;
  /**
   * True for a reader that changes events. Otherwise the vendor's bytes are forwarded unchanged.
   */
  readonly rewrites?: boolean;
  /**
   * Reads one event; `bytes` is set if the event is forwarded unchanged. Returns the body of an
   * error event, which is not forwarded, or the data that replaces that of the event.
   */
  push(
    frame: Frame,
    bytes?: Uint8Array,
  ): { readonly error: unknown } | { readonly data: string } | undefined;
}

/** Writes the events of a binary answer. */
export interface BytesWriter {
  write(bytes: Uint8Array): string;
  end(): string;
}

/** The metadata of an answer. */
export interface NativeAnswer {
  readonly usage: Usage | undefined;
  /** The service tier that the vendor reports. */
  readonly serviceTier?: string | undefined;
  readonly summary: AnswerSummary;
  /** The body for the caller, if it differs from the vendor's. */
  readonly text?: string;
}

/** Reads vendor answers that are already in the caller's format. */
export interface NativeAnswers {
  createReader(): NativeStreamReader;
  /**
   * Reads an answer that is not streamed: its usage and summary, or the error that it contains.
   *
   * @throws {GatewayError} `upstream_error` for any other body.
   */
  readAnswer(body: JsonObject): NativeAnswer | { readonly error: unknown };
}
