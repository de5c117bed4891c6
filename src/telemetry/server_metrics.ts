/** What Prometheus is told about the process as a server: its connections and its log. */

import { Counter, Gauge, type Registry } from "prom-client";

/** Why the gateway closed a connection. */
export type CloseReason = "head_timeout" | "idle_timeout" | "write_timeout" | "answered" | "room";

/** Why the gateway did not take a connection. */
export type RefusalReason = "max_connections" | "max_connections_per_address";

/** Counted as it happens, in the registry of the other metrics. */
export class ServerMetrics {
  readonly #open: Gauge;
  readonly #refused: Counter<"reason">;
  readonly #closed: Counter<"reason">;
  readonly #acceptFailures: Counter;
  readonly #droppedLines: Counter;
  readonly #unhandledErrors: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#open = new Gauge({
      name: "sluice_open_connections",
      help: "Connections of callers that are open",
      registers,
    });
    this.#refused = new Counter({
      name: "sluice_connections_refused_total",
      help:
        "Connections that were closed as soon as they were accepted, by the limit they were over",
      labelNames: ["reason"],
      registers,
    });
    this.#closed = new Counter({
      name: "sluice_connections_closed_total",
      help: "Connections that the gateway closed, and why",
      labelNames: ["reason"],
      registers,
    });
    this.#acceptFailures = new Counter({
      name: "sluice_accept_failures_total",
      help:
        "Times that no connection could be accepted, as a rule because file descriptors ran out",
      registers,
    });
    this.#droppedLines = new Counter({
      name: "sluice_log_lines_dropped_total",
      help: "Lines of the access log that were dropped: they could not be written in time",
      registers,
    });
    this.#unhandledErrors = new Counter({
      name: "sluice_unhandled_errors_total",
      help: "Errors that no part of the gateway handled; standard error tells of each",
      registers,
    });
  }

  connectionOpened(): void {
    this.#open.inc();
  }

  /** @param reason undefined when it was not the gateway that closed it */
  connectionClosed(reason: CloseReason | undefined): void {
    this.#open.dec();
    if (reason !== undefined) this.#closed.inc({ reason });
  }

  connectionRefused(reason: RefusalReason): void {
    this.#refused.inc({ reason });
  }

  acceptFailed(): void {
    this.#acceptFailures.inc();
  }

  linesDropped(count: number): void {
    this.#droppedLines.inc(count);
  }

  errorUnhandled(): void {
    this.#unhandledErrors.inc();
  }
}
