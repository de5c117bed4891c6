/** Reads the form of `POST /v1/audio/transcriptions`: https://platform.openai.com/docs/api-reference/audio/createTranscription (2026-11). */

import * as z from "zod";
import type { JsonObject } from "../../core/json/object.ts";
import type { UploadedFile } from "../../providers/contract/form.ts";
import type {
  TranscriptionRequest,
  TranscriptionTask,
} from "../../providers/contract/transcriptions.ts";
import { modelMembers, readFields } from "../read_fields.ts";

const text = z.union([z.string(), z.array(z.string())]);

/** The members of a request that a schema checks. */
export const transcriptionRequest = z.object({
  model: modelMembers.model,
  response_format: z.string().min(1).optional(),
  language: z.string().optional(),
  prompt: z.string().optional(),
  temperature: z.string().regex(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/, { error: "must be a number" })
    .optional(),
  stream: z.enum(["true", "false"]).optional(),
}).catchall(text);

/**
 * Checks the fields of a form.
 *
 * @throws {GatewayError} `invalid_value` with the name of the first faulty field in `param`.
 */
export function readTranscriptionRequest(
  form: JsonObject,
  file: UploadedFile,
  task: TranscriptionTask,
): TranscriptionRequest {
  const { stream, ...members } = readFields(form, transcriptionRequest);
  return {
    ...members,
    ...(stream !== undefined && { stream: stream === "true" }),
    task,
    file,
  } as unknown as TranscriptionRequest;
}
