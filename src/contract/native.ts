/**
 * The interface of a native API, which is a vendor's API in the caller's format. The request body
 * is forwarded unchanged, except for the model name, fields that the target requires, and fields
 * that it is known to reject. Events pass unchanged.
 */

import type { JsonObject } from "./chat.ts";
import type { Frame, Framing } from "./stream_decoder.ts";
import type { PromptMarks } from "./prompt_marks.ts";
import type { RequestChanges } from "./request_changes.ts";
import type {
  Failure,
  ProviderSettings,
  TargetModel,
  UpstreamError,
  VendorRequest,
} from "./vendor_request.ts";

/** Counts the tokens of a request before it is sent. Pure, like an adapter. */
export interface TokenCounter<Call> {
  /** The vendor's `api` for which the request is converted, if the kind has several. */
  readonly api?: string;
  /**
   * Whether a 400 may mean that the vendor does not count tokens for this model. The count is then
   * estimated.
   */
  readonly mayRefuse?: boolean;
  /** @throws {GatewayError} with status 400 for a request that cannot be counted. */
  toRequest(call: Call): VendorRequest;
  /** The count in the vendor's answer; undefined if it contains none. */
  read(body: JsonObject): number | undefined;
}

/** The caller formats for which vendors have native APIs. */
export type NativeFormat = "gemini" | "messages" | "ollama" | "responses";

/** One request in a caller's format, on its way to a target whose API speaks that format. */
export interface NativeCall {
  /** The caller's body, unchanged. */
  readonly body: JsonObject;
  /** The caller's headers that belong to the format. Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The model's default `params` from the configuration, under the names of chat completions. */
  readonly params: JsonObject;
  readonly model: TargetModel;
  readonly provider: ProviderSettings;
  /** The API records ignored, converted and added fields here. */
  readonly changes: RequestChanges;
  readonly stream: boolean;
}

/** A vendor's API in a caller's format: pure functions, like an adapter. */
export interface NativeApi {
  readonly framing: Framing;
  /** Whether the API supports everything in a body. If not, the body is converted. Default: yes. */
  accepts?(body: JsonObject): boolean;
  /** @throws {GatewayError} with status 400 for a request that the target does not support. */
  toRequest(call: NativeCall): VendorRequest;
  toError(failure: Failure): UpstreamError;
  /**
   * Members of the body that clients of the format add on their own. The gateway remembers if they
   * are rejected. None when absent.
   */
  readonly optional?: ReadonlySet<string>;
  /**
   * True if it is unknown whether the server supports the API. After a 404 or 405 the request is
   * converted.
   */
  readonly mayBeAbsent?: boolean;
  /** Like the adapter member of this name. */
  promptMarks?(model: TargetModel): PromptMarks | undefined;
  /** The vendor's counter of input tokens, if it has one. */
  readonly counter?: TokenCounter<NativeCall>;
  /**
   * Extracts the event from a frame, if the framing wraps events; absent for server-sent events.
   * Returns undefined for a frame without an event.
   */
  unwrap?(frame: Frame): Frame | undefined;
}
