/** Builds providers and their targets from their config.yaml entries. */

import type { JsonObject } from "../contract/chat.ts";
import { type AmbientCredentials, namesOf } from "./disabled_providers.ts";
import type { Adapter, ListedModel, ProviderDefaults } from "../contract/adapter.ts";
import type { ModelFacts, ModelPrices } from "../contract/model_facts.ts";
import { type Catalogue, factsOf } from "../providers/shared/catalogue.ts";
import { type PassthroughRules, toPassthroughRules } from "./passthrough.ts";
import { MIN_SECRET_CHARS, Redactor } from "../core/redactor.ts";
import { type ConnectionRules, toConnectionRules } from "./connection_rules.ts";
import { defined, toPrices } from "./limits.ts";
import type { Sources } from "./references.ts";
import { secretsOfRoute } from "./vendor_route.ts";
import { COMMON_MEMBERS, type ModelConfig, type ProviderEntry } from "./schema.ts";
import { type ModelSelection, toSelection } from "./model_patterns.ts";
import { readPinned } from "./disabled_names.ts";
import type { ProviderSettings, TargetModel } from "../contract/vendor_request.ts";

/** The known part of a vendor's list of models. */
export interface ModelList {
  /** The models in the last list that was read; empty before. */
  readonly models: readonly ListedModel[];
  /** When the last list was read, in milliseconds since 1970; undefined if it never was. */
  readonly readAt?: number | undefined;
  /** The reason why the last attempt to read it failed; undefined if it succeeded. */
  readonly failure?: string | undefined;
}

/** Looks up a provider's list; undefined if it has not been read. */
export type FindList = (provider: Provider) => ModelList | undefined;

/** A provider that accepts names of unlisted models. */
export interface UnlistedSource {
  readonly provider: string;
  /** The model of a name; undefined for a name that the provider's patterns exclude. */
  readonly toTarget: (name: string) => Target | undefined;
}

/** The time limits for one attempt, in milliseconds. */
export interface Timeouts {
  /** From connecting to a stream's first event. */
  readonly firstToken: number;
  /** Between two reads of a response. */
  readonly idle: number;
  /** For the entire response. */
  readonly total: number;
}

/** A configured provider: one vendor, or one account at a vendor. */
export interface Provider {
  readonly settings: ProviderSettings;
  readonly adapter: Adapter;
  /** The vendor's API keys, used as a pool; empty for a vendor without keys. */
  readonly keys: readonly string[];
  /** Other credentials by their names in config.yaml; never empty. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The source of the credentials if there are neither keys nor secrets. */
  readonly ambient: AmbientCredentials | undefined;
  /** Additional headers for every request to the vendor, with lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Removes the provider's credentials from text. */
  readonly redactor: Redactor;
  readonly connection: ConnectionRules;
  /** Whether similar stream events are converted without parsing each of them. */
  readonly templateCache: boolean;
  readonly timeouts: Timeouts;
  /** Retries after a failed attempt. */
  readonly retries: number;
  /** The maximum wait before a retry that the gateway accepts from the vendor, in milliseconds. */
  readonly maxWait: number;
  readonly models: readonly TargetModel[];
  /** Whether config.yaml selects or names a model on the vendor's list. */
  readonly selects: (id: string) => boolean;
  /** The vendor's list that models come from; undefined if config.yaml names all of them. */
  readonly list: Omit<ModelList, "models"> | undefined;
  /**
   * The requests that are forwarded to the vendor unchanged; undefined if the pass-through is
   * disabled.
   */
  readonly passthrough: PassthroughRules | undefined;
  /** The versioned path, such as `/v1`, that `base_url` probably lacks. */
  readonly missingPath?: string | undefined;
}

/** One model of one provider: a destination of requests. */
export interface Target {
  readonly provider: Provider;
  readonly model: TargetModel;
  /** The source of the model: config.yaml, the vendor's list, or the caller. */
  readonly origin: "config" | "vendor" | "caller";
  /** Request fields that apply when the client does not send them. */
  readonly params: JsonObject | undefined;
  readonly timeouts: Timeouts;
  readonly retries: number;
}

/** The inputs for building a provider, besides its entry. */
export interface TargetSettings extends Pick<Provider, "ambient" | "templateCache"> {
  readonly readFile: Sources["readFile"];
  readonly findList: FindList;
  readonly catalogue: Catalogue;
  /** The IDs of all providers in config.yaml. */
  readonly ids: ReadonlySet<string>;
}

