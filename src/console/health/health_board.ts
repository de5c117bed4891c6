/** The health of all targets in this process, for the console. */

import type { Clock } from "../../core/clock.ts";
import type { LedgerRow } from "../../governance/ledger/row.ts";
import { toName } from "../../governance/ledger/summary.ts";
import { type TargetAttempt, targetAttemptsOf } from "./target_attempts.ts";
import { CELL_MS, TargetHealth, type TargetReport } from "./target_health.ts";
import { targetName } from "../recent_attempts.ts";
import type { AttemptRecord } from "../../gateway/attempt_state.ts";
import type { BreakerSwitch } from "../../gateway/state.ts";

/** The maximum number of targets. */
const MAX_TARGETS = 2000;
/** The maximum number of vendor messages, one for each target. */
const MAX_TEXTS = 100;
/** The maximum number of attempts that are queued while the ledger is read. */
const MAX_HELD = 50_000;
/**
 * The maximum number of changes shown next to the history, and the same number for breakers: more
 * marks would overlap on a strip of 900 pixels. They are counted separately, since a breaker can
 * open every minute and would displace configuration changes.
 */
const MAX_CHANGES = 200;

/** A change to the configuration, the stored keys, or a target's breaker. */
export interface Change {
  readonly time: number;
  readonly kind: "config" | "keys" | "breakers";
  readonly text: string;
}

/** A vendor's message about its last failure. */
export interface VendorText {
  readonly provider: string;
  readonly upstream: string;
  /** The ID of the request, and when the attempt failed. */
  readonly request: string;
  readonly time: number;
  readonly text: string;
}

/** The state of all targets, which can be sent between threads. */
export interface HealthReport {
  /** The beginning of the history, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Whether the attempts from before startup are still being read from the ledger. */
  readonly isReading: boolean;
  readonly targets: readonly TargetReport[];
  readonly texts: readonly VendorText[];
}

/** The cells in the last day that have attempts, by target. */
export interface HealthHistory {
  readonly cellMs: number;
  readonly changes: readonly Change[];
  readonly targets: readonly {
    readonly provider: string;
    readonly upstream: string;
    /** The start, attempts and failures of each cell, oldest first. */
    readonly cells: readonly (readonly [number, number, number])[];
  }[];
}

/** The health of all workers' targets, for use by one worker. */
export interface HealthAccess {
  /** Records a request that has ended. Does not block. */
  add(row: LedgerRow, records: readonly AttemptRecord[]): void;
  /** Records that a breaker was opened or closed. Does not block. */
  switched(change: BreakerSwitch): void;
  report(): Promise<HealthReport>;
  history(): Promise<HealthHistory>;
}

export interface HealthOptions {
  readonly clock: Clock;
  /** Whether vendor messages are stored. */
  readonly keepsTexts: () => boolean;
  /** The IDs of the enabled providers: others are not reported. Default: all are. */
  readonly providers?: () => Iterable<string>;
}

