/** The interface of the HTTP clients for vendors, and the reading of what comes back. */

import { type Clock, TimeSlice } from "../core/clock.ts";
import type { ConnectionRules } from "../config/connection_rules.ts";
import { type ErrorKind, GatewayError } from "../core/errors.ts";
import { isQuickToParse } from "../core/json/limits.ts";
import type { Failure, VendorHeaders } from "../providers/contract/adapter.ts";
import {
  endpointOf,
  messageFor,
  toTransportError,
  type TransportError,
  type TransportFailure,
} from "../core/transport_error.ts";

/** A client of HTTP for vendors. */
export interface Transport {
  readonly fetch: Fetch;
  /** Closes idle connections; responses that are still read are not affected. */
  close(): void;
}

/**
 * Sends a request and resolves when the head of its response has arrived. It follows no redirect,
 * since that would send the credentials to another host.
 *
 * Rejects with the signal's reason if the signal was aborted, a {@linkcode TransportError} if no
 * response came, a {@linkcode RequestBodyError} if the body could not be read, and a `TypeError` if
 * the request is not valid.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<VendorResponse>;

/** The body of a request. An iterable, such as a `ReadableStream`, is read once, as it is sent. */
export type RequestBody = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface FetchInit {
  /** In upper case. */
  readonly method: string;
  /** The client itself sets the headers of the connection and of the body's length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody | undefined;
  /**
   * The size of an iterable body in bytes. Without it the body is sent in the chunked transfer
   * coding. The runtime's `fetch` sends every iterable that way, but checks the size as well.
   */
  readonly contentLength?: number | undefined;
  /** Ends the request until the head of the response has arrived; then its reader does. */
  readonly signal: AbortSignal;
  readonly connection?: ConnectionRules;
  /** Called when the native client sends the request again, with the reason. */
  readonly onResend?: (cause: TransportError) => void;
}

/** The part of the web's `Response` that is used: its body is read once. */
export interface VendorResponse {
  readonly status: number;
  readonly ok: boolean;
  /** The requested URL, unless its failures name host and port themselves. */
  readonly url?: string;
  readonly headers: VendorHeaders;
  /** Null for a response without a body (to HEAD, 204 and 304). Its headers do not decide this. */
  readonly body: { getReader(): PacketReader; cancel(): Promise<void> } | null;
}

/** One packet, or the end. */
export type PacketRead =
  | { readonly done: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: Uint8Array | undefined };

export interface PacketReader {
  /** The bytes are valid until the next call of `read` or `cancel`. */
  read(): Promise<PacketRead>;
  /** Closes the connection unless the response has been read to its end. */
  cancel(): Promise<void>;
}

/** A reader that tells which packets have arrived, so that they are read without a promise. */
export interface ArrivingPackets extends PacketReader {
  /** The next packet if it has arrived, undefined if it has not, or null at the end. */
  take(): Uint8Array | null | undefined;
  /** Resolves when bytes have arrived, or the response has ended or failed. It does not reject. */
  arrival(): Promise<void>;
}

/** The body of a request failed while it was read; `cause` is the error of its iterator. */
export class RequestBodyError extends Error {
  override readonly name = "RequestBodyError";

  constructor(cause: unknown) {
    super("The body of the request could not be read", { cause });
  }
}

/** A request with its credentials. */
export interface OutgoingRequest extends Pick<FetchInit, "headers" | "body" | "contentLength"> {
  readonly url: string;
  /** POST if omitted. */
  readonly method?: string;
}

/** A request of JSON text with its credentials. */
export interface SignedRequest extends OutgoingRequest {
  readonly body: string;
}

/** The maximum size of an answer that is not a stream, in bytes. */
const MAX_ANSWER = 32 * 1024 * 1024;

/** Longer answers, in bytes, are read in slices of time. */
const MAX_SIZE_READ_AT_ONCE = 256 * 1024;

/** The maximum size of an error, in bytes. Of a longer one only the status is used. */
const MAX_FAILURE = 1024 * 1024;

/** The recipient of a request, and its connection settings. */
export type Recipient = Pick<FetchInit, "connection" | "onResend"> & {
  /** The name in messages, e.g. `provider 'openai'`. */
  readonly name: string;
};

/**
 * Sends a request to a vendor.
 *
 * @throws {GatewayError} `upstream_unavailable` and the like when there is no response;
 * the signal's reason when it was aborted; the body's own error when it could not be read.
 */
export async function send(
  { url, method = "POST", headers, body, contentLength }: OutgoingRequest,
  { name, ...options }: Recipient,
  signal: AbortSignal,
  fetch: Fetch,
): Promise<VendorResponse> {
  try {
    return await fetch(url, { method, headers, body, contentLength, signal, ...options });
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof RequestBodyError) throw thrown.cause;
    const cause = toTransportError(thrown, endpointOf(url));
    throw new GatewayError(kindOf(cause.failure), messageFor(cause.failure, name), { cause });
  }
}

