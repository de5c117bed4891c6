/** Gemini's `generateContent` as a caller format: answers, errors, and the model list. */

import type { CallerFormat } from "../chat/caller_format.ts";
import type { WriteOptions } from "./answer_parts.ts";
import { readGenerateRequest } from "./read_request.ts";
import { GenerateWriter, writeResponse } from "./stream_writer.ts";
import { type GatewayError, invalidValue } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { ListedModel } from "../messages/format.ts";

// Errors as Google's APIs write them.
//
// Shape: https://cloud.google.com/apis/design/errors and
// https://ai.google.dev/gemini-api/docs/troubleshooting (2026-11-24).

/** The member `error.status` for each HTTP status. */
const STATUSES = new Map([
  [401, "UNAUTHENTICATED"],
  [402, "RESOURCE_EXHAUSTED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [405, "UNIMPLEMENTED"],
  [408, "DEADLINE_EXCEEDED"],
  [409, "ABORTED"],
  [429, "RESOURCE_EXHAUSTED"],
  [499, "CANCELLED"],
  [500, "INTERNAL"],
  [501, "UNIMPLEMENTED"],
  [502, "UNAVAILABLE"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
]);

const TYPES = "type.googleapis.com/google.rpc.";

/** The body of an error answer. */
function writeError(error: GatewayError, requestId: string): string {
  const { code, message, param, status } = error;
  const details: JsonObject[] = [];
  if (code !== null) {
    details.push({ "@type": `${TYPES}ErrorInfo`, reason: code.toUpperCase(), domain: "sluice" });
  }
  if (param !== null) {
    const fieldViolations = [{ field: param, description: message }];
    details.push({ "@type": `${TYPES}BadRequest`, fieldViolations });
  }
  // Gemini CLI and Google's libraries read the retry delay from here, not from the header.
  const seconds = Number(error.headers["retry-after"] ?? NaN);
  if (seconds >= 0) details.push({ "@type": `${TYPES}RetryInfo`, retryDelay: `${seconds}s` });
  details.push({ "@type": `${TYPES}RequestInfo`, requestId });
  const name = STATUSES.get(status) ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
  return JSON.stringify({ error: { code: status, message, status: name, details } });
}

const encoder = new TextEncoder();

/** The format of `POST /v1beta/models/{model}:generateContent`. */
export const gemini: CallerFormat = geminiFormat({ showsThoughts: false });

/** The same format for the answers to one request. */
export function geminiFormat(options: WriteOptions): CallerFormat {
  return {
    name: "gemini",
    idPrefix: "gen_",
    // Google's libraries treat only lines that begin with "data:" as events. Those of Gemini CLI
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

// The model list in Gemini's format: https://ai.google.dev/api/models (2026-11-24).

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1000;

/** One model. */
export function toGeminiModel({ id, label, target }: ListedModel): JsonObject {
  const { capabilities, context_window, max_output_tokens } = target.model.facts;
  return {
    name: `models/${id}`,
    version: "001",
    displayName: label?.display_name ?? id,
    ...(label?.description !== undefined && { description: label.description }),
    inputTokenLimit: context_window,
    outputTokenLimit: max_output_tokens,
    supportedGenerationMethods: capabilities?.embeddings
      ? ["embedContent", "batchEmbedContents"]
      : ["generateContent", "streamGenerateContent", "countTokens"],
  };
}

/**
 * One page of the list. A page token is the ID of the model before the page.
 *
 * @throws {GatewayError} `invalid_value` for a page that does not exist.
 */
export function toGeminiPage(entries: readonly ListedModel[], query: URLSearchParams): JsonObject {
  const size = readSize(query.get("pageSize"));
  const token = query.get("pageToken");
  const after = token ? entries.findIndex(({ id }) => id === token) : -1;
  if (token && after === -1) {
    throw invalidValue("pageToken", "must be the 'nextPageToken' of a page");
  }
  const page = entries.slice(after + 1, after + 1 + size);
  const last = page.at(-1);
  const isLast = last === undefined || last === entries.at(-1);
  return {
    models: page.map(toGeminiModel),
    ...(!isLast && { nextPageToken: last.id }),
  };
}

/** Like Google, reduces a size over the maximum. */
function readSize(text: string | null): number {
  if (!text) return DEFAULT_PAGE;
  const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (size < 1) throw invalidValue("pageSize", "must be a whole number of at least 1");
  return Math.min(size, MAX_PAGE);
}
