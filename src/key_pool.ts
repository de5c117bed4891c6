/** Which of a provider's keys to use: a key that was refused or used up rests. */

import type { ErrorKind } from "./errors.ts";

/** A refused key rests this long, in milliseconds. */
const REFUSED_REST = 300_000;
/** A rate-limited key rests this long when the vendor does not say, in milliseconds. */
const LIMITED_REST = 60_000;

/** Failures that are about the key, so that another key may do. */
const ABOUT_THE_KEY: ReadonlySet<ErrorKind> = new Set(["upstream_auth", "quota", "rate_limited"]);

interface Rest {
  readonly until: number;
  readonly kind: ErrorKind;
}

/** The keys of one provider that rest. Times are milliseconds since the epoch. */
export class KeyPool {
  /** By key; rate limits by key and model, since vendors count each model by itself. */
  readonly #rests = new Map<string, Rest>();

  /** The first key that does not rest. */
  pick(keys: readonly string[], model: string, now: number): string | undefined {
    return keys.find((key) => this.#restOf(key, model, now) === undefined);
  }

  /** Lets a key rest if the failure was about the key, and says whether it does. */
  rest(
    key: string,
    model: string,
    kind: ErrorKind,
    wait: number | undefined,
    now: number,
  ): boolean {
    if (!ABOUT_THE_KEY.has(kind)) return false;
    const limited = kind === "rate_limited";
    const until = now + (limited ? wait ?? LIMITED_REST : REFUSED_REST);
    this.#rests.set(limited ? `${key}\n${model}` : key, { until, kind });
    return true;
  }

  /** Why no key is left, and when the first will be. */
  soonest(keys: readonly string[], model: string, now: number): Rest | undefined {
    const rests = keys.flatMap((key) => this.#restOf(key, model, now) ?? []);
    return rests.reduce<Rest | undefined>(
      (first, rest) => first === undefined || rest.until < first.until ? rest : first,
      undefined,
    );
  }

  /** How many of these keys rest, for whatever model. */
  resting(keys: readonly string[], now: number): number {
    for (const [name, { until }] of this.#rests) if (until <= now) this.#rests.delete(name);
    const names = [...this.#rests.keys()];
    return keys.filter((key) => names.some((name) => name === key || name.startsWith(`${key}\n`)))
      .length;
  }

  /** Forgets keys that are no longer configured. */
  keep(keys: ReadonlySet<string>): void {
    for (const name of this.#rests.keys()) {
      if (!keys.has(name.split("\n")[0] ?? "")) this.#rests.delete(name);
    }
  }

  #restOf(key: string, model: string, now: number): Rest | undefined {
    for (const name of [key, `${key}\n${model}`]) {
      const rest = this.#rests.get(name);
      if (rest === undefined) continue;
      if (rest.until > now) return rest;
      this.#rests.delete(name);
    }
    return undefined;
  }
}
