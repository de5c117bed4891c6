/** Providers and their models, ready to be called. */

import type { JsonObject } from "../chat/chat.ts";
import type {
  Adapter,
  ModelFacts,
  ProviderDefaults,
  ProviderSettings,
  TargetModel,
} from "../providers/contract/adapter.ts";
import { factsOf } from "../providers/shared/catalogue.ts";
import { type DisabledReason, namesOf } from "./disabled_providers.ts";
import { Redactor } from "../core/redactor.ts";
import type { ConnectionRules } from "../upstream/transport.ts";
import { toConnectionRules } from "./connection_rules.ts";
import { COMMON_MEMBERS, type ModelConfig, type ProviderEntry } from "./schema.ts";

/** Limits of one try, in milliseconds. */
export interface Timeouts {
  /** Until a stream's first event, connecting included. */
  readonly firstToken: number;
  /** The longest gap between two packets. */
  readonly idle: number;
  /** The whole answer. */
  readonly total: number;
}

/** A vendor as the operator configured it. */
export interface Provider {
  readonly settings: ProviderSettings;
  readonly adapter: Adapter;
  /** The pool of vendor keys; empty for a vendor that needs none. */
  readonly keys: readonly string[];
  /** Credentials of another form, by their name in config.yaml; never empty text. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Sent with every request to the vendor. */
  readonly headers: Readonly<Record<string, string>>;
  /** Knows every credential of the provider. */
  readonly redactor: Redactor;
  readonly connection: ConnectionRules;
  readonly timeouts: Timeouts;
  /** Further tries after a failure. */
  readonly retries: number;
  /** The longest wait before a retry, in milliseconds, that the vendor may ask for. */
  readonly maxWait: number;
  readonly models: readonly TargetModel[];
  /** The path with a version, such as `/v1`, that `base_url` lacks and may need. */
  readonly missingPath?: string | undefined;
}

/** One model of one provider: where a request can go. */
export interface Target {
  readonly provider: Provider;
  readonly model: TargetModel;
  /** Request fields for callers that do not send them. */
  readonly params: JsonObject | undefined;
  readonly timeouts: Timeouts;
  readonly retries: number;
}

/** A provider that lacks its credentials, which is no fault. */
export interface OffProvider extends DisabledReason {
  readonly id: string;
  readonly kind: string;
}

/** The name of one provider's model. */
export function pinnedForm(model: string, provider: string): string {
  return `${model}@${provider}`;
}

/** Makes a provider's targets, in the order of its models. */
export function toTargets(id: string, entry: ProviderEntry, adapter: Adapter): readonly Target[] {
  const entries = entry.models.map((model): ModelConfig =>
    typeof model === "string" ? { id: model } : model
  );
  const models = entries.map((model) => toModel(model, adapter.kind));
  const secret = new Set(adapter.credentialSets?.flatMap(namesOf));
  const provider: Provider = {
    settings: {
      id,
      baseUrl: entry.base_url ?? adapter.defaults.baseUrl ?? "",
      options: Object.fromEntries(
        Object.entries(entry).filter(([name]) => !COMMON_MEMBERS.has(name) && !secret.has(name)),
      ),
    },
    adapter,
    keys: keysOf(entry),
    secrets: secretsOf(entry, adapter),
    headers: inLowerCase(entry.headers),
    redactor: new Redactor(credentialsOf(entry, adapter)),
    connection: toConnectionRules(entry),
    timeouts: toTimeouts(entry.timeout),
    retries: entry.retries,
    maxWait: entry.max_wait,
    models,
    missingPath: missingPath(entry.base_url, adapter.defaults),
  };
  return entries.map((model, index) => ({
    provider,
    model: models[index] ?? toModel(model, adapter.kind),
    params: model.params === undefined ? undefined : withoutNulls(model.params),
    timeouts: model.timeout === undefined
      ? provider.timeouts
      : toTimeouts({ ...entry.timeout, ...defined(model.timeout) }),
    retries: model.retries ?? entry.retries,
  }));
}

