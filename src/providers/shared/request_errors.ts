/** Errors for requests that cannot be converted to a vendor's format. */

import { GatewayError } from "../../core/errors.ts";

/**
 * Creates the error for a value that is invalid for every provider of the kind.
 *
 * @param param the path of the value in the request
 */
export function invalidValue(param: string, why: string): GatewayError {
  return new GatewayError("invalid_value", `Invalid value for '${param}': ${why}`, { param });
}

/**
 * Creates the error for content that the vendor does not support.
 *
 * @param param the path of the content in the request
 */
export function unsupportedContent(param: string, why: string): GatewayError {
  const message = `Unsupported content in '${param}': ${why}`;
  return new GatewayError("unsupported_content", message, { param });
}
