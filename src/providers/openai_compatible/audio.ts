/** Transcription in the OpenAI dialect: `POST /audio/transcriptions` and `/audio/translations`. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { OperationTables } from "../../contract/operation_api.ts";
import type {
  SpeechApi,
  SpeechCall,
  SpeechParameter,
  TranscriptionApi,
  TranscriptionBody,
  TranscriptionCall,
  TranscriptionParameter,
} from "../../contract/media.ts";
import { converted, ignored, native, type Support } from "../../contract/support.ts";
import { AS_ONE_EVENT, refuseTranslations, toLateFields } from "../shared/transcripts.ts";
import { toFormFields } from "../../contract/form.ts";
import type { Auth, VendorAnswer, VendorRequest } from "../../contract/vendor_request.ts";

/** For models that do not stream events. */
export const IN_ONE_EVENT = converted("the audio in one event");

/** How a vendor's speech differs from OpenAI's. */
interface DialectSpeech {
  readonly parameters?: Readonly<Partial<Record<SpeechParameter, Support>>>;
  readonly extensions?: OperationTables["extensions"];
  readonly supportFor?: NonNullable<SpeechApi["supportFor"]>;
  readonly auth?: Auth;
  /** The URL, if it is not `/audio/speech`. */
  url?(call: SpeechCall): string;
  /** Changes the complete body before it is sent. */
  request?(body: JsonObject, call: SpeechCall): JsonObject;
  /** The model name for the vendor, if it is not the model's `upstream`. */
  model?(call: SpeechCall): string;
}

/**
 * The rules for OpenAI's models: https://platform.openai.com/docs/api-reference/audio/createSpeech
 * (2026-11).
 */
export const OPENAI_SPEECH: DialectSpeech = {
  supportFor: ({ base }) =>
    /^tts-1/.test(base)
      ? { instructions: ignored("gpt-4o-mini-tts and later"), stream_format: IN_ONE_EVENT }
      : {},
};

/** Speech for a vendor of the dialect. Its audio and its events are forwarded unchanged. */
export function dialectSpeech(row: DialectSpeech = {}): SpeechApi {
  return {
    supports: {
      parameters: {
        voice: native,
        instructions: native,
        response_format: native,
        speed: native,
        stream_format: native,
        ...row.parameters,
      },
      extensions: row.extensions ?? "all",
    },
    adds: {},
    ...(row.supportFor && { supportFor: row.supportFor }),
    toRequest(call) {
      const { fields, model, provider, request: { input } } = call;
      const body = { model: row.model?.(call) ?? model.upstream, input, ...fields };
      return {
        url: row.url?.(call) ?? `${provider.baseUrl}/audio/speech`,
        headers: {},
        body: row.request?.(body, call) ?? body,
        auth: row.auth ?? { type: "bearer" },
      };
    },
    // A JSON answer is an error.
    toBody: () => undefined,
  };
}

/** How a vendor's transcription differs from OpenAI's. */
interface DialectTranscriptions {
  readonly parameters?: Readonly<Partial<Record<TranscriptionParameter, Support>>>;
  readonly extensions?: OperationTables["extensions"];
  readonly supportFor?: NonNullable<TranscriptionApi["supportFor"]>;
  readonly auth?: Auth;
  /** Whether audio can be translated. Default: true. */
  readonly translates?: boolean;
  /** The suffix of a list's name. Default: `[]`. */
  readonly listMark?: string;
  readonly convertEvents?: NonNullable<TranscriptionApi["convertEvents"]>;
  /** The URL, if it is not that of the task below `/audio`. */
  url?(call: TranscriptionCall): string;
  /** The model name for the vendor, if it is not the model's `upstream`. */
  model?(call: TranscriptionCall): string;
}

/**
 * The rules for OpenAI's models:
 * https://platform.openai.com/docs/api-reference/audio/createTranscription (2026-11).
 */
export const OPENAI_TRANSCRIPTIONS: DialectTranscriptions = {
  supportFor: ({ base }) =>
    base.includes("whisper")
      ? { stream: AS_ONE_EVENT, include: ignored("gpt-4o models only") }
      : base.includes("transcribe")
      ? { timestamp_granularities: ignored("whisper-1 only") }
      : {},
};

/** Transcription for a vendor of the dialect. */
export function dialectTranscriptions(row: DialectTranscriptions = {}): TranscriptionApi {
  const api: TranscriptionApi = {
    supports: {
      parameters: {
        language: native,
        prompt: native,
        response_format: native,
        temperature: native,
        timestamp_granularities: native,
        include: native,
        chunking_strategy: native,
        stream: native,
        ...row.parameters,
      },
      extensions: row.extensions ?? "all",
    },
    adds: {},
    ...(row.supportFor && { supportFor: row.supportFor }),
    ...(row.convertEvents && { convertEvents: row.convertEvents }),
    toRequest: (call) => toRequest(call, row, api),
    toBody,
  };
  return api;
}

function toRequest(
  call: TranscriptionCall,
  row: DialectTranscriptions,
  api: TranscriptionApi,
): VendorRequest {
  const { fields, model, provider, request: { file, task } } = call;
  if (row.translates === false) refuseTranslations(call);
  const body = { model: row.model?.(call) ?? model.upstream, ...fields };
  const mark = row.listMark ?? "[]";
  return {
    url: row.url?.(call) ?? `${provider.baseUrl}/audio/${task}`,
    headers: {},
    body: { ...body, file: file.filename },
    auth: row.auth ?? { type: "bearer" },
    form: {
      file,
      fields: toFormFields(body, mark),
      toLateField: toLateFields(call, api, mark),
    },
  };
}

function toBody({ body }: VendorAnswer): TranscriptionBody | undefined {
  return isObject(body) && typeof body.text === "string" ? { answer: body } : undefined;
}
