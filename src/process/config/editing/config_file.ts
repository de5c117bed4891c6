/** The configuration file: compares it, replaces it atomically, and keeps earlier versions. */

import { createHmac } from "node:crypto";
import type { ConfigVersion } from "../../../config/editing/changes.ts";
import { reasonOf } from "../../system/files.ts";
import { replaceFile } from "../../system/settings_file.ts";

/** The number of earlier versions to keep. */
const MAX_VERSIONS = 20;
/** The maximum length of an admin key's name in the name of a file, in characters. */
const MAX_NAME_CHARS = 60;
/** Texts may contain secrets. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** The suffix of the file that contains the reason why a text was replaced. */
const REASON = ".reason.txt";
/** Such as `2026-11-26T08-30-00.123Z.ops.yaml`. */
const VERSION_FILE = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.([^/\\]*)\.yaml$/;

/** Thrown if the file differs from the expected one. */
export class ChangedFile extends Error {
  override readonly name = "ChangedFile";
}

/** A file of the configuration. */
export class ConfigFile {
  /** The file itself, if the path is a link. */
  readonly #path: string;
  readonly #versions: string;
  readonly #key: Uint8Array;

  /**
   * @param key the secret for hashes, so that they reveal nothing about secrets in the text
   * @throws when the file does not exist
   */
  constructor(path: string, key: Uint8Array) {
    this.#path = Deno.realPathSync(path);
    const [, folder = "", name = ""] = /^(.*[/\\])([^/\\]+)$/.exec(this.#path) ?? [];
    this.#versions = `${folder}.${name}.versions`;
    this.#key = key;
  }

  /** The text of the file, including the byte order mark. */
  read(): string {
    return decode(Deno.readFileSync(this.#path));
  }

  hashOf(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url").slice(0, 22);
  }

  /** The reason why the file cannot be replaced; undefined if none is known. */
  findObstacle(): string | undefined {
    try {
      const { isFile } = Deno.statSync(this.#path);
      if (!isFile) return "it is not a regular file";
      // Opens the file without changing it, since only the system knows whether it is writable.
      Deno.openSync(this.#path, { write: true }).close();
      this.#makeFolder();
      return undefined;
    } catch (thrown) {
      return `the file and its folder must be writable (${codeOf(thrown)})`;
    }
  }

  /** The earlier versions, newest first. */
  versions(): ConfigVersion[] {
    let entries;
    try {
      entries = [...Deno.readDirSync(this.#versions)];
    } catch {
      return [];
    }
    return entries.flatMap(({ name, isFile }): ConfigVersion[] => {
      const [, day, hours, minutes, seconds, by = ""] = VERSION_FILE.exec(name) ?? [];
      if (!isFile || day === undefined) return [];
      const replaced = Date.parse(`${day}T${hours}:${minutes}:${seconds}`);
      const id = name.replace(/\.yaml$/, "");
      const reason = this.#readReason(id);
      return [{ id, replaced, by: decoded(by), ...(reason !== undefined && { reason }) }];
    }).sort((one, other) => other.replaced - one.replaced || (other.id < one.id ? -1 : 1));
  }

  /** The text of a version; undefined if no version has this ID. */
  readVersion(id: string): string | undefined {
    // Accepts only names that the folder contains, so an ID is never used as a path.
    if (!this.versions().some((version) => version.id === id)) return undefined;
    return decode(Deno.readFileSync(`${this.#versions}/${id}.yaml`));
  }

  /**
   * Replaces the text if the file still has the one with this hash. A lock keeps other processes
   * from calling this function at the same time.
   *
   * @throws {ChangedFile} when the file has changed, and the errors of the system.
   */
  async replace(
    { hash, toText, by, reason, now }: {
      readonly hash: string;
      /** Creates the new text from the current one. Rejects if it must not be written. */
      readonly toText: (before: string) => Promise<string>;
      /** The name of the admin key. */
      readonly by: string;
      readonly reason?: string | undefined;
      /** Milliseconds since 1970. */
      readonly now: number;
    },
  ): Promise<void> {
    this.#makeFolder();
    using lock = await Deno.open(`${this.#versions}/.lock`, {
      write: true,
      create: true,
      mode: PRIVATE_FILE,
    });
    // The system releases the lock when the process ends.
    await lock.lock(true);
    const before = this.read();
    if (this.hashOf(before) !== hash) throw new ChangedFile("The file has changed");
    const text = await toText(before);
    // Text editors do not use the lock.
    if (this.read() !== before) throw new ChangedFile("The file has changed");
    if (text === before) return;
    this.#keep(before, by, reason, now);
    this.#write(text);
  }

  #makeFolder(): void {
    Deno.mkdirSync(this.#versions, { recursive: true, mode: PRIVATE_FOLDER });
  }

  /** Undefined if the admin gave no reason. */
  #readReason(id: string): string | undefined {
    try {
      return decode(Deno.readFileSync(`${this.#versions}/${id}${REASON}`));
    } catch {
      return undefined;
    }
  }

  #keep(text: string, by: string, reason: string | undefined, now: number): void {
    const time = new Date(now).toISOString().replaceAll(":", "-");
    const name = encodeURIComponent(by.toWellFormed()).replaceAll("*", "%2A").slice(
      0,
      MAX_NAME_CHARS,
    );
    const path = `${this.#versions}/${time}.${name}`;
    if (reason) replaceFile(path + REASON, reason, PRIVATE_FILE);
    replaceFile(`${path}.yaml`, text, PRIVATE_FILE);
    for (const { id, reason } of this.versions().slice(MAX_VERSIONS)) {
      Deno.removeSync(`${this.#versions}/${id}.yaml`);
      if (reason !== undefined) Deno.removeSync(`${this.#versions}/${id}${REASON}`);
    }
  }

  /** Writes the text with the owner and the mode of the current file. */
  #write(text: string): void {
    const { mode, uid, gid } = Deno.statSync(this.#path);
    replaceFile(this.#path, text, (mode ?? PRIVATE_FILE) & 0o777, (path) => {
      const { uid: own, gid: ownGroup } = Deno.statSync(path);
      if (uid !== own || gid !== ownGroup) Deno.chownSync(path, uid, gid);
    });
  }
}

/** The system's name for an error. */
export function codeOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, "code") : undefined;
  return typeof code === "string" ? code : reasonOf(thrown);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
