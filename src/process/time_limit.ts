/** A time limit for promises. */

import { systemClock } from "../core/clock.ts";

/** Waits for a promise, but at most `ms` milliseconds. */
export async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const cancel = systemClock.after(ms, resolve);
  await Promise.race([promise, timeout]).finally(cancel);
}
