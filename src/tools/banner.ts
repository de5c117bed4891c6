/** The text that is printed at startup, and the report of `sluice check`. */

import { isConsoleOn } from "../config/server_settings.ts";
import { counted } from "../core/text.ts";
import type { Config, Provider, TargetGroup } from "../config/config.ts";
import type { Endpoint } from "../process/listener/endpoint.ts";
import { type UnsetKey, unsetVariable } from "../config/disabled_providers.ts";
import type { LogLevel } from "../core/log_level.ts";
import { isLoopback } from "../core/loopback.ts";
import { VERSION } from "../core/version.ts";
import { aligned } from "../providers/support_matrix.ts";
import { toCheckWarnings, toWarnings } from "../config/warnings.ts";

/** The facts that the banner shows about this start. */
export interface StartInfo {
  readonly hostname: string;
  readonly port: number;
  /** The open addresses of `server.listeners`; none if absent. */
  readonly others?: readonly Endpoint["address"][];
  /** Whether SLUICE_API_KEY in the environment is a service key of config.yaml. */
  readonly isKeyInShell: boolean;
  /** The number of workers, and their maximum under load. */
  readonly workers: { readonly first: number; readonly max: number };
  /** Whether the built-in configuration is used, because no file was found. */
  readonly isBuiltIn: boolean;
}

/** The startup text: address, key, models, a curl command to paste, and next steps. */
export function toBanner(config: Config, start: StartInfo): string {
  const { hostname, port, isKeyInShell, workers, isBuiltIn } = start;
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const reachable = host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host;
  const scheme = config.server.tls === undefined ? "http" : "https";
  const origin = `${scheme}://${reachable}:${port}`;
  const base = `${origin}/v1`;
  return [
    `Sluice listens on ${scheme}://${host}:${port}`,
    "",
    `  base URL  ${base}`,
    `  key       ${keyLine(config)}`,
    `  config    ${config.source}${isBuiltIn ? NO_FILE : ""}`,
    ...toListeners(config, start.others ?? []).map((listener) => `  also on   ${listener}`),
    ...(hasConsole(config, hostname) ? [`  console   ${origin}/`] : []),
    ...(workers.max === 1 ? [] : [`  workers   ${toWorkers(workers)}`]),
    "",
    toModels(config),
    "",
    ...toSources(config),
    ...toLists(config),
    ...toDisabledLine(config),
    ...toWarningLines(toWarnings(config)),
    ...toCurl(config, base, isKeyInShell),
    "Next steps:",
    "",
    ...toNextSteps(config).map((step) => `  ${step}`),
    "",
  ].join("\n");
}

/** The same for a log of messages. */
export function toStartMessages(
  config: Config,
  { hostname, port, others = [] }: StartInfo,
): readonly { readonly message: string; readonly level: LogLevel }[] {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const scheme = config.server.tls === undefined ? "http" : "https";
  const { source, models, providers, generatedKey } = config;
  const said = [
    `Sluice ${VERSION} listens on ${scheme}://${host}:${port}`,
    ...toListeners(config, others).map((listener) => `It also listens on ${listener}`),
    `Loaded ${source}: ${counted(models.length, "model")}, ${counted(providers.size, "provider")}`,
    ...(generatedKey === undefined ? [] : [`The service key of this run is ${generatedKey}`]),
    ...toDisabledLine(config).filter((line) => line !== "").map((line) => line.trim()),
  ];
  return [
    ...said.map((message) => ({ message, level: "info" as const })),
    ...toWarnings(config).map((message) => ({ message, level: "warn" as const })),
  ];
}

/** The listeners besides the main one, with the parts that they serve. */
function toListeners(
  { server }: Config,
  others: readonly Endpoint["address"][],
): readonly string[] {
  return others.map((address, index) => {
    const { tls, rules } = server.listeners[index] ?? {};
    const parts = [...rules?.serves ?? []].join(", ");
    if ("path" in address) return `unix:${address.path} (${parts})`;
    const host = address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname;
    return `${tls === undefined ? "http" : "https"}://${host}:${address.port} (${parts})`;
  });
}

function hasConsole({ server }: Config, hostname: string): boolean {
  return server.serves.has("console") && isConsoleOn(server, isLoopback(hostname));
}

function toWorkers({ first, max }: StartInfo["workers"]): string {
  return first === max ? String(max) : `${first}, up to ${max} under load`;
}

const NO_FILE = "  (no config.yaml found; 'sluice init' prints one to start with)";

/** The report of `sluice check` for a valid configuration. */
export function toReport(config: Config): string {
  const disabled = [
    ...config.disabled.map(({ id, reason }) => [id, reason]),
    ...config.unset.keys.map((key) => [titleOf(key), key.reason]),
    ...config.disabledAliases.map(({ id, reason }) => [`alias ${id}`, reason]),
  ];
  return [
    `${config.source} is valid`,
    `Facts about models: ${config.catalogue.path ?? "built in"}, of ${config.catalogue.date}`,
    "",
    toModels(config),
    "",
    ...toSources(config),
    ...toLists(config),
    ...(disabled.length === 0
      ? []
      : [indented(aligned([["DISABLED", "REASON"], ...disabled])), ""]),
    ...toWarningLines(toCheckWarnings(config)),
  ].join("\n");
}

