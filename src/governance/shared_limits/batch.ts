/** The call to the batch script, and its result for each request. */

import { unitsOf } from "../admission.ts";
import { NANO_USD, toNanoUsd } from "../cost.ts";
import { keysOf, LEASE_US, lifetimeOf, type ScriptCall } from "./commands.ts";
import type { StoreReply } from "./scripts.ts";
import type { Clock } from "../../core/clock.ts";
import type { Amount, AppliedLimits, BudgetCounter } from "../counters.ts";

/** A budget's last known spending. */
export interface KnownSpending {
  /** Nano-dollars. */
  readonly known: number;
  /** The store's time for the value, in microseconds; 0 for a value from the ledger. */
  readonly at: number;
}

/** A request to be admitted. */
export interface AdmissionRequest {
  readonly id: string;
  readonly limits: AppliedLimits;
  readonly reserved: Amount;
}

/** A request's settlement. */
export interface Settlement {
  readonly id: string;
  readonly limits: AppliedLimits;
  /** Whether the store is known to have admitted the request. */
  readonly hasRun: boolean;
  /** The change to each bucket, in microseconds. */
  readonly changes: readonly number[];
  /** Whether the changes charge a request that the store did not admit. */
  readonly isCharge: boolean;
  /** Micro-dollars. */
  readonly used: number;
  readonly reserved: number;
}

/** The store's decision about a request. */
export interface AdmissionResult {
  /**
   * The number of the limit that rejects the request: concurrency limits, then buckets, then the
   * budget; 0 if admitted.
   */
  readonly refused: number;
  /** Microseconds until the limit would admit the request, if it is a bucket. */
  readonly wait: number;
}

const ADMITTED: AdmissionResult = { refused: 0, wait: 0 };

/**
 * The state of some limits: the time until each bucket is full, the budget's spent amount, and the
 * number of requests with a reservation.
 */
export interface LimitsState {
  readonly limits: AppliedLimits;
  readonly state: readonly number[];
}

/** The reply to a batch. */
interface BatchReply {
  /** The store's time, in microseconds. */
  readonly now: number;
  readonly states: readonly LimitsState[];
  /** In request order. */
  readonly results: readonly AdmissionResult[];
}

/** The requests with the same limits, in the form that the script reads. */
interface Group {
  readonly limits: readonly number[];
  readonly bursts: readonly number[];
  readonly budget?: KnownSpending & { readonly max: number; readonly lifetime: number };
  readonly settle: (string | number)[];
  readonly admit: (string | number)[];
}

/** A group, and the positions of its requests in the batch. */
interface Members {
  readonly group: Group;
  readonly requests: number[];
}

/** One owner's settlements and requests, which are sent to the store in one call. */
export class Batch {
  readonly #groups = new Map<AppliedLimits, Members>();
  readonly #wallTime: number;
  readonly #lastKnown: (budget: BudgetCounter) => KnownSpending;

  /**
   * @param wallTime the store's time, in milliseconds since the Unix epoch
   * @param lastKnown a budget's last known state, for a store that has lost it
   * @param read limits whose state is read even without requests
   */
  constructor(
    settlements: readonly Settlement[],
    requests: readonly AdmissionRequest[],
    wallTime: number,
    lastKnown: (budget: BudgetCounter) => KnownSpending = () => ({ known: 0, at: 0 }),
    read: readonly AppliedLimits[] = [],
  ) {
    this.#lastKnown = lastKnown;
    this.#wallTime = wallTime;
    for (const settlement of settlements) this.#settle(settlement);
    for (const [position, request] of requests.entries()) {
      this.#admit(request, position);
    }
    for (const limits of read) this.#groupOf(limits);
  }

