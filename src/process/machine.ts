/** What the process takes from the machine it runs on: environment, files, streams, signals and connections. */

import { dirname } from "node:path";
import { parseEnv } from "node:util";
import defaultConfig from "../../config.yaml" with { type: "text" };
import type { Command } from "../cli/arguments.ts";
import { systemClock } from "../core/clock.ts";
import type { Config } from "../config/config.ts";
import { ignoredLines } from "../config/dot_env.ts";
import type { Dial } from "../upstream/http1/client.ts";
import { newId } from "../core/ids.ts";
import { LineWriter } from "../telemetry/line_writer.ts";
import { printable } from "../core/printable.ts";
import { adapters } from "../providers/registry.ts";
import { type ConfigWithSnapshot, loadConfigWithSnapshot } from "../config/snapshot.ts";

/** The process cannot start as configured. */
export class StartError extends Error {
  override readonly name = "StartError";
}

const encoder = new TextEncoder();

/** Standard output or standard error. */
export type StandardStream = typeof Deno.stdout | typeof Deno.stderr;

/** Writes a text to its end, however long the reader takes: for commands that do nothing else. */
export function write(to: StandardStream, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(to.writeSync(bytes));
}

/** The same, while the process goes on. Several threads write one after the other. */
export async function writeLater(to: StandardStream, text: string): Promise<void> {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await to.write(bytes));
}

/**
 * Opens a connection. The addresses of a name are tried side by side. The
 * handshake of TLS comes with the first read and write, which end when it is
 * closed; the runtime keeps the socket of one that hangs until the vendor ends it.
 */
export const dial: Dial = async ({ host, port, tls }, signal) => {
  const connection = await unlessAborted(Deno.connect({ hostname: host, port }), signal);
  try {
    connection.setNoDelay();
    if (!tls) return connection;
    // A vendor that is gone ends it as well.
    connection.setKeepAlive();
    return await Deno.startTls(connection, { hostname: host, alpnProtocols: ["http/1.1"] });
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
};

/**
 * Waits for a connection no longer than it is wanted, and closes one that opens
 * later. `Deno.connect` has a signal of its own, but forgets a socket that is
 * connected at the moment of the abort (Deno 2.9.6, seen with the test of this function).
 */
async function unlessAborted(
  opening: Promise<Deno.TcpConn>,
  signal: AbortSignal,
): Promise<Deno.TcpConn> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([opening, aborted.promise]);
  } catch (thrown) {
    opening.then((late) => late.close(), () => {});
    throw thrown;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The most characters that wait for whoever reads standard error. */
const MAX_REPORT_CHARS = 1024 * 1024;

const reports = new LineWriter({
  write: (text) => writeLater(Deno.stderr, text),
  maxChars: MAX_REPORT_CHARS,
  toLossLine: (count) => `sluice: ${count} lines before this one were dropped: nobody read them\n`,
});

/** Writes lines to standard error, each with its newline. Nobody waits until they are read. */
export function report(lines: string): void {
  reports.push(printable(lines));
}

/** Tells the operator. */
export function tell(text: string): void {
  report(`sluice: ${text}\n`);
}

/** Reads standard input to its end. */
export async function readInput(): Promise<string> {
  return await new Response(Deno.stdin.readable).text();
}

/** Waits until what was reported is written, but no longer than this. */
export async function flushReports(ms: number): Promise<void> {
  await within(ms, reports.flush());
}

/** Waits for a promise, but no longer than this. */
export async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = systemClock.after(ms, resolve);
  await Promise.race([promise, late]);
  cancel();
}

const OUT_OF_DESCRIPTORS: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** Whether a file or connection could not be opened because too many are open. */
export function isOutOfDescriptors(thrown: unknown): boolean {
  return thrown instanceof Error && OUT_OF_DESCRIPTORS.has(Reflect.get(thrown, "code"));
}

/** Looks a variable up. */
export type Environment = (name: string) => string | undefined;

/** The environment, then `.env`. A variable that is set but empty counts as unset. */
export function readEnvironment(): Environment {
  const file = (readOptional(".env") ?? "").replace(/^\uFEFF/, "");
  const ignored = ignoredLines(file);
  if (ignored.length > 0) {
    tell(`.env: lines that are not NAME=value are ignored: ${ignored.join(", ")}`);
  }
  const extra = new Map(Object.entries(parseEnv(file)));
  return (name) => Deno.env.get(name) || extra.get(name) || undefined;
}

/** The text of a file, or undefined when there is none. */
export function readOptional(path: string): string | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw new StartError(`Cannot read ${path}: ${reasonOf(thrown)}`);
  }
  // UTF-16, which '>' writes in Windows PowerShell.
  if (text.includes("\0")) throw new StartError(`Cannot read ${path}: it is not UTF-8 text`);
  return text;
}

