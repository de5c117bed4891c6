/** Transcription: https://elevenlabs.io/docs/api-reference/speech-to-text/convert (2026-11). */

import { isObject } from "../../core/json/object.ts";
import type { Auth } from "../contract/adapter.ts";
import { native, renamed } from "../contract/support.ts";
import type { TranscriptionApi } from "../contract/transcriptions.ts";
import { toFormFields } from "../shared/form_fields.ts";
import { toLateFields } from "../shared/transcripts.ts";
import { wordTranscriptions } from "../shared/word_transcripts.ts";

/** Transcription by ElevenLabs, whose forms have files as they arrive. */
export function elevenLabsTranscriptions(auth: Auth): TranscriptionApi {
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
