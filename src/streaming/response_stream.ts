/** The loop after the 200: one read, one fold, one write, at the caller's pace. */

import type { CallerFormat } from "../chat/caller_format.ts";
import type { Clock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { OpenStream, StreamFold } from "./fold.ts";

/** What the loop tells whoever keeps the books. */
export interface StreamObserver {
  readonly clock: Clock;
  readonly format: CallerFormat;
  /** Milliseconds of silence before a comment is written; 0 for none. */
  readonly keepAlive: number;
  /** Milliseconds that the caller may leave the stream unread. */
  readonly writeTimeout: number;
  /** A packet has come from the vendor, or is waited for again after {@linkcode onPause}. */
  onPacket(): void;
  /** The vendor is not read until the caller has read. */
  onPause(): void;
  /** The caller has not read for `writeTimeout`. */
  onUnread(): void;
  /** Milliseconds between two writes. */
  onGap(ms: number): void;
  /** A packet could not be read: what the caller is to be told. */
  onReadError(thrown: unknown): GatewayError;
  /** The stream is over, however it ended. Called once. */
  onEnd(fold: StreamFold, cancelled: boolean): void;
}

const encoder = new TextEncoder();

/** The body of a streamed answer. The caller's pace is the vendor's pace. */
export function toBody(
  stream: OpenStream,
  observer: StreamObserver,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pump = new Pump(stream, observer);
  return new ReadableStream({
    // One loop that waits only when the queue is full costs less per event
    // than a promise made for each pull.
    start: (controller) => {
      // A rejection that nobody handles would end the process, and every other stream with it.
      pump.run(controller).catch((thrown) => {
        pump.stop();
        controller.error(thrown);
      });
    },
    pull: () => pump.resume(),
    cancel: () => pump.stop(),
  });
}

type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;

/** Moves packets from the vendor to the caller until either has had enough. */
class Pump {
  readonly #stream: OpenStream;
  readonly #observer: StreamObserver;
  #over = false;
  #resume: (() => void) | undefined;
  #writtenAt = 0;
  /** When the last events were written; comments do not count. */
  #saidAt = 0;
  #cancelKeepAlive: () => void = () => {};

  constructor(stream: OpenStream, observer: StreamObserver) {
    this.#stream = stream;
    this.#observer = observer;
  }

  async run(controller: Controller): Promise<void> {
    const { fold, first } = this.#stream;
    const { clock, keepAlive } = this.#observer;
    if (first.length > 0) controller.enqueue(first);
    this.#writtenAt = this.#saidAt = clock.now();
    if (keepAlive > 0) this.#watch(controller, keepAlive);
    while (!fold.ended && !this.#over) {
      if ((controller.desiredSize ?? 0) <= 0) await this.#room(controller);
      else {
        const output = await this.#read();
        if (output.length > 0 && !this.#over) {
          controller.enqueue(output);
          this.#writtenAt = clock.now();
          this.#observer.onGap(this.#writtenAt - this.#saidAt);
          this.#saidAt = this.#writtenAt;
        }
      }
    }
    if (this.#over) return;
    const { failure } = fold;
    if (failure !== undefined) controller.enqueue(this.#observer.format.writeStreamError(failure));
    // The runtime may find within a write that the caller has left, and cancel at once.
    if (this.#isOver()) return;
    controller.close();
    this.#end(false);
    if (failure === undefined) await this.#stream.packets.finish(clock);
    else this.#stream.packets.close();
  }

  /** The caller has taken what was written. */
  resume(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  /** The caller has left. */
  stop(): void {
    if (this.#over) return;
    this.#stream.packets.close();
    this.#end(true);
    this.resume();
  }

  /** Waits until the caller reads on; one who does not is given up. */
  async #room(controller: Controller): Promise<void> {
    const { clock, writeTimeout } = this.#observer;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resume = resolve;
    this.#observer.onPause();
    const cancel = clock.after(writeTimeout, () => {
      this.stop();
      this.#observer.onUnread();
      // Drops what the caller has not taken.
      controller.error(new GatewayError("client_gone", "The caller does not read"));
    });
    await promise;
    cancel();
    this.#observer.onPacket();
  }

  /** One timer serves the whole stream: it looks back instead of being set at each write. */
  #watch(controller: Controller, ms: number): void {
    const { clock, format, keepAlive } = this.#observer;
    this.#cancelKeepAlive = clock.after(ms, () => {
      let left = this.#writtenAt + keepAlive - clock.now();
      if (left <= 0) {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(format.keepAlive);
        if (this.#over) return;
        this.#writtenAt = clock.now();
        left = keepAlive;
      }
      this.#watch(controller, left);
    });
  }

  async #read(): Promise<Uint8Array<ArrayBuffer>> {
    const { fold, packets } = this.#stream;
    try {
      const packet = await packets.next();
      if (packet === undefined) return toBytes(fold.end());
      this.#observer.onPacket();
      // Copied here and now: what a fold gives is good until the next push of any.
      return toBytes(fold.push(packet));
    } catch (thrown) {
      fold.fail(this.#observer.onReadError(thrown));
      return NOTHING;
    }
  }

  #isOver(): boolean {
    return this.#over;
  }

  #end(cancelled: boolean): void {
    this.#over = true;
    this.#cancelKeepAlive();
    this.#observer.onEnd(this.#stream.fold, cancelled);
  }
}

const NOTHING = new Uint8Array(0);

/** Bytes of our own, since callers are slow. */
function toBytes(output: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof output === "string" ? encoder.encode(output) : new Uint8Array(output);
}
