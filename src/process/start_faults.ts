/**
 * Faults that prevent startup and can be found without opening a port or a connection. `serve`
 * throws it before it opens anything; `check` and `doctor` report it.
 */

import { X509Certificate } from "node:crypto";
import type { Config } from "../config/config.ts";
import { type StoreRules, toStoreName } from "../config/shared_store.ts";
import { readLogDefaults } from "./config/load_config.ts";
import { findPublicFault } from "./config/reload.ts";
import { checkCertificate, type Endpoint, findSocketFault, nameOf } from "./listener/endpoint.ts";
import { checkCertificates, readEnvironmentProxies } from "./config/network_clients.ts";
import { findFileFault } from "./stores/sqlite_file.ts";
import { type Environment, readFile, reasonOf } from "./system/files.ts";
import { StartError } from "./system/stdio.ts";

/** One fault. */
export interface StartFault {
  /** The area in the report of `doctor`. */
  readonly area: "configuration" | "stores" | "listeners";
  /** For the operator, without secrets. */
  readonly text: string;
}

/** The endpoints on which the gateway would listen. */
export interface StartAddress {
  /** The host name or IP address of the main endpoint. */
  readonly hostname: string;
  readonly endpoints: readonly Endpoint[];
}

/** Faults in environment variables, which no configuration can fix. */
export function findEnvironmentFaults(env: Environment): readonly StartFault[] {
  const proxies = () => void readEnvironmentProxies();
  return [() => void readLogDefaults(env), checkCertificates, proxies].flatMap((check) =>
    faultsOf("configuration", check)
  );
}

/** Faults of a valid configuration that are specific to this machine. */
export function findStartFaults(
  config: Pick<Config, "generatedKey" | "server" | "unset" | "store">,
  { hostname, endpoints }: StartAddress,
): readonly StartFault[] {
  const unserved = findPublicFault(config, hostname);
  return [
    ...(unserved === undefined ? [] : [{ area: "configuration", text: unserved } as const]),
    ...findStoreFaults(config.store),
    ...endpoints.flatMap((endpoint) =>
      faultsOf("listeners", () => {
        checkCertificate(endpoint);
        const reason = findSocketFault(endpoint) ?? findDouble(endpoint, endpoints);
        if (reason !== undefined) {
          throw new StartError(`Cannot listen on ${nameOf(endpoint)}: ${reason}`);
        }
      })
    ),
  ];
}

/** @throws {StartError} with all faults, if there are any. */
export function throwFaults(faults: readonly StartFault[]): void {
  if (faults.length > 0) throw new StartError(faults.map(({ text }) => text).join("\n"));
}

function faultsOf(area: StartFault["area"], check: () => void): readonly StartFault[] {
  try {
    check();
    return [];
  } catch (thrown) {
    if (thrown instanceof StartError) return [{ area, text: thrown.message }];
    throw thrown;
  }
}

function findStoreFaults(store: StoreRules | undefined): readonly StartFault[] {
  if (store === undefined) return [];
  const [name, reason] = store.kind === "sqlite"
    ? [store.path, findFileFault(store.path)]
    : [toStoreName(store), findRootFault(store.rootCertificate)];
  return reason === undefined
    ? []
    : [{ area: "stores", text: `Cannot open the store ${name}: ${reason}` }];
}

/** The reason why the file of `sslrootcert` cannot be used. */
function findRootFault(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFile(path);
  } catch (thrown) {
    return `the root certificate ${path} cannot be read: ${reasonOf(thrown)}`;
  }
  try {
    new X509Certificate(text);
    return undefined;
  } catch {
    return `the root certificate ${path} is not a certificate in PEM`;
  }
}

/** Two endpoints with the same address: the second one cannot be opened. */
function findDouble(endpoint: Endpoint, all: readonly Endpoint[]): string | undefined {
  if ("port" in endpoint.address && endpoint.address.port === 0) return undefined;
  const isDouble = all.slice(0, all.indexOf(endpoint)).some((one) =>
    nameOf(one) === nameOf(endpoint)
  );
  return isDouble ? "'server' has two listeners with this address" : undefined;
}
