/** Signals that end work: a cheaper form of `AbortSignal`, and the shutdown of the process. */

import type { Clock } from "./clock.ts";
import { LinkedList } from "./collections.ts";

/** A listener that is called when the work must end. */
type StopListener = (() => void) | { handleEvent(): void };

/**
 * Signals when work must end, and why. An `AbortSignal` implements it. Creating and listening to an
 * `AbortSignal` costs more than the rest of a short request.
 */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** @throws {@linkcode reason} once the work must end. */
  throwIfAborted(): void;
  /** The listener is called once, unless the work must already end. */
  addEventListener(type: "abort", listener: StopListener, options?: { once: true }): void;
  removeEventListener(type: "abort", listener: StopListener): void;
}

/** The platform's signal for the same work, for code that needs one. */
export function toAbortSignal(signal: StopSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return controller.signal;
}

/** A signal that its owner triggers. */
export class Stopper implements StopSignal {
  aborted = false;
  reason: unknown;
  /** There is nearly always at most one. */
  #listener: StopListener | undefined;
  #others: StopListener[] | undefined;

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: "abort", listener: StopListener): void {
    if (this.aborted) return;
    if (this.#listener === undefined) this.#listener = listener;
    else (this.#others ??= []).push(listener);
  }

  removeEventListener(_type: "abort", listener: StopListener): void {
    if (this.#listener === listener) this.#listener = this.#others?.shift();
    else if (this.#others !== undefined) {
      const at = this.#others.indexOf(listener);
      if (at !== -1) this.#others.splice(at, 1);
    }
  }

  /** Triggers the signal. Only the first reason applies. */
  stop(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const first = this.#listener;
    const others = this.#others ?? [];
    this.#listener = this.#others = undefined;
    for (const listener of first === undefined ? [] : [first, ...others]) {
      if (typeof listener === "function") listener();
      else listener.handleEvent();
    }
  }
}

/** A listener for the shutdown. */
export interface ShutdownListener {
  onShutdown(): void;
}

/** The start of the shutdown, as an event. */
export class Shutdown {
  begun = false;
  /** The registered listeners. A listener that ends earlier removes its entry. */
  readonly waiting = new LinkedList<ShutdownListener>();

  /** Calls `run` when the shutdown begins. The returned function cancels the call. */
  onBegin(run: () => void): () => void {
    const entry = this.waiting.add({ onShutdown: run });
    return () => void this.waiting.remove(entry);
  }

  /** Begins the shutdown. */
  begin(): void {
    this.begun = true;
    for (let entry = this.waiting.first; entry !== undefined; entry = this.waiting.first) {
      this.waiting.remove(entry);
      entry.value.onShutdown();
    }
  }
}

/**
 * Resolves or rejects as `work` does, or rejects with the signal's reason if the signal is aborted
 * first. The work itself continues, and its later result or error is ignored.
 */
export function untilAborted<Result>(work: Promise<Result>, signal: StopSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  work.then(resolve, reject);
  const leave = () => reject(signal.reason);
  if (signal.aborted) leave();
  else {
    signal.addEventListener("abort", leave, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }
  return promise;
}

/** Waits `ms` milliseconds, or rejects with the signal's reason if the signal is aborted first. */
export function sleep(
  ms: number,
  signal: StopSignal,
  clock: Pick<Clock, "after">,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  return untilAborted(promise, signal).finally(cancel);
}
