/** Errors for requests that cannot be converted to a vendor's format. */

import { GatewayError } from "../../core/errors.ts";

/**
 * Creates the error for content that the vendor does not support.
 *
 * @param param the path of the content in the request
 */
export function unsupportedContent(param: string, why: string): GatewayError {
  const message = `Unsupported content in '${param}': ${why}`;
  return new GatewayError("unsupported_content", message, { param });
}
