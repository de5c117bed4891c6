/** Runs the gateway until a signal ends it. */

import type { Config } from "../config/config.ts";
import type { ServerSettings } from "../config/server_settings.ts";
import { systemClock, within } from "../core/clock.ts";
import { createModelLists } from "../process/config/model_lists.ts";
import {
  BUILT_IN,
  createSecrets,
  readConfig,
  readLogDefaults,
} from "../process/config/load_config.ts";
import { MetadataServices, watchMetadata } from "../process/config/network_clients.ts";
import { watchConfig } from "../process/config/reload.ts";
import { isLoopback } from "../core/loopback.ts";
import { type Address, type Endpoint, toEndpoints } from "../process/listener/endpoint.ts";
import { type Service, startService } from "../process/service.ts";
import {
  findEnvironmentFaults,
  findStartFaults,
  type StartAddress,
  throwFaults,
} from "../process/start_faults.ts";
import { giveUpWriting, openStore, pruneHourly } from "../process/stores/ledger.ts";
import {
  type Environment,
  readEnvironment,
  reasonOf,
  shellVariable,
} from "../process/system/files.ts";
import {
  createSharedLog,
  logFormat,
  logMessage,
  report,
  shareLog,
  StartError,
} from "../process/system/stdio.ts";
import { type Signals, watchSignals } from "../process/system/signals.ts";
import { isExporting } from "../telemetry/tracing.ts";
import type { Command } from "./arguments.ts";
import { type StartInfo, toBanner, toStartMessages } from "./banner.ts";
import { planWorkers, type WorkerPlan } from "../process/workers/scaling.ts";
import { UsageError } from "./admin_client.ts";

/** The time limit for aborted responses to reach their clients at shutdown, in milliseconds. */
const ABORTED_RESPONSES_MS = 1000;
/**
 * The time limit for the stores to end their calls and connections at shutdown, in milliseconds.
 */
const STORE_CLOSE_MS = 2000;
/** How long requests are served after the first signal, if other machines can connect. */
const DRAIN_DELAY_MS = 5000;
const NO_EXPORTER = "OTEL_DENO is set, but no traces are exported: set OTEL_DENO=true, " +
  "and use an executable that was built with --otel";

const OK = 0;

/**
 * Starts the gateway and waits until it ends. Returns the exit code.
 *
 * @param module the URL of the module that workers run
 */
export async function serve(command: Command, module: string): Promise<number> {
  // Done first, since a signal during startup must neither kill the process nor be lost.
  const signals = watchSignals();
  const env = readEnvironment();
  throwFaults(findEnvironmentFaults(env));
  const log = createSharedLog(readLogDefaults(env));
  shareLog(log);
  const metadata = new MetadataServices();
  const secrets = createSecrets();
  const lists = createModelLists();
  const options = { ...command, hasMetadata: metadata.has, secrets, lists };
  const first = await Promise.race([readConfig(options, env), signals.arrived(2)]);
  if (first === undefined) return OK;
  const { server } = first.config;
  const { hostname, endpoints, address } = toStartAddress(command, env, server);
  throwFaults(findStartFaults(first.config, { hostname, endpoints }));
  const workers = planWorkers(server.workers);
  if (typeof server.workers === "number" && server.workers > workers.max) {
    logMessage("server.workers above 1 requires Linux; starting one worker", "warn");
  }
  if (env("OTEL_DENO") !== undefined && env("OTEL_DENO") !== "false" && !isExporting()) {
    logMessage(NO_EXPORTER, "warn");
  }
  await giveUpWriting(first.config);
  const store = await openStore(first.config);
  const service = startService({
    first,
    command: options,
    endpoints,
    hostname,
    workers,
    store,
    module,
    log,
    onListening([main, ...others]) {
      const opened = main === undefined || "path" in main ? address : main;
      announce(first.config, { ...toStartInfo(opened, first.config, workers), others });
    },
  });
  const started = await Promise.race([service, signals.arrived(2)]);
  if (started === undefined) return OK;
  const { live, closeKeys, stopRenewing } = started;
  const stopPruning = pruneHourly(store, () => live.current.keepMs, systemClock, (thrown) => {
    logMessage(
      `cannot remove old rows from store ${store.name}: ${reasonOf(thrown)}`,
      "warn",
    );
  });
  const stopMetadata = watchMetadata(metadata, live);
  const stopSecrets = secrets.start(() => void live.reload());
  const stopLists = lists.start(() => void live.reload());
  signals.onHangUp(() => void live.reload());
  const stopWatching = watchConfig(live, first.snapshot.text);
  await signals.arrived(1);
  await end(started, signals, endpoints.some(isReachable));
  stopPruning();
  stopWatching();
  stopMetadata();
  stopSecrets();
  stopLists();
  stopRenewing();
  // A hanging server must not delay the exit.
  await within(STORE_CLOSE_MS, Promise.all([closeKeys(), store.close()]));
  return OK;
}

