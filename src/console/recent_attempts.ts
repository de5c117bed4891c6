/** The last day's attempts by target, from the ledger, with failure counts and errors. */

import { attemptsOf, isTargetFailure } from "../governance/ledger/attempts.ts";
import type { LedgerRow } from "../governance/ledger/row.ts";
import type { ReadableUsage, UsageSummary } from "../governance/ledger/usage_store.ts";

const HOUR_MS = 3_600_000;
/** The number of hours in the history, including the current one. */
const HISTORY_HOURS = 24;
/** The number of failed requests to search for each target's last failure. */
const SEARCHED_REQUESTS = 100;

/** A target's last failure. */
export interface LastFailure {
  /** The request's ID, and when it ended, in milliseconds since the Unix epoch. */
  readonly id: string;
  readonly time: number;
  readonly error: string;
  readonly status: number;
  /** Host, port and cause, if the vendor could not be reached. */
  readonly cause: string | undefined;
}

/** The attempts at a provider's model. */
export interface TargetAttempts {
  readonly provider: string;
  readonly upstream: string;
  readonly sums: UsageSummary;
}

/** The attempts at a provider in one hour. */
export interface AttemptHour {
  readonly attempts: number;
  readonly failures: number;
  readonly p50Ms: number;
}

/** The attempts from a key, or from all keys. */
export interface RecentAttempts {
  /** The start of `targets`, at the previous full hour, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** The start of `hours`. */
  readonly historySince: number;
  /** Undefined if the store fails. */
  readonly targets: readonly TargetAttempts[] | undefined;
  /** Each provider's hours, oldest first; undefined for a provider without attempts. */
  readonly hours: ReadonlyMap<string, readonly (AttemptHour | undefined)[]>;
  /** By provider and model, as joined by {@linkcode targetName}. */
  readonly failures: ReadonlyMap<string, LastFailure>;
}

/** A target's name in {@linkcode RecentAttempts.failures}. */
export function targetName(provider: string, upstream: string): string {
  return JSON.stringify([provider, upstream]);
}

export class AttemptReader {
  readonly #usage: ReadableUsage;
  /** The failures found so far, by key name. */
  readonly #failures = new Map<string | undefined, Map<string, LastFailure>>();

  constructor(usage: ReadableUsage) {
    this.#usage = usage;
  }

  /** Clears the failures when no client reads the state. */
  forget(): void {
    this.#failures.clear();
  }

  /**
   * Reads the attempts. Returns none while the store fails, which is logged.
   *
   * @param key the service key's name; undefined for all keys
   */
  async read(key: string | undefined, now: number): Promise<RecentAttempts> {
    const since = now - now % HOUR_MS - HOUR_MS;
    const historySince = since - (HISTORY_HOURS - 2) * HOUR_MS;
    const query = { to: now + 1, of: "attempts", key } as const;
    try {
      const [targets, hours, { rows }] = await Promise.all([
        this.#usage.summarize({ ...query, from: since, groupBy: ["provider", "model"] }),
        this.#usage.summarize({ ...query, from: historySince, groupBy: ["provider", "hour"] }),
        this.#usage.list({ limit: SEARCHED_REQUESTS, hasAttempts: true, key }),
      ]);
      return {
        since,
        historySince,
        targets: targets.map((sums) => {
          const [provider, upstream] = sums.group;
          return { provider: provider ?? "", upstream: upstream ?? "", sums };
        }),
        hours: toHours(hours, historySince),
        failures: this.#keep(key, rows),
      };
    } catch {
      const none = { targets: undefined, hours: new Map(), failures: new Map() };
      return { since, historySince, ...none };
    }
  }

  /** Adds some requests' failures, newest first, to the known ones. */
  #keep(key: string | undefined, rows: readonly LedgerRow[]): ReadonlyMap<string, LastFailure> {
    let failures = this.#failures.get(key);
    if (failures === undefined) this.#failures.set(key, failures = new Map());
    for (const row of rows.toReversed()) {
      for (const attempt of attemptsOf(row)) {
        if (!isTargetFailure(attempt)) continue;
        const { cause, error, provider, status, upstream } = attempt;
        const failure = {
          id: row.id,
          time: row.time,
          error: error ?? String(status),
          status,
          cause,
        };
        failures.set(targetName(provider, upstream), failure);
      }
    }
    return failures;
  }
}

function toHours(
  summaries: readonly UsageSummary[],
  since: number,
): ReadonlyMap<string, readonly (AttemptHour | undefined)[]> {
  const hours = new Map<string, (AttemptHour | undefined)[]>();
  for (const { group: [provider, hour], requests, errors, p50Ms } of summaries) {
    const index = (Date.parse(hour ?? "") - since) / HOUR_MS;
    if (!(index >= 0 && index < HISTORY_HOURS)) continue;
    const name = provider ?? "";
    let own = hours.get(name);
    if (own === undefined) hours.set(name, own = Array(HISTORY_HOURS).fill(undefined));
    own[index] = { attempts: requests, failures: errors, p50Ms };
  }
  return hours;
}
