/**
 * Limits and budgets that several replicas share in a Valkey or Redis server. The server's state is
 * copied into the process's counters. While the server is unavailable, each replica enforces its
 * share with these counters. When the server is available again, the usage accumulated in the
 * meantime is sent to it.
 */

import type { FailurePolicy } from "../../config/shared_store.ts";
import type { Clock } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import { type Admission, LocalAdmission, unitsOf } from "../admission.ts";
import { refusalOf } from "../refusals.ts";
import type { AppliedLimits, Counters, Reservation } from "../counters.ts";
import {
  AdmissionBatch,
  type AdmissionRequest,
  type AdmissionResult,
  type Settlement,
} from "./batch.ts";
import { toExtensions, toRenewal } from "./commands.ts";
import type { StoreFailure } from "../../memory/shared_store/connection.ts";
import type { SharedStore, StoreLink } from "../../memory/shared_store/shared_store.ts";
import { LateAdmission, StoreAdmission, type StoreAdmissionOptions } from "./store_admission.ts";
import { type RunScript, type ScriptName, SCRIPTS, type StoreReply } from "./scripts.ts";
import { type OnLate, StoreCalls } from "./store_calls.ts";
import { StoreCopy } from "./store_copy.ts";

export interface PendingOptions {
  readonly clock: Clock;
  /** Sends settlements. Resolves to those that the store has not confirmed; never rejects. */
  readonly send: (settlements: readonly Settlement[]) => Promise<readonly Settlement[]>;
  /** Called when settlements are dropped because the queue is full. */
  readonly onDrop: (count: number) => void;
}

/** Store metrics. */
export interface SharedLimitsMetrics {
  storeFailed(failure: StoreFailure): void;
  storeReplied(ms: number): void;
  storeIsUp(isUp: boolean): void;
  settlementsDropped(count: number): void;
}

export interface SharedLimitsOptions {
  readonly store: SharedStore;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  /** The ID of this process, the same in all of its workers. */
  readonly replica: string;
  readonly policy: () => FailurePolicy;
  readonly metrics: SharedLimitsMetrics;
}

/**
 * The interval for renewing the leases of open requests, and for rereading budgets with
 * reservations, in milliseconds.
 */
const RENEW_MS = 1000;
/** The number of renewals between two counts of the replicas. */
const RENEWALS_A_COUNT = 5;
/** Runs a script; the reply is undefined if there is none in time. */
type AskScript = (...call: Parameters<RunScript>) => Promise<StoreReply | undefined>;

const POLICY_TEXTS: Readonly<Record<FailurePolicy, string>> = {
  allow: "requests are not limited",
  local: "each replica enforces its share of the limits",
  deny: "requests with limits are rejected",
};

export class SharedLimits {
  readonly #options: SharedLimitsOptions;
  readonly #link: StoreLink<ScriptName, StoreReply>;
  readonly #pending: PendingSettlements;
  readonly #batch: AdmissionBatch;
  /** Open requests that hold slots or reservations, by ID. */
  readonly #open = new Map<string, AppliedLimits>();
  readonly #copy: StoreCopy;
  readonly #calls: StoreCalls;
  #replicas = 1;
  #cancelRenewal = () => {};