export class HealthBoard {
  readonly #options: HealthOptions;
  /** Targets by provider and upstream name; the one with the latest attempt is last. */
  readonly #targets = new Map<string, TargetHealth>();
  /** Messages for some of these targets; the latest is last. */
  readonly #texts = new Map<string, VendorText>();
  /** The target of the latest attempt. */
  #latest: TargetHealth | undefined;
  #changes: readonly Change[] = [];
  #breakers: readonly Change[] = [];
  #since: number;
  /** Attempts that ended while the ledger, which contains earlier ones, is being read. */
  #held: TargetAttempt[] | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#since = options.clock.wallTime();
  }

  /** Adds attempts that have ended. */
  add(attempts: readonly TargetAttempt[]): void {
    if (this.#held === undefined || this.#held.length >= MAX_HELD) this.#addNow(attempts);
    else this.#held.push(...attempts);
  }

  #addNow(attempts: readonly TargetAttempt[]): void {
    for (const attempt of attempts) {
      const { failure, provider, upstream } = attempt;
      const latest = this.#latest;
      if (failure === undefined && latest?.upstream === upstream && latest.provider === provider) {
        latest.add(attempt);
        continue;
      }
      const name = targetName(provider, upstream);
      const target = this.#targets.get(name) ?? new TargetHealth(attempt);
      this.#targets.delete(name);
      this.#targets.set(name, target);
      this.#latest = target;
      target.add(attempt);
      this.#keepText(name, attempt);
      if (this.#targets.size > MAX_TARGETS) this.#forget();
    }
  }

  /** Records a change of the configuration, which may turn messages off, or of keys. */
  changed(kind: "config" | "keys", text: string): void {
    if (!this.#options.keepsTexts()) this.#texts.clear();
    this.#changes = this.#withChange(this.#changes, kind, text);
  }

  /**
   * Records that a breaker was opened or closed. Several workers open their breakers during one
   * outage, and failed probes extend it, so only the first change in each direction is recorded.
   */
  switched({ provider, model, isOpen }: BreakerSwitch): void {
    const target = `${toName(provider)}/${toName(model)}`;
    const [opened, closed] = [`${target}: breaker opened`, `${target}: breaker closed`];
    const last = this.#breakers.findLast(({ text }) => text === opened || text === closed);
    if ((last?.text === opened) === isOpen) return;
    this.#breakers = this.#withChange(this.#breakers, "breakers", isOpen ? opened : closed);
  }

  #withChange(changes: readonly Change[], kind: Change["kind"], text: string): readonly Change[] {
    const time = this.#options.clock.wallTime();
    return [...changes, { time, kind, text }].slice(-MAX_CHANGES);
  }

  /** Adds the attempts from the ledger since a time, the oldest first, before the queued ones. */
  async addEarlier(
    since: number,
    read: (add: (row: LedgerRow) => void) => Promise<void>,
  ): Promise<void> {
    this.#held = [];
    try {
      await read((row) => this.#addNow(targetAttemptsOf(row)));
      this.#since = since;
    } finally {
      const held = this.#held;
      this.#held = undefined;
      this.#addNow(held);
    }
  }

  /** The board for a worker in this thread. */
  get access(): HealthAccess {
    return {
      add: (row, records) =>
        this.add(targetAttemptsOf(row, this.#options.keepsTexts() ? records : [])),
      switched: (change) => this.switched(change),
      report: () => Promise.resolve(this.report()),
      history: () => Promise.resolve(this.history()),
    };
  }

  /** The targets that were failing or degraded at their last attempt. */
  bad(): readonly TargetReport[] {
    const now = this.#options.clock.wallTime();
    return this.#reported().filter(({ isBad }) => isBad)
      .map((target) => target.report(now));
  }

  report(): HealthReport {
    const now = this.#options.clock.wallTime();
    return {
      since: this.#since,
      isReading: this.#held !== undefined,
      targets: this.#reported().map((target) => target.report(now)),
      texts: this.#options.keepsTexts() ? [...this.#texts.values()] : [],
    };
  }

  history(): HealthHistory {
    const now = this.#options.clock.wallTime();
    return {
      cellMs: CELL_MS,
      changes: [...this.#changes, ...this.#breakers].sort((one, other) => one.time - other.time),
      targets: this.#reported().map((target) => ({
        provider: target.provider,
        upstream: target.upstream,
        cells: target.cells(now),
      })),
    };
  }

  /** The targets of enabled providers; other targets' failures would never end. */
  #reported(): readonly TargetHealth[] {
    const targets = [...this.#targets.values()];
    const ids = this.#options.providers?.();
    if (ids === undefined) return targets;
    const names = new Set(Array.from(ids, toName));
    return targets.filter(({ provider }) => names.has(provider));
  }

  #keepText(name: string, { failure, provider, request, time, upstream }: TargetAttempt): void {
    const text = failure?.text;
    if (text === undefined || text === "" || !this.#options.keepsTexts()) return;
    this.#texts.delete(name);
    this.#texts.set(name, { provider, upstream, request, time, text });
    const [oldest = ""] = this.#texts.keys();
    if (this.#texts.size > MAX_TEXTS) this.#texts.delete(oldest);
  }

  /** Removes the target whose last attempt is the oldest, preferably one that is not failing. */
  #forget(): void {
    const entries = [...this.#targets];
    const [name = ""] = entries.find(([, target]) => !target.isBad) ?? entries[0] ?? [];
    if (this.#targets.get(name) === this.#latest) this.#latest = undefined;
    this.#targets.delete(name);
    this.#texts.delete(name);
  }
}
