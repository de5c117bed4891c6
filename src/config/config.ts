/** Parses and validates config.yaml, and creates an immutable `Config` from it. */

import { createHash } from "node:crypto";
import { type AlertRules, toAlertRules } from "./alerts.ts";
import { type LimitRules, toLimitRules } from "./limits.ts";
import {
  type Shared,
  type SharedStoreRules,
  type StoreRules,
  toSharedStoreRules,
  toStoreRules,
} from "./shared_store.ts";
import { isObject } from "../contract/chat.ts";
import { eachInSteps, runAtOnce, type Steps } from "../core/steps.ts";
import { toAliasRule } from "./alias_schema.ts";
import type { CatalogueSource } from "./catalogue_file.ts";
import { buildProviders, type BuiltProviders } from "./build_providers.ts";
import { resolveReferences, secretReferences, type Sources } from "./references.ts";
import { ConfigErrors } from "./config_errors.ts";
import {
  type AdminKey,
  findUnusedKeys,
  haveOneOwner,
  Keyring,
  type KeySettings,
  type ServiceKey,
  toServiceKey,
} from "./keys.ts";
import { ModelPatterns } from "./model_patterns.ts";
import { type DisabledAlias, Names } from "./names.ts";
import type { PinnedName } from "./disabled_names.ts";
import type { FallbackTarget, Route } from "./routes.ts";
import {
  type DisabledProvider,
  type FindAmbient,
  findUnsetCredentials,
  prune,
  type UnsetCredentials,
} from "./disabled_providers.ts";
import type { ModelSource } from "./model_sources.ts";
import { parseInSteps } from "./parse_document.ts";
import type { FindList, Provider, Target } from "./providers.ts";
import {
  type ConfigEntry,
  type LogSettings,
  toUpstreamSettings,
  type UpstreamSettings,
} from "./schema.ts";
import { type ServerSettings, toServerSettings } from "./server_settings.ts";
import { serverAddress, type ServerEntry } from "./server_schema.ts";
import { checkTextInSteps } from "./text_errors.ts";
import { LONG_TEXT, readYaml, readYamlInSteps } from "./yaml.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { ModelEntry } from "./name_tables.ts";

export { LONG_TEXT };
export { ConfigErrors } from "./config_errors.ts";
export { fingerprintOf, type ServiceKey } from "./keys.ts";
export type { ModelEntry } from "./name_tables.ts";
export type { QueueRules } from "./routing_schema.ts";
export {
  DEFAULT_ON_FAILURES,
  type FallbackTarget,
  type Route,
  type TargetGroup,
} from "./routes.ts";
export type { Balance, HedgeRule } from "./routing_schema.ts";
export type { Provider, Target, Timeouts } from "./providers.ts";
export { configSchema } from "./schema.ts";
export { MAX_WORKERS } from "./server_schema.ts";
export type { ImageRules } from "./server_settings.ts";

