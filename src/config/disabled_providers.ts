/**
 * Removes providers and service keys whose variables are unset: this disables them and is not an
 * error.
 */

import { isObject, type JsonObject } from "../core/json/object.ts";
import type { Adapter, Cloud, CredentialSet } from "../contract/adapter.ts";
import type { UnresolvedReference } from "./references.ts";
import { isWithin } from "./config_errors.ts";
import type { Path } from "./positions.ts";

/** A provider without its credentials. This is not an error. */
export interface DisabledProvider extends DisabledReason {
  readonly id: string;
  readonly kind: string;
}

/** A document without its disabled providers and keys. */
interface Pruned {
  readonly document: JsonObject;
  /** The reasons why providers are disabled, by ID. */
  readonly disabledReasons: ReadonlyMap<string, DisabledReason>;
}

/** The reason why a provider is disabled: one text for the operator, one for clients. */
export type DisabledReason = Pick<UnresolvedReference, "reason" | "publicReason">;

/** Whether an unset variable at this path disables a provider or a key. */
export function isCredential(path: Path): boolean {
  const [section, , member, inner] = path;
  if (section === "providers") {
    return member !== undefined && !NON_CREDENTIAL_MEMBERS.has(String(member));
  }
  return section === "server" && KEY_LISTS.some((list) => list === path[1]) && inner === "key";
}

/**
 * Removes the providers whose credentials are unset, and the service and admin keys that are unset.
 * A provider is kept if one key in its pool or another complete set of credentials remains, or if
 * the platform provides credentials.
 */
