/** What one request has come to so far: filled in along the path, read by the log and the edge. */

import type { Usage } from "./chat.ts";
import type { Clock, TimeSlice } from "./clock.ts";
import type { ErrorKind } from "./errors.ts";
import type { ModelFacts } from "./providers/adapter.ts";
import type { Receipt } from "./providers/support.ts";

/** How a request ended. */
export type Outcome = "done" | "failed" | "client_gone";

/** The target that answered, or that was tried last. */
export interface Reached {
  readonly provider: string;
  readonly kind: string;
  readonly upstream: string;
  readonly facts: ModelFacts;
  readonly receipt: Receipt;
}

/** One attempt, for the log. */
export interface TryRecord {
  readonly provider: string;
  readonly upstream: string;
  /** `done`, or the kind of the failure. */
  readonly outcome: string;
  /** When it ended, in milliseconds since the epoch, and how long it took. */
  readonly at: number;
  readonly ms: number;
  /** What the failure led to, and why. */
  next: string | undefined;
}

export class Exchange {
  /** Ours or the caller's own request id. */
  readonly id: string;
  /** Fires when the caller has left. */
  readonly signal: AbortSignal;
  /** When the request arrived, in milliseconds since the epoch. */
  readonly startedAt: number;
  route = "";
  /** The name of the service key, once it is known to be good. */
  key: string | undefined;
  /** The model as the caller wrote it. */
  model: string | undefined;
  stream = false;
  /** Bytes of the caller's body. */
  bodyBytes = 0;
  /** Splits the work on a large request; undefined for others. */
  slice: TimeSlice | undefined;
  status = 0;
  error: { kind: ErrorKind; code: string | null } | undefined;
  attempts = 0;
  /** What the attempts came to, in their order. */
  readonly tries: TryRecord[] = [];
  reached: Reached | undefined;
  /** The vendor's own id for the request. */
  upstreamRequestId: string | undefined;
  firstTokenAt: number | undefined;
  usage: Usage | undefined;
  outcome: Outcome = "done";
  /** Milliseconds of our own until the answer began: all of it but the waiting for vendors. */
  overhead: number | undefined;
  /** True once the request counts for `server.max_in_flight`. */
  admitted = false;
  /** True while a stream goes on after the handler has returned. */
  open = false;
  /** True for a stream that began before it was known which target answers. */
  early = false;
  readonly #onEnd: (exchange: Exchange) => void;
  #ended = false;
  #waits = 0;
  #waitingSince = 0;
  #waited = 0;

  constructor(
    id: string,
    signal: AbortSignal,
    startedAt: number,
    onEnd: (exchange: Exchange) => void,
  ) {
    this.id = id;
    this.signal = signal;
    this.startedAt = startedAt;
    this.#onEnd = onEnd;
  }

  /** Waits for a vendor: the time that it takes is not ours. */
  async waiting<Result>(vendor: Promise<Result>, clock: Clock): Promise<Result> {
    if (this.#waits++ === 0) this.#waitingSince = clock.now();
    try {
      return await vendor;
    } finally {
      if (--this.#waits === 0) this.#waited += clock.now() - this.#waitingSince;
    }
  }

  /** The answer begins with this status. Only the first call says when. */
  answered(status: number, now: number): void {
    this.status = status;
    const waited = this.#waited + (this.#waits === 0 ? 0 : now - this.#waitingSince);
    this.overhead ??= Math.max(0, now - this.startedAt - waited);
  }

  /** Whether the request is over, and its books are closed. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The request is over. Only the first call counts, and it is told so. */
  end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#onEnd(this);
    return true;
  }
}
