/**
 * Errors as Google's APIs write them.
 *
 * Shape: https://cloud.google.com/apis/design/errors and
 * https://ai.google.dev/gemini-api/docs/troubleshooting (2026-11-24).
 */

import type { GatewayError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json/object.ts";

/** The member `error.status` for each HTTP status. */
const STATUSES = new Map([
  [401, "UNAUTHENTICATED"],
  [402, "RESOURCE_EXHAUSTED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [405, "UNIMPLEMENTED"],
  [408, "DEADLINE_EXCEEDED"],
  [409, "ABORTED"],
  [429, "RESOURCE_EXHAUSTED"],
  [499, "CANCELLED"],
  [500, "INTERNAL"],
  [501, "UNIMPLEMENTED"],
  [502, "UNAVAILABLE"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
]);

const TYPES = "type.googleapis.com/google.rpc.";

/** The body of an answer that is an error. */
export function writeError(error: GatewayError, requestId: string): string {
  const { code, message, param, status } = error;
  const details: JsonObject[] = [];
  if (code !== null) {
    details.push({ "@type": `${TYPES}ErrorInfo`, reason: code.toUpperCase(), domain: "sluice" });
  }
  if (param !== null) {
    const fieldViolations = [{ field: param, description: message }];
    details.push({ "@type": `${TYPES}BadRequest`, fieldViolations });
  }
  // Gemini CLI and Google's libraries read the wait from here, not from the header.
  const seconds = Number(error.headers["retry-after"] ?? NaN);
  if (seconds >= 0) details.push({ "@type": `${TYPES}RetryInfo`, retryDelay: `${seconds}s` });
  details.push({ "@type": `${TYPES}RequestInfo`, requestId });
  const name = STATUSES.get(status) ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
  return JSON.stringify({ error: { code: status, message, status: name, details } });
}
