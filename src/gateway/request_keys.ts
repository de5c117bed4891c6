/** The keys that one request may use at one target. */

import { ERROR_KINDS, GatewayError } from "../core/errors.ts";
import type { KeyPool } from "./key_pool.ts";
import type { RequestSession } from "./feature_attempts.ts";
import type { AttemptTarget } from "./attempt_state.ts";

/** The step after a failure with one key. */
export type AfterKey =
  /** Another key can be tried at once. */
  | { readonly type: "other_key" }
  /** No other key can be used. Contains the error, and the milliseconds to wait before a retry. */
  | { readonly type: "none"; readonly error: GatewayError; readonly wait: number | undefined };

/** The keys of a request; each is used at most once between two waits. */
export class RequestKeys {
  readonly #keys: readonly string[];
  readonly #provider: string;
  readonly #model: string;
  readonly #pool: KeyPool;
  /** Keys that have failed since the last wait. */
  #failed: Set<string> | undefined;

  /** @param session the session, whose requests use the same key */
  constructor(
    { provider, model }: Pick<AttemptTarget, "model" | "provider">,
    pool: KeyPool,
    session?: RequestSession,
  ) {
    this.#keys = session?.keysOf(provider.keys) ?? provider.keys;
    this.#provider = provider.settings.id;
    this.#model = model.upstream;
    this.#pool = pool;
  }

  /** The key to use; undefined for a provider that does not need one. */
  pick(now: number): string | undefined {
    if (this.#keys.length < 2) return this.#keys[0];
    return this.#pickUnused(now) ?? this.#pool.pickSoonest(this.#keys, this.#model, now);
  }

  /**
   * Records a failure. A key is suspended only if the failure proves that the key is at fault. If
   * the key may be at fault, another key is tried for this request.
   *
   * @param wait the wait that the vendor requests, in milliseconds
   */
  failed(
    key: string | undefined,
    error: GatewayError,
    wait: number | undefined,
    now: number,
  ): AfterKey {
    const none: AfterKey = { type: "none", error, wait };
    if (error.kind === "upstream_auth") this.#pool.onRefused();
    if (key === undefined || this.#keys.length < 2) return none;
    if (!ERROR_KINDS[error.kind].mayBeKey) return none;
    const { kind, suspends: scope } = error;
    if (scope !== undefined) {
      this.#pool.suspend(key, this.#keys, this.#model, { kind, scope, wait }, now);
    }
    this.#failed ??= new Set();
    this.#failed.add(key);
    if (this.#pickUnused(now) !== undefined) return { type: "other_key" };
    const end = this.#pool.firstLimitEnd(this.#keys, this.#model, now);
    const soonest = end === undefined ? undefined : end - now;
    const own = kind === "rate_limited" ? wait : undefined;
    if (soonest === undefined || own !== undefined && own <= soonest) return none;
    return { type: "none", error: rateLimited(this.#provider, soonest, error), wait: soonest };
  }

  /** After a wait, the request may use every key again. */
  waited(): void {
    this.#failed = undefined;
  }

  #pickUnused(now: number): string | undefined {
    const failed = this.#failed;
    const unused = failed === undefined ? this.#keys : this.#keys.filter((key) => !failed.has(key));
    return this.#pool.pick(unused, this.#model, now);
  }
}

/**
 * The error for when no key can be used, with the end of the first rate limit. It keeps the
 * vendor's message if it also concerns a rate limit.
 */
function rateLimited(provider: string, wait: number, last: GatewayError): GatewayError {
  const seconds = Math.ceil(wait / 1000);
  const headers = {
    "retry-after": String(seconds),
    // The vendor's value applies only to one key.
    ...(last.headers["retry-after-ms"] !== undefined && {
      "retry-after-ms": String(Math.ceil(wait)),
    }),
  };
  if (last.kind === "rate_limited") return last.withHeaders(headers);
  return new GatewayError(
    "rate_limited",
    `No key of the provider '${provider}' can be used now; the first rate limit ends in ${seconds} s`,
    { headers },
  );
}
