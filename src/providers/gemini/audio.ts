/**
 * Gemini's audio: speech, and transcription with the audio in the request.
 *
 * https://ai.google.dev/gemini-api/docs/audio (2026-11).
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, present } from "../../core/json/values.ts";
import type {
  SpeechApi,
  SpeechBody,
  SpeechCall,
  TranscriptionApi,
  TranscriptionBody,
  TranscriptionCall,
} from "../../contract/media.ts";
import { converted, ignored } from "../../contract/support.ts";
import { memberOf } from "../shared/embeddings.ts";
import { isOpenAiVoice, toWav, voiceName } from "../shared/speech.ts";
import { type GoogleModels, refusedAnswer, toMediaUsage } from "./images.ts";
import { AS_ONE_EVENT, convertFormat, NO_FIELD, toAnswer } from "../shared/transcripts.ts";
import type { VendorAnswer, VendorRequest } from "../../contract/vendor_request.ts";

// Google's speech models: https://ai.google.dev/gemini-api/docs/speech-generation (2026-11).

const MODALITIES = "generationConfig.responseModalities";
/** The default voice, which replaces OpenAI's voices. */
const USUAL_VOICE = "Kore";
/** The default sample rate of the vendor's audio, per second. */
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
    toRequest: (call) => toSpeechRequest(call, api),
    toBody: toSpeechBody,
  };
}

function toSpeechRequest(call: SpeechCall, { resource, auth }: GoogleModels): VendorRequest {
  const { changes, request: { input, instructions, response_format: format = "mp3" } } = call;
  changes.add(MODALITIES);
  if (instructions !== undefined) changes.convert("instructions");
  if (!RAW.has(format) && format !== "wav") changes.convert("response_format", format, "wav");
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
  call.changes.convert("voice", name, USUAL_VOICE);
  return USUAL_VOICE;
}

function toSpeechBody({ body }: VendorAnswer, { request }: SpeechCall): SpeechBody | undefined {
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

const INSTRUCTION = "contents.parts.text";

/** Media types by file extension, for files without a type. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ...[["mp3", "audio/mp3"], ["mpga", "audio/mp3"], ["wav", "audio/wav"], ["flac", "audio/flac"]],
  ...[["ogg", "audio/ogg"], ["aac", "audio/aac"], ["aiff", "audio/aiff"], ["m4a", "audio/m4a"]],
  ...[["mp4", "video/mp4"], ["webm", "video/webm"], ["mpeg", "video/mpeg"]],
] as [string, string][]);

/** Transcription by Gemini. */
export function googleTranscriptions(api: GoogleModels): TranscriptionApi {
  return {
    supports: {
      parameters: {
        language: converted("in the instruction"),
        prompt: converted("in the instruction"),
        response_format: converted("json or text; json for others"),
        temperature: converted("generationConfig.temperature"),
        timestamp_granularities: NO_FIELD,
        include: NO_FIELD,
        chunking_strategy: NO_FIELD,
        stream: AS_ONE_EVENT,
      },
      extensions: {},
    },
    adds: { [INSTRUCTION]: "the instruction to transcribe or to translate, which models need" },
    needsWholeFile: true,
    toRequest: (call) => toTranscriptionRequest(call, api),
    toBody: toTranscriptionBody,
  };
}

function toTranscriptionRequest(
  call: TranscriptionCall,
  { resource, auth }: GoogleModels,
): VendorRequest {
  const { changes, request: { file, temperature } } = call;
  changes.add(INSTRUCTION);
  convertFormat(call, false);
  if (temperature !== undefined) changes.rename("temperature", "generationConfig.temperature");
  const data = (file.whole ?? new Uint8Array()).toBase64();
  const generationConfig = present({
    temperature: temperature === undefined ? undefined : Number(temperature),
  });
  return {
    url: `${resource(call)}:generateContent`,
    headers: {},
    auth: auth(call),
    body: {
      contents: [{
        role: "user",
        parts: [{ text: instructionOf(call) }, { inlineData: { mimeType: typeOf(file), data } }],
      }],
      ...(temperature !== undefined && { generationConfig }),
    },
  };
}

function instructionOf({ changes, request }: TranscriptionCall): string {
  const { language, prompt, task } = request;
  const lines = [
    task === "translations"
      ? "Translate what is said in the audio into English."
      : "Transcribe what is said in the audio, word for word, in its language.",
    "Answer with the text only. If nothing is said, answer with nothing.",
  ];
  if (isText(language)) {
    changes.convert("language");
    lines.push(`The language of the audio: ${language}`);
  }
  if (isText(prompt)) {
    changes.convert("prompt");
    lines.push(`Spelling and style as in this text: ${prompt}`);
  }
  return lines.join("\n");
}

function typeOf({ filename, type }: TranscriptionCall["request"]["file"]): string {
  if (/^(?:audio|video)\//.test(type)) return type;
  const end = /\.([a-z0-9]{1,8})$/i.exec(filename)?.[1]?.toLowerCase() ?? "";
  return TYPES.get(end) ?? type;
}

/** @throws {GatewayError} `content_filter` for blocked audio. */
function toTranscriptionBody(
  { body }: VendorAnswer,
  call: TranscriptionCall,
): TranscriptionBody | undefined {
  if (!isObject(body)) return undefined;
  const candidates = Array.isArray(body.candidates) ? body.candidates : [];
  const [first] = candidates;
  if (first === undefined || memberOf(first, "finishReason") === "SAFETY") {
    throw refusedAnswer(body, "transcript");
  }
  const parts = memberOf(memberOf(first, "content"), "parts");
  const texts = (Array.isArray(parts) ? parts : []).filter((part) =>
    memberOf(part, "thought") !== true
  ).map((part) => memberOf(part, "text")).filter((text) => typeof text === "string");
  const text = texts.join("").trim();
  const counts = toMediaUsage(body.usageMetadata);
  return toAnswer({ text, usage: counts && { type: "tokens", ...counts } }, call);
}
