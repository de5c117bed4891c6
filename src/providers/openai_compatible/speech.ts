/** Speech of the OpenAI dialect: `POST /audio/speech`. */

import type { JsonObject } from "../../core/json/object.ts";
import type { Auth } from "../contract/adapter.ts";
import type { OperationTables } from "../contract/operation_api.ts";
import type { SpeechApi, SpeechCall, SpeechParameter } from "../contract/speech.ts";
import { converted, ignored, native, type Support } from "../contract/support.ts";

/** For models that stream no events. */
export const IN_ONE_EVENT = converted("the audio in one event");

/** How a vendor's speech differs from OpenAI's. */
export interface DialectSpeech {
  readonly parameters?: Readonly<Partial<Record<SpeechParameter, Support>>>;
  readonly extensions?: OperationTables["extensions"];
  readonly supportFor?: NonNullable<SpeechApi["supportFor"]>;
  readonly auth?: Auth;
  /** The URL, if it is not `/audio/speech`. */
  url?(call: SpeechCall): string;
  /** Changes the body that is ready to be sent. */
  request?(body: JsonObject, call: SpeechCall): JsonObject;
  /** The model name for the vendor, if it is not the model's `upstream`. */
  model?(call: SpeechCall): string;
}

/** The rules of OpenAI's models: https://platform.openai.com/docs/api-reference/audio/createSpeech (2026-11). */
export const OPENAI_SPEECH: DialectSpeech = {
  supportFor: ({ base }) =>
    /^tts-1/.test(base)
      ? { instructions: ignored("gpt-4o-mini-tts and later"), stream_format: IN_ONE_EVENT }
      : {},
};

/** Speech of a vendor of the dialect. Its audio and its events pass unchanged. */
export function dialectSpeech(row: DialectSpeech = {}): SpeechApi {
  return {
    supports: {
      parameters: {
        voice: native,
        instructions: native,
        response_format: native,
        speed: native,
        stream_format: native,
        ...row.parameters,
      },
      extensions: row.extensions ?? "all",
    },
    adds: {},
    ...(row.supportFor && { supportFor: row.supportFor }),
    toRequest(call) {
      const { fields, model, provider, request: { input } } = call;
      const body = { model: row.model?.(call) ?? model.upstream, input, ...fields };
      return {
        url: row.url?.(call) ?? `${provider.baseUrl}/audio/speech`,
        headers: {},
        body: row.request?.(body, call) ?? body,
        auth: row.auth ?? { type: "bearer" },
      };
    },
    // An answer of JSON is an error.
    toBody: () => undefined,
  };
}
