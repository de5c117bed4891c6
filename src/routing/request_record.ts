/** What one request has come to so far: filled in along the path, read by the log and the edge. */

import type { Usage } from "../chat/chat.ts";
import type { Clock, TimeSlice } from "../core/clock.ts";
import type { Target } from "../config/config.ts";
import type { ErrorKind, GatewayError } from "../core/errors.ts";
import type { ModelFacts } from "../providers/contract/adapter.ts";
import type { Receipt } from "../providers/contract/support.ts";
import type { Recipient } from "../upstream/transport.ts";

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
  /** When it ended, by the machine's clock: milliseconds since the epoch. */
  readonly at: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** What the failure led to, and why. */
  next: string | undefined;
  /** Host, port and cause, where the vendor was not reached. */
  readonly cause?: string | undefined;
}

/** A failure, for the log. */
export interface ErrorRecord {
  readonly kind: ErrorKind;
  readonly code: string | null;
  /** Host, port and cause, where the vendor was not reached. */
  readonly cause: string | undefined;
}

/** What the log tells of a failure. */
export function toErrorRecord({ kind, code, transportCause }: GatewayError): ErrorRecord {
  return { kind, code, cause: transportCause };
}

/** The connection that a request came over, as far as the request may act on it. */
export interface CallerConnection {
  /**
   * The request is over.
   *
   * @param unsent characters of its answer that may still be on their way
   * @param now in milliseconds since the epoch
   */
  requestEnded(unsent: number, now: number): void;
  /** The answer of the request under way is the last one. */
  closeAfterAnswer(): void;
  /** Closes the connection of a caller who does not read its answer. */
  closeUnread(): void;
}

export class Exchange {
  /** Ours or the caller's own request id. */
  readonly id: string;
  /** Fires when the caller has left. */
  readonly signal: AbortSignal;
  /** When the request arrived, by the clock's `now()`. */
  readonly startedAt: number;
  /** Absent where nobody can act on it. */
  connection: CallerConnection | undefined;
  method = "";
  /** The path as it was asked for, without the query. */
  path = "";
  /** The caller's own, for the log. */
  traceId: string | undefined;
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
  error: ErrorRecord | undefined;
  attempts = 0;
  /** What the attempts came to, in their order. */
  readonly tries: TryRecord[] = [];
  reached: Reached | undefined;
  /** The vendor's own id for the request. */
  upstreamRequestId: string | undefined;
  firstTokenAt: number | undefined;
  usage: Usage | undefined;
  outcome: Outcome = "done";
  /** What an admin changed, for the log. */
  audit: Readonly<Record<string, unknown>> | undefined;
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

/** Whom the requests of an attempt go to. One that is sent once more counts as an attempt as well. */
export function recipientOf(
  { provider, model: { upstream } }: Target,
  exchange: Exchange,
  clock: Clock,
): Recipient {
  const began = clock.now();
  const { id } = provider.settings;
  return {
    name: `provider '${id}'`,
    connection: provider.connection,
    onResend({ message: cause }) {
      exchange.attempts++;
      exchange.tries.push({
        provider: id,
        upstream,
        outcome: "upstream_unavailable",
        cause,
        at: clock.wallTime(),
        ms: clock.now() - began,
        next: "sent again on a new connection",
      });
    },
  };
}
