/** Transcription: the file is the body, and the fields are the query. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { Auth } from "../contract/adapter.ts";
import { native } from "../contract/support.ts";
import type { TranscriptionApi } from "../contract/transcriptions.ts";
import { memberOf } from "../shared/embeddings.ts";
import { wordTranscriptions } from "../shared/word_transcripts.ts";
import { toQuery } from "./query.ts";

/** Transcription by Deepgram. */
export function deepgramTranscriptions(auth: Auth): TranscriptionApi {
  return wordTranscriptions({
    parameters: { language: native },
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
    toRequest({ fields, model, provider, receipt, request: { file } }) {
      return {
        url: `${provider.baseUrl}/listen?${toQuery({ model: model.upstream, ...fields })}`,
        headers: {},
        body: { file: file.filename },
        auth,
        // The query has been sent when later fields arrive.
        upload: { file, onLateField: ([name]) => receipt.ignore(name.replace(/\[\]$/, "")) },
      };
    },
    read({ metadata, results }) {
      const channel = firstOf(memberOf(results, "channels"));
      const best = firstOf(memberOf(channel, "alternatives"));
      const list = Array.isArray(best?.words) ? best.words.filter(isObject) : [];
      return {
        text: best?.transcript,
        language: memberOf(channel, "detected_language"),
        seconds: [memberOf(metadata, "duration")],
        words: list.map(({ word, punctuated_word: written, start, end }) => ({
          word: written ?? word,
          start,
          end,
        })),
      };
    },
  });
}

function firstOf(list: unknown): JsonObject | undefined {
  const [first] = Array.isArray(list) ? list : [];
  return isObject(first) ? first : undefined;
}
