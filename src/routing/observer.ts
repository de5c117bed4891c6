/** How metrics, the access log and tracing see requests. None of these calls waits or throws. */

import type { GatewayError } from "../core/errors.ts";
import type { Aim, Answer } from "./attempt.ts";
import type { Exchange } from "./request_record.ts";

/** Sees one attempt. */
export interface AttemptObserver {
  /** Runs what sends the request, so that the request can carry the attempt's trace. */
  run<Result>(send: () => Result): Result;
  answered(answer: Answer): void;
  /** @param sent false when the attempt failed before anything was sent */
  failed(error: GatewayError, sent: boolean): void;
}

/** Sees every request from its arrival to the end of its answer. */
export interface RequestObserver {
  /** An attempt starts. The result sees how it goes on, where there is something to see. */
  attemptStarted(input: Aim, record: Exchange): AttemptObserver | undefined;
  /** A stream starts. The result takes the milliseconds between its writes. */
  streamStarted(record: Exchange): (gapMs: number) => void;
  /** The status of the answer is known. */
  responded(record: Exchange, method: string): void;
  /** @param endedAt milliseconds since the epoch */
  ended(record: Exchange, endedAt: number): void;
  /** Records what is still queued. */
  flush(): void;
}