/** A loaded configuration. It is immutable; a reload creates a new one. */
export interface Config {
  /** The path of its file, or `built-in`. */
  readonly source: string;
  /** When it was loaded, in milliseconds since 1970. */
  readonly loadedAt: number;
  readonly server: ServerSettings;
  readonly upstream: UpstreamSettings;
  readonly log: LogSettings;
  readonly telemetry: { readonly captureContent: boolean; readonly metricKeys: number };
  /** The alerts; undefined if there are none. */
  readonly alerts: AlertRules | undefined;
  readonly limits: LimitRules;
  /** The store in which replicas share limits; undefined without one. */
  readonly sharedStore: SharedStoreRules | undefined;
  /**
   * A digest of the whole document with its references, which is the same in replicas with the same
   * configuration.
   */
  generation(): string;
  /** The longest lifetime of an entry in the response cache, in milliseconds; 0 without a cache. */
  readonly cacheTtlMs: number;
  /** Whether sessions with any model or alias stay with their targets. */
  readonly hasAffinity: boolean;
  /** The source of facts about models. */
  readonly catalogue: CatalogueSource;
  /** Warnings about outdated setting names. */
  readonly formerNames: readonly string[];
  /** The variables that contain a key which this configuration does not use. */
  readonly unusedKeys: readonly string[];
  /** The data that replicas share in the store. */
  readonly shared: ReadonlySet<Shared>;
  /** The ledger's store; undefined if it is in memory only. */
  readonly store: StoreRules | undefined;
  /** How long individual requests stay in the store, in milliseconds. */
  readonly keepMs: number;
  readonly serviceKeys: readonly ServiceKey[];
  /** Whether all service keys, including stored ones, share their answers. */
  readonly hasOneOwner: boolean;
  /** The names of all service keys and admin keys in config.yaml. */
  readonly keyNames: ReadonlySet<string>;
  /** Whether any admin key is configured. */
  readonly hasAdmin: boolean;
  /** Whether an admin key may edit the configuration. */
  readonly hasConfigEditor: boolean;
  /** The service key generated for this run; absent when one is configured. */
  readonly generatedKey?: string;
  /** The credentials in config.yaml that are not set. */
  readonly unset: UnsetCredentials;
  /** The enabled providers by ID, in config.yaml order. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** The providers whose models the vendor lists, including those that are still absent. */
  readonly sources: readonly ModelSource[];
  /** The disabled providers, in config.yaml order. */
  readonly disabled: readonly DisabledProvider[];
  readonly disabledAliases: readonly DisabledAlias[];
  /** The rows of `GET /v1/models`. */
  readonly models: readonly ModelEntry[];
  /** The IDs of all providers in config.yaml, enabled or not. */
  readonly providerIds: ReadonlySet<string>;
  /** The aliases with a `*`, which stand for names that are not rows of `GET /v1/models`. */
  readonly aliasPatterns: readonly string[];
  /** Finds the service key that a client presents, by its digest. */
  authenticate(token: string): ServiceKey | undefined;
  /** Finds the admin key that a client presents, by its digest. */
  authenticateAdmin(token: string): AdminKey | undefined;
  /** Creates a stored key, which may use the models in this configuration. */
  toServiceKey(name: string, settings: KeySettings): ServiceKey;
  /** Whether a key may use this model. */
  isAllowed(key: ServiceKey, model: string): boolean;
  /** Whether a key may use a model at one provider. */
  isAllowedAt(key: ServiceKey, model: string, provider: string): boolean;
  /** The configured names that a key's list of patterns allows. */
  allowedBy(models: ModelPatterns): Iterable<string>;
  /** Whether an alias or an enabled model has exactly this name. */
  has(model: string): boolean;
  /**
   * The parts of a name that is sent to one provider only, unless an alias or a model has exactly
   * this name.
   */
  readPinned(model: string): PinnedName | undefined;
  /** The target for a model at one provider; undefined if the provider does not offer it. */
  targetAt(model: string, provider: string): Target | undefined;
  /** The groups of a model's targets in their order, and how its requests are routed. */
  route(model: string): Route | undefined;
  /** A model's targets as listed in config.yaml: an alias's chain, or the model's providers. */
  resolve(model: string): readonly FallbackTarget[] | undefined;
  /** Finds a model by any of its names; its `id` is the given name. */
  find(model: string): ModelEntry | undefined;
  /** The wildcard alias that a name matches; undefined for all other names. */
  patternOf(model: string): string | undefined;
  /** The alias with this name, or that the name matches; undefined for all other names. */
  aliasOf(model: string): string | undefined;
  /** Why a configured name cannot be used; undefined for all other names. */
  explainDisabled(model: string): string | undefined;
  /** The most similar name to an unknown one, among those that the key may use. */
  suggest(model: string, key: ServiceKey): string | undefined;
}

/** The inputs for loading a configuration, in addition to its text. */
export interface ConfigEnvironment extends Sources {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Generates a service key when none is configured. */
  readonly newKey: () => string;
  /** The text's name in messages: its path, or `built-in`. */
  readonly source: string;
  /** The adapters of the kinds that the text may use. */
  readonly adapters: ReadonlyMap<string, Adapter>;
  /** The kinds that exist. Default: those that have an adapter. */
  readonly kinds?: readonly string[];
  /** Finds the machine's credentials. Default: none. */
  readonly findAmbient?: FindAmbient;
  /** Looks up the vendors' model lists. Default: none is known. */
  readonly findList?: FindList;
}

/**
 * The address at which a gateway with this config.yaml listens. Other errors in the file are
 * ignored: a running gateway may have started with an earlier version of it.
 */
