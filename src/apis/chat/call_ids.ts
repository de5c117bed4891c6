/**
 * The format of tool-call IDs that carry reasoning state: the vendor's ID, a separator, a letter
 * for the kind, and a payload. Every character is one of `[A-Za-z0-9_-]`, which all clients and
 * conversation stores accept.
 */

import type { JsonObject } from "../../core/json/object.ts";
import { changeEntries } from "../../core/json/values.ts";

/** The members that hold a conversation: of the Messages API, and of the Responses API. */
const LISTS = ["messages", "input"];

/** The members of an item or a block with the ID of a call. */
const ID_MEMBERS = ["call_id", "tool_call_id", "tool_use_id", "id"];

/** The members of a message that hold its blocks or calls. */
const INNER_LISTS = ["content", "tool_calls"];

/** Where the state of a tool call is stored. */
export type CallIdKind =
  /** Encrypted, in the payload of the ID. */
  | "sealed"
  /** In memory, under the whole ID. */
  | "stored"
  /** No state: the vendor's ID happens to contain the separator. */
  | "none";

/** The parts of a tool-call ID that the gateway generated. */
export interface CallId {
  /** The vendor's own ID. */
  readonly original: string;
  /** Undefined for an ID that was truncated, or that the gateway did not generate. */
  readonly kind: CallIdKind | undefined;
  /** Everything before the payload. */
  readonly head: string;
  readonly payload: string;
}

/** Separates the vendor's ID from the part that the gateway adds. */
const MARK = "_sluice_";

/** The letter after the separator; uppercase if the vendor's ID is escaped. */
const LETTERS: Readonly<Record<CallIdKind, string>> = { sealed: "s", stored: "m", none: "n" };
const KINDS = new Map<string, CallIdKind>([["s", "sealed"], ["m", "stored"], ["n", "none"]]);

/** Whether an ID contains the separator, so that {@linkcode parseCallId} can read it. */
export function isMarked(id: string): boolean {
  return id.includes(MARK);
}

/** The part of an ID before its payload. */
export function toHead(original: string, kind: CallIdKind): string {
  const letter = LETTERS[kind];
  return SAFE.test(original)
    ? `${original}${MARK}${letter}`
    : `${escape(original)}${MARK}${letter.toUpperCase()}`;
}

/**
 * Parses an ID at its last separator. The vendor's ID is found even if the end of the ID was cut
 * off.
 *
 * @returns undefined for an ID without the separator
 */
export function parseCallId(id: string): CallId | undefined {
  const at = id.lastIndexOf(MARK);
  if (at === -1) return undefined;
  const end = at + MARK.length + 1;
  const letter = id.slice(end - 1, end);
  const kind = KINDS.get(letter.toLowerCase());
  const before = id.slice(0, at);
  const isEscaped = kind !== undefined && letter !== LETTERS[kind];
  return {
    original: isEscaped ? unescape(before) : before,
    kind,
    head: id.slice(0, end),
    payload: id.slice(end),
  };
}

const SAFE = /^[A-Za-z0-9_-]*$/;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Writes every byte except letters, digits and `_` as `-` and two hexadecimal digits. */
function escape(text: string): string {
  let escaped = "";
  for (const byte of encoder.encode(text)) {
    const character = String.fromCharCode(byte);
    escaped += /\w/.test(character) ? character : `-${byte.toString(16).padStart(2, "0")}`;
  }
  return escaped;
}

function unescape(text: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] === "-" ? Number.parseInt(text.slice(at + 1, at + 3), 16) : NaN;
    if (Number.isNaN(byte)) bytes.push(...encoder.encode(text[at]));
    else {
      bytes.push(byte);
      at += 2;
    }
  }
  return decoder.decode(new Uint8Array(bytes));
}

/**
 * Restores the vendors' IDs in a body of the Responses API, the Messages API or Ollama's API: an
 * earlier answer of the conversation may have come from a converted target. A body without the
 * gateway's IDs is returned unchanged. Native items and blocks contain their own state.
 */
export function withVendorIds(body: JsonObject): JsonObject {
  let changed = body;
  for (const list of LISTS) {
    const entries = body[list];
    if (!Array.isArray(entries)) continue;
    const own = changeEntries(entries, withVendorId);
    if (own !== entries) changed = { ...changed, [list]: own };
  }
  return changed;
}

function withVendorId(entry: JsonObject): JsonObject {
  let changed = entry;
  for (const member of ID_MEMBERS) {
    const id = entry[member];
    const original = typeof id === "string" && isMarked(id) ? parseCallId(id)?.original : undefined;
    if (original !== undefined) changed = { ...changed, [member]: original };
  }
  for (const list of INNER_LISTS) {
    const inner = entry[list];
    if (!Array.isArray(inner)) continue;
    const blocks = changeEntries(inner, withVendorId);
    if (blocks !== inner) changed = { ...changed, [list]: blocks };
  }
  return changed;
}
