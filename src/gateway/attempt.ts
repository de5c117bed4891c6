/** One attempt at one target: conversion, signing, sending, and reading the first event. */

import type { Clock } from "../core/clock.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import type { Shutdown, StopSignal } from "../core/stop_signal.ts";
import type { Download } from "../upstream/images/download.ts";
import type { VendorResponse } from "../upstream/transport.ts";
import type { AttemptState } from "./attempt_state.ts";
import { Deadline } from "./deadline.ts";
import {
  type AttemptResult,
  checkOperation,
  type Operation,
  type OperationFacts,
  type PrepareContext,
  type PreparedAttempt,
} from "./operation.ts";
import type { RequestRecord } from "./request_record.ts";
import { type Exchange, located, receive, type Repairs } from "./send_repaired.ts";
import type { State, TargetState } from "./state.ts";
import type { AttemptTimer } from "./target_stats.ts";
import { type SessionDeps, type SessionInput, VendorSession } from "./vendor_session.ts";
import type { Provider } from "../config/config.ts";
import type { Limiter } from "../governance/limiter.ts";
import type { Plans } from "./plan.ts";
import type { IdBindings } from "./id_bindings.ts";
import type { OnceStore, StateStore } from "../memory/store.ts";
import type { RequestChanges } from "../contract/request_changes.ts";
import type { FieldPaths } from "../apis/chat/field_paths.ts";

/** The dependencies of the code that answers requests. */
export interface PathDeps extends AttemptDeps {
  readonly observer: RequestObserver;
  readonly limiter: Limiter;
  readonly plans: Plans;
  readonly reasoning: IdBindings;
  /** The recent answers from the Responses API, for targets that do not store them. */
  readonly answers: StateStore;
  /** The charges for answers that vendors have not finished. */
  readonly unsettled: OnceStore;
}

/** Observes one attempt. */
export interface AttemptObserver {
  /**
   * Runs the function that sends the request, so that the request can carry the attempt's trace.
   */
  run<Result>(send: () => Result): Result;
  answered(answer: AttemptAnswer): void;
  /** @param sent false if the attempt failed before anything was sent */
  failed(error: GatewayError, sent: boolean): void;
}

/** Observes one pass-through request. */
export interface PassthroughObserver extends Pick<AttemptObserver, "run"> {
  /**
   * Called when the response headers have arrived.
   *
   * @param isLast whether this response is returned to the caller
   */
  answered(status: number, isLast: boolean): void;
  /** Called when there was no response. */
  failed(error: GatewayError): void;
}

/** Observes every request from its arrival to the end of its answer. */
export interface RequestObserver {
  /** Called when an attempt starts; returns its observer. Absent if nothing observes attempts. */
  readonly attemptStarted?:
    | ((input: AttemptInput, record: RequestRecord) => AttemptObserver)
    | undefined;
  /** Called when the pass-through sends a request; see {@linkcode attemptStarted}. */
  passthroughStarted(
    provider: Provider,
    method: string,
    record: RequestRecord,
  ): PassthroughObserver | undefined;
  /**
   * Called when a stream starts; returns a function that receives the milliseconds between its
   * writes.
   */
  streamStarted(record: RequestRecord): (gapMs: number) => void;
  /**
   * Called when the answer's status is known. Absent if nothing needs it before the end of the
   * request.
   */
  readonly responded?: ((record: RequestRecord, method: string) => void) | undefined;
  /** @param endedAt milliseconds since the epoch */
  ended(record: RequestRecord, endedAt: number): void;
  /** Records all queued requests. */
  flush(): void;
}

/** The dependencies of an attempt. */
export interface AttemptDeps extends SessionDeps {
  /** All operations. */
  readonly operations: readonly OperationFacts[];
  readonly download: Download;
  /** A number from 0 to 1. */
  readonly random: () => number;
  readonly shutdown: Shutdown;
}

/** The operation of an attempt, its target and its limits. */
export interface AttemptInput extends SessionInput {
  readonly operation: Operation;
  /** The state of the target. */
  readonly known: TargetState;
  /** The deadline, in milliseconds since the epoch. */
  readonly end: number;
  /** Aborts the attempt when the caller has disconnected or another attempt has answered. */
  readonly signal: AbortSignal;
}

/** The answer of an attempt; for a stream, after its first event has been read. */
export interface AttemptAnswer {
  readonly attempt: AttemptState;
  readonly deadline: Deadline;
  readonly result: AttemptResult;
  /** Measures the target; undefined if the answer is not relevant to its speed. */
  readonly timer: AttemptTimer | undefined;
}

/** Ends an answer that is not used. */
export function discard({ attempt, deadline, result, timer }: AttemptAnswer, clock: Clock): void {
  deadline.end();
  timer?.abandoned(clock.now());
  if (result.type !== "stream") return;
  const { fold, packets } = result.stream;
  packets.close();
  attempt.report(fold.usage);
  attempt.outputChars = fold.outputChars;
  attempt.isPartial = true;
}

/**
 * One attempt. Its steps, in order: {@linkcode prepare}, {@linkcode begin}, then {@linkcode next}
 * and {@linkcode received} until there is a result. After an error in any of them, call {@linkcode
 * failed}.
 */
