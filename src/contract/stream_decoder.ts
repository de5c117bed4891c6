/** How an adapter decodes the frames of a stream. */

import type { ChunkBody, Usage } from "./chat.ts";
import type { UpstreamError } from "./vendor_request.ts";

/**
 * The decoder's guarantee that a frame produces one chunk, which depends only on this text. A later
 * frame that differs only in the text produces the same chunk with the other text.
 */
export interface PlainEvent {
  /** The text in the frame and in the chunk; not empty. */
  readonly text: string;
  /** Another string of the frame that may differ and does not affect the chunk. */
  readonly ignoredText?: string | undefined;
}

/** The result of decoding one frame of a stream. */
export interface Step {
  readonly chunks: readonly ChunkBody[];
  /** The vendor reported a failure: later frames are ignored. */
  readonly failure?: UpstreamError;
  /** The answer is complete: later frames are ignored. */
  readonly done?: boolean;
  /** Lets the template cache convert frames like this one without the decoder. */
  readonly plain?: PlainEvent | undefined;
}

/**
 * Decodes the frames of one stream. Its chunks have no envelope, and their order within one step
 * does not matter, because the gateway writes the role first, the finish reason and the usage last,
 * and removes repetitions.
 */
export interface StreamDecoder {
  push(frame: Frame): Step;
  /** The vendor's token counts so far, for a stream that is interrupted before its last chunk. */
  readonly usage?: Usage | undefined;
  /** Handles the end of the connection. A failure means that the answer is incomplete. */
  end(): Step;
  /**
   * The entries of `reasoning_details` so far. Callers receive the entries at the end of the
   * stream, but the tool-call IDs that contain them earlier.
   *
   * @param choice the index of the choice
   */
  detailsOf?(choice: number): readonly unknown[];
  /** Whether entries may change or be added after the first tool call. */
  readonly detailsMayGrow?: boolean;
}

/** A step without chunks. */
export const NOTHING: Step = { chunks: [] };

/** How a vendor frames its stream. */
export type Framing = "sse" | "ndjson" | "aws-event-stream";

/** One message of a stream. */
export interface Frame {
  /** The event's name, if the framing has one. */
  readonly event?: string | undefined;
  /** The text of the message, usually JSON. */
  readonly data: string;
  /**
   * True if the framing marks the message as a failure. If `event` is missing, the gateway could
   * not read the message.
   */
  readonly failed?: boolean;
}
