/** The process: arguments, environment, configuration, signals, and the listener. */

import { parseEnv } from "node:util";
import defaultConfig from "../config.yaml" with { type: "text" };
import { createAccessLog } from "./access_log.ts";
import { createApp } from "./app.ts";
import { toBanner, toTable } from "./banner.ts";
import { type Command, helpText, readCommand, UsageError } from "./cli.ts";
import { systemClock } from "./clock.ts";
import { readChatRequest } from "./chat_request.ts";
import { type Config, ConfigFaults, configSchema, loadConfig, readAddress } from "./config.ts";
import { GatewayError } from "./errors.ts";
import { explain } from "./explain.ts";
import { GoogleTokens } from "./google_tokens.ts";
import { checkHealth } from "./health.ts";
import { newId, random } from "./ids.ts";
import { createDownload, resolveBySystem } from "./image_download.ts";
import { toText } from "./matrix.ts";
import { adapters } from "./providers/registry.ts";
import { Shutdown } from "./shutdown.ts";
import { State } from "./state.ts";
import { VERSION } from "./version.ts";

/** How long answers that are cut have to reach their callers, in milliseconds. */
const LAST_WORDS = 1000;

const OK = 0;
const BAD_CONFIG = 1;
const UNHEALTHY = 1;
const BAD_USAGE = 2;

/** Runs one command and gives its exit code; undefined while the server runs. */
async function main(args: readonly string[]): Promise<number | undefined> {
  try {
    return await run(readCommand(args));
  } catch (thrown) {
    if (thrown instanceof UsageError) return complain(thrown.message, BAD_USAGE);
    if (thrown instanceof ConfigFaults || thrown instanceof StartError || isToldOf(thrown)) {
      return complain(thrown.message, BAD_CONFIG);
    }
    throw thrown;
  }
}

/** The process cannot start as configured. */
class StartError extends Error {
  override readonly name = "StartError";
}

async function run(command: Command): Promise<number | undefined> {
  switch (command.name) {
    case "help":
      return print(helpText());
    case "version":
      return print(`sluice ${VERSION}\n`);
    case "init":
      return print(defaultConfig);
    case "schema":
      return print(JSON.stringify(configSchema(adapters), null, 2) + "\n");
    case "providers":
      return print(toText([...adapters.values()]) + "\n");
    case "check": {
      const config = readConfig(command, readEnvironment());
      return print(`${config.source} is valid\n\n${toTable(config)}\n`);
    }
    case "explain":
      return print(JSON.stringify(explainFile(command, readEnvironment()), null, 2) + "\n");
    case "health":
      return await health(command, readEnvironment());
    case "serve":
      return await serve(command);
  }
}

/** A request in a file is answered as a caller would be. */
function isToldOf(thrown: unknown): thrown is GatewayError {
  return thrown instanceof GatewayError && thrown.kind !== "internal";
}

function print(text: string): number {
  write(Deno.stdout, text);
  return OK;
}

function complain(message: string, code: number): number {
  write(Deno.stderr, `sluice: ${message}\n`);
  return code;
}

const encoder = new TextEncoder();

function write(to: typeof Deno.stdout | typeof Deno.stderr, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(to.writeSync(bytes));
}

type Environment = (name: string) => string | undefined;

/** The environment, then `.env`. A variable that is set but empty counts as unset. */
function readEnvironment(): Environment {
  const file = readOptional(".env");
  const extra = new Map(Object.entries(file === undefined ? {} : parseEnv(file)));
  return (name) => Deno.env.get(name) || extra.get(name) || undefined;
}

function readOptional(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw new StartError(`Cannot read ${path}: ${reasonOf(thrown)}`);
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : String(thrown);
}

/** Where the configuration is looked for when nobody names a file. */
const PLACES = ["./config.yaml", "/etc/sluice/config.yaml"];

function readConfig(command: Command, env: Environment): Config {
  const { text, source } = findConfig(command.config ?? env("SLUICE_CONFIG"));
  return loadConfig(text, {
    source,
    env,
    adapters,
    readFile,
    now: () => systemClock.now(),
    newKey: () => newId("sk-sluice-"),
  });
}

function readFile(path: string): string {
  return Deno.readTextFileSync(path);
}

