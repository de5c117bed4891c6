/** Limits how long the process waits. */

import { systemClock } from "../core/clock.ts";

/** Waits for a promise, but no longer than this. */
export async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = systemClock.after(ms, resolve);
  await Promise.race([promise, late]).finally(cancel);
}
