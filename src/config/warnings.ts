/** Warnings about valid configurations that are probably mistakes. */

import type { Config } from "./config.ts";
import { reachableHost } from "./listeners.ts";
import { MIN_SECRET_CHARS } from "../core/redactor.ts";
import { secretsOfRoute } from "./vendor_route.ts";
import type { ServiceKey } from "./keys.ts";
import { ModelPattern, type ModelPatterns } from "./model_patterns.ts";
import { readPinned } from "./disabled_names.ts";

/** Warnings about providers and keys, printed at every start. */
export function toWarnings(config: Config): string[] {
  const providers = [...config.providers.values()].flatMap(({ settings, missingPath }) =>
    missingPath !== undefined && new URL(settings.baseUrl).pathname === "/"
      ? `providers.${settings.id}.base_url has no path; base URLs of this kind usually end in '${missingPath}'`
      : []
  );
  const others = [...config.providers.values()].flatMap(
    ({ adapter, settings: { id, baseUrl } }) => {
      const { otherPath } = adapter.defaults;
      return otherPath !== undefined && new URL(baseUrl).pathname.endsWith(otherPath)
        ? `providers.${id}.base_url ends in '${otherPath}', where the server has a different API ` +
          `from that ` +
          `of kind '${adapter.kind}': remove '${otherPath}'`
        : [];
    },
  );
  const isUnusable = oncePerList((models) => hasNoModels({ models }, config));
  const keys = config.serviceKeys.flatMap((key) =>
    isUnusable(key.models)
      ? `The service key '${key.name}' cannot use any model: no model matches its 'models'`
      : []
  );
  return [
    ...[...providers, ...others],
    ...toNameWarnings(config),
    ...toShortSecretWarnings(config),
    ...keys,
    ...toPriceWarnings(config),
    ...toStateWarnings(config),
    ...(config.catalogue.isOlder
      ? [`catalogue: the file is from ${config.catalogue.date}, and the built-in catalog is newer`]
      : []),
    ...config.formerNames,
    ...config.unusedKeys,
  ];
}

/** Warnings about vendor credentials that are too short to be redacted in other text. */
function toShortSecretWarnings({ providers }: Config): string[] {
  return [...providers.values()].flatMap(({ settings: { id }, keys, secrets, connection }) => {
    const values = [
      ...keys.map((key) => ["api_key", key] as const),
      ...Object.entries(secrets),
      ...secretsOfRoute({ proxy: connection.route?.proxy }).map((text) => ["proxy", text] as const),
    ];
    const short = values.filter(([, { length }]) => length > 0 && length < MIN_SECRET_CHARS);
    return [...new Set(short.map(([name]) => name))].map((name) =>
      `providers.${id}.${name} has a secret of fewer than ${MIN_SECRET_CHARS} characters, which ` +
      "is redacted only where it stands alone"
    );
  });
}

/** Whether a key cannot use any model, not even through a wildcard alias. */
export function hasNoModels(
  { models }: Pick<ServiceKey, "models">,
  config: Pick<Config, "aliasPatterns" | "allowedBy">,
): boolean {
  if (models === undefined) return false;
  for (const _ of config.allowedBy(models)) return false;
  return !models.patterns.some((pattern) => fitsAlias(pattern, config));
}

/** Keys share equal lists, so each list is checked once. */
function oncePerList<Value>(
  valueOf: (models: ModelPatterns | undefined) => Value,
): (models: ModelPatterns | undefined) => Value {
  const values = new Map<ModelPatterns | undefined, { readonly value: Value }>();
  return (models) => {
    let found = values.get(models);
    if (found === undefined) values.set(models, found = { value: valueOf(models) });
    return found.value;
  };
}

