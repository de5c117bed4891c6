/**
 * The speech API: reads `POST /v1/audio/speech`, and reads and writes its event stream.
 *
 * https://platform.openai.com/docs/api-reference/audio/createSpeech (2026-11).
 */

import { Buffer } from "node:buffer";
import type { Usage } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import type { SpeechBody, SpeechRequest } from "../../contract/media.ts";
import type { BytesWriter, NativeStreamReader } from "../native_answers.ts";
import { parseEvent, skipAlike } from "../stream_record.ts";
import { readUsage } from "../responses/native_answers.ts";
import * as z from "zod";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";

// The stream of events of speech: https://platform.openai.com/docs/api-reference/audio/speech-audio-delta-event (2026-11).

const DELTA = "speech.audio.delta";
const DONE = "speech.audio.done";

/** The events of complete audio. */
export function writeSpeechEvents({ audio, usage }: SpeechBody): string {
  return AUDIO_EVENTS.write(audio) + toEvent({ type: DONE, ...(usage && { usage }) });
}

/** Writes the events of audio, piece by piece. */
export const AUDIO_EVENTS: BytesWriter = {
  write: (bytes) => toEvent({ type: DELTA, audio: Buffer.from(bytes).toString("base64") }),
  end: () => toEvent({ type: DONE }),
};

function toEvent(event: JsonObject): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

const DELTA_START = new TextEncoder().encode(`data: {"type":"${DELTA}"`);

/** Reads the events of a vendor, which pass unchanged. */
export class SpeechStreamReader implements NativeStreamReader {
  started = false;
  complete = false;
  /** Tokens that the vendor reports. */
  tokens: Usage | undefined;
  readonly outputChars: number;
  readonly summary;
  readonly #toUsage: (tokens: Usage | undefined) => Usage | undefined;

  /**
   * @param outputChars for the estimate of an answer without usage
   * @param toUsage adds the units
   */
  constructor(
    model: string,
    outputChars: number,
    toUsage: (tokens: Usage | undefined) => Usage | undefined,
  ) {
    this.summary = { id: "", model, finishReasons: [] };
    this.outputChars = outputChars;
    this.#toUsage = toUsage;
  }

  get usage(): Usage | undefined {
    return this.complete ? this.#toUsage(this.tokens) : undefined;
  }

  skip(bytes: Uint8Array, start: number): number {
    return skipAlike(bytes, start, DELTA_START);
  }

  push({ data }: Frame): { readonly error: unknown } | undefined {
    const body = parseEvent(data);
    if (isObject(body.error)) return { error: body };
    if (body.type === DELTA) this.started = true;
    if (body.type !== DONE) return undefined;
    this.started = this.complete = true;
    this.tokens = readUsage(body.usage);
    return undefined;
  }
}

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
interface ReadSpeech {
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
