/** Binds the IDs of providers to the owner of the service key that got them. */

import { type Config, ownerOf, type ServiceKey } from "../../config/config.ts";
import type { StateCarrier } from "../../reasoning_state/carrier.ts";
import { type IdBinding, TAG_LENGTH } from "../../reasoning_state/id_binding.ts";
import { IdMarker, type OwnedId, type ProviderIds } from "../../formats/responses/provider_ids.ts";

/** The parts of an ID, before they are verified. */
interface IdParts extends OwnedId {
  readonly tag?: string;
}

/** Splits an ID at its last `@`, and at the `.` of its tag. */
function parseId(id: string): IdParts {
  const at = id.lastIndexOf("@");
  if (at <= 0 || at === id.length - 1) return { id };
  const provider = id.slice(at + 1);
  const dot = at - TAG_LENGTH - 1;
  if (dot <= 0 || id[dot] !== ".") return { id: id.slice(0, at), provider };
  return { id: id.slice(0, dot), tag: id.slice(dot + 1, at), provider };
}

/** What {@linkcode KeyProviderIds} need. */
export interface KeyProviderIdsContext {
  readonly key: ServiceKey;
  readonly config: Pick<Config, "hasOneOwner" | "providers" | "server">;
  readonly deps: { readonly reasoning: Pick<StateCarrier, "bindingOf"> };
}

/** The IDs of providers that a service key may use. */
export class KeyProviderIds implements ProviderIds {
  readonly #context: KeyProviderIdsContext;
  readonly #owner: string;

  constructor(context: KeyProviderIdsContext) {
    this.#context = context;
    this.#owner = ownerOf(context.key);
  }

  /**
   * The provider's own ID; undefined for one that this owner did not get. If all service keys have
   * the same owner, every ID is theirs: also those without a tag, and without a provider.
   */
  read(id: string): OwnedId | undefined {
    const { tag, provider, ...own } = parseId(id);
    const { hasOneOwner } = this.#context.config;
    if (provider === undefined) return hasOneOwner ? own : undefined;
    if (hasOneOwner) return { ...own, provider };
    const binding = tag === undefined ? undefined : this.#bindingOf(provider);
    if (tag === undefined || !binding?.verify([this.#owner, provider, own.id], tag)) {
      return undefined;
    }
    return { ...own, provider };
  }

  /** Marks the IDs of a provider's answers. */
  marker(provider: string): IdMarker {
    const binding = this.#bindingOf(provider);
    return new IdMarker((id) => {
      const tag = binding?.tag([this.#owner, provider, id]);
      return tag === undefined ? `${id}@${provider}` : `${id}.${tag}@${provider}`;
    });
  }

  #bindingOf(provider: string): IdBinding | undefined {
    const { config: { providers, server }, deps: { reasoning } } = this.#context;
    const keys = providers.get(provider)?.keys;
    return keys && reasoning.bindingOf(keys, server.reasoningState);
  }
}
