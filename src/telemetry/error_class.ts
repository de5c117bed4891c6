/** The class of a failure, as a label of metrics. */

import { ERROR_KINDS, type ErrorKind, type FailureClass } from "../core/errors.ts";
import type { RequestRecord } from "../routing/request_record.ts";

/**
 * Who has to act: a class of fallback chains for failures of targets, `limit` for limits and budgets
 * of the gateway, `client_gone` for a client that disconnected, `request` for other faults of a
 * request, and `gateway` for those of the gateway itself.
 */
export type ErrorClass = FailureClass | "limit" | "client_gone" | "request" | "gateway";

/** Kinds of limits that the gateway itself enforces. */
const LIMITS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "limit_exceeded",
  "model_limit_exceeded",
  "budget_exceeded",
  "price_unknown",
  "over_max_price",
  "too_many_tokens",
]);

/** Returns the class of a request's failure; empty if it has none. */
export function errorClassOf(
  { error, outcome }: Pick<RequestRecord, "error" | "outcome">,
): ErrorClass | "" {
  if (outcome === "client_gone") return "client_gone";
  return error === undefined ? "" : toClass(error.kind);
}

function toClass(kind: ErrorKind): ErrorClass {
  if (LIMITS.has(kind)) return "limit";
  if (kind === "client_gone") return kind;
  const { failureClass, status } = ERROR_KINDS[kind];
  return failureClass ?? (status < 500 ? "request" : "gateway");
}
