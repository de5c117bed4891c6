/** Parses vendors' responses without blocking the event loop. */

import { TimeSlice } from "../core/clock.ts";
import {
  isQuickToParse,
  JsonError,
  MAX_MEMBERS,
  MAX_VENDOR_DEPTH,
  MAX_VENDOR_ELEMENTS,
} from "../core/json/limits.ts";
import { JsonReader, parsePassed } from "../core/json/reader.ts";
import { unreadable } from "../core/errors.ts";
import type { JsonLimits } from "../core/json/scan.ts";

/** Longer responses, in UTF-16 code units, are parsed and written in time slices. */
export const MAX_LENGTH_AT_ONCE = 256 * 1024;

/** The number of UTF-16 code units that are parsed between time checks. */
const PIECE_LENGTH = 16 * 1024;

/** The limits of a response, including members that are forwarded unchanged. */
const LIMITS: JsonLimits = {
  elements: 1_000_000,
  members: MAX_MEMBERS,
  depth: MAX_VENDOR_DEPTH,
};

/** Members that are forwarded unchanged and may have several entries per token. */
const PASSED_UNCHANGED = new Set([
  "embedding",
  "logprobs",
  "logprobsResult",
  "prompt_logprobs",
  "prompt_token_ids",
  "token_ids",
]);

/** Whether an answer is so long that it is parsed and written in time slices. */
export function isLongAnswer(text: string): boolean {
  return text.length > MAX_LENGTH_AT_ONCE;
}

/**
 * Parses an answer at once.
 *
 * @param parse parses with or without preserving the text of numbers
 * @throws {GatewayError} `upstream_error` for invalid JSON, or an answer that would take long to
 * convert.
 */
export function parseAnswer(text: string, parse = parsePassed): unknown {
  if (text.trim() === "") throw unreadable("The provider's answer is empty");
  let body: unknown;
  try {
    body = parse(text);
  } catch (cause) {
    throw notJson(cause);
  }
  if (!isQuickToParse(text)) refuseOverLimits(body);
  return body;
}

/** Parses an answer in time slices; throws what {@linkcode parseAnswer} throws. Exported for tests. */
export async function parseLongAnswer(text: string): Promise<unknown> {
  const slice = new TimeSlice();
  const body = await parseInSlices(text, slice);
  refuseOverLimits(body);
  if (slice.isOver) await slice.next();
  return body;
}

/**
 * Parses an answer that is not converted for a caller, in time slices.
 *
 * @throws {GatewayError} `upstream_error` for invalid JSON.
 */
export async function parseInSlices(text: string, slice = new TimeSlice()): Promise<unknown> {
  const reader = new JsonReader(LIMITS);
  try {
    for (let at = 0; at < text.length; at += PIECE_LENGTH) {
      reader.push(text.slice(at, at + PIECE_LENGTH));
      if (slice.isOver) await slice.next();
    }
    return reader.end();
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw thrown.limit === undefined ? notJson(thrown) : overLimit(thrown.limit);
  }
}

function notJson(cause: unknown): Error {
  return unreadable("The provider's answer is not JSON", cause);
}

function overLimit(limit: keyof JsonLimits): Error {
  return unreadable(`The provider's answer has too many ${limit === "depth" ? "levels" : limit}`);
}

/** Counts the elements that the gateway may have to convert, up to the limit. */
function refuseOverLimits(body: unknown): void {
  let elements = 0;
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    const entries: readonly unknown[] = Array.isArray(value) ? value : convertedMembers(value);
    elements += entries.length;
    if (elements > MAX_VENDOR_ELEMENTS) throw overLimit("elements");
    for (const entry of entries) waiting.push(entry);
  }
}

function convertedMembers(value: object): unknown[] {
  const members = Object.entries(value).filter(([name]) => !PASSED_UNCHANGED.has(name));
  return members.map(([, member]) => member);
}

/** Parses an answer and converts it, in time slices if it is long. */
export function convertJson<Result>(
  text: string,
  convert: (text: string, body: unknown) => Result | Promise<Result>,
): Result | Promise<Result> {
  return text.length > MAX_LENGTH_AT_ONCE
    ? parseLongAnswer(text).then((body) => convert(text, body))
    : convert(text, parseAnswer(text));
}
