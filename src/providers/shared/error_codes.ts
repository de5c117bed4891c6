/**
 * The meaning of vendors' error codes. The caller cannot influence a code, unlike a message, so a
 * code may affect more than one request.
 */

import type { ErrorKind, SuspensionScope } from "../../core/errors.ts";
import { scopeOfStatus } from "../../core/status_kinds.ts";
import type { Suspension } from "../contract/adapter.ts";

/** The meaning of one code. */
export interface CodeMeaning {
  readonly kind: ErrorKind;
  readonly suspends?: SuspensionScope;
}

/** The vendor key is invalid or has expired. */
export const KEY_REFUSED: CodeMeaning = { kind: "upstream_auth", suspends: "key" };
/** The vendor key is valid, but has no access to this model or from this region. */
export const MODEL_REFUSED: CodeMeaning = { kind: "upstream_auth", suspends: "model" };
/** The account's balance or quota is used up. */
export const QUOTA_USED_UP: CodeMeaning = { kind: "quota", suspends: "key" };
/** The rate limit of a model is reached. */
const RATE_LIMITED: CodeMeaning = { kind: "rate_limited", suspends: "model" };

/** Completes the entry of a table, which may be only a kind. */
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

/** A code, and the scope that it suspends. */
export interface NamedScope {
  readonly name: string;
  readonly suspends?: SuspensionScope | undefined;
}

/**
 * Decides whether a key is suspended: by the code if it has a scope, else by the status.
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
