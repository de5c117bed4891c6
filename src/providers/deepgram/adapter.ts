/** Deepgram, speech and transcription: https://developers.deepgram.com/reference (2026-11). */

import { isObject } from "../../core/json/object.ts";
import type { Auth, Failure, UpstreamError } from "../contract/adapter.ts";
import { openAiCompatible } from "../openai_compatible/adapter.ts";
import { toUpstreamError } from "../openai_compatible/errors.ts";
import { deepgramSpeech } from "./speech.ts";
import { deepgramTranscriptions } from "./transcriptions.ts";

const AUTH: Auth = { type: "header", name: "authorization", prefix: "Token " };

/** Deepgram. */
export const deepgram = openAiCompatible({
  kind: "deepgram",
  defaults: { baseUrl: "https://api.deepgram.com/v1", credentials: "required" },
  operations: ["speech", "transcriptions"],
  auth: AUTH,
  requestIdHeader: "dg-request-id",
  speech: deepgramSpeech(AUTH),
  transcriptions: deepgramTranscriptions(AUTH),
  passthrough: ({ baseUrl }) => ({ baseUrl, auth: AUTH }),
  error: classifyError,
});

/** Two shapes of errors: https://developers.deepgram.com/reference/errors (2026-11). */
function classifyError(failure: Failure): UpstreamError | undefined {
  const { body } = failure;
  if (!isObject(body)) return undefined;
  const { category, details, err_code, err_msg, message } = body;
  const code = err_code ?? category;
  if (code === undefined) return undefined;
  const error = { code, message: err_msg ?? [message, details].filter(Boolean).join(" ") };
  return toUpstreamError({ ...failure, body: { error } }, {
    INVALID_AUTH: "upstream_auth",
    INSUFFICIENT_PERMISSIONS: { kind: "upstream_auth", suspends: "model" },
    ASR_PAYMENT_REQUIRED: "quota",
    TOO_MANY_REQUESTS: "rate_limited",
  });
}