export function prune(
  document: JsonObject,
  unset: readonly UnresolvedReference[],
  adapters: ReadonlyMap<string, Adapter>,
  findAmbient: FindAmbient,
): Pruned {
  const disabledReasons = new Map<string, DisabledReason>();
  const pruned = { ...document };
  const { providers, server } = document;
  if (isObject(providers)) {
    const kept: [string, unknown][] = [];
    for (const [id, provider] of Object.entries(providers)) {
      const missing = unset.filter(({ path }) => isWithin(path, ["providers", id]));
      if (!isObject(provider)) continue;
      const adapter = adapters.get(String(provider.kind));
      const sets = [API_KEY, ...adapter?.credentialSets ?? []];
      const usable = withoutUnsetKeys(provider, missing, sets) ??
        withoutKeys(id, provider, missing, { sets, cloud: adapter?.defaults.ambient, findAmbient });
      if (missing.length === 0) kept.push([id, provider]);
      else if (usable !== undefined) kept.push([id, usable]);
      else disabledReasons.set(id, reasonOf(missing, sets));
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
  return { document: pruned, disabledReasons };
}

/** The names of all members in a set of credentials, required and optional. */
export function namesOf({ needs, takes = [] }: CredentialSet): readonly string[] {
  return [...needs, ...takes];
}

/** Members of `server` that are lists of keys. */
const KEY_LISTS = ["keys", "admin_keys"] as const;

/** Provider members that are not credentials: an unset variable in them is an error. */
const NON_CREDENTIAL_MEMBERS = new Set([
  "kind",
  "timeout",
  "retries",
  "connections",
  "resend",
  "models",
]);

const API_KEY: CredentialSet = { needs: ["api_key"] };

/** The provider without its unset credentials; undefined when it cannot be used. */
function withoutUnsetKeys(
  provider: JsonObject,
  missing: readonly UnresolvedReference[],
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
  const complete = sets.filter(({ needs }) => needs.every((name) => isPresent(kept[name])));
  // An incomplete set is unusable and would fail validation.
  for (const set of sets) {
    if (!complete.includes(set)) { for (const name of namesOf(set)) delete kept[name]; }
  }
  return complete.length > 0 ? kept : undefined;
}

/** The provider without keys, if the platform provides credentials instead. */
function withoutKeys(
  id: string,
  provider: JsonObject,
  missing: readonly UnresolvedReference[],
  { sets, cloud, findAmbient }: {
    readonly sets: readonly CredentialSet[];
    readonly cloud: Cloud | undefined;
    readonly findAmbient: FindAmbient;
  },
): JsonObject | undefined {
  const names = new Set(sets.flatMap(namesOf));
  if (cloud === undefined || !missing.every(({ path }) => names.has(String(path[2])))) {
    return undefined;
  }
  const options = Object.fromEntries(Object.entries(provider).filter(([name]) => !names.has(name)));
  const found = findAmbient({ id, cloud, options, hasCredentials: false, namesKeys: true });
  return found !== undefined && "variables" in found ? options : undefined;
}

function isPresent(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "";
}

/** Names the unset members. Optional ones are named only if all required ones are set. */
function reasonOf(
  missing: readonly UnresolvedReference[],
  sets: readonly CredentialSet[],
): DisabledReason {
  const optional = new Set<unknown>(sets.flatMap(({ takes = [] }) => takes));
  const required = missing.filter(({ path }) => !optional.has(path[2]));
  const reported = required.length > 0 ? required : missing;
  return {
    reason: joined(reported.map(({ reason }) => reason)),
    publicReason: joined(reported.map(({ publicReason }) => publicReason)),
  };
}

function joined(reasons: readonly string[]): string {
  return [...new Set(reasons)].join(", ");
}

function withoutUnset(
  items: readonly unknown[],
  path: Path,
  unset: readonly UnresolvedReference[],
): unknown[] {
  return items.filter((_, index) =>
    !unset.some((missing) => isWithin(missing.path, [...path, index]))
  );
}

/** The source of a provider's credentials. */
export interface AmbientCredentials {
  /** The source for the operator, such as `AWS profile 'dev'`; undefined if config.yaml has them. */
  readonly source: string | undefined;
  /** Whether they come from a service that may not exist, since it has not been reached yet. */
  readonly isUnconfirmed?: boolean;
  /** The cloud project if config.yaml does not set it; empty until a service returns it. */
  readonly project?: string;
  /** The environment variables that select the source, by name. */
  readonly variables: ReadonlyMap<string, string>;
}

/** The credentials, or the reason why there are none. */
export type AmbientResult = AmbientCredentials | DisabledReason | undefined;

/** A provider without keys. */
export interface AmbientSearch {
  /** The provider's ID. */
  readonly id: string;
  readonly cloud: Cloud;
  /** Its members in config.yaml. */
  readonly options: JsonObject;
  /** Whether it has credentials in config.yaml, so that only their variables matter. */
  readonly hasCredentials: boolean;
  /** Whether the provider needs a project from the credentials. */
  readonly needsProject?: boolean;
  /**
   * Whether it refers to keys that are unset. If so, only credentials that the platform provides to
   * this container or app are used, not a user's or the whole machine's.
   */
  readonly namesKeys?: boolean;
}

/**
 * Finds a provider's credentials in variables and files, without waiting for the network. Returns
 * undefined if the cloud's credentials cannot be used.
 */
export type FindAmbient = (search: AmbientSearch) => AmbientResult;

/** A service key or an admin key whose value is missing. It cannot be used. */
export interface UnsetKey {
  /** Its member in config.yaml. */
  readonly list: "keys" | "admin_keys";
  readonly name: string;
  /** E.g. `SLUICE_API_KEY is not set`. */
  readonly reason: string;
  /** The same without file paths. */
  readonly publicReason: string;
}

/** The credentials without a value. */
export interface UnsetCredentials {
  readonly keys: readonly UnsetKey[];
  /** The reasons why credentials have no value, by provider ID. */
  readonly providers: ReadonlyMap<string, readonly string[]>;
}

/** Finds the credentials without a value in a document. */
export function findUnsetCredentials(
  document: unknown,
  unset: readonly UnresolvedReference[],
): UnsetCredentials {
  const credentials = unset.filter(({ path }) => isCredential(path));
  const ids = credentials.flatMap(({ path: [section, id] }) =>
    section === "providers" ? [String(id)] : []
  );
  return {
    keys: KEY_LISTS.flatMap((list) => unsetKeysIn(list, document, credentials)),
    providers: new Map(
      ids.map((id) => [
        id,
        credentials.filter(({ path }) => isWithin(path, ["providers", id]))
          .map(({ reason }) => reason),
      ]),
    ),
  };
}

function unsetKeysIn(
  list: UnsetKey["list"],
  document: unknown,
  unset: readonly UnresolvedReference[],
): UnsetKey[] {
  const server = isObject(document) && isObject(document.server) ? document.server : {};
  const keys: readonly unknown[] = Array.isArray(server[list]) ? server[list] : [];
  return keys.flatMap((key, index) => {
    const found = unset.find(({ path }) => isWithin(path, ["server", list, index]));
    if (found === undefined || !isObject(key)) return [];
    const { reason, publicReason } = found;
    return [{ list, name: String(key.name), reason, publicReason }];
  });
}

/** The first reason that consists of a single unset variable. */
export function unsetVariable(reasons: readonly string[]): string | undefined {
  return reasons.flatMap((reason) => /^(\w+) is not set$/.exec(reason)?.[1] ?? [])[0];
}
