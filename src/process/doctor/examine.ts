/** Examines what a gateway with this configuration needs, for `sluice doctor` and `check --live`. */

import { type Config, ConfigErrors } from "../../config/config.ts";
import { toCheckWarnings } from "../../config/warnings.ts";
import { Redactor } from "../../core/redactor.ts";
import type { Endpoint } from "../listener/endpoint.ts";
import { readRequiredClient } from "../stores/required_client.ts";
import { StartError } from "../system/startup_error.ts";
import { examineClocks } from "./clocks.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { examineListeners } from "./listeners.ts";
import { examineStores } from "./stores.ts";
import { examineSystem } from "./system.ts";
import { examineVendors } from "./vendors.ts";

/** Where the configuration comes from, and what is known about running gateways. */
export interface Surroundings {
  readonly readConfig: () => Promise<Config>;
  readonly endpointsOf: (config: Config) => readonly Endpoint[];
  /** Whether a healthy gateway answers at the address of an endpoint. */
  readonly isGateway: (endpoint: Endpoint) => Promise<boolean>;
}

/** All findings. A configuration with errors is one; then only the system is examined. */
export async function examine(surroundings: Surroundings): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = await surroundings.readConfig();
  } catch (thrown) {
    return [...await toErrors(thrown), ...examineSystem(undefined)];
  }
  return [
    ...examineConfig(config),
    ...await examineLive(config, surroundings),
    ...examineSystem(config),
  ];
}

/** What cannot be known from the configuration alone: vendors, stores, ports and clocks. */
export async function examineLive(
  config: Config,
  { endpointsOf, isGateway }: Omit<Surroundings, "readConfig">,
): Promise<readonly Finding[]> {
  const [vendors, stores, listeners] = await Promise.all([
    examineVendors(config),
    examineStores(config),
    examineListeners(endpointsOf(config), isGateway),
  ]);
  const clocks = examineClocks([...vendors.clocks, ...stores.clocks]);
  const redactor = new Redactor(secretsOf(config));
  return [...vendors.findings, ...stores.findings, ...listeners, ...clocks]
    .map((finding) => ({ ...finding, text: redactor.redact(finding.text) }));
}

const { ok, info, warn, fail } = findingsOf("configuration");

function examineConfig(config: Config): readonly Finding[] {
  const { disabled, disabledAliases, models, providers, source } = config;
  return [
    ok(source, `is valid: ${models.length} models and aliases of ${providers.size} providers`),
    ...disabled.map(({ id, reason }) => info(`provider ${id}`, `is disabled: ${reason}`)),
    ...disabledAliases.map(({ id, reason }) => warn(`alias ${id}`, `is disabled: ${reason}`)),
    ...toCheckWarnings(config, readRequiredClient()).map((text) => warn(source, text)),
  ];
}

async function toErrors(thrown: unknown): Promise<readonly Finding[]> {
  if (thrown instanceof ConfigErrors) {
    const { message } = await thrown.located();
    const [title = "", ...lines] = message.split("\n");
    return lines.map((line) => fail(title.replace(/:$/, ""), line.trim()));
  }
  if (thrown instanceof StartError) return [fail("configuration", thrown.message)];
  throw thrown;
}

/** Texts that must not appear in a report. Service keys are known by their digests only. */
function secretsOf({ providers, sharedStore, store }: Config): readonly string[] {
  return [
    ...[...providers.values()].flatMap(({ keys, secrets }) => [...keys, ...Object.values(secrets)]),
    ...(sharedStore?.password === undefined ? [] : [sharedStore.password]),
    ...(store?.kind === "postgres" && store.password !== "" ? [store.password] : []),
  ];
}
