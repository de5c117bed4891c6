/** The process: arguments, environment, configuration, signals, and the listener. */

import defaultConfig from "../config.yaml" with { type: "text" };
import { type Started, toBanner, toReport } from "./cli/banner.ts";
import { type Command, helpText, readCommand, UsageError } from "./cli/arguments.ts";
import { systemClock } from "./core/clock.ts";
import { readChatRequest } from "./chat/read_request.ts";
import { type Config, ConfigFaults, configSchema, readAddress } from "./config/config.ts";
import { GatewayError } from "./core/errors.ts";
import { explain } from "./routing/explain.ts";
import { checkHealth } from "./cli/health.ts";
import { newId, random } from "./core/ids.ts";
import { watchFile } from "./process/file_watcher.ts";
import {
  type Environment,
  readEnvironment,
  readFile,
  readLoosely,
  readOptional,
  reasonOf,
} from "./process/files.ts";
import { BUILT_IN, findConfig, readConfig, readRecorded } from "./process/load_config.ts";
import { surviveRejections, watchSignals } from "./process/signals.ts";
import { StartError } from "./process/startup_error.ts";
import { flushReports, readInput, report, tell, write } from "./process/stdio.ts";
import { toText } from "./providers/support_matrix.ts";
import { adapters } from "./providers/registry.ts";
import { followFile, LiveConfig } from "./process/reload.ts";
import { type Address, createGateway, FLUSH_MS, probe, reportUnhandled } from "./process/server.ts";
import type { Recorded } from "./config/snapshot.ts";
import { State } from "./routing/state.ts";
import { isExporting } from "./telemetry/tracing.ts";
import { listFacts, toFactsText } from "./providers/vendor_facts.ts";
import { VERSION } from "./core/version.ts";
import { attend, type Post, type WorkerScope } from "./process/worker.ts";
import { countWorkers, spawnFrom, Workers } from "./process/workers.ts";

/** How long answers that are cut have to reach their callers, in milliseconds. */
const LAST_WORDS = 1000;

/** How long a command that fails waits for whoever reads why. */
const COMPLAINT_MS = 5000;

const NO_EXPORTER = "OTEL_DENO is set, but nothing is exported: the environment must say 'true', " +
  "and an executable must have been built with --otel";

const DAY_MS = 86_400_000;

const OK = 0;
const BAD_CONFIG = 1;
const UNHEALTHY = 1;
const BAD_USAGE = 2;

