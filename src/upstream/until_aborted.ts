/** Waits for work that cannot be aborted. */

import { abortable } from "@std/async/abortable";

/**
 * Resolves or rejects as `work` does, or rejects with the signal's reason if the signal is aborted
 * first. The work itself continues, and its later result or error is ignored.
 */
export const untilAborted: <Result>(work: Promise<Result>, signal: AbortSignal) => Promise<Result> =
  abortable;
