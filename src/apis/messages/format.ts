/** Anthropic's Messages API as a caller format: answers, errors, and the model list. */

import type { CallerFormat } from "../chat/caller_format.ts";
import { DEFAULT_WRITE_OPTIONS, type WriteOptions } from "./answer_parts.ts";
import { rateLimitHeaders } from "./rate_limits.ts";
import { readMessagesRequest } from "./read_request.ts";
import { MessageWriter } from "./stream_writer.ts";
import { writeMessage } from "./write_message.ts";
import { type GatewayError, invalidValue } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { ModelFacts } from "../../contract/model_facts.ts";

// Errors as the Messages API writes them.
//
// Shape, types and statuses: https://platform.claude.com/docs/en/api/errors (2026-11-20), and
// `ErrorResponse` of https://www.npmjs.com/package/@anthropic-ai/sdk (1.12.0, 2026-11-20).

/** The member `error.type` for each status; `api_error` or `invalid_request_error` for others. */
const TYPES = new Map([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [408, "timeout_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [503, "overloaded_error"],
  [504, "timeout_error"],
]);

function typeOf(status: number): string {
  return TYPES.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

/** The status of an error: as in chat completions, except for an exhausted quota. */
function statusOf({ kind, status }: GatewayError): number {
  return kind === "quota" ? 402 : status;
}

/** The body of an error answer. */
function writeError(error: GatewayError, requestId: string): string {
  const { code } = error;
  const details = code === null ? {} : { details: { error_code: code } };
  return JSON.stringify({
    type: "error",
    error: { type: typeOf(statusOf(error)), message: messageOf(error), ...details },
    request_id: requestId,
  });
}

/** Agents compact their conversation if a message begins with this text. */
const TOO_LONG = "prompt is too long";

function messageOf({ kind, message, param }: GatewayError): string {
  // The format has no member for the path: Anthropic's own messages begin with it.
  const isPlace = param !== null && param.includes("[") && !message.includes(param);
  if (kind !== "context_length") return isPlace ? `${param}: ${message}` : message;
  if (message.startsWith(TOO_LONG)) return message;
  const [tokens, maximum] = tokenCountsIn(message);
  if (tokens === undefined || maximum === undefined) return `${TOO_LONG}: ${message}`;
  return `${TOO_LONG}: ${tokens} tokens > ${maximum} maximum (${message})`;
}

/** The two largest numbers in a message about a context window, the larger first. */
function tokenCountsIn(message: string): readonly number[] {
  const numbers = [...message.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  return [...new Set(numbers)].filter((count) => count >= MIN_TOKENS && Number.isSafeInteger(count))
    .sort((one, other) => other - one).slice(0, 2);
}

/** Smaller numbers are not context window sizes but, for example, statuses. */
const MIN_TOKENS = 1000;

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

// The model list in Anthropic's format.
//
// Shape: `ModelInfo` and `Page` of https://www.npmjs.com/package/@anthropic-ai/sdk (1.12.0,
// 2026-11-20).

/** A configured model. */
export interface ListedModel {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The display name, if known. */
  readonly label?: Pick<ModelFacts, "description" | "display_name"> | undefined;
  readonly target: { readonly model: { readonly facts: ModelFacts } };
}

/** The maximum and default number of models on a page. */
const MAX_PAGE = 1000;

/** One model. */
export function toModelInfo({ id, created, label, target }: ListedModel): JsonObject {
  const { context_window, max_output_tokens } = target.model.facts;
  return {
    type: "model",
    id,
    display_name: label?.display_name ?? id,
    ...(label?.description !== undefined && { description: label.description }),
    created_at: new Date(created * 1000).toISOString().replace(".000Z", "Z"),
    max_input_tokens: context_window ?? null,
    max_tokens: max_output_tokens ?? null,
    capabilities: null,
  };
}

/**
 * One page of the list: the models after `after_id`, or those before `before_id`.
 *
 * @throws {GatewayError} `invalid_value` for a limit out of range or an unknown ID.
 */
export function toModelPage(entries: readonly ListedModel[], query: URLSearchParams): JsonObject {
  const limit = readLimit(query.get("limit"));
  const after = indexOf(entries, query, "after_id");
  const before = indexOf(entries, query, "before_id");
  const rest = entries.slice(after === undefined ? 0 : after + 1, before);
  const page = before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return {
    data: page.map(toModelInfo),
    has_more: page.length < rest.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function readLimit(text: string | null): number {
  if (text === null) return MAX_PAGE;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_PAGE) return limit;
  throw invalidValue("limit", `must be a whole number from 1 to ${MAX_PAGE}`);
}

function indexOf(
  entries: readonly ListedModel[],
  query: URLSearchParams,
  name: string,
): number | undefined {
  const id = query.get(name);
  if (id === null) return undefined;
  const index = entries.findIndex((entry) => entry.id === id);
  if (index === -1) throw invalidValue(name, "must be the ID of a model of this list");
  return index;
}
