/** Strict mode: refuses requests with parts that would be ignored. */

import type { FieldPaths } from "../apis/chat/field_paths.ts";
import { GatewayError } from "../core/errors.ts";
import type { Receipt } from "../contract/receipt.ts";

/**
 * Refuses a request if any part of it would be ignored.
 *
 * @param origins the caller's own names, if the request was converted from another format
 * @throws {GatewayError} `unsupported_parameter`
 */
export function refuseIgnored({ ignored }: Receipt, origins?: FieldPaths): void {
  const own = [...ignored].map((name) => origins?.pathOf(name) ?? name);
  const [param] = own;
  if (param === undefined) return;
  const names = own.map((name) => `'${name}'`).join(", ");
  throw new GatewayError("unsupported_parameter", `The provider does not support ${names}`, {
    param,
  });
}
