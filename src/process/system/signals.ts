/** Signals and unhandled rejections. */

import { systemClock } from "../../core/clock.ts";
import { toggleDebug } from "./stdio.ts";

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
  /** Whether the first one came from a terminal, such as Ctrl-C, whose user is waiting. */
  readonly isInteractive: boolean;
  /** The number of SIGINT and SIGTERM so far. */
  readonly count: number;
  /** Resolves when this many signals have arrived. */
  arrived(count: number): Promise<void>;
  /**
   * Calls `run` on SIGHUP, and at once if SIGHUP has already arrived. On a terminal, SIGHUP means
   * that the terminal was closed, and ends the process like SIGTERM.
   */
  onHangUp(run: () => void): void;
}

/**
 * Duplicates of a signal arrive within this time, in milliseconds: a terminal signals all
 * foreground processes, and parent processes may also forward the signal.
 */
const MAX_COPY_DELAY_MS = 500;

/** The maximum number of signals that a shutdown uses: one for each of its phases. */
const MAX_SIGNALS = 4;

const newGate = () => Promise.withResolvers<void>();

/** Starts handling the signals, so that they no longer end the process by default. */
export function watchSignals(): Signals {
  const gates = Array.from({ length: MAX_SIGNALS }, newGate);
  const hangUp = Promise.withResolvers<void>();
  let count = 0;
  let isInteractive = false;
  let seen: { readonly name: Deno.Signal; readonly at: number } | undefined;
  let reload = hangUp.resolve;
  const isOnTerminal = [Deno.stdin, Deno.stdout, Deno.stderr].some((one) => one.isTerminal());
  const end = (name: Deno.Signal) => {
    const at = systemClock.now();
    if (name === seen?.name && at - seen.at <= MAX_COPY_DELAY_MS) return;
    seen = { name, at };
    if (count === 0) isInteractive = isOnTerminal && name !== "SIGTERM";
    gates[count++]?.resolve();
  };
  Deno.addSignalListener("SIGINT", () => end("SIGINT"));
  // Windows does not have these signals.
  if (Deno.build.os !== "windows") {
    Deno.addSignalListener("SIGTERM", () => end("SIGTERM"));
    Deno.addSignalListener("SIGHUP", () => isOnTerminal ? end("SIGHUP") : reload());
    Deno.addSignalListener("SIGUSR2", toggleDebug);
  }
  return {
    get isInteractive() {
      return isInteractive;
    },
    get count() {
      return count;
    },
    arrived: (wanted) => gates[wanted - 1]?.promise ?? new Promise(() => {}),
    onHangUp(run) {
      reload = run;
      void hangUp.promise.then(run);
    },
  };
}
