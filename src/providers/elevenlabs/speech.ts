/** Speech: https://elevenlabs.io/docs/api-reference/text-to-speech/stream (2026-11). */

import type { Auth, VendorRequest } from "../contract/adapter.ts";
import type { SpeechApi, SpeechCall } from "../contract/speech.ts";
import { converted, ignored, native } from "../contract/support.ts";
import { speedWithin } from "../shared/speech_speed.ts";
import { isOpenAiVoice, voiceName } from "../shared/voices.ts";

/** "George", the voice of the vendor's examples, in place of OpenAI's voices. */
const USUAL_VOICE = "JBFqnCBsd6RMkjVDRZzb";
/** The vendor's formats; it makes MP3 without one. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["pcm", "pcm_24000"],
  ["opus", "opus_48000_128"],
]);
const USUAL_FORMAT = "mp3";
const [MIN_SPEED, MAX_SPEED] = [0.7, 1.2];

/** Speech by ElevenLabs, whose audio passes as it arrives. */
export function elevenLabsSpeech(auth: Auth): SpeechApi {
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
    // An answer of JSON is an error.
    toBody: () => undefined,
  };
}

function toRequest(call: SpeechCall, auth: Auth): VendorRequest {
  const { fields, model, provider, request: { input }, receipt } = call;
  const name = voiceName(call);
  const voice = isOpenAiVoice(name) ? USUAL_VOICE : name;
  if (voice !== name) receipt.convert("voice", name, voice);
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

function formatOf({ receipt, request }: SpeechCall): string | undefined {
  const { response_format: format = USUAL_FORMAT } = request;
  const own = FORMATS.get(format);
  if (own === undefined && format !== USUAL_FORMAT) {
    receipt.convert("response_format", format, USUAL_FORMAT);
  }
  return own;
}
