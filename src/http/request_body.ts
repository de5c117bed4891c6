/** Reads the body of a request within limits of size and time. */

import { type Clock, TimeSlice } from "../core/clock.ts";
import { shuttingDown } from "../routing/deadline.ts";
import { GatewayError } from "../core/errors.ts";
import { type BodyReader, createBodyReader } from "./body_reader.ts";
import { toEncodingError } from "./content_encoding.ts";
import type { IncomingBodies, IncomingBody, IncomingLimits } from "./incoming_bodies.ts";
import { JsonBody } from "./json_body.ts";
import type { HeldMemory } from "../core/in_flight_memory.ts";
import type { JsonLimits } from "../core/json/limits.ts";
import type { Shutdown } from "../core/shutdown.ts";

/** How a body is received. */
export interface BodyOptions {
  /** The maximum size in bytes. */
  readonly maxBytes: number;
  /** The longest pause between packets, in milliseconds. */
  readonly maxPauseMs: number;
  /** The limits of its JSON. */
  readonly json: JsonLimits;
  /** All bodies that are being received. */
  readonly incoming: IncomingBodies;
  readonly incomingLimits: IncomingLimits;
  /** The memory of the request; undefined for routes with small bodies. */
  readonly memory: HeldMemory | undefined;
  readonly clock: Clock;
  readonly shutdown: Shutdown;
}

/**
 * Bodies of up to this size are read with one call, which is much cheaper. The progress of the
 * call is not visible, so the limit of a pause applies to the whole body.
 */
const MAX_BYTES_IN_ONE_CALL = 64 * 1024;

/**
 * The time limit of a whole body, in units of the longest pause. A body that arrives at
 * {@linkcode MIN_BYTES_PER_MS} or faster may take longer.
 */
export const MAX_PAUSES = 8;

/** A body that arrives at this rate is not refused as too slow. */
export const MIN_BYTES_PER_MS = 64;

/**
 * Bytes of memory that each byte of a body takes: its text, its parsed value, and the request to
 * the vendor. Bodies up to {@linkcode MAX_BYTES_IN_ONE_CALL} are not counted.
 */
export const MEMORY_PER_BYTE = 3;

/** Memory for a body without a length is taken in steps of this many bytes. */
const MEMORY_STEP = 256 * 1024;

/** The body of a request. */
export interface JsonRequest {
  readonly value: unknown;
  /** The size of the body. */
  readonly bytes: number;
  /** Splits the work on a large body; undefined for smaller bodies. */
  readonly slice: TimeSlice | undefined;
}

/** The work on smaller bodies is not split. */
const MIN_BYTES_TO_SPLIT = 64 * 1024;

/** What gets a body: one of the functions is called, once. */
export interface BodyReceiver {
  onBody(body: JsonRequest): void;
  /**
   * @param thrown a {@linkcode GatewayError}: `too_large`; `request_timeout`; `overloaded` when too
   * many bodies arrive or the process shuts down; `client_gone`; `unsupported_media_type` for a
   * compressed body; and the errors of {@linkcode JsonBody.end}
   */
  onError(thrown: unknown): void;
}

/** Reads a JSON body. */
export function readJson(request: Request, options: BodyOptions): Promise<JsonRequest> {
  return new Promise((onBody, onError) => receiveJson(request, options, { onBody, onError }));
}

/** Reads a JSON body without a promise of its own. */
export function receiveJson(request: Request, options: BodyOptions, receiver: BodyReceiver): void {
  const length = lengthOf(request);
  const refusal = refusalOf(length, options);
  if (refusal === undefined) new Receiving(request, length, options, receiver).start();
  else {
    // With an unread body, the connection would be reset before the caller has the answer.
    void request.body?.cancel().catch(() => {});
    receiver.onError(refusal);
  }
}

/** The length of the body; NaN if it is not known. */
function lengthOf(request: Request): number {
  const length = request.headers.get("content-length");
  return length === null ? NaN : Number(length);
}

/** One body on its way. */
class Receiving {
  readonly #request: Request;
  readonly #length: number;
  readonly #options: BodyOptions;
  readonly #receiver: BodyReceiver;
  readonly #json: JsonBody;
  readonly #body: IncomingBody;
  readonly #timer: BodyTimer;
  readonly #unsubscribe: () => void;
  /** Rejects when a body that is read in packets is refused. */
  #stopped: PromiseWithResolvers<never> | undefined;
  #isOver = false;

  constructor(request: Request, length: number, options: BodyOptions, receiver: BodyReceiver) {
    this.#request = request;
    this.#length = length;
    this.#options = options;
    this.#receiver = receiver;
    this.#json = new JsonBody(options.json, Number.isNaN(length) ? undefined : length);
    this.#unsubscribe = options.shutdown.onBegin(this.#onShutdown);
    this.#body = options.incoming.begin(options.incomingLimits, this.#refuse);
    this.#timer = new BodyTimer(options, this.#refuse);
  }

  start(): void {
    const request = this.#request;
    if (this.#length <= MAX_BYTES_IN_ONE_CALL) {
      // Access to the property `body` would create a stream.
      this.#body.hold(this.#length);
      request.bytes().then(this.#onWhole, this.#onBroken);
    } else if (request.body === null) this.#onEnd();
    else {
      const reader = createBodyReader(request.body, request.headers);
      this.#receivePackets(reader).then(this.#onEnd, this.#onBroken);
    }
  }

  readonly #onShutdown = (): void => this.#refuse(shuttingDown());

  readonly #refuse = (error: GatewayError): void => {
    if (this.#stopped === undefined) this.#fail(error);
    else this.#stopped.reject(error);
  };

  readonly #onWhole = (bytes: Uint8Array): void => {
    if (this.#isOver) return;
    this.#json.push(bytes);
    this.#onEnd();
  };

  /** The connection was closed. The request's signal may fire only later. */
  readonly #onBroken = (thrown: unknown): void => {
    if (thrown instanceof GatewayError) return this.#fail(thrown);
    const message = "The client disconnected while it sent the body";
    this.#fail(new GatewayError("client_gone", message, { cause: thrown }));
  };

