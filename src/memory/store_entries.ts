/**
 * Entries in the shared store. Each owner has an equal share of a memory and may use space that
 * others leave free. If the entries do not fit, the owner with the most bytes loses its oldest
 * ones. Large values are sent and read in pieces, so that they do not delay admissions.
 */

import { Buffer } from "node:buffer";
import type { Clock } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { AskOptions, StoreArgument } from "./shared_store/connection.ts";
import { keyOf, type SharedStore, type StoreLink } from "./shared_store/shared_store.ts";
import { ENTRY_SCRIPTS, type EntryScript } from "./entry_scripts.ts";
import type { Removals, SharedEntries, SharedValues } from "./shared_source.ts";
import type { MemoryLimits } from "./store.ts";

/** The scripts' results. */
type EntryReply = number | Uint8Array | readonly (number | Uint8Array | null)[];

export interface StoreEntriesOptions {
  readonly store: SharedStore;
  readonly clock: Clock;
  /** Called whenever a connection is established or lost. */
  readonly onChange: (isUp: boolean) => void;
}

/** The time limit for a change, in milliseconds. No request waits for it. */
const WRITE_MS = 5000;
/** The same for polling removals, once a second. */
const REMOVALS_MS = 900;
/** Milliseconds without reads after a read timed out, unless the server replies. */
const PAUSE_MS = 500;
/** How long a taken entry is marked as such; replicas read notices once a second. */
const TAKEN_MS = 60_000;
/** How long owners' sizes are kept without a change, in milliseconds. */
const OWNERS_MS = 7 * 24 * 3_600_000;
/** How long an incomplete value is kept, in milliseconds. */
const PIECES_MS = 60_000;
/** The maximum size of the values that are read at once, in bytes. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
/**
 * The total size of values in one call or reply, in bytes. Sending it takes 2 ms on a gigabit
 * network.
 */
const PIECE_BYTES = 256 * 1024;
/**
 * The maximum number of owners that lose entries because of one write. The next write continues.
 */
const MAX_TRIMMED = 20;

const decoder = new TextDecoder();

/** One worker's entries. */
export class StoreEntries {
  readonly #clock: Clock;
  readonly #link: StoreLink<EntryScript, EntryReply>;
  #pausedUntil = 0;

