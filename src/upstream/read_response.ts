/** Reads vendors' responses: packet by packet, or as text. */

import type { StopSignal } from "../core/stop_signal.ts";
import { type Clock, TimeSlice } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import { isQuickToParse } from "../core/json/limits.ts";
import { endpointOf, toTransportError } from "../core/transport_error.ts";
import type { ArrivingPackets, PacketReader, VendorResponse } from "./transport.ts";
import type { Failure } from "../contract/vendor_request.ts";

/** The maximum size of a complete answer, in bytes. */
const MAX_ANSWER = 32 * 1024 * 1024;

/** The size in bytes above which answers are read in time slices. */
const MAX_SIZE_READ_AT_ONCE = 256 * 1024;

/** The maximum size of an error, in bytes. For longer ones, only the status is used. */
const MAX_FAILURE = 1024 * 1024;

/** The options for reading a complete answer. */
export interface TextOptions {
  /** The maximum size in bytes. */
  readonly maxSize?: number;
  /**
   * Called with the number of new bytes of a long answer.
   *
   * @throws {GatewayError} when there is no memory for it.
   */
  onGrowth?(bytes: number): void;
}

/**
 * Reads a complete answer as text; synchronously if it has arrived and is short.
 *
 * @throws {GatewayError} `upstream_error` when the connection breaks or the answer is too long; the
 * signal's reason when it was aborted.
 */
export function readText(
  response: VendorResponse,
  signal: StopSignal,
  options: TextOptions = {},
): string | Promise<string> {
  const { maxSize = MAX_ANSWER } = options;
  const atOnce = Math.min(maxSize, MAX_SIZE_READ_AT_ONCE);
  const whole = signal.aborted ? undefined : response.body?.text?.(atOnce);
  if (whole !== undefined) return whole;
  const reader = arriving(response.body?.getReader());
  const body = new TextBody(options);
  try {
    for (;;) {
      const packet = take(reader, signal, response.url);
      if (packet === null) return body.end();
      if (packet !== undefined) body.push(packet);
      if (packet === undefined || body.isLong) break;
    }
  } catch (thrown) {
    void reader?.cancel().catch(() => {});
    throw thrown;
  }
  return readRest(body, packetsOf(reader, signal, response.url));
}

async function readRest(body: TextBody, packets: Packets): Promise<string> {
  let slice: TimeSlice | undefined;
  try {
    for (let packet = await packets.next(); packet !== undefined; packet = await packets.next()) {
      body.push(packet);
      // A vendor that sends faster than this reads must not block other connections.
      if (body.isLong) {
        slice ??= new TimeSlice();
        if (slice.isOver) await slice.next();
      }
    }
  } finally {
    packets.close();
  }
  return body.end();
}

/** The text in packets. */
class TextBody {
  readonly #options: TextOptions;
  readonly #maxSize: number;
  #decoder: TextDecoder | undefined;
  #text = "";
  #size = 0;
  #counted = MAX_SIZE_READ_AT_ONCE;

  constructor(options: TextOptions) {
    this.#options = options;
    this.#maxSize = options.maxSize ?? MAX_ANSWER;
  }

  get isLong(): boolean {
    return this.#size > MAX_SIZE_READ_AT_ONCE;
  }

