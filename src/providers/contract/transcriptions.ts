/** The contract of transcription: audio becomes text, in its language or in English. */

import type { JsonObject } from "../../core/json/object.ts";
import type { UploadedFile } from "./form.ts";
import type { OperationApi, OperationCall, OperationRequest } from "./operation_api.ts";

/** Whether the text is in the language of the audio, or in English. */
export type TranscriptionTask = "transcriptions" | "translations";

/** A validated request. Other fields are texts, or lists of texts. */
export interface TranscriptionRequest extends OperationRequest {
  readonly task: TranscriptionTask;
  readonly file: UploadedFile;
  readonly response_format?: string;
  readonly stream?: boolean;
}

/** Every field that the gateway knows, in the order in which tables print it. */
export const TRANSCRIPTION_PARAMETERS = [
  "language",
  "prompt",
  "response_format",
  "temperature",
  "timestamp_granularities",
  "include",
  "chunking_strategy",
  "stream",
] as const;
export type TranscriptionParameter = (typeof TRANSCRIPTION_PARAMETERS)[number];

/** An answer of JSON. Other answers pass unchanged. */
export interface TranscriptionBody {
  readonly answer: JsonObject;
  /** Whether the caller gets only the text of it. */
  readonly asText?: boolean;
}

export type TranscriptionCall = OperationCall<TranscriptionRequest>;
export type TranscriptionApi = OperationApi<
  TranscriptionRequest,
  TranscriptionBody,
  TranscriptionParameter
>;
