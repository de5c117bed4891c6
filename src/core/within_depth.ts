/** Reports a stack overflow as an error of the request. */

import { GatewayError } from "./errors.ts";

/** Turns a stack overflow, which deeply nested JSON causes, into an error for the caller. */
export function withinDepth<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    throw toDepthError(thrown);
  }
}

/** The error for what was thrown: another one for a stack overflow. */
export function toDepthError(thrown: unknown): unknown {
  if (!(thrown instanceof RangeError)) return thrown;
  const message = "The request is nested too deeply";
  return new GatewayError("invalid_request", message, { cause: thrown });
}
