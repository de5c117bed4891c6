/** The request bodies that are arriving right now. What they take together is bounded. */

import { GatewayError } from "../core/errors.ts";

/** What all of them may come to together. */
export interface IncomingLimits {
  readonly bodies: number;
  readonly bytes: number;
}

/** At least so many bodies may arrive at a time, */
const MIN_BODIES = 1000;
/** or so many for each request that may be in flight. */
const BODIES_PER_REQUEST = 4;

/** Together they may take at least so many bytes, */
const MIN_BYTES = 256 * 1024 * 1024;
/** or as much as so many bodies of the largest size. */
const LARGEST_BODIES = 8;

/** What the bodies may come to that arrive at a server with these limits. */
export function toIncomingLimits(
  { maxInFlight, maxBody }: { readonly maxInFlight: number; readonly maxBody: number },
): IncomingLimits {
  return {
    bodies: Math.max(MIN_BODIES, BODIES_PER_REQUEST * maxInFlight),
    bytes: Math.max(MIN_BYTES, LARGEST_BODIES * maxBody),
  };
}

/** One body, from its beginning until it is complete or refused. */
export interface IncomingBody {
  /** Tells how many bytes of it are kept in memory by now. */
  hold(bytes: number): void;
  /** It is complete, or nobody waits for it any longer. */
  end(): void;
}

interface Entry {
  bytes: number;
  readonly refuse: (error: GatewayError) => void;
}

/**
 * When there are too many, the one that began first makes room: callers who send
 * slowly, or nothing, cannot keep others out.
 */
export class IncomingBodies {
  /** In the order in which they began. */
  readonly #entries = new Set<Entry>();
  #bytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** @param refuse ends the body with an error, when it is the one that makes room */
  begin(limits: IncomingLimits, refuse: (error: GatewayError) => void): IncomingBody {
    const entry = { bytes: 0, refuse };
    this.#entries.add(entry);
    if (this.#entries.size > limits.bodies) this.#refuseFirst(() => true);
    return {
      hold: (bytes) => {
        if (!this.#entries.has(entry)) return;
        this.#bytes += bytes - entry.bytes;
        entry.bytes = bytes;
        while (this.#bytes > limits.bytes) this.#refuseFirst(({ bytes }) => bytes > 0);
      },
      end: () => this.#remove(entry),
    };
  }

  #refuseFirst(fits: (entry: Entry) => boolean): void {
    for (const entry of this.#entries) {
      if (!fits(entry)) continue;
      this.#remove(entry);
      entry.refuse(tooManyBodies());
      return;
    }
  }

  #remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#bytes -= entry.bytes;
  }
}

function tooManyBodies(): GatewayError {
  const message = "The gateway is receiving too many request bodies; this one took the longest";
  return new GatewayError("overloaded", message, {
    headers: { "retry-after": "1", connection: "close" },
  });
}
