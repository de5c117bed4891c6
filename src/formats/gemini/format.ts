/** Gemini's `generateContent` as a caller format. */

import type { CallerFormat } from "../../chat/caller_format.ts";
import type { WriteOptions } from "./answer_parts.ts";
import { writeError } from "./errors.ts";
import { readGenerateRequest } from "./read_request.ts";
import { GenerateWriter } from "./stream_writer.ts";
import { writeResponse } from "./write_response.ts";

const encoder = new TextEncoder();

/** The format of `POST /v1beta/models/{model}:generateContent`. */
export const gemini: CallerFormat = geminiFormat({ showsThoughts: false });

/** The same format for the answers to one request. */
export function geminiFormat(options: WriteOptions): CallerFormat {
  return {
    name: "gemini",
    idPrefix: "gen_",
    // Google's libraries take only lines that begin with "data:" for events. Those of Gemini CLI
    // wait forever after a comment, but skip white space (0.61.0, 2026-11-26).
    keepAlive: encoder.encode("\n"),
    readRequest: (body) => readGenerateRequest(body, { model: "", stream: false }).chat,
    writeCompletion: (body, envelope) => JSON.stringify(writeResponse(body, envelope, options)),
    isPassable: (_body): _body is never => false,
    createStreamWriter: (envelope) => new GenerateWriter(envelope, options),
    writeError,
    writeStreamError: (error, requestId) =>
      encoder.encode(`data: ${writeError(error, requestId)}\n\n`),
  };
}
