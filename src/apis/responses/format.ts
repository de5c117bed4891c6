/** OpenAI's Responses API as a caller format. */

import { Buffer } from "node:buffer";
import { JsonScan } from "../../core/json/scan.ts";
import { writeJson } from "../../core/json/number_texts.ts";
import type { CallerFormat, Envelope, StreamWriter } from "../chat/caller_format.ts";
import type { CompletionBody, JsonObject } from "../../contract/chat.ts";
import { parseEvent } from "../stream_record.ts";
import { statusOf, writeError } from "./errors.ts";
import { RESPONSE_PREFIX, toOutput } from "./output_items.ts";
import { toChatRequest } from "./to_chat.ts";
import { ended, toEnding, toResponse } from "./response_object.ts";
import { ResponsesStreamWriter } from "./stream_writer.ts";
import { ToolNames } from "./tools.ts";
import {
  includesPages,
  inputItemsOf,
  readResponsesRequest,
  type ResponsesRequest,
} from "./request.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The parts of a request that its answers need. */
export interface AnswerContext {
  readonly request: ResponsesRequest;
  readonly names: ToolNames;
  /** Milliseconds since the Unix epoch. */
  readonly wallTime: () => number;
  /** Called with each whole response. */
  readonly onAnswer: (response: JsonObject) => void;
}

/**
 * OpenAI sends such events too (https://github.com/openai/openai-node/issues/1964, 2026-07-03).
 * Codex waits for events, not for bytes: a comment does not reset its `stream_idle_timeout_ms`.
 */
function keepAliveAfter(events: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(events.buffer, events.byteOffset, events.length);
  const begin = bytes.indexOf("{", bytes.lastIndexOf("\ndata:") + 1);
  const last = begin === -1 ? bytes : bytes.subarray(begin);
  return encoder.encode(`event: keepalive\ndata: ${keepAliveOf(numberIn(last))}\n\n`);
}

/**
 * The data of a keep-alive. It repeats the number of the last event, so that the numbering
 * continues.
 *
 * @param last the data of the last event
 */
export function keepAliveMessage(last: string): string {
  return keepAliveOf(parseEvent(last).sequence_number);
}

function keepAliveOf(number: unknown): string {
  return JSON.stringify({
    type: "keepalive",
    sequence_number: typeof number === "number" ? number : 0,
  });
}

/** Longer events are searched: their other members, such as a whole response, are not needed. */
const MAX_BYTES_PARSED = 4096;
const UNLIMITED = { elements: Infinity, members: Infinity, depth: Infinity };

/** Matches the number of an event in JSON. */
function numberIn(event: Uint8Array): unknown {
  if (event.length <= MAX_BYTES_PARSED) {
    return parseEvent(decoder.decode(event)).sequence_number;
  }
  const { ranges } = new JsonScan(event, UNLIMITED);
  for (let at = 0; at < ranges.length; at += 3) {
    const [name = 0, start = 0, end = 0] = ranges.slice(at, at + 3);
    const text = decoder.decode(event.subarray(name, name + NUMBER_NAME.length));
    if (text === NUMBER_NAME) {
      return parseEvent(`{"n":${decoder.decode(event.subarray(start, end))}}`).n;
    }
  }
  return undefined;
}

const NUMBER_NAME = '"sequence_number"';

/**
 * OpenAI's packages require `response.created` as the first event. A comment ends with one line
 * end: some clients treat each blank line as the end of an event
 * (https://github.com/maximhq/bifrost/issues/5874, 2026).
 */
const EARLY_KEEP_ALIVE = encoder.encode(": keep-alive\n");

/** The format for the answers to one request: they repeat its members, and name its tools. */
export function createResponsesFormat(context: AnswerContext): CallerFormat {
  let stream: ResponsesStreamWriter | undefined;
  return {
    name: "responses",
    idPrefix: RESPONSE_PREFIX,
    keepAlive: EARLY_KEEP_ALIVE,
    keepAliveAfter,
    earlyKeepAlive: EARLY_KEEP_ALIVE,
    readRequest(body) {
      const request = readResponsesRequest(body);
      const items = inputItemsOf(request).map((item, index) => ({ item, path: `input[${index}]` }));
      return toChatRequest(request, items).chat;
    },
    writeCompletion(body, envelope) {
      const response = toWholeResponse(body, envelope, context);
      context.onAnswer(response);
      return writeJson(response);
    },
    isPassable: (_body): _body is CompletionBody => false,
    createStreamWriter(envelope): StreamWriter {
      stream = new ResponsesStreamWriter(envelope, { ...context, onEnd: context.onAnswer });
      return stream;
    },
    statusOf,
    writeError,
    writeStreamError(error) {
      const writer = stream ?? new ResponsesStreamWriter(
        { id: `${RESPONSE_PREFIX}failed`, created: 0, model: context.request.model },
        { ...context, onEnd: context.onAnswer },
      );
      return writer.fail(error);
    },
  };
}

function toWholeResponse(
  { model, choices, usage }: CompletionBody,
  stamp: Envelope,
  { request, names, wallTime }: AnswerContext,
): JsonObject {
  const envelope = { ...stamp, model: model ?? stamp.model };
  const [choice] = choices;
  const begun = toResponse(request, envelope);
  if (choice === undefined) return ended(begun, toEnding("stop", false, wallTime()), [], usage);
  const ending = toEnding(choice.finish_reason, Boolean(choice.message.refusal), wallTime());
  return ended(begun, ending, toOutput(choice, envelope, names, includesPages(request)), usage);
}

/** The format of `POST /v1/responses` before a request has been read: it writes errors. */
export const responses: CallerFormat = createResponsesFormat({
  request: { model: "" },
  names: new ToolNames(),
  wallTime: () => 0,
  onAnswer() {},
});
