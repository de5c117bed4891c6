/**
 * Speech: https://docs.mistral.ai/studio/audio/text-to-speech/generate-speech (2026-11), and the
 * requests and events of https://github.com/mistralai/client-python (3.7.0, 2026-11).
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import type { SpeechApi, SpeechBody, SpeechCall } from "../../contract/media.ts";
import { converted, ignored, native } from "../../contract/support.ts";
import { isOpenAiVoice, voiceName } from "../shared/speech.ts";
import { isQuickToParse } from "../../core/json/limits.ts";
import type { VendorAnswer, VendorRequest } from "../../contract/vendor_request.ts";

// Events of audio with OpenAI's names and members, by the models of https://github.com/mistralai/client-python (3.7.0, 2026-11).

/**
 * The members of an event; none for other data, and for data that the gateway rejects as too
 * complex. Exported for tests.
 */
export function eventMembers({ data }: Frame): JsonObject {
  if (!isQuickToParse(data)) return {};
  try {
    const value = JSON.parse(data);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * Converts the events of one transcription; the language, which OpenAI's events lack, is forwarded
 * unchanged.
 */
export function transcriptEvents(): (frame: Frame) => Frame {
  let segments = 0;
  return (frame) => {
    const { text, type, ...others } = eventMembers(frame);
    switch (type) {
      case "transcription.text.delta":
        return toFrame({ type: "transcript.text.delta", delta: text, ...others });
      case "transcription.segment": {
        const { speaker_id: speaker, ...times } = others;
        const id = `seg_${segments++}`;
        const named = { ...times, ...(speaker !== undefined && speaker !== null && { speaker }) };
        return toFrame({ type: "transcript.text.segment", id, text, ...named });
      }
      case "transcription.done":
        return toFrame({ type: "transcript.text.done", text, ...others });
      default:
        return frame;
    }
  };
}

function toFrame(event: JsonObject & { readonly type: string }): Frame {
  return { event: event.type, data: JSON.stringify(event) };
}

const BYTES = Float32Array.BYTES_PER_ELEMENT;
const MAX = 32_767;

/** Converts samples that may be split anywhere. */
class FloatSamples {
  /** The beginning of a split sample. */
  #rest = new Uint8Array(0);

  /** The samples that are complete, as OpenAI's PCM. */
  toIntegers(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    const count = Math.floor(all.length / BYTES);
    this.#rest = all.slice(count * BYTES);
    const floats = new DataView(all.buffer);
    const integers = new DataView(new ArrayBuffer(count * 2));
    for (let index = 0; index < count; index++) {
      const sample = floats.getFloat32(index * BYTES, true);
      integers.setInt16(index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * MAX), true);
    }
    return new Uint8Array(integers.buffer);
  }
}

/** A preset voice, in place of OpenAI's voices. */
const USUAL_VOICE = "en_paul_neutral";
/** The vendor's formats with their media types. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["pcm", "audio/pcm"],
  ["flac", "audio/flac"],
  ["opus", "audio/ogg"],
]);
const USUAL_FORMAT = "mp3";

/** Speech by Mistral, whose answers and events contain audio as base64. */
export const mistralSpeech: SpeechApi = {
  supports: {
    parameters: {
      voice: converted(`voice_id; ${USUAL_VOICE} for OpenAI's voices`),
      instructions: ignored("no such field"),
      response_format: converted("mp3, wav, flac, opus or pcm, whose samples become integers"),
      speed: ignored("no such field"),
      stream_format: converted("stream, whose events get OpenAI's members"),
    },
    extensions: {
      ref_audio: native,
      expressiveness: native,
      phoneme_hints: native,
      conversation_history: native,
      metadata: native,
      prompt_cache_key: native,
    },
  },
  adds: {},
  toRequest,
  toBody,
  convertEvents,
};

function toRequest(call: SpeechCall): VendorRequest {
  const { fields, model, provider, changes, request: { input, stream_format: events } } = call;
  const format = formatOf(call);
  if (events === "sse") changes.convert("stream_format", events, "stream");
  return {
    url: `${provider.baseUrl}/audio/speech`,
    headers: {},
    auth: { type: "bearer" },
    body: {
      model: model.upstream,
      input,
      voice_id: voiceOf(call),
      ...(format !== undefined && { response_format: format }),
      ...(events === "sse" && { stream: true }),
      ...fields,
    },
  };
}

function voiceOf(call: SpeechCall): string {
  const name = voiceName(call);
  if (isOpenAiVoice(name)) {
    call.changes.convert("voice", name, USUAL_VOICE);
    return USUAL_VOICE;
  }
  call.changes.rename("voice", "voice_id");
  return name;
}

function formatOf({ changes, request: { response_format: format } }: SpeechCall) {
  if (format === undefined || TYPES.has(format)) return format;
  changes.convert("response_format", format, USUAL_FORMAT);
  return USUAL_FORMAT;
}

function toBody({ body }: VendorAnswer, call: SpeechCall): SpeechBody | undefined {
  if (!isObject(body)) return undefined;
  const bytes = decoded(body.audio_data);
  if (bytes === undefined || bytes.length === 0) return undefined;
  const format = call.request.response_format ?? USUAL_FORMAT;
  const audio = format === "pcm" ? new FloatSamples().toIntegers(bytes) : bytes;
  return { audio, type: TYPES.get(format) ?? "audio/mpeg", usage: toUsage(body.usage) };
}

/** Events with OpenAI's members, and PCM as 16-bit integers. */
function convertEvents({ request }: SpeechCall): (frame: Frame) => Frame {
  const samples = request.response_format === "pcm" ? new FloatSamples() : undefined;
  return (frame) => {
    const { audio_data: data, usage, ...body } = eventMembers(frame);
    if (data === undefined && usage === undefined) return frame;
    const own = samples === undefined ? data : asIntegers(data, samples);
    const counts = toUsage(usage);
    const event = {
      ...body,
      ...(own !== undefined && { audio: own }),
      ...(counts !== undefined && { usage: counts }),
    };
    return { ...frame, data: JSON.stringify(event) };
  };
}

function asIntegers(data: unknown, samples: FloatSamples): unknown {
  const bytes = decoded(data);
  return bytes === undefined ? data : samples.toIntegers(bytes).toBase64();
}

/** Token counts as OpenAI names them for audio. */
function toUsage(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const { prompt_tokens: input, completion_tokens: output = 0, total_tokens: total } = usage;
  // Models billed by characters report no tokens, or zeros.
  if (!(Number(input) > 0)) return undefined;
  return { input_tokens: input, output_tokens: output, total_tokens: total };
}

function decoded(data: unknown): Uint8Array<ArrayBuffer> | undefined {
  try {
    return isText(data) ? Uint8Array.fromBase64(data) : undefined;
  } catch {
    return undefined;
  }
}