/** Why something was thrown, in the system's words where it has some, without paths or addresses. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return /^(.+?) \(os error \d+\)/.exec(thrown.message)?.[1] ?? thrown.name;
}

/** Where the configuration is looked for when nobody names a file. */
const PLACES = ["./config.yaml", "/etc/sluice/config.yaml"];

/** Where the configuration came from when there is no file. */
export const BUILT_IN = "built-in";

/** The service key of this run, where none is configured: the same after every reload. */
const RUN_KEY = newId("sk-sluice-");

/** Loads the configuration that a command names, else the first that is found. */
export function readConfig(command: Command, env: Environment): Config {
  return readRecorded(command, env).config;
}

/** The same, with what it takes to load it in another thread. */
export function readRecorded(command: Command, env: Environment): ConfigWithSnapshot {
  const { text, source } = findConfig(command.config ?? env("SLUICE_CONFIG"));
  return loadConfigWithSnapshot(text, {
    source,
    env,
    adapters,
    readFile,
    now: () => systemClock.wallTime(),
    newKey: () => RUN_KEY,
  });
}

/** The text of a file; throws when there is none. */
export function readFile(path: string): string {
  return Deno.readTextFileSync(path);
}

/** The text of the configuration, and where it is from. */
export function findConfig(named: string | undefined): { text: string; source: string } {
  for (const source of named === undefined ? PLACES : [named]) {
    const text = readOptional(source);
    if (text !== undefined) return { text, source };
  }
  if (named !== undefined) throw new StartError(`Cannot read ${named}: there is no such file`);
  return { text: defaultConfig, source: BUILT_IN };
}

/** The text of a file, or undefined when it cannot be read. */
export function readLoosely(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The events of a file: its own, since what is written to one that is mounted
 * alone is no event of its folder, those of its folder, and those of the folder
 * that its links lead to. When they lead to another one, that is watched instead.
 */
export async function* watchFile(path: string): AsyncGenerator<{ readonly kind: string }> {
  for (;;) {
    const real = realPathOf(path);
    const paths = real === undefined ? [dirname(path)] : [dirname(path), dirname(real), path];
    let watcher: Deno.FsWatcher;
    try {
      watcher = Deno.watchFs([...new Set(paths)], { recursive: false });
    } catch (thrown) {
      if (realPathOf(path) === real) throw thrown;
      // It has just been moved or removed.
      continue;
    }
    // What happened until now is no event of this watcher.
    yield { kind: "any" };
    for await (const event of watcher) {
      yield event;
      if (event.kind !== "access" && realPathOf(path) !== real) break;
    }
  }
}

/** Where a path leads, or undefined when it leads nowhere. */
function realPathOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * From now on a rejection that nobody handles ends neither this thread nor the
 * process: it belongs to one request or one connection, and all others are as
 * sound as before. An exception that nobody catches still ends the thread, since
 * it may have left a timer or a list half done.
 */
export function surviveRejections(onRejection: (reason: unknown) => void): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    onRejection(event.reason);
  });
}

/** What the process is asked for from outside. */
export interface Signals {
  /** To end. */
  readonly first: Promise<void>;
  /** To end at once. */
  readonly second: Promise<void>;
  /** Calls `run` for a new configuration: at once, if it was asked for before. */
  onHangUp(run: () => void): void;
}

/**
 * Copies of one signal arrive within this time, in milliseconds: a terminal sends
 * it to every process in front, and those that started this one hand it on.
 */
const MAX_COPY_DELAY_MS = 500;

/** From now on, none of them ends the process by itself. */
export function watchSignals(): Signals {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const hangUp = Promise.withResolvers<void>();
  let seen: { readonly name: Deno.Signal; readonly at: number } | undefined;
  let reload = hangUp.resolve;
  const end = (name: Deno.Signal) => {
    const at = systemClock.now();
    if (seen === undefined) first.resolve();
    else if (name !== seen.name || at - seen.at > MAX_COPY_DELAY_MS) second.resolve();
    seen ??= { name, at };
  };
  Deno.addSignalListener("SIGINT", () => end("SIGINT"));
  // Windows knows neither.
  if (Deno.build.os !== "windows") {
    Deno.addSignalListener("SIGTERM", () => end("SIGTERM"));
    Deno.addSignalListener("SIGHUP", () => reload());
  }
  return {
    first: first.promise,
    second: second.promise,
    onHangUp(run) {
      reload = run;
      void hangUp.promise.then(run);
    },
  };
}
