/** Builds the providers of a validated config.yaml. */

import { isObject } from "../chat/chat.ts";
import type { Adapter } from "../providers/contract/adapter.ts";
import type { AmbientCredentials, FindAmbient } from "./ambient.ts";
import { connectionSettingsIn } from "./connection_rules.ts";
import { modelsOf } from "./cross_checks.ts";
import type { DisabledModel } from "./disabled_names.ts";
import type { DisabledReason } from "./disabled_providers.ts";
import { type DisabledProvider, keysOf, secretsOf, type Target, toTargets } from "./providers.ts";
import type { ConfigEntry, ProviderEntry } from "./schema.ts";
import { toUpstreamSettings } from "./upstream_schema.ts";

/** The providers of a configuration. */
export interface BuiltProviders {
  readonly targets: readonly Target[];
  readonly disabled: readonly DisabledProvider[];
  /** The models of the disabled providers. */
  readonly disabledModels: readonly DisabledModel[];
}

/** The dependencies of building providers. */
export interface BuildDeps {
  readonly adapters: ReadonlyMap<string, Adapter>;
  /** Why providers are disabled, by their IDs. */
  readonly disabledReasons: ReadonlyMap<string, DisabledReason>;
  readonly findAmbient: FindAmbient;
}

/**
 * Builds enabled and disabled providers, both in the order of the document.
 *
 * @param written the `providers` section with its references resolved, before pruning
 */
export function buildProviders(
  written: unknown,
  { providers, upstream }: Pick<ConfigEntry, "providers" | "upstream">,
  { adapters, disabledReasons, findAmbient }: BuildDeps,
): BuiltProviders {
  const configured = new Map(Object.entries(providers));
  const targets: Target[] = [];
  const disabled: DisabledProvider[] = [];
  for (const [id, members] of isObject(written) ? Object.entries(written) : []) {
    const entry = configured.get(id);
    const kind = isObject(members) ? String(members.kind) : "";
    const adapter = adapters.get(kind);
    if (entry === undefined || adapter === undefined) {
      disabled.push({ id, kind, ...(disabledReasons.get(id) ?? { reason: "", publicReason: "" }) });
      continue;
    }
    const found = ambientOf(id, entry, adapter, findAmbient);
    if (found !== undefined && "reason" in found) {
      disabled.push({ id, kind, ...found });
      continue;
    }
    const { templateCache } = toUpstreamSettings(upstream);
    const connectionSettings = connectionSettingsIn(members);
    targets.push(
      ...toTargets(id, entry, adapter, { templateCache, connectionSettings, ambient: found }),
    );
  }
  const disabledModels = modelsOf({ providers: written }).flatMap(({ provider: id, model }) => {
    const provider = disabled.find((one) => one.id === id);
    const name = isObject(model) ? model.id : model;
    return provider === undefined || typeof name !== "string" ? [] : [{ id: name, provider }];
  });
  return { targets, disabled, disabledModels };
}

/**
 * The machine's credentials for a provider without API key, or why it is disabled; undefined if it
 * needs none.
 */
function ambientOf(
  id: string,
  entry: ProviderEntry,
  adapter: Adapter,
  findAmbient: FindAmbient,
): AmbientCredentials | DisabledReason | undefined {
  if (keysOf(entry).length > 0) return undefined;
  const { ambient: cloud, credentials } = adapter.defaults;
  const hasCredentials = Object.keys(secretsOf(entry, adapter)).length > 0;
  const found = cloud && findAmbient({ id, cloud, options: entry, hasCredentials });
  if (found !== undefined && "variables" in found) return found;
  if (hasCredentials || (found === undefined && credentials !== "required")) return undefined;
  const sets = [["api_key"], ...(adapter.credentialSets ?? []).map(({ needs }) => needs)];
  const none = `no ${sets.map((names) => names.join(" and ")).join(", nor ")}`;
  const { reason, publicReason } = found ?? { reason: "", publicReason: "" };
  return { reason: joined(none, reason), publicReason: joined(none, publicReason) };
}

function joined(first: string, second: string): string {
  return second === "" ? first : `${first}; ${second}`;
}
