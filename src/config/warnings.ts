/** What is valid in a configuration and is probably not what the operator wants. */

import type { Config } from "./config.ts";

/** Warnings about providers and keys, for every start. */
export function toWarnings(config: Config): string[] {
  const providers = [...config.providers.values()].flatMap(({ settings, missingPath }) =>
    missingPath !== undefined && new URL(settings.baseUrl).pathname === "/"
      ? `providers.${settings.id}.base_url has no path; it usually ends in '${missingPath}'`
      : []
  );
  const keys = config.serviceKeys.flatMap(({ name, models }) =>
    models?.size === 0 ? `The service key '${name}' may use no model: none fits its 'models'` : []
  );
  return [...providers, ...keys];
}

/** Warnings that `sluice check` adds: the banner says the same in other words. */
export function toCheckWarnings(config: Config): string[] {
  const { models, providers, generatedKey } = config;
  const isMockOnly = [...providers.values()].every(({ adapter }) => adapter.simulated);
  return [
    ...(models.length === 0
      ? ["No model is enabled: every provider is disabled"]
      : isMockOnly
      ? ["Only the mock provider is enabled: its answers are made up"]
      : []),
    ...(generatedKey === undefined
      ? []
      : ["No service key is set: a new one is made and printed at every start"]),
    ...toWarnings(config),
  ];
}
