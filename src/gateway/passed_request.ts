/** A caller's pass-through request, its body, and the request to the provider. */

import { Buffer } from "node:buffer";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import type { PassthroughEndpoint } from "../contract/adapter.ts";
import type { OutgoingRequest } from "../upstream/transport.ts";
import type { TargetModel } from "../contract/vendor_request.ts";
import { type RequestRecord, toErrorRecord } from "./request_record.ts";
import type { AttemptState } from "./attempt_state.ts";
import type { Deadline } from "./deadline.ts";
import type { Clock } from "../core/clock.ts";
import type { Packets } from "../upstream/read_response.ts";
import { closeIfUnread } from "../streaming/keep_alive.ts";
import type { PassedUsage } from "./passed_usage.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The request to which the body belongs. */
export interface PassedBodyContext {
  readonly record: RequestRecord;
  readonly attempt: AttemptState;
  readonly deadline: Deadline;
  readonly clock: Clock;
  /** Milliseconds after which a client that stopped reading is disconnected. */
  readonly writeTimeout: number;
  /** Reads the usage; undefined for an answer that does not report any. */
  readonly usage: PassedUsage | undefined;
}

/** A caller's request, without its credentials. */
export interface PassedRequest {
  readonly method: string;
  /** Validated; relative to the base URL, without a leading `/`. */
  readonly path: string;
  /** The ID and the vendor's name of the first model in the request, if configured. */
  readonly model?: TargetModel | undefined;
  /** Begins with `?`; empty if there is none. */
  readonly query: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PassedUpload | undefined;
  /** The size of the body in bytes, if the caller declares it. */
  readonly contentLength: number | undefined;
  /** Changes a JSON answer; undefined if it is forwarded unchanged. */
  readonly changeAnswer?: ((text: string) => string) | undefined;
}

/** The body of a request, which is read while it is being sent. */
export interface PassedUpload extends AsyncIterable<Uint8Array> {
  /** Called when the vendor has not read from it for too long. */
  onVendorStalled: () => void;
  /** The number of bytes that have arrived. */
  readonly bytes: number;
  /** Whether the whole body has arrived. */
  readonly isComplete: boolean;
}

/** A body of up to this many bytes is read before it is sent, so that it can be sent again. */
const MAX_KEPT_BYTES = 64 * 1024;

/**
 * Reads a body completely if it must be complete before it can be sent, or if it is small. Any
 * other body is sent while it is being read.
 *
 * @param isSigned whether a signature covers the body
 * @param maxBytes the limit for a body that is read completely
 * @throws {GatewayError} `too_large` for a body over the limit.
 */
export async function readBody(
  { body, contentLength }: PassedRequest,
  isSigned: boolean,
  maxBytes: number,
): Promise<Pick<OutgoingRequest, "body" | "contentLength">> {
  if (body === undefined) return {};
  const isSmall = contentLength !== undefined && contentLength <= MAX_KEPT_BYTES;
  return isSigned || isSmall ? { body: await readWhole(body, maxBytes) } : { body, contentLength };
}

/** Whether the same request can be sent once more. */
export function isRepeatable({ body }: Pick<OutgoingRequest, "body">): boolean {
  return body === undefined || body instanceof Uint8Array;
}

/**
 * The URL below the base URL.
 *
 * @throws {GatewayError} `invalid_request` for a path that leaves the base URL.
 */
export function toUrl(
  { baseUrl, query: required = {} }: PassthroughEndpoint,
  request: PassedRequest,
): string {
  const { path, query } = request;
  const given = new URLSearchParams(query);
  const missing = Object.entries(required).filter(([name]) => !given.has(name));
  const added = new URLSearchParams(missing).toString();
  const separator = query === "" ? "?" : "&";
  const text = `${baseUrl}/${path}${query}${added === "" ? "" : `${separator}${added}`}`;
  const url = URL.parse(text);
  const base = new URL(baseUrl);
  const root = base.pathname.endsWith("/") ? base.pathname : `${base.pathname}/`;
  if (url === null || url.origin !== base.origin || !url.pathname.startsWith(root)) {
    throw new GatewayError("invalid_request", "The path of the pass-through leaves the base URL");
  }
  return text;
}

/**
 * Reads a whole body.
 *
 * @throws {GatewayError} `too_large` for a body over the limit.
 */
async function readWhole(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const packets: Uint8Array[] = [];
  let size = 0;
  for await (const packet of body) {
    size += packet.length;
    if (size > maxBytes) {
      const message = `The request body is over ${maxBytes} bytes, and must be buffered completely`;
      throw new GatewayError("too_large", message);
    }
    packets.push(packet.slice());
  }
  return Buffer.concat(packets, size);
}

/** The body of a response, read from the vendor at the caller's pace. Used once. */
export class PassedBody implements UnderlyingDefaultSource<Bytes> {
  readonly #packets: Packets;
  readonly #context: PassedBodyContext;
  #cancelWrite = () => {};
  #ended = false;

  constructor(packets: Packets, context: PassedBodyContext) {
    this.#packets = packets;
    this.#context = context;
  }

  start(controller: ReadableStreamDefaultController<Bytes>): void {
    const { signal } = this.#context.deadline;
    // The limits apply even while the body is not being read.
    const stop = () => this.#fail(signal.reason, controller);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  }

  async pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    const { clock, deadline, record, writeTimeout } = this.#context;
    this.#cancelWrite();
    deadline.touch(clock.now());
    try {
      const packet = await this.#packets.next();
      if (this.#ended) return;
      if (packet === undefined) {
        controller.close();
        return this.#end(true);
      }
      deadline.hold();
      if (record.passed !== undefined) record.passed.received += packet.length;
      this.#context.usage?.push(packet);
      const onUnread = () => {
        this.cancel();
        record.connection?.closeUnread();
      };
      this.#cancelWrite = closeIfUnread({ clock, ms: writeTimeout, onUnread }, controller);
      controller.enqueue(packet.slice() as Bytes);
    } catch (thrown) {
      this.#fail(thrown, controller);
    }
  }

  /** Aborts the response, so that the caller detects that it is incomplete. */
  #fail(thrown: unknown, controller: ReadableStreamDefaultController<Bytes>): void {
    if (this.#ended) return;
    const { record } = this.#context;
    const error = toGatewayError(thrown);
    record.outcome = error.kind === "client_gone" ? "client_gone" : "failed";
    record.error = toErrorRecord(error);
    controller.error(error);
    this.#end();
  }

  /** Called when the caller has disconnected or stopped reading. */
  cancel(): void {
    if (this.#ended) return;
    this.#context.record.outcome = "client_gone";
    this.#end();
  }

  #end(isComplete = false): void {
    this.#ended = true;
    const { attempt, clock, record, usage } = this.#context;
    if (record.status === 200 && isComplete) attempt.hasAnswered = true;
    if (usage !== undefined && record.status < 400) {
      attempt.report(usage.end(isComplete));
      attempt.outputChars = usage.chars;
      // The received part is billed even if the client has disconnected.
      if (usage.chars > 0) attempt.firstTokenAt ??= clock.now();
    }
    this.#cancelWrite();
    this.#packets.close();
    this.#context.deadline.end();
    record.end();
  }
}
