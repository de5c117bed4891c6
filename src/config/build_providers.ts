/** Builds the providers of a validated config.yaml. */

import { isObject } from "../chat/chat.ts";
import type { Adapter } from "../providers/contract/adapter.ts";
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

/**
 * Builds enabled and disabled providers, both in the order of the document.
 *
 * @param written the `providers` section with its references resolved, before pruning
 * @param reasons why providers are disabled, by their IDs
 */
export function buildProviders(
  written: unknown,
  { providers, upstream }: Pick<ConfigEntry, "providers" | "upstream">,
  reasons: ReadonlyMap<string, DisabledReason>,
  adapters: ReadonlyMap<string, Adapter>,
): BuiltProviders {
  const configured = new Map(Object.entries(providers));
  const targets: Target[] = [];
  const disabled: DisabledProvider[] = [];
  for (const [id, members] of isObject(written) ? Object.entries(written) : []) {
    const entry = configured.get(id);
    const kind = isObject(members) ? String(members.kind) : "";
    const adapter = adapters.get(kind);
    if (entry === undefined || adapter === undefined) {
      disabled.push({ id, kind, ...(reasons.get(id) ?? { reason: "", publicReason: "" }) });
    } else if (adapter.defaults.credentials === "required" && !hasCredentials(entry, adapter)) {
      const others = adapter.credentialSets ?? [];
      const sets = [["api_key"], ...others.map(({ needs }) => needs)];
      const reason = `no ${sets.map((names) => names.join(" and ")).join(", nor ")}`;
      disabled.push({ id, kind, reason, publicReason: reason });
    } else {
      const { templateCache } = toUpstreamSettings(upstream);
      const connectionSettings = connectionSettingsIn(members);
      targets.push(...toTargets(id, entry, adapter, { templateCache, connectionSettings }));
    }
  }
  const disabledModels = modelsOf({ providers: written }).flatMap(({ provider: id, model }) => {
    const provider = disabled.find((one) => one.id === id);
    const name = isObject(model) ? model.id : model;
    return provider === undefined || typeof name !== "string" ? [] : [{ id: name, provider }];
  });
  return { targets, disabled, disabledModels };
}

function hasCredentials(entry: ProviderEntry, adapter: Adapter): boolean {
  return keysOf(entry).length > 0 || Object.keys(secretsOf(entry, adapter)).length > 0;
}
