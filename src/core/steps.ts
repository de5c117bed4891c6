/**
 * Work in short steps, which runs at once or lets the event loop run between them, and values that
 * are there at once or later.
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

/** Runs the steps in slices of the event loop, so that requests are served meanwhile. */
export async function runInSlices<Value>(steps: Steps<Value>): Promise<Value> {
  const slice = new TimeSlice();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (slice.isOver) await slice.next();
  }
}

/** The number of items of a list that are one step. */
const STEP_ITEMS = 100;

/** Goes through a list, with a pause after every {@linkcode STEP_ITEMS} items. */
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

/** Calls the function with the value: at once if the value is there. */
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