/**
 * A provider with its targets: the models that config.yaml names, then those that the vendor lists.
 */
export interface BuiltProvider {
  readonly provider: Provider;
  readonly targets: readonly Target[];
  /** Finds models that are not listed. */
  readonly unlisted: UnlistedSource;
}

/** The prices for simulated answers. */
const FREE: ModelPrices = { input: 0, output: 0 };

/** Creates a provider and its targets. */
export function toProvider(
  id: string,
  entry: ProviderEntry,
  adapter: Adapter,
  { catalogue, findList, ids, readFile, ...settings }: TargetSettings,
): BuiltProvider {
  const selection = toSelection<ModelConfig>(entry);
  const { named } = selection;
  const factsFrom = (base: string): ModelFacts => ({
    ...(adapter.simulated === true && { prices: FREE }),
    ...factsOf(adapter.kind, base, catalogue),
  });
  const secret = new Set(adapter.credentialSets?.flatMap(namesOf));
  const connection = toConnectionRules(entry, readFile);
  const upstreams = new Set(named.map(({ id, upstream = id }) => upstream));
  const bare: Provider = {
    settings: {
      id,
      baseUrl: entry.base_url ?? adapter.defaults.baseUrl ?? "",
      options: {
        ...defined({ project: settings.ambient?.project }),
        ...Object.fromEntries(
          Object.entries(entry).filter(([name]) => !COMMON_MEMBERS.has(name) && !secret.has(name)),
        ),
      },
    },
    adapter,
    keys: keysOf(entry),
    secrets: secretsOf(entry, adapter),
    headers: withLowercaseNames(entry.headers),
    redactor: new Redactor([
      ...credentialsOf(entry, adapter),
      ...secretsOfRoute(connection.route),
    ]),
    connection,
    ...settings,
    timeouts: toTimeouts(entry.timeout),
    retries: entry.retries,
    maxWait: entry.max_wait,
    models: [],
    selects: (model) => upstreams.has(model) || selection.selects(model),
    list: undefined,
    passthrough: toPassthroughRules(entry.passthrough),
    missingPath: missingPath(entry.base_url, adapter.defaults),
  };
  const { models: all, ...state } = (selection.isListed ? findList(bare) : undefined) ?? NO_LIST;
  const listed = new Map(all.map((model) => [model.id, model]));
  const entries = [
    ...named.map((model) => ({ model, list: listed.get(model.upstream ?? model.id) })),
    ...selectListed(selection, all, ids)
      .map((list) => ({ model: { id: list.id } as ModelConfig, list })),
  ];
  const models = entries.map(({ model, list }) => toModel(model, factsFrom, list));
  const provider: Provider = {
    ...bare,
    models,
    list: selection.isListed ? state : undefined,
  };
  const common = {
    provider,
    params: undefined,
    timeouts: provider.timeouts,
    retries: entry.retries,
  };
  const targets = models.map((model, index): Target => {
    const settings = named[index];
    if (settings === undefined) return { ...common, model, origin: "vendor" };
    const { params, timeout, retries = entry.retries } = settings;
    return {
      ...{ provider, model, retries, origin: "config" },
      params: params === undefined ? undefined : withoutNulls(params),
      timeouts: timeout === undefined
        ? provider.timeouts
        : toTimeouts({ ...entry.timeout, ...defined(timeout) }),
    };
  });
  const toTarget = (name: string): Target | undefined =>
    selection.takes(name)
      ? { ...common, model: toModel({ id: name }, factsFrom), origin: "caller" }
      : undefined;
  return { provider, targets, unlisted: { provider: id, toTarget } };
}

const NO_LIST: ModelList = { models: [] };

/** A kind's versioned default path if this URL has no versioned path; otherwise undefined. */
function missingPath(
  baseUrl: string | undefined,
  { usualPath, baseUrl: defaultUrl = "" }: ProviderDefaults,
): string | undefined {
  const path = usualPath ?? URL.parse(defaultUrl)?.pathname ?? "";
  if (baseUrl === undefined || !VERSION_SEGMENT.test(path)) return undefined;
  return VERSION_SEGMENT.test(new URL(baseUrl).pathname) ? undefined : path;
}

/** A path segment such as `v1` or `v1beta`. */
const VERSION_SEGMENT = /\/v\d/;

