/** The expiring credentials of providers, with a cache. */

import type { Provider } from "../../config/config.ts";
import { messageOf } from "../../core/errors.ts";
import type { Fetch } from "../transport.ts";
import { type Expiring, LiveCredentials } from "./live_credentials.ts";
import type { CredentialDeps } from "./scheme.ts";
import type { ServiceDeps } from "./service_request.ts";

/** The dependencies of all exchanges of a process. */
export interface ExchangeDeps {
  /** Reads a file as text. Throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** Sends requests that no proxy must get. Default: the client for vendors. */
  readonly direct?: Fetch | undefined;
  /** Writes a message for the operator. */
  readonly log?: ((text: string) => void) | undefined;
}

/** Caches the credentials of providers. Those with the same settings share them. */
export class ProviderCredentials<Value extends Expiring> {
  readonly #live = new LiveCredentials<Value>();
  readonly #deps: ExchangeDeps;
  readonly #obtain: (provider: Provider, deps: ServiceDeps) => Promise<Value>;
  /** The names of sources in the cache. */
  readonly #names = new WeakMap<Provider, string>();

  /** @param obtain gets new credentials of a provider */
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
        `The credentials of provider '${id}' cannot be renewed: ${messageOf(thrown)}; ` +
          `those in use are valid for ${seconds} s`,
      );
    });
  }

  /** Removes credentials that were refused before they expired, if they are the current ones. */
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
