/** Writes comments to a silent stream, and ends a response that the client does not read. */

import type { Clock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";

/** The controller of a response stream, or another receiver of its bytes. */
type Controller = Pick<
  ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>,
  "desiredSize" | "enqueue"
>;

/** The options of keep-alive comments. */
export interface KeepAliveOptions {
  readonly clock: Clock;
  /** Milliseconds without a write before a comment is written. */
  readonly ms: number;
  /** The comment, or a function that is called for each comment. */
  readonly comment: Uint8Array<ArrayBuffer> | (() => Uint8Array<ArrayBuffer>);
}

/** Writes a comment whenever the stream has been silent for a while. */
export class KeepAlive {
  readonly #controller: Controller;
  readonly #options: KeepAliveOptions;
  #writtenAt: number;
  #stopped = false;
  #cancel: () => void = () => {};

  constructor(controller: Controller, options: KeepAliveOptions) {
    this.#controller = controller;
    this.#options = options;
    this.#writtenAt = options.clock.now();
    this.#schedule(options.ms);
  }

  /** Records a write at this time. The timer checks it instead of being restarted. */
  wrote(now: number): void {
    this.#writtenAt = now;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #schedule(delay: number): void {
    const { clock, ms, comment } = this.#options;
    this.#cancel = clock.after(delay, () => {
      let left = this.#writtenAt + ms - clock.now();
      if (left <= 0) {
        if ((this.#controller.desiredSize ?? 0) > 0) {
          this.#controller.enqueue(typeof comment === "function" ? comment() : comment);
        }
        // During a write, the runtime may notice that the client disconnected and cancel the stream.
        if (this.#stopped) return;
        this.#writtenAt = clock.now();
        left = ms;
      }
      this.#schedule(left);
    });
  }
}

/**
 * Closes a response if it is not read in time. Returns a function that stops the timer.
 *
 * @param ms the time limit
 * @param onUnread called before the response is closed, in order to end its source
 */
export function closeIfUnread(
  { clock, ms, onUnread }: {
    readonly clock: Clock;
    readonly ms: number;
    readonly onUnread: () => void;
  },
  controller: ReadableStreamDefaultController,
): () => void {
  return clock.after(ms, () => {
    onUnread();
    // Drops the queued output.
    controller.error(new GatewayError("client_gone", "The client stopped reading the response"));
  });
}
