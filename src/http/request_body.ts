/** Reads what a caller sends, within limits of size and time. */

import { type Clock, TimeSlice } from "../core/clock.ts";
import { shuttingDown } from "../routing/deadline.ts";
import { GatewayError } from "../core/errors.ts";
import type { IncomingBodies, IncomingBody, IncomingLimits } from "./incoming_bodies.ts";
import { JsonBody } from "./json_body.ts";
import type { JsonLimits } from "../core/json/limits.ts";
import type { Shutdown } from "../core/shutdown.ts";

/** How a body is received. */
export interface BodyOptions {
  /** The most bytes that it may have. */
  readonly maxBytes: number;
  /** How many milliseconds it may pause. */
  readonly maxPauseMs: number;
  /** What its JSON may hold. */
  readonly json: JsonLimits;
  /** All bodies that are being received, and how much they may take together. */
  readonly incoming: IncomingBodies;
  readonly incomingLimits: IncomingLimits;
  readonly clock: Clock;
  readonly shutdown: Shutdown;
}

/**
 * Bodies of up to this many bytes are read with one call, which is much cheaper.
 * Their progress cannot be seen, so the longest pause is the limit for the whole body.
 */
const MAX_BYTES_IN_ONE_CALL = 64 * 1024;

/** A body may take this many of the longest pauses in all, or more at {@linkcode MIN_BYTES_PER_MS}. */
const MAX_PAUSES = 8;

/** A body that arrives at this rate is never too slow. */
const MIN_BYTES_PER_MS = 64;

/** What a caller sent. */
export interface JsonRequest {
  readonly value: unknown;
  /** Bytes of the body. */
  readonly bytes: number;
  /** Splits the work on a large body; undefined for others. */
  readonly slice: TimeSlice | undefined;
}

/** The work on smaller bodies is not split. */
const MIN_BYTES_TO_SPLIT = 64 * 1024;

/**
 * Reads a JSON body.
 *
 * @throws {GatewayError} `too_large`, `request_timeout`, `overloaded` when too many bodies arrive
 * or the process ends, `client_gone`, or what {@linkcode JsonBody.end} throws.
 */
export async function readJson(request: Request, options: BodyOptions): Promise<JsonRequest> {
  const json = new JsonBody(options.json, lengthOf(request));
  try {
    await receive(request, json, options);
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    // Nothing but a connection that broke stops the body, and it breaks before the signal fires.
    throw new GatewayError("client_gone", "The request body broke off", { cause: thrown });
  }
  const bytes = json.bytesHeld;
  const slice = bytes > MIN_BYTES_TO_SPLIT ? new TimeSlice() : undefined;
  const value = await json.end(slice);
  if (slice?.isOver) await slice.next();
  return { value, bytes, slice };
}

function lengthOf(request: Request): number | undefined {
  const length = request.headers.get("content-length");
  return length === null ? undefined : Number(length);
}

async function receive(request: Request, json: JsonBody, options: BodyOptions): Promise<void> {
  const { maxBytes, incoming, incomingLimits, shutdown } = options;
  const length = lengthOf(request) ?? NaN;
  if (length > maxBytes) {
    // An unread body would reset the connection before the caller has the answer.
    void request.body?.cancel().catch(() => {});
    throw tooLarge(maxBytes);
  }
  const stopped = Promise.withResolvers<never>();
  const forget = shutdown.onBegin(() => stopped.reject(shuttingDown()));
  const body = incoming.begin(incomingLimits, stopped.reject);
  const timer = new BodyTimer(options, stopped.reject);
  try {
    if (length <= MAX_BYTES_IN_ONE_CALL) {
      // Reading the property `body` would already create a stream.
      body.hold(length);
      json.push(await Promise.race([request.bytes(), stopped.promise]));
    } else if (request.body !== null) {
      await receivePackets(request.body.getReader(), json, { ...options, body, timer, stopped });
    }
  } finally {
    timer.end();
    body.end();
    forget();
  }
}

interface Receiving extends BodyOptions {
  readonly body: IncomingBody;
  readonly timer: BodyTimer;
  readonly stopped: PromiseWithResolvers<never>;
}

async function receivePackets(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  json: JsonBody,
  { body, timer, stopped, maxBytes }: Receiving,
): Promise<void> {
  timer.watchWhole();
  let size = 0;
  const slice = new TimeSlice();
  try {
    for (;;) {
      const packet = await Promise.race([reader.read(), stopped.promise]);
      if (packet.done) return;
      size += packet.value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      timer.received(size);
      // Faults are reported at the end of the body: most clients do not read an answer before.
      json.push(packet.value);
      body.hold(json.bytesHeld);
      // While a client sends faster than we read, no other connection would be read.
      if (size > MIN_BYTES_TO_SPLIT && slice.isOver) await slice.next();
    }
  } catch (thrown) {
    // Not awaited: the cancellation of a stalled body may never complete.
    if (thrown instanceof GatewayError) void reader.cancel().catch(() => {});
    throw thrown;
  }
}

/** Refuses a body that pauses for too long, or is too slow as a whole. */
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

  /** Begins to measure the time of the whole body. */
  watchWhole(): void {
    this.#began = this.#clock.now();
    this.#watchFor(MAX_PAUSES * this.#maxPauseMs);
  }

  /** @param bytes received so far */
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
      // A pause is allowed for, since bodies do not arrive evenly.
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
