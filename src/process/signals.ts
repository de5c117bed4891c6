/** Signals and unhandled rejections. */

import { systemClock } from "../core/clock.ts";

/**
 * From now on a rejection that nobody handles ends neither this thread nor the
 * process: it belongs to one request or one connection, and all others are as
 * sound as before. An exception that nobody catches still ends the thread, since
 * it may have left a timer or a list half done.
 */
export function surviveRejections(onRejection: (reason: unknown) => void): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    onRejection(event.reason);
  });
}

/** What the process is asked for from outside. */
export interface Signals {
  /** To end. */
  readonly first: Promise<void>;
  /** To end at once. */
  readonly second: Promise<void>;
  /** Calls `run` for a new configuration: at once, if it was asked for before. */
  onHangUp(run: () => void): void;
}

/**
 * Copies of one signal arrive within this time, in milliseconds: a terminal sends
 * it to every process in front, and those that started this one hand it on.
 */
const MAX_COPY_DELAY_MS = 500;

/** From now on, none of them ends the process by itself. */
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
  // Windows knows neither.
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
