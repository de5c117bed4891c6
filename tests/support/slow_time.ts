/**
 * Loaded before Sluice: short waits are 20 times as long. On a busy machine, a store may take
 * longer to reply than a request waits for it, in which case each replica decides on its own.
 */

const FACTOR = 20;
const SHORT_MS = 1000;

const { setTimeout } = globalThis;
Object.assign(globalThis, {
  setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    setTimeout(run, ms < SHORT_MS ? ms * FACTOR : ms, ...args),
});
