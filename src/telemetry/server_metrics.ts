/** The Prometheus metrics of connections, the access log and unhandled errors. */

import { Gauge, type Registry } from "./prom_client.ts";
import { Counter } from "./series.ts";

/** The reasons for closing a connection. */
export type CloseReason = "head_timeout" | "idle_timeout" | "write_timeout" | "answered" | "room";

/** The reasons for refusing a connection. */
export type RefusalReason = "max_connections" | "max_connections_per_address";

/** Metrics that are counted as events happen, in the registry of the other metrics. */
export class ServerMetrics {
  readonly #open: Gauge;
  readonly #refused: Counter<"reason">;
  readonly #closed: Counter<"reason">;
  readonly #acceptFailures: Counter;
  readonly #memoryRefusals: Counter<"kind">;
  readonly #droppedLines: Counter;
  readonly #droppedRows: Counter;
  readonly #unhandledErrors: Counter;
  readonly #registry: Registry;
  #certificates: Gauge | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#open = new Gauge({
      name: "sluice_open_connections",
      help: "Open client connections",
      registers,
    });
    this.#refused = new Counter(registry, {
      name: "sluice_connections_refused_total",
      help: "Connections that were closed on arrival, by the limit that was exceeded",
      labels: ["reason"],
    });
    this.#closed = new Counter(registry, {
      name: "sluice_connections_closed_total",
      help: "Connections that the gateway closed, by reason",
      labels: ["reason"],
    });
    this.#acceptFailures = new Counter(registry, {
      name: "sluice_accept_failures_total",
      help: "Failed attempts to accept a connection, usually because no file descriptor was free",
    });
    this.#memoryRefusals = new Counter(registry, {
      name: "sluice_memory_refusals_total",
      help: "Large requests and answers that were refused because of server.max_in_flight_bytes",
      labels: ["kind"],
    });
    this.#droppedLines = new Counter(registry, {
      name: "sluice_log_lines_dropped_total",
      help: "Access log lines that were dropped because they could not be written in time",
    });
    this.#droppedRows = new Counter(registry, {
      name: "sluice_ledger_rows_dropped_total",
      help: "Ledger rows that were dropped because the store could not take them in time",
    });
    this.#unhandledErrors = new Counter(registry, {
      name: "sluice_unhandled_errors_total",
      help: "Unhandled errors; each is written to standard error",
    });
  }

  connectionOpened(): void {
    this.#open.inc();
  }

  /** @param reason undefined when the gateway did not close it */
  connectionClosed(reason: CloseReason | undefined): void {
    this.#open.dec();
    if (reason !== undefined) this.#closed.add(1, reason);
  }

  connectionRefused(reason: RefusalReason): void {
    this.#refused.add(1, reason);
  }

  acceptFailed(): void {
    this.#acceptFailures.add(1);
  }

  memoryRefused(kind: "request" | "answer"): void {
    this.#memoryRefusals.add(1, kind);
  }

  linesDropped(count: number): void {
    this.#droppedLines.add(count);
  }

  rowsDropped(count: number): void {
    this.#droppedRows.add(count);
  }

  /** @param endsAt the earliest expiry of a listener's certificate, in milliseconds since 1970 */
  certificatesEnd(endsAt: number): void {
    this.#certificates ??= new Gauge({
      name: "sluice_certificate_expiry_timestamp_seconds",
      help: "When the first certificate of the listeners ends, in seconds since 1970",
      aggregator: "min",
      registers: [this.#registry],
    });
    this.#certificates.set(endsAt / 1000);
  }

  errorUnhandled(): void {
    this.#unhandledErrors.add(1);
  }
}
