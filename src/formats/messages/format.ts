/** Anthropic's Messages API as a caller format. */

import type { CallerFormat } from "../../chat/caller_format.ts";
import { DEFAULT_WRITE_OPTIONS, type WriteOptions } from "./answer_parts.ts";
import { statusOf, writeError } from "./errors.ts";
import { rateLimitHeaders } from "./rate_limits.ts";
import { readMessagesRequest } from "./read_request.ts";
import { MessageWriter } from "./stream_writer.ts";
import { writeMessage } from "./write_message.ts";

const encoder = new TextEncoder();

/** The format of `POST /v1/messages`. */
export const messages: CallerFormat = messagesFormat(DEFAULT_WRITE_OPTIONS);

/** The same format for the answers to one request. */
export function messagesFormat(options: WriteOptions): CallerFormat {
  return {
    name: "messages",
    idPrefix: "msg_",
    keepAlive: encoder.encode('event: ping\ndata: {"type":"ping"}\n\n'),
    requestIdHeader: "request-id",
    rateLimitHeaders,
    readRequest: (body) => readMessagesRequest(body).chat,
    writeCompletion: (body, envelope) => JSON.stringify(writeMessage(body, envelope, options)),
    isPassable: (_body): _body is never => false,
    createStreamWriter: (envelope) => new MessageWriter(envelope, options),
    statusOf,
    writeError,
    writeStreamError: (error, requestId) =>
      encoder.encode(`event: error\ndata: ${writeError(error, requestId)}\n\n`),
  };
}
