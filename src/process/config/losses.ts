/** Configurations that are valid, but would lock out clients. */

import type { Config } from "../../config/config.ts";
import { reachableHost } from "../../config/listeners.ts";
import { unsetVariable } from "../../config/unset_credentials.ts";

/**
 * What works in the current configuration and is still in the next one, but without its credentials:
 * a secret is missing by mistake. What is removed from the file is not among it.
 *
 * @returns one text for the operator per provider and key
 */
function findLosses(
  current: Pick<Config, "providers" | "keyNames">,
  next: Pick<Config, "providers" | "keyNames" | "disabled" | "unset">,
): string[] {
  const disabled = next.disabled.flatMap(({ id, reason }) => {
    const before = current.providers.get(id);
    // Whether a metadata service exists was not known yet.
    if (before === undefined || before.ambient?.isUnconfirmed) return [];
    return [`providers.${id} would be disabled: ${reason}`];
  });
  const fewer = [...next.unset.providers].flatMap(([id, reasons]) => {
    const [before, after] = [current.providers.get(id), next.providers.get(id)];
    if (before === undefined || after === undefined) return [];
    return countOf(after) < countOf(before)
      ? [`providers.${id} would lose credentials: ${reasons.join(", ")}`]
      : [];
  });
  const keys = next.unset.keys.flatMap(({ list, name, reason }) =>
    current.keyNames.has(name) && !next.keyNames.has(name)
      ? [`The key '${name}' in server.${list} would be disabled: ${reason}`]
      : []
  );
  return [...disabled, ...fewer, ...keys];
}

function countOf({ keys, secrets }: { keys: readonly string[]; secrets: object }): number {
  return keys.length + Object.keys(secrets).length;
}

/**
 * Why a configuration cannot be served: its service key is generated, and other machines can connect.
 * The key would be printed to a log, and each replica would have another one.
 *
 * @param host the host name or IP address of the main listener
 */
export function findPublicFault(
  { generatedKey, server, unset }: Pick<Config, "generatedKey" | "server" | "unset">,
  host: string,
): string | undefined {
  const reachable = reachableHost(server, host);
  if (generatedKey === undefined || reachable === undefined) return undefined;
  const variable = unsetVariable(
    unset.keys.flatMap(({ list, reason }) => list === "keys" ? [reason] : []),
  );
  return `No service key is set, and other machines can connect to ${reachable}: set ` +
    `${variable ?? "SLUICE_API_KEY or 'server.keys' in config.yaml"}, or listen on 127.0.0.1`;
}

/** Why a reload keeps the current configuration, although the next one is valid. */
export function findReloadFaults(
  current: Config,
  next: Config,
  { allowsLosses = false, host }: {
    readonly allowsLosses?: boolean;
    readonly host: string;
  },
): string[] {
  const unserved = findPublicFault(next, host);
  const losses = allowsLosses ? [] : findLosses(current, next);
  return [
    ...losses,
    ...(unserved === undefined ? [] : [unserved]),
    ...(losses.length === 0 ? [] : [
      "Set what is missing, remove from the file what is no longer needed, or start with " +
      "'--allow-losses' to reload nevertheless",
    ]),
  ];
}
