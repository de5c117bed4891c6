/** The record of one request: filled along its path, read by observers and the response headers. */

import type { CallerFormat } from "../chat/caller_format.ts";
import type { Usage } from "../chat/chat.ts";
import type { Origins } from "../chat/origins.ts";
import type { Clock, TimeSlice } from "../core/clock.ts";
import type { HeldMemory } from "../core/in_flight_memory.ts";
import { addAttempt, type AttemptRecord } from "./attempt_records.ts";
import { type Admission, type Amount, NOTHING_USED } from "../governance/admission.ts";
import { type Billed, microUsdOf } from "../governance/cost.ts";
import { isPossible, type Settlement } from "./settlement.ts";
import type { LimitedTarget } from "../governance/reservation.ts";
import type { RecordedColumns, UsageSource } from "../governance/ledger/row.ts";
import { tokensOfChars } from "../chat/token_estimate.ts";
import type { ServiceKey } from "../config/keys.ts";
import type { Target } from "../config/config.ts";
import type { ErrorKind, GatewayError } from "../core/errors.ts";
import type { ModelFacts } from "../providers/contract/model_facts.ts";
import type { Receipt } from "../providers/contract/receipt.ts";
import type { Recipient } from "../upstream/transport.ts";

/** How a request ended. */
export type Outcome = "done" | "failed" | "client_gone";

/** The target that answered, or the last one that was tried. */
export interface Reached {
  readonly provider: string;
  readonly kind: string;
  readonly upstream: string;
  readonly facts: ModelFacts;
  readonly receipt: Receipt;
  /** The caller's own fields, if the request was converted from another format. */
  readonly origins?: Origins;
}

/** A failure, for the log. */
export interface ErrorRecord {
  readonly kind: ErrorKind;
  readonly code: string | null;
  /** Host, port and cause, if the vendor was not reached. */
  readonly cause: string | undefined;
}

/** Reads what the log shows of a failure. */
export function toErrorRecord({ kind, code, transportCause }: GatewayError): ErrorRecord {
  return { kind, code, cause: transportCause };
}

/** The caller's connection, as far as a request may act on it. */
export interface CallerConnection {
  /** Whether the caller should open another connection, because another worker has more time. */
  readonly isMoving: boolean;
  /**
   * The request has ended.
   *
   * @param unsent characters of its answer that may not have been sent yet
   * @param now in milliseconds since the epoch
   */
  requestEnded(unsent: number, now: number): void;
  /** Closes the connection after the current answer. */
  closeAfterAnswer(): void;
  /** Closes the connection of a caller who does not read its answer. */
  closeUnread(): void;
}

/** A request that was cut after it had been sent to a vendor, which may bill it. */
export interface Cut {
  readonly target: Target;
  /** Milliseconds for which the vendor has worked on it. */
  readonly ms: number;
}

/** Estimates of what a request uses, for one without the vendor's own counts. */
export interface Forecast {
  readonly input: () => number;
  /** The tokens that a target usually writes for such a request. */
  readonly output: (target: LimitedTarget) => number;
}

