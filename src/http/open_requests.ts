/** The open requests and the bodies in transit, and the limits on them. */

import type { IncomingLimits } from "../config/server_settings.ts";
import { GatewayError } from "../core/errors.ts";
import { LinkedList, type ListEntry } from "../core/collections.ts";
import type { Load } from "../gateway/admin.ts";
import type { Shutdown } from "../core/stop_signal.ts";
import { shuttingDown } from "../gateway/deadline.ts";
import type { RequestRecord } from "../gateway/request_record.ts";

/**
 * When a request counts toward `server.max_in_flight`, and whether it is rejected above the limit.
 */
export type Admission =
  /** It counts from its arrival. */
  | "on_arrival"
  /** It counts once its body has arrived, when its route calls {@linkcode OpenRequests.admit}. */
  | "after_body"
  /** It counts from its arrival, and is answered even above the limit. */
  | "when_busy"
  /** A stream of the gateway's state, which never counts. */
  | "watch"
  /** It is answered even while draining, and does not count as load. */
  | "always";

/** All open requests in one process or worker. */
export class OpenRequests {
  readonly #open = new LinkedList<RequestRecord>();
  /** Whether clients should use another process (`Connection: close`). */
  isLeaving = false;
  /** The number of completed model requests, and the number of those that failed. */
  #requests = 0;
  #errors = 0;
  /** The number of open requests that count toward `server.max_in_flight`. */
  #inFlight = 0;
  /** Open requests on health routes; not counted as load. */
  #uncounted = 0;
  #isRefusing = false;
  #onIdle: (() => void) | undefined;

  /** The number of open requests, excluding health routes. */
  get size(): number {
    return this.#open.size - this.#uncounted;
  }

  /** Adds a request that has arrived. */
  enter(record: RequestRecord): ListEntry<RequestRecord> {
    return this.#open.add(record);
  }

  /** Removes a request whose response has ended. */
  leave(entry: ListEntry<RequestRecord>): void {
    this.#open.remove(entry);
    const { value: record } = entry;
    if (record.admitted) this.#inFlight--;
    if (record.isModelRequest) {
      this.#requests++;
      if (record.outcome === "failed" || record.status >= 500) this.#errors++;
    }
    if (this.#open.size === 0) this.#onIdle?.();
  }

  /**
   * Counts a request toward `server.max_in_flight`.
   *
   * @param maxInFlight the limit; Infinity to count the request in any case
   * @throws {GatewayError} `overloaded` when that many requests are in flight.
   */
  admit(record: RequestRecord, maxInFlight: number): void {
    if (this.#inFlight >= maxInFlight) throw tooMany();
    record.admitted = true;
    this.#inFlight++;
  }

  /** @throws {GatewayError} `overloaded` for a request that is rejected on arrival. */
  check(admission: Admission, maxInFlight: number): void {
    if (this.#isRefusing && admission !== "always") throw shuttingDown();
    const isLimited = admission === "on_arrival" || admission === "after_body";
    if (isLimited && this.#inFlight >= maxInFlight) throw tooMany();
  }

  /** Runs a health route's handler. */
  async uncounted<Result>(run: () => Result | Promise<Result>): Promise<Result> {
    this.#uncounted++;
    try {
      return await run();
    } finally {
      this.#uncounted--;
    }
  }

  /** Makes clients use another process. Requests are still served. */
  leaveSoon(): void {
    this.isLeaving = true;
  }

  /** Rejects new requests. */
  refuse(): void {
    this.isLeaving = this.#isRefusing = true;
  }

  /** Resolves when no response is open. */
  async idle(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#onIdle = resolve);
  }

  /** The model requests. */
  load(): Load {
    const byProvider = new Map<string, number>();
    let inFlight = 0;
    for (const { attempt, isModelRequest } of this.#open) {
      if (!isModelRequest) continue;
      inFlight++;
      if (attempt === undefined) continue;
      byProvider.set(attempt.provider, (byProvider.get(attempt.provider) ?? 0) + 1);
    }
    return { inFlight, requests: this.#requests, errors: this.#errors, byProvider };
  }
}

function tooMany(): GatewayError {
  return new GatewayError("overloaded", "The gateway has too many requests in flight", {
    headers: { "retry-after": "1" },
  });
}

/** One body that is being received. */
export interface IncomingBody {
  /** The number of its bytes in memory; {@linkcode IncomingBodies.hold} changes it. */
  bytesHeld: number;
  /** Called if the body is rejected because of a limit or a shutdown. */
  refuse(error: GatewayError): void;
}

/**
 * The bodies being received. Above a limit, the oldest body is rejected, so that slow callers
 * cannot block others.
 */
export class IncomingBodies {
  /** Oldest first. */
  readonly #entries = new LinkedList<IncomingBody>();
  #bytes = 0;

  /** @param shutdown when it begins, all bodies are rejected */
  constructor(shutdown: Shutdown) {
    shutdown.onBegin(() => {
      while (this.#refuseFirst(() => true, shuttingDown()));
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Registers a body with the bytes that it holds. {@linkcode end} removes it. */
  begin(body: IncomingBody, limits: IncomingLimits): ListEntry<IncomingBody> {
    const entry = this.#entries.add(body);
    this.#bytes += body.bytesHeld;
    if (this.#entries.size > limits.bodies) this.#refuseFirst(() => true, tooManyBodies());
    if (this.#bytes > limits.bytes) this.#refuseHolders(limits);
    return entry;
  }

  /** Sets how many bytes of a body are in memory. */
  hold(entry: ListEntry<IncomingBody>, bytes: number, limits: IncomingLimits): void {
    if (entry.isRemoved) return;
    this.#bytes += bytes - entry.value.bytesHeld;
    entry.value.bytesHeld = bytes;
    if (this.#bytes > limits.bytes) this.#refuseHolders(limits);
  }

  /** Removes a body that is complete or was rejected. */
  end(entry: ListEntry<IncomingBody>): void {
    if (this.#entries.remove(entry)) this.#bytes -= entry.value.bytesHeld;
  }

  /** Rejects the oldest bodies with bytes in memory until the others are within the limit. */
  #refuseHolders({ bytes }: IncomingLimits): void {
    while (this.#bytes > bytes) {
      this.#refuseFirst(({ bytesHeld }) => bytesHeld > 0, tooManyBodies());
    }
  }

  #refuseFirst(fits: (body: IncomingBody) => boolean, error: GatewayError): boolean {
    const entry = this.#entries.find(fits);
    if (entry === undefined) return false;
    this.end(entry);
    entry.value.refuse(error);
    return true;
  }
}

function tooManyBodies(): GatewayError {
  const message = "The gateway is receiving too many request bodies, and this is the oldest one";
  return new GatewayError("overloaded", message, {
    headers: { "retry-after": "1", connection: "close" },
  });
}
