/**
 * Loaded before the tests of each file: gives every test a deadline, so that a test that waits
 * forever fails under its own name instead of blocking the run.
 */

import { Script } from "node:vm";

/** Well above the time of the longest test on a busy machine, and half of a file's time limit. */
const DEADLINE_MS = 5 * 60_000;

type Register = (...args: readonly unknown[]) => void;

/**
 * Adds a time limit in milliseconds to each test that has none.
 *
 * The runtime reports the first frame outside itself as the location of a test. The name of this
 * script makes it appear as part of the runtime, so that reports name the test's file.
 */
export const withDeadline: (register: Register, timeout: number) => Register = new Script(
  `(register, timeout) => (...args) => {
    const at = args.findIndex((arg) => typeof arg === "object");
    if (at === -1) args.splice(-1, 0, { timeout });
    else args[at] = { timeout, ...args[at] };
    return register(...args);
  }`,
  { filename: "ext:deadlines.js" },
).runInThisContext();

const { test } = Deno;
Object.assign(Deno, {
  test: Object.assign(withDeadline(test as unknown as Register, DEADLINE_MS), test),
});
