/** Advances the injected time in tests. */

import { setImmediate } from "node:timers/promises";
import type { ManualClock } from "./manual_clock.ts";

/** The real time after which a promise that stays pending is an error. */
const MAX_PENDING_MS = 60_000;

/**
 * Advances the injected time by a millisecond in each turn of the event loop until the promise is
 * settled, which is slow enough for a real network. Fails after a minute of real time.
 */
export function elapse<Value>(
  clock: ManualClock,
  promise: Promise<Value>,
  within = MAX_PENDING_MS,
): Promise<Value> {
  return passing(clock, promise, 1, turn, within);
}

/**
 * The same without a network.
 *
 * @param first the number of turns with a real timer before the injected time advances
 */
export async function hurry<Value>(
  clock: ManualClock,
  promise: Promise<Value>,
  step = 25,
  first = FIRST_TURNS,
): Promise<Value> {
  await turns(first);
  return await passing(
    clock,
    promise,
    step,
    setImmediate,
    MAX_PENDING_MS,
  );
}

/** Reading a large body yields to the event loop with a real timer. */
const FIRST_TURNS = 3;

async function passing<Value>(
  clock: ManualClock,
  promise: Promise<Value>,
  step: number,
  pause: () => Promise<unknown>,
  within: number,
): Promise<Value> {
  let settled = false;
  const done = () => {
    settled = true;
  };
  promise.then(done, done);
  const began = clock.now();
  const end = performance.now() + within;
  while (performance.now() < end) {
    await pause();
    if (settled) return await promise;
    clock.advance(step);
  }
  const passed = clock.now() - began;
  throw new Error(`The promise is pending after ${within / 1000} s and ${passed} injected ms`);
}

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Turns of the event loop that take less than a millisecond each, for code that waits only for
 * promises and not for the operating system.
 */
export async function shortTurns(count = 1): Promise<void> {
  for (let made = 0; made < count; made++) await setImmediate();
}

/** Several turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let made = 0; made < count; made++) await turn();
}

/** Well above what a busy machine needs. */
const MAX_WAIT_MS = 30_000;

/** Waits for a condition, checked in each turn of the event loop; fails after 30 seconds. */
export async function until(isSo: () => boolean, within = MAX_WAIT_MS): Promise<void> {
  const end = performance.now() + within;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(toMessage(isSo, within));
    await turn();
  }
}

/** How often a condition outside the process is checked, in milliseconds. */
const CHECK_MS = 20;

/**
 * Waits for a condition outside the process, such as a server's reply; fails after 30 seconds.
 *
 * @param isSo may reject until the condition can be evaluated
 */
export async function untilReply(
  isSo: () => Promise<boolean> | boolean,
  within = MAX_WAIT_MS,
): Promise<void> {
  const end = performance.now() + within;
  let last: unknown;
  for (;;) {
    try {
      if (await isSo()) return;
    } catch (thrown) {
      last = thrown;
    }
    if (performance.now() > end) throw new Error(toMessage(isSo, within), { cause: last });
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
}

function toMessage(isSo: () => unknown, within: number): string {
  return `Not true after ${within / 1000} s: ${isSo}`;
}
