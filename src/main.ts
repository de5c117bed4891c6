/** The executable: runs one command, or the gateway. */

import defaultConfig from "../config.yaml" with { type: "text" };
import { toReport } from "./tools/banner.ts";
import { type Command, readCommand } from "./tools/arguments.ts";
import { helpText } from "./tools/help.ts";
import { systemClock } from "./core/clock.ts";
import { GatewayError } from "./core/errors.ts";
import { ConfigErrors, configSchema, readAddress } from "./config/config.ts";
import { readPort, serve, toStartAddress } from "./tools/serve.ts";
import { checkHealth, type GatewayAddress, originOf } from "./tools/health.ts";
import { printable } from "./core/text.ts";
import { type Environment, readEnvironment, readFile } from "./process/system/files.ts";
import { findConfig, readConfigAgain, readConfigOnce } from "./process/config/load_config.ts";
import { findEnvironmentFaults, findStartFaults, throwFaults } from "./process/start_faults.ts";
import { flushReports, logMessage, readInput, StartError, write } from "./process/system/stdio.ts";
import type { Endpoint } from "./process/listener/endpoint.ts";
import type { LogLevel } from "./core/log_level.ts";
import { VERSION } from "./core/version.ts";
import { TEXT_THREAD } from "./process/config/editing/text_thread.ts";
import { STORE_THREAD } from "./process/stores/store_thread.ts";
import { runWorker, type WorkerScope } from "./process/workers/worker.ts";
import { UsageError } from "./tools/admin_client.ts";

/** How long a failed command waits until its message is written to standard error. */
const MESSAGE_FLUSH_MS = 5000;

const DAY_MS = 86_400_000;

const OK = 0;
const BAD_CONFIG = 1;
const UNHEALTHY = 1;
const REFUSED = 1;
const BAD_USAGE = 2;

/** The input and output of a command, in addition to the files in its options. */
export interface Terminal {
  /** The variables of the environment and of `.env`. */
  environment(): Environment;
  readInput(): Promise<string>;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes a message to standard error. */
  log(text: string, level: LogLevel): void;
}

/** The terminal of this process. */
const TERMINAL: Terminal = {
  environment: () => readEnvironment(),
  readInput,
  print(text) {
    try {
      write(Deno.stdout, text);
    } catch (thrown) {
      // The reader of the pipe, such as `head`, has closed it.
      if (!(thrown instanceof Deno.errors.BrokenPipe)) throw thrown;
    }
  },
  log: logMessage,
};

/** Runs one command and returns its exit code. Exported for tests. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const command = readCommand(args);
    const code = await run(command, terminal);
    // Warnings are queued; the gateway itself has written its own.
    if (command.name !== "serve") await flushReports(MESSAGE_FLUSH_MS);
    return code;
  } catch (thrown) {
    if (thrown instanceof UsageError) return await endWith(thrown.message, BAD_USAGE, terminal);
    if (thrown instanceof ConfigErrors) {
      return await endWith((await thrown.located()).message, BAD_CONFIG, terminal);
    }
    if (thrown instanceof StartError || isRequestError(thrown)) {
      return await endWith(thrown.message, BAD_CONFIG, terminal);
    }
    throw thrown;
  }
}

/**
 * Whether `explain` failed because of the request; the error is the one that a client would
 * receive.
 */
function isRequestError(thrown: unknown): thrown is GatewayError {
  return thrown instanceof GatewayError && thrown.kind !== "internal";
}

async function run(command: Command, terminal: Terminal): Promise<number> {
  const print = (text: string) => {
    terminal.print(text);
    return OK;
  };
  switch (command.name) {
    case "help":
      return print(command.help ?? helpText());
    case "version":
      return print(`sluice ${VERSION}\n`);
    case "init":
      return print(await initialConfig());
    case "schema":
      return print(JSON.stringify(await schema(command), null, 2) + "\n");
    case "providers":
      return print(await supportMatrix());
    case "check":
      return await check(command, terminal);
    case "doctor":
      return await doctor(command, terminal);
    case "models":
      return print(await factsText(command));
    case "explain": {
      const config = () => readConfigOnce(command, terminal.environment());
      const { explainFile } = await import("./tools/explain_request.ts");
      const explained = await explainFile(command, config, () => terminal.readInput());
      return print(JSON.stringify(explained, null, 2) + "\n");
    }
    case "store": {
      // Loaded on demand, because the gateway itself does not need it.
      const { manageStore } = await import("./tools/store_commands.ts");
      return print(printable(await manageStore(command, terminal.environment())));
    }
    case "alerts": {
      const { alerts } = await readConfigOnce(command, terminal.environment());
      const { sendTestAlert } = await import("./tools/test_alert.ts");
      return print(await sendTestAlert(alerts));
    }
    case "connect":
      return await connect(command, terminal);
    case "health":
      return await health(command, terminal);
    case "keys":
    case "usage":
      return await administer(command, terminal);
    case "serve":
      return await serve(command, import.meta.url);
  }
}

// The modules below are loaded on demand, because the gateway itself does not need them.

async function initialConfig(): Promise<string> {
  const { toInitialConfig } = await import("./tools/initial_config.ts");
  return toInitialConfig(defaultConfig);
}

async function supportMatrix(): Promise<string> {
  const { toText } = await import("./providers/support_matrix.ts");
  const { OPERATIONS } = await import("./gateway/execute/list.ts");
  const { adapters } = await import("./providers/registry.ts");
  return toText([...adapters.values()], OPERATIONS.map(({ support }) => support)) + "\n";
}

async function factsText(command: Command): Promise<string> {
  const { listFacts, toFactsText } = await import("./providers/support_matrix.ts");
  return toFactsText(listFacts(staleBefore(command))) + "\n";
}

