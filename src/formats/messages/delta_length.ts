/** The length of the output in a delta of the Messages API, without parsing it. */

import { stringLengthAfter } from "../json_string_length.ts";

/** The members of deltas that hold output. Signatures and citations are not output tokens. */
const OUTPUT_MEMBERS = ['"text"', '"thinking"', '"partial_json"'];

/** The UTF-16 units of the output in a `content_block_delta`, given its JSON. */
export function deltaLength(data: string): number {
  const delta = data.indexOf('"delta"');
  if (delta === -1) return 0;
  for (const name of OUTPUT_MEMBERS) {
    const length = stringLengthAfter(data, name, delta);
    if (length !== undefined) return length;
  }
  return 0;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const decoder = new TextDecoder();

/** What vendors write before the index of the block, and between the index and the type. */
const BEFORE_INDEX = '{"type":"content_block_delta","index":'.length;
const BEFORE_TYPE = ',"delta":{"type":"'.length;
/** By the first two letters of a type: the length from there to the output. */
const TO_OUTPUT = new Map([
  ["te", 'text_delta","text":"'.length],
  ["th", 'thinking_delta","thinking":"'.length],
  ["in", 'input_json_delta","partial_json":"'.length],
]);

/**
 * The same for JSON in UTF-8, about: escaped characters count as they are written. The usual layout
 * is measured by positions, since a search in each event takes longer than passing it.
 */
export function deltaLengthInBytes(bytes: Uint8Array, start: number, end: number): number {
  let at = start + BEFORE_INDEX;
  while (at < end && isDigit(bytes[at])) at++;
  const type = at + BEFORE_TYPE;
  if (bytes[at] !== COMMA || bytes[type - 2] !== COLON || bytes[type - 1] !== QUOTE) {
    return deltaLength(decoder.decode(bytes.subarray(start, end)));
  }
  const letters = String.fromCharCode(bytes[type] ?? 0, bytes[type + 1] ?? 0);
  const toOutput = TO_OUTPUT.get(letters);
  if (toOutput === undefined) return 0;
  // Vendors pad events with spaces after the last quote.
  let close = end - 1;
  while (close > type && bytes[close] !== QUOTE) close--;
  return Math.max(0, close - type - toOutput);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}
