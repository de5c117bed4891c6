/** The only place that talks to vendors: sends a request, reads what comes back. */

import type { Clock } from "../core/clock.ts";
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

/** A request with its credentials in place. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What {@linkcode send} needs of the world: the part of the web's `fetch` that is used. */
export type Fetch = (url: string, init: FetchInit) => Promise<VendorResponse>;

export interface FetchInit {
  readonly method: "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
  /** Known to our own client alone: the runtime's `fetch` has its own ways. */
  readonly connection?: ConnectionRules;
  /** Told, by our own client, that the request is sent once more, and why. */
  readonly onResend?: (cause: TransportError) => void;
}

/** The part of the web's `Response` that is used: its body is read once. */
export interface VendorResponse {
  readonly status: number;
  readonly ok: boolean;
  /** Where it comes from, if its failures do not name that themselves. */
  readonly url?: string;
  readonly headers: VendorHeaders;
  readonly body: { getReader(): PacketReader; cancel(): Promise<void> } | null;
}

/** One packet, or the end. */
export type PacketRead =
  | { readonly done: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: Uint8Array | undefined };

export interface PacketReader {
  /** The bytes are the reader's own until it reads again, or cancels. */
  read(): Promise<PacketRead>;
  /** Closes the connection if the answer has not ended. */
  cancel(): Promise<void>;
}

/** The most that is read of an answer which is not a stream, in bytes. */
const MAX_ANSWER = 64 * 1024 * 1024;

/** The most that is read of an error, in bytes: of a longer one the status alone counts. */
const MAX_FAILURE = 1024 * 1024;

/** Whom a request goes to, and how. */
export type Recipient = Pick<FetchInit, "connection" | "onResend"> & {
  /** As messages call it, e.g. `provider 'openai'`. */
  readonly name: string;
};

/**
 * Posts a request. Redirects are not followed, since they would carry the
 * credentials to wherever the answer points.
 *
 * @throws {GatewayError} `upstream_unavailable` and the like when there is no answer;
 * the signal's own reason when it was aborted.
 */
export async function send(
  { url, headers, body }: SignedRequest,
  { name, ...options }: Recipient,
  signal: AbortSignal,
  fetch: Fetch,
): Promise<VendorResponse> {
  try {
    return await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal,
      ...options,
    });
  } catch (thrown) {
    signal.throwIfAborted();
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
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  const packets = readPackets(response, signal);
  try {
    for (let packet = await packets.next(); packet !== undefined; packet = await packets.next()) {
      size += packet.byteLength;
      if (size > maxSize) throw tooLong(maxSize);
      text += decoder.decode(packet, { stream: true });
    }
  } finally {
    packets.close();
  }
  return text + decoder.decode();
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
  /** Closes the vendor's connection if it is still open. */
  close(): void;
  /**
   * The answer is complete: reads the end of it, so that the connection can
   * serve again, or closes the connection when the end does not come.
   */
  finish(clock: Clock): Promise<void>;
}

/** How long the end of a complete answer may take, in milliseconds. */
const LAST_READ = 1000;

export function readPackets(response: VendorResponse, signal: AbortSignal): Packets {
  const reader = response.body?.getReader();
  // A lost cancel would leave the vendor generating: the reader is cancelled
  // by us as well as by the signal that fetch was given.
  const close = () => void reader?.cancel().catch(() => {});
  if (signal.aborted) close();
  else signal.addEventListener("abort", close, { once: true });
  return {
    async next() {
      if (reader === undefined) return undefined;
      let packet;
      try {
        packet = await reader.read();
      } catch (cause) {
        signal.throwIfAborted();
        throw brokenOff(cause, response.url);
      }
      signal.throwIfAborted();
      return packet.done ? undefined : packet.value;
    },
    close() {
      signal.removeEventListener("abort", close);
      close();
    },
    async finish(clock) {
      const giveUp = clock.after(LAST_READ, close);
      try {
        // What comes after the end of an answer is of no use, and is not waited for.
        await reader?.read();
      } catch {
        // The answer is complete, so it does not matter how its connection ends.
      }
      giveUp();
      this.close();
    },
  };
}

function brokenOff(thrown: unknown, url = ""): GatewayError {
  const cause = toTransportError(thrown, endpointOf(url));
  return new GatewayError("upstream_error", "The provider's connection broke off", { cause });
}

function tooLong(maxSize: number): GatewayError {
  const size = `${maxSize / 1024 / 1024} MiB`;
  return new GatewayError("upstream_error", `The provider's answer is over ${size}`);
}
