/** A settings file of another program, which is replaced atomically. */

import { newId } from "../../core/ids.ts";
import { reasonOf, removeIfExists } from "./files.ts";
import { StartError } from "./stdio.ts";

/** The maximum size of a settings file, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;

/** The file mode of new files and of backups: settings may contain secrets. */
const PRIVATE = 0o600;

/** A settings file and its content when it was opened. */
export class SettingsFile {
  readonly path: string;
  /** Its content; undefined if it does not exist. */
  readonly text: string | undefined;
  /** The content before the first change; empty if there was no file. Undefined without a backup. */
  readonly backup: string | undefined;
  /** The target file, if `path` is a link. */
  readonly #target: string;

  /**
   * Reads a file and its backup.
   *
   * @throws {StartError} when one of them cannot be read, or is not UTF-8 text.
   */
  constructor(path: string) {
    this.path = path;
    this.#target = followLinks(path);
    this.text = read(this.#target);
    this.backup = read(this.#backupPath);
  }

  get #backupPath(): string {
    return `${this.#target}.sluice-backup`;
  }

  /**
   * Writes new content. The original content is kept as a backup.
   *
   * @throws {StartError} when it cannot be written, or has changed since it was read.
   */
  write(text: string): void {
    if (text === this.text) return;
    this.#attempt(() => {
      this.#checkUnchanged();
      makeFolder(this.#target);
      if (this.backup === undefined) replaceFile(this.#backupPath, this.text ?? "", PRIVATE);
      replaceFile(this.#target, text, modeOf(this.#target));
    });
  }

  /**
   * Restores earlier content and removes the backup; a file that did not exist is removed.
   *
   * @param text the content; the current one by default
   * @throws {StartError} when it cannot be written, or has changed since it was read.
   */
  restore(text: string | undefined = this.text): void {
    this.#attempt(() => {
      this.#checkUnchanged();
      if (text === "" && this.backup === "") removeIfExists(this.#target);
      else if (text !== undefined && text !== this.text) {
        replaceFile(this.#target, text, modeOf(this.#target));
      }
      removeIfExists(this.#backupPath);
    });
  }

  #attempt(change: () => void): void {
    try {
      change();
    } catch (thrown) {
      if (thrown instanceof StartError) throw thrown;
      throw new StartError(`Cannot write ${this.path}: ${reasonOf(thrown)}`);
    }
  }

  #checkUnchanged(): void {
    if (read(this.#target) === this.text) return;
    throw new StartError(`Cannot write ${this.path}: it has changed meanwhile; try again`);
  }
}

/** The path to which a link leads. */
function followLinks(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) {
      throw new StartError(`Cannot read ${path}: ${reasonOf(thrown)}`);
    }
  }
  try {
    Deno.lstatSync(path);
  } catch {
    return path;
  }
  throw new StartError(`Cannot read ${path}: it is a link to a file that does not exist`);
}

/** @throws {StartError} when the file cannot be read. */
function read(path: string): string | undefined {
  try {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) throw new TypeError("not a regular file");
    if (size > MAX_BYTES) throw new TypeError(`larger than ${MAX_BYTES} bytes`);
    // The byte order mark is part of the content.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(Deno.readFileSync(path));
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    const isOurs = thrown instanceof TypeError;
    const reason = isOurs ? thrown.message.replace(/^The encoded data.*/, "not UTF-8 text") : "";
    throw new StartError(`Cannot read ${path}: ${reason || reasonOf(thrown)}`);
  }
}

/** The mode of an existing file; undefined on Windows. */
function modeOf(path: string): number {
  try {
    return (Deno.statSync(path).mode ?? PRIVATE) & 0o777;
  } catch {
    return PRIVATE;
  }
}

function makeFolder(path: string): void {
  const [, folder] = /^(.+)[/\\][^/\\]+$/.exec(path) ?? [];
  if (folder !== undefined) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/**
 * Replaces a file by writing a temporary file and renaming it, so that readers see either the old
 * content or the new one.
 *
 * @param prepare called with the path of the written file before it is renamed
 */
export function replaceFile(
  path: string,
  text: string,
  mode: number,
  prepare?: (path: string) => void,
): void {
  const temporary = `${path}.${newId("")}.tmp`;
  try {
    writeNew(temporary, text, () => {
      prepare?.(temporary);
      if (Deno.build.os !== "windows") Deno.chmodSync(temporary, mode);
    });
    // Windows renames only closed files.
    Deno.renameSync(temporary, path);
  } catch (thrown) {
    removeIfExists(temporary);
    throw thrown;
  }
}

/** Writes a new file to the disk. @param prepare called before it is closed */
function writeNew(path: string, text: string, prepare: () => void): void {
  using file = Deno.openSync(path, { write: true, createNew: true, mode: PRIVATE });
  const bytes = new TextEncoder().encode(text);
  for (let sent = 0; sent < bytes.length;) sent += file.writeSync(bytes.subarray(sent));
  file.syncDataSync();
  prepare();
}
