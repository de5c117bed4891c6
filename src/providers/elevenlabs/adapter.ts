/** ElevenLabs, speech and transcription: https://elevenlabs.io/docs/api-reference (2026-11). */

import { isObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Auth, Failure, UpstreamError } from "../contract/adapter.ts";
import { openAiCompatible } from "../openai_compatible/adapter.ts";
import { toUpstreamError } from "../openai_compatible/errors.ts";
import { elevenLabsSpeech } from "./speech.ts";
import { elevenLabsTranscriptions } from "./transcriptions.ts";

const AUTH: Auth = { type: "header", name: "xi-api-key" };

/** ElevenLabs. */
export const elevenlabs = openAiCompatible({
  kind: "elevenlabs",
  defaults: { baseUrl: "https://api.elevenlabs.io/v1", credentials: "required" },
  operations: ["speech", "transcriptions"],
  auth: AUTH,
  requestIdHeader: "request-id",
  speech: elevenLabsSpeech(AUTH),
  transcriptions: elevenLabsTranscriptions(AUTH),
  passthrough: ({ baseUrl }) => ({ baseUrl, auth: AUTH }),
  error: classifyError,
});

/**
 * The error is in `detail`: an object, or a text or list for a request that is not valid. A quota
 * that is used up has status 401
 * (https://help.elevenlabs.io/hc/en-us/articles/19572237925521, 2026-11).
 */
function classifyError(failure: Failure): UpstreamError | undefined {
  const { body } = failure;
  if (!isObject(body) || body.detail === undefined) return undefined;
  const { detail } = body;
  const [first] = Array.isArray(detail) ? detail : [detail];
  const error = isObject(first)
    ? { code: first.status ?? first.code, message: first.message ?? first.msg }
    : { message: isText(first) ? first : undefined };
  return toUpstreamError({ ...failure, body: { error } }, {
    quota_exceeded: "quota",
    missing_permissions: "upstream_auth",
    detected_unusual_activity: "upstream_auth",
    voice_not_found: "invalid_request",
  });
}
