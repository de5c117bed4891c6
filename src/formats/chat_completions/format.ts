/** OpenAI's chat completions as a caller format. */

import type { CallerFormat } from "../../chat/caller_format.ts";
import { readChatRequest } from "../../chat/read_request.ts";
import type { GatewayError } from "../../core/errors.ts";
import { toJsonText } from "../../core/json/writer.ts";
import { ChunkWriter, stampCompletion } from "./envelope.ts";
import { isPassable } from "./passable_answer.ts";

const encoder = new TextEncoder();

function writeError(error: GatewayError): string {
  return JSON.stringify({ error: error.toDetails() });
}

/** The format of `POST /v1/chat/completions`. */
export const chatCompletions: CallerFormat = {
  name: "chat_completions",
  idPrefix: "chatcmpl-",
  keepAlive: encoder.encode(": keep-alive\n\n"),
  readRequest: readChatRequest,
  writeCompletion: (body, envelope, isLong) => {
    const stamped = stampCompletion(body, envelope);
    return isLong ? toJsonText(stamped) : JSON.stringify(stamped);
  },
  isPassable,
  createStreamWriter: (envelope, request) =>
    new ChunkWriter(envelope, request.stream_options?.include_usage === true),
  writeError,
  writeStreamError: (error) => encoder.encode(`data: ${writeError(error)}\n\n`),
};