  readonly #onEnd = (): void => {
    this.#end();
    const bytes = this.#json.bytesHeld;
    if (bytes <= MIN_BYTES_TO_SPLIT) {
      const value = this.#json.endAtOnce();
      if (value !== undefined) {
        return this.#receiver.onBody({ value, bytes, slice: undefined });
      }
    }
    this.#parse(bytes).then(
      (body) => this.#receiver.onBody(body),
      (thrown) => this.#receiver.onError(toEncodingError(thrown, this.#request.headers)),
    );
  };

  async #parse(bytes: number): Promise<JsonRequest> {
    const slice = bytes > MIN_BYTES_TO_SPLIT ? new TimeSlice() : undefined;
    const value = await this.#json.end(slice);
    if (slice?.isOver) await slice.next();
    return { value, bytes, slice };
  }

  #fail(thrown: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#receiver.onError(thrown);
  }

  #end(): void {
    this.#isOver = true;
    this.#timer.end();
    this.#body.end();
    this.#unsubscribe();
  }

  async #receivePackets(reader: BodyReader): Promise<void> {
    const { maxBytes, memory } = this.#options;
    const timer = this.#timer;
    const stopped = this.#stopped = Promise.withResolvers<never>();
    timer.watchWhole();
    let size = 0;
    // The memory of a body whose length is known has been taken.
    let counted = Number.isNaN(this.#length) ? MAX_BYTES_IN_ONE_CALL : this.#length;
    const slice = new TimeSlice();
    try {
      for (;;) {
        const packet = await Promise.race([reader.read(), stopped.promise]);
        if (packet.done) return;
        size += packet.value.byteLength;
        if (size > maxBytes) throw tooLarge(maxBytes);
        if (size > counted) {
          takeStep(memory, size - counted);
          counted = size + MEMORY_STEP;
        }
        timer.received(size);
        // Errors are reported after the whole body, since most clients read no answer before that.
        this.#json.push(packet.value);
        this.#body.hold(this.#json.bytesHeld);
        // A client that sends faster than this loop reads must not block other connections.
        if (size > MIN_BYTES_TO_SPLIT && slice.isOver) await slice.next();
      }
    } catch (thrown) {
      // Not awaited: the cancellation of a stalled body may never complete.
      if (thrown instanceof GatewayError) void reader.cancel().catch(() => {});
      throw thrown;
    }
  }
}

/** Why a body of this length is not read at all; undefined if it is read. Takes its memory. */
function refusalOf(length: number, { maxBytes, memory }: BodyOptions): GatewayError | undefined {
  if (length > maxBytes) return tooLarge(maxBytes);
  if (!(length > MAX_BYTES_IN_ONE_CALL) || memory === undefined) return undefined;
  return memory.take(length * MEMORY_PER_BYTE, "request") ? undefined : outOfMemory();
}

/** Reserves memory for bytes that have arrived, and for the next step. */
function takeStep(memory: HeldMemory | undefined, bytes: number): void {
  if (memory?.take((bytes + MEMORY_STEP) * MEMORY_PER_BYTE, "request") === false) {
    throw outOfMemory();
  }
}

/** Refuses a body that pauses for too long or arrives too slowly. */
class BodyTimer {
  readonly #clock: Clock;
  readonly #maxPauseMs: number;
  readonly #refuse: (error: GatewayError) => void;
  #cancelPause: () => void;
  #cancelWhole = () => {};
  #began = 0;
  #bytes = 0;

  constructor({ clock, maxPauseMs }: BodyOptions, refuse: (error: GatewayError) => void) {
    this.#clock = clock;
    this.#maxPauseMs = maxPauseMs;
    this.#refuse = refuse;
    this.#cancelPause = clock.after(maxPauseMs, this.#stalled);
  }

  /** Starts the time limit of the whole body. */
  watchWhole(): void {
    this.#began = this.#clock.now();
    this.#watchFor(MAX_PAUSES * this.#maxPauseMs);
  }

  /**
   * Restarts the limit of a pause.
   *
   * @param bytes the number of bytes received so far
   */
  received(bytes: number): void {
    this.#bytes = bytes;
    this.#cancelPause();
    this.#cancelPause = this.#clock.after(this.#maxPauseMs, this.#stalled);
  }

  end(): void {
    this.#cancelPause();
    this.#cancelWhole();
  }

  readonly #stalled = () => {
    this.#refuse(tooSlow(`The request body stalled for ${seconds(this.#maxPauseMs)}`));
  };

  #watchFor(ms: number): void {
    this.#cancelWhole = this.#clock.after(ms, () => {
      const passed = this.#clock.now() - this.#began;
      // One pause is added, since packets do not arrive at an even rate.
      const left = this.#bytes / MIN_BYTES_PER_MS + this.#maxPauseMs - passed;
      if (left > 0) return this.#watchFor(Math.ceil(left));
      this.#refuse(tooSlow(`The request body was not complete after ${seconds(passed)}`));
    });
  }
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}

function tooSlow(message: string): GatewayError {
  return new GatewayError("request_timeout", message, { headers: { connection: "close" } });
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError("too_large", `The request body is over ${maxBytes} bytes`, {
    headers: { connection: "close" },
  });
}

function outOfMemory(): GatewayError {
  const message = "The gateway holds too many large requests at the moment; try again";
  return new GatewayError("overloaded", message, {
    headers: { "retry-after": "1", connection: "close" },
  });
}
