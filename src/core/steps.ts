/**
 * Work in short steps, run at once or with yields to the event loop in between; and values that are
 * available at once or later.
 */

import { TimeSlice } from "./clock.ts";

/** Work that pauses after each step. */
export type Steps<Value> = Generator<undefined, Value, undefined>;

/** Runs all steps at once. */
export function runAtOnce<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs the steps in time slices, so that other requests are served in between. */
export async function runInSlices<Value>(steps: Steps<Value>): Promise<Value> {
  const slice = new TimeSlice();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (slice.isOver) await slice.next();
  }
}

/** The number of list items per step. */
const STEP_ITEMS = 100;

/** Iterates over a list, with a pause after every {@linkcode STEP_ITEMS} items. */
export function* eachInSteps<Item>(
  items: Iterable<Item>,
  use: (item: Item) => void,
): Steps<void> {
  let count = 0;
  for (const item of items) {
    if (++count % STEP_ITEMS === 0) yield;
    use(item);
  }
}

/** Calls the function with the value, at once if the value is available. */
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
