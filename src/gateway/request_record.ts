/**
 * The record of one request, which is filled in along its path and read by observers and for the
 * response headers.
 */

import type { CallerFormat } from "../apis/chat/caller_format.ts";
import type { RecordedColumns } from "../governance/ledger/row.ts";
import { NO_FEATURES, type RequestFeatures } from "./request_features.ts";
import type { ModelPlan } from "./plan.ts";
import { RouteTrace } from "./order/route_trace.ts";
import type { Config } from "../config/config.ts";
import type { ServiceKey } from "../config/keys.ts";
import type { Clock, TimeSlice } from "../core/clock.ts";
import type { ErrorKind, GatewayError } from "../core/errors.ts";
import type { InFlightMemory, MemoryLease } from "../core/in_flight_memory.ts";
import type { JsonSource } from "../core/json/source.ts";
import type { Admission } from "../governance/admission.ts";
import { type AttemptRecord, type AttemptState, withResent } from "./attempt_state.ts";
import { addUsed, amountOf, type Forecast, NOT_USED, usedBy } from "./attempt_usage.ts";
import { NOTHING_USED } from "../governance/counters.ts";

/** How a request ended. */
export type Outcome = "done" | "failed" | "client_gone";

/** A failure, for the log. */
export interface ErrorRecord {
  readonly kind: ErrorKind;
  readonly code: string | null;
  /**
   * The connection failure, with host and port, or the vendor's message about the gateway's
   * credentials.
   */
  readonly cause: string | undefined;
  /** The message for the caller. */
  readonly message: string;
}

/** Extracts the parts of a failure to be logged. */
export function toErrorRecord({ kind, code, loggedCause, message }: GatewayError): ErrorRecord {
  return { kind, code, cause: loggedCause, message };
}

/** The client connection's functions that a request may use. */
export interface CallerConnection {
  /**
   * The address of the client or its proxy (for IPv6, its network); undefined for a Unix socket.
   */
  readonly address: string | undefined;
  /** Whether the caller should open another connection because another worker is less busy. */
  readonly isMoving: boolean;
  /**
   * Called when the request has ended.
   *
   * @param unsent the number of characters of its answer that may not have been sent yet
   * @param now in milliseconds since the epoch
   */
  requestEnded(unsent: number, now: number): void;
  /** Closes the connection after the current response. */
  closeAfterAnswer(): void;
  /** Closes the connection of a client that stopped reading its answer. */
  closeUnread(): void;
}

