/** Transcription: the file is the body, and the fields are the query. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Auth, VendorAnswer, VendorRequest } from "../contract/adapter.ts";
import type {
  TranscriptionApi,
  TranscriptionBody,
  TranscriptionCall,
} from "../contract/transcriptions.ts";
import { native } from "../contract/support.ts";
import { memberOf } from "../shared/embeddings.ts";
import { toFormFields } from "../shared/form_fields.ts";
import {
  AS_ONE_EVENT,
  convertFormat,
  NO_FIELD,
  refuseTranslations,
  toAnswer,
  WITH_WORDS,
  WORDS_ALWAYS,
} from "../shared/transcripts.ts";

/** Transcription by Deepgram. */
export function deepgramTranscriptions(auth: Auth): TranscriptionApi {
  return {
    supports: {
      parameters: {
        language: native,
        prompt: NO_FIELD,
        response_format: WITH_WORDS,
        temperature: NO_FIELD,
        timestamp_granularities: WORDS_ALWAYS,
        include: NO_FIELD,
        chunking_strategy: NO_FIELD,
        stream: AS_ONE_EVENT,
      },
      extensions: {
        detect_language: native,
        diarize: native,
        dictation: native,
        filler_words: native,
        keyterm: native,
        keywords: native,
        numerals: native,
        profanity_filter: native,
        punctuate: native,
        redact: native,
        replace: native,
        smart_format: native,
        tag: native,
      },
    },
    adds: {},
    toRequest: (call) => toRequest(call, auth),
    toBody,
  };
}

function toRequest(call: TranscriptionCall, auth: Auth): VendorRequest {
  refuseTranslations(call);
  convertFormat(call, true);
  const { fields, model, provider, receipt, request: { file } } = call;
  const query = toFormFields({ model: model.upstream, ...fields }, "")
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return {
    url: `${provider.baseUrl}/listen?${query.join("&")}`,
    headers: {},
    body: { file: file.filename },
    auth,
    // The query has been sent when later fields arrive.
    upload: { file, onLateField: ([name]) => receipt.ignore(name.replace(/\[\]$/, "")) },
  };
}

function toBody({ body }: VendorAnswer, call: TranscriptionCall): TranscriptionBody | undefined {
  if (!isObject(body) || !isObject(body.results)) return undefined;
  const channel = firstOf(body.results.channels);
  const best = firstOf(memberOf(channel, "alternatives"));
  if (typeof best?.transcript !== "string") return undefined;
  const list = Array.isArray(best.words) ? best.words.filter(isObject) : [];
  const words = list.map(({ word, punctuated_word: written, start, end }): JsonObject => ({
    word: written ?? word,
    start,
    end,
  }));
  const language = memberOf(channel, "detected_language");
  const seconds = memberOf(body.metadata, "duration");
  return toAnswer({
    text: best.transcript,
    language: isText(language) ? language : undefined,
    seconds: typeof seconds === "number" ? seconds : undefined,
    words,
  }, call);
}

function firstOf(list: unknown): JsonObject | undefined {
  const [first] = Array.isArray(list) ? list : [];
  return isObject(first) ? first : undefined;
}
