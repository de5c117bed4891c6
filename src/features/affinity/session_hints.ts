/**
 * The feature that sends session IDs to vendors; vendors that support them route the session to its
 * prompt cache. Vendors receive a pseudonym, never the caller's ID.
 */

import type { Config } from "../../config/config.ts";
import { touch } from "../../core/collections.ts";
import type { Feature, TargetRequest } from "../../gateway/feature.ts";
import type { StateCarrier } from "../reasoning_state/carrier.ts";
import type { VendorRequest } from "../../contract/vendor_request.ts";

/** Sends the sessions of requests to vendors, if affinity is enabled. */
export function sessionHints(carrier: Bindings): Feature {
  const pseudonyms = new Pseudonyms(carrier);
  return {
    name: "session_hints",
    plan({ config, targets }) {
      if (!config.hasAffinity) return undefined;
      if (!targets.some(({ provider }) => provider.adapter.sessionHint)) return undefined;
      return {
        start({ key, session }) {
          if (session === undefined) return undefined;
          const own = { key, session };
          return { send: (sent, target) => withHint(sent, target, own, pseudonyms, config) };
        },
      };
    },
  };
}

type Bindings = Pick<StateCarrier, "bindingOf">;

/** A service key's session. */
interface OwnedSession {
  readonly key: string;
  readonly session: { readonly id: string };
}

/** The maximum number of cached pseudonyms for each provider's keys. */
const MAX_PSEUDONYMS = 2000;

/**
 * Caches the pseudonyms of the latest sessions, since computing one takes longer than ordering the
 * targets.
 */
class Pseudonyms {
  readonly #carrier: Bindings;
  readonly #known = new WeakMap<ReturnType<Bindings["bindingOf"]>, Map<string, string>>();

  constructor(carrier: Bindings) {
    this.#carrier = carrier;
  }

  of(
    { key, session }: OwnedSession,
    vendorKeys: readonly string[],
    { server }: Config,
  ): string {
    const binding = this.#carrier.bindingOf(vendorKeys, server.reasoning_state);
    const known = this.#known.get(binding) ?? new Map<string, string>();
    this.#known.set(binding, known);
    // IDs never contain a space.
    const name = `${session.id} ${key}`;
    return touch(known, name, MAX_PSEUDONYMS, () => binding.tag([SESSION, key, session.id]));
  }
}

function withHint(
  request: VendorRequest,
  { adapter, provider, changes }: TargetRequest,
  own: OwnedSession,
  pseudonyms: Pseudonyms,
  config: Config,
): VendorRequest {
  const hint = adapter.sessionHint?.(request, provider);
  const vendorKeys = config.providers.get(provider.id)?.keys;
  if (hint === undefined || vendorKeys === undefined) return request;
  const isMember = "member" in hint;
  // The caller's value takes precedence.
  if (isMember && request.body[hint.member] != null) return request;
  const id = pseudonyms.of(own, vendorKeys, config);
  changes.addByChoice(isMember ? hint.member : hint.header);
  return isMember
    ? { ...request, body: { ...request.body, [hint.member]: id } }
    : { ...request, headers: { ...request.headers, [hint.header]: id } };
}

/** Separates these pseudonyms from other tags that are derived from the same secret. */
const SESSION = "session";
