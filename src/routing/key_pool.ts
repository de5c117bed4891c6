/** Which of a provider's keys to use: a key that was refused or used up rests. */

import { type ErrorKind, GatewayError } from "../core/errors.ts";

/** A refused key rests this long, in milliseconds. */
const REFUSED_REST = 300_000;
/** A rate-limited key rests this long when the vendor does not say, in milliseconds. */
const LIMITED_REST = 10_000;
/** However long the vendor says, in milliseconds: a year would be a slip. */
const LONGEST_REST = 3_600_000;

/** Failures that are about the key, so that another key may do. */
const ABOUT_THE_KEY: ReadonlySet<ErrorKind> = new Set(["upstream_auth", "quota", "rate_limited"]);

/** Until when a key rests, and why. */
export interface Rest {
  readonly until: number;
  readonly kind: ErrorKind;
}

/**
 * What the caller is told when every key of a provider rests: when the first
 * may be used again, in the vendor's own words where they say the same.
 *
 * @param last the failure that let the last key rest, if it was this request's
 */
export function allRest(
  provider: string,
  soonest: Rest | undefined,
  now: number,
  last?: GatewayError,
): GatewayError {
  const wait = Math.max(0, (soonest?.until ?? now) - now);
  const kind = soonest?.kind ?? last?.kind ?? "rate_limited";
  const headers = {
    "retry-after": String(Math.ceil(wait / 1000)),
    // A vendor's own would be of one key only.
    ...(last?.headers["retry-after-ms"] === undefined
      ? {}
      : { "retry-after-ms": String(Math.ceil(wait)) }),
    ...(kind === "quota" ? { "x-should-retry": "false" } : {}),
  };
  if (last?.kind === kind) return last.withHeaders(headers);
  return new GatewayError(
    kind,
    `Every key of the provider '${provider}' rests; the first may be used in ` +
      `${Math.ceil(wait / 1000)} s`,
    { headers },
  );
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
    const rest = limited ? Math.min(wait ?? LIMITED_REST, LONGEST_REST) : REFUSED_REST;
    const until = now + rest;
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
