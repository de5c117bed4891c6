/**
 * How the caller wants its targets to be chosen. They can only reorder or skip targets that the key
 * may use.
 */

import type { Balance, MaxPrice } from "../../config/routing_schema.ts";

/** The caller's choices for one request. */
export interface RouteOptions {
  /** Replaces the `balance` of groups of equals. */
  readonly balance?: Balance | undefined;
  /** The IDs or kinds of providers to try first, in lower case. */
  readonly order?: readonly string[] | undefined;
  /** The IDs or kinds of the only providers to try, in lower case. */
  readonly only?: readonly string[] | undefined;
  readonly maxPrice?: MaxPrice | undefined;
}

/** The same choices with another `balance`, if there is one. */
export function withBalance(
  options: RouteOptions | undefined,
  balance: Balance | undefined,
): RouteOptions | undefined {
  return balance === undefined ? options : { ...options, balance };
}
