/** One attempt at one target: conversion, signature, the network, and the first event. */

import type { Target } from "../config/config.ts";
import { type GatewayError, toGatewayError } from "../core/errors.ts";
import type { Shutdown } from "../core/shutdown.ts";
import type { StopSignal } from "../core/stop_signal.ts";
import type { Download } from "../upstream/images/download.ts";
import type { VendorResponse } from "../upstream/transport.ts";
import type { AttemptState } from "./attempt_state.ts";
import { Deadline } from "./deadline.ts";
import type { AttemptObserver } from "./observer.ts";
import type { AttemptResult, Operation, PreparedAttempt } from "./operation.ts";
import { refuseIgnored } from "./refuse_ignored.ts";
import type { RequestRecord } from "./request_record.ts";
import { located, RepairedExchange } from "./send_repaired.ts";
import type { AttemptTimer } from "./target_stats.ts";
import { checkOperation, type OperationKind } from "./operation_kind.ts";
import { type Run, type SessionDeps, VendorSession } from "./vendor_session.ts";

/** The dependencies of an attempt. */
export interface AttemptDeps extends SessionDeps {
  /** All operations. */
  readonly operations: readonly OperationKind[];
  readonly download: Download;
  /** A number from 0 to 1. */
  readonly random: () => number;
  readonly shutdown: Shutdown;
}

/** The operation of an attempt, its target and its limits. */
export interface AttemptInput {
  readonly target: Target;
  /** The vendor's key, for kinds that need one. */
  readonly key: string | undefined;
  readonly operation: Operation;
  /** True to refuse requests with parts that would be ignored. */
  readonly strict: boolean;
  /** The deadline, in milliseconds since the epoch. */
  readonly end: number;
  /** Ends the attempt: the caller has disconnected, or another attempt has answered. */
  readonly signal: AbortSignal;
}

/** The answer of an attempt; of a stream, the first event has just been read. */
export interface Answer {
  readonly attempt: AttemptState;
  readonly deadline: Deadline;
  readonly result: AttemptResult;
  /** Measures the target; undefined if the answer says nothing about its speed. */
  readonly timer: AttemptTimer | undefined;
}

const runDirectly: Run = (send) => send();

/**
 * One attempt. Its steps, in order: {@linkcode prepare}, {@linkcode begin}, then {@linkcode send} and
 * {@linkcode received} until there is a result. After an error of any of them: {@linkcode failed}.
 */
export class Attempt {
  readonly #input: AttemptInput;
  readonly #state: AttemptState;
  readonly #record: RequestRecord;
  readonly #deps: AttemptDeps;
  readonly #observer: AttemptObserver | undefined;
  #prepared: PreparedAttempt | undefined;
  #deadline: Deadline | undefined;
  #timer: AttemptTimer | undefined;
  #session: VendorSession | undefined;
  #exchange: RepairedExchange<AttemptResult> | undefined;

  /**
   * @param state filled with the data of the attempt
   * @param observer observes the attempt, for tracing
   */
  constructor(
    input: AttemptInput,
    state: AttemptState,
    record: RequestRecord,
    deps: AttemptDeps,
    observer: AttemptObserver | undefined,
  ) {
    this.#input = input;
    this.#state = state;
    this.#record = record;
    this.#deps = deps;
    this.#observer = observer;
  }

  /**
   * Converts the request for the target. Nothing is sent to it.
   *
   * @throws {GatewayError} with status 400 for what the target does not support.
   */
  prepare(): PreparedAttempt | Promise<PreparedAttempt> {
    const { operation, strict, target } = this.#input;
    const { clock, newId, operations, state } = this.#deps;
    checkOperation(operation.name, target, operations);
    return operation.prepare(target, {
      receipt: this.#state.receipt,
      attempt: this.#state,
      record: this.#record,
      clock,
      state,
      newId,
      strict,
      within: this.#within,
    });
  }

  /** Starts the time limits. */
  begin(prepared: PreparedAttempt): void {
    const { key, operation, strict, target } = this.#input;
    const [state, record, deps] = [this.#state, this.#record, this.#deps];
    const { adapter, origins, stream } = this.#prepared = prepared;
    record.notes.addMarks(state.receipt);
    if (strict) refuseIgnored(state.receipt, origins);
    state.origins = origins;
    state.requests++;
    const deadline = this.#deadline = deadlineOf(this.#input, deps, stream);
    if (!operation.asksNoModel && !operation.isUntimed) {
      this.#timer = deps.state.statsOf(target).begin(stream, deps.clock.now(), record.key);
    }
    const run = this.#observer?.run ?? runDirectly;
    const session = this.#session = new VendorSession(
      { target, key, adapter, attempt: state, record, deadline, strict, run },
      deps,
    );
    if (prepared.execute === undefined) {
      this.#exchange = new RepairedExchange(prepared.exchange, session);
    }
  }

  /** Sends the next request; {@linkcode received} must get what comes. */
  send(): Promise<VendorResponse | AttemptResult> {
    if (this.#exchange !== undefined) return this.#exchange.send();
    if (this.#session === undefined || this.#prepared?.execute === undefined) {
      throw new TypeError("The attempt has not begun");
    }
    return this.#prepared.execute(this.#session);
  }

  /** The result; undefined if another request has to be sent. */
  received(
    response: VendorResponse | AttemptResult,
  ): AttemptResult | Promise<AttemptResult | undefined> {
    return this.#exchange === undefined
      ? response as AttemptResult
      : this.#exchange.received(response as VendorResponse);
  }

  /** There is a result. */
  answered(result: AttemptResult): Answer {
    const [state, deadline, timer] = [this.#state, this.#deadline, this.#timer];
    if (deadline === undefined) throw new TypeError("The attempt has not begun");
    const now = this.#deps.clock.now();
    state.hasAnswered = true;
    if (result.type === "stream") {
      state.firstTokenAt = now;
      timer?.firstContent(now);
    } else {
      state.report(result.usage);
      state.serviceTier = result.serviceTier;
      state.outputChars = result.outputChars ?? result.text.length;
      timer?.answered(state.counts, now);
    }
    const answer = { attempt: state, deadline, result, timer };
    this.#observer?.answered(answer);
    return answer;
  }

  /** Ends the attempt. Returns the error, with a message that the caller may see. */
  failed(thrown: unknown): GatewayError {
    // Errors of the conversion name the caller's own fields already.
    const origins = this.#exchange && this.#prepared?.origins;
    const error = toGatewayError(located(thrown, origins));
    const deadline = this.#deadline;
    if (deadline !== undefined) {
      this.#exchange?.failed();
      const now = this.#deps.clock.now();
      this.#timer?.endedWith(error, now, this.#input.end);
      this.#state.cut(error, deadline.signal.aborted, now);
      deadline.end();
    }
    this.#observer?.failed(error, this.#state.requests > 0);
    return error;
  }

  readonly #within = async <Result>(
    run: (signal: StopSignal) => Promise<Result>,
  ): Promise<Result> => {
    const deadline = deadlineOf(this.#input, this.#deps, false);
    try {
      return await this.#record.waiting(run(deadline.signal), this.#deps.clock);
    } finally {
      deadline.end();
    }
  };
}

function deadlineOf(
  { target, end, signal }: AttemptInput,
  { clock, shutdown }: AttemptDeps,
  stream: boolean,
): Deadline {
  const limits = { ...target.timeouts, deadline: end - clock.now() };
  const { id, baseUrl } = target.provider.settings;
  const vendor = { name: `provider '${id}'`, baseUrl };
  return new Deadline(signal, shutdown, clock, limits, stream, vendor);
}
