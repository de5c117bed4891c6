/**
 * The rate limits of vendors by what they apply to: an account, its region and a family of models.
 * Providers of config.yaml with the same address, key and headers are one account.
 */

import type { Provider, Target } from "../config/config.ts";
import { Quota } from "./quota.ts";

type TargetName = Pick<Target, "provider" | "model">;

/** All known limits. */
export class Quotas {
  readonly #ofDomains = new Map<string, Quota>();
  /** The same limits by model and key, so that a request makes no name. */
  readonly #ofModels = new WeakMap<Target["model"], Map<string, Quota>>();

  /** The limits for a model with a key; of a provider without keys, with an empty one. */
  of(target: TargetName, key = ""): Quota {
    return this.#ofModels.get(target.model)?.get(key) ?? this.#create(target, key);
  }

  #create(target: TargetName, key: string): Quota {
    const quotas = this.#ofModels.get(target.model) ?? new Map<string, Quota>();
    this.#ofModels.set(target.model, quotas);
    const domain = domainOf(target, key);
    const quota = this.#ofDomains.get(domain) ?? new Quota();
    this.#ofDomains.set(domain, quota);
    quotas.set(key, quota);
    return quota;
  }

  /** Whether nothing has been sent yet, so that nothing is known. */
  get isEmpty(): boolean {
    return this.#ofDomains.size === 0;
  }

  /** Forgets the limits that no provider of the new configuration has. */
  keep(providers: Iterable<Provider>): void {
    const kept = new Set<string>();
    for (const provider of providers) {
      for (const model of provider.models) {
        for (const key of ["", ...provider.keys]) kept.add(domainOf({ provider, model }, key));
      }
    }
    for (const domain of this.#ofDomains.keys()) {
      if (!kept.has(domain)) this.#ofDomains.delete(domain);
    }
  }
}

/**
 * The region is a part of the address, and headers of config.yaml may name an organization.
 * Credentials other than a key are not compared.
 */
function domainOf({ provider, model }: TargetName, key: string): string {
  const { adapter, headers, settings: { baseUrl, id } } = provider;
  const family = adapter.quotaFamily?.(model) ?? model.upstream;
  const account = key === "" ? { id } : { key };
  return JSON.stringify([baseUrl, account, headers, family]);
}
