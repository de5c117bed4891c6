/** What a person reads when the gateway starts, and what `sluice check` prints. */

import type { Config } from "../config/config.ts";
import { aligned } from "../providers/support_matrix.ts";
import { toCheckWarnings, toWarnings } from "../config/warnings.ts";

/** How the gateway was started, as far as the banner tells. */
export interface Started {
  readonly hostname: string;
  readonly port: number;
  /** Whether the user's shell knows SLUICE_API_KEY. */
  readonly inShell: boolean;
  /** Threads that answer. */
  readonly workers: number;
  /** Whether no file was found, so that the default configuration serves. */
  readonly builtIn: boolean;
}

/** The address, the key, every model, a command that works as pasted, and what to do next. */
export function toBanner(config: Config, started: Started): string {
  const { hostname, port, inShell, workers, builtIn } = started;
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const reachable = host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host;
  const base = `http://${reachable}:${port}/v1`;
  return [
    `Sluice listens on http://${host}:${port}`,
    "",
    `  base URL  ${base}`,
    `  key       ${keyLine(config)}`,
    `  config    ${config.source}${builtIn ? NO_FILE : ""}`,
    ...(workers === 1 ? [] : [`  workers   ${workers}`]),
    "",
    toModels(config),
    "",
    ...toDisabledLine(config),
    ...toWarningLines(toWarnings(config)),
    ...toCurl(config, base, inShell),
    "Next steps:",
    "",
    ...toNextSteps(config).map((step) => `  ${step}`),
    "",
  ].join("\n");
}

const NO_FILE = "  (there is no config.yaml here; 'sluice init' prints one to begin with)";

/** What `sluice check` prints of a valid configuration. */
export function toReport(config: Config): string {
  const disabled = [
    ...config.off.map(({ id, reason }) => [id, reason]),
    ...config.offAliases.map(({ id, reason }) => [`alias ${id}`, reason]),
  ];
  return [
    `${config.source} is valid`,
    "",
    toModels(config),
    "",
    ...(disabled.length === 0 ? [] : [indented(aligned([["DISABLED", "WHY"], ...disabled])), ""]),
    ...toWarningLines(toCheckWarnings(config)),
  ].join("\n");
}

/** Models and what answers them, a chain in its order. */
function toModels(config: Config): string {
  const models = config.models.flatMap(({ id }) =>
    (config.resolve(id) ?? []).map(({ target }, index) => [
      index === 0 ? id : "",
      target.provider.settings.id,
      target.model.upstream,
    ])
  );
  return models.length === 0
    ? "  No model is enabled."
    : indented(aligned([["MODEL", "PROVIDER", "UPSTREAM"], ...models]));
}

function keyLine(config: Config): string {
  if (config.generatedKey === undefined) {
    return config.serviceKeys.map((key) => key.name).join(", ");
  }
  return `${config.generatedKey}  (made for this run; set SLUICE_API_KEY to keep one)`;
}

function toDisabledLine({ off, offAliases }: Config): string[] {
  const names = [...off.map(({ id }) => id), ...offAliases.map(({ id }) => `alias ${id}`)];
  if (names.length === 0) return [];
  return [`  Disabled: ${names.join(", ")} ('sluice check' says why)`, ""];
}

function toWarningLines(warnings: readonly string[]): string[] {
  return warnings.length === 0 ? [] : [...warnings.map((text) => `  Warning: ${text}`), ""];
}

/** A pinned or aliased name needs no care in a shell, a quote in an ID would. */
function toCurl(config: Config, base: string, inShell: boolean): string[] {
  const model = config.models.find(({ id }) => /^[\w.@/:-]+$/.test(id))?.id;
  if (model === undefined) return [];
  const key = config.generatedKey ?? (inShell ? "$SLUICE_API_KEY" : "YOUR-SERVICE-KEY");
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] });
  return [
    "Try it:",
    "",
    `  curl ${base}/chat/completions \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    `    -d '${body}'`,
    "",
  ];
}

/** The key for clients, then a vendor's key where one is missing. */
function toNextSteps({ generatedKey, off }: Config): string[] {
  const variable = off.flatMap(({ reason }) => /^(\w+) is not set$/.exec(reason)?.[1] ?? [])[0];
  return [
    `export SLUICE_API_KEY=${generatedKey ?? "YOUR-SERVICE-KEY"}   # for your clients`,
    ...(variable === undefined
      ? []
      : [`put a vendor's key into .env, such as ${variable}=…, and start again`]),
  ];
}

function indented(text: string): string {
  return text.replace(/^/gm, "  ");
}
