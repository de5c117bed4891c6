import type { ManualClock } from "./manual_clock.ts";

/**
 * Lets the injected time pass, this many milliseconds at each turn of the
 * event loop, until the promise is settled.
 */
export async function elapse<Value>(
  clock: ManualClock,
  promise: Promise<Value>,
  step = 1,
): Promise<Value> {
  let settled = false;
  const done = () => {
    settled = true;
  };
  promise.then(done, done);
  while (true) {
    await turn();
    if (settled) return await promise;
    clock.advance(step);
  }
}

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Waits until something is so, a turn of the event loop at a time; fails after a second. */
export async function until(isSo: () => boolean, within = 1000): Promise<void> {
  const end = performance.now() + within;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`This never came to be: ${isSo}`);
    await turn();
  }
}