export class RequestRecord {
  /** The request ID: the caller's, or a new one. */
  readonly id: string;
  /** Fires when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** When the request arrived, by the clock's `now()`. */
  readonly startedAt: number;
  /** Undefined if the server does not provide access to the connection. */
  connection: CallerConnection | undefined;
  method = "";
  /** The requested path without the query. */
  path = "";
  /** The caller's trace ID. */
  traceId: string | undefined;
  route = "";
  /** The name of the service key, once it has been verified. */
  key: string | undefined;
  /** The service key itself. Undefined on routes that do not need a key. */
  serviceKey: ServiceKey | undefined;
  /** True for a request to a model, which has a row in the ledger. */
  isModelRequest = false;
  /** The sizes of both bodies of a pass-through request, which also has a row. */
  passed: { readonly sent: number; received: number } | undefined;
  /** The caller's tags, by which usage can be grouped. */
  tags: readonly string[] = [];
  /** The model as the caller wrote it. */
  model: string | undefined;
  /** The model's plan; undefined if there is none. */
  plan: ModelPlan | undefined;
  /** The wildcard alias that matches the model's name. */
  alias: string | undefined;
  stream = false;
  /** The format of the route. An operation may choose another one for an attempt. */
  routeFormat: CallerFormat;
  /** The size of the caller's body in bytes. */
  bodyBytes = 0;
  /** Divides the work on a large request into time slices; undefined for other requests. */
  slice: TimeSlice | undefined;
  /** The bytes of a large body, if its members may be forwarded unchanged. */
  source: JsonSource | undefined;
  status = 0;
  error: ErrorRecord | undefined;
  /**
   * The attempt that answered or is in progress; otherwise the last one that was sent, or the first
   * one.
   */
  attempt: AttemptState | undefined;
  /** The attempts that were sent and have ended, in the order in which they ended. */
  readonly endedAttempts: AttemptState[] = [];
  /**
   * The estimated usage. Undefined for requests that are not sent to a model, and after the end.
   */
  forecast: Forecast | undefined;
  /** The reservation against the key's limits; undefined if none applies. */
  admission: Admission | undefined;
  /** The reservations for a second target in parallel. */
  hedge: { ended(): void } | undefined;
  outcome: Outcome = "done";
  /** Ledger columns that features fill, such as the time in a queue. */
  readonly columns: RecordedColumns = {};
  /** The hooks of its plan's features. */
  features: RequestFeatures = NO_FEATURES;
  /** The reasons for the order of the targets; undefined if there was no decision. */
  routeNotes: RouteTrace | undefined;
  /** The result of the response cache: `hit` or `miss`; undefined if it was not used. */
  cache: string | undefined;
  /** Whether it is currently waiting for limits. */
  isQueued = false;
  /**
   * Restores the provider's IDs for objects created through the pass-through, in the text of a
   * request to the provider; undefined if all service keys share them.
   */
  withProviderIds: ((text: string, provider: string) => string) | undefined;
  /** The admin action and its object, for the log. */
  audit: Readonly<Record<string, unknown>> | undefined;
  /** Milliseconds until the answer began, excluding time spent waiting for vendors. */
  overhead: number | undefined;
  /** Whether the requested token count is an estimate. */
  isCountEstimated = false;
  /** True once the request counts toward `server.max_in_flight`. */
  admitted = false;
  /** True while a stream is still open after the handler has returned. */
  open = false;
  /** Whether an interrupted stream is continued by another target. */
  continuesStreams = false;
  /** True for a stream that began before the answering target was known. */
  early = false;
  /** The usage of all attempts; set by {@linkcode settle}. */
  used = NOT_USED;
  /** Like {@linkcode attempts}, once settled. */
  requests = 0;
  /** The attempts that a vendor may bill, once settled. Each has its final usage. */
  settled: readonly AttemptState[] | undefined;
  /** When it ended, by the clock's `now()`; {@linkcode close} sets it. */
  endedAt = 0;
  /** The same by the machine's clock, in milliseconds since the epoch. */
  endTime = 0;
  /** Once the request has ended, its attempts and the requests that were sent again. */
  attemptRecords: readonly AttemptRecord[] = [];
  /** The caller's format as shown in the ledger and metrics; empty for a request without a row. */
  ledgerFormat = "";
  readonly #onEnd: (record: RequestRecord) => void;
  #ended = false;
  #memorySource: InFlightMemory | undefined;
  #memoryLimit: number | undefined;
  #memory: MemoryLease | undefined;
  #waits = 0;
  #waitingSince = 0;
  #waited = 0;

  constructor(
    id: string,
    signal: AbortSignal,
    startedAt: number,
    format: CallerFormat,
    onEnd: (record: RequestRecord) => void,
  ) {
    this.id = id;
    this.signal = signal;
    this.startedAt = startedAt;
    this.routeFormat = format;
    this.#onEnd = onEnd;
  }

  /**
   * Gives the request an account for its large bodies.
   *
   * @param limit in bytes, if one is configured
   */
  mayHold(source: InFlightMemory, limit: number | undefined): void {
    this.#memorySource = source;
    this.#memoryLimit = limit;
  }

  /** The memory account of its large bodies; undefined on routes that do not need a key. */
  get memory(): MemoryLease | undefined {
    return this.#memory ??= this.#memorySource?.begin(this.key ?? "", this.#memoryLimit);
  }

  /** The format in which the answer and its errors are written. */
  get format(): CallerFormat {
    return this.attempt?.format ?? this.routeFormat;
  }

  /** Sets the reasons for the order of the targets; the text is the column `route`. */
  get notes(): RouteTrace {
    return this.routeNotes ??= new RouteTrace(this.columns);
  }

  /** The number of requests that were sent to vendors. */
  get attempts(): number {
    const { attempt, endedAttempts } = this;
    let sum = attempt === undefined || attempt.hasEnded ? 0 : attempt.requests;
    for (const { requests } of endedAttempts) sum += requests;
    return sum;
  }

