/** Reports of errors of the gateway itself to the operator. */

import { logMessage } from "./stdio.ts";

/**
 * Logs an error with its stack. Clients never see it.
 *
 * @param where the request's ID, or the part of the gateway
 */
export function reportBug(thrown: unknown, where = "unhandled error:"): void {
  const stack = thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
  logMessage(`${where}\n${stack}`, "error");
}