/** Lowercases header names, like those that the gateway sets, so that each header occurs once. */
function withLowercaseNames(headers: ProviderEntry["headers"]): Provider["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** An entry's vendor keys; empty keys are ignored. */
export function keysOf(entry: ProviderEntry): readonly string[] {
  const { api_key: keys = [] } = entry;
  return (typeof keys === "string" ? [keys] : keys).filter((key) => key !== "");
}

/** The members of the first complete set of credentials; empty members count as missing. */
export function secretsOf(entry: JsonObject, adapter: Adapter): Readonly<Record<string, string>> {
  const set = adapter.credentialSets?.find(({ needs }) => needs.every((name) => entry[name]));
  if (set === undefined) return {};
  const members = namesOf(set).map((name) => [name, entry[name]] as const);
  return Object.fromEntries(
    members.filter((pair): pair is [string, string] =>
      typeof pair[1] === "string" && pair[1] !== ""
    ),
  );
}

/** Private key lines shorter than this many characters are not treated as secrets. */
const MIN_KEY_LINE_CHARS = 16;

/** All strings in an entry that must never be sent to clients. */
function credentialsOf(entry: ProviderEntry, adapter: Adapter): string[] {
  // Shorter header values are not treated as secrets.
  const headers = Object.values(entry.headers)
    .flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)])
    .filter((value) => value.length >= MIN_SECRET_CHARS);
  return [
    ...keysOf(entry),
    ...Object.values(secretsOf(entry, adapter)),
    ...headers,
    ...privateKeyLines(entry),
  ];
}

/** The lines of a service account's private key, if its JSON is given in config.yaml directly. */
function privateKeyLines({ credentials }: JsonObject): string[] {
  if (typeof credentials !== "string" || !credentials.trimStart().startsWith("{")) return [];
  try {
    const { private_key: key }: { private_key?: unknown } = JSON.parse(credentials);
    if (typeof key !== "string") return [];
    return key.split(/\n|\\n/).filter((line) =>
      line.length >= MIN_KEY_LINE_CHARS && !line.startsWith("-----")
    );
  } catch {
    // The vendor's adapter reports invalid JSON.
    return [];
  }
}

function toModel(
  entry: ModelConfig,
  factsFrom: (base: string) => ModelFacts,
  listed?: ListedModel,
): TargetModel {
  const upstream = entry.upstream ?? entry.id;
  const base = entry.base_model ?? listed?.base ?? upstream;
  const known = withListed(factsFrom(base), listed?.facts);
  const model = { id: entry.id, upstream, base, facts: toFacts(entry, known) };
  return entry.api === undefined ? model : { ...model, api: entry.api };
}

/** Merges facts; the vendor's list takes precedence over the catalog. */
function withListed(catalogued: ModelFacts, listed: ModelFacts | undefined): ModelFacts {
  if (listed === undefined) return catalogued;
  const { capabilities, prices, ...facts } = listed;
  return {
    ...catalogued,
    ...facts,
    ...(capabilities && { capabilities: { ...catalogued.capabilities, ...capabilities } }),
    // The catalog also contains prices for long prompts and service tiers.
    ...(prices && { prices: { ...catalogued.prices, ...prices } }),
  };
}

/** Merges a model's facts: config.yaml takes precedence over other sources. */
function toFacts(entry: ModelConfig, catalogued: ModelFacts): ModelFacts {
  const { created, context_window, max_output_tokens, rejects_sampling_params } = entry;
  const { description, dimensions, display_name, max_inputs } = entry;
  return {
    ...catalogued,
    ...defined({ created, context_window, max_output_tokens, rejects_sampling_params }),
    ...defined({ description, dimensions, display_name, max_inputs }),
    ...(entry.capabilities === undefined ? {} : {
      capabilities: { ...catalogued.capabilities, ...defined(entry.capabilities) },
    }),
    ...(entry.prices === undefined ? {} : { prices: toPrices(entry.prices) }),
  };
}

function toTimeouts(entry: Omit<ProviderEntry["timeout"], "connect">): Timeouts {
  return { firstToken: entry.first_token, idle: entry.idle, total: entry.total };
}

/** Null means absent, as in a client's request. */
function withoutNulls(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}

/**
 * A provider's listed models, except those that config.yaml names. An ID that would refer to
 * another provider's model, such as `x@other`, is skipped.
 */
function selectListed(
  { named, selects }: ModelSelection,
  models: readonly ListedModel[],
  providers: ReadonlySet<string>,
): readonly ListedModel[] {
  const taken = new Set(named.map(({ id }) => id));
  return models.filter(({ id }) =>
    selects(id) && !taken.has(id) && readPinned(id, providers) === undefined
  );
}
