/** What an unset variable switches off instead of being a fault: providers and service keys. */

import { isObject, type JsonObject } from "../chat/chat.ts";
import type { Adapter, CredentialSet } from "../providers/contract/adapter.ts";
import type { Unset } from "./references.ts";
import { isWithin, type Path } from "./config_errors.ts";

/** A document without what is switched off. */
export interface Pruned {
  readonly document: JsonObject;
  /** Why providers are off, by ID. */
  readonly off: ReadonlyMap<string, DisabledReason>;
}

/** Why a provider is disabled: for the operator, and for callers. */
export type DisabledReason = Pick<Unset, "reason" | "publicReason">;

/** Whether an unset variable at this place switches something off. */
export function isCredential(path: Path): boolean {
  const [section, , member, inner] = path;
  if (section === "providers") return member !== undefined && !ALWAYS_NEEDED.has(String(member));
  return section === "server" && KEY_LISTS.includes(String(path[1])) && inner === "key";
}

/**
 * Takes out the providers whose credentials are unset, and the service and
 * admin keys that are. A provider stays while one key of its pool is left, or another
 * complete set of credentials.
 */
export function prune(
  document: JsonObject,
  unset: readonly Unset[],
  adapters: ReadonlyMap<string, Adapter>,
): Pruned {
  const off = new Map<string, DisabledReason>();
  const pruned = { ...document };
  const { providers, server } = document;
  if (isObject(providers)) {
    const kept: [string, unknown][] = [];
    for (const [id, provider] of Object.entries(providers)) {
      const missing = unset.filter(({ path }) => isWithin(path, ["providers", id]));
      if (!isObject(provider)) continue;
      const sets = [API_KEY, ...adapters.get(String(provider.kind))?.credentialSets ?? []];
      const usable = withoutUnsetKeys(provider, missing, sets);
      if (missing.length === 0) kept.push([id, provider]);
      else if (usable !== undefined) kept.push([id, usable]);
      else off.set(id, reasonOf(missing, sets));
    }
    pruned.providers = Object.fromEntries(kept);
  }
  if (isObject(server)) {
    const kept = KEY_LISTS.flatMap((list) => {
      const keys = server[list];
      return Array.isArray(keys) ? [[list, withoutUnset(keys, ["server", list], unset)]] : [];
    });
    pruned.server = { ...server, ...Object.fromEntries(kept) };
  }
  return { document: pruned, off };
}

/** All members of a set of credentials. */
export function namesOf({ needs, takes = [] }: CredentialSet): readonly string[] {
  return [...needs, ...takes];
}

/** Members of `server` that list keys. */
const KEY_LISTS: readonly string[] = ["keys", "admin_keys"];

/** Members of a provider that are no credentials: an unset variable there is a fault. */
const ALWAYS_NEEDED = new Set(["kind", "timeout", "retries", "connections", "resend", "models"]);

const API_KEY: CredentialSet = { needs: ["api_key"] };

/** The provider with what is left of its credentials, or undefined when it cannot be used. */
function withoutUnsetKeys(
  provider: JsonObject,
  missing: readonly Unset[],
  sets: readonly CredentialSet[],
): JsonObject | undefined {
  const kept = { ...provider };
  for (const { path } of missing) {
    const member = String(path[2]);
    if (!sets.some((set) => namesOf(set).includes(member))) return undefined;
    const pool = provider[member];
    if (!Array.isArray(pool)) delete kept[member];
    else kept[member] = withoutUnset(pool, path.slice(0, 3), missing);
  }
  const complete = sets.filter(({ needs }) => needs.every((name) => isThere(kept[name])));
  // A part of a set is good for nothing, and would be a fault.
  for (const set of sets) {
    if (!complete.includes(set)) { for (const name of namesOf(set)) delete kept[name]; }
  }
  return complete.length > 0 ? kept : undefined;
}

function isThere(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "";
}

/** What a provider could do without is no reason. */
function reasonOf(missing: readonly Unset[], sets: readonly CredentialSet[]): DisabledReason {
  const extra = new Set<unknown>(sets.flatMap(({ takes = [] }) => takes));
  const needed = missing.filter(({ path }) => !extra.has(path[2]));
  const told = needed.length > 0 ? needed : missing;
  return {
    reason: joined(told.map(({ reason }) => reason)),
    publicReason: joined(told.map(({ publicReason }) => publicReason)),
  };
}

function joined(reasons: readonly string[]): string {
  return [...new Set(reasons)].join(", ");
}

function withoutUnset(
  items: readonly unknown[],
  path: Path,
  unset: readonly Unset[],
): unknown[] {
  return items.filter((_, index) =>
    !unset.some((missing) => isWithin(missing.path, [...path, index]))
  );
}