function kindOf(failure: TransportFailure): ErrorKind {
  switch (failure) {
    case "timeout":
      return "upstream_timeout";
    case "protocol":
      return "upstream_error";
    default:
      return "upstream_unavailable";
  }
}

/**
 * Reads a whole answer as text.
 *
 * @throws {GatewayError} `upstream_error` when the connection breaks or the answer is too long;
 * the signal's own reason when it was aborted.
 */
export async function readText(
  response: VendorResponse,
  signal: AbortSignal,
  maxSize = MAX_ANSWER,
): Promise<string> {
  let decoder: TextDecoder | undefined;
  let text = "";
  let size = 0;
  let slice: TimeSlice | undefined;
  const packets = readPackets(response, signal);
  try {
    for (let packet = await packets.next(); packet !== undefined; packet = await packets.next()) {
      size += packet.byteLength;
      if (size > maxSize) throw tooLong(maxSize);
      if (decoder === undefined && text === "" && endsInAscii(packet)) {
        text = wholeText.decode(packet);
      } else {
        // A byte order mark is removed at the start only.
        decoder ??= new TextDecoder("utf-8", { ignoreBOM: text !== "" });
        text += decoder.decode(packet, { stream: true });
      }
      // While a vendor sends faster than we read, no other connection would be read.
      if (size > MAX_SIZE_READ_AT_ONCE) {
        slice ??= new TimeSlice();
        if (slice.isOver) await slice.next();
      }
    }
  } finally {
    packets.close();
  }
  return decoder === undefined ? text : text + decoder.decode();
}

/** Decodes packets that end with a whole character. Most answers are one such packet. */
const wholeText = new TextDecoder();

function endsInAscii(packet: Uint8Array): boolean {
  return (packet[packet.length - 1] ?? 0x80) < 0x80;
}

/** Reads an answer that is not a 2xx; a body that is not JSON counts as none. */
export async function readFailure(
  response: VendorResponse,
  signal: AbortSignal,
): Promise<Failure> {
  const { status, headers } = response;
  let body: unknown;
  try {
    const text = await readText(response, signal, MAX_FAILURE);
    if (isQuickToParse(text)) body = JSON.parse(text);
  } catch {
    signal.throwIfAborted();
  }
  return { where: "answer", status, headers, body };
}

/** The packets of an answer, as the network delivers them. */
export interface Packets {
  /**
   * The next packet, or undefined at the end.
   *
   * @throws {GatewayError} `upstream_error` when the connection breaks; the
   * signal's own reason when it was aborted.
   */
  next(): Promise<Uint8Array | undefined>;
  /**
   * The next packet if it has arrived, undefined if it has not, or null at the end.
   *
   * @throws {GatewayError} as {@linkcode next}.
   */
  take(): Uint8Array | null | undefined;
  /** Resolves when bytes have arrived, or the answer has ended or failed. It does not reject. */
  arrival(): Promise<void>;
  /** Closes the vendor's connection if it is still open. */
  close(): void;
  /**
   * The answer is complete: reads the end of it, so that the connection can
   * serve again, or closes the connection when the end does not come.
   */
  finish(clock: Clock): Promise<void>;
}

/** How long the end of a complete answer may take, in milliseconds. */
const MAX_LAST_READ_MS = 1000;

export function readPackets(response: VendorResponse, signal: AbortSignal): Packets {
  const reader = arriving(response.body?.getReader());
  // A lost cancel would leave the vendor generating: the reader is cancelled
  // by us as well as by the signal that fetch was given.
  const close = () => void reader?.cancel().catch(() => {});
  if (signal.aborted) close();
  else signal.addEventListener("abort", close, { once: true });
  const take = () => {
    if (reader === undefined) return null;
    let packet;
    try {
      packet = reader.take();
    } catch (cause) {
      signal.throwIfAborted();
      throw brokenOff(cause, response.url);
    }
    if (packet !== undefined) signal.throwIfAborted();
    return packet;
  };
  return {
    async next() {
      for (let packet = take();; packet = take()) {
        if (packet !== undefined) return packet ?? undefined;
        await reader?.arrival();
      }
    },
    take,
    arrival: () => reader?.arrival() ?? Promise.resolve(),
    close() {
      signal.removeEventListener("abort", close);
      close();
    },
    async finish(clock) {
      if (reader === undefined) return this.close();
      let giveUp: (() => void) | undefined;
      try {
        // Bytes after the end of an answer are not needed, so nothing waits for them.
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

/** The packets of a reader that gives them only with promises. */
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

  read(): Promise<PacketRead> {
    return this.#reader.read();
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

function brokenOff(thrown: unknown, url = ""): GatewayError {
  const cause = toTransportError(thrown, endpointOf(url));
  return new GatewayError("upstream_error", "The provider's connection broke off", { cause });
}

function tooLong(maxSize: number): GatewayError {
  const size = `${maxSize / 1024 / 1024} MiB`;
  return new GatewayError("upstream_error", `The provider's answer is over ${size}`);
}
