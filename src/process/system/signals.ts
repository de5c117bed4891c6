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
  /** Resolves at the first SIGINT or SIGTERM: drain and exit. */
  readonly first: Promise<void>;
  /** Resolves at the second one: abort open responses and exit. */
  readonly second: Promise<void>;
  /** Resolves at the third one: exit at once. */
  readonly third: Promise<void>;
  /**
   * Calls `run` at SIGHUP, and at once if SIGHUP arrived before. On a terminal, SIGHUP means that the
   * terminal was closed, and ends the process as SIGTERM does.
   */
  onHangUp(run: () => void): void;
}

/**
 * Duplicates of a signal arrive within this time, in milliseconds: a terminal sends a signal to all
 * processes in the foreground, and parent processes may forward it too.
 */
const MAX_COPY_DELAY_MS = 500;

const newGate = () => Promise.withResolvers<void>();

/** Starts to handle the signals, which then do not end the process by default. */
export function watchSignals(): Signals {
  const [first, second, third] = [newGate(), newGate(), newGate()];
  const hangUp = Promise.withResolvers<void>();
  let count = 0;
  let seen: { readonly name: Deno.Signal; readonly at: number } | undefined;
  let reload = hangUp.resolve;
  const end = (name: Deno.Signal) => {
    const at = systemClock.now();
    if (name === seen?.name && at - seen.at <= MAX_COPY_DELAY_MS) return;
    seen = { name, at };
    [first, second, third][count++]?.resolve();
  };
  Deno.addSignalListener("SIGINT", () => end("SIGINT"));
  // Windows does not have these signals.
  if (Deno.build.os !== "windows") {
    const isOnTerminal = [Deno.stdin, Deno.stdout, Deno.stderr].some((one) => one.isTerminal());
    Deno.addSignalListener("SIGTERM", () => end("SIGTERM"));
    Deno.addSignalListener("SIGHUP", () => isOnTerminal ? end("SIGHUP") : reload());
    Deno.addSignalListener("SIGUSR2", toggleDebug);
  }
  return {
    first: first.promise,
    second: second.promise,
    third: third.promise,
    onHangUp(run) {
      reload = run;
      void hangUp.promise.then(run);
    },
  };
}