/** All models and aliases with their targets in order, and how equal targets are balanced. */
function toModels(config: Config): string {
  const ids = [...config.models.map(({ id }) => id), ...config.aliasPatterns];
  const models = ids.flatMap((id) => {
    const groups = config.route(id)?.groups ?? [];
    const rows = groups.flatMap(({ targets, balance }, group) =>
      targets.map(({ target: { provider, model } }) => {
        const order = targets.length === 1 ? `${group + 1}` : `${group + 1} ${balance}`;
        return [provider.settings.id, model.upstream, ...groups.some(isBalanced) ? [order] : []];
      })
    );
    return rows.map((row, index) => [index === 0 ? id : "", ...row]);
  });
  if (models.length === 0) return "  No model is enabled.";
  const header = ["MODEL", "PROVIDER", "UPSTREAM"];
  const hasOrder = models.some(({ length }) => length > header.length);
  return indented(aligned([hasOrder ? [...header, "ORDER"] : header, ...models]));
}

/** The sources of credentials of providers without keys. */
function toSources({ providers }: Config): string[] {
  const rows = [...providers.values()].flatMap(({ ambient, settings: { id } }) =>
    ambient?.source === undefined ? [] : [[id, ambient.source]]
  );
  return rows.length === 0 ? [] : [indented(aligned([["PROVIDER", "CREDENTIALS"], ...rows])), ""];
}

/** The providers whose models come from the vendor's list, with the age and state of the lists. */
function toLists({ loadedAt, providers }: Config): string[] {
  const rows = [...providers.values()].flatMap(({ list, models, settings: { id } }) =>
    list === undefined ? [] : [[id, `${models.length}`, listState(list, loadedAt)]]
  );
  if (rows.length === 0) return [];
  return [indented(aligned([["PROVIDER", "MODELS", "VENDOR'S LIST"], ...rows])), ""];
}

function listState({ failure, readAt }: NonNullable<Provider["list"]>, now: number): string {
  const age = readAt === undefined ? "not read yet" : `read ${toAge(now - readAt)} ago`;
  if (failure === undefined) return age;
  return `${readAt === undefined ? "" : `${age}, stale: `}${failure}`;
}

function toAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function isBalanced({ targets, balance }: TargetGroup): boolean {
  return targets.length > 1 && balance !== "in_order";
}

function keyLine({ generatedKey, serviceKeys, unset }: Config): string {
  if (generatedKey === undefined) {
    return serviceKeys.length === 0
      ? "none in the configuration ('sluice keys create NAME' creates one in the store)"
      : serviceKeys.map((key) => key.name).join(", ");
  }
  const advice = unsetVariable(unset.keys.map(({ reason }) => reason)) ??
    "server.keys in config.yaml";
  return `${generatedKey}  (generated for this run; set ${advice} to keep the same key)`;
}

function toDisabledLine(
  { disabled, disabledAliases, generatedKey, unset }: Config,
): string[] {
  // The line with the generated key also names the variable to set.
  const keys = unset.keys.filter(({ list }) => generatedKey === undefined || list !== "keys");
  const names = [
    ...disabled.map(({ id }) => id),
    ...keys.map(titleOf),
    ...disabledAliases.map(({ id }) => `alias ${id}`),
  ];
  if (names.length === 0) return [];
  return [`  Disabled: ${names.join(", ")} ('sluice check' prints the reasons)`, ""];
}

function titleOf({ list, name }: UnsetKey): string {
  return `${list === "keys" ? "service key" : "admin key"} ${name}`;
}

function toWarningLines(warnings: readonly string[]): string[] {
  return warnings.length === 0 ? [] : [...warnings.map((text) => `  Warning: ${text}`), ""];
}

/** Uses the first model whose name needs no escaping in a shell. */
function toCurl(config: Config, base: string, isKeyInShell: boolean): string[] {
  const model = config.models.find(({ id }) => /^[\w.@/:-]+$/.test(id))?.id;
  if (model === undefined) return [];
  const key = config.generatedKey ?? (isKeyInShell ? "$SLUICE_API_KEY" : "YOUR-SERVICE-KEY");
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

/** Next steps: set the service key for clients, and a vendor's key if one is missing. */
function toNextSteps({ generatedKey, disabled }: Config): string[] {
  const variable = unsetVariable(disabled.map(({ reason }) => reason));
  return [
    `export SLUICE_API_KEY=${generatedKey ?? "YOUR-SERVICE-KEY"}   # for your clients`,
    ...(variable === undefined
      ? []
      : [`add a vendor's key to .env, such as ${variable}=…, and restart`]),
  ];
}

function indented(text: string): string {
  return text.replace(/^/gm, "  ");
}
