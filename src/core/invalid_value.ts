/** The error for a value that is invalid at every target. */

import { GatewayError } from "./errors.ts";

/**
 * Creates the error for a value of a request.
 *
 * @param param the path of the value; empty for the whole body
 * @param why a sentence without its subject, such as "must be a string"
 */
export function invalidValue(param: string, why: string): GatewayError {
  const where = param === "" ? "the request body" : `'${param}'`;
  return new GatewayError("invalid_value", `Invalid value for ${where}: ${why}`, {
    param: param || null,
  });
}
