/**
 * Examines what a gateway with this configuration needs, for `sluice doctor` and `check --live`.
 */

import { counted } from "../../core/text.ts";
import { type Config, ConfigErrors } from "../../config/config.ts";
import { toCheckWarnings } from "../../config/warnings.ts";
import { Redactor } from "../../core/redactor.ts";
import type { Endpoint } from "../../process/listener/endpoint.ts";
import {
  findEnvironmentFaults,
  findStartFaults,
  type StartAddress,
  type StartFault,
} from "../../process/start_faults.ts";
import type { Environment } from "../../process/system/files.ts";
import { examineClocks } from "./clocks.ts";
import { examineSystem, type Finding, findingsOf } from "./system.ts";
import { examineListeners } from "./listeners.ts";
import { examineStores } from "./stores.ts";
import { examineVendors } from "./vendors.ts";
import { StartError } from "../../process/system/stdio.ts";

/** Where the configuration comes from, and what is known about running gateways. */
export interface DoctorEnvironment {
  readonly env: Environment;
  readonly readConfig: () => Promise<Config>;
  /** @throws {StartError} when a variable of the environment is not an address. */
  readonly addressOf: (config: Config) => StartAddress;
  /** Whether a healthy gateway answers at the address of an endpoint. */
  readonly isGateway: (endpoint: Endpoint) => Promise<boolean>;
}

/** All findings. A configuration with errors is one; then only the system is examined. */
export async function examine(surroundings: DoctorEnvironment): Promise<readonly Finding[]> {
  const around = toFailures(findEnvironmentFaults(surroundings.env));
  let config: Config;
  let address: StartAddress;
  try {
    config = await surroundings.readConfig();
    address = surroundings.addressOf(config);
  } catch (thrown) {
    return [...around, ...await toErrors(thrown), ...examineSystem(undefined)];
  }
  return [
    ...around,
    ...examineConfig(config),
    ...toFailures(findStartFaults(config, address)),
    ...await examineLive(config, address.endpoints, surroundings.isGateway),
    ...examineSystem(config),
  ];
}

function toFailures(faults: readonly StartFault[]): readonly Finding[] {
  return faults.map(({ area, text }) => findingsOf(area).fail("start", text));
}

/**
 * What only connections and ports show: vendors, stores, listeners and clocks. What prevents a
 * start without them is left out.
 */
export async function examineLive(
  config: Config,
  endpoints: readonly Endpoint[],
  isGateway: DoctorEnvironment["isGateway"],
): Promise<readonly Finding[]> {
  const [vendors, stores, listeners] = await Promise.all([
    examineVendors(config),
    examineStores(config),
    examineListeners(endpoints, isGateway),
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
    ok(
      source,
      `is valid: ${counted(models.length, "model or alias", "models and aliases")} of ${
        counted(providers.size, "provider")
      }`,
    ),
    ...disabled.map(({ id, reason }) => info(`provider ${id}`, `is disabled: ${reason}`)),
    ...disabledAliases.map(({ id, reason }) => warn(`alias ${id}`, `is disabled: ${reason}`)),
    ...toCheckWarnings(config).map((text) => warn(source, text)),
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
