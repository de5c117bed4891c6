/** The Prometheus metrics for connections, the access log and unhandled errors. */

import type { Gauge } from "./prom_client.ts";
import type { Counter, Meter } from "./series.ts";

/** The reasons for closing a connection. */
export type CloseReason = "head_timeout" | "idle_timeout" | "write_timeout" | "answered" | "room";

/** The reasons for refusing a connection. */
export type RefusalReason = "max_connections" | "max_connections_per_address";

/** Metrics that are counted as events happen, in the same registry as the other metrics. */
export class ServerMetrics {
  readonly open: Gauge;
  readonly refused: Counter<"reason">;
  readonly closed: Counter<"reason">;
  readonly acceptFailures: Counter;
  readonly memoryRefusals: Counter<"kind">;
  readonly droppedLines: Counter;
  readonly droppedRows: Counter;
  readonly unhandledErrors: Counter;
  readonly #meter: Meter;
  #certificates: Gauge | undefined;

  constructor(meter: Meter) {
    this.#meter = meter;
    this.open = meter.gauge("sluice_open_connections", "Open client connections");
    this.refused = meter.counter(
      "sluice_connections_refused_total",
      "Connections that were closed on arrival, by the limit that was exceeded",
      ["reason"],
    );
    this.closed = meter.counter(
      "sluice_connections_closed_total",
      "Connections that the gateway closed, by reason",
      ["reason"],
    );
    this.acceptFailures = meter.counter(
      "sluice_accept_failures_total",
      "Failed attempts to accept a connection, usually because no file descriptor was free",
    );
    this.memoryRefusals = meter.counter(
      "sluice_memory_refusals_total",
      "Large requests and answers that were refused because of server.max_in_flight_bytes",
      ["kind"],
    );
    this.droppedLines = meter.counter(
      "sluice_log_lines_dropped_total",
      "Access log lines that were dropped because they could not be written in time",
    );
    this.droppedRows = meter.counter(
      "sluice_ledger_rows_dropped_total",
      "Ledger rows that were dropped because the store could not take them in time",
    );
    this.unhandledErrors = meter.counter(
      "sluice_unhandled_errors_total",
      "Unhandled errors; each is written to standard error",
    );
  }

  /** @param endsAt the earliest expiry of a listener's certificate, in milliseconds since 1970 */
  certificatesEnd(endsAt: number): void {
    this.#certificates ??= this.#meter.gauge(
      "sluice_certificate_expiry_timestamp_seconds",
      "Earliest expiry of the listeners' certificates, in seconds since 1970",
      [],
      "min",
    );
    this.#certificates.set(endsAt / 1000);
  }
}
