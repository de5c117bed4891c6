/** ElevenLabs, speech and transcription: https://elevenlabs.io/docs/api-reference (2026-11). */

import { isObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { openAiCompatible } from "../openai_compatible/openai_compatible_adapter.ts";
import { toUpstreamError } from "../openai_compatible/errors.ts";
import type { SpeechApi, SpeechCall, TranscriptionApi } from "../../contract/media.ts";
import { converted, ignored, native, renamed } from "../../contract/support.ts";
import { isOpenAiVoice, speedWithin, voiceName } from "../shared/speech.ts";
import { toFormFields } from "../../contract/form.ts";
import { toLateFields, wordTranscriptions } from "../shared/transcripts.ts";
import type { Auth, Failure, UpstreamError, VendorRequest } from "../../contract/vendor_request.ts";

// Speech: https://elevenlabs.io/docs/api-reference/text-to-speech/stream (2026-11).

/** "George", the voice of the vendor's examples, in place of OpenAI's voices. */
const USUAL_VOICE = "JBFqnCBsd6RMkjVDRZzb";
/** The vendor's formats; MP3 is its default. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["pcm", "pcm_24000"],
  ["opus", "opus_48000_128"],
]);
const USUAL_FORMAT = "mp3";
const [MIN_SPEED, MAX_SPEED] = [0.7, 1.2];

/** Speech by ElevenLabs, whose audio is forwarded as it arrives. */
function elevenLabsSpeech(auth: Auth): SpeechApi {
  return {
    supports: {
      parameters: {
        voice: converted("the ID in the path; the voice George for OpenAI's voices"),
        instructions: ignored("no such field"),
        response_format: converted("output_format: mp3, pcm or opus; mp3 for others"),
        speed: converted(`voice_settings.speed, ${MIN_SPEED} to ${MAX_SPEED}`),
        stream_format: converted("events with the audio as it arrives"),
      },
      extensions: {
        language_code: native,
        seed: native,
        previous_text: native,
        next_text: native,
      },
    },
    adds: {},
    toRequest: (call) => toRequest(call, auth),
    // A JSON answer is an error.
    toBody: () => undefined,
  };
}

function toRequest(call: SpeechCall, auth: Auth): VendorRequest {
  const { fields, model, provider, request: { input }, changes } = call;
  const name = voiceName(call);
  const voice = isOpenAiVoice(name) ? USUAL_VOICE : name;
  if (voice !== name) changes.convert("voice", name, voice);
  const format = formatOf(call);
  const speed = speedWithin(call, MIN_SPEED, MAX_SPEED, "voice_settings.speed");
  return {
    url: `${provider.baseUrl}/text-to-speech/${encodeURIComponent(voice)}/stream` +
      (format === undefined ? "" : `?output_format=${format}`),
    headers: {},
    auth,
    body: {
      text: input,
      model_id: model.upstream,
      ...(speed !== undefined && { voice_settings: { speed } }),
      ...fields,
    },
  };
}

function formatOf({ changes, request }: SpeechCall): string | undefined {
  const { response_format: format = USUAL_FORMAT } = request;
  const own = FORMATS.get(format);
  if (own === undefined && format !== USUAL_FORMAT) {
    changes.convert("response_format", format, USUAL_FORMAT);
  }
  return own;
}

// Transcription: https://elevenlabs.io/docs/api-reference/speech-to-text/convert (2026-11).

/** Transcription by ElevenLabs, with files sent as they arrive. */
function elevenLabsTranscriptions(auth: Auth): TranscriptionApi {
  return wordTranscriptions({
    parameters: { language: renamed("language_code"), temperature: native },
    extensions: {
      diarize: native,
      num_speakers: native,
      tag_audio_events: native,
      file_format: native,
      keyterms: native,
      seed: native,
    },
    toRequest(call, api) {
      const { fields, model, provider, request: { file } } = call;
      const body = { model_id: model.upstream, ...fields };
      return {
        url: `${provider.baseUrl}/speech-to-text`,
        headers: {},
        body: { ...body, file: file.filename },
        auth,
        form: { file, fields: toFormFields(body, ""), toLateField: toLateFields(call, api, "") },
      };
    },
    read({ audio_duration_secs: duration, language_code: language, text, words: list }) {
      const words = (Array.isArray(list) ? list.filter(isObject) : [])
        .filter(({ type }) => type === undefined || type === "word")
        .map(({ text: word, start, end }) => ({ word, start, end }));
      return { text, language, seconds: [duration, words.at(-1)?.end], words };
    },
  });
}

const AUTH: Auth = { type: "header", name: "xi-api-key" };

/** ElevenLabs. */
export const elevenlabs = openAiCompatible({
  kind: "elevenlabs",
  defaults: { baseUrl: "https://api.elevenlabs.io/v1", credentials: "required" },
  chats: false,
  auth: AUTH,
  requestIdHeader: "request-id",
  apis: {
    speech: elevenLabsSpeech(AUTH),
    transcriptions: elevenLabsTranscriptions(AUTH),
  },
  passthrough: ({ baseUrl }) => ({ baseUrl, auth: AUTH }),
  error: classifyError,
});

/**
 * The error is in `detail`: an object, or a text or list for an invalid request. An
 * exhausted quota has status 401 (https://help.elevenlabs.io/hc/en-us/articles/19572237925521,
 * 2026-11).
 */
function classifyError(failure: Failure): UpstreamError | undefined {
  const { body } = failure;
  if (!isObject(body) || body.detail === undefined) return undefined;
  const { detail } = body;
  const [first] = Array.isArray(detail) ? detail : [detail];
  const error = isObject(first)
    ? { code: first.status ?? first.code, message: first.message ?? first.msg }
    : { message: isText(first) ? first : undefined };
  return toUpstreamError({ ...failure, body: { error } }, {
    quota_exceeded: "quota",
    missing_permissions: "upstream_auth",
    detected_unusual_activity: "upstream_auth",
    voice_not_found: "invalid_request",
  });
}
