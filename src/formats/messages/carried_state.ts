/**
 * State of other vendors' models in the signatures of thinking blocks. Clients of the Messages API
 * return a signature unchanged, and drop members that they do not know.
 */

import { JsonError } from "../../core/json/error.ts";
import type { InnerJson } from "../../core/json/inner_json.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { toObject } from "../../core/json/values.ts";

/** The prefix of every signature that this file writes. */
const TAG = "sluice1.";

/** The state of one assistant turn that the vendor needs in the next request. */
export interface CarriedState {
  /** Entries of `reasoning_details`. */
  readonly details: readonly unknown[];
  /** Extra members of tool calls, by the ID of the call. */
  readonly calls: ReadonlyMap<string, JsonObject>;
}

/** Whether the gateway wrote a signature. It must not be sent to a vendor. */
export function isOwnSignature(signature: string): boolean {
  return signature.startsWith(TAG);
}

/** State as a signature. */
export function toSignature(state: Partial<CarriedState>): string {
  const bytes = encoder.encode(toStateText(state));
  return TAG + bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** State as JSON. */
export function toStateText({ details, calls }: Partial<CarriedState>): string {
  return JSON.stringify({
    ...(details !== undefined && details.length > 0 && { details }),
    ...(calls !== undefined && calls.size > 0 && { calls: [...calls] }),
  });
}

/**
 * The state in a signature that the gateway wrote; empty if the signature is damaged.
 *
 * @param json the budget of all signatures of the request
 * @throws {JsonError} for more state than the budget allows.
 */
export function readSignature(signature: string, json: InnerJson): CarriedState {
  return readState(decode(signature.slice(TAG.length), json));
}

/** The state in a value that was {@linkcode toStateText}; empty for any other value. */
export function readState(value: unknown): CarriedState {
  const state = toObject(value);
  const details = Array.isArray(state.details) ? state.details : [];
  const calls = new Map<string, JsonObject>();
  for (const entry of Array.isArray(state.calls) ? state.calls : []) {
    const [id, extra] = Array.isArray(entry) ? entry : [];
    if (typeof id === "string" && isObject(extra)) calls.set(id, extra);
  }
  return { details, calls };
}

const encoder = new TextEncoder();

function decode(text: string, json: InnerJson): unknown {
  try {
    return json.parseBase64(text);
  } catch (thrown) {
    if (thrown instanceof JsonError) throw thrown;
    return undefined;
  }
}
