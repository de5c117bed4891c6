/** Credentials of config.yaml whose references have no value. */

import { isObject } from "../chat/chat.ts";
import { isWithin } from "./config_errors.ts";
import { isCredential, KEY_LISTS } from "./disabled_providers.ts";
import type { UnresolvedReference } from "./references.ts";

/** A service key or an admin key without its text. It cannot be used. */
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
  /** Why credentials of providers have no value, by the IDs of the providers. */
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

/** The variable of the first reason that consists of one variable. */
export function unsetVariable(reasons: readonly string[]): string | undefined {
  return reasons.flatMap((reason) => /^(\w+) is not set$/.exec(reason)?.[1] ?? [])[0];
}
