/**
 * The transcriptions API: reads the form, and reads and writes the event stream.
 *
 * https://platform.openai.com/docs/api-reference/audio/createTranscription (2026-11).
 */

import type { Usage } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import type { BytesWriter, NativeStreamReader } from "../native_answers.ts";
import { parseEvent } from "../stream_record.ts";
import * as z from "zod";
import type { UploadedFile } from "../../contract/form.ts";
import type { TranscriptionRequest, TranscriptionTask } from "../../contract/media.ts";
import { modelMembers, readFields } from "../read_fields.ts";

// The stream of events of a transcription: https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event (2026-11).

const DELTA = "transcript.text.delta";
const DONE = "transcript.text.done";

/** The only event of an answer that arrived complete. */
export function writeTranscriptEvent({ text, usage }: JsonObject): string {
  return toEvent({ type: DONE, text: isText(text) ? text : "", ...(isObject(usage) && { usage }) });
}

/** Writes the events of a plain text, piece by piece. */
export class TranscriptWriter implements BytesWriter {
  readonly #decoder = new TextDecoder();
  #text = "";

  write(bytes: Uint8Array): string {
    const delta = this.#decoder.decode(bytes, { stream: true });
    this.#text += delta;
    return delta === "" ? "" : toEvent({ type: DELTA, delta });
  }

  end(): string {
    return toEvent({ type: DONE, text: this.#text });
  }
}

function toEvent(event: JsonObject): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** Reads the events of a vendor, which pass unchanged. */
export class TranscriptStreamReader implements NativeStreamReader {
  started = false;
  complete = false;
  outputChars = 0;
  usage: Usage | undefined;
  readonly summary;
  readonly #readUsage: (answer: JsonObject) => Usage | undefined;

  constructor(model: string, readUsage: (answer: JsonObject) => Usage | undefined) {
    this.summary = { id: "", model, finishReasons: [] };
    this.#readUsage = readUsage;
  }

  push({ data }: Frame): { readonly error: unknown } | undefined {
    const body = parseEvent(data);
    if (isObject(body.error)) return { error: body };
    if (body.type === DELTA && isText(body.delta)) this.outputChars += body.delta.length;
    this.started ||= isText(body.type);
    if (body.type !== DONE) return undefined;
    this.complete = true;
    this.usage = this.#readUsage(body);
    return undefined;
  }
}

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
