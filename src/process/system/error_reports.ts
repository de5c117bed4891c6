/** Reports of errors to the operator, on standard error. */

import { report } from "./stdio.ts";

/** Logs an unhandled rejection. */
export function reportUnhandled(reason: unknown): void {
  report(`sluice: unhandled error:\n${describe(reason)}\n`);
}

/** A description with the stack for the log. Clients never see it. */
export function describe(thrown: unknown): string {
  return thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
}
