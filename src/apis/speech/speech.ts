/**
 * The speech API: reads `POST /v1/audio/speech`, and reads and writes its event stream.
 *
 * https://platform.openai.com/docs/api-reference/audio/createSpeech (2026-11).
 */

import { BINARY, EVENTS, object, text, toSchema } from "../openapi.ts";
import { Buffer } from "node:buffer";
import type { Usage } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import {
  SPEECH_PARAMETERS,
  type SpeechBody,
  type SpeechCall,
  type SpeechRequest,
} from "../../contract/media.ts";
import { UNITS } from "../../core/units.ts";
import { countInput } from "../chat/token_estimate.ts";
import { inputUsage, NO_FIELD, type ReadUnary, type UnaryApi } from "../operation.ts";
import type { BytesWriter, NativeStreamReader } from "../native_answers.ts";
import { parseEvent, skipAlike } from "../stream_record.ts";
import { readUsage } from "../responses/native_answers.ts";
import * as z from "zod";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";

// The stream of events of speech: https://platform.openai.com/docs/api-reference/audio/speech-audio-delta-event (2026-11).

const DELTA = "speech.audio.delta";
const DONE = "speech.audio.done";

/** The events of complete audio. */
function writeSpeechEvents({ audio, usage }: SpeechBody): string {
  return AUDIO_EVENTS.write(audio) + toEvent({ type: DONE, ...(usage && { usage }) });
}

/** Writes the events of audio, piece by piece. */
const AUDIO_EVENTS: BytesWriter = {
  write: (bytes) => toEvent({ type: DELTA, audio: Buffer.from(bytes).toString("base64") }),
  end: () => toEvent({ type: DONE }),
};

function toEvent(event: JsonObject): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

const DELTA_START = new TextEncoder().encode(`data: {"type":"${DELTA}"`);

/** Reads the events of a vendor, which pass unchanged. Exported for tests. */
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
const speechRequest = z.looseObject({
  ...modelMembers,
  input: z.string().min(1),
  voice: z.union([z.string().min(1), z.record(z.string(), z.unknown())]),
  instructions: z.string().nullish(),
  response_format: z.string().min(1).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.enum(["audio", "sse"]).nullish(),
});

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readRequest(body: unknown): ReadUnary<SpeechRequest, SpeechBody> {
  const { models, ...members } = readFields(readObject(body), speechRequest);
  return {
    request: withoutNulls(members) as unknown as SpeechRequest,
    models: models ?? undefined,
  };
}

/**
 * Audio tokens per spoken character: 20 a second, at 15 characters a second
 * (https://platform.openai.com/docs/models/gpt-4o-mini-tts, 2026-11).
 */
const TOKENS_PER_CHARACTER = 1.4;

function isEvents({ stream_format: format }: SpeechRequest): boolean {
  return format === "sse";
}

function summaryOf({ usage }: SpeechBody, call: SpeechCall, id: string) {
  const tokens = readUsage(usage);
  return {
    id,
    model: call.model.upstream,
    usage: tokens === undefined ? usageOf(call) : withCharacters(tokens, call),
  };
}

/**
 * The usage of an answer without token counts. Undefined, which means an estimate, for a model that
 * is not billed by characters.
 */
function usageOf(call: SpeechCall): Usage | undefined {
  const isPaid = call.model.facts.prices?.units?.characters !== undefined;
  return isPaid ? withCharacters(inputUsage(0), call) : undefined;
}

function withCharacters(tokens: Usage, { request: { input } }: SpeechCall): Usage {
  return { ...tokens, [UNITS]: { characters: charactersOf(input) } };
}

/** The length of a text with the token count of the audio, at four characters per token. */
function outputCharsOf({ request: { input } }: SpeechCall): number {
  return Math.ceil(charactersOf(input) * TOKENS_PER_CHARACTER * 4);
}

/** Code points, which vendors bill. */
function charactersOf(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Speech. Speech models support no other operation. */
export const speech: UnaryApi<SpeechRequest, SpeechBody> = {
  name: "speech",
  noun: "speech",
  title: "Speech",
  endpoints: [{
    path: "/v1/audio/speech",
    mirror: "deployments",
    explainedAs: "speech",
    schema: speechRequest,
    describe: () => ({
      tag: "Media",
      summary: "Create speech",
      request: ["SpeechRequest", toSchema(speechRequest)],
      answers: { "audio/*": BINARY, [EVENTS]: text },
      events: "SpeechEvent",
      schemas: { SpeechEvent: object({ type: text }, { audio: text, usage: object({}) }) },
      example: { input: "Hello", voice: "alloy" },
    }),
    read: readRequest,
  }],
  parameters: SPEECH_PARAMETERS,
  usualNotes: NO_FIELD,
  structural: new Set(["input"]),
  apiOf: ({ apis }) => apis.speech,
  isDefault: (name, value) =>
    name === "stream_format" && value === "audio" || name === "speed" && value === 1,
  estimate: ({ input }, family) => {
    const characters = charactersOf(input);
    return {
      input: countInput(input).tokens(family),
      maxOutput: Math.ceil(characters * TOKENS_PER_CHARACTER),
      units: { characters },
    };
  },
  write: (body, call, { id }) => ({
    text: [body.audio],
    contentType: body.type,
    ...summaryOf(body, call, id),
  }),
  streams: {
    isAsked: isEvents,
    createReader: (call) =>
      new SpeechStreamReader(
        call.model.upstream,
        outputCharsOf(call),
        (tokens) => tokens === undefined ? usageOf(call) : withCharacters(tokens, call),
      ),
    write: (body, call, { id }) => ({
      text: writeSpeechEvents(body),
      ...summaryOf(body, call, id),
    }),
  },
  passes(call, type) {
    // For example, an error page of a proxy.
    if (type.startsWith("text/")) return undefined;
    return {
      usage: usageOf(call),
      outputChars: outputCharsOf(call),
      createWriter: () => AUDIO_EVENTS,
    };
  },
};
