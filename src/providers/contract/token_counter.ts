/** The contract of a vendor's own counter of input tokens. */

import type { JsonObject } from "../../chat/chat.ts";
import type { VendorRequest } from "./adapter.ts";

/** Counts the tokens of a request before it is sent. Pure, as an adapter is. */
export interface TokenCounter<Call> {
  /** The vendor's `api` that the request is converted for, where the kind has several. */
  readonly api?: string;
  /**
   * Whether a refusal (400) may mean that the vendor does not count for this model. The count is then
   * estimated.
   */
  readonly mayRefuse?: boolean;
  /** @throws {GatewayError} with status 400 for what cannot be counted. */
  toRequest(call: Call): VendorRequest;
  /** The count in the vendor's answer; undefined if it holds none. */
  read(body: JsonObject): number | undefined;
}

/** The number in a member of an answer. */
export function readCount(member: string): (body: JsonObject) => number | undefined {
  return ({ [member]: count }) => typeof count === "number" && count >= 0 ? count : undefined;
}
