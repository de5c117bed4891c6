/** The state of one attempt. Attempts of the same request can run concurrently. */

import type { CallerFormat } from "../apis/chat/caller_format.ts";
import type { Usage } from "../contract/chat.ts";
import { readCounts, type TokenCounts } from "../apis/chat/token_counts.ts";
import type { FieldPaths } from "../apis/chat/field_paths.ts";
import type { Target } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { Admission } from "../governance/admission.ts";
import { GatewayError } from "../core/errors.ts";
import { TransportError } from "../core/transport_error.ts";
import type { ModelFacts } from "../contract/model_facts.ts";
import { RequestChanges } from "../contract/request_changes.ts";
import type { Recipient, RequestWatcher } from "../upstream/transport.ts";
import type { Repair } from "../contract/vendor_request.ts";
import type { UsageSource } from "../governance/ledger/attempt_row.ts";
import type { PricesUsed } from "../governance/cost.ts";

/** Why a retryable target is not retried. */
export type SkipReason =
  /** The vendor requests a longer wait than `max_wait` allows. */
  | { readonly type: "wait_too_long"; readonly waitMs: number }
  /** The caller's deadline leaves no time for another attempt. */
  | { readonly type: "deadline" }
  /** The target's breaker is open, and another target may answer. */
  | { readonly type: "breaker_open" };

/** The step after a failed attempt. */
export type NextStep =
  | { readonly type: "other_key" }
  | { readonly type: "retry"; readonly waitMs: number }
  /** The same request was sent once more, on a new connection. */
  | { readonly type: "resent" }
  /** Another target continues an interrupted stream. */
  | { readonly type: "continued" }
  | { readonly type: "give_up"; readonly reason: SkipReason }
  | { readonly type: "next_target"; readonly reason?: SkipReason };

/** The usage of an attempt or a request, its source, and its cost. */
export interface Used {
  readonly usage: Usage | undefined;
  readonly source: UsageSource;
  /** The counts of the usage; 0 if there is no usage. */
  readonly counts: TokenCounts;
  /** The prices of an attempt; undefined if they are unknown or if there are several attempts. */
  readonly prices: PricesUsed | undefined;
  /** Millionths of a US dollar; undefined if a price is unknown. */
  readonly microUsd: number | undefined;
  /** US dollars, rounded to a billionth. */
  readonly usd: number | undefined;
}

/** The usage of a request that settles an earlier answer. */
export interface Settlement {
  /** The difference from the charge, which is negative if the estimate was too high. */
  readonly usage: Usage;
  readonly source: "vendor";
  readonly settled: {
    /** The total usage of the answer. */
    readonly usage: Usage;
    readonly chargedMicroUsd: number;
  };
}

/** One attempt, for the log. */
export interface AttemptRecord {
  readonly provider: string;
  readonly upstream: string;
  /** `done`, the error kind, or `abandoned` if another target answered first. */
  readonly outcome: string;
  /** When it failed, according to the machine's clock; undefined if it answered. */
  readonly at?: number | undefined;
  /** When it began, by the clock's `now()`. */
  readonly began: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** The step after the failure. */
  readonly next: NextStep | undefined;
  /** The changes made after the vendor rejected the request, in order. */
  readonly corrections?: readonly Repair[] | undefined;
  /** Whether it is a hedge, made at a second target while the first call was pending. */
  readonly isHedge?: boolean;
  /** Host, port and cause, if the vendor could not be reached. */
  readonly cause?: string | undefined;
  /** The failure message, which may quote the vendor. */
  readonly message?: string | undefined;
}

/** The target that answered, or the last one that was tried. */
export interface AnsweringTarget {
  readonly provider: string;
  readonly kind: string;
  /** The upstream name of the model; empty if the request names no configured model. */
  readonly upstream: string;
  readonly facts: ModelFacts;
  readonly changes: RequestChanges;
  /** The caller's fields, if the request was converted from another format. */
  readonly origins?: FieldPaths | undefined;
}

/** An attempt's provider, and its model if the request names one. */
export interface AttemptTarget extends Pick<Target, "params" | "provider"> {
  readonly model: Pick<Target["model"], "base" | "facts" | "id" | "upstream">;
}