/** Runs one command and gives its exit code; undefined while the server runs. */
async function main(args: readonly string[]): Promise<number | undefined> {
  try {
    return await run(readCommand(args));
  } catch (thrown) {
    if (thrown instanceof UsageError) return await complain(thrown.message, BAD_USAGE);
    if (thrown instanceof ConfigFaults || thrown instanceof StartError || isToldOf(thrown)) {
      return await complain(thrown.message, BAD_CONFIG);
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
      return print(toInitialConfig(defaultConfig));
    case "schema":
      return print(JSON.stringify(configSchema(adapters), null, 2) + "\n");
    case "providers":
      return print(toText([...adapters.values()]) + "\n");
    case "check":
      return print(toReport(readConfig(command, readEnvironment())));
    case "models":
      return print(toFactsText(listFacts(staleBefore(command))) + "\n");
    case "explain":
      return print(JSON.stringify(await explainFile(command, readEnvironment()), null, 2) + "\n");
    case "health":
      return await health(command, readEnvironment());
    case "serve":
      return await serve(command);
  }
}

/** The moment before which a fact is stale, in milliseconds since 1970; undefined lists all. */
function staleBefore({ staleDays }: Command): number | undefined {
  return staleDays === undefined ? undefined : systemClock.now() - staleDays * DAY_MS;
}

/** A request in a file is answered as a caller would be. */
function isToldOf(thrown: unknown): thrown is GatewayError {
  return thrown instanceof GatewayError && thrown.kind !== "internal";
}

function print(text: string): number {
  try {
    write(Deno.stdout, text);
  } catch (thrown) {
    // Whoever reads, such as `head`, has seen enough.
    if (!(thrown instanceof Deno.errors.BrokenPipe)) throw thrown;
  }
  return OK;
}

async function complain(message: string, code: number): Promise<number> {
  tell(message);
  await flushReports(COMPLAINT_MS);
  return code;
}

/** The port that the command line names, else the environment, else none. */
function readPort(command: Command, env: Environment): number | undefined {
  const text = command.port ?? env("SLUICE_PORT");
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  const what = command.port === undefined ? "The port of SLUICE_PORT" : "The port";
  throw new UsageError(`${what} must be a number from 0 to 65535, not '${text}'`);
}

/** What answers callers: this thread, or several others. */
interface Service {
  readonly live: LiveConfig;
  /** New work is refused from now on; resolves when the last answer has ended. */
  drain(): Promise<void>;
  /** Ends every answer that is still open. */
  cut(): void;
  /** Waits until all output is written, but not for ever. */
  flush(): Promise<void>;
}

async function serve(command: Command): Promise<number> {
  // Before anything else: what comes while the process starts must neither kill it nor be lost.
  const signals = watchSignals();
  const env = readEnvironment();
  const first = readRecorded(command, env);
  const { server } = first.config;
  const where = {
    hostname: command.host ?? env("SLUICE_HOST") ?? server.host,
    port: readPort(command, env) ?? server.port,
  };
  const workers = countWorkers(server.workers, {
    cores: navigator.hardwareConcurrency,
    os: Deno.build.os,
  });
  if (typeof server.workers === "number" && server.workers > workers) {
    tell("server.workers needs Linux; one worker serves here");
  }
  if (env("OTEL_DENO") !== undefined && env("OTEL_DENO") !== "false" && !isExporting()) {
    tell(NO_EXPORTER);
  }
  const service = workers === 1
    ? serveAlone(first, command, where)
    : serveTogether(first, command, { where, workers, startedAt: systemClock.wallTime() });
  const begun = await Promise.race([service, signals.second]);
  if (begun === undefined) return OK;
  const { live, drain, cut, flush } = begun;
  signals.onHangUp(() => live.reload());
  watchConfig(live, first.snapshot.text);
  await signals.first;
  const limit = live.current.server.drain;
  tell(`draining: open answers may take ${limit / 1000} s more; a second Ctrl-C ends them at once`);
  const drained = drain();
  await Promise.race([drained, after(limit), signals.second]);
  cut();
  await Promise.race([drained, after(LAST_WORDS), signals.second]);
  await flush();
  return OK;
}

/** One worker is this thread, on a port of its own. */
function serveAlone({ config }: Recorded, command: Command, where: Address): Service {
  const state = new State();
  const live = new LiveConfig(config, {
    load: () => readConfig(sameAs(command, config), readEnvironment()),
    say: tell,
    onSwap: ({ providers }) => state.prune(providers.values()),
  });
  const { app, listen, flush } = createGateway({
    config: () => live.current,
    stale: () => live.stale,
    state,
    startedAt: systemClock.wallTime(),
  });
  const { address, drain } = listen(where, false);
  report(toBanner(config, startedAt(address, config, 1)));
  return { live, drain, cut: () => app.cut(), flush };
}

/** Several are threads that run this file again, and this one supervises. */
async function serveTogether(first: Recorded, command: Command, post: Post): Promise<Service> {
  surviveRejections(reportUnhandled);
  let { snapshot } = first;
  const workers = new Workers({ snapshot, stale: undefined }, {
    post: { ...post, where: probe(post.where) },
    spawn: spawnFrom(import.meta.url),
    clock: systemClock,
    say: tell,
  });
  const address = await workers.start();
  report(toBanner(first.config, startedAt(address, first.config, post.workers)));
  let isSet = Promise.resolve();
  const live = new LiveConfig(first.config, {
    load() {
      const next = readRecorded(sameAs(command, first.config), readEnvironment());
      snapshot = next.snapshot;
      return next.config;
    },
    // What is said to be in force is so in every worker.
    say: (text) => void isSet.then(() => tell(text)),
    onSwap: () => isSet = workers.set({ snapshot, stale: undefined }),
    onStale: (stale) => isSet = workers.set({ snapshot, stale }),
  });
  // The workers write the log, and have written it when they are drained.
  const flush = () => flushReports(FLUSH_MS);
  return { live, drain: () => workers.drain(), cut: () => workers.cut(), flush };
}

/** A file that is gone later is a fault, and no reason to take another one. */
function sameAs(command: Command, { source }: Config): Command {
  return source === BUILT_IN ? command : { ...command, config: source };
}

function startedAt({ hostname, port }: Address, { source }: Config, workers: number): Started {
  const inShell = Deno.env.has("SLUICE_API_KEY");
  return { hostname, port, inShell, workers, builtIn: source === BUILT_IN };
}

/** The shipped config.yaml as one to begin with anywhere: its schema is in the checkout alone. */
function toInitialConfig(text: string): string {
  return text.replace(/^# yaml-language-server: .*$/m, INITIAL_SCHEMA);
}

const INITIAL_SCHEMA = `# yaml-language-server: $schema=./config.schema.json
# For editors that check and complete this file: sluice schema > config.schema.json`;

/** What a request in a file would come to, from the configuration that would serve it. */
async function explainFile({ file = "", ...command }: Command, env: Environment): Promise<unknown> {
  const [source, text] = file === "-"
    ? ["standard input", await readInput()]
    : [file, readOptional(file)];
  if (text === undefined) throw new StartError(`Cannot read ${source}: there is no such file`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new StartError(`Cannot read ${source}: it is not JSON`);
  }
  const inquiry = {
    strict: false,
    key: { name: "", models: undefined },
    config: readConfig(command, env),
    addresses: true,
    bytes: 0,
  };
  const deps = { newId, random, clock: systemClock, state: new State() };
  return explain(readChatRequest(body), inquiry, deps);
}

/** Asks the gateway that the same options and the same configuration would start. */
async function health(command: Command, env: Environment): Promise<number> {
  const { text } = findConfig(command.config ?? env("SLUICE_CONFIG"));
  const configured = readAddress(text, { env, readFile });
  const host = command.host ?? env("SLUICE_HOST") ?? configured.host;
  const fault = await checkHealth(host, readPort(command, env) ?? configured.port);
  return fault === undefined ? print("ok\n") : await complain(fault, UNHEALTHY);
}

/** Takes a new configuration when its file no longer says what was loaded. */
function watchConfig(live: LiveConfig, loaded: string): void {
  const { source } = live.current;
  if (source === BUILT_IN) return;
  const file = { loaded, read: () => readLoosely(source) };
  followFile(watchFile(source), file, systemClock, () => live.reload())
    .catch((thrown) =>
      tell(`changes of ${source} are not seen, but at SIGHUP: ${reasonOf(thrown)}`)
    );
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.after(ms, resolve));
}

// A worker is this file as well.
if (import.meta.main && "DedicatedWorkerGlobalScope" in globalThis) {
  attend(globalThis as unknown as WorkerScope);
} else if (import.meta.main) {
  const code = await main(Deno.args);
  if (code !== undefined) Deno.exit(code);
}