  /** @throws {GatewayError} when it is too long, or there is no memory for it. */
  push(packet: Uint8Array): void {
    const size = this.#size += packet.byteLength;
    if (size > this.#maxSize) throw tooLong(this.#maxSize);
    if (size > this.#counted) {
      this.#options.onGrowth?.(size - this.#counted);
      this.#counted = size;
    }
    if (this.#decoder === undefined && this.#text === "" && endsInAscii(packet)) {
      this.#text = wholeText.decode(packet);
    } else {
      // A byte order mark is removed only at the start.
      this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: this.#text !== "" });
      this.#text += this.#decoder.decode(packet, { stream: true });
    }
  }

  end(): string {
    return this.#decoder === undefined ? this.#text : this.#text + this.#decoder.decode();
  }
}

/** Decodes packets that end at a character boundary. Most answers consist of one such packet. */
const wholeText = new TextDecoder();

function endsInAscii(packet: Uint8Array): boolean {
  return (packet[packet.length - 1] ?? 0x80) < 0x80;
}

/** Reads a response with a status other than 2xx; a body that is not JSON is ignored. */
export async function readFailure(
  response: VendorResponse,
  signal: StopSignal,
): Promise<Failure> {
  const { status, headers } = response;
  let body: unknown;
  try {
    const text = await readText(response, signal, { maxSize: MAX_FAILURE });
    if (isQuickToParse(text)) body = JSON.parse(text);
  } catch {
    signal.throwIfAborted();
  }
  return { where: "answer", status, headers, body };
}

/** An answer's packets, as delivered by the network. */
export interface Packets {
  /**
   * The next packet, or undefined at the end.
   *
   * @throws {GatewayError} `upstream_error` when the connection breaks; the signal's reason when it
   * was aborted.
   */
  next(): Promise<Uint8Array | undefined>;
  /**
   * The next packet if it has arrived, undefined if it has not, or null at the end.
   *
   * @throws {GatewayError} as {@linkcode next}.
   */
  take(): Uint8Array | null | undefined;
  /** Resolves when bytes have arrived, or the answer has ended or failed. Never rejects. */
  arrival(): Promise<void>;
  /** Closes the vendor's connection if it is still open. */
  close(): void;
  /**
   * Called when the answer is complete: reads up to its end, so that the connection can be reused,
   * or closes the connection if the end does not arrive.
   */
  finish(clock: Clock): Promise<void>;
}

/** The time limit for the end of a complete answer, in milliseconds. */
const MAX_LAST_READ_MS = 1000;

export function readPackets(response: VendorResponse, signal: StopSignal): Packets {
  return packetsOf(arriving(response.body?.getReader()), signal, response.url);
}

/** The next packet, as returned by {@linkcode Packets.take}. */
function take(
  reader: ArrivingPackets | undefined,
  signal: StopSignal,
  url: string | undefined,
): Uint8Array | null | undefined {
  if (reader === undefined) return null;
  let packet;
  try {
    packet = reader.take();
  } catch (cause) {
    signal.throwIfAborted();
    throw brokenOff(cause, url);
  }
  if (packet !== undefined) signal.throwIfAborted();
  return packet;
}

function packetsOf(
  reader: ArrivingPackets | undefined,
  signal: StopSignal,
  url: string | undefined,
): Packets {
  // The reader is canceled in addition to the signal passed to fetch, since a lost cancellation
  // would leave the vendor generating.
  const close = () => void reader?.cancel().catch(() => {});
  if (signal.aborted) close();
  else signal.addEventListener("abort", close, { once: true });
  const takeNext = () => take(reader, signal, url);
  return {
    async next() {
      for (let packet = takeNext();; packet = takeNext()) {
        if (packet !== undefined) return packet ?? undefined;
        await reader?.arrival();
      }
    },
    take: takeNext,
    arrival: () => reader?.arrival() ?? Promise.resolve(),
    close() {
      signal.removeEventListener("abort", close);
      close();
    },
    async finish(clock) {
      if (reader === undefined) return this.close();
      let giveUp: (() => void) | undefined;
      try {
        // Bytes after the end of an answer are not needed, so they are not awaited.
        while (reader.take() === undefined) {
          giveUp ??= clock.after(MAX_LAST_READ_MS, close);
          await reader.arrival();
        }
      } catch {
        // The answer is complete, so it does not matter how its connection ends.
      }
      giveUp?.();
      this.close();
    },
  };
}

function arriving(reader: PacketReader | undefined): ArrivingPackets | undefined {
  if (reader === undefined || "arrival" in reader) return reader as ArrivingPackets | undefined;
  return new PulledPackets(reader);
}

/** The packets from a reader that returns them only as promises. */
class PulledPackets implements ArrivingPackets {
  readonly #reader: PacketReader;
  #packet: Uint8Array | null | undefined;
  #failure: { readonly cause: unknown } | undefined;

  constructor(reader: PacketReader) {
    this.#reader = reader;
  }

  take(): Uint8Array | null | undefined {
    if (this.#failure !== undefined) throw this.#failure.cause;
    const packet = this.#packet;
    if (packet !== null) this.#packet = undefined;
    return packet;
  }

  async arrival(): Promise<void> {
    try {
      const { done, value } = await this.#reader.read();
      this.#packet = done ? null : value;
    } catch (cause) {
      this.#failure = { cause };
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

function brokenOff(thrown: unknown, url = ""): GatewayError {
  const cause = toTransportError(thrown, endpointOf(url));
  return new GatewayError("upstream_error", "The connection to the provider was lost", { cause });
}

function tooLong(maxSize: number): GatewayError {
  const size = `${maxSize / 1024 / 1024} MiB`;
  return new GatewayError("upstream_error", `The provider's answer is over ${size}`);
}
