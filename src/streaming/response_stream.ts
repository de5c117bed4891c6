/**
 * Streams the body of a response: reads a packet, converts it and writes it, at the client's pace.
 */

import type { GatewayError } from "../core/errors.ts";
import { endOfEvent } from "./event_splitter.ts";
import { closeIfUnread, KeepAlive } from "./keep_alive.ts";
import type { CallerFormat } from "../apis/chat/caller_format.ts";
import { copyBytes, encodeText } from "../core/bytes.ts";
import type { Clock } from "../core/clock.ts";
import type { AnswerFold, OpenStream } from "./fold.ts";

/** The settings and callbacks of a response stream. */
export interface StreamObserver {
  readonly clock: Clock;
  readonly format: CallerFormat;
  /** The value of the header `x-request-id`. */
  readonly requestId: string;
  /** Milliseconds without a write before a keep-alive comment is written; 0 disables comments. */
  readonly keepAlive: number;
  /** Milliseconds after which a client that stopped reading is disconnected. */
  readonly writeTimeout: number;
  /**
   * Called when a packet has been received from the vendor, or when reading resumes after
   * {@linkcode onPause}.
   */
  onPacket(now: number): void;
  /** Called when reading from the vendor pauses until the client reads. */
  onPause(): void;
  /** Called when the client has not read for `writeTimeout`. */
  onUnread(): void;
  /** Reports the milliseconds between two writes of events. */
  onGap(ms: number): void;
  /** Converts a read failure into the error that the client receives. */
  onReadError(thrown: unknown): GatewayError;
  /** Called once when the stream has ended, for any reason. */
  onEnd(fold: AnswerFold, cancelled: boolean): void;
}

/** The body of a streamed answer. The vendor is read only as fast as the client reads. */
export function toResponseBody(
  stream: OpenStream,
  observer: StreamObserver,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const responseStream = new ResponseStream(stream, observer);
  return new ReadableStream({
    // A loop that waits only when the queue is full costs less per event than a promise per pull.
    start: (controller) => {
      // An unhandled rejection would end the process and with it all other streams.
      responseStream.run(controller).catch((thrown) => {
        responseStream.stop();
        controller.error(thrown);
      });
    },
    pull: () => responseStream.resume(),
    cancel: () => responseStream.stop(),
  });
}

type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;

/** Copies packets from the vendor to the client until either side ends the stream. */
class ResponseStream {
  readonly #stream: OpenStream;
  readonly #observer: StreamObserver;
  #ended = false;
  #resume: (() => void) | undefined;
  /** When the last packet arrived. */
  #arrivedAt = 0;
  /** When events were last written. Comments do not count. */
  #eventAt = 0;
  #keepAlive: KeepAlive | undefined;
  /** The last written events, for formats whose keep-alives depend on them. */
  #lastEvents: Uint8Array<ArrayBuffer> | undefined;

  constructor(stream: OpenStream, observer: StreamObserver) {
    this.#stream = stream;
    this.#observer = observer;
  }

  async run(controller: Controller): Promise<void> {
    const { fold, first } = this.#stream;
    const { clock, format, keepAlive, requestId } = this.#observer;
    if (first.length > 0) controller.enqueue(first);
    const { keepAliveAfter } = format;
    if (keepAliveAfter !== undefined) {
      this.#lastEvents = NOTHING;
      this.#keepLast(first);
    }
    this.#eventAt = clock.now();
    if (keepAlive > 0 && this.#stream.contentType === undefined) {
      const comment = keepAliveAfter === undefined
        ? format.keepAlive
        : () => keepAliveAfter(this.#lastEvents ?? NOTHING);
      this.#keepAlive = new KeepAlive(controller, { clock, ms: keepAlive, comment });
    }
    while (!fold.ended && !this.#ended) {
      if ((controller.desiredSize ?? 0) <= 0) await this.#waitForReader(controller);
      else {
        const output = this.#take();
        if (output === undefined) await this.#stream.packets.arrival();
        else if (output.length > 0) {
          controller.enqueue(output);
          if (this.#lastEvents !== undefined) this.#keepLast(output);
          this.#keepAlive?.wrote(this.#arrivedAt);
          this.#observer.onGap(this.#arrivedAt - this.#eventAt);
          this.#eventAt = this.#arrivedAt;
        }
      }
    }
    if (this.#ended) return;
    const { failure } = fold;
    if (failure !== undefined) {
      if (this.#stream.contentType !== undefined) return this.#cut(controller, failure);
      controller.enqueue(format.writeStreamError(failure, requestId));
    }
    // During a write, the runtime may notice that the client disconnected and call `cancel`.
    if (this.#hasEnded()) return;
    controller.close();
    this.#end(false);
    if (failure === undefined) await this.#stream.packets.finish(clock);
    else this.#stream.packets.close();
  }

  /** Ends a response without events, so that the client detects that it is incomplete. */
  #cut(controller: Controller, failure: GatewayError): void {
    controller.error(failure);
    this.#stream.packets.close();
    this.#end(false);
  }

  /** Called when the client has read the queued output. */
  resume(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  /** Called when the client has disconnected. */
  stop(): void {
    if (this.#ended) return;
    this.#stream.packets.close();
    this.#end(true);
    this.resume();
  }

  /** Waits until the client reads. Disconnects the client after `writeTimeout`. */
  async #waitForReader(controller: Controller): Promise<void> {
    const { clock, writeTimeout } = this.#observer;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resume = resolve;
    this.#observer.onPause();
    const onUnread = () => {
      this.stop();
      this.#observer.onUnread();
    };
    const cancel = closeIfUnread({ clock, ms: writeTimeout, onUnread }, controller);
    await promise;
    cancel();
    this.#observer.onPacket(clock.now());
  }

  /** The output for the next packet; undefined if none has arrived. */
  #take(): Uint8Array<ArrayBuffer> | undefined {
    const { fold, packets } = this.#stream;
    try {
      const packet = packets.take();
      if (packet === undefined) return undefined;
      const now = this.#arrivedAt = this.#observer.clock.now();
      if (packet === null) return toBytes(fold.end());
      this.#observer.onPacket(now);
      // Copied at once, since the bytes are valid only until the next push on any fold.
      return toBytes(fold.push(packet));
    } catch (thrown) {
      fold.fail(this.#observer.onReadError(thrown));
      return NOTHING;
    }
  }

  /** Stores the events on which the next keep-alive depends. */
  #keepLast(events: Uint8Array<ArrayBuffer>): void {
    const isComment = events[0] === COLON && endOfEvent(events, 0) >= events.length;
    if (isComment) return;
    // Long events, which would take memory, are replaced by a keep-alive.
    const { keepAliveAfter } = this.#observer.format;
    this.#lastEvents = events.length > MAX_KEPT_BYTES ? keepAliveAfter?.(events) : events;
  }

  #hasEnded(): boolean {
    return this.#ended;
  }

  #end(cancelled: boolean): void {
    this.#ended = true;
    this.#keepAlive?.stop();
    this.#observer.onEnd(this.#stream.fold, cancelled);
  }
}

const MAX_KEPT_BYTES = 64 * 1024;
/** The start of a vendor's comment. */
const COLON = 58;
const NOTHING = new Uint8Array(0);

/** A copy of the output, which stays valid while the client reads slowly. */
function toBytes(output: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof output === "string" ? encodeText(output) : copyBytes(output);
}
