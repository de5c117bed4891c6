/** How metrics, the access log and tracing observe requests. No call waits or throws. */

import type { Provider } from "../config/config.ts";
import type { GatewayError } from "../core/errors.ts";
import type { Answer, AttemptInput } from "./attempt.ts";
import type { RequestRecord } from "./request_record.ts";

/** Observes one attempt. */
export interface AttemptObserver {
  /** Runs the function that sends the request, so that the request can carry the attempt's trace. */
  run<Result>(send: () => Result): Result;
  answered(answer: Answer): void;
  /** @param sent false when the attempt failed before anything was sent */
  failed(error: GatewayError, sent: boolean): void;
}

/** Observes one request that the pass-through sends. */
export interface PassthroughObserver extends Pick<AttemptObserver, "run"> {
  /**
   * The head of the response has arrived.
   *
   * @param isLast whether the caller gets this response
   */
  answered(status: number, isLast: boolean): void;
  /** There was no response. */
  failed(error: GatewayError): void;
}

/** Observes every request from its arrival to the end of its answer. */
export interface RequestObserver {
  /** An attempt starts. Returns its observer. Absent if nothing observes attempts. */
  readonly attemptStarted?:
    | ((input: AttemptInput, record: RequestRecord) => AttemptObserver)
    | undefined;
  /** The pass-through sends a request; see {@linkcode attemptStarted}. */
  passthroughStarted(
    provider: Provider,
    method: string,
    record: RequestRecord,
  ): PassthroughObserver | undefined;
  /** A stream starts. Returns the function that takes the milliseconds between its writes. */
  streamStarted(record: RequestRecord): (gapMs: number) => void;
  /** The status of the answer is known. Absent if nothing needs it before the end. */
  readonly responded?: ((record: RequestRecord, method: string) => void) | undefined;
  /** @param endedAt milliseconds since the epoch */
  ended(record: RequestRecord, endedAt: number): void;
  /** Records everything that is queued. */
  flush(): void;
}
