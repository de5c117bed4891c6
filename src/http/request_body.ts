/** Reads a request body within size and time limits. */

import { type Clock, type TimeLimit, type TimeLimited, TimeSlice } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { BodyRules } from "../config/server_settings.ts";
import { type BodyReader, createBodyReader, toEncodingError } from "./body_reader.ts";
import type { IncomingBodies, IncomingBody } from "./open_requests.ts";
import { JsonBody, MAX_BYTES_COLLECTED, MIN_BYTES_KEPT, parseAtOnce } from "./json_body.ts";
import type { MemoryLease } from "../core/in_flight_memory.ts";
import type { ListEntry } from "../core/collections.ts";
import type { JsonSource } from "../core/json/source.ts";

/** The dependencies for receiving bodies. */
export interface BodyContext {
  /** All bodies that are being received. */
  readonly incoming: IncomingBodies;
  readonly deps: { readonly clock: Clock };
  /** The request's memory; undefined for routes with small bodies. */
  readonly record: { readonly memory: MemoryLease | undefined };
}

/**
 * Bodies of up to this size are read with one call, which is much cheaper. The progress of the call
 * is unknown, so the pause limit applies to the whole body.
 */
const MAX_BYTES_IN_ONE_CALL = 64 * 1024;

/**
 * The time limit for a whole body, as a multiple of the maximum pause. A body that arrives at
 * {@linkcode MIN_BYTES_PER_MS} or faster may take longer.
 */
export const MAX_PAUSES = 8;

/** A body that arrives at this rate is not rejected as too slow. */
export const MIN_BYTES_PER_MS = 64;

/**
 * The memory per byte of a body: for its text, its parsed value, and the request to the vendor.
 * Bodies up to {@linkcode MAX_BYTES_IN_ONE_CALL} are not counted.
 */
export const MEMORY_PER_BYTE = 3;

/** Memory for a body of unknown length is reserved in steps of this many bytes. */
const MEMORY_STEP = 256 * 1024;

/** A request body. */
export interface JsonRequest {
  readonly value: unknown;
  /** The size of the body. */
  readonly bytes: number;
  /** Splits the work on a large body; undefined for smaller bodies. */
  readonly slice: TimeSlice | undefined;
  /** The bytes of a large body, if they may be forwarded. */
  readonly source: JsonSource | undefined;
}

/** The work on smaller bodies is not split. */
const MIN_BYTES_TO_SPLIT = 64 * 1024;

/** The receiver of a body. Exactly one of its functions is called, once. */
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
export function readJson(
  request: Request,
  rules: BodyRules,
  context: BodyContext,
): Promise<JsonRequest> {
  return new Promise((onBody, onError) =>
    receiveJson(request, rules, context, { onBody, onError })
  );
}

/** Reads a JSON body without an additional promise. */
export function receiveJson(
  request: Request,
  rules: BodyRules,
  context: BodyContext,
  receiver: BodyReceiver,
): void {
  const header = request.headers.get("content-length");
  const length = header === null ? NaN : Number(header);
  const isSmall = length <= MAX_BYTES_IN_ONE_CALL && length <= rules.maxBytes;
  const refusal = isSmall ? undefined : refusalOf(length, rules, context);
  if (refusal === undefined) new Receiving(request, length, rules, context, receiver).start();
  else {
    // If the body were unread, the connection would be reset before the caller has received the
    // response.
    void request.body?.cancel().catch(() => {});
    receiver.onError(refusal);
  }
}

/** A body in transit. */
class Receiving implements IncomingBody, TimeLimited<"pause"> {
  readonly #request: Request;
  /** NaN if unknown. */
  readonly #length: number;
  readonly #rules: BodyRules;
  readonly #context: BodyContext;
  readonly #receiver: BodyReceiver;
  #entry: ListEntry<IncomingBody> | undefined;
  /** Rejects when a body that is read in packets is not accepted. */
  #stopped: PromiseWithResolvers<never> | undefined;
  /** For a body that is read in packets. */
  #timer: BodyTimer | undefined;
  #pause: TimeLimit | undefined;
  #isOver = false;
  bytesHeld = 0;

  constructor(
    request: Request,
    length: number,
    rules: BodyRules,
    context: BodyContext,
    receiver: BodyReceiver,
  ) {
    this.#request = request;
    this.#length = length;
    this.#rules = rules;
    this.#context = context;
    this.#receiver = receiver;
  }