  constructor({ store, clock, onChange }: StoreEntriesOptions) {
    this.#clock = clock;
    this.#link = store.join({
      name: "entries",
      scripts: ENTRY_SCRIPTS,
      effect: () => "state and answers are not shared",
      onUp: () => {
        this.#pausedUntil = 0;
        onChange(true);
      },
      onDown: () => onChange(false),
      onReply: () => this.#pausedUntil = 0,
    });
  }

  get isUp(): boolean {
    return this.#link.generation !== undefined;
  }

  /** A memory's entries. */
  entries(memory: string): SharedEntries {
    const isUp = () => this.isUp;
    const notices = keyOf(memory, "removals");
    return {
      get isUp() {
        return isUp();
      },
      read: async (owner, names, { ttlMs }, waitMs) => {
        const { entry, index, sizes } = keysOf(memory, owner);
        const keys = [index, sizes, ...names.map((name) => entry + name)];
        const args = [ttlMs, MAX_READ_BYTES, PIECE_BYTES, ...names];
        return await this.#read(keys, args, waitMs);
      },
      write: (owner, name, value, limits) => this.#write({ memory, owner, name }, value, limits),
      remove: async (owner, name) => {
        const { entry, index, sizes } = keysOf(memory, owner);
        return await this.#ask("remove", [entry + name, index, sizes], [name]) === 1;
      },
      take: async (owner, name, waitMs, onLate) => {
        const { entry, index, sizes } = keysOf(memory, owner);
        const reply = await this.#ask("take", [entry + name, index, sizes], [name, TAKEN_MS], {
          waitMs,
          onLate(late) {
            const value = toTaken(late);
            if (value instanceof Uint8Array) onLate(value);
          },
        });
        return toTaken(reply);
      },
      notify: async (notice, { ttlMs }) =>
        await this.#ask("notify", [notices], [toBuffer(notice), ttlMs]) === 1,
      removals: async (since) =>
        toRemovals(await this.#ask("removals", [notices], [since], { waitMs: REMOVALS_MS })),
    };
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  async #write(
    { memory, owner, name }: EntryPlace,
    value: Uint8Array,
    limits: MemoryLimits,
  ): Promise<boolean> {
    const { entry, index, sizes } = keysOf(memory, owner);
    const pieces = value.length > PIECE_BYTES
      ? keyOf(`${memory}:${owner}`, `pieces:${newId("")}`)
      : undefined;
    if (pieces !== undefined && !await this.#sendPieces(pieces, value)) return false;
    const args = [pieces ? "" : toBuffer(value), limits.ttlMs, limits.bytes, entry];
    const keys = [entry + name, index, sizes, ...(pieces === undefined ? [] : [pieces])];
    const size = await this.#ask("write", keys, [name, ...args]);
    if (typeof size !== "number" || size === 0) return false;
    await this.#account(memory, owner, size, limits);
    return true;
  }

  async #sendPieces(key: string, value: Uint8Array): Promise<boolean> {
    for (let at = 0; at < value.length; at += PIECE_BYTES) {
      const end = Math.min(value.length, at + PIECE_BYTES);
      const args = [toBuffer(value.subarray(at, end)), PIECES_MS];
      if (await this.#ask("append", [key], args) !== end) return false;
    }
    return true;
  }

  /**
   * Records the size of an owner's entries. While the total is over the limit, the largest owner
   * loses entries.
   */
  async #account(
    memory: string,
    owner: string,
    size: number,
    { bytes }: MemoryLimits,
  ): Promise<void> {
    const keys = [keyOf(memory, "owners"), keyOf(memory, "bytes")];
    let [name, sum] = [owner, size];
    for (let round = 0; round <= MAX_TRIMMED; round++) {
      const reply = await this.#ask("account", keys, [name, sum, bytes, OWNERS_MS]);
      if (!Array.isArray(reply)) return;
      const [largest, , rest] = reply;
      if (!(largest instanceof Uint8Array) || typeof rest !== "number") return;
      name = decoder.decode(largest);
      const { entry, index, sizes } = keysOf(memory, name);
      const left = await this.#ask("trim", [index, sizes], [rest, entry]);
      if (typeof left !== "number") return;
      sum = left;
    }
  }

  /** Reads for a request. A hanging server does not delay every request. */
  async #read(
    keys: readonly string[],
    args: readonly (string | number)[],
    waitMs: number,
  ): Promise<SharedValues | undefined> {
    const end = this.#clock.now() + waitMs;
    const reply = await this.#askInTime("read", keys, args, end);
    if (!Array.isArray(reply)) return undefined;
    const values: (Uint8Array | undefined)[] = [];
    for (const [at, key] of keys.slice(2).entries()) {
      const value = reply[at];
      if (typeof value !== "number") {
        values.push(toBytes(value));
        continue;
      }
      const whole = await this.#readPieces(key, value, end);
      if (whole === undefined) return undefined;
      values.push(whole);
    }
    return values;
  }

  /** @returns undefined if there is no reply in time, or the value has changed */
  async #readPieces(key: string, length: number, end: number): Promise<Uint8Array | undefined> {
    const value = new Uint8Array(length);
    for (let at = 0; at < length; at += PIECE_BYTES) {
      const to = Math.min(length, at + PIECE_BYTES);
      const piece = toBytes(await this.#askInTime("piece", [key], [at, to - 1], end));
      if (piece?.length !== to - at) return undefined;
      value.set(piece, at);
    }
    return value;
  }

  async #askInTime(
    script: EntryScript,
    keys: readonly string[],
    args: readonly StoreArgument[],
    end: number,
  ): Promise<EntryReply | undefined> {
    const now = this.#clock.now();
    if (now < this.#pausedUntil || now >= end) return undefined;
    const isUp = this.isUp;
    const reply = await this.#ask(script, keys, args, {
      waitMs: end - now,
      onLate: (late) => {
        if (late !== undefined) this.#pausedUntil = 0;
      },
    });
    if (reply === undefined && isUp) this.#pausedUntil = this.#clock.now() + PAUSE_MS;
    return reply;
  }

  async #ask(
    script: EntryScript,
    keys: readonly string[],
    args: readonly StoreArgument[],
    options: Pick<AskOptions<EntryReply>, "waitMs" | "onLate"> = { waitMs: WRITE_MS },
  ): Promise<EntryReply | undefined> {
    return await this.#link.ask(script, keys, args, options);
  }
}

/** An entry's location. */
interface EntryPlace {
  readonly memory: string;
  readonly owner: string;
  readonly name: string;
}

/** An owner's keys in a memory. An entry's key ends with its name. */
function keysOf(memory: string, owner: string) {
  const key = (name: string) => keyOf(`${memory}:${owner}`, name);
  return { entry: key("entry:"), index: key("index"), sizes: key("sizes") };
}

/** The same bytes as a type that the client sends unchanged. */
function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function toBytes(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}

function toTaken(reply: EntryReply | undefined): Uint8Array | "absent" | "taken" | undefined {
  if (typeof reply === "number") return reply === 1 ? "taken" : "absent";
  return Array.isArray(reply) ? toBytes(reply[0]) : undefined;
}

function toRemovals(reply: EntryReply | undefined): Removals | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [time, ...notices] = reply;
  return typeof time === "number"
    ? { time, notices: notices.flatMap((notice) => toBytes(notice) ?? []) }
    : undefined;
}
