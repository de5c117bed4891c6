/** A time limit for promises. */

import { type Clock, systemClock } from "../../core/clock.ts";

/** Waits for a promise, but at most `ms` milliseconds. */
export async function within(
  ms: number,
  promise: Promise<unknown>,
  clock: Pick<Clock, "after"> = systemClock,
): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  await Promise.race([promise, timeout]).finally(cancel);
}
