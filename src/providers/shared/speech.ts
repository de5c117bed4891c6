/** Writes audio as WAV. */

import type { SpeechCall } from "../../contract/media.ts";

const OPENAI_VOICES =
  /^(?:alloy|ash|ballad|cedar|coral|echo|fable|marin|nova|onyx|sage|shimmer|verse)$/;

/** Whether a voice is one of OpenAI's, which other vendors do not have. */
export function isOpenAiVoice(name: string): boolean {
  return OPENAI_VOICES.test(name);
}

/** The name of the requested voice. */
export function voiceName({ request: { voice } }: SpeechCall): string {
  return typeof voice === "string" ? voice : String(voice.id);
}

/**
 * The nearest speed that a vendor supports; undefined for the default.
 *
 * @param name the vendor's name for the field
 */
export function speedWithin(
  { changes, request: { speed } }: SpeechCall,
  min: number,
  max: number,
  name = "speed",
): number | undefined {
  if (speed === undefined || speed === 1) return undefined;
  const near = Math.min(max, Math.max(min, speed));
  if (near !== speed) changes.convert("speed", speed, near);
  else if (name !== "speed") changes.rename("speed", name);
  return near;
}

const HEADER_BYTES = 44;

/** One channel of 16-bit samples with the header of a WAV file (RIFF, format 1). */
export function toWav(samples: Uint8Array, rate: number): Uint8Array<ArrayBuffer> {
  const wav = new Uint8Array(HEADER_BYTES + samples.length);
  const view = new DataView(wav.buffer);
  const word = (at: number, text: string) => wav.set(new TextEncoder().encode(text), at);
  word(0, "RIFF");
  view.setUint32(4, HEADER_BYTES - 8 + samples.length, true);
  word(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, "data");
  view.setUint32(40, samples.length, true);
  wav.set(samples, HEADER_BYTES);
  return wav;
}
