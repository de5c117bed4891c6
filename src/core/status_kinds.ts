/** What a vendor's HTTP status proves without the body. */

import type { ErrorKind, SuspensionScope } from "./errors.ts";

/**
 * The error kind of a vendor's HTTP status, when the body has no more specific information.
 */
export function kindOfStatus(status: number): ErrorKind {
  switch (status) {
    case 401:
    case 403:
      return "upstream_auth";
    case 402:
      return "quota";
    case 404:
    case 410:
      return "model_not_found";
    case 408:
    case 504:
    case 524:
      return "upstream_timeout";
    case 409:
    case 425:
      return "upstream_error";
    case 413:
      return "too_large";
    case 429:
      return "rate_limited";
    case 498:
    case 503:
    case 529:
      return "upstream_unavailable";
  }
  return status >= 400 && status < 500 ? "invalid_request" : "upstream_error";
}

/**
 * What the vendor key must be suspended for because of only an HTTP status. A 403 is no proof: it
 * may be about one prompt, feature, model or region.
 */
export function scopeOfStatus(status: number | undefined): SuspensionScope | undefined {
  switch (status) {
    case 401:
    case 402:
      return "key";
    case 429:
      return "model";
  }
  return undefined;
}