export class RequestRecord {
  /** The request ID: the caller's own, or a new one. */
  readonly id: string;
  /** Fires when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** When the request arrived, by the clock's `now()`. */
  readonly startedAt: number;
  /** Undefined if the server gives no access to the connection. */
  connection: CallerConnection | undefined;
  method = "";
  /** The requested path without the query. */
  path = "";
  /** The caller's own trace ID. */
  traceId: string | undefined;
  route = "";
  /** The name of the service key, once it has been verified. */
  key: string | undefined;
  /** The service key itself. Undefined on routes that need none. */
  serviceKey: ServiceKey | undefined;
  /** True for a request that asks a model: it has a row in the ledger. */
  asksModel = false;
  /** The bytes of both bodies of the pass-through, whose requests have rows as well. */
  passed: { readonly sent: number; received: number } | undefined;
  /** The caller's tags, by which usage can be grouped. */
  tags: readonly string[] = [];
  /** The model as the caller wrote it. */
  model: string | undefined;
  /** The alias with a `*` that the model's name resolves by. */
  alias: string | undefined;
  stream = false;
  /** The format that the answer and its errors are written in. */
  format: CallerFormat;
  /** Bytes of the caller's body. */
  bodyBytes = 0;
  /** Divides the work on a large request into slices; undefined for other requests. */
  slice: TimeSlice | undefined;
  /** The memory of its large bodies; undefined on routes that need no key. */
  memory: HeldMemory | undefined;
  status = 0;
  error: ErrorRecord | undefined;
  attempts = 0;
  /** The attempts in order. */
  readonly attemptRecords: AttemptRecord[] = [];
  reached: Reached | undefined;
  /** The vendor's ID of the request. */
  upstreamRequestId: string | undefined;
  firstTokenAt: number | undefined;
  usage: Usage | undefined;
  /** The service tier that the vendor says it used. */
  serviceTier: string | undefined;
  /** UTF-16 units of the answer, for an estimate where the vendor reports no usage. */
  outputChars = 0;
  /** True for a stream that was cut: what the vendor counted until then is not all of it. */
  isPartial = false;
  /** What the request may use. Undefined for one that is not sent to a model, and after its end. */
  forecast: Forecast | undefined;
  /** The last attempt that was cut before its answer. */
  cut: Cut | undefined;
  /** The target of an answer that the vendor goes on writing after the request, as far as known. */
  pending: Target | undefined;
  /** Whether the request is about an earlier answer: it uses only what that one was not charged. */
  isAboutAnswer = false;
  /** What the earlier answer has used, if this request is the first to see it. */
  settlement: Settlement | undefined;
  /** Called once with the record when the request has ended. */
  onEnded: (() => void) | undefined;
  /** What the request has reserved of the limits of its key; undefined if none applies. */
  admission: Admission | undefined;
  /** What it has reserved of the limits of the model that is asked; undefined if none applies. */
  modelAdmission: Admission | undefined;
  outcome: Outcome = "done";
  /** Columns of the ledger that capabilities fill, such as the time in a queue. */
  readonly columns: RecordedColumns = {};
  /** What an admin did and to what, for the log. */
  audit: Readonly<Record<string, unknown>> | undefined;
  /** Milliseconds until the answer began, without the time spent waiting for vendors. */
  overhead: number | undefined;
  /** True once the request counts for `server.max_in_flight`. */
  admitted = false;
  /** True while a stream is still open after the handler has returned. */
  open = false;
  /** True for a stream that began before the answering target was known. */
  early = false;
  #used: Used | undefined;
  readonly #onEnd: (record: RequestRecord) => void;
  #ended = false;
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
    this.format = format;
    this.#onEnd = onEnd;
  }

  /** Waits for a vendor. The time does not count as the gateway's overhead. */
  async waiting<Result>(vendor: Promise<Result>, clock: Clock): Promise<Result> {
    if (this.#waits++ === 0) this.#waitingSince = clock.now();
    try {
      return await vendor;
    } finally {
      if (--this.#waits === 0) this.#waited += clock.now() - this.#waitingSince;
    }
  }

  /** The answer begins with this status. Only the first call sets the overhead. */
  answered(status: number, now: number): void {
    this.status = status;
    const waited = this.#waited + (this.#waits === 0 ? 0 : now - this.#waitingSince);
    this.overhead ??= Math.max(0, now - this.startedAt - waited);
  }

  /** Whether the request has ended. After that the record does not change. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The request is admitted. One whose caller has left meanwhile uses nothing. */
  reserve(admission: Admission | undefined): void {
    this.admission = admission;
    if (this.#ended) admission?.settle(NOTHING_USED);
  }

  /** The request is admitted to the limits of a target's model. */
  enter(admission: Admission | undefined): void {
    this.modelAdmission = admission;
    if (this.#ended) admission?.settle(NOTHING_USED);
  }

  /** The target has failed, and another may be asked. */
  leave(): void {
    this.modelAdmission?.settle(amountOf(this));
    this.modelAdmission = undefined;
  }

  /** The usage of the request; final once it has ended. */
  get used(): Used {
    return this.#used ?? usedBy(this);
  }

  /** Ends the request. Returns true for the first call; later calls have no effect. */
  end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#used = usedBy(this);
    // It holds the body of the request, which the record outlives.
    this.forecast = undefined;
    if (this.admission !== undefined || this.modelAdmission !== undefined) {
      const used = amountOf(this);
      this.admission?.settle(used);
      this.modelAdmission?.settle(used);
    }
    this.memory?.release();
    this.onEnded?.();
    this.#onEnd(this);
    return true;
  }
}

/** A provider, and the upstream name of the model that is asked. */
export interface NamedTarget extends Pick<Target, "provider"> {
  readonly model: Pick<Target["model"], "upstream">;
}

/** The recipient of an attempt's requests. A request that is sent once more counts as an attempt. */
export function recipientOf(
  { provider, model: { upstream } }: NamedTarget,
  record: RequestRecord,
  clock: Clock,
): Recipient {
  const began = clock.now();
  const { id } = provider.settings;
  return {
    name: `provider '${id}'`,
    connection: provider.connection,
    onResend({ message: cause }) {
      record.attempts++;
      const outcome = "upstream_unavailable";
      const resent = { provider: id, upstream, outcome, cause, next: { type: "resent" } } as const;
      addAttempt(record.attemptRecords, resent, began, clock);
    },
  };
}

/** The usage of a request, and where it comes from. */
export interface Used {
  readonly usage: Usage | undefined;
  readonly source: UsageSource;
  /** For an answer that an earlier request was charged for: all of its usage, and that charge. */
  readonly settled?: Settlement["settled"];
}

/** Tokens that a model writes in a second, for the estimate of an answer that was cut. */
const TOKENS_PER_SECOND = 100;

/**
 * The vendor's usage, or an estimate for an answer without one, for the part of a stream that was
 * received before it was cut, and for a request that was cut after it had been sent. Without an
 * answer nothing is used.
 */
function usedBy(record: RequestRecord): Used {
  const { cut, firstTokenAt, forecast, outcome, outputChars, status, usage } = record;
  if (record.isAboutAnswer) return record.settlement ?? NOT_USED;
  if (record.pending !== undefined) return toUnfinished(record, record.pending);
  // A count that no model can reach would lock the budget of its key.
  if (usage !== undefined && isPossible(usage)) {
    if (!record.isPartial) return { usage, source: "vendor" };
    return { usage: toPartial(usage, record), source: "estimated" };
  }
  // A file or a list that is passed is no prompt.
  if (record.passed !== undefined && record.model === undefined) return NOT_USED;
  const hasAnswer = firstTokenAt !== undefined || outcome === "done" && status === 200;
  if (record.attempts === 0 || !hasAnswer && cut === undefined) return NOT_USED;
  const output = hasAnswer || cut === undefined || forecast === undefined
    ? tokensOfChars(outputChars)
    : Math.min(forecast.output(cut.target), Math.ceil(cut.ms / 1000 * TOKENS_PER_SECOND));
  const input = estimateInput(record);
  return input === 0 ? NOT_USED : toEstimate(input, output);
}

/** An answer that the vendor goes on writing: what the model usually writes, or what was received. */
function toUnfinished(record: RequestRecord, target: Target): Used {
  const usual = record.forecast?.output(target) ?? 0;
  const received = record.firstTokenAt === undefined ? 0 : tokensOfChars(record.outputChars);
  return toEstimate(estimateInput(record), Math.max(usual, received));
}

function toEstimate(input: number, output: number): Used {
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  };
  return { usage, source: "estimated" };
}

const NOT_USED: Used = { usage: undefined, source: "none" };

/** The counts so far of a stream that was cut, with at least the output that was received. */
function toPartial(usage: Usage, record: RequestRecord): Usage {
  const input = usage.prompt_tokens || estimateInput(record);
  const output = Math.max(usage.completion_tokens, tokensOfChars(record.outputChars));
  return {
    ...usage,
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  };
}

function estimateInput({ bodyBytes, forecast }: RequestRecord): number {
  return forecast === undefined ? tokensOfChars(bodyBytes) : forecast.input();
}

/** What the cost of a request depends on. */
export function toBilled({ reached, serviceTier: tier }: RequestRecord, usage: Usage): Billed {
  return { usage, prices: reached?.facts.prices, tier };
}

/** The cost of a request in millionths of a US dollar; undefined if the prices are unknown. */
export function microUsdUsedBy(record: RequestRecord): number | undefined {
  const { usage, settled } = record.used;
  if (usage === undefined) return 0;
  const cost = microUsdOf(toBilled(record, settled?.usage ?? usage));
  return cost === undefined ? undefined : cost - (settled?.chargedMicroUsd ?? 0);
}

/** What a request counts for its limits. */
function amountOf(record: RequestRecord): Amount {
  const { usage } = record.used;
  if (usage === undefined) return NOTHING_USED;
  return {
    tokens: usage.prompt_tokens + usage.completion_tokens,
    microUsd: microUsdUsedBy(record) ?? 0,
  };
}