export class Attempt extends VendorSession implements Exchange<AttemptResult>, PrepareContext {
  repairs: Repairs<AttemptResult> | undefined;
  isCounted = false;
  isWaiting = false;
  readonly clock: Clock;
  readonly state: State;
  readonly known: TargetState;
  readonly newId: (prefix: string) => string;
  /** When the answer arrived, if it arrived together with its headers. */
  declare readAt: number | undefined;
  readonly #of: AttemptInput;
  readonly #deps: AttemptDeps;
  readonly #observer: AttemptObserver | undefined;
  /** Undefined until the attempt has begun. */
  #prepared: PreparedAttempt | undefined;
  #timer: AttemptTimer | undefined;

  /**
   * @param attempt receives the data of the attempt
   * @param observer observes the attempt, for tracing
   */
  constructor(
    input: AttemptInput,
    attempt: AttemptState,
    record: RequestRecord,
    deps: AttemptDeps,
    observer: AttemptObserver | undefined,
  ) {
    super(input, attempt, record, deps);
    this.run = observer?.run;
    this.#of = input;
    this.clock = deps.clock;
    this.state = deps.state;
    this.known = input.known;
    this.newId = deps.newId;
    this.#deps = deps;
    this.#observer = observer;
  }

  /**
   * Converts the request for the target. Sends nothing.
   *
   * @throws {GatewayError} with status 400 for a request that the target does not support.
   */
  prepare(): PreparedAttempt | Promise<PreparedAttempt> {
    const { operation, target } = this.#of;
    checkOperation(operation.name, target, this.#deps.operations);
    return operation.prepare(target, this);
  }

  /** Starts the time limits. @param now when the request was prepared */
  begin(prepared: PreparedAttempt, now: number): void {
    const { operation, strict } = this.#of;
    const { attempt, changes } = this;
    const { adapter, origins, stream } = prepared;
    if (changes.promptMarks !== undefined) this.record.notes.addMarks(changes);
    if (strict) refuseIgnored(changes, origins);
    attempt.origins = origins;
    attempt.requests++;
    this.adapter = adapter;
    this.deadline = this.#limitedTo(stream, now);
    this.#prepared = prepared;
    if (operation.callsNoModel || operation.isUntimed) return;
    this.#timer = this.known.stats.begin(stream, now, this.record.key);
  }

  /** Sends the next request; its response must be passed to {@linkcode received}. */
  next(): Promise<VendorResponse | AttemptResult> {
    const prepared = this.#prepared;
    if (prepared === undefined) throw new TypeError("The attempt has not begun");
    if (prepared.execute !== undefined) return prepared.execute(this);
    const { isLarge, request } = prepared.exchange;
    return this.start(this.repairs?.request ?? request, isLarge, this);
  }

  /** Returns the result; undefined if another request must be sent. */
  received(
    response: VendorResponse | AttemptResult,
  ): AttemptResult | Promise<AttemptResult | undefined> {
    const exchange = this.#prepared?.exchange;
    if (exchange === undefined) return response as AttemptResult;
    const result = receive(this, exchange, this, response as VendorResponse);
    if (!(result instanceof Promise)) this.readAt = this.settledAt;
    return result;
  }

  /** Called when there is a result. */
  answered(result: AttemptResult, now: number): AttemptAnswer {
    const { attempt, deadline } = this;
    const timer = this.#timer;
    attempt.hasAnswered = true;
    if (result.type === "stream") {
      attempt.firstTokenAt = now;
      timer?.firstContent(now);
    } else {
      attempt.report(result.usage);
      attempt.serviceTier = result.serviceTier;
      attempt.outputChars = result.outputChars ?? result.text.length;
      timer?.answered(attempt.counts, now);
    }
    const answer = { attempt, deadline, result, timer };
    this.#observer?.answered(answer);
    return answer;
  }

  /** Ends the attempt. Returns the error, with a message that the caller may see. */
  failed(thrown: unknown): GatewayError {
    const prepared = this.#prepared;
    const exchange = prepared?.exchange;
    const reason = exchange === undefined
      ? thrown
      : this.abandon(this, thrown, exchange.request.url);
    // Conversion errors already name the caller's fields.
    const error = toGatewayError(located(reason, exchange && prepared?.origins));
    if (prepared !== undefined) {
      const now = this.clock.now();
      this.#timer?.endedWith(error, now, this.#of.end);
      this.attempt.cut(error, this.deadline.aborted, now);
      this.deadline.end();
    }
    this.#observer?.failed(error, this.attempt.requests > 0);
    return error;
  }

  async within<Result>(run: (signal: StopSignal) => Promise<Result>): Promise<Result> {
    const deadline = this.#limitedTo(false, this.clock.now());
    try {
      return await this.record.waiting(run(deadline.signal), this.clock);
    } finally {
      deadline.end();
    }
  }
  /** New time limits. */
  #limitedTo(stream: boolean, now: number): Deadline {
    const { end, signal, target: { provider: { settings: provider }, timeouts } } = this.#of;
    return new Deadline({ signal, timeouts, leftMs: end - now, stream, provider }, this.#deps);
  }
}

/**
 * Rejects a request if any part of it would be ignored.
 *
 * @param origins the caller's names, if the request was converted from another format
 * @throws {GatewayError} `unsupported_parameter`
 */
export function refuseIgnored({ ignored }: RequestChanges, origins?: FieldPaths): void {
  const own = [...ignored].map((name) => origins?.pathOf(name) ?? name);
  const [param] = own;
  if (param === undefined) return;
  const names = own.map((name) => `'${name}'`).join(", ");
  throw new GatewayError("unsupported_parameter", `The provider does not support ${names}`, {
    param,
  });
}
