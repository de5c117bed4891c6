/**
 * The state of a model's reasoning as `encrypted_content` of reasoning items. Clients return it
 * unchanged. It is opaque for them, not secret: vendors encrypt it themselves.
 */

import { Buffer } from "node:buffer";
import { JsonError } from "../../core/json/error.ts";
import type { InnerJson } from "../../core/json/inner_json.ts";
import { isObject } from "../../chat/chat.ts";

/** What the gateway puts into `encrypted_content`. */
export interface PackedState {
  /** Entries of `reasoning_details`, each with its own `format`. */
  readonly details: readonly unknown[];
  /** True if the state belongs to the items before it. */
  readonly isTrailing: boolean;
}

const LEADING = "sluice-r1.";
const TRAILING = "sluice-t1.";

/** Packs the entries of `reasoning_details`. */
export function packState(details: readonly unknown[], isTrailing: boolean): string {
  const tag = isTrailing ? TRAILING : LEADING;
  return tag + Buffer.from(JSON.stringify(details)).toString("base64url");
}

/** Whether a text was made by {@linkcode packState}: no vendor can read it. */
export function isPacked(text: unknown): text is string {
  return typeof text === "string" && (text.startsWith(LEADING) || text.startsWith(TRAILING));
}

/**
 * Unpacks a text; undefined for one that the gateway did not make, or that was changed.
 *
 * @param json the budget of all such texts of the request
 * @throws {JsonError} for more state than the budget allows.
 */
export function unpackState(text: unknown, json: InnerJson): PackedState | undefined {
  if (!isPacked(text)) return undefined;
  try {
    const details = json.parseBase64(text.slice(LEADING.length));
    if (!Array.isArray(details)) return undefined;
    return { details: details.filter(isObject), isTrailing: text.startsWith(TRAILING) };
  } catch (thrown) {
    if (thrown instanceof JsonError) throw thrown;
    return undefined;
  }
}