/** Warnings about names that end in `@` and the ID of a provider that they do not reach. */
function toNameWarnings({ aliasPatterns, models, providers, ...config }: Config): string[] {
  const listed = [...providers.values()].flatMap(({ settings: { id }, models }) =>
    models.flatMap((model) => {
      const pinned = readPinned(model.id, config.providerIds);
      return pinned === undefined || pinned.provider === id ? [] : [
        `providers.${id}.models: '${model.id}' is a model of '${id}', although its name ends in ` +
        `the ID of the provider '${pinned.provider}'`,
      ];
    })
  );
  const aliases = models.flatMap(({ id }) => {
    const pinned = config.aliasOf(id) === id ? readPinned(id, config.providerIds) : undefined;
    const targets = pinned === undefined ? [] : config.resolve(id) ?? [];
    const others = new Set(targets.map(({ target: { provider } }) => provider.settings.id));
    others.delete(pinned?.provider ?? "");
    return pinned === undefined || others.size === 0 ? [] : [
      `aliases.${id}: has targets at ${[...others].map((other) => `'${other}'`).join(", ")}, ` +
      `although its name ends in the ID of the provider '${pinned.provider}'`,
    ];
  });
  const patterns = aliasPatterns.flatMap((id) => {
    const { provider } = readPinned(id, config.providerIds) ?? {};
    return provider === undefined ? [] : [
      `aliases.${id}: matches no name, because names that end in '@${provider}' only reach the ` +
      `provider '${provider}'`,
    ];
  });
  return [...listed, ...aliases, ...patterns];
}

/** The maximum number of models that a warning names. */
const MAX_NAMED_MODELS = 5;

/** A warning for each key whose budget excludes models that it could otherwise use. */
function toPriceWarnings({ models, serviceKeys, allowedBy, readPinned }: Config): string[] {
  const targets = new Map(models.map(({ target }) => [target.model.id, target]));
  const unpriced = [...targets].flatMap(([id, { model }]) =>
    model.facts.prices === undefined ? [id] : []
  );
  const unpricedOf = oncePerList((models) => {
    if (models === undefined) return unpriced;
    const allowed = new Set([...allowedBy(models)].map((id) => readPinned(id)?.model ?? id));
    return unpriced.filter((id) => allowed.has(id));
  });
  return serviceKeys.flatMap((key) => {
    if (key.budget === undefined || key.budget.unknown_prices === "allow") return [];
    const excluded = unpricedOf(key.models);
    if (excluded.length === 0) return [];
    const named = excluded.slice(0, MAX_NAMED_MODELS).map((id) => `'${id}'`).join(", ");
    const others = excluded.length - MAX_NAMED_MODELS;
    return [
      `The service key '${key.name}' cannot use ${named}${
        others > 0 ? ` and ${others} more` : ""
      }: ` +
      "it has a budget, and the prices are unknown; set 'prices' for the models, or " +
      "'unknown_prices: allow' in the budget",
    ];
  });
}

/** Whether a wildcard alias may match names that a key's pattern matches. */
function fitsAlias(pattern: string, { aliasPatterns }: Pick<Config, "aliasPatterns">): boolean {
  return aliasPatterns.some((alias) =>
    new ModelPattern(pattern).matches(alias) || new ModelPattern(alias).matches(pattern)
  );
}

/**
 * A warning if replicas share limits but cannot share the state that the gateway keeps for clients.
 */
function toStateWarnings({ sharedStore, server }: Config): string[] {
  return sharedStore === undefined || server.reasoning_state.key !== undefined ? [] : [
    "Replicas do not share reasoning state and answers, since 'server.reasoning_state.key' is not set",
  ];
}

/** All warnings of `sluice check`. The banner shows the additional ones in its own layout. */
export function toCheckWarnings(config: Config): string[] {
  const { models, providers, generatedKey, server } = config;
  const isMockOnly = [...providers.values()].every(({ adapter }) => adapter.simulated);
  return [
    ...(models.length === 0
      ? ["No model is enabled: every provider is disabled"]
      : isMockOnly
      ? ["Only the mock provider is enabled: it returns simulated responses"]
      : []),
    // The gateway does not start without a key if other machines can connect.
    ...(generatedKey === undefined || reachableHost(server, server.host) !== undefined
      ? []
      : ["No service key is set: the gateway generates and prints a new one at every start"]),
    ...toApiNotes(config),
    ...toWarnings(config),
  ];
}

/**
 * The providers that may support the Responses API, which is unknown until the server has answered.
 */
function toApiNotes({ providers }: Config): string[] {
  return [...providers.values()].flatMap(({ adapter, models, settings }) =>
    models.some((model) => adapter.native?.("responses", model, settings)?.mayBeAbsent)
      ? [
        `providers.${settings.id}: POST /v1/responses is forwarded; if the server answers 404 or ` +
        "405, it is converted to chat completions. Set 'api' to 'responses' or 'chat' to decide",
      ]
      : []
  );
}
