/**
 * What vendors' error codes mean. A code comes from a list of the vendor's own, so unlike a message
 * it may decide about more than one request.
 */

import { type ErrorKind, scopeOfStatus, type SuspensionScope } from "../errors.ts";
import type { Suspension } from "./adapter.ts";

/** The meaning of one code. */
export interface CodeMeaning {
  readonly kind: ErrorKind;
  readonly suspends?: SuspensionScope;
}

/** The vendor key is not valid, or not any longer. */
export const KEY_REFUSED: CodeMeaning = { kind: "upstream_auth", suspends: "key" };
/** The vendor key is valid, but may not use this model, or not from this region. */
export const MODEL_REFUSED: CodeMeaning = { kind: "upstream_auth", suspends: "model" };
/** The account's balance or quota is used up. */
export const QUOTA_USED_UP: CodeMeaning = { kind: "quota", suspends: "key" };
/** The rate limit of a model is reached. */
const RATE_LIMITED: CodeMeaning = { kind: "rate_limited", suspends: "model" };

/** The meaning of a code for which a table names the kind alone. */
export function meaningOf(entry: ErrorKind | CodeMeaning): CodeMeaning {
  if (typeof entry !== "string") return entry;
  switch (entry) {
    case "upstream_auth":
      return KEY_REFUSED;
    case "quota":
      return QUOTA_USED_UP;
    case "rate_limited":
      return RATE_LIMITED;
    default:
      return { kind: entry };
  }
}

/** A code, and what it suspends. */
export interface NamedScope {
  readonly name: string;
  readonly suspends?: SuspensionScope | undefined;
}

/**
 * What proves that a key is to be suspended: the code where it says more than the status, else the
 * status.
 *
 * @param status of the HTTP response; undefined for an error inside a 200
 */
export function suspensionOf(
  status: number | undefined,
  code?: NamedScope,
): Suspension | undefined {
  if (code?.suspends !== undefined) return { scope: code.suspends, code: code.name };
  const scope = scopeOfStatus(status);
  return scope && { scope };
}
