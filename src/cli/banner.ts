/** What a person reads when the gateway starts, and what `sluice check` prints. */

import type { Config } from "../config/config.ts";
import { aligned } from "../providers/support_matrix.ts";

/**
 * The address, the key, every model and a command that works as pasted.
 *
 * @param inShell whether the user's shell knows SLUICE_API_KEY
 * @param workers how many threads answer
 */
export function toBanner(
  config: Config,
  address: { hostname: string; port: number },
  inShell: boolean,
  workers = 1,
): string {
  const host = address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname;
  const reachable = host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host;
  const base = `http://${reachable}:${address.port}/v1`;
  return [
    `Sluice listens on http://${host}:${address.port}`,
    "",
    `  base URL  ${base}`,
    `  key       ${keyLine(config)}`,
    `  config    ${config.source}`,
    ...(workers === 1 ? [] : [`  workers   ${workers}`]),
    "",
    toTable(config),
    "",
    ...toCurl(config, base, inShell),
    "",
  ].join("\n");
}

/** Models and what answers them, a chain in its order, then what is off, and why. */
export function toTable(config: Config): string {
  const models = config.models.flatMap(({ id }) =>
    (config.resolve(id) ?? []).map(({ target }, index) => [
      index === 0 ? id : "",
      target.provider.settings.id,
      target.model.upstream,
    ])
  );
  const off = [
    ...config.off.map(({ id, reason }) => [id, reason]),
    ...config.offAliases.map(({ id, reason }) => [`alias ${id}`, reason]),
  ];
  const on = models.length === 0
    ? "No model is on."
    : indented(aligned([["MODEL", "PROVIDER", "UPSTREAM"], ...models]));
  return off.length === 0 ? on : `${on}\n\n${indented(aligned([["OFF", "WHY"], ...off]))}`;
}

function keyLine(config: Config): string {
  if (config.generatedKey === undefined) {
    return config.serviceKeys.map((key) => key.name).join(", ");
  }
  return `${config.generatedKey}  (made for this run; set SLUICE_API_KEY to keep one)`;
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
  ];
}

function indented(text: string): string {
  return text.replace(/^/gm, "  ");
}
