/** Entries that replicas share in the shared store. */

import { Buffer } from "node:buffer";
import type { Clock } from "../core/clock.ts";
import type { Removals, SharedEntries } from "./shared_source.ts";
import type { AskOptions, StoreArgument } from "../shared_store/connection.ts";
import type { SharedStore, StoreLink } from "../shared_store/shared_store.ts";
import { keyOf } from "../shared_store/keys.ts";
import { STATE_SCRIPTS, type StateScript } from "./entry_scripts.ts";

/** What the scripts return. */
export type StateReply = number | readonly (number | Uint8Array | null)[];

export interface SharedStateOptions {
  readonly store: SharedStore;
  readonly clock: Clock;
  /** Called whenever a connection is made or lost. */
  readonly onChange: (isUp: boolean) => void;
}

/** How long a change may take, in milliseconds: no request waits for it. */
const WRITE_MS = 5000;
/** The same for a question for removals, which is asked every second. */
const REMOVALS_MS = 900;
/** No entry is read for this long after one was not read in time, unless the server replies. */
const PAUSE_MS = 500;
/** How long other replicas find the notice of an entry that was taken, in milliseconds. */
const NOTICE_MS = 3_600_000;
/** How long an entry that was taken is marked as such: replicas read notices every second. */
const TAKEN_MS = 60_000;
/** The maximum size of the values that are read at once, in bytes. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

/** The entries of one worker. */
export class SharedState {
  readonly #clock: Clock;
  readonly #link: StoreLink<StateScript, StateReply>;
  #pausedUntil = 0;

  constructor({ store, clock, onChange }: SharedStateOptions) {
    this.#clock = clock;
    this.#link = store.join({
      name: "entries",
      scripts: STATE_SCRIPTS,
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

  /** The entries of a memory. */
  entries(memory: string): SharedEntries {
    const entry = keyOf(`${memory}:entry:`);
    const index = keyOf(`${memory}:index`);
    const sizes = keyOf(`${memory}:sizes`);
    const notices = keyOf(`${memory}:removals`);
    const isUp = () => this.isUp;
    return {
      get isUp() {
        return isUp();
      },
      read: async (names, { ttlMs }, waitMs) => {
        const keys = [index, sizes, ...names.map((name) => entry + name)];
        const reply = await this.#read(keys, [ttlMs, MAX_READ_BYTES, ...names], waitMs);
        if (!Array.isArray(reply)) return undefined;
        return names.map((_, at) => toBytes(reply[at]));
      },
      write: async (name, value, { ttlMs, bytes }) => {
        const args = [name, toBuffer(value), ttlMs, bytes, entry];
        return await this.#ask("write", [entry + name, index, sizes], args) === 1;
      },
      remove: async (name, notice, { ttlMs }) => {
        const args = [name, toBuffer(notice), ttlMs];
        return await this.#ask("remove", [entry + name, index, sizes, notices], args) === 1;
      },
      take: async (name, notice, waitMs, onLate) => {
        const keys = [entry + name, index, sizes, notices];
        const reply = await this.#ask("take", keys, [name, toBuffer(notice), NOTICE_MS, TAKEN_MS], {
          waitMs,
          onLate(late) {
            const value = toTaken(late);
            if (value instanceof Uint8Array) onLate(value);
          },
        });
        return toTaken(reply);
      },
      removals: async (since) =>
        toRemovals(await this.#ask("removals", [notices], [since], { waitMs: REMOVALS_MS })),
    };
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  /** Reads for a request. A server that hangs does not hold up one request after the other. */
  async #read(
    keys: readonly string[],
    args: readonly (string | number)[],
    waitMs: number,
  ): Promise<StateReply | undefined> {
    if (this.#clock.now() < this.#pausedUntil) return undefined;
    const isUp = this.isUp;
    const reply = await this.#ask("read", keys, args, {
      waitMs,
      onLate: (late) => {
        if (late !== undefined) this.#pausedUntil = 0;
      },
    });
    if (reply === undefined && isUp) this.#pausedUntil = this.#clock.now() + PAUSE_MS;
    return reply;
  }

  async #ask(
    script: StateScript,
    keys: readonly string[],
    args: readonly StoreArgument[],
    options: AskOptions<StateReply> = { waitMs: WRITE_MS },
  ): Promise<StateReply | undefined> {
    return await this.#link.ask(script, keys, args, options);
  }
}

/** The same memory in the type that the client sends unchanged. */
function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function toBytes(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}

function toTaken(reply: StateReply | undefined): Uint8Array | "absent" | "taken" | undefined {
  if (typeof reply === "number") return reply === 1 ? "taken" : "absent";
  return toBytes(reply?.[0]);
}

function toRemovals(reply: StateReply | undefined): Removals | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [time, ...notices] = reply;
  return typeof time === "number"
    ? { time, notices: notices.flatMap((notice) => toBytes(notice) ?? []) }
    : undefined;
}
