/** OpenAI's chat completions as a caller format. */

import type { CallerFormat } from "../chat/caller_format.ts";
import { readChatRequest } from "../chat/read_request.ts";
import type { GatewayError } from "../../core/errors.ts";
import { writeJson } from "../../core/json/number_texts.ts";
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
  keepAlive: encoder.encode(": keep-alive\n"),
  readRequest: readChatRequest,
  writeCompletion: (body, envelope, isLong) => {
    const stamped = stampCompletion(body, envelope);
    return isLong ? toJsonText(stamped) : writeJson(stamped);
  },
  isPassable,
  createStreamWriter(envelope, { stream_options: asked }, toCost) {
    const includeCost = asked?.include_cost === true;
    const includeUsage = asked?.include_usage === true || includeCost;
    return new ChunkWriter(envelope, includeUsage, includeCost ? toCost : undefined);
  },
  writeError,
  writeStreamError: (error) => encoder.encode(`data: ${writeError(error)}\n\n`),
};