/** The name of a target. */
export function toTargetName(
  { provider, model }: AttemptTarget,
): { provider: string; model: string } {
  return { provider: provider.settings.id, model: model.upstream };
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** The data of one attempt. Written only by the attempt, and later by the reader of its answer. */
export class AttemptState implements AnsweringTarget, AttemptRecord, RequestWatcher {
  readonly target: AttemptTarget;
  readonly provider: string;
  readonly kind: string;
  upstream: string;
  facts: ModelFacts;
  readonly changes: RequestChanges;
  origins: FieldPaths | undefined;
  /** The format in which the answer and its errors are written. */
  format: CallerFormat;
  /** The number of requests that were sent; 0 if the target does not support the request. */
  requests = 0;
  /** Requests that the HTTP client sent again, in order. */
  resent: AttemptRecord[] | undefined;
  /** The changes made after the vendor rejected the request, in order. */
  corrections: Repair[] | undefined;
  /**
   * When the last request was sent, by the clock's `now()`. Undefined if none was sent, or if the
   * vendor rejected it and therefore bills nothing.
   */
  sentAt: number | undefined;
  /** True once the headers of a 2xx response have arrived. */
  isAccepted = false;
  /**
   * True while the vendor works on an accepted job, so that later error responses are not
   * rejections.
   */
  hasJob = false;
  /** The vendor's ID of the request. */
  upstreamRequestId: string | undefined;
  /** The vendor's headers that are forwarded to the caller. */
  headers = NO_HEADERS;
  firstTokenAt: number | undefined;
  /** True for an attempt that answered; its stream may have failed later. */
  hasAnswered = false;
  /** As reported by the vendor. */
  usage: Usage | undefined;
  /** The counts of {@linkcode usage}. */
  counts: TokenCounts | undefined;
  /** The service tier reported by the vendor. */
  serviceTier: string | undefined;
  /** The length of the answer in UTF-16 units, for an estimate if the vendor reports no usage. */
  outputChars = 0;
  /** True if {@linkcode usage} is incomplete, as for an interrupted stream. */
  isPartial = false;
  /** Milliseconds for which the vendor processed a request that then failed, which it may bill. */
  cutMs: number | undefined;
  /** True for an answer that the vendor may continue after the request. */
  isPending = false;
  /** True for a request about an earlier answer, which is charged only the difference. */
  isAboutAnswer = false;
  /** The usage of the earlier answer, if this attempt is the first to see it. */
  settlement: Settlement | undefined;
  /** Called once when the request has ended. */
  onRequestEnded: (() => void) | undefined;
  /** The reservation against its model's limits, which the attempts at one target share. */
  admission: Admission | undefined;
  /** True for a hedge: an attempt at a second target while the first call is pending. */
  isHedge = false;
  /** The final usage, once the request has ended. */
  used: Used | undefined;
  readonly #clock: Clock;
  readonly began: number;
  outcome = "";
  /** Whether the attempt has ended; if it succeeded, its answer may still be being read. */
  hasEnded = false;
  ms = 0;
  /**
   * When it failed, by the machine's clock; for an answer, approximately the end of the request.
   */
  at: number | undefined;
  next: NextStep | undefined;
  cause: string | undefined;
  message: string | undefined;

  /**
   * @param format the format of the answer, unless the operation sets another
   * @param changes the changes of the whole attempt, for one of its requests
   */
  constructor(
    target: AttemptTarget,
    format: CallerFormat,
    clock: Clock,
    changes = new RequestChanges(),
  ) {
    const { model, provider } = target;
    this.target = target;
    this.changes = changes;
    this.provider = provider.settings.id;
    this.kind = provider.adapter.kind;
    this.upstream = model.upstream;
    this.facts = model.facts;
    this.origins = undefined;
    this.format = format;
    this.#clock = clock;
    this.began = clock.now();
  }

  /** Records that the attempt has failed. */
  failed({ kind, loggedCause, message }: GatewayError, next: NextStep | undefined): void {
    this.next = next;
    this.cause = loggedCause;
    this.message = message;
    this.at = this.#clock.wallTime();
    this.ended(kind, this.#clock.now());
  }

  /** Records that another attempt has answered first. */
  abandoned(): void {
    const now = this.#clock.now();
    if (this.sentAt !== undefined) this.cutMs = now - this.sentAt;
    this.at = this.#clock.wallTime();
    this.ended("abandoned", now);
  }

  /** Records the usage so far, as reported by the vendor. */
  report(usage: Usage | undefined): void {
    this.usage = usage;
    this.counts = usage && readCounts(usage);
  }

  /** Records that a request is being sent. */
  sent(): void {
    this.requests++;
    this.sentAt = this.#clock.now();
  }

  /**
   * Records how long the vendor may have processed a request that failed without being rejected.
   *
   * @param aborted whether the gateway has aborted it
   */
  cut(error: unknown, aborted: boolean, now: number): void {
    if (this.sentAt === undefined) return;
    if (aborted || this.isAccepted || !isUnconnected(error)) this.cutMs = now - this.sentAt;
  }

  /**
   * Records that the vendor has rejected the request. The vendor bills only the usage that it
   * reports.
   */
  refused(): void {
    if (this.hasJob) return;
    this.sentAt = undefined;
    this.outputChars = 0;
  }

  /** The target of the attempt's next request. */
  recipient(): Recipient {
    const { provider: { settings: { id }, connection } } = this.target;
    return { name: `provider '${id}'`, connection, watcher: this };
  }

  onConnecting(isConnecting: boolean): void {
    this.sentAt = isConnecting ? undefined : this.#clock.now();
  }

  onResend({ message: cause }: TransportError): void {
    this.requests++;
    const { provider, upstream } = this;
    const began = this.sentAt ?? this.began;
    const ms = this.#clock.now() - began;
    const at = this.#clock.wallTime();
    const resent = { provider, upstream, outcome: "upstream_unavailable", at, began, ms, cause };
    (this.resent ??= []).push({ ...resent, next: { type: "resent" } });
  }

  /** @param outcome `done` if it has answered, or the first event of its stream has arrived */
  ended(outcome: string, now: number): void {
    this.outcome = outcome;
    this.hasEnded = true;
    this.ms = now - this.began;
  }
}

/** Whether a request failed before it was sent; not every transport reports its connections. */
export function isUnconnected(error: unknown): boolean {
  if (!(error instanceof GatewayError && error.cause instanceof TransportError)) return false;
  const { failure } = error.cause;
  return failure !== "reset" && failure !== "protocol";
}

/** Records that the last failure led to another target. Called when that target is tried. */
export function recordNextTarget(attempts: readonly AttemptState[]): void {
  const before = attempts.at(-1);
  if (before === undefined || before.next?.type === "next_target") return;
  const reason = before.next?.type === "give_up" ? before.next.reason : undefined;
  before.next = { type: "next_target", ...(reason !== undefined && { reason }) };
}

/** The attempts and the resent requests, in order. */
export function withResent(attempts: readonly AttemptState[]): readonly AttemptRecord[] {
  return attempts.flatMap((attempt) => [...attempt.resent ?? [], attempt]);
}

/** The attempts with their durations and next steps, for an error message. */
export function describeAttempts(records: readonly AttemptRecord[]): string {
  if (records.length === 0) return "before any attempt";
  return records.map(({ provider, ms, outcome, next }) => {
    const result = next === undefined ? outcome : `${outcome}, ${describeNextStep(next)}`;
    return `${provider} ${Math.round(ms)} ms (${result})`;
  }).join(", then ");
}

/** The text of a step for the log and for error messages. */
export function describeNextStep(step: NextStep): string {
  switch (step.type) {
    case "other_key":
      return "next key";
    case "retry":
      return `retry in ${Math.round(step.waitMs)} ms`;
    case "resent":
      return "sent again on a new connection";
    case "continued":
      return "continued by another target";
    case "give_up":
      return describeReason(step.reason);
    case "next_target":
      return step.reason === undefined
        ? "next target"
        : `next target: ${describeReason(step.reason)}`;
  }
}

function describeReason(reason: SkipReason): string {
  switch (reason.type) {
    case "wait_too_long":
      return `asked to wait ${Math.ceil(reason.waitMs / 1000)} s`;
    case "deadline":
      return "the caller's deadline is too near";
    case "breaker_open":
      return "its breaker is open";
  }
}