  start(): void {
    const request = this.#request;
    const { deps: { clock }, incoming } = this.#context;
    const { json, incoming: limits, maxPauseMs } = this.#rules;
    const length = this.#length;
    const isReadAtOnce = length <= MAX_BYTES_IN_ONE_CALL;
    if (isReadAtOnce) this.bytesHeld = length;
    this.#entry = incoming.begin(this, limits);
    if (this.#isOver) return;
    if (isReadAtOnce) {
      this.#pause = clock.limit(maxPauseMs, this, "pause");
      // Accessing the property `body` would create a stream.
      request.bytes().then(this.#onWhole, this.#onBroken);
      return;
    }
    const body = new JsonBody(json, Number.isNaN(length) ? undefined : length);
    if (request.body === null) return this.#onEnd(body);
    const collected = length <= MAX_BYTES_COLLECTED ? length : undefined;
    const reader = createBodyReader(request.body, request.headers, collected);
    this.#receivePackets(reader, body).then(() => this.#onEnd(body), this.#onBroken);
  }

  refuse(error: GatewayError): void {
    if (this.#stopped === undefined) this.#fail(error);
    else this.#stopped.reject(error);
  }

  onTimeLimit(): void {
    this.refuse(stalled(this.#rules.maxPauseMs));
  }

  readonly #onWhole = (bytes: Uint8Array): void => {
    if (this.#isOver) return;
    const isSmall = bytes.byteLength < MIN_BYTES_KEPT;
    const value = isSmall ? parseAtOnce(bytes, this.#rules.json) : undefined;
    if (value !== undefined) {
      this.#end();
      const { byteLength } = bytes;
      return this.#receiver.onBody({
        value,
        bytes: byteLength,
        slice: undefined,
        source: undefined,
      });
    }
    const body = new JsonBody(this.#rules.json, this.#length);
    body.push(bytes);
    this.#onEnd(body);
  };

  /** The connection was closed. The request's signal may fire later. */
  readonly #onBroken = (thrown: unknown): void => {
    if (thrown instanceof GatewayError) return this.#fail(thrown);
    const message = "The client disconnected while it sent the body";
    this.#fail(new GatewayError("client_gone", message, { cause: thrown }));
  };

  #onEnd(body: JsonBody): void {
    this.#end();
    this.#parse(body).then(
      (parsed) => this.#receiver.onBody(parsed),
      (thrown) => this.#receiver.onError(toEncodingError(thrown, this.#request.headers)),
    );
  }

  async #parse(body: JsonBody): Promise<JsonRequest> {
    const bytes = body.bytesHeld;
    const slice = bytes > MIN_BYTES_TO_SPLIT ? new TimeSlice() : undefined;
    const value = await body.end(slice);
    if (slice?.isOver) await slice.next();
    return { value, bytes, slice, source: body.source };
  }

  #fail(thrown: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#receiver.onError(thrown);
  }

  #end(): void {
    this.#isOver = true;
    this.#pause?.cancel();
    this.#timer?.end();
    // It has none if it was rejected at the start.
    if (this.#entry !== undefined) this.#context.incoming.end(this.#entry);
  }

  async #receivePackets(reader: BodyReader, body: JsonBody): Promise<void> {
    const { maxBytes, maxPauseMs, incoming: limits } = this.#rules;
    const { deps: { clock }, incoming, record: { memory } } = this.#context;
    const stopped = this.#stopped = Promise.withResolvers<never>();
    const timer = this.#timer = new BodyTimer(clock, maxPauseMs, stopped.reject);
    let size = 0;
    // The memory of a body of known length has already been reserved.
    let counted = Number.isNaN(this.#length) ? MAX_BYTES_IN_ONE_CALL : this.#length;
    const slice = new TimeSlice();
    try {
      for (;;) {
        const packet = await Promise.race([reader.read(), stopped.promise]);
        const { collected } = reader;
        if (collected !== undefined) body.collected(collected);
        if (packet.done) return;
        size += packet.value.byteLength;
        if (size > maxBytes) throw tooLarge(maxBytes);
        if (size > counted) {
          takeStep(memory, size - counted);
          counted = size + MEMORY_STEP;
        }
        timer.received(size);
        // Errors are reported after the whole body has arrived, since most clients do not read a
        // response before that.
        if (collected === undefined) body.push(packet.value);
        if (this.#entry !== undefined) incoming.hold(this.#entry, body.bytesHeld, limits);
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

/**
 * The reason why a body of this length is rejected; undefined if it is accepted. Reserves its
 * memory.
 */
function refusalOf(
  length: number,
  { maxBytes }: BodyRules,
  { record }: BodyContext,
): GatewayError | undefined {
  if (length > maxBytes) return tooLarge(maxBytes);
  if (!(length > MAX_BYTES_IN_ONE_CALL)) return undefined;
  const fits = record.memory?.take(length * MEMORY_PER_BYTE, "request") ?? true;
  return fits ? undefined : outOfMemory();
}

/** Reserves memory for bytes that have arrived, and for the next step. */
function takeStep(memory: MemoryLease | undefined, bytes: number): void {
  if (memory?.take((bytes + MEMORY_STEP) * MEMORY_PER_BYTE, "request") === false) {
    throw outOfMemory();
  }
}

/** Rejects a body that pauses for too long or arrives too slowly. */
class BodyTimer {
  readonly #clock: Clock;
  readonly #maxPauseMs: number;
  readonly #refuse: (error: GatewayError) => void;
  #cancelPause: () => void;
  #cancelWhole = () => {};
  readonly #began: number;
  #bytes = 0;

  constructor(clock: Clock, maxPauseMs: number, refuse: (error: GatewayError) => void) {
    this.#clock = clock;
    this.#maxPauseMs = maxPauseMs;
    this.#refuse = refuse;
    this.#began = clock.now();
    this.#cancelPause = clock.after(maxPauseMs, this.#stalled);
    this.#watchFor(MAX_PAUSES * maxPauseMs);
  }

  /**
   * Restarts the pause limit.
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
    this.#refuse(stalled(this.#maxPauseMs));
  };

  #watchFor(ms: number): void {
    this.#cancelWhole = this.#clock.after(ms, () => {
      const passed = this.#clock.now() - this.#began;
      // One pause is added, since packets arrive unevenly.
      const left = this.#bytes / MIN_BYTES_PER_MS + this.#maxPauseMs - passed;
      if (left > 0) return this.#watchFor(Math.ceil(left));
      this.#refuse(tooSlow(`The request body was not complete after ${seconds(passed)}`));
    });
  }
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}

function stalled(ms: number): GatewayError {
  return tooSlow(`The request body stalled for ${seconds(ms)}`);
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
