/** What the process takes from the machine it runs on: environment, files, streams and signals. */

import { dirname } from "node:path";
import { parseEnv } from "node:util";
import defaultConfig from "../config.yaml" with { type: "text" };
import type { Command } from "./cli.ts";
import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { newId } from "./ids.ts";
import { adapters } from "./providers/registry.ts";
import { loadRecorded, type Recorded } from "./snapshot.ts";

/** The process cannot start as configured. */
export class StartError extends Error {
  override readonly name = "StartError";
}

const encoder = new TextEncoder();

/** Writes a text to its end. */
export function write(to: typeof Deno.stdout | typeof Deno.stderr, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(to.writeSync(bytes));
}

/** Writes to standard error. That nobody reads it any more is no reason to answer nobody. */
export function report(text: string): void {
  try {
    write(Deno.stderr, text);
  } catch {
    // There is nobody left to tell.
  }
}

/** Tells the operator. */
export function tell(text: string): void {
  report(`sluice: ${text}\n`);
}

/** Looks a variable up. */
export type Environment = (name: string) => string | undefined;

/** The environment, then `.env`. A variable that is set but empty counts as unset. */
export function readEnvironment(): Environment {
  const file = readOptional(".env");
  const extra = new Map(Object.entries(file === undefined ? {} : parseEnv(file)));
  return (name) => Deno.env.get(name) || extra.get(name) || undefined;
}

/** The text of a file, or undefined when there is none. */
export function readOptional(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw new StartError(`Cannot read ${path}: ${reasonOf(thrown)}`);
  }
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
export function readRecorded(command: Command, env: Environment): Recorded {
  const { text, source } = findConfig(command.config ?? env("SLUICE_CONFIG"));
  return loadRecorded(text, {
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

/** What the process is asked for from outside. */
export interface Signals {
  /** To end. */
  readonly first: Promise<void>;
  /** To end at once. */
  readonly second: Promise<void>;
  /** Calls `run` for a new configuration: at once, if it was asked for before. */
  onHangUp(run: () => void): void;
}

/** From now on, none of them ends the process by itself. */
export function watchSignals(): Signals {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const hangUp = Promise.withResolvers<void>();
  let seen = 0;
  let reload = hangUp.resolve;
  const end = () => (++seen === 1 ? first : second).resolve();
  Deno.addSignalListener("SIGINT", end);
  // Windows knows neither.
  if (Deno.build.os !== "windows") {
    Deno.addSignalListener("SIGTERM", end);
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
