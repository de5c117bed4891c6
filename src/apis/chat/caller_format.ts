/**
 * The contract of a caller format: how the body of a request is read into the internal chat
 * request, and how an answer, its stream and a failure are written for the caller.
 */

import type { BudgetState } from "../../core/budget_period.ts";
import type { GatewayError } from "../../core/errors.ts";
import type {
  ChatRequest,
  ChunkBody,
  CompletionBody,
  FinishReason,
  Usage,
} from "../../contract/chat.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import type { FieldPaths } from "./field_paths.ts";

/** A request that was converted to a chat request. */
export interface ConvertedRequest {
  readonly chat: ChatRequest;
  /** The fields of the caller's request that the chat comes from. */
  readonly origins: FieldPaths;
  /** What the conversion ignored or changed. */
  readonly changes: RequestChanges;
}

/** The envelope of an answer, for members that the vendor omits. */
export interface Envelope {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The upstream name of the model. */
  readonly model: string;
}

/** An answer as sent to the caller, without its content. */
export interface AnswerSummary {
  readonly id: string;
  readonly model: string;
  readonly finishReasons: readonly FinishReason[];
}

/**
 * The cost of an answer in US dollars; undefined if the prices are unknown.
 *
 * @param tier the service tier that the vendor reports
 */
export type ToCost = (usage: Usage, tier: string | undefined) => number | undefined;

/** Writes one stream. */
export interface StreamWriter {
  /** True once something other than the beginning of a message has been written. */
  readonly started: boolean;
  /** True when every choice that began has a finish reason, and at least one began. */
  readonly complete: boolean;
  /** The last usage that the vendor reported. */
  readonly usage: Usage | undefined;
  /** The service tier that the vendor reports. */
  readonly serviceTier?: string | undefined;
  readonly summary: AnswerSummary;
  /** The reasoning state, for formats that can send it before the end. */
  readonly details?: PendingDetails | undefined;
  /**
   * False when the events for a chunk depend on the chunks before it, so that events of the same
   * form cannot be repeated from a template. Default: true.
   */
  readonly isRepeatable?: boolean;
  /**
   * The longest answer, in UTF-16 units, of a format that repeats the whole answer at its end.
   * Default: no limit.
   */
  readonly maxLength?: number | undefined;
  /** The text of a chunk: any number of events. */
  write(chunk: ChunkBody): string;
  /** The last events of a complete stream. */
  end(): string;
}

/** The rate-limit headers of one format. */
export interface RateLimitHeaders {
  /** The prefix of their names. A vendor's headers with this prefix are forwarded. */
  readonly prefix: string;
  /**
   * Replaces OpenAI's `x-ratelimit-*` with them, unless the answer already has them.
   *
   * @param now milliseconds since the Unix epoch
   */
  rename(headers: Record<string, string>, now: number): void;
  /** Replaces the vendor's account state with that of the key's budget. */
  addBudget?(headers: Record<string, string>, budget: BudgetState): void;
}

/** One format that clients use. */
export interface CallerFormat {
  /** The format's name in logs and traces. */
  readonly name: string;
  /** The prefix of the answer IDs that the gateway generates. */
  readonly idPrefix: string;
  /** The media type of its streams. Default: `text/event-stream`. */
  readonly streamType?: string;
  /** A comment or an event in a silent stream, which clients ignore. */
  readonly keepAlive: Uint8Array<ArrayBuffer>;
  /** The same after these events, for formats with sequence numbers. */
  keepAliveAfter?(events: Uint8Array): Uint8Array<ArrayBuffer>;
  /** The same before the first event. Default: `keepAlive`. */
  readonly earlyKeepAlive?: Uint8Array<ArrayBuffer>;
  /** @throws {GatewayError} `invalid_value` with the path of the first fault in `param`. */
  readRequest(body: unknown): ChatRequest;
  /**
   * A non-streamed answer, as the text of the response body.
   *
   * @param isLong whether it should be written in time slices
   */
  writeCompletion(
    body: CompletionBody,
    envelope: Envelope,
    isLong: boolean,
  ): string | Promise<string>;
  /**
   * Whether a vendor's body in OpenAI's format can be passed through as is, because nothing would
   * be added or changed.
   */
  isPassable(body: unknown): body is CompletionBody;
  /** Creates the writer of one stream. */
  createStreamWriter(
    envelope: Envelope,
    request: Pick<ChatRequest, "stream_options">,
    toCost: ToCost,
  ): StreamWriter;
  /** The rate-limit headers of the format, if they are not OpenAI's. */
  readonly rateLimitHeaders?: RateLimitHeaders;
  /** Another header that clients of this format read the request ID from. */
  readonly requestIdHeader?: string;
  /** The status of an error answer, if it differs from the error's own. */
  statusOf?(error: GatewayError): number;
  /**
   * The body of an error answer.
   *
   * @param requestId as in the header `x-request-id`
   */
  writeError(error: GatewayError, requestId: string): string;
  /** The last event of a stream that failed after it had begun. */
  writeStreamError(error: GatewayError, requestId: string): Uint8Array<ArrayBuffer>;
}

/**
 * Entries of `reasoning_details`, in their order. Decoders send them in one delta at the end, since
 * some chat completions clients keep only the last one; writers of other formats read them from the
 * decoder earlier.
 */
export class PendingDetails {
  /** The entries that the decoder has collected so far. */
  read: () => readonly unknown[] = () => [];
  /** The number of entries read from the decoder. */
  #taken = 0;
  #pushed: unknown[] = [];

  /** Adds the entries of a delta. They may repeat those that the decoder had before. */
  push(entries: readonly unknown[]): void {
    if (this.read().length >= entries.length) return;
    for (const entry of entries.slice(this.#taken)) this.#pushed.push(entry);
  }

  /** The entries that have not been read yet. */
  take(): readonly unknown[] {
    const known = this.read();
    const entries = [...known.slice(this.#taken), ...this.#pushed];
    this.#taken = Math.max(this.#taken, known.length);
    this.#pushed = [];
    return entries;
  }
}
