/** The sources of a provider's models: config.yaml, the vendor's list, or the caller. */

import { type PinnedName, readPinned } from "./disabled_names.ts";
import type { Provider, Target, UnlistedSource } from "./providers.ts";
import type { ProviderEntry } from "./schema.ts";
import { touch } from "../core/collections.ts";

/** A provider whose models the vendor lists. */
export interface ModelSource {
  readonly provider: Provider;
  /** How often the list is read, in milliseconds. */
  readonly refreshMs: number;
  /** Whether the provider is absent until its list has been read. */
  readonly isOptional: boolean;
}

/** How a provider's list is kept up to date. */
export function toSource(
  provider: Provider,
  { refresh, if_running }: Pick<ProviderEntry, "if_running" | "refresh">,
): ModelSource {
  return { provider, refreshMs: refresh, isOptional: if_running };
}

/** The maximum number of names whose targets are cached. */
const MAX_KEPT = 1000;

/** Finds the targets of names that clients choose. */
export class UnlistedModels {
  readonly #sources: ReadonlyMap<string, UnlistedSource>;
  readonly #pins: ReadonlyMap<string, string>;
  readonly #providers: ReadonlySet<string>;
  readonly #kept = new Map<string, { readonly target: Target | undefined }>();

  /**
   * @param pins provider IDs by plain name
   * @param providers the IDs of all providers in config.yaml
   */
  constructor(
    sources: readonly UnlistedSource[],
    pins: ReadonlyMap<string, string>,
    providers: ReadonlySet<string>,
  ) {
    this.#sources = new Map(sources.map((source) => [source.provider, source]));
    this.#pins = pins;
    this.#providers = providers;
  }

  /**
   * The target of `model@provider` at this provider only. A plain name goes to the provider to
   * which it is pinned, otherwise to the first provider that accepts it.
   */
  find(name: string): Target | undefined {
    if (this.#sources.size === 0) return undefined;
    return touch(this.#kept, name, MAX_KEPT, () => ({ target: this.#create(name) })).target;
  }

  /** The target at a given provider; undefined if it does not accept this model. */
  at({ model, provider }: PinnedName): Target | undefined {
    return this.#sources.get(provider)?.toTarget(model);
  }

  #create(name: string): Target | undefined {
    const pinned = readPinned(name, this.#providers);
    if (pinned !== undefined) return this.at(pinned);
    const provider = this.#pins.get(name);
    if (provider !== undefined) return this.at({ model: name, provider });
    for (const { toTarget } of this.#sources.values()) {
      const target = toTarget(name);
      if (target !== undefined) return target;
    }
    return undefined;
  }
}
