/** Transcription: https://elevenlabs.io/docs/api-reference/speech-to-text/convert (2026-11). */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Auth, VendorAnswer, VendorRequest } from "../contract/adapter.ts";
import type {
  TranscriptionApi,
  TranscriptionBody,
  TranscriptionCall,
} from "../contract/transcriptions.ts";
import { native, renamed } from "../contract/support.ts";
import { toFormFields } from "../shared/form_fields.ts";
import {
  AS_ONE_EVENT,
  convertFormat,
  NO_FIELD,
  refuseTranslations,
  toAnswer,
  toLateFields,
  WITH_WORDS,
  WORDS_ALWAYS,
} from "../shared/transcripts.ts";

/** Transcription by ElevenLabs, whose forms have files as they arrive. */
export function elevenLabsTranscriptions(auth: Auth): TranscriptionApi {
  const api: TranscriptionApi = {
    supports: {
      parameters: {
        language: renamed("language_code"),
        prompt: NO_FIELD,
        response_format: WITH_WORDS,
        temperature: native,
        timestamp_granularities: WORDS_ALWAYS,
        include: NO_FIELD,
        chunking_strategy: NO_FIELD,
        stream: AS_ONE_EVENT,
      },
      extensions: {
        diarize: native,
        num_speakers: native,
        tag_audio_events: native,
        file_format: native,
        keyterms: native,
        seed: native,
      },
    },
    adds: {},
    toRequest: (call) => toRequest(call, api, auth),
    toBody,
  };
  return api;
}

function toRequest(call: TranscriptionCall, api: TranscriptionApi, auth: Auth): VendorRequest {
  refuseTranslations(call);
  convertFormat(call, true);
  const { fields, model, provider, request: { file } } = call;
  const body = { model_id: model.upstream, ...fields };
  return {
    url: `${provider.baseUrl}/speech-to-text`,
    headers: {},
    body: { ...body, file: file.filename },
    auth,
    form: { file, fields: toFormFields(body, ""), toLateField: toLateFields(call, api, "") },
  };
}

function toBody({ body }: VendorAnswer, call: TranscriptionCall): TranscriptionBody | undefined {
  if (!isObject(body) || typeof body.text !== "string") return undefined;
  const { text, language_code: language, words: list, audio_duration_secs: duration } = body;
  const words = (Array.isArray(list) ? list.filter(isObject) : []).filter(({ type }) =>
    type === undefined || type === "word"
  ).map(({ text: word, start, end }): JsonObject => ({ word, start, end }));
  const last = words.at(-1)?.end;
  const seconds = [duration, last].find((value) => typeof value === "number");
  return toAnswer(
    { text, words, seconds, language: isText(language) ? language : undefined },
    call,
  );
}
