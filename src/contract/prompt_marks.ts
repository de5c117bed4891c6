/** The interface for cache breakpoints, which are marks up to which a vendor caches a prompt. */

import type { JsonObject } from "../core/json/object.ts";
import type { ProviderSettings, VendorRequest } from "./vendor_request.ts";

/** A request with at most as many marks as the vendor accepts. */
interface LimitedMarks {
  readonly body: JsonObject;
  /** The number of marks before and after the change. */
  readonly from: number;
  readonly to: number;
}

/**
 * Marks the requests of one model. A pure function, so that equal requests result in equal bytes.
 */
export interface PromptMarks {
  /** The name of the marks in the receipt: a path of the adapter's `adds`. */
  readonly field: string;
  /**
   * Marks a request in the vendor's format. The given body is not changed.
   *
   * @param onlyPrefix whether only the end of the system prompt and the tools is marked
   * @returns undefined if no prefix is long enough for the model's cache, or if the request already
   * has the caller's marks, which are not changed
   */
  place(body: JsonObject, onlyPrefix: boolean): JsonObject | undefined;
  /**
   * Removes the first marks of a request that has more than the vendor accepts, since the last ones
   * mark the longest prefixes. The given body is not changed.
   *
   * @returns undefined if the number of marks is within the limit
   */
  limit(body: JsonObject): LimitedMarks | undefined;
  /** Removes the marks of a request; undefined if there are none. The given body is not changed. */
  remove(body: JsonObject): JsonObject | undefined;
}

/** The session ID for a vendor, as a header or a member of the body. */
export type SessionHint =
  | { readonly header: string }
  | { readonly member: string };

/** The hint for a request; undefined if the server does not support it. */
export type FindSessionHint = (
  request: Pick<VendorRequest, "url">,
  provider: ProviderSettings,
) => SessionHint | undefined;
