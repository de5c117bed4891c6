/** Metrics, access log and tracing as one observer of requests. */

import type { Clock } from "../core/clock.ts";
import type { RequestObserver } from "../routing/observer.ts";
import type { AccessLog } from "./access_log.ts";
import type { Metrics } from "./metrics.ts";
import { Ledger } from "./record_queue.ts";
import type { Telemetry } from "./tracing.ts";

export interface ObserverOptions {
  readonly metrics: Metrics;
  readonly log: AccessLog;
  /** Absent when traces are not exported. */
  readonly tracing?: Telemetry | undefined;
  readonly clock: Clock;
  /** Milliseconds that metrics and log may be behind; none unless given. */
  readonly lagMs?: number;
  /** Called when the access log cannot be written. */
  readonly onLogError?: (thrown: unknown) => void;
}

export function createObserver(
  { metrics, log, tracing, clock, lagMs = 0, onLogError }: ObserverOptions,
): RequestObserver {
  const queue = new Ledger(clock, lagMs, (ended) => {
    for (const { exchange, at } of ended) metrics.record(exchange, at);
    try {
      log.record(ended);
    } catch (thrown) {
      // The reader of the log is gone. That is no reason to fail requests.
      onLogError?.(thrown);
    }
  });
  return {
    attemptStarted: (input, record) => tracing?.attemptStarted(input, record),
    streamStarted: (record) => metrics.gapsOf(record.reached),
    responded: (record, method) => tracing?.routed(record, method),
    ended(record, endedAt) {
      queue.add({ exchange: record, at: endedAt, time: clock.wallTime() });
      tracing?.ended(record, endedAt);
    },
    flush: () => queue.flush(),
  };
}