export function readAddress(
  text: string,
  sources: Sources,
): Pick<ServerSettings, "host" | "port"> & {
  readonly tls?: ServerSettings["tls"];
} {
  const { value } = resolveReferences(readYaml(text).value, sources);
  const server = isObject(value) && isObject(value.server) ? value.server : {};
  return serverAddress.parse(server);
}

/**
 * The references to secret managers in the text of a config.yaml. Errors in the text are
 * ignored here; {@linkcode loadConfig} reports them.
 */
export function* findSecrets(
  text: string,
  sources: Omit<Sources, "secret">,
): Steps<ReadonlySet<string>> {
  // Most configurations have none, so the text need not be parsed twice.
  if (!/\$\{(?!file:)[a-z][a-z-]*:(?!-)/.test(text)) return new Set();
  return yield* secretReferences((yield* readYamlInSteps(text)).value, sources);
}

/**
 * Loads the text of a config.yaml.
 *
 * @throws {ConfigErrors} with all errors in the text.
 */
export function loadConfig(text: string, environment: ConfigEnvironment): Config {
  return runAtOnce(loadConfigInSteps(text, environment));
}

/**
 * The same as {@linkcode loadConfig}, in steps.
 *
 * @throws {UnloadedKinds} when the text uses a kind without an adapter.
 */
export function* loadConfigInSteps(text: string, environment: ConfigEnvironment): Steps<Config> {
  const { adapters } = environment;
  const { schema, found, ...resolved } = yield* checkTextInSteps(text, environment);
  const { errors } = resolved;
  if (errors.length > 0 || !isObject(resolved.value) || "message" in found) {
    throw new ConfigErrors(environment.source, text, errors);
  }
  const { findAmbient = () => undefined, findList = () => undefined } = environment;
  const { document, disabledReasons } = prune(
    ...[resolved.value, resolved.unset, adapters, findAmbient] as const,
  );
  yield;
  const { entry = schema.parse(document) } = yield* parseInSteps(document, schema);
  const { pins, aliases, routing } = entry;
  const built = yield* buildProviders(resolved.value.providers, entry, {
    ...{ adapters, disabledReasons, findAmbient, findList, catalogue: found.catalogue },
    readFile: environment.readFile,
  });
  const names = yield* Names.create({
    targets: built.targets,
    unlisted: built.unlisted,
    disabled: built.disabled,
    disabledModels: built.disabledModels,
    ids: built.ids,
    pins: new Map(Object.entries(pins)),
    routing,
    aliases: new Map(
      Object.entries(aliases).map(([id, alias]) => [id, toAliasRule(alias, routing)]),
    ),
    loadedAt: Math.floor(environment.now() / 1000),
  });
  const unset = findUnsetCredentials(resolved.value, resolved.unset);
  const generation = digestOnce(resolved.value);
  return yield* createConfig(entry, built, names, {
    ...{ ...environment, unset, generation, catalogue: found.source },
  });
}

/** Returns a function that computes the digest of a document when it is first needed. */
function digestOnce(document: object): () => string {
  let digest: string | undefined;
  return () => digest ??= createHash("sha256").update(JSON.stringify(document)).digest("base64url");
}

/** Whether `routing` or an alias has `affinity`. */
function isAffinityUsed({ routing, aliases }: ConfigEntry): boolean {
  const own = Object.values(aliases).map((alias) => toAliasRule(alias, routing).policy);
  return [routing, ...own].some(({ affinity = "off" }) => affinity !== "off");
}

/** The longest cache `ttl` in `routing` and in aliases. */
function longestCacheTtl({ routing, aliases }: ConfigEntry): number {
  const own = Object.values(aliases).map((alias) => toAliasRule(alias, routing).policy.cache?.ttl);
  return Math.max(routing.cache?.ttl ?? 0, ...own.map((ttl = 0) => ttl));
}

function* createConfig(
  entry: ConfigEntry,
  { providers, sources, disabled, ids }: BuiltProviders,
  names: Names,
  { source, env, newKey, now, unset, generation, catalogue }:
    & ConfigEnvironment
    & Pick<Config, "catalogue" | "generation" | "unset">,
): Steps<Config> {
  const { server, telemetry, limits, upstream, store, keep } = entry;
  // Stored keys are created by admins, so no other key is needed.
  const isManaged = store !== undefined && server.admin_keys.length > 0;
  const generated = server.keys.length === 0 && !isManaged ? newKey() : undefined;
  const toModels = sharedPatterns();
  const keyring = yield* generated === undefined
    ? createKeyring(server.keys, toModels)
    : Keyring.create([[{ name: GENERATED_KEY_NAME }, generated]]);
  yield;
  const admins = yield* Keyring.create(
    server.admin_keys.map(({ name, key, edit_config: mayEditConfig }) => [
      { name, ...(mayEditConfig && { mayEditConfig }) },
      key,
    ]),
  );
  yield;
  return {
    source,
    loadedAt: now(),
    server: toServerSettings(server, () => generated === undefined ? keyring.digests : []),
    upstream: toUpstreamSettings(upstream),
    log: entry.log,
    telemetry: { captureContent: telemetry.capture_content, metricKeys: telemetry.metric_keys },
    alerts: entry.alerts && toAlertRules(entry.alerts),
    limits: toLimitRules(limits),
    sharedStore: toSharedStoreRules(
      entry.shared_store ?? entry.limits_store,
      entry.on_store_failure,
    ),
    generation,
    catalogue,
    cacheTtlMs: longestCacheTtl(entry),
    hasAffinity: isAffinityUsed(entry),
    formerNames: entry.limits_store === undefined
      ? []
      : ["'limits_store' is now called 'shared_store': rename it"],
    unusedKeys: findUnusedKeys({
      keys: (token) => keyring.authenticate(token),
      admin_keys: (token) => admins.authenticate(token),
    }, env),
    shared: new Set(entry.share),
    store: store === undefined ? undefined : toStoreRules(store),
    keepMs: keep,
    serviceKeys: keyring.keys,
    hasOneOwner: haveOneOwner(keyring.keys),
    keyNames: new Set([...keyring.keys, ...admins.keys].map(({ name }) => name)),
    hasAdmin: admins.keys.length > 0,
    hasConfigEditor: admins.keys.some(({ mayEditConfig }) => mayEditConfig),
    ...(generated === undefined ? {} : { generatedKey: generated }),
    unset,
    providers: new Map(providers.map((provider) => [provider.settings.id, provider])),
    sources,
    disabled,
    disabledAliases: names.disabledAliases,
    models: names.models,
    authenticate: keyring.authenticate,
    authenticateAdmin: admins.authenticate,
    toServiceKey: (name, settings) => toServiceKey(name, settings, toModels),
    aliasPatterns: names.patterns,
    providerIds: ids,
    isAllowed: (key, model) => names.isAllowed(key, model),
    isAllowedAt: (key, model, provider) => names.isAllowedAt(key, model, provider),
    allowedBy: (models) => names.allowedBy(models),
    has: (model) => names.has(model),
    readPinned: (model) => names.readPinned(model),
    targetAt: (model, provider) => names.targetAt(model, provider),
    patternOf: (model) => names.patternOf(model),
    route: (model) => names.route(model),
    aliasOf: (model) => names.aliasOf(model),
    resolve: (model) => names.resolve(model),
    find: (model) => names.find(model),
    explainDisabled: (model) => names.explainDisabled(model),
    suggest: (model, key) => names.suggest(model, key),
  };
}

function* createKeyring(
  entries: ServerEntry["keys"],
  toModels: (patterns: readonly string[]) => ModelPatterns,
): Steps<Keyring> {
  const pairs: [ServiceKey, string][] = [];
  yield* eachInSteps(
    entries,
    ({ name, key, ...settings }) => pairs.push([toServiceKey(name, settings, toModels), key]),
  );
  return yield* Keyring.create(pairs);
}

/** Shares one value among equal lists of patterns. */
function sharedPatterns(): (patterns: readonly string[]) => ModelPatterns {
  const lists = new Map<string, ModelPatterns>();
  return (patterns) => {
    const text = JSON.stringify(patterns);
    let list = lists.get(text);
    if (list === undefined) lists.set(text, list = new ModelPatterns(patterns));
    return list;
  };
}

/** The name of the generated service key. */
const GENERATED_KEY_NAME = "generated";
