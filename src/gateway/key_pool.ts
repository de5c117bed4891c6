/** The keys of one provider, and which of them are suspended after a failure. */

import type { ErrorKind, SuspensionScope } from "../core/errors.ts";

/**
 * Milliseconds for which a key is suspended after its credentials were rejected or its quota was
 * exhausted.
 */
const REFUSED_MS = 300_000;
/** Milliseconds for which a rate-limited key is suspended if the vendor does not specify a time. */
const RATE_LIMITED_MS = 10_000;
/** The maximum suspension that a vendor can request, in milliseconds. */
const MAX_RATE_LIMITED_MS = 3_600_000;

/** When a suspension ends, and its reason. */
export interface KeySuspension {
  readonly until: number;
  readonly kind: ErrorKind;
  /** Whether another worker or replica has reported it. */
  readonly isRemote: boolean;
}

/** A key that is suspended, for one model or for all models. */
export interface SuspensionChange {
  readonly key: string;
  /** The upstream name of the model; undefined for every model. */
  readonly model: string | undefined;
  readonly kind: ErrorKind;
  readonly until: number;
}

/** A suspension as shown to admins. */
export interface SuspensionReport {
  /** The upstream name of the model; absent when the key is suspended for every model. */
  readonly model?: string;
  readonly reason: ErrorKind;
  readonly ends_in_ms: number;
  /** Suspended by another worker or replica. */
  readonly source?: "remote";
}

/** A failure that suspends a key. */
export interface KeyFailure {
  readonly kind: ErrorKind;
  readonly scope: SuspensionScope;
  /** The wait that the vendor requests, in milliseconds. */
  readonly wait: number | undefined;
}

/** The suspensions of one key. */
interface SuspendedKey {
  /** The suspension for all models. */
  whole: KeySuspension | undefined;
  /** Keyed by the upstream name of the model. */
  readonly models: Map<string, KeySuspension>;
}

/** The suspended keys of one provider. Times are milliseconds since the epoch. */
export class KeyPool {
  readonly #suspended = new Map<string, SuspendedKey>();
  readonly #onSuspend: (change: SuspensionChange) => void;
  /** Called when the provider's credentials were rejected, whether or not a key is suspended. */
  readonly onRefused: () => void;

  /** @param onSuspend called when a failure suspends a key */
  constructor(
    onSuspend: (change: SuspensionChange) => void = () => {},
    onRefused: () => void = () => {},
  ) {
    this.#onSuspend = onSuspend;
    this.onRefused = onRefused;
  }