/** Facts checked before this time are listed, in milliseconds since 1970; undefined lists all. */
function staleBefore({ staleDays }: Command): number | undefined {
  return staleDays === undefined ? undefined : systemClock.now() - staleDays * DAY_MS;
}

/** Writes a message to standard error before the process exits with this code. */
async function endWith(message: string, code: number, terminal: Terminal): Promise<number> {
  terminal.log(message, code === OK ? "info" : "error");
  await flushReports(MESSAGE_FLUSH_MS);
  return code;
}

async function schema({ log }: Command): Promise<unknown> {
  if (log !== true) {
    const { adapters } = await import("./providers/registry.ts");
    return configSchema(adapters);
  }
  const { logSchema } = await import("./telemetry/log_schema.ts");
  return logSchema();
}

async function check(command: Command, terminal: Terminal): Promise<number> {
  const env = terminal.environment();
  throwFaults(findEnvironmentFaults(env));
  const config = await readConfigOnce(command, env);
  const address = toStartAddress(command, env, config.server);
  terminal.print(toReport(config));
  const faults = findStartFaults(config, address);
  const code = faults.length === 0 ? OK : BAD_CONFIG;
  for (const { text } of faults) terminal.log(text, "error");
  if (command.live !== true) return code;
  // Loaded on demand, because the gateway itself does not need them.
  const { examineLive, hasFailed, toFindingsText } = await import("./tools/doctor/examine.ts");
  const findings = await examineLive(config, address.endpoints, isGateway);
  terminal.print(printable(`\n${toFindingsText(findings)}`));
  return hasFailed(findings) ? UNHEALTHY : code;
}

async function doctor(command: Command, terminal: Terminal): Promise<number> {
  const env = terminal.environment();
  const { examine, hasFailed, toDoctorJson, toDoctorText } = await import(
    "./tools/doctor/examine.ts"
  );
  const findings = await examine({
    ...{ env, isGateway },
    readConfig: () => readConfigOnce(command, env),
    addressOf: ({ server }) => toStartAddress(command, env, server),
  });
  const { os, arch } = Deno.build;
  const system = `${os} ${arch}, deno ${Deno.version.deno}`;
  const head = { time: new Date(systemClock.wallTime()).toISOString(), system };
  terminal.print(printable(
    command.json === true ? toDoctorJson(findings, head) : toDoctorText(findings, head),
  ));
  return hasFailed(findings) ? UNHEALTHY : OK;
}

/** Whether a healthy gateway answers at the address of an endpoint. */
async function isGateway({ address, tls }: Endpoint): Promise<boolean> {
  if ("path" in address) return false;
  const { hostname: host, port } = address;
  return await checkHealth({ host, port, tls }) === undefined;
}

/** Changes or prints the settings of a client. */
async function connect(command: Command, terminal: Terminal): Promise<number> {
  const env = terminal.environment();
  if (command.connect === undefined) throw new TypeError("The command has no client");
  // Loaded on demand, because the gateway itself does not need it.
  const { connectClient } = await import("./tools/connect/connect.ts");
  const { text, note } = await connectClient(command.connect, {
    env,
    origin: () => originOf(addressOf(command, env)),
    config: async () => (await readConfigAgain(command, env)).config,
  });
  terminal.print(printable(text));
  return note === undefined ? OK : await endWith(note, OK, terminal);
}

/** Checks the gateway that would be started with the same options and configuration. */
async function health(command: Command, terminal: Terminal): Promise<number> {
  const error = await checkHealth(addressOf(command, terminal.environment()));
  if (error !== undefined) return await endWith(error, UNHEALTHY, terminal);
  terminal.print("ok\n");
  return OK;
}

/** The address on which a gateway with the same options and configuration would listen. */
function addressOf(command: Command, env: Environment): GatewayAddress {
  const { text } = findConfig(command.config ?? env("SLUICE_CONFIG"));
  const configured = readAddress(text, { env, readFile });
  return {
    host: command.host ?? env("SLUICE_HOST") ?? configured.host,
    port: readPort(command, env) ?? configured.port,
    tls: configured.tls,
  };
}

/** Runs `keys` or `usage` against a running gateway. */
async function administer(command: Command, terminal: Terminal): Promise<number> {
  const env = terminal.environment();
  const { admin } = command;
  if (admin === undefined) throw new TypeError("The command has no action");
  const key = env("SLUICE_ADMIN_KEY")?.trim() ?? "";
  if (!/^[!-~]+$/.test(key)) {
    throw new StartError("Set SLUICE_ADMIN_KEY to a key of 'server.admin_keys' of the gateway");
  }
  // Loaded on demand, because the gateway itself does not need them.
  const { AdminClient, AdminError, toBase } = await import("./tools/admin_client.ts");
  const { runAdminCommand } = await import("./tools/admin.ts");
  const url = admin.options.get("url");
  const base = url === undefined ? originOf(addressOf(command, env)) : toBase(url);
  try {
    const { text, note } = await runAdminCommand(admin, new AdminClient(base, key));
    terminal.print(printable(text));
    return note === undefined ? OK : await endWith(note, OK, terminal);
  } catch (thrown) {
    if (!(thrown instanceof AdminError)) throw thrown;
    return await endWith(thrown.message, REFUSED, terminal);
  }
}

// Workers also run this file.
if (import.meta.main && "DedicatedWorkerGlobalScope" in globalThis) {
  if (self.name !== STORE_THREAD && self.name !== TEXT_THREAD) {
    runWorker(globalThis as unknown as WorkerScope);
  }
} else if (import.meta.main) {
  Deno.exit(await main(Deno.args, TERMINAL));
}
