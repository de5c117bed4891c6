/** Models that neither config.yaml nor a vendor lists, at providers with `allow_unlisted`. */

import { touch } from "../core/bounded_map.ts";
import type { Target } from "./providers.ts";

/** A provider that takes names of models that are not listed. */
export interface UnlistedSource {
  readonly provider: string;
  /** The model of a name; undefined for a name that the provider's patterns exclude. */
  readonly toTarget: (name: string) => Target | undefined;
}

/** The number of names whose targets are kept. */
const MAX_KEPT = 1000;

/** Finds the targets of names that clients choose. */
export class UnlistedModels {
  readonly #sources: readonly UnlistedSource[];
  readonly #kept = new Map<string, { readonly target: Target | undefined }>();

  constructor(sources: readonly UnlistedSource[]) {
    this.#sources = sources;
  }

  /** The target of `model@provider`, or else of a plain name at the first provider that takes it. */
  find(name: string): Target | undefined {
    if (this.#sources.length === 0) return undefined;
    return touch(this.#kept, name, MAX_KEPT, () => ({ target: this.#create(name) })).target;
  }

  #create(name: string): Target | undefined {
    const at = name.lastIndexOf("@");
    const pinned = this.#sources.find(({ provider }) => at > 0 && provider === name.slice(at + 1));
    if (pinned !== undefined) return pinned.toTarget(name.slice(0, at));
    for (const { toTarget } of this.#sources) {
      const target = toTarget(name);
      if (target !== undefined) return target;
    }
    return undefined;
  }
}
