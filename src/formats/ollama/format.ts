/** Ollama's `/api/chat` and `/api/generate` as a caller format. */

import type { CallerFormat } from "../../chat/caller_format.ts";
import { type AnswerShape, toAnswer, type WriteOptions } from "./answer_lines.ts";
import { readChat } from "./read_chat.ts";
import { LineWriter } from "./stream_writer.ts";

const encoder = new TextEncoder();

/** The format for the answers to one request. */
export function ollamaFormat(options: WriteOptions): CallerFormat {
  return {
    name: "ollama",
    idPrefix: "ollama_",
    streamType: "application/x-ndjson",
    // White space before a line's JSON; clients parse each whole line, so a blank one is an error.
    keepAlive: encoder.encode(" "),
    readRequest: (body) => readChat(body).chat,
    writeCompletion: (body, envelope) => JSON.stringify(toAnswer(body, envelope, options)),
    isPassable: (_body): _body is never => false,
    createStreamWriter: (envelope) => new LineWriter(envelope, options),
    writeError: ({ message }) => JSON.stringify({ error: message }),
    writeStreamError: ({ message }) => encoder.encode(`${JSON.stringify({ error: message })}\n`),
  };
}

/** The options of an answer that shows its thinking. */
export function toWriteOptions(
  shape: AnswerShape,
  think: unknown,
  elapsedMs: () => number,
): WriteOptions {
  return { shape, showsThinking: think !== false, elapsedMs };
}

/** The format before a request has been read: it writes errors. */
export const ollama: CallerFormat = ollamaFormat(toWriteOptions("chat", undefined, () => 0));
