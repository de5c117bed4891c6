/** Files, environment variables and the operating system. */

import { parseEnv } from "node:util";
import { StoreError } from "../../governance/ledger/usage_store.ts";
import { TransportError } from "../../core/transport_error.ts";
import { logMessage, StartError } from "./stdio.ts";
import { ignoredLines } from "../../config/references.ts";

/** Returns the value of an environment variable. */
export type Environment = (name: string) => string | undefined;

/**
 * Reads variables from the environment, then from `.env`. An empty variable counts as unset.
 *
 * @param own the variables of the environment
 * @param path of `.env`
 */
export function readEnvironment(
  own: Environment = (name) => Deno.env.get(name),
  path = ".env",
): Environment {
  const file = (readOptional(path) ?? "").replace(/^\uFEFF/, "");
  const ignored = ignoredLines(file);
  if (ignored.length > 0) {
    logMessage(`.env: lines that are not NAME=value are ignored: ${ignored.join(", ")}`);
  }
  const extra = new Map(Object.entries(parseEnv(file)));
  return (name) => own(name) || extra.get(name) || undefined;
}

/** The maximum size of a configuration, in bytes. */
const MAX_CONFIG_BYTES = 10 * 1024 * 1024;

/** The maximum size of a file with a secret, in bytes. */
const MAX_SECRET_BYTES = 1024 * 1024;

/** Restrictions on the files to read. */
export interface FileLimits {
  /** The maximum size in bytes. Default: that of a configuration. */
  readonly maxBytes?: number;
  /** Whether a pipe may be read, which blocks until its writer has closed it. Default: yes. */
  readonly pipes?: boolean;
}

/**
 * The text of a file, or undefined when it does not exist.
 *
 * @throws {StartError} when the file cannot be read, or exceeds the limits.
 */
export function readOptional(path: string, limits: FileLimits = {}): string | undefined {
  let text: string;
  try {
    text = readWithin(path, limits);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    const reason = thrown instanceof UnfitFile ? thrown.message : reasonOf(thrown);
    throw new StartError(`Cannot read ${path}: ${reason}`);
  }
  // UTF-16, which Windows PowerShell writes when output is redirected.
  if (text.includes("\0")) throw new StartError(`Cannot read ${path}: it is not UTF-8 text`);
  return text;
}

/**
 * The reason for an error: a system error without paths and addresses, the message of a store's
 * error, or the name of any other error.
 */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown instanceof StoreError) return thrown.message;
  return /^(.+?) \(os error \d+\)/.exec(thrown.message)?.[1] ?? thrown.name;
}

/** Thrown for a file with an unsuitable size or type. */
class UnfitFile extends Error {
  override readonly name = "UnfitFile";
}

/** Reads a file piece by piece, since the size of a pipe is unknown and a file may grow. */
function readWithin(
  path: string,
  { maxBytes = MAX_CONFIG_BYTES, pipes = true }: FileLimits,
): string {
  // Opening a pipe would block.
  if (!pipes && isPipe(path)) throw new UnfitFile("it is not a regular file");
  using file = Deno.openSync(path);
  const decoder = new TextDecoder();
  const piece = new Uint8Array(READ_BYTES);
  let text = "";
  let size = 0;
  for (let count = file.readSync(piece); count !== null; count = file.readSync(piece)) {
    size += count;
    if (size > maxBytes) throw new UnfitFile(`it has more than ${maxBytes} bytes`);
    text += decoder.decode(piece.subarray(0, count), { stream: true });
  }
  return text + decoder.decode();
}

/** The number of bytes to read at once. */
const READ_BYTES = 64 * 1024;

/** The text of a file with a secret; throws when it is not a regular file or cannot be read. */
export function readFile(path: string): string {
  return readWithin(path, { maxBytes: MAX_SECRET_BYTES, pipes: false });
}

/**
 * The text of a file, or undefined when it cannot be read; rejects when file descriptors have
 * run out, so that the caller can retry.
 */
export async function readIfPossible(path: string): Promise<string | undefined> {
  try {
    const { isFile, size } = await Deno.stat(path);
    // A reload reports why such a file is not read.
    if (!isFile || size > MAX_CONFIG_BYTES) return undefined;
    return await Deno.readTextFile(path);
  } catch (thrown) {
    if (isOutOfDescriptors(thrown)) throw thrown;
    return undefined;
  }
}

/** Whether a path is a pipe or similar, which can be read only once. */
export function isPipe(path: string): boolean {
  try {
    const { isFile, isDirectory } = Deno.statSync(path);
    return !isFile && !isDirectory;
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

/** The folder of the file at a path. */
export function folderOf(path: string): string {
  const [, folder] = /^(.*)[/\\]/.exec(path) ?? [];
  return folder === undefined ? "." : folder || "/";
}

/**
 * The reason why no file can be created next to a path; undefined if it can. Creates a temporary
 * file, since the permissions of a folder are not conclusive.
 */
export function findFolderFault(path: string): string | undefined {
  const dir = folderOf(path);
  try {
    Deno.removeSync(Deno.makeTempFileSync({ dir, prefix: ".sluice-" }));
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return `the folder '${dir}' does not exist`;
    return `the folder '${dir}' cannot be used: ${reasonOf(thrown)}`;
  }
}

/** The operating system; systems other than Windows and macOS are treated as Linux. */
export function operatingSystem(): "linux" | "darwin" | "windows" {
  const { os } = Deno.build;
  return os === "windows" || os === "darwin" ? os : "linux";
}

/** A variable of the environment itself, ignoring `.env`. */
export function shellVariable(name: string): string | undefined {
  return Deno.env.get(name);
}

export function fileExists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Removes a file, which may be missing. */
export function removeIfExists(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  }
}
