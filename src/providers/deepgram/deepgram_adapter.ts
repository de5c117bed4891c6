/** Deepgram, speech and transcription: https://developers.deepgram.com/reference (2026-11). */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { openAiCompatible } from "../openai_compatible/openai_compatible_adapter.ts";
import { toUpstreamError } from "../openai_compatible/errors.ts";
import { toFormFields } from "../../contract/form.ts";
import type { SpeechApi, SpeechCall, TranscriptionApi } from "../../contract/media.ts";
import { converted, ignored, native } from "../../contract/support.ts";
import { speedWithin, voiceName } from "../shared/speech.ts";
import { memberOf } from "../shared/embeddings.ts";
import { wordTranscriptions } from "../shared/transcripts.ts";
import type { Auth, Failure, UpstreamError, VendorRequest } from "../../contract/vendor_request.ts";

/** The members of a request; the values of a list are repeated. */
function toQuery(members: JsonObject): string {
  return toFormFields(members, "")
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}

// Speech: https://developers.deepgram.com/reference/text-to-speech/speak-request (2026-11).

/** The vendor's encodings; MP3 is its default. */
const ENCODINGS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ["wav", { encoding: "linear16", container: "wav" }],
  ["pcm", { encoding: "linear16", container: "none", sample_rate: 24_000 }],
  ["opus", { encoding: "opus", container: "ogg" }],
  ["flac", { encoding: "flac" }],
  ["aac", { encoding: "aac" }],
]);
const USUAL_FORMAT = "mp3";
/** https://developers.deepgram.com/docs/tts-voice-controls (2026-11). */
const [MIN_SPEED, MAX_SPEED] = [0.7, 1.5];

/** Speech by Deepgram, whose models are voices, and whose audio is forwarded as it arrives. */
function deepgramSpeech(auth: Auth): SpeechApi {
  return {
    supports: {
      parameters: {
        voice: converted("the model, which is a voice"),
        instructions: ignored("no such field"),
        response_format: converted("encoding and container"),
        speed: converted(`${MIN_SPEED} to ${MAX_SPEED}`),
        stream_format: converted("events with the audio as it arrives"),
      },
      extensions: { bit_rate: native, mip_opt_out: native, tag: native },
    },
    adds: {},
    toRequest: (call) => toRequest(call, auth),
    // A JSON answer is an error.
    toBody: () => undefined,
  };
}

function toRequest(call: SpeechCall, auth: Auth): VendorRequest {
  const { fields, model, provider, changes, request } = call;
  const { input, response_format: format = USUAL_FORMAT } = request;
  const name = voiceName(call);
  if (name !== model.upstream) changes.convert("voice", name, model.upstream);
  const encoding = ENCODINGS.get(format);
  if (encoding === undefined && format !== USUAL_FORMAT) {
    changes.convert("response_format", format, USUAL_FORMAT);
  }
  const speed = speedWithin(call, MIN_SPEED, MAX_SPEED);
  const query = toQuery({
    model: model.upstream,
    ...encoding,
    ...(speed !== undefined && { speed }),
    ...fields,
  });
  return {
    url: `${provider.baseUrl}/speak?${query}`,
    headers: {},
    auth,
    body: { text: input },
  };
}

/** Transcription by Deepgram. */
function deepgramTranscriptions(auth: Auth): TranscriptionApi {
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
    toRequest({ fields, model, provider, changes, request: { file } }) {
      return {
        url: `${provider.baseUrl}/listen?${toQuery({ model: model.upstream, ...fields })}`,
        headers: {},
        body: { file: file.filename },
        auth,
        // The query has been sent when later fields arrive.
        upload: { file, onLateField: ([name]) => changes.ignore(name.replace(/\[\]$/, "")) },
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

const AUTH: Auth = { type: "header", name: "authorization", prefix: "Token " };

/** Deepgram. */
export const deepgram = openAiCompatible({
  kind: "deepgram",
  defaults: { baseUrl: "https://api.deepgram.com/v1", credentials: "required" },
  chats: false,
  auth: AUTH,
  requestIdHeader: "dg-request-id",
  apis: {
    speech: deepgramSpeech(AUTH),
    transcriptions: deepgramTranscriptions(AUTH),
  },
  passthrough: ({ baseUrl }) => ({ baseUrl, auth: AUTH }),
  error: classifyError,
});

/** Two error formats: https://developers.deepgram.com/reference/errors (2026-11). */
function classifyError(failure: Failure): UpstreamError | undefined {
  const { body } = failure;
  if (!isObject(body)) return undefined;
  const { category, details, err_code, err_msg, message } = body;
  const code = err_code ?? category;
  if (code === undefined) return undefined;
  const error = { code, message: err_msg ?? [message, details].filter(Boolean).join(" ") };
  return toUpstreamError({ ...failure, body: { error } }, {
    INVALID_AUTH: "upstream_auth",
    INSUFFICIENT_PERMISSIONS: { kind: "upstream_auth", suspends: "model" },
    ASR_PAYMENT_REQUIRED: "quota",
    TOO_MANY_REQUESTS: "rate_limited",
  });
}
