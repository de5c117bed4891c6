/** The remaining targets of a request, which determines the one to try next. */

import type { FallbackTarget, Target } from "../../config/config.ts";
import type { RouteTrace } from "./route_trace.ts";
import { ERROR_KINDS, type GatewayError } from "../../core/errors.ts";

/** How the attempts at one target see the other targets. */
export interface RemainingTargets {
  readonly queue: TargetQueue;
}

/**
 * Returns the targets of a chain in order. A target that is not available when its turn comes is
 * postponed: it is tried after all others, before the request fails.
 */
export class TargetQueue {
  readonly #chain: readonly FallbackTarget[];
  readonly #isAvailable: (target: Target) => boolean;
  readonly #postponed: FallbackTarget[] = [];
  readonly #notes: RouteTrace | undefined;
  /** Targets tried out of order. */
  #taken: FallbackTarget | undefined;
  #index: number;

  /**
   * @param notes receives the postponed targets
   * @param begun the number of targets at the beginning of the chain that have been tried
   */
  constructor(
    chain: readonly FallbackTarget[],
    isAvailable: (target: Target) => boolean,
    notes?: RouteTrace,
    begun = 0,
  ) {
    this.#index = begun;
    this.#chain = chain;
    this.#isAvailable = isAvailable;
    this.#notes = notes;
  }

  /**
   * Takes the next target.
   *
   * @param failure the failure of the previous target; undefined if none has failed yet
   */
  next(failure: GatewayError | undefined): FallbackTarget | undefined {
    while (this.#index < this.#chain.length) {
      const entry = this.#chain[this.#index++];
      if (entry === undefined) break;
      if (entry === this.#taken) continue;
      if (!this.#follows(entry, failure)) {
        // It may be a fallback for the postponed targets.
        if (this.#postponed.length > 0) this.#postponed.push(entry);
      } else if (this.#isAvailable(entry.target)) return entry;
      else {
        this.#postponed.push(entry);
        this.#notes?.postpone("breaker");
      }
    }
    while (this.#index < this.#chain.length + this.#postponed.length) {
      const entry = this.#postponed[this.#index++ - this.#chain.length];
      if (entry !== undefined && (failure === undefined || leadsTo(failure, entry))) return entry;
    }
    return undefined;
  }

  /** Whether an untried, available target may follow a failure. */
  hasOther(failure: GatewayError): boolean {
    const isOther = (entry: FallbackTarget) =>
      entry !== this.#taken && leadsTo(failure, entry) && this.#isAvailable(entry.target);
    return this.#chain.slice(this.#index).some(isOther) ||
      this.#postponed.slice(Math.max(0, this.#index - this.#chain.length)).some(isOther);
  }

  /** Takes the next available target that meets a condition, out of order. Called once. */
  take(isWanted: (entry: FallbackTarget) => boolean): FallbackTarget | undefined {
    this.#taken = this.#chain.slice(this.#index).find((entry) =>
      this.#isAvailable(entry.target) && isWanted(entry)
    );
    return this.#taken;
  }

  /** Puts back the target that {@linkcode take} took. */
  putBack(): void {
    this.#taken = undefined;
  }

  /** Takes all remaining targets, in the order in which they would be tried if all failed. */
  drain(): readonly FallbackTarget[] {
    const entries: FallbackTarget[] = [];
    for (let next = this.next(undefined); next !== undefined; next = this.next(undefined)) {
      entries.push(next);
    }
    return entries;
  }

  #follows(entry: FallbackTarget, failure: GatewayError | undefined): boolean {
    if (failure !== undefined) return leadsTo(failure, entry);
    // A postponed target counts as unavailable for those that follow it.
    return this.#postponed.length === 0 || entry.onFailures.has("unavailable");
  }
}

function leadsTo(error: GatewayError, { onFailures }: FallbackTarget): boolean {
  const { failureClass } = ERROR_KINDS[error.kind];
  return failureClass !== null && onFailures.has(failureClass);
}