  /** The attempts that a vendor may bill. */
  get billed(): readonly AttemptState[] {
    const { attempt, endedAttempts } = this;
    return attempt === undefined || attempt.hasEnded ? endedAttempts : [...endedAttempts, attempt];
  }

  /** Waits for a vendor. This time is not counted as the gateway's overhead. */
  async waiting<Result>(vendor: Promise<Result>, clock: Clock): Promise<Result> {
    this.startWaiting(clock.now());
    try {
      return await vendor;
    } finally {
      this.stopWaiting(clock.now());
    }
  }

  /** Waits for a vendor until {@linkcode stopWaiting}. */
  startWaiting(now: number): void {
    if (this.#waits++ === 0) this.#waitingSince = now;
  }

  stopWaiting(now: number): void {
    if (--this.#waits === 0) this.#waited += now - this.#waitingSince;
  }

  /** Called when the answer begins with this status. Only the first call sets the overhead. */
  answered(status: number, now: number): void {
    this.status = status;
    const waited = this.#waited + (this.#waits === 0 ? 0 : now - this.#waitingSince);
    this.overhead ??= Math.max(0, now - this.startedAt - waited);
  }

  /** Whether the request has ended, so that the record no longer changes. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Called when the request ends with an error before its answer begins. */
  failed(error: GatewayError, config: Config): void {
    const isGone = error.kind === "client_gone" || this.signal.aborted;
    this.outcome = isGone ? "client_gone" : "failed";
    this.error = toErrorRecord(error);
    const { attempt, model, serviceKey } = this;
    if (attempt !== undefined || model === undefined || serviceKey === undefined) return;
    const isFound = config.isAllowed(serviceKey, model) && config.route(model) !== undefined;
    if (isFound) this.columns.modelFound = true;
  }

  /** Called when the request is admitted. If the client has disconnected, it is settled at zero. */
  reserve(admission: Admission | undefined): void {
    this.admission = admission;
    if (this.#ended) admission?.settle(NOTHING_USED);
  }

  /** Settles the reservation against the model's limits with the attempts at one target. */
  leave(admission: Admission): void {
    const own = this.billed.filter((attempt) => attempt.admission === admission);
    admission.settle(amountOf(own, this));
  }

  /**
   * Settles the usage of the request and its attempts, once, after the answers of all attempts have
   * been read.
   *
   * @returns the attempts that a vendor may bill
   */
  settle(): readonly AttemptState[] {
    if (this.settled !== undefined) return this.settled;
    const billed = this.attempt?.hasEnded ? this.endedAttempts : this.billed;
    for (const attempt of billed) {
      const used = attempt.used = usedBy(attempt, this);
      this.used = this.used === NOT_USED ? used : addUsed(this.used, used);
      this.requests += attempt.requests;
    }
    return this.settled = billed;
  }

  /** Ends the request. Returns true for the first call; later calls have no effect. */
  end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    const billed = this.settled ?? this.settle();
    // It refers to the request body, which the record outlives.
    this.forecast = undefined;
    const { admission } = this;
    if (admission !== undefined) admission.settle(amountOf(billed, this));
    for (const { admission: ofModel, onRequestEnded } of billed) {
      if (ofModel !== undefined) this.leave(ofModel);
      onRequestEnded?.();
    }
    this.hedge?.ended();
    this.#memory?.release();
    // A body that is still being read is handled by its route.
    this.#memorySource = undefined;
    this.#onEnd(this);
    return true;
  }

  /**
   * Sets the data about the end of the request, for the log, the ledger and metrics.
   *
   * @param at when it ended, by the clock's `now()`
   * @param time the same by the machine's clock
   */
  close(at: number, time: number): this {
    if (this.settled === undefined) this.settle();
    this.endedAt = at;
    this.endTime = time;
    this.attemptRecords = this.endedAttempts;
    for (const { resent } of this.endedAttempts) {
      if (resent !== undefined) this.attemptRecords = withResent(this.endedAttempts);
    }
    if (this.passed !== undefined) this.ledgerFormat = "passthrough";
    else if (this.isModelRequest) this.ledgerFormat = this.format.name;
    return this;
  }
}
