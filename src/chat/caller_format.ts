/**
 * The contract of a caller format: how the body of a request is read into the internal chat
 * request, and how an answer, its stream and a failure are written for the caller.
 */

import type { GatewayError } from "../core/errors.ts";
import type { ChatRequest, ChunkBody, CompletionBody, FinishReason, Usage } from "./chat.ts";

/** What identifies an answer. It fills what the vendor leaves out. */
export interface Envelope {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The upstream name of the model. */
  readonly model: string;
}

/** What a caller saw of an answer, without its content. */
export interface AnswerSummary {
  readonly id: string;
  readonly model: string;
  readonly finishReasons: readonly FinishReason[];
}

/** Writes one stream. */
export interface StreamWriter {
  /** True when something other than the beginning of a message was written. */
  readonly started: boolean;
  /** True when every choice that began has a finish reason, and at least one began. */
  readonly complete: boolean;
  /** The last usage that the vendor reported. */
  readonly usage: Usage | undefined;
  readonly summary: AnswerSummary;
  /** The text of a chunk: any number of events. */
  write(chunk: ChunkBody): string;
  /** The last events of a complete stream. */
  end(): string;
}

/** One format that clients use. */
export interface CallerFormat {
  /** The format's name in logs and traces. */
  readonly name: string;
  /** The prefix of the answer IDs that the gateway makes. */
  readonly idPrefix: string;
  /** A piece of a stream that clients ignore. */
  readonly keepAlive: Uint8Array<ArrayBuffer>;
  /** @throws {GatewayError} `invalid_value` with the path of the first fault in `param`. */
  readRequest(body: unknown): ChatRequest;
  /** An answer that is not streamed, as the text of the response body. */
  writeCompletion(body: CompletionBody, envelope: Envelope): string;
  /**
   * Whether a vendor's body in OpenAI's format can be passed through unchanged, as the text
   * that came: nothing in it would be added or changed.
   */
  isPassable(body: unknown): body is CompletionBody;
  createStreamWriter(envelope: Envelope, request: ChatRequest): StreamWriter;
  /** The body of an answer that is an error. */
  writeError(error: GatewayError): string;
  /** The last event of a stream that failed after it began. */
  writeStreamError(error: GatewayError): Uint8Array<ArrayBuffer>;
}
