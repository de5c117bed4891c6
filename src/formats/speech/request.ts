/** Reads the body of `POST /v1/audio/speech`: https://platform.openai.com/docs/api-reference/audio/createSpeech (2026-11). */

import * as z from "zod";
import type { SpeechRequest } from "../../providers/contract/speech.ts";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";

/** The members of a request that a schema checks. */
export const speechRequest = z.looseObject({
  ...modelMembers,
  input: z.string().min(1),
  voice: z.union([z.string().min(1), z.record(z.string(), z.unknown())]),
  instructions: z.string().nullish(),
  response_format: z.string().min(1).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.enum(["audio", "sse"]).nullish(),
});

/** A request, and the models to fall back to. */
export interface ReadSpeech {
  readonly request: SpeechRequest;
  readonly models: readonly string[] | undefined;
}

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readSpeechRequest(body: unknown): ReadSpeech {
  const { models, ...members } = readFields(readObject(body), speechRequest);
  return {
    request: withoutNulls(members) as unknown as SpeechRequest,
    models: models ?? undefined,
  };
}
