/**
 * State of other vendors' models in thought signatures. Clients return the signatures of parts
 * unchanged, but may decode and encode their base64, in either alphabet.
 */

import { JsonError } from "../../core/json/error.ts";
import type { InnerJson } from "../../core/json/inner_json.ts";
import type { CarriedState } from "../messages/carried_state.ts";
import { readState, toStateText } from "../messages/carried_state.ts";

/** The first bytes of every signature that this file writes: six, so that base64 shows them. */
const TAG = "sluice";
const ENCODED_TAG = "c2x1aWNl";

const encoder = new TextEncoder();

/** Whether the gateway wrote a signature. It must not be sent to a vendor. */
export function isOwnSignature(signature: string): boolean {
  return signature.startsWith(ENCODED_TAG);
}

/** State as a signature. */
export function toSignature(state: Partial<CarriedState>): string {
  return encoder.encode(TAG + toStateText(state)).toBase64();
}

/**
 * The state in a signature that the gateway wrote; empty if the signature is damaged.
 *
 * @param json the budget of all signatures of the request
 * @throws {JsonError} for more state than the budget allows.
 */
export function readSignature(signature: string, json: InnerJson): CarriedState {
  const text = signature.slice(ENCODED_TAG.length).replaceAll("+", "-").replaceAll("/", "_");
  try {
    return readState(json.parseBase64(text));
  } catch (thrown) {
    if (thrown instanceof JsonError) throw thrown;
    return readState(undefined);
  }
}
