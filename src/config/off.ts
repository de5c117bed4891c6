/** What an unset variable switches off instead of being a fault: providers and service keys. */

import { isObject, type JsonObject } from "../chat.ts";
import type { Unset } from "./env.ts";
import { isWithin, type Path } from "./faults.ts";

/** A document without what is switched off. */
export interface Pruned {
  readonly document: JsonObject;
  /** Why providers are off, by ID. */
  readonly off: ReadonlyMap<string, string>;
}

/** Whether an unset variable at this place switches something off. */
export function isCredential(path: Path): boolean {
  const [section, , member, inner] = path;
  if (section === "providers") return member !== undefined && !ALWAYS_NEEDED.has(String(member));
  return section === "server" && path[1] === "keys" && inner === "key";
}

/**
 * Takes out the providers whose credentials are unset, and the service keys
 * that are. A provider stays while one key of its pool is left.
 */
export function prune(document: JsonObject, unset: readonly Unset[]): Pruned {
  const off = new Map<string, string>();
  const pruned = { ...document };
  const { providers, server } = document;
  if (isObject(providers)) {
    const kept: [string, unknown][] = [];
    for (const [id, provider] of Object.entries(providers)) {
      const missing = unset.filter(({ path }) => isWithin(path, ["providers", id]));
      const usable = isObject(provider) ? withoutUnsetKeys(provider, missing) : undefined;
      if (missing.length === 0) kept.push([id, provider]);
      else if (usable !== undefined) kept.push([id, usable]);
      else off.set(id, [...new Set(missing.map(({ reason }) => reason))].join(", "));
    }
    pruned.providers = Object.fromEntries(kept);
  }
  if (isObject(server) && Array.isArray(server.keys)) {
    pruned.server = { ...server, keys: withoutUnset(server.keys, ["server", "keys"], unset) };
  }
  return { document: pruned, off };
}

/** Members of a provider that are no credentials: an unset variable there is a fault. */
const ALWAYS_NEEDED = new Set(["kind", "timeout", "retries", "models"]);

/** The provider with the rest of its pool, or undefined when it cannot be used. */
function withoutUnsetKeys(
  provider: JsonObject,
  missing: readonly Unset[],
): JsonObject | undefined {
  const inPool = missing.every(({ path }) => path[2] === "api_key");
  if (!inPool || !Array.isArray(provider.api_key)) return undefined;
  const [{ path } = { path: [] }] = missing;
  const keys = withoutUnset(provider.api_key, path.slice(0, 3), missing);
  return keys.length === 0 ? undefined : { ...provider, api_key: keys };
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
