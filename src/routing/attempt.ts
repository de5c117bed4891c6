/** One attempt at one target: conversion, signature, the network, and the first event. */

import type { Target } from "../config/config.ts";
import { toGatewayError } from "../core/errors.ts";
import type { Shutdown } from "../core/shutdown.ts";
import { Receipt } from "../providers/contract/receipt.ts";
import type { Download } from "../upstream/images/download.ts";
import { Deadline } from "./deadline.ts";
import { MeasuredAttempt } from "./measured_attempt.ts";
import type { AttemptResult, Operation, PreparedAttempt } from "./operation.ts";
import { refuseIgnored } from "./refuse_ignored.ts";
import type { RequestRecord } from "./request_record.ts";
import { checkOperation } from "./target_operations.ts";
import { type Run, type SessionDeps, VendorSession } from "./vendor_session.ts";

/** The dependencies of an attempt. */
export interface AttemptDeps extends SessionDeps {
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
  /** True to refuse what would be ignored. */
  readonly strict: boolean;
  /** When it must have ended, in milliseconds since the epoch. */
  readonly end: number;
}

/** The answer of an attempt; of a stream, the first event has just been read. */
export interface Answer {
  /** The vendor's headers that pass through. */
  readonly headers: Readonly<Record<string, string>>;
  readonly deadline: Deadline;
  readonly result: AttemptResult;
  readonly target: Target;
  readonly measured: MeasuredAttempt;
}

const runDirectly: Run = (send) => send();

/**
 * Tries one target once.
 *
 * @param run calls the function that sends the request, for tracing
 * @throws {GatewayError} the failure, with a message that the caller may see.
 */
export async function attempt(
  input: AttemptInput,
  record: RequestRecord,
  deps: AttemptDeps,
  run: Run = runDirectly,
): Promise<Answer> {
  const { target, strict } = input;
  const receipt = new Receipt();
  const reached = {
    provider: target.provider.settings.id,
    kind: target.provider.adapter.kind,
    upstream: target.model.upstream,
    facts: target.model.facts,
    receipt,
  };
  record.reached ??= reached;
  const prepared = await prepare(input, receipt, record, deps);
  if (strict) refuseIgnored(receipt, prepared.origins);
  record.attempts++;
  // Set only here: a target that cannot take the request has not been reached.
  const { origins } = prepared;
  record.reached = origins === undefined ? reached : { ...reached, origins };
  record.upstreamRequestId = undefined;
  const { adapter, stream } = prepared;
  const deadline = deadlineOf(input, record, deps, stream);
  const { key, operation } = input;
  const measured = new MeasuredAttempt(operation, target, stream, record.key, deps);
  const session = new VendorSession(
    { target, key, adapter, receipt, record, deadline, strict, run },
    deps,
  );
  try {
    const result = await prepared.execute(session);
    if (result.type === "stream") measured.firstContent();
    else measured.answered(result.usage?.completion_tokens);
    return { headers: session.headers, deadline, result, target, measured };
  } catch (thrown) {
    measured.failed(toGatewayError(thrown), input.end);
    const { sentAt } = session;
    if (sentAt !== undefined && deadline.signal.aborted) {
      record.cut = { target, ms: deps.clock.now() - sentAt };
    }
    deadline.end();
    throw thrown;
  }
}

function prepare(
  input: AttemptInput,
  receipt: Receipt,
  record: RequestRecord,
  deps: AttemptDeps,
): Promise<PreparedAttempt> {
  const { operation, strict, target } = input;
  const { clock, newId, state } = deps;
  checkOperation(operation.name, target);
  return operation.prepare(target, {
    receipt,
    record,
    clock,
    state,
    newId,
    strict,
    async within(run) {
      const deadline = deadlineOf(input, record, deps, false);
      try {
        return await record.waiting(run(deadline.signal), clock);
      } finally {
        deadline.end();
      }
    },
  });
}

function deadlineOf(
  { target, end }: AttemptInput,
  { signal }: RequestRecord,
  { clock, shutdown }: AttemptDeps,
  stream: boolean,
): Deadline {
  const limits = { ...target.timeouts, deadline: end - clock.now() };
  const { id, baseUrl } = target.provider.settings;
  const vendor = { name: `provider '${id}'`, baseUrl };
  return new Deadline(signal, shutdown, clock, limits, stream, vendor);
}