  constructor(options: SharedLimitsOptions) {
    this.#options = options;
    const { clock, counters, metrics, policy, store } = options;
    metrics.storeIsUp(false);
    this.#copy = new StoreCopy(counters, clock);
    this.#link = store.join({
      name: "limits",
      scripts: SCRIPTS,
      effect: () => POLICY_TEXTS[policy()],
      onOpen: (run) => this.#restore(run),
      onUp: () => {
        metrics.storeIsUp(true);
        void this.#pending.flush();
      },
      onDown: () => metrics.storeIsUp(false),
      onFailure: (failure) => metrics.storeFailed(failure),
      onReply: (ms) => metrics.storeReplied(ms),
    });
    this.#calls = new StoreCalls(this.#link, this.#copy);
    this.#batch = new AdmissionBatch(clock, (some, onLate) => this.#admitAll(some, onLate));
    this.#pending = new PendingSettlements({
      clock,
      send: async (settlements) => (await this.#calls.run(settlements)).unconfirmed,
      onDrop: (count) => metrics.settlementsDropped(count),
    });
    this.#renewLater();
  }

  /** Whether the store is available, no request has a reservation and no settlement is pending. */
  get isEmpty(): boolean {
    return this.#open.size === 0 && this.#pending.isEmpty && !this.#options.store.isLost;
  }

  /** The store's clock time, in milliseconds since the Unix epoch. */
  wallTime(): number {
    return this.#copy.wallTime();
  }

  /**
   * Admits a request.
   *
   * @throws {GatewayError} `limit_exceeded`, `budget_exceeded` or `limits_unavailable`.
   */
  async admit(limits: AppliedLimits, reserved: Reservation): Promise<Admission> {
    const id = this.#options.newId("");
    const late = new LateAdmission();
    const result = await this.#batch.add({ id, limits, reserved }, (answer) => late.known(answer));
    if (result === undefined) return this.#admitWithout(id, limits, reserved, late);
    const { refused, wait } = result;
    if (refused > 0) {
      const { counters, clock } = this.#options;
      const now = Math.floor(clock.now() * 1000);
      const wallTime = this.wallTime();
      throw refusalOf(limits, refused - 1, { reserved, wait, counters, now, wallTime });
    }
    return this.#admitted(id, limits, reserved, { hasRun: () => true });
  }

  /** Sends the queued settlements, and disconnects. */
  async close(): Promise<void> {
    this.#cancelRenewal();
    await this.#pending.flush();
    await this.#link.close();
  }

  #admitted(
    id: string,
    limits: AppliedLimits,
    reserved: Reservation,
    how: Pick<StoreAdmissionOptions, "hasRun"> & Partial<StoreAdmissionOptions>,
  ): Admission {
    const { counters, clock } = this.#options;
    if (limits.concurrency.length > 0 || limits.budget) this.#open.set(id, limits);
    return new StoreAdmission({
      ...{ id, limits, reserved, counters, clock, local: undefined },
      ...{ isLimited: true, isCharged: false },
      ...how,
      replicas: () => this.#link.generation === undefined ? this.#replicas : undefined,
      settle: (settlement) => {
        this.#open.delete(id);
        this.#pending.add(settlement);
      },
    });
  }

  /** Handles a request to which the store did not reply in time. */
  #admitWithout(
    id: string,
    limits: AppliedLimits,
    reserved: Reservation,
    late: LateAdmission,
  ): Admission {
    const { counters, clock, policy } = this.#options;
    const hasRun = () => late.isAdmitted;
    switch (policy()) {
      case "allow":
        return this.#admitted(id, limits, reserved, { hasRun, isLimited: false });
      case "local":
        try {
          const local = new LocalAdmission(counters, clock, limits, reserved, this.#shares());
          // Replies that other workers get from the store replace this process's counts.
          const isCharged = this.#options.store.workersWithout < counters.workers;
          return this.#admitted(id, limits, reserved, { local, hasRun, isCharged });
        } catch (thrown) {
          late.whenKnown((isAdmitted) => this.#cancel(id, limits, reserved, isAdmitted));
          throw thrown;
        }
      case "deny":
        late.whenKnown((isAdmitted) => this.#cancel(id, limits, reserved, isAdmitted));
        throw new GatewayError(
          "limits_unavailable",
          "The limits of the key cannot be checked now",
          {
            headers: { "retry-after": "1" },
          },
        );
    }
  }

  /**
   * The number of shares of the limits: replicas, or all workers while some workers still have the
   * store.
   */
  #shares(): number {
    const { counters, store } = this.#options;
    const lost = Math.max(1, store.workersWithout);
    return this.#replicas * Math.max(1, counters.workers / lost);
  }

  /** Reverts an admission that the store has run, or may have run, without replying. */
  #cancel(id: string, limits: AppliedLimits, reserved: Reservation, hasRun: boolean): void {
    const changes = limits.buckets.map((bucket) =>
      hasRun ? -Math.ceil(unitsOf(bucket, reserved) * bucket.rate.perUnit) : 0
    );
    this.#pending.add({
      ...{ id, limits, hasRun, changes, isCharge: false },
      ...{ used: 0, reserved: reserved.microUsd },
    });
  }

  /** Sends the queued settlements, then requests. */
  async #admitAll(
    requests: readonly AdmissionRequest[],
    onLate: OnLate,
  ): Promise<ReadonlyMap<AdmissionRequest, AdmissionResult>> {
    const { results, unconfirmed } = await this.#calls.run(
      this.#pending.take(),
      requests,
      onLate,
    );
    this.#pending.failed(unconfirmed);
    return results;
  }

  async #restore(run: RunScript): Promise<void> {
    await Promise.all([this.#extend(run), this.#count(run)]);
    await this.#copy.restore(run);
  }

  /** Renews the leases of this process's requests. */
  async #extend(run: AskScript): Promise<void> {
    const calls = toExtensions(this.#open);
    await Promise.all(calls.map(({ keys, args }) => run("extend", keys, args)));
  }

  /** Renews this process's lease, and counts the replicas. */
  async #count(run: AskScript): Promise<void> {
    const { keys, args } = toRenewal(this.#options.replica);
    const reply = await run("renew", keys, args);
    if (reply === undefined) return;
    const [now = 0, replicas = 1] = reply[0] ?? [];
    this.#copy.setTime(now);
    this.#replicas = Math.max(1, replicas);
  }

  #renewLater(renewals = 1): void {
    this.#cancelRenewal = this.#options.clock.after(RENEW_MS, () => {
      const ask: AskScript = (script, keys, args) => this.#link.ask(script, keys, args);
      void this.#extend(ask);
      void this.#calls.read(this.#copy.reserved());
      const isCount = renewals % RENEWALS_A_COUNT === 0;
      if (isCount) {
        this.#copy.prune();
        void this.#count(ask);
        // Requests that were sent to a store that was briefly slow.
        void this.#pending.flush();
      }
      this.#renewLater(isCount ? 1 : renewals + 1);
    });
  }
}

