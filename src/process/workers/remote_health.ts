/** The health of targets, which the main thread keeps, as another worker uses it. */

import type {
  HealthAccess,
  HealthHistory,
  HealthReport,
} from "../../console/health/health_board.ts";
import { type TargetAttempt, targetAttemptsOf } from "../../console/health/target_attempts.ts";
import type { Clock } from "../../core/clock.ts";
import type { LedgerRow } from "../../governance/ledger/row.ts";
import type { AttemptRecord } from "../../gateway/attempt_state.ts";

/** Milliseconds that an attempt waits for others, and how many are sent at once. */
const MAX_WAIT_MS = 500;
const MAX_ATTEMPTS = 500;

export interface RemoteHealthOptions {
  readonly clock: Pick<Clock, "after">;
  /** Sends attempts to the main thread. */
  readonly send: (attempts: readonly TargetAttempt[]) => void;
  readonly keepsTexts: () => boolean;
  readonly report: () => Promise<HealthReport>;
  readonly history: () => Promise<HealthHistory>;
}

export class RemoteHealth implements HealthAccess {
  readonly #options: RemoteHealthOptions;
  readonly report: () => Promise<HealthReport>;
  readonly history: () => Promise<HealthHistory>;
  #waiting: TargetAttempt[] = [];
  #cancel: (() => void) | undefined;

  constructor(options: RemoteHealthOptions) {
    this.#options = options;
    this.report = options.report;
    this.history = options.history;
  }

  add(row: LedgerRow, records: readonly AttemptRecord[]): void {
    const { clock, keepsTexts } = this.#options;
    this.#waiting.push(...targetAttemptsOf(row, keepsTexts() ? records : []));
    if (this.#waiting.length >= MAX_ATTEMPTS) this.flush();
    else if (this.#waiting.length > 0) {
      this.#cancel ??= clock.after(MAX_WAIT_MS, () => this.flush());
    }
  }

  /** Sends what waits. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#waiting.length === 0) return;
    this.#options.send(this.#waiting);
    this.#waiting = [];
  }
}