  /** The first key that is not suspended for a model. */
  pick(keys: readonly string[], model: string, now: number): string | undefined {
    return keys.find((key) => this.#suspensionOf(key, model, now) === undefined);
  }

  /** The key whose suspension ends first, for when every key is suspended. */
  pickSoonest(keys: readonly string[], model: string, now: number): string | undefined {
    let soonest: string | undefined;
    let least = Infinity;
    for (const key of keys) {
      const until = this.#suspensionOf(key, model, now)?.until ?? now;
      if (until < least) [soonest, least] = [key, until];
    }
    return soonest;
  }

  /**
   * Suspends a key after a failure, but never the last usable key of the model: without a key no
   * request could be served, whereas with a bad key the vendor reports the error.
   *
   * @param keys every key of the provider
   */
  suspend(
    key: string,
    keys: readonly string[],
    model: string,
    { kind, scope, wait }: KeyFailure,
    now: number,
  ): void {
    const isLast = keys.every((other) =>
      other === key || this.#suspensionOf(other, model, now) !== undefined
    );
    if (isLast) return;
    const length = kind === "rate_limited"
      ? Math.min(wait ?? RATE_LIMITED_MS, MAX_RATE_LIMITED_MS)
      : REFUSED_MS;
    const change = {
      key,
      model: scope === "key" ? undefined : model,
      kind,
      until: now + length,
    };
    this.#set(change, false);
    this.#onSuspend(change);
  }

  /**
   * Applies a suspension reported by another worker or replica, unless the key is the last usable
   * one of a model or is already suspended for longer.
   *
   * @param keys every key of the provider
   * @returns whether it was applied
   */
  suspendedElsewhere(change: SuspensionChange, keys: readonly string[], now: number): boolean {
    const { key, model, kind } = change;
    const longest = kind === "rate_limited" ? MAX_RATE_LIMITED_MS : REFUSED_MS;
    const until = Math.min(change.until, now + longest);
    const entry = this.#suspended.get(key);
    const known = model === undefined ? entry?.whole : entry?.models.get(model);
    if (until <= Math.max(now, known?.until ?? 0)) return false;
    const models = model === undefined ? this.#models() : [model];
    const isLast = models.some((one) =>
      keys.every((other) => other === key || this.#suspensionOf(other, one, now) !== undefined)
    );
    if (isLast) return false;
    this.#set({ ...change, until }, true);
    return true;
  }

  /** When the first rate limit among these keys ends, if any key is rate-limited. */
  firstLimitEnd(keys: readonly string[], model: string, now: number): number | undefined {
    let first: number | undefined;
    for (const key of keys) {
      const suspension = this.#suspensionOf(key, model, now);
      if (suspension?.kind !== "rate_limited") continue;
      first = Math.min(first ?? Infinity, suspension.until);
    }
    return first;
  }

  /** The suspensions of one key. */
  report(key: string, now: number): SuspensionReport[] {
    this.#forgetExpired(key, now);
    const entry = this.#suspended.get(key);
    if (entry === undefined) return [];
    const toReport = ({ kind, until, isRemote }: KeySuspension): SuspensionReport => ({
      reason: kind,
      ends_in_ms: until - now,
      ...(isRemote && { source: "remote" }),
    });
    const { whole, models } = entry;
    return [
      ...(whole === undefined ? [] : [toReport(whole)]),
      ...[...models].map(([model, one]) => ({ model, ...toReport(one) })),
    ];
  }

  /** The number of these keys that are suspended for at least one model. */
  countSuspended(keys: readonly string[], now: number): number {
    return keys.filter((key) => this.report(key, now).length > 0).length;
  }

  /** Ends every suspension. Returns the number of keys that were suspended. */
  clear(now: number): number {
    const count = this.countSuspended([...this.#suspended.keys()], now);
    this.#suspended.clear();
    return count;
  }

  /** Removes keys and models that are no longer configured. */
  keep(keys: ReadonlySet<string>, models: ReadonlySet<string>): void {
    for (const [key, entry] of this.#suspended) {
      if (!keys.has(key)) this.#suspended.delete(key);
      for (const model of entry.models.keys()) if (!models.has(model)) entry.models.delete(model);
    }
  }

  #set({ key, model, kind, until }: SuspensionChange, isRemote: boolean): void {
    let entry = this.#suspended.get(key);
    if (entry === undefined) {
      this.#suspended.set(key, entry = { whole: undefined, models: new Map() });
    }
    const suspension = { until, kind, isRemote };
    if (model === undefined) entry.whole = suspension;
    else entry.models.set(model, suspension);
  }

  /** The suspensions of a key by model, with an entry for all other models. */
  #models(): readonly string[] {
    return ["", ...[...this.#suspended.values()].flatMap(({ models }) => [...models.keys()])];
  }

  #suspensionOf(key: string, model: string, now: number): KeySuspension | undefined {
    const entry = this.#suspended.get(key);
    if (entry === undefined) return undefined;
    const { whole } = entry;
    const ofModel = entry.models.get(model);
    const isWholeLater = whole !== undefined &&
      (ofModel === undefined || whole.until > ofModel.until);
    const last = isWholeLater ? whole : ofModel;
    return last !== undefined && last.until > now ? last : undefined;
  }

  #forgetExpired(key: string, now: number): void {
    const entry = this.#suspended.get(key);
    if (entry === undefined) return;
    if (entry.whole !== undefined && entry.whole.until <= now) entry.whole = undefined;
    for (const [model, { until }] of entry.models) if (until <= now) entry.models.delete(model);
    if (entry.whole === undefined && entry.models.size === 0) this.#suspended.delete(key);
  }
}
