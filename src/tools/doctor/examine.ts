/**
 * Examines a configuration and the resources that it needs: vendors, stores, listeners and clocks.
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
import { AREAS, examineSystem, type Finding, findingsOf } from "./system.ts";
import { examineListeners } from "./listeners.ts";
import { examineStores } from "./stores.ts";
import { examineVendors, type OtherClock } from "./vendors.ts";
import { StartError } from "../../process/system/stdio.ts";
import { VERSION } from "../../core/version.ts";
import { aligned } from "../../providers/support_matrix.ts";

/** The source of the configuration, and the known facts about running gateways. */
interface DoctorEnvironment {
  readonly env: Environment;
  readonly readConfig: () => Promise<Config>;
  /** @throws {StartError} when a variable of the environment is not an address. */
  readonly addressOf: (config: Config) => StartAddress;
  /** Whether a healthy gateway answers at the address of an endpoint. */
  readonly isGateway: (endpoint: Endpoint) => Promise<boolean>;
}

/**
 * All findings. If the configuration is invalid, which is itself a finding, only the system is
 * examined.
 */
export async function examine(environment: DoctorEnvironment): Promise<readonly Finding[]> {
  const faults = toFailures(findEnvironmentFaults(environment.env));
  let config: Config;
  let address: StartAddress;
  try {
    config = await environment.readConfig();
    address = environment.addressOf(config);
  } catch (thrown) {
    return [...faults, ...await toErrors(thrown), ...examineSystem(undefined)];
  }
  return [
    ...faults,
    ...examineConfig(config),
    ...toFailures(findStartFaults(config, address)),
    ...await examineLive(config, address.endpoints, environment.isGateway),
    ...examineSystem(config),
  ];
}

function toFailures(faults: readonly StartFault[]): readonly Finding[] {
  return faults.map(({ area, text }) => findingsOf(area).fail("start", text));
}

/**
 * The findings that require connections and ports: vendors, stores, listeners and clocks. Faults
 * that prevent startup are reported elsewhere.
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

/** Text that must not appear in a report. Only the digests of service keys are known. */
function secretsOf({ providers, sharedStore, store }: Config): readonly string[] {
  return [
    ...[...providers.values()].flatMap(({ keys, secrets }) => [...keys, ...Object.values(secrets)]),
    ...(sharedStore?.password === undefined ? [] : [sharedStore.password]),
    ...(store?.kind === "postgres" && store.password !== "" ? [store.password] : []),
  ];
}

/** The difference that causes a warning, in milliseconds; cloud signatures tolerate minutes. */
const MAX_SKEW_MS = 30_000;

const clock = findingsOf("clock");

/** The median is compared, since a single clock may be wrong. Exported for tests. */
export function examineClocks(clocks: readonly OtherClock[]): readonly Finding[] {
  if (clocks.length === 0) return [clock.info("this machine", "no other clock was reached")];
  const sorted = clocks.map(({ skewMs }) => skewMs).toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const count = counted(clocks.length, "other clock");
  const seconds = Math.round(Math.abs(median) / 1000);
  const direction = median > 0 ? "ahead of" : "behind";
  const apart = clocks.filter(({ skewMs }) => Math.abs(skewMs - median) > MAX_SKEW_MS)
    .map(({ name }) => clock.warn(name, "its clock differs from the others"));
  const text = seconds < 2 ? `agrees with ${count}` : `${seconds} s ${direction} ${count}`;
  return Math.abs(median) > MAX_SKEW_MS
    ? [
      clock.warn("this machine", `${text}: signed requests and budgets need the right time`),
      ...apart,
    ]
    : [clock.ok("this machine", text), ...apart];
}

/** The facts about the process in the report. */
interface DoctorHead {
  /** The time in ISO 8601. */
  readonly time: string;
  /** The system and the runtime, such as `linux x86_64, deno 2.9.6`. */
  readonly system: string;
}

/** The report as text: a heading for each area, and a line for each finding. */
export function toDoctorText(findings: readonly Finding[], { time, system }: DoctorHead): string {
  return [`sluice ${VERSION}, ${system}, ${time}`, "", toFindingsText(findings)].join("\n");
}

/** The findings without a heading. */
export function toFindingsText(findings: readonly Finding[]): string {
  const parts = AREAS.flatMap((area) => {
    const own = findings.filter((finding) => finding.area === area);
    if (own.length === 0) return [];
    const rows = own.map(({ status, subject, text }) => [status.toUpperCase(), subject, text]);
    const lines = aligned(rows).split("\n").map((line) => `  ${line}`.trimEnd());
    return [[area.toUpperCase(), ...lines, ""].join("\n")];
  });
  return `${parts.join("\n")}\n${toSummary(findings)}\n`;
}

/** The report as JSON. */
export function toDoctorJson(findings: readonly Finding[], head: DoctorHead): string {
  const report = { version: VERSION, ...head, ok: !hasFailed(findings), findings };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** Whether something does not work. Warnings are not failures. */
export function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ status }) => status === "fail");
}

function toSummary(findings: readonly Finding[]): string {
  const count = (status: Finding["status"]) =>
    findings.filter((finding) => finding.status === status).length;
  return `${counted(count("fail"), "failure")}, ${counted(count("warn"), "warning")}`;
}
