/** Metrics, access log and tracing as one observer of requests. */

import type { Clock } from "../core/clock.ts";
import type { RequestObserver } from "../routing/observer.ts";
import type { Ledger } from "../governance/ledger/ledger.ts";
import { toLedgerRow } from "./ledger_row.ts";
import type { AccessLog } from "./access_log.ts";
import type { Metrics } from "./metrics.ts";
import { toEndedRequest } from "./ended_request.ts";
import { RecordQueue } from "./record_queue.ts";
import type { Telemetry } from "./tracing.ts";

/** The parts of the observer. */
export interface ObserverOptions {
  readonly metrics: Metrics;
  readonly log: AccessLog;
  /** Absent when traces are not exported. */
  readonly tracing?: Telemetry | undefined;
  readonly clock: Clock;
  /** Milliseconds that metrics and log may lag behind. Default: 0. */
  readonly lagMs?: number;
  /** Takes the rows of the ledger. */
  readonly ledger?: Pick<Ledger, "add"> | undefined;
  /** Called when the access log cannot be written. */
  readonly onLogError?: (thrown: unknown) => void;
}

/** Creates the observer that feeds metrics, access log and tracing. */
export function createObserver(
  { metrics, log, tracing, clock, lagMs = 0, ledger, onLogError }: ObserverOptions,
): RequestObserver {
  const queue = new RecordQueue(clock, lagMs, (ended) => {
    for (const request of ended) {
      metrics.record(request);
      const row = ledger && toLedgerRow(request);
      if (row !== undefined) ledger?.add(row);
    }
    try {
      log.record(ended);
    } catch (thrown) {
      // A failure to write the log must not fail requests.
      onLogError?.(thrown);
    }
  });
  return {
    attemptStarted: tracing && ((input, record) => tracing.attemptStarted(input, record)),
    passthroughStarted: (provider, method, record) =>
      tracing?.passthroughStarted(provider, method, record),
    streamStarted: (record) => metrics.gapsOf(record.attempt),
    responded: tracing && ((record, method) => tracing.routed(record, method)),
    ended(record, endedAt) {
      queue.add(toEndedRequest(record, endedAt, clock.wallTime()));
      tracing?.ended(record, endedAt);
    },
    flush: () => queue.flush(),
  };
}
