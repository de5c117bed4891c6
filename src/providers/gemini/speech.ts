/** Google's speech models: https://ai.google.dev/gemini-api/docs/speech-generation (2026-11). */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { VendorAnswer, VendorRequest } from "../contract/adapter.ts";
import type { SpeechApi, SpeechBody, SpeechCall } from "../contract/speech.ts";
import { converted, ignored } from "../contract/support.ts";
import { memberOf } from "../shared/embeddings.ts";
import { isOpenAiVoice, voiceName } from "../shared/voices.ts";
import { toWav } from "../shared/wav.ts";
import { type GoogleModels, toMediaUsage } from "./images.ts";

const MODALITIES = "generationConfig.responseModalities";
/** The voice in place of OpenAI's. */
const USUAL_VOICE = "Kore";
/** Samples a second of the vendor's audio, if it does not say so. */
const USUAL_RATE = 24_000;

/** Speech by Google. */
export function googleSpeech(api: GoogleModels): SpeechApi {
  return {
    supports: {
      parameters: {
        voice: converted(`voiceName; ${USUAL_VOICE} for OpenAI's voices`),
        instructions: converted("before the text"),
        response_format: converted("wav or pcm; wav for others"),
        speed: ignored("no such field"),
        stream_format: converted("the audio in one event"),
      },
      extensions: {},
    },
    adds: { [MODALITIES]: "AUDIO: the vendor requires it" },
    toRequest: (call) => toRequest(call, api),
    toBody,
  };
}

function toRequest(call: SpeechCall, { resource, auth }: GoogleModels): VendorRequest {
  const { receipt, request: { input, instructions, response_format: format = "mp3" } } = call;
  receipt.add(MODALITIES);
  if (instructions !== undefined) receipt.convert("instructions");
  if (!RAW.has(format) && format !== "wav") receipt.convert("response_format", format, "wav");
  const voiceConfig = { prebuiltVoiceConfig: { voiceName: voiceOf(call) } };
  return {
    url: `${resource(call)}:generateContent`,
    headers: {},
    auth: auth(call),
    body: {
      contents: [{
        role: "user",
        parts: [{ text: instructions === undefined ? input : `${instructions}: ${input}` }],
      }],
      generationConfig: { responseModalities: ["AUDIO"], speechConfig: { voiceConfig } },
    },
  };
}

/** Formats without a header. */
const RAW: ReadonlySet<string> = new Set(["pcm"]);

function voiceOf(call: SpeechCall): string {
  const name = voiceName(call);
  if (!isOpenAiVoice(name)) return name;
  call.receipt.convert("voice", name, USUAL_VOICE);
  return USUAL_VOICE;
}

function toBody({ body }: VendorAnswer, { request }: SpeechCall): SpeechBody | undefined {
  if (!isObject(body)) return undefined;
  const { data, mimeType } = audioIn(body);
  const samples = isText(data) ? decoded(data) : undefined;
  if (samples === undefined) return undefined;
  const usage = toMediaUsage(body.usageMetadata);
  if (RAW.has(request.response_format ?? "")) return { audio: samples, type: "audio/pcm", usage };
  const rate = Number(/rate=(\d{4,6})/.exec(String(mimeType))?.[1] ?? USUAL_RATE);
  return { audio: toWav(samples, rate), type: "audio/wav", usage };
}

function audioIn({ candidates }: JsonObject): JsonObject {
  const [first] = Array.isArray(candidates) ? candidates : [];
  const parts = memberOf(memberOf(first, "content"), "parts");
  const found = (Array.isArray(parts) ? parts : []).map((part) => memberOf(part, "inlineData"));
  return found.find(isObject) ?? {};
}

function decoded(data: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(data);
  } catch {
    return undefined;
  }
}
