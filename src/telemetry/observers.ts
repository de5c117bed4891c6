/** Metrics, access log and tracing as one observer of requests. */

import type { AttemptRecord } from "../gateway/attempt_state.ts";
import type { Clock } from "../core/clock.ts";
import type { RequestRecord } from "../gateway/request_record.ts";
import type { Ledger } from "../governance/ledger/ledger.ts";
import type { LedgerRow } from "../governance/ledger/row.ts";
import { toLedgerRow } from "./ledger_row.ts";
import type { AccessLog } from "./access_log.ts";
import type { Metrics } from "./metrics.ts";
import type { Telemetry } from "./tracing.ts";
import type { PassthroughObserver, RequestObserver } from "../gateway/attempt.ts";

/** The observer's parts. */
export interface ObserverOptions {
  readonly metrics: Metrics;
  readonly log: AccessLog;
  /** Absent when traces are not exported. */
  readonly tracing?: Telemetry | undefined;
  readonly clock: Clock;
  /** Milliseconds by which metrics and the log may lag. Default: 0. */
  readonly lagMs?: number;
  /** Receives the ledger rows. */
  readonly ledger?: Pick<Ledger, "add"> | undefined;
  /** Receives the requests that have a row, for the console. */
  readonly health?: {
    add(row: LedgerRow, records: readonly AttemptRecord[]): void;
  } | undefined;
  /** Called when the access log cannot be written. */
  readonly onLogError?: (thrown: unknown) => void;
}

/** Creates the observer that feeds metrics, access log and tracing. */
export function createObserver(options: ObserverOptions): RequestObserver {
  return new BatchObserver(options);
}

/**
 * Records requests in batches. Recording each request at once costs several times as much, because
 * its code and data leave the processor's caches between requests, and it would delay the caller.
 */
class BatchObserver implements RequestObserver {
  readonly attemptStarted: RequestObserver["attemptStarted"];
  readonly responded: RequestObserver["responded"];
  readonly #options: ObserverOptions;
  readonly #lagMs: number;
  #ended: RequestRecord[] = [];
  #cancel: (() => void) | undefined;

  constructor(options: ObserverOptions) {
    const { lagMs = 0, tracing } = options;
    this.attemptStarted = tracing && ((input, record) => tracing.attemptStarted(input, record));
    this.responded = tracing && ((record, method) => tracing.routed(record, method));
    this.#options = options;
    this.#lagMs = lagMs;
  }

  passthroughStarted(
    ...request: Parameters<RequestObserver["passthroughStarted"]>
  ): PassthroughObserver | undefined {
    return this.#options.tracing?.passthroughStarted(...request);
  }

  streamStarted(record: RequestRecord): (gapMs: number) => void {
    return this.#options.metrics.gapsOf(record.attempt);
  }

  ended(record: RequestRecord, endedAt: number): void {
    const { clock, tracing } = this.#options;
    this.#ended.push(record.close(endedAt, clock.wallTime()));
    if (this.#lagMs === 0) this.flush();
    else this.#cancel ??= clock.after(this.#lagMs, () => this.flush());
    tracing?.ended(record, endedAt);
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const ended = this.#ended;
    if (ended.length === 0) return;
    this.#ended = [];
    const { health, ledger, log, metrics, onLogError } = this.#options;
    for (const record of ended) {
      metrics.record(record);
      const row = ledger && toLedgerRow(record);
      if (row === undefined) continue;
      ledger?.add(row);
      health?.add(row, record.attemptRecords);
    }
    try {
      log.record(ended);
    } catch (thrown) {
      // A failure to write the log must not fail requests.
      onLogError?.(thrown);
    }
  }
}
