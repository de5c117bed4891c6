/** The process: arguments, environment, configuration, signals, and the listener. */

import { dirname } from "node:path";
import defaultConfig from "../config.yaml" with { type: "text" };
import { createAccessLog } from "./access_log.ts";
import { type App, createApp } from "./app.ts";
import { toBanner, toTable } from "./banner.ts";
import { type Command, helpText, readCommand, UsageError } from "./cli.ts";
import { systemClock } from "./clock.ts";
import { readChatRequest } from "./chat_request.ts";
import { ConfigFaults, configSchema, readAddress } from "./config.ts";
import { GatewayError } from "./errors.ts";
import { explain } from "./explain.ts";
import { GoogleTokens } from "./google_tokens.ts";
import { checkHealth } from "./health.ts";
import { newId, random } from "./ids.ts";
import { createDownload, resolveBySystem } from "./image_download.ts";
import {
  BUILT_IN,
  type Environment,
  findConfig,
  readConfig,
  readEnvironment,
  readFile,
  readLoosely,
  readOptional,
  reasonOf,
  StartError,
  tell,
  write,
} from "./machine.ts";
import { toText } from "./matrix.ts";
import { Metrics } from "./metrics.ts";
import { adapters } from "./providers/registry.ts";
import { followFile, LiveConfig } from "./reload.ts";
import { Shutdown } from "./shutdown.ts";
import { State } from "./state.ts";
import { Telemetry } from "./telemetry.ts";
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

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new UsageError(`The port must be a number from 0 to 65535, not '${text}'`);
}

async function serve(command: Command): Promise<number> {
  const env = readEnvironment();
  const state = new State();
  const live = loadLive(command, env, state);
  const port = command.port ?? env("SLUICE_PORT");
  const app = createGateway(live, state);
  const { host, port: configured } = live.current.server;
  const server = listen(
    {
      hostname: command.host ?? env("SLUICE_HOST") ?? host,
      port: port === undefined ? configured : readPort(port),
      onListen: (address) => {
        const inShell = Deno.env.has("SLUICE_API_KEY");
        write(Deno.stderr, toBanner(live.current, address, inShell));
      },
    },
    (request, info) => app.handle(request, info.completed),
  );
  watchConfig(live);
  const signals = watchSignals();
  await signals.first;
  tell("draining; a second signal ends at once");
  const drained = app.drain();
  await Promise.race([drained, after(live.current.server.drain), signals.second]);
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

function loadLive(command: Command, env: Environment, state: State): LiveConfig {
  const first = readConfig(command, env);
  // A file that is gone is a fault, and no reason to take another one.
  const same = first.source === BUILT_IN ? command : { ...command, config: first.source };
  return new LiveConfig(first, {
    load: () => readConfig(same, readEnvironment()),
    say: tell,
    onSwap: ({ providers }) => state.prune(providers.values()),
  });
}

function createGateway(live: LiveConfig, state: State): App {
  const clock = systemClock;
  const memory = () => Deno.memoryUsage();
  const capturesContent = () => live.current.telemetry.captureContent;
  return createApp({
    config: () => live.current,
    stale: () => live.stale,
    log: createAccessLog((line) => write(Deno.stdout, line), Deno.stdout.isTerminal()),
    deps: {
      fetch,
      download: createDownload(clock, resolveBySystem),
      clock,
      newId,
      random,
      state,
      tokens: new GoogleTokens(readFile),
      shutdown: new Shutdown(),
      metrics: new Metrics({ version: VERSION, startedAt: clock.now(), memory }),
      telemetry: isTraced()
        ? new Telemetry({ version: VERSION, clock, capturesContent })
        : undefined,
    },
    onBug: (thrown, id) => write(Deno.stderr, `${id} ${describe(thrown)}\n`),
  });
}

/** Whether the runtime exports what it is told through OpenTelemetry's interface. */
function isTraced(): boolean {
  return ["true", "1"].includes(Deno.env.get("OTEL_DENO") ?? "");
}

/** Takes a new configuration at SIGHUP and when its file changes. */
function watchConfig(live: LiveConfig): void {
  // Windows knows no SIGHUP.
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGHUP", () => live.reload());
  const { source } = live.current;
  if (source === BUILT_IN) return;
  try {
    const folders = new Set([source, Deno.realPathSync(source)].map((path) => dirname(path)));
    const events = Deno.watchFs([...folders], { recursive: false });
    void followFile(events, () => readLoosely(source), systemClock, () => live.reload());
  } catch (thrown) {
    tell(`changes of ${source} are not seen, but at SIGHUP: ${reasonOf(thrown)}`);
  }
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
