/**
 * Shares moved sessions with other workers or, through the shared store, with the workers of all
 * replicas. No request waits for this, since each worker uses its local state. While the store is
 * unavailable, the state is that of this worker.
 */

import * as z from "zod";
import type { Clock } from "../../core/clock.ts";
import {
  commonKeyOf,
  type SharedStore,
  type StoreLink,
} from "../../memory/shared_store/shared_store.ts";
import {
  exchangeScripts,
  MAX_RECORD_BYTES,
  MAX_RECORDS,
} from "../../gateway/health_exchange/script.ts";
import { MAX_MOVES, type MoveChange, type MovedSessions } from "./moved_sessions.ts";

/** A message between a process's workers; an empty list requests all moved sessions. */
export type MovesMessage = readonly MoveChange[];

/** The part of a `BroadcastChannel` that is used. */
export interface MovesChannel {
  postMessage(message: MovesMessage): void;
  addEventListener(type: "message", listener: (event: MessageEvent<MovesMessage>) => void): void;
  close(): void;
}

/** A shared memory of moved sessions. */
export interface SharedMoves {
  close(): Promise<void>;
}

/** The maximum number of moves in one message or call. */
const MAX_MESSAGE = 1000;

/**
 * Shares moved sessions among the workers in a process.
 *
 * @param open opens the channel when the first request needs it, or at once if `isUsed`
 */
export function shareAmongWorkers(
  moved: MovedSessions,
  clock: Clock,
  open: () => MovesChannel,
  isUsed: boolean,
): SharedMoves {
  let channel: MovesChannel | undefined;
  const start = () => {
    moved.onUse = undefined;
    const opened = channel = open();
    moved.onChange = (change) => opened.postMessage([change]);
    opened.addEventListener("message", ({ data }) => {
      const now = clock.now();
      for (const change of data) moved.apply(change, now);
      if (data.length > 0) return;
      const all = [...moved.all(now)];
      for (let at = 0; at < all.length; at += MAX_MESSAGE) {
        opened.postMessage(all.slice(at, at + MAX_MESSAGE));
      }
    });
    opened.postMessage([]);
  };
  if (isUsed) start();
  else moved.onUse = start;
  return {
    close() {
      moved.onUse = moved.onChange = undefined;
      channel?.close();
      return Promise.resolve();
    },
  };
}

/** The keys have the same hash slot. Exported for tests. */
export const MOVES_KEYS: readonly string[] = [
  commonKeyOf("affinity:order"),
  commonKeyOf("affinity"),
];
/**
 * How long the store keeps a move. If the move is still in effect afterwards, its requests report
 * it again.
 */
const KEPT_MS = 24 * 3_600_000;
/** The script that stores and reads moves. */
const MOVES_SCRIPTS = exchangeScripts({ count: MAX_MOVES, ms: KEPT_MS });
/** The interval for reading other replicas' moves, in milliseconds. */
const POLL_MS = 1000;
/** How long a move is delayed so that several are sent together, in milliseconds. */
const DELAY_MS = 50;
/** The time limit for a call to the store, in milliseconds. */
const WAIT_MS = 500;
/** The maximum number of moves queued for the store; the oldest are discarded. */
const MAX_PENDING = 10_000;

/** A stored move, with its end in milliseconds by the store's clock. */
const record = z.tuple([z.string(), z.string(), z.string().nullable(), z.number()]);

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Shares the moved sessions among all replicas. */
export class StoredMoves implements SharedMoves {
  readonly #moved: MovedSessions;
  readonly #clock: Clock;
  readonly #link: StoreLink<"exchange", readonly Uint8Array[]>;
  /** The last change of each session that has not been stored yet. */
  readonly #pending = new Map<string, MoveChange>();
  /** The time of the last record read, in the store's format. */
  #cursor = "0";
  /** The store's time minus the clock, in milliseconds; undefined before its first reply. */
  #offset: number | undefined;
  #running: Promise<void> | undefined;
  #cancel = () => {};
  #isClosed = false;

  constructor(moved: MovedSessions, store: SharedStore, clock: Clock) {
    this.#moved = moved;
    this.#clock = clock;
    this.#link = store.join({
      name: "affinity",
      scripts: MOVES_SCRIPTS,
      effect: () => "moved sessions are not shared",
    });
    moved.onChange = (change) => this.#add(change);
    this.#schedule(0);
  }

  /** Sends the queued moves, and disconnects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#moved.onChange = undefined;
    this.#cancel();
    await this.#running;
    if (this.#pending.size > 0) await this.#exchange();
    await this.#link.close();
  }

  #add(change: MoveChange): void {
    const field = fieldOf(change);
    const isFirst = this.#pending.size === 0;
    this.#pending.delete(field);
    this.#pending.set(field, change);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest);
    if (isFirst && this.#running === undefined) this.#schedule(DELAY_MS);
  }

  #schedule(ms: number): void {
    this.#cancel();
    if (this.#isClosed) return;
    this.#cancel = this.#clock.after(ms, () => {
      this.#running = this.#exchange().then((isDue) => {
        this.#running = undefined;
        this.#schedule(isDue ? DELAY_MS : POLL_MS);
      });
    });
  }

  /** Sends and reads moves. Resolves to whether there is more to do. */
  async #exchange(): Promise<boolean> {
    const offset = this.#offset;
    // The first call only reads, to learn the store's time.
    const sent = offset === undefined ? [] : [...this.#pending].slice(0, MAX_RECORDS);
    const texts = sent.flatMap(([field, change]) => {
      const text = toText(change, offset ?? 0);
      return encoder.encode(text).length > MAX_RECORD_BYTES ? [] : [field, text];
    });
    const args = [this.#cursor, texts.length / 2, ...texts];
    const began = this.#clock.now();
    const reply = await this.#link.ask("exchange", MOVES_KEYS, args, { waitMs: WAIT_MS });
    const now = Number(decoder.decode(reply?.[0]));
    if (reply === undefined || !(now > 0)) return false;
    this.#offset = now / 1000 - (began + this.#clock.now()) / 2;
    this.#applyAll(reply.slice(2), this.#offset);
    for (const [field, change] of sent) {
      if (this.#pending.get(field) === change) this.#pending.delete(field);
    }
    return reply.length >= 2 + 2 * MAX_RECORDS || this.#pending.size > 0;
  }

  /** @param reply the time and text of each record */
  #applyAll(reply: readonly Uint8Array[], offset: number): void {
    const now = this.#clock.now();
    for (let at = 0; at + 1 < reply.length; at += 2) {
      this.#cursor = decoder.decode(reply[at]);
      const change = toChange(decoder.decode(reply[at + 1]), offset);
      // Moves that this worker has not sent yet are newer.
      if (change !== undefined && !this.#pending.has(fieldOf(change))) {
        this.#moved.apply(change, now);
      }
    }
  }
}

function fieldOf({ key, session }: MoveChange): string {
  return JSON.stringify([key, session]);
}

function toText({ key, session, target, until }: MoveChange, offset: number): string {
  return JSON.stringify([key, session, target ?? null, Math.round(until + offset)]);
}

/** The move in a record; undefined for data that was not written by a replica. */
function toChange(text: string, offset: number): MoveChange | undefined {
  try {
    const [key, session, target, until] = record.parse(JSON.parse(text));
    return { key, session, target: target ?? undefined, until: until - offset };
  } catch {
    return undefined;
  }
}
