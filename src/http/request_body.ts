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

/**
 * Reads a JSON body.
 *
 * @throws {GatewayError} `too_large`; `request_timeout`; `overloaded` when too many bodies arrive
 * or the process shuts down; `client_gone`; `unsupported_media_type` for a compressed body; and the errors of {@linkcode JsonBody.end}.
 */
export async function readJson(request: Request, options: BodyOptions): Promise<JsonRequest> {
  const length = lengthOf(request);
  const json = new JsonBody(options.json, length);
  try {
    await receive(request, length, json, options);
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    // The connection was closed. The request's signal may fire only later.
    throw new GatewayError("client_gone", "The client disconnected while it sent the body", {
      cause: thrown,
    });
  }
  const bytes = json.bytesHeld;
  const slice = bytes > MIN_BYTES_TO_SPLIT ? new TimeSlice() : undefined;
  const value = (slice === undefined ? json.endAtOnce() : undefined) ??
    await json.end(slice).catch((thrown) => {
      throw toEncodingError(thrown, request.headers);
    });
  if (slice?.isOver) await slice.next();
  return { value, bytes, slice };
}

function lengthOf(request: Request): number | undefined {
  const length = request.headers.get("content-length");
  return length === null ? undefined : Number(length);
}

async function receive(
  request: Request,
  length = NaN,
  json: JsonBody,
  options: BodyOptions,
): Promise<void> {
  const { incoming, incomingLimits, shutdown } = options;
  const refusal = refusalOf(length, options);
  if (refusal !== undefined) {
    // With an unread body, the connection would be reset before the caller has the answer.
    void request.body?.cancel().catch(() => {});
    throw refusal;
  }
  const stopped = Promise.withResolvers<Uint8Array>();
  const unsubscribe = shutdown.onBegin(() => stopped.reject(shuttingDown()));
  const body = incoming.begin(incomingLimits, stopped.reject);
  const timer = new BodyTimer(options, stopped.reject);
  try {
    if (length <= MAX_BYTES_IN_ONE_CALL) {
      // Access to the property `body` would create a stream.
      body.hold(length);
      request.bytes().then(stopped.resolve, stopped.reject);
      json.push(await stopped.promise);
    } else if (request.body !== null) {
      const known = Number.isNaN(length) ? undefined : length;
      const receiving = { ...options, body, timer, stopped, length: known };
      await receivePackets(createBodyReader(request.body, request.headers), json, receiving);
    }
  } finally {
    timer.end();
    body.end();
    unsubscribe();
  }
}

/** Why a body of this length is not read at all; undefined if it is read. Takes its memory. */
function refusalOf(length: number, { maxBytes, memory }: BodyOptions): GatewayError | undefined {
  if (length > maxBytes) return tooLarge(maxBytes);
  if (!(length > MAX_BYTES_IN_ONE_CALL) || memory === undefined) return undefined;
  return memory.take(length * MEMORY_PER_BYTE, "request") ? undefined : outOfMemory();
}

interface Receiving extends BodyOptions {
  readonly body: IncomingBody;
  readonly timer: BodyTimer;
  readonly stopped: PromiseWithResolvers<Uint8Array>;
  /** The length of the body if it is known: its memory is taken then. */
  readonly length: number | undefined;
}

async function receivePackets(
  reader: BodyReader,
  json: JsonBody,
  receiving: Receiving,
): Promise<void> {
  const { body, timer, stopped, maxBytes } = receiving;
  timer.watchWhole();
  let size = 0;
  let counted = receiving.length ?? MAX_BYTES_IN_ONE_CALL;
  const slice = new TimeSlice();
  try {
    for (;;) {
      const packet = await Promise.race([reader.read(), stopped.promise as Promise<never>]);
      if (packet.done) return;
      size += packet.value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      if (size > counted) {
        takeStep(receiving.memory, size - counted);
        counted = size + MEMORY_STEP;
      }
      timer.received(size);
      // Errors are reported after the whole body, since most clients read no answer before that.
      json.push(packet.value);
      body.hold(json.bytesHeld);
      // A client that sends faster than this loop reads must not block other connections.
      if (size > MIN_BYTES_TO_SPLIT && slice.isOver) await slice.next();
    }
  } catch (thrown) {
    // Not awaited: the cancellation of a stalled body may never complete.
    if (thrown instanceof GatewayError) void reader.cancel().catch(() => {});
    throw thrown;
  }
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
