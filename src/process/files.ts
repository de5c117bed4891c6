/** Files and environment variables. */

import { parseEnv } from "node:util";
import { ignoredLines } from "../config/dot_env.ts";
import { TransportError } from "../core/transport_error.ts";
import { StartError } from "./startup_error.ts";
import { logMessage } from "./stdio.ts";

/** Returns the value of an environment variable. */
export type Environment = (name: string) => string | undefined;

/** Reads variables from the environment, then from `.env`. An empty variable counts as unset. */
export function readEnvironment(): Environment {
  const file = (readOptional(".env") ?? "").replace(/^\uFEFF/, "");
  const ignored = ignoredLines(file);
  if (ignored.length > 0) {
    logMessage(`.env: lines that are not NAME=value are ignored: ${ignored.join(", ")}`);
  }
  const extra = new Map(Object.entries(parseEnv(file)));
  return (name) => Deno.env.get(name) || extra.get(name) || undefined;
}

/**
 * The text of a file, or undefined when it does not exist.
 *
 * @throws {StartError} when the file cannot be read.
 */
export function readOptional(path: string): string | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw new StartError(`Cannot read ${path}: ${reasonOf(thrown)}`);
  }
  // UTF-16, which redirection in Windows PowerShell writes.
  if (text.includes("\0")) throw new StartError(`Cannot read ${path}: it is not UTF-8 text`);
  return text;
}

/** The reason of a system error without paths and addresses, or the name of another error. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return /^(.+?) \(os error \d+\)/.exec(thrown.message)?.[1] ?? thrown.name;
}

/** The text of a file; throws when it cannot be read. */
export function readFile(path: string): string {
  return Deno.readTextFileSync(path);
}

/**
 * The text of a file, or undefined when it cannot be read; rejects when file descriptors have
 * run out, so that the caller can retry.
 */
export async function readIfPossible(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (thrown) {
    if (isOutOfDescriptors(thrown)) throw thrown;
    return undefined;
  }
}

/** Whether a path is a pipe or the like, which can be read only once. */
export function isPipe(path: string): boolean {
  try {
    return !Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

const OUT_OF_DESCRIPTORS: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** Whether a file or connection could not be opened because too many are open. */
export function isOutOfDescriptors(thrown: unknown): boolean {
  const error = thrown instanceof TransportError ? thrown.cause : thrown;
  return error instanceof Error && OUT_OF_DESCRIPTORS.has(Reflect.get(error, "code"));
}
