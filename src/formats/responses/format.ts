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

/** The format for the answers to one request: they repeat it, and name its tools. */
export function createResponsesFormat(context: AnswerContext): CallerFormat {
  let stream: ResponsesStreamWriter | undefined;
  return {
    name: "responses",
    idPrefix: RESPONSE_PREFIX,
    keepAlive: encoder.encode(": keep-alive\n\n"),
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
