/** Voices of speech. */

import type { SpeechCall } from "../contract/speech.ts";

const OPENAI_VOICES =
  /^(?:alloy|ash|ballad|cedar|coral|echo|fable|marin|nova|onyx|sage|shimmer|verse)$/;

/** Whether a voice is one of OpenAI's, which other vendors do not have. */
export function isOpenAiVoice(name: string): boolean {
  return OPENAI_VOICES.test(name);
}

/** The name of the voice that a request asks for. */
export function voiceName({ request: { voice } }: SpeechCall): string {
  return typeof voice === "string" ? voice : String(voice.id);
}
