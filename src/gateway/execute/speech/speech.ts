/** Speech. */

import { OTHER_OPERATIONS } from "../../../contract/operations.ts";
import {
  SPEECH_PARAMETERS,
  type SpeechBody,
  type SpeechCall,
  type SpeechRequest,
} from "../../../contract/media.ts";
import type { OperationKind } from "../../operation_kind.ts";
import type { Usage } from "../../../contract/chat.ts";
import { countInput } from "../../../apis/chat/token_estimate.ts";
import { UNITS } from "../../../core/units.ts";
import { readUsage } from "../../../apis/responses/native_answers.ts";
import {
  AUDIO_EVENTS,
  readSpeechRequest,
  SpeechStreamReader,
  writeSpeechEvents,
} from "../../../apis/speech/speech.ts";
import type { ApiKind } from "../../feature.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import { inputUsage, toTables, type UnaryKind, unaryRequest } from "../unary/unary_operation.ts";

const API: ApiKind = { format: "speech", idPrefix: "", operation: "speech" };

/**
 * Reads a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readSpeech(body: unknown): ParsedRequest {
  const read = readSpeechRequest(body);
  return unaryRequest(API, read, isEvents(read.request), () => SPEECH);
}

/**
 * Audio tokens per spoken character: 20 a second, at 15 characters a second
 * (https://platform.openai.com/docs/models/gpt-4o-mini-tts, 2026-11).
 */
const TOKENS_PER_CHARACTER = 1.4;

const SPEECH: UnaryKind<SpeechRequest, SpeechBody> = {
  name: "speech",
  structural: new Set(["input"]),
  apiOf: ({ speech }) => speech,
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
export const speech: OperationKind = {
  name: "speech",
  noun: "speech",
  endpoints: [{ path: "/v1/audio/speech", explainedAs: "speech", read: readSpeech }],
  models: OTHER_OPERATIONS.speech,
  support: {
    group: { member: "speech", title: "Speech" },
    parameters: SPEECH_PARAMETERS,
    contentMember: "contents",
    contents: [],
    tablesOf: ({ speech: api }) => api && toTables(api),
    isUsual: ({ note }) => note === "no such field",
  },
};