/** The usual path of a kind whose URLs have a version in it, unless this URL has one as well. */
function missingPath(
  baseUrl: string | undefined,
  { usualPath, baseUrl: usualUrl = "" }: ProviderDefaults,
): string | undefined {
  const path = usualPath ?? URL.parse(usualUrl)?.pathname ?? "";
  if (baseUrl === undefined || !VERSION.test(path)) return undefined;
  return VERSION.test(new URL(baseUrl).pathname) ? undefined : path;
}

/** A segment such as `v1` or `v1beta`. */
const VERSION = /\/v\d/;

/** As the gateway writes its own, so that a name stands for one header, however it is written. */
function inLowerCase(headers: ProviderEntry["headers"]): Provider["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** The vendor keys of an entry; an empty one counts as none. */
export function keysOf(entry: ProviderEntry): readonly string[] {
  const { api_key: keys = [] } = entry;
  return (typeof keys === "string" ? [keys] : keys).filter((key) => key !== "");
}

/** The first set of credentials that is complete; an empty one counts as none. */
export function secretsOf(entry: JsonObject, adapter: Adapter): Readonly<Record<string, string>> {
  const set = adapter.credentialSets?.find(({ needs }) => needs.every((name) => entry[name]));
  if (set === undefined) return {};
  const found = namesOf(set).map((name) => [name, entry[name]] as const);
  return Object.fromEntries(
    found.filter((pair): pair is [string, string] => typeof pair[1] === "string" && pair[1] !== ""),
  );
}

/** Header values shorter than this many characters are words, not secrets. */
const MIN_SECRET_CHARS = 8;
/** Shorter lines of a private key say little of it. */
const MIN_KEY_LINE_CHARS = 16;

/** Every text of an entry that no caller may see. */
function credentialsOf(entry: ProviderEntry, adapter: Adapter): string[] {
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

/** The lines of a service account's private key, where the account stands in config.yaml itself. */
function privateKeyLines({ credentials }: JsonObject): string[] {
  if (typeof credentials !== "string" || !credentials.trimStart().startsWith("{")) return [];
  try {
    const { private_key: key }: { private_key?: unknown } = JSON.parse(credentials);
    if (typeof key !== "string") return [];
    return key.split(/\n|\\n/).filter((line) =>
      line.length >= MIN_KEY_LINE_CHARS && !line.startsWith("-----")
    );
  } catch {
    // What is wrong with it is said when it is used.
    return [];
  }
}

function toModel(entry: ModelConfig, kind: string): TargetModel {
  const upstream = entry.upstream ?? entry.id;
  const base = entry.base_model ?? upstream;
  const model = { id: entry.id, upstream, base, facts: toFacts(entry, factsOf(kind, base)) };
  return entry.api === undefined ? model : { ...model, api: entry.api };
}

/** What the operator says of a model stands above what the catalogue says. */
function toFacts(entry: ModelConfig, known: ModelFacts): ModelFacts {
  const { created, context_window, max_output_tokens, rejects_sampling_params } = entry;
  return {
    ...known,
    ...defined({ created, context_window, max_output_tokens, rejects_sampling_params }),
    ...(entry.capabilities === undefined ? {} : {
      capabilities: { ...known.capabilities, ...defined(entry.capabilities) },
    }),
    ...(entry.prices === undefined ? {} : { prices: defined(entry.prices) }),
  };
}

function toTimeouts(entry: Omit<ProviderEntry["timeout"], "connect">): Timeouts {
  return { firstToken: entry.first_token, idle: entry.idle, total: entry.total };
}

/** As in a caller's request, null stands for absent. */
function withoutNulls(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}

type Defined<Members> = { [Name in keyof Members]: Exclude<Members[Name], undefined> };

function defined<Members extends object>(members: Members): Defined<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<Members>;
}
