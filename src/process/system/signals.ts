/** Signals and unhandled rejections. */

import { systemClock } from "../../core/clock.ts";

/**
 * Prevents unhandled rejections from ending the thread or the process: a rejection belongs to one
 * request or connection and does not affect others. An uncaught exception still ends the thread,
 * since it may have left shared state inconsistent.
 */
export function surviveRejections(onRejection: (reason: unknown) => void): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    onRejection(event.reason);
  });
}

/** The signals that the process handles. */
export interface Signals {
  /** Resolves at the first SIGINT or SIGTERM: drain and exit. */
  readonly first: Promise<void>;
  /** Resolves at the second one: exit at once. */
  readonly second: Promise<void>;
  /** Calls `run` at SIGHUP, and at once if SIGHUP arrived before. */
  onHangUp(run: () => void): void;
}

/**
 * Duplicates of a signal arrive within this time, in milliseconds: a terminal sends a signal to all
 * processes in the foreground, and parent processes may forward it too.
 */
const MAX_COPY_DELAY_MS = 500;

/** Starts to handle the signals, which then do not end the process by default. */
export function watchSignals(): Signals {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const hangUp = Promise.withResolvers<void>();
  let seen: { readonly name: Deno.Signal; readonly at: number } | undefined;
  let reload = hangUp.resolve;
  const end = (name: Deno.Signal) => {
    const at = systemClock.now();
    if (seen === undefined) first.resolve();
    else if (name !== seen.name || at - seen.at > MAX_COPY_DELAY_MS) second.resolve();
    seen ??= { name, at };
  };
  Deno.addSignalListener("SIGINT", () => end("SIGINT"));
  // Windows does not have these signals.
  if (Deno.build.os !== "windows") {
    Deno.addSignalListener("SIGTERM", () => end("SIGTERM"));
    Deno.addSignalListener("SIGHUP", () => reload());
  }
  return {
    first: first.promise,
    second: second.promise,
    onHangUp(run) {
      reload = run;
      void hangUp.promise.then(run);
    },
  };
}
