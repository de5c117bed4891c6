/** The interface of the HTTP clients for vendors, and a function that sends requests. */

import type { StopSignal } from "../core/stop_signal.ts";
import type { ConnectionRules } from "../config/connection_rules.ts";
import { type ErrorKind, GatewayError } from "../core/errors.ts";
import {
  endpointOf,
  messageFor,
  toTransportError,
  type TransportError,
  type TransportFailure,
} from "../core/transport_error.ts";
import type { VendorHeaders } from "../contract/vendor_request.ts";
import { context, propagation } from "@opentelemetry/api";

/** An HTTP client for vendors. */
export interface Transport {
  readonly fetch: Fetch;
  /** Closes idle connections; responses still being read are not affected. */
  close(): void;
}

/**
 * Sends a request and resolves when the head of its response has arrived. It does not follow
 * redirects, since that would send the credentials to another host.
 *
 * Rejects with the signal's reason if the signal was aborted, a {@linkcode TransportError} if no
 * response arrived, a {@linkcode RequestBodyError} if the body could not be read, and a `TypeError`
 * if the request is not valid.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<VendorResponse>;

/** A request body. An iterable, such as a `ReadableStream`, is read once, as it is sent. */
export type RequestBody = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface FetchInit {
  /** In upper case. */
  readonly method: string;
  /** The client itself sets the headers for the connection and the body length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody | undefined;
  /**
   * The size of an iterable body in bytes. If undefined, the body is sent with the chunked transfer
   * coding.
   */
  readonly contentLength?: number | undefined;
  /** Aborts the request until the response headers have arrived; after that, the reader does. */
  readonly signal: StopSignal;
  readonly connection?: ConnectionRules | undefined;
  readonly watcher?: RequestWatcher | undefined;
}

/** Observes the client's handling of a request. */
export interface RequestWatcher {
  /** Called when the client retries the request, with the reason. */
  onResend?(cause: TransportError): void;
  /**
   * Called when the client starts and finishes opening a connection, during which nothing is sent.
   */
  onConnecting?(isConnecting: boolean): void;
}

/** The part of the web's `Response` that is used; its body can be read only once. */
export interface VendorResponse {
  readonly status: number;
  readonly ok: boolean;
  /** The requested URL; absent if failures contain host and port. */
  readonly url?: string;
  readonly headers: VendorHeaders;
  /** Null for a response without a body (to HEAD, 204 and 304). Headers do not determine this. */
  readonly body: ResponseBody | null;
}

/** A response body. */
export interface ResponseBody {
  getReader(): PacketReader;
  cancel(): Promise<void>;
  /**
   * Reads the whole body if it has arrived and has at most this many bytes. Otherwise, nothing is
   * read.
   */
  text?(maxBytes: number): string | undefined;
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

/** A reader that exposes packets that have arrived, so that they can be read without a promise. */
export interface ArrivingPackets extends Pick<PacketReader, "cancel"> {
  /** The next packet if it has arrived, undefined if it has not, or null at the end. */
  take(): Uint8Array | null | undefined;
  /** Resolves when bytes have arrived, or the response has ended or failed. Never rejects. */
  arrival(): Promise<void>;
}

/** A request body failed while it was read; `cause` is the error of its iterator. */
export class RequestBodyError extends Error {
  override readonly name = "RequestBodyError";

  constructor(cause: unknown) {
    super("The request body could not be read", { cause });
  }
}

/** A request with its credentials. */
export interface OutgoingRequest extends Pick<FetchInit, "headers" | "body" | "contentLength"> {
  readonly url: string;
  /** POST if omitted. */
  readonly method?: string;
}

/** The recipient of a request, and its connection settings. */
export type Recipient = Pick<FetchInit, "connection" | "watcher"> & {
  /** The name in messages, e.g. `provider 'openai'`. */
  readonly name: string;
};

/**
 * Sends a request to a vendor.
 *
 * @throws {GatewayError} `upstream_unavailable` or a similar kind when there is no response; the
 * signal's reason when it was aborted; the body's error when it could not be read.
 */
export function send(
  { url, method = "POST", headers, body, contentLength }: OutgoingRequest,
  { name, connection, watcher }: Recipient,
  signal: StopSignal,
  fetch: Fetch,
): Promise<VendorResponse> {
  const init = { method, headers, body, contentLength, signal, connection, watcher };
  return fetch(url, init).then(
    (response) => {
      checkStatus(response, name);
      return response;
    },
    (thrown) => {
      throw toSendError(thrown, { signal, url, name });
    },
  );
}

/**
 * Checks that a response has a final HTTP status (RFC 9110, 15).
 *
 * @throws {GatewayError} `upstream_error`. The body is not read.
 */
export function checkStatus({ body, status }: VendorResponse, name: string): void {
  if (status >= 200 && status <= 599) return;
  void body?.cancel().catch(() => {});
  const message = `The ${name} responded with the invalid status ${status}`;
  throw new GatewayError("upstream_error", message);
}

/** The request for which a {@linkcode Fetch} was rejected. */
interface FailedRequest extends Pick<Recipient, "name"> {
  readonly signal: StopSignal;
  readonly url: string;
}

/** Converts the rejection of a {@linkcode Fetch} to the error that {@linkcode send} throws. */
export function toSendError(thrown: unknown, { signal, url, name }: FailedRequest): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof RequestBodyError) return thrown.cause;
  const cause = toTransportError(thrown, endpointOf(url));
  return new GatewayError(kindOf(cause.failure), messageFor(cause.failure, name), { cause });
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
 * A transport that adds `traceparent`, `tracestate` and `baggage` according to `OTEL_PROPAGATORS`.
 */
export function passTracesOn(transport: Transport): Transport {
  return {
    fetch(url, init) {
      const traced: Record<string, string> = {};
      propagation.inject(context.active(), traced);
      return transport.fetch(url, { ...init, headers: { ...init.headers, ...traced } });
    },
    close: () => transport.close(),
  };
}
