/** Binds the IDs of providers to the owner of the service key that received them. */

import type { Config } from "../../../config/config.ts";
import type { Principal } from "../../../identity/principal.ts";
import { type IdBindings, type IdTags, TAG_LENGTH } from "../../id_bindings.ts";
import { sessionMark } from "../../feature_attempts.ts";
import type { RequestFeatures } from "../../request_features.ts";
import { IdMarker, type OwnedId, type ProviderIds } from "../../../apis/responses/provider_ids.ts";

/** The parts of an ID, before they are verified. */
interface IdParts extends OwnedId {
  readonly tag?: string;
}

/** Splits an ID at its last `@`, at the `.` of its tag and at the `~` of its session. */
function parseId(id: string): IdParts {
  const at = id.lastIndexOf("@");
  if (at <= 0 || at === id.length - 1) return { id };
  const provider = id.slice(at + 1);
  const dot = at - TAG_LENGTH - 1;
  if (dot <= 0 || id[dot] !== ".") return { id: withoutSession(id.slice(0, at)), provider };
  return { id: withoutSession(id.slice(0, dot)), tag: id.slice(dot + 1, at), provider };
}

/** If session affinity is on, the session of a response's request follows its ID. */
function withoutSession(id: string): string {
  return id.replace(/~[0-9a-f]{16}$/, "");
}

/** The dependencies of {@linkcode KeyProviderIds}. */
export interface KeyProviderIdsContext {
  readonly principal: Pick<Principal, "id">;
  readonly config: Pick<Config, "hasOneOwner" | "providers" | "server">;
  readonly deps: { readonly reasoning: IdBindings };
  /** New IDs of responses hold the session of the request. */
  readonly record?: { readonly features: Pick<RequestFeatures, "session"> };
}

/** The IDs of providers that a service key may use. */
export class KeyProviderIds implements ProviderIds {
  readonly #context: KeyProviderIdsContext;
  readonly #owner: string;

  constructor(context: KeyProviderIdsContext) {
    this.#context = context;
    this.#owner = context.principal.id;
  }

  /**
   * The provider's own ID; undefined for one that does not belong to this owner. If all service
   * keys have the same owner, every ID belongs to it, including IDs without a tag or a provider.
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

  /** Adds the provider and the tag to the IDs in a provider's answers. */
  marker(provider: string): IdMarker {
    const binding = this.#bindingOf(provider);
    const mark = (id: string, session = "") => {
      const tag = binding?.tag([this.#owner, provider, id]);
      return tag === undefined
        ? `${id}${session}@${provider}`
        : `${id}${session}.${tag}@${provider}`;
    };
    const session = this.#context.record?.features.session;
    if (session === undefined) return new IdMarker(mark);
    return new IdMarker((id) => mark(id), (id) => mark(id, `~${sessionMark(session)}`));
  }

  #bindingOf(provider: string): IdTags | undefined {
    const { config: { providers, server }, deps: { reasoning } } = this.#context;
    const keys = providers.get(provider)?.keys;
    return keys && reasoning.bindingOf(keys, server.reasoning_state);
  }
}