/** Prints the endpoints: in the banner, or as messages if the log is JSON. */
function announce(config: Config, start: StartInfo): void {
  if (logFormat() !== "json") return report(toBanner(config, start));
  for (const { message, level } of toStartMessages(config, start)) logMessage(message, level);
}

/** Whether other machines can connect to an endpoint. */
function isReachable({ address }: Endpoint): boolean {
  return !("path" in address) && !isLoopback(address.hostname);
}

/**
 * Ends the gateway in three phases. Load balancers detect the shutdown while requests are still
 * served; open responses finish; the others are aborted. A signal skips the current phase.
 */
async function end(
  { live, leaveSoon, drain, abort, flush }: Service,
  signals: Signals,
  isReachable: boolean,
): Promise<void> {
  const { drain: limit, drain_delay: drainDelay = isReachable ? DRAIN_DELAY_MS : 0 } =
    live.current.server;
  if (drainDelay > 0 && !signals.isInteractive) {
    leaveSoon();
    logMessage(
      `shutting down: requests are served for another ${
        drainDelay / 1000
      } s, and /readyz returns 503`,
    );
    await Promise.race([after(drainDelay), signals.arrived(signals.count + 1)]);
  }
  logMessage(
    `draining: open responses have ${limit / 1000} s to finish; a second Ctrl-C aborts them`,
  );
  const drained = drain();
  await Promise.race([drained, after(limit), signals.arrived(signals.count + 1)]);
  abort();
  // Aborted streams end with an error event, and their requests are logged.
  await Promise.race([drained, after(ABORTED_RESPONSES_MS), signals.arrived(signals.count + 1)]);
  await flush();
}

function toStartInfo(
  { hostname, port }: Address,
  { source, authenticate }: Config,
  workers: WorkerPlan,
): Omit<StartInfo, "others"> {
  return {
    hostname,
    port,
    isKeyInShell: authenticate(shellVariable("SLUICE_API_KEY") ?? "") !== undefined,
    workers,
    isBuiltIn: source === BUILT_IN,
  };
}

/** The endpoints of a command: the main address, and all endpoints. */
export function toStartAddress(
  command: Command,
  env: Environment,
  server: ServerSettings,
): StartAddress & { readonly address: Address } {
  const hostname = command.host ?? env("SLUICE_HOST") ?? server.host;
  const address = { hostname, port: readPort(command, env) ?? server.port };
  return { hostname, address, endpoints: toEndpoints(server, address) };
}

/**
 * The port from the command line or from SLUICE_PORT; undefined if neither is set.
 *
 * @throws {UsageError | StartError} when it is not a port.
 */
export function readPort(command: Command, env: Environment): number | undefined {
  const text = command.port ?? env("SLUICE_PORT");
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  const reason = `must be a number from 0 to 65535, not '${text}'`;
  if (command.port === undefined) throw new StartError(`SLUICE_PORT ${reason}`);
  throw new UsageError(`--port ${reason}`);
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.after(ms, resolve));
}