  /** @param lease microseconds */
  toCall(lease = LEASE_US): ScriptCall {
    const keys = [...this.#groups.keys()].flatMap(keysOf);
    const groups = [...this.#groups.values()].map(({ group }) => group);
    return { keys, args: [JSON.stringify(groups), lease] };
  }

  read(reply: StoreReply): BatchReply {
    const states = [...this.#groups.keys()].map((limits, index) => ({
      limits,
      state: reply[1 + index] ?? [],
    }));
    // The script numbers admissions in group order.
    const positions = [...this.#groups.values()].flatMap(({ requests }) => requests);
    const results = positions.map(() => ADMITTED);
    const numbers = reply[1 + states.length] ?? [];
    for (let at = 0; at < numbers.length; at += 3) {
      const [number = 0, refused = 0, wait = 0] = numbers.slice(at, at + 3);
      const position = positions[number];
      if (position !== undefined) results[position] = { refused, wait };
    }
    return { now: reply[0]?.[0] ?? 0, states, results };
  }

  #settle({ id, limits, hasRun, changes, used, reserved }: Settlement): void {
    const { settle } = this.#groupOf(limits).group;
    settle.push(id, hasRun ? 1 : 0, ...changes);
    if (limits.budget !== undefined) settle.push(toNanoUsd(used), toNanoUsd(reserved));
  }

  #admit({ id, limits, reserved }: AdmissionRequest, position: number): void {
    const { group: { admit }, requests } = this.#groupOf(limits);
    requests.push(position);
    admit.push(id);
    for (const bucket of limits.buckets) {
      admit.push(Math.ceil(unitsOf(bucket, reserved) * bucket.rate.perUnit));
    }
    if (limits.budget !== undefined) admit.push(toNanoUsd(reserved.microUsd));
  }

  #groupOf(limits: AppliedLimits): Members {
    const found = this.#groups.get(limits);
    if (found !== undefined) return found;
    const { concurrency, buckets, budget } = limits;
    const group: Group = {
      limits: concurrency.map(({ limit }) => limit),
      bursts: buckets.map(({ rate }) => rate.burst),
      ...(budget !== undefined && {
        budget: {
          ...this.#lastKnown(budget),
          max: Math.round(budget.usd * NANO_USD),
          lifetime: lifetimeOf(budget, this.#wallTime),
        },
      }),
      settle: [],
      admit: [],
    };
    const members = { group, requests: [] };
    this.#groups.set(limits, members);
    return members;
  }
}

/** Receives the late result of an admission, or undefined if none will arrive. */
type OnLate = (result: AdmissionResult | undefined) => void;

interface Waiting {
  readonly request: AdmissionRequest;
  readonly resolve: (result: AdmissionResult | undefined) => void;
  readonly onLate: OnLate;
}

/**
 * Sends requests. Resolves to the results that arrived in time; never rejects.
 *
 * @param onLate called once for each request that was sent without a reply in time
 */
type Run = (
  requests: readonly AdmissionRequest[],
  onLate: (request: AdmissionRequest, result: AdmissionResult | undefined) => void,
) => Promise<ReadonlyMap<AdmissionRequest, AdmissionResult>>;

/** The maximum number of admissions per call, since a call blocks the server. */
const MAX_BATCH = 50;
/** How long an admission waits for the reply to an earlier call, in milliseconds. */
export const MAX_COLLECT_MS = 2;

export class AdmissionBatch {
  readonly #clock: Clock;
  readonly #run: Run;
  #waiting: Waiting[] = [];
  /** The number of calls without a reply. */
  #calls = 0;
  #isScheduled = false;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, run: Run) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Requests an admission. Resolves to undefined if the store did not reply in time. */
  add(request: AdmissionRequest, onLate: OnLate): Promise<AdmissionResult | undefined> {
    const { promise, resolve } = Promise.withResolvers<AdmissionResult | undefined>();
    this.#waiting.push({ request, resolve, onLate });
    if (this.#calls === 0) this.#schedule();
    else this.#cancelTimer ??= this.#clock.after(MAX_COLLECT_MS, () => this.#flush());
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += MAX_BATCH) {
      void this.#send(waiting.slice(at, at + MAX_BATCH));
    }
  }

  async #send(some: readonly Waiting[]): Promise<void> {
    this.#calls++;
    const waiting = new Map(some.map((one) => [one.request, one]));
    const results = await this.#run([...waiting.keys()], (request, result) => {
      waiting.get(request)?.onLate(result);
    });
    this.#calls--;
    for (const [request, { resolve }] of waiting) resolve(results.get(request));
    if (this.#waiting.length > 0) this.#schedule();
  }
}
