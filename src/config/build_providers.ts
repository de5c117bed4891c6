/** Builds the providers of a validated config.yaml. */

import { isObject, type JsonObject } from "../contract/chat.ts";
import type { Steps } from "../core/steps.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { Catalogue } from "../providers/shared/catalogue.ts";
import type {
  AmbientCredentials,
  DisabledProvider,
  DisabledReason,
  FindAmbient,
} from "./disabled_providers.ts";
import { modelsOf } from "./cross_checks.ts";
import type { DisabledModel } from "./disabled_names.ts";
import { type ModelSource, toSource } from "./model_sources.ts";
import {
  type BuiltProvider,
  type FindList,
  keysOf,
  type Provider,
  secretsOf,
  type Target,
  toProvider,
  type UnlistedSource,
} from "./providers.ts";
import type { Sources } from "./references.ts";
import { type ConfigEntry, type ProviderEntry, toUpstreamSettings } from "./schema.ts";

/** The providers of a configuration. */
export interface BuiltProviders {
  readonly providers: readonly Provider[];
  /** The models in config.yaml, then those that vendors list. */
  readonly targets: readonly Target[];
  /** The providers that accept unlisted models. */
  readonly unlisted: readonly UnlistedSource[];
  /** The providers whose models the vendor lists. */
  readonly sources: readonly ModelSource[];
  readonly disabled: readonly DisabledProvider[];
  /** The disabled providers' models. */
  readonly disabledModels: readonly DisabledModel[];
  /** The IDs of all providers in config.yaml, enabled or not. */
  readonly ids: ReadonlySet<string>;
}

/** The dependencies for building providers. */
export interface BuildDeps {
  readonly adapters: ReadonlyMap<string, Adapter>;
  /** Why providers are disabled, by ID. */
  readonly disabledReasons: ReadonlyMap<string, DisabledReason>;
  readonly findAmbient: FindAmbient;
  readonly findList: FindList;
  readonly catalogue: Catalogue;
  readonly readFile: Sources["readFile"];
}

/**
 * Builds enabled and disabled providers, both in document order.
 *
 * @param written the `providers` section with its references resolved, before pruning
 */
export function* buildProviders(
  written: unknown,
  { providers, upstream }: Pick<ConfigEntry, "providers" | "upstream">,
  { adapters, disabledReasons, catalogue, findAmbient, findList, readFile }: BuildDeps,
): Steps<BuiltProviders> {
  const configured = new Map(Object.entries(providers));
  const ids = new Set(isObject(written) ? Object.keys(written) : []);
  const built: BuiltProvider[] = [];
  const sources: ModelSource[] = [];
  const unlisted: UnlistedSource[] = [];
  const disabled: DisabledProvider[] = [];
  for (const [id, members] of isObject(written) ? Object.entries(written) : []) {
    yield;
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
    const one = toProvider(id, entry, adapter, {
      ...{ templateCache, ambient: found },
      ...{ catalogue, findList, readFile, ids },
    });
    const { provider: { list }, provider, unlisted: source } = one;
    if (list !== undefined) sources.push(toSource(provider, entry));
    if (entry.if_running && list?.readAt === undefined) continue;
    built.push(one);
    if (entry.allow_unlisted) unlisted.push(source);
  }
  yield;
  const disabledById = new Map(disabled.map((provider) => [provider.id, provider]));
  const disabledModels = modelsOf({ providers: written }).flatMap(({ provider: id, model }) => {
    const provider = disabledById.get(id);
    const name = isObject(model) ? model.id : model;
    return provider === undefined || typeof name !== "string" ? [] : [{ id: name, provider }];
  });
  yield;
  const targets = built.flatMap(({ targets }) => targets);
  return {
    providers: built.map(({ provider }) => provider),
    // A vendor's list cannot take over a name that config.yaml assigns to another provider.
    targets: [
      ...targets.filter(({ origin }) => origin === "config"),
      ...targets.filter(({ origin }) => origin === "vendor"),
    ],
    sources,
    unlisted,
    disabled,
    disabledModels,
    ids,
  };
}

/**
 * The machine's credentials for a provider without an API key, or why it is disabled; undefined if
 * it needs none.
 */
function ambientOf(
  id: string,
  entry: ProviderEntry,
  adapter: Adapter,
  findAmbient: FindAmbient,
): AmbientCredentials | DisabledReason | undefined {
  if (keysOf(entry).length > 0) return undefined;
  const { ambient: cloud, credentials, needsProject = false } = adapter.defaults;
  const hasCredentials = Object.keys(secretsOf(entry, adapter)).length > 0;
  const options: JsonObject = entry;
  const found = cloud && findAmbient({
    ...{ id, cloud, options, hasCredentials },
    needsProject: needsProject && options.project === undefined,
  });
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
