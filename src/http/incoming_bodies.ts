/** Limits the number and memory of request bodies in transit. */

import type { IncomingLimits } from "../config/server_settings.ts";
import { GatewayError } from "../core/errors.ts";
import { LinkedList, type ListEntry } from "../core/collections.ts";
import type { Shutdown } from "../core/stop_signal.ts";
import { shuttingDown } from "../gateway/deadline.ts";

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
