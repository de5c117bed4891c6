/** The contract of speech: a text becomes audio. */

import type { JsonObject } from "../../core/json/object.ts";
import type { OperationApi, OperationCall, OperationRequest } from "./operation_api.ts";

/** A validated request for speech. */
export interface SpeechRequest extends OperationRequest {
  readonly input: string;
  readonly voice: string | JsonObject;
  readonly instructions?: string;
  /** The format of the audio, such as `mp3`. */
  readonly response_format?: string;
  readonly speed?: number;
  /** Whether the answer is audio, or a stream of events with pieces of it. */
  readonly stream_format?: "audio" | "sse";
}

/** Every field that the gateway knows, in the order in which tables print it. */
export const SPEECH_PARAMETERS = [
  "voice",
  "instructions",
  "response_format",
  "speed",
  "stream_format",
] as const;
export type SpeechParameter = (typeof SPEECH_PARAMETERS)[number];

/** The audio of an answer that is JSON. The bytes of other answers pass unchanged. */
export interface SpeechBody {
  readonly audio: Uint8Array<ArrayBuffer>;
  /** The media type. */
  readonly type: string;
  /** Token counts as OpenAI names them for audio. */
  readonly usage?: JsonObject | undefined;
}

export type SpeechCall = OperationCall<SpeechRequest>;
export type SpeechApi = OperationApi<SpeechRequest, SpeechBody, SpeechParameter>;