function findConfig(named: string | undefined): { text: string; source: string } {
  for (const source of named === undefined ? PLACES : [named]) {
    const text = readOptional(source);
    if (text !== undefined) return { text, source };
  }
  if (named !== undefined) throw new StartError(`Cannot read ${named}: there is no such file`);
  return { text: defaultConfig, source: "built-in" };
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new UsageError(`The port must be a number from 0 to 65535, not '${text}'`);
}

async function serve(command: Command): Promise<number> {
  const env = readEnvironment();
  const config = readConfig(command, env);
  const port = command.port ?? env("SLUICE_PORT");
  const log = createAccessLog((line) => write(Deno.stdout, line), Deno.stdout.isTerminal());
  const app = createApp({
    config: () => config,
    log,
    deps: {
      fetch,
      download: createDownload(systemClock, resolveBySystem),
      clock: systemClock,
      newId,
      random,
      state: new State(),
      tokens: new GoogleTokens(readFile),
      shutdown: new Shutdown(),
    },
    onBug: (thrown, id) => write(Deno.stderr, `${id} ${describe(thrown)}\n`),
  });
  const server = listen(
    {
      hostname: command.host ?? env("SLUICE_HOST") ?? config.server.host,
      port: port === undefined ? config.server.port : readPort(port),
      onListen: (address) => {
        const inShell = Deno.env.has("SLUICE_API_KEY");
        write(Deno.stderr, toBanner(config, address, inShell));
      },
    },
    (request, info) => app.handle(request, info.completed),
  );
  const signals = watchSignals();
  await signals.first;
  write(Deno.stderr, "sluice: draining; a second signal ends at once\n");
  const drained = app.drain();
  await Promise.race([drained, after(config.server.drain), signals.second]);
  app.cut();
  await Promise.race([drained, after(LAST_WORDS), signals.second]);
  void server.shutdown();
  return OK;
}

/** What a request in a file would come to, from the configuration that would serve it. */
function explainFile(command: Command, env: Environment): unknown {
  const file = command.file ?? "";
  const text = readOptional(file);
  if (text === undefined) throw new StartError(`Cannot read ${file}: there is no such file`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new StartError(`Cannot read ${file}: it is not JSON`);
  }
  const inquiry = {
    strict: false,
    key: { name: "", models: undefined },
    config: readConfig(command, env),
    addresses: true,
  };
  const deps = { newId, random, clock: systemClock, state: new State() };
  return explain(readChatRequest(body), inquiry, deps);
}

/** Asks the gateway that the same options and the same configuration would start. */
async function health(command: Command, env: Environment): Promise<number> {
  const { text } = findConfig(command.config ?? env("SLUICE_CONFIG"));
  const configured = readAddress(text, { env, readFile });
  const port = command.port ?? env("SLUICE_PORT");
  const host = command.host ?? env("SLUICE_HOST") ?? configured.host;
  const fault = await checkHealth(host, port === undefined ? configured.port : readPort(port));
  return fault === undefined ? print("ok\n") : complain(fault, UNHEALTHY);
}

function listen(
  options: Deno.ServeTcpOptions,
  handler: Deno.ServeHandler<Deno.NetAddr>,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve(options, handler);
  } catch (thrown) {
    const where = `${options.hostname}:${options.port}`;
    if (thrown instanceof Deno.errors.AddrInUse) {
      throw new StartError(`Cannot listen on ${where}: the port is taken; try --port`);
    }
    throw new StartError(`Cannot listen on ${where}: ${reasonOf(thrown)}`);
  }
}

/** For our own eyes only: callers never see it. */
function describe(thrown: unknown): string {
  return thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
}

/** The first signal asks the process to end, the second to end at once. */
function watchSignals(): { first: Promise<void>; second: Promise<void> } {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let seen = 0;
  // Windows knows no SIGTERM.
  const names: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  for (const name of names) {
    Deno.addSignalListener(name, () => (++seen === 1 ? first : second).resolve());
  }
  return { first: first.promise, second: second.promise };
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.after(ms, resolve));
}

if (import.meta.main) {
  const code = await main(Deno.args);
  if (code !== undefined) Deno.exit(code);
}
