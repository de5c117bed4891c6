/** Speech: https://developers.deepgram.com/reference/text-to-speech/speak-request (2026-11). */

import type { JsonObject } from "../../core/json/object.ts";
import type { Auth, VendorRequest } from "../contract/adapter.ts";
import type { SpeechApi, SpeechCall } from "../contract/speech.ts";
import { converted, ignored, native } from "../contract/support.ts";
import { speedWithin } from "../shared/speech_speed.ts";
import { voiceName } from "../shared/voices.ts";
import { toQuery } from "./query.ts";

/** The vendor's encodings; it makes MP3 without one. */
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

/** Speech by Deepgram, whose models are voices, and whose audio passes as it arrives. */
export function deepgramSpeech(auth: Auth): SpeechApi {
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
    // An answer of JSON is an error.
    toBody: () => undefined,
  };
}

function toRequest(call: SpeechCall, auth: Auth): VendorRequest {
  const { fields, model, provider, receipt, request } = call;
  const { input, response_format: format = USUAL_FORMAT } = request;
  const name = voiceName(call);
  if (name !== model.upstream) receipt.convert("voice", name, model.upstream);
  const encoding = ENCODINGS.get(format);
  if (encoding === undefined && format !== USUAL_FORMAT) {
    receipt.convert("response_format", format, USUAL_FORMAT);
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
