/** Limits the number and the memory of the request bodies that are being received. */

import { GatewayError } from "../core/errors.ts";
import { LinkedList, type ListEntry } from "../core/linked_list.ts";

/** The limits of all bodies together. */
export interface IncomingLimits {
  readonly bodies: number;
  readonly bytes: number;
}

/** The minimum limit of bodies that are received at the same time. */
const MIN_BODIES = 1000;

/** The limit of bodies for each request that may be in flight, if the result is higher. */
const BODIES_PER_REQUEST = 4;

/** The minimum limit of the bytes that all bodies hold together. */
const MIN_BYTES = 256 * 1024 * 1024;

/** The limit of bytes as a number of bodies of the maximum size, if the result is higher. */
const LARGEST_BODIES = 8;

/** The limits for a server with these settings. */
export function toIncomingLimits(
  { maxInFlight, maxBody }: { readonly maxInFlight: number; readonly maxBody: number },
): IncomingLimits {
  return {
    bodies: Math.max(MIN_BODIES, BODIES_PER_REQUEST * maxInFlight),
    bytes: Math.max(MIN_BYTES, LARGEST_BODIES * maxBody),
  };
}

/** One body that is being received. */
export interface IncomingBody {
  /** Sets how many bytes of it are in memory. */
  hold(bytes: number): void;
  /** Ends it: it is complete, or was refused. */
  end(): void;
}

interface Entry {
  bytes: number;
  readonly refuse: (error: GatewayError) => void;
}

/**
 * The bodies that are being received. Over a limit, the oldest body is refused, so that slow
 * callers cannot block others.
 */
export class IncomingBodies {
  /** Oldest first. */
  readonly #entries = new LinkedList<Entry>();
  #bytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Registers a body.
   *
   * @param refuse called if this body is refused because of a limit
   */
  begin(limits: IncomingLimits, refuse: (error: GatewayError) => void): IncomingBody {
    const entry = this.#entries.add({ bytes: 0, refuse });
    if (this.#entries.size > limits.bodies) this.#refuseFirst(() => true);
    return {
      hold: (bytes) => {
        if (entry.isRemoved) return;
        const { value } = entry;
        this.#bytes += bytes - value.bytes;
        value.bytes = bytes;
        while (this.#bytes > limits.bytes) this.#refuseFirst(({ bytes }) => bytes > 0);
      },
      end: () => this.#remove(entry),
    };
  }

  #refuseFirst(fits: (entry: Entry) => boolean): void {
    const entry = this.#entries.find(fits);
    if (entry === undefined) return;
    this.#remove(entry);
    entry.value.refuse(tooManyBodies());
  }

  #remove(entry: ListEntry<Entry>): void {
    if (this.#entries.remove(entry)) this.#bytes -= entry.value.bytes;
  }
}

function tooManyBodies(): GatewayError {
  const message = "The gateway is receiving too many request bodies, and this is the oldest one";
  return new GatewayError("overloaded", message, {
    headers: { "retry-after": "1", connection: "close" },
  });
}
