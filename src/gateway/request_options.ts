/** The options that callers set in request headers. */

import type { CallerOptions, SentRequest } from "./feature.ts";
import type { Balance } from "../config/config.ts";

/** The options in a request's headers. */
export interface RequestOptions extends CallerOptions {
  /** All attempts together may take this many milliseconds: `x-sluice-deadline-ms`. */
  readonly deadline: number | undefined;
  /** How groups of equals are ordered: `x-sluice-order`. */
  readonly balance?: Balance | undefined;
  readonly sent?: SentRequest | undefined;
  /** Whether it waits in a queue, not before a retry, after a vendor's rate limit. */
  readonly waitsInQueue?: boolean;
}

/** Those of a request without any. */
export const NO_OPTIONS: RequestOptions = { strict: false, deadline: undefined };
