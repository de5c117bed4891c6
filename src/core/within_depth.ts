/** Reports a stack overflow as an error of the request. */

import { GatewayError } from "./errors.ts";

/** Turns a stack overflow, which deeply nested JSON causes, into an error for the caller. */
export function withinDepth<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new GatewayError("invalid_request", "The request is nested too deeply", {
      cause: thrown,
    });
  }
}
