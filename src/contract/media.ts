/** The types for speech, transcription and image generation: requests, parameters, answers. */

import type { JsonObject } from "../core/json/object.ts";
import type { OperationApi, OperationCall, OperationRequest } from "./operation_api.ts";
import type { FormImage, UploadedFile } from "./form.ts";

/** A validated request for speech. */
export interface SpeechRequest extends OperationRequest {
  readonly input: string;
  readonly voice: string | JsonObject;
  readonly instructions?: string;
  /** The format of the audio, such as `mp3`. */
  readonly response_format?: string;
  readonly speed?: number;
  /** Whether the answer is audio, or a stream of events with pieces of audio. */
  readonly stream_format?: "audio" | "sse";
}

/** All known fields, in the order of printed tables. */
export const SPEECH_PARAMETERS = [
  "voice",
  "instructions",
  "response_format",
  "speed",
  "stream_format",
] as const;
export type SpeechParameter = (typeof SPEECH_PARAMETERS)[number];

/** The audio in a JSON answer. The bytes of other answers are forwarded unchanged. */
export interface SpeechBody {
  readonly audio: Uint8Array<ArrayBuffer>;
  /** The media type. */
  readonly type: string;
  /** Token counts as OpenAI names them for audio. */
  readonly usage?: JsonObject | undefined;
}

export type SpeechCall = OperationCall<SpeechRequest>;
export type SpeechApi = OperationApi<SpeechRequest, SpeechBody, SpeechParameter>;

/** Whether the text is in the language of the audio or in English. */
export type TranscriptionTask = "transcriptions" | "translations";

/** A validated request. Other fields are strings, or lists of strings. */
export interface TranscriptionRequest extends OperationRequest {
  readonly task: TranscriptionTask;
  readonly file: UploadedFile;
  readonly response_format?: string;
  readonly stream?: boolean;
}

/** All known fields, in the order of printed tables. */
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

/** A JSON answer. Other answers are forwarded unchanged. */
export interface TranscriptionBody {
  readonly answer: JsonObject;
  /** Whether the caller receives only the text. */
  readonly asText?: boolean;
}

export type TranscriptionCall = OperationCall<TranscriptionRequest>;
export type TranscriptionApi = OperationApi<
  TranscriptionRequest,
  TranscriptionBody,
  TranscriptionParameter
>;

/** A validated request for images. */
export interface ImageRequest extends OperationRequest {
  readonly prompt: string;
  readonly n?: number;
  /** Width and height, such as `1024x1024`, or `auto`. */
  readonly size?: string;
  readonly quality?: string;
  readonly response_format?: "b64_json" | "url";
  readonly output_format?: string;
  readonly output_compression?: number;
  readonly stream?: boolean;
  readonly partial_images?: number;
  /** The images to edit; absent for a new image. */
  readonly images?: readonly FormImage[];
  /** The mask; the first image is edited where the mask is transparent. */
  readonly mask?: FormImage;
}

/** All known fields, in the order of printed tables. */
export const IMAGE_PARAMETERS = [
  "n",
  "size",
  "quality",
  "style",
  "background",
  "moderation",
  "output_format",
  "output_compression",
  "response_format",
  "stream",
  "partial_images",
  "user",
] as const;
export type ImageParameter = (typeof IMAGE_PARAMETERS)[number];

/** One image: its data or its URL. */
export type GeneratedImage =
  & { readonly revised_prompt?: string }
  & ({ readonly b64_json: string } | { readonly url: string });

/** The content of one response. */
export interface ImageBody {
  readonly images: readonly GeneratedImage[];
  /** Unix seconds. */
  readonly created?: number | undefined;
  /** Token counts as OpenAI names them for images. */
  readonly usage?: JsonObject | undefined;
  /** Further members of the vendor's answer. */
  readonly extra?: JsonObject | undefined;
}

export type ImageCall = OperationCall<ImageRequest>;
export type ImageApi = OperationApi<ImageRequest, ImageBody, ImageParameter>;
