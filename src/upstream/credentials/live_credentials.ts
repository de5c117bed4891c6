/** A cache of expiring credentials, which are renewed ahead of time, once for all requests. */

import { type StopSignal, untilAborted } from "../../core/stop_signal.ts";
import type { Clock } from "../../core/clock.ts";
import type { Provider } from "../../config/config.ts";
import { messageOf } from "../../core/errors.ts";
import type { Fetch } from "../transport.ts";
import type { CredentialDeps } from "./scheme.ts";
import type { ServiceDeps } from "./service_request.ts";

/** Credentials with an expiry. */
export interface Expiring {
  /** Milliseconds since the Unix epoch, by the clock's `now()`. */
  readonly endsAt: number;
}

/** The dependencies for a credentials request. */
interface LiveDeps {
  readonly clock: Clock;
  /** Ends the wait but not the exchange, since other requests may wait for the same credentials. */
  readonly signal: StopSignal;
}

/** The credentials and the pending exchange for one source. Failures are not cached. */
interface Held<Value> {
  value?: Value | undefined;
  exchange?: Promise<Value> | undefined;
  /** When the next attempt to replace valid credentials may start, by the clock's `now()`. */
  nextRefresh: number;
  /** Whether the last attempt to replace valid credentials has failed. */
  isFailing: boolean;
}

/** Credentials are replaced this many milliseconds before they expire. */
const REFRESH_BEFORE_MS = 5 * 60_000;
/**
 * Credentials with less time left, in milliseconds, could expire before the request arrives, so the
 * request waits for new ones, if available.
 */
const MIN_LIFETIME_LEFT_MS = 10_000;
/**
 * Milliseconds between two attempts to replace valid credentials, since the service may fail or
 * return cached ones.
 */
const REFRESH_INTERVAL_MS = 10_000;

/** Caches each source's credentials for the lifetime of the process. */
export class LiveCredentials<Value extends Expiring> {
  /** The entries by source. Sources come from config.yaml. */
  readonly #held = new Map<string, Held<Value>>();

  /**
   * Returns a source's credentials. Credentials that expire soon are returned while new ones are
   * fetched, and until they expire if that fails.
   *
   * @param source the source's name in this cache
   * @param obtain gets new credentials
   * @param onFailure called when valid credentials could not be replaced, with the milliseconds
   * left
   * @throws the error from `obtain`, if there are no valid credentials.
   */
  async get(
    source: string,
    obtain: () => Promise<Value>,
    { clock, signal }: LiveDeps,
    onFailure?: (thrown: unknown, left: number) => void,
  ): Promise<Value> {
    let held = this.#held.get(source);
    if (held === undefined) {
      this.#held.set(source, held = { nextRefresh: 0, isFailing: false });
    }
    const { value } = held;
    const left = value === undefined ? 0 : value.endsAt - clock.now();
    if (value === undefined || left <= 0) {
      return await untilAborted(held.exchange ?? begin(held, obtain), signal);
    }
    if (left > REFRESH_BEFORE_MS) return value;
    if (held.exchange === undefined && clock.now() >= held.nextRefresh) {
      held.nextRefresh = clock.now() + REFRESH_INTERVAL_MS;
      begin(held, obtain).catch((thrown) => onFailure?.(thrown, value.endsAt - clock.now()));
    }
    if (left > MIN_LIFETIME_LEFT_MS || held.exchange === undefined || held.isFailing) return value;
    return await untilAborted(replaced(value, held.exchange, left / 2, clock), signal);
  }

  /** Removes credentials that were rejected before they expired, if they are still current. */
  forget(source: string, isRefused: (value: Value) => boolean): void {
    const held = this.#held.get(source);
    if (held?.value !== undefined && isRefused(held.value)) held.value = undefined;
  }
}

function begin<Value>(held: Held<Value>, obtain: () => Promise<Value>): Promise<Value> {
  const exchange = obtain().then((value) => held.value = value);
  const end = (isFailing: boolean) => {
    held.exchange = undefined;
    held.isFailing = isFailing;
  };
  held.exchange = exchange;
  exchange.then(() => end(false), () => end(true));
  return exchange;
}

/**
 * New credentials, or the previous ones, if still valid, when there are none within a time limit.
 */
function replaced<Value>(
  value: Value,
  exchange: Promise<Value>,
  ms: number,
  clock: Clock,
): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<Value>();
  const cancel = clock.after(ms, () => resolve(value));
  exchange.catch(() => value).then((newest) => {
    cancel();
    resolve(newest);
  });
  return promise;
}

/** The dependencies for all credential exchanges in a process. */
export interface ExchangeDeps {
  /** Reads a file as text. Throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** Sends requests that must bypass proxies. Default: the client for vendors. */
  readonly direct?: Fetch | undefined;
  /** Writes a message for the operator. */
  readonly log?: ((text: string) => void) | undefined;
}

/** Caches providers' credentials. Providers with the same settings share them. */
export class ProviderCredentials<Value extends Expiring> {
  readonly #live = new LiveCredentials<Value>();
  readonly #deps: ExchangeDeps;
  readonly #obtain: (provider: Provider, deps: ServiceDeps) => Promise<Value>;
  /** The names of the sources in the cache. */
  readonly #names = new WeakMap<Provider, string>();

  /** @param obtain gets a provider's new credentials */
  constructor(
    deps: ExchangeDeps,
    obtain: (provider: Provider, deps: ServiceDeps) => Promise<Value>,
  ) {
    this.#deps = deps;
    this.#obtain = obtain;
  }

  /** @throws {GatewayError} if there are no valid credentials. */
  async get(provider: Provider, { clock, fetch, signal }: CredentialDeps): Promise<Value> {
    const { direct = fetch, readFile } = this.#deps;
    const obtain = () => this.#obtain(provider, { clock, fetch, direct, readFile });
    const source = this.#nameOf(provider);
    return await this.#live.get(source, obtain, { clock, signal }, (thrown, left) => {
      const { id } = provider.settings;
      const seconds = Math.round(left / 1000);
      this.#deps.log?.(
        `The credentials for provider '${id}' cannot be renewed: ${messageOf(thrown)}; ` +
          `those in use are valid for ${seconds} s`,
      );
    });
  }

  /** Removes credentials that were rejected before they expired, if they are still current. */
  forget(provider: Provider, isRefused: (value: Value) => boolean): void {
    this.#live.forget(this.#nameOf(provider), isRefused);
  }

  #nameOf(provider: Provider): string {
    let name = this.#names.get(provider);
    if (name === undefined) {
      const { ambient, secrets, settings: { baseUrl, options } } = provider;
      name = JSON.stringify([[...ambient?.variables ?? []], secrets, baseUrl, options]);
      this.#names.set(provider, name);
    }
    return name;
  }
}

/** Looks up the variables that select the machine's credentials. */
export function variablesOf({ ambient }: Provider): (name: string) => string | undefined {
  return (name) => ambient?.variables.get(name);
}
