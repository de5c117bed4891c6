/** Waits for work that cannot be aborted. */

import type { StopSignal } from "../core/stop_signal.ts";

/**
 * Resolves or rejects as `work` does, or rejects with the signal's reason if the signal is aborted
 * first. The work itself continues, and its later result or error is ignored.
 */
export function untilAborted<Result>(work: Promise<Result>, signal: StopSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  work.then(resolve, reject);
  const leave = () => reject(signal.reason);
  if (signal.aborted) leave();
  else {
    signal.addEventListener("abort", leave, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }
  return promise;
}
