/**
 * Transcription by vendors whose answers are words with times, in their own format, and that do not
 * translate.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { VendorRequest } from "../contract/adapter.ts";
import { converted, type Support } from "../contract/support.ts";
import type {
  TranscriptionApi,
  TranscriptionCall,
  TranscriptionParameter,
} from "../contract/transcriptions.ts";
import {
  AS_ONE_EVENT,
  convertFormat,
  NO_FIELD,
  refuseTranslations,
  toAnswer,
} from "./transcripts.ts";

/** A transcript as the vendor writes it. */
interface WordTranscript {
  readonly text: unknown;
  readonly language: unknown;
  /** The first number is the length of the audio in seconds. */
  readonly seconds: readonly unknown[];
  /** With `word`, `start` and `end`, in seconds. */
  readonly words: readonly JsonObject[];
}

/** How such a vendor differs from others. */
export interface WordTranscriptions {
  readonly parameters: Readonly<Pick<Record<TranscriptionParameter, Support>, "language">> & {
    readonly temperature?: Support;
  };
  readonly extensions: Readonly<Record<string, Support>>;
  toRequest(call: TranscriptionCall, api: TranscriptionApi): VendorRequest;
  read(body: JsonObject): WordTranscript;
}

/** Transcription by such a vendor. */
export function wordTranscriptions(row: WordTranscriptions): TranscriptionApi {
  const api: TranscriptionApi = {
    supports: {
      parameters: {
        language: row.parameters.language,
        prompt: NO_FIELD,
        response_format: converted("json, text, or verbose_json with words; json for others"),
        temperature: row.parameters.temperature ?? NO_FIELD,
        timestamp_granularities: converted("verbose_json has the times of words"),
        include: NO_FIELD,
        chunking_strategy: NO_FIELD,
        stream: AS_ONE_EVENT,
      },
      extensions: row.extensions,
    },
    adds: {},
    toRequest(call) {
      refuseTranslations(call);
      convertFormat(call, true);
      return row.toRequest(call, api);
    },
    toBody({ body }, call) {
      if (!isObject(body)) return undefined;
      const { text, language, seconds, words } = row.read(body);
      if (typeof text !== "string") return undefined;
      return toAnswer({
        text,
        language: isText(language) ? language : undefined,
        seconds: seconds.find((value) => typeof value === "number"),
        words,
      }, call);
    },
  };
  return api;
}
