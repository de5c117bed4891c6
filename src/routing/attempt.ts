/** One attempt at one target: conversion, signature, the network, and the first event. */

import type { Target } from "../config/config.ts";
import { toGatewayError } from "../core/errors.ts";
import type { Shutdown } from "../core/shutdown.ts";
import type { Download } from "../upstream/images/download.ts";
import type { AttemptState } from "./attempt_state.ts";
import { Deadline } from "./deadline.ts";
import { MeasuredAttempt } from "./measured_attempt.ts";
import type { AttemptResult, Operation, PreparedAttempt } from "./operation.ts";
import { refuseIgnored } from "./refuse_ignored.ts";
import type { RequestRecord } from "./request_record.ts";
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
  readonly measured: MeasuredAttempt;
}

const runDirectly: Run = (send) => send();

/**
 * Tries one target once.
 *
 * @param state filled with the data of the attempt; nothing else is changed
 * @param run calls the function that sends the request, for tracing
 * @throws {GatewayError} the failure, with a message that the caller may see.
 */
export async function attempt(
  input: AttemptInput,
  state: AttemptState,
  record: RequestRecord,
  deps: AttemptDeps,
  run: Run = runDirectly,
): Promise<Answer> {
  const { key, strict } = input;
  const { clock } = deps;
  const prepared = await prepare(input, state, record, deps);
  const { adapter, origins, stream } = prepared;
  record.notes.addMarks(state.receipt);
  if (strict) refuseIgnored(state.receipt, origins);
  state.origins = origins;
  state.requests++;
  const deadline = deadlineOf(input, deps, stream);
  const { operation, target } = input;
  const measured = new MeasuredAttempt(operation, target, stream, record.key, deps);
  const session = new VendorSession(
    { target, key, adapter, attempt: state, record, deadline, strict, run },
    deps,
  );
  try {
    const result = await prepared.execute(session);
    answered(state, result, clock.now());
    if (result.type === "stream") measured.firstContent();
    else measured.answered(result.usage);
    return { attempt: state, deadline, result, measured };
  } catch (thrown) {
    measured.failed(toGatewayError(thrown), input.end);
    state.cut(thrown, deadline.signal.aborted, clock.now());
    deadline.end();
    throw thrown;
  }
}

function answered(state: AttemptState, result: AttemptResult, now: number): void {
  state.hasAnswered = true;
  if (result.type === "stream") {
    state.firstTokenAt = now;
    return;
  }
  state.usage = result.usage;
  state.serviceTier = result.serviceTier;
  state.outputChars = result.outputChars ?? result.text.length;
}

function prepare(
  input: AttemptInput,
  attemptState: AttemptState,
  record: RequestRecord,
  deps: AttemptDeps,
): Promise<PreparedAttempt> {
  const { operation, strict, target } = input;
  const { clock, newId, state } = deps;
  checkOperation(operation.name, target, deps.operations);
  return operation.prepare(target, {
    receipt: attemptState.receipt,
    attempt: attemptState,
    record,
    clock,
    state,
    newId,
    strict,
    async within(run) {
      const deadline = deadlineOf(input, deps, false);
      try {
        return await record.waiting(run(deadline.signal), clock);
      } finally {
        deadline.end();
      }
    },
  });
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
