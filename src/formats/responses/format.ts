/** OpenAI's Responses API as a caller format. */

import type { CallerFormat, Envelope, StreamWriter } from "../../chat/caller_format.ts";
import type { CompletionBody, JsonObject } from "../../chat/chat.ts";
import { statusOf, writeError } from "./errors.ts";
import { includesPages, RESPONSE_PREFIX, toOutput } from "./output_items.ts";
import { inputItemsOf, readResponsesRequest, type ResponsesRequest } from "./request.ts";
import { ended, toEnding, toResponse } from "./response_object.ts";
import { ResponsesStreamWriter } from "./stream_writer.ts";
import { ToolNames } from "./tool_names.ts";
import { toChatRequest } from "./to_chat.ts";

const encoder = new TextEncoder();

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
const KEEP_ALIVE = encoder.encode(
  'event: keepalive\ndata: {"type":"keepalive","sequence_number":0}\n\n',
);

/** OpenAI's packages require `response.created` as the first event. */
const EARLY_KEEP_ALIVE = encoder.encode(": keep-alive\n\n");

/** The format for the answers to one request: they repeat it, and name its tools. */
export function createResponsesFormat(context: AnswerContext): CallerFormat {
  let stream: ResponsesStreamWriter | undefined;
  return {
    name: "responses",
    idPrefix: RESPONSE_PREFIX,
    keepAlive: KEEP_ALIVE,
    earlyKeepAlive: EARLY_KEEP_ALIVE,
    readRequest(body) {
      const request = readResponsesRequest(body);
      const items = inputItemsOf(request).map((item, index) => ({ item, path: `input[${index}]` }));
      return toChatRequest(request, items).chat;
    },
    writeCompletion(body, envelope) {
      const response = toWholeResponse(body, envelope, context);
      context.onAnswer(response);
      return JSON.stringify(response);
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
