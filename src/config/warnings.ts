/** Warnings about valid configurations that are probably mistakes. */

import type { Config } from "./config.ts";

/** Warnings about providers and keys, printed at every start. */
export function toWarnings(config: Config): string[] {
  const providers = [...config.providers.values()].flatMap(({ settings, missingPath }) =>
    missingPath !== undefined && new URL(settings.baseUrl).pathname === "/"
      ? `providers.${settings.id}.base_url has no path; base URLs of this kind usually end in '${missingPath}'`
      : []
  );
  const keys = config.serviceKeys.flatMap(({ name, models }) =>
    models?.size === 0
      ? `The service key '${name}' cannot use any model: no model matches its 'models'`
      : []
  );
  return [...providers, ...keys];
}

/** All warnings of `sluice check`. The banner shows the additional ones in its own layout. */
export function toCheckWarnings(config: Config): string[] {
  const { models, providers, generatedKey } = config;
  const isMockOnly = [...providers.values()].every(({ adapter }) => adapter.simulated);
  return [
    ...(models.length === 0
      ? ["No model is enabled: every provider is disabled"]
      : isMockOnly
      ? ["Only the mock provider is enabled: it returns simulated responses"]
      : []),
    ...(generatedKey === undefined
      ? []
      : ["No service key is set: the gateway generates and prints a new one at every start"]),
    ...toWarnings(config),
  ];
}