/** Milliseconds for which a settlement is delayed, to be sent with an admission. */
const MAX_DELAY_MS = 1;

/** The maximum number of queued settlements for an unavailable store. */
const MAX_WAITING = 10_000;

/** The maximum number of settlements per call. */
const MAX_BATCH = 50;

class PendingSettlements {
  readonly #options: PendingOptions;
  /** The settlements to send next. */
  #next: Settlement[] = [];
  #cancelTimer: (() => void) | undefined;
  readonly #sending = new Set<Promise<void>>();
  /** The settlements that the store has not confirmed. */
  readonly #waiting: Settlement[] = [];

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  /** Whether the store has confirmed everything. */
  get isEmpty(): boolean {
    return this.#next.length + this.#waiting.length + this.#sending.size === 0;
  }

  /** Sends a settlement with the next admission, or shortly if there is none. */
  add(settlement: Settlement): void {
    this.#next.push(settlement);
    this.#cancelTimer ??= this.#options.clock.after(MAX_DELAY_MS, () => this.#sendNext());
  }

  /** Removes settlements from the queue, to send them with an admission. */
  take(): readonly Settlement[] {
    const taken = this.#next.splice(0, MAX_BATCH);
    if (this.#next.length === 0) this.#stopTimer();
    return taken;
  }

  /**
   * Called for settlements that the store has not confirmed: they are queued until it is available
   * again.
   */
  failed(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) {
      const { isCharge, limits: { concurrency, budget } } = settlement;
      if (concurrency.length === 0 && budget === undefined && !isCharge) continue;
      if (this.#waiting.length === MAX_WAITING) {
        this.#options.onDrop(1);
        continue;
      }
      // By the time the store is back, a bucket has been refilled. A budget's marker makes the
      // store ignore repeated settlements; buckets have no marker.
      const changes = isCharge ? settlement.changes : settlement.changes.map(() => 0);
      this.#waiting.push({ ...settlement, changes });
    }
  }

  /** Sends everything. Resolves when the store has confirmed it, or fails again. */
  async flush(): Promise<void> {
    this.#sendNext();
    await Promise.all(this.#sending);
    // Failed settlements are added again, at the end.
    for (let left = this.#waiting.length; left > 0; left -= MAX_BATCH) {
      await this.#send(this.#waiting.splice(0, Math.min(left, MAX_BATCH)));
    }
  }

  #sendNext(): void {
    this.#stopTimer();
    while (this.#next.length > 0) void this.#send(this.take());
  }

  #send(settlements: readonly Settlement[]): Promise<void> {
    const sending = this.#options.send(settlements).then((unconfirmed) => {
      this.failed(unconfirmed);
      this.#sending.delete(sending);
    });
    this.#sending.add(sending);
    return sending;
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
