/**
 * Shares open breakers and suspended keys among the workers of all replicas, in the shared store.
 * No request waits for it. A change is sent at most 50 ms later, and each worker reads other
 * workers' changes once a second.
 */

import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { SharedStore, StoreLink } from "../../memory/shared_store/shared_store.ts";
import type { State, StateChange } from "../state.ts";
import { fieldOf, type HealthRecord, HealthRecords } from "./records.ts";
import { EXCHANGE_KEYS, EXCHANGE_SCRIPTS, MAX_RECORDS } from "./script.ts";

/** A reply from the store. It may contain text from other programs. */
export type ExchangeReply = readonly Uint8Array[];

export interface HealthExchangeOptions {
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly state: State;
  readonly config: () => Config;
  /** The secret that replicas share in addition to the provider configuration. */
  readonly secret: string;
}

/** The interval for reading other replicas' changes, in milliseconds. */
const POLL_MS = 1000;
/** How long a change is delayed so that several are sent together, in milliseconds. */
const DELAY_MS = 50;
/** The time limit for a call to the store, in milliseconds. No request waits for it. */
const WAIT_MS = 500;
/** The maximum number of changes queued for the store; further ones are not sent. */
const MAX_PENDING = 1000;
/** A change is dropped if the store is unavailable for this long. */
const MAX_AGE_MS = 60_000;
/**
 * If requests keep failing, the open period is extended, and the extension is sent after this many
 * milliseconds.
 */
const MIN_EXTENSION_MS = 5000;

/** A change to send, and the ID of its provider. */
interface PendingChange {
  readonly provider: string;
  readonly change: StateChange;
  readonly at: number;
}

/** A change in transit, and its name in the queue. */
interface SentChange {
  readonly name: string;
  readonly pending: PendingChange;
  readonly record: HealthRecord;
}

const decoder = new TextDecoder();

export class HealthExchange {
  readonly #options: HealthExchangeOptions;
  readonly #link: StoreLink<"exchange", ExchangeReply>;
  readonly #records: HealthRecords;
  /** The changes to send: the last one for each breaker or key, by name. */
  readonly #pending = new Map<string, PendingChange>();
  /** The time until which other replicas consider a breaker open, by provider and model. */
  readonly #knownOpen = new Map<string, number>();
  /** The time of the last record read, in the store's format. */
  #cursor = "0";
  /** The store's time minus the clock, in milliseconds; undefined before its first reply. */
  #offset: number | undefined;
  /** The number of the connection to which the cursor belongs. */
  #generation: number | undefined;
  /**
   * The times of records that were read or sent, so that they are not applied again after a
   * reconnect.
   */
  readonly #seen = new Set<string>();
  #running: Promise<void> | undefined;
  #cancelTimer = () => {};
  /** Whether the timer is for a change rather than for the next poll. */
  #isDue = false;
  #isClosed = false;

  constructor(options: HealthExchangeOptions) {
    this.#options = options;
    const { store, state } = options;
    this.#records = new HealthRecords(options.secret);
    this.#link = store.join({
      name: "health",
      scripts: EXCHANGE_SCRIPTS,
      effect: () => "breakers are not shared",
    });
    state.onChange = (provider, change) => this.#add(provider, change);
    this.#schedule(0);
  }

  /** Sends queued changes, and disconnects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#options.state.onChange = () => {};
    await this.#running;
    if (this.#pending.size > 0) await this.#exchange();
    await this.#link.close();
  }

  #add(provider: string, change: StateChange): void {
    const at = this.#options.clock.now();
    if (change.type === "reset") {
      // Changes made before a reset are obsolete.
      for (const [name, pending] of this.#pending) {
        if (pending.provider === provider) this.#pending.delete(name);
      }
    }
    const { openUntil } = change.type === "breaker" ? change : {};
    if (openUntil === undefined) this.#forgetOpen(provider, change);
    else {
      const known = this.#knownOpen.get(nameOf(provider, change)) ?? 0;
      if (at < known && openUntil < known + MIN_EXTENSION_MS) return;
      this.#knownOpen.set(nameOf(provider, change), openUntil);
    }
    const name = nameOf(provider, change);
    if (this.#pending.size >= MAX_PENDING && !this.#pending.has(name)) return;
    this.#pending.delete(name);
    this.#pending.set(name, { provider, change, at });
    if (this.#running === undefined && !this.#isDue) this.#schedule(DELAY_MS);
  }

  /** After a breaker was closed or a provider was reset, the next opening is sent at once. */
  #forgetOpen(provider: string, change: StateChange): void {
    if (change.type === "reset") this.#knownOpen.clear();
    else this.#knownOpen.delete(nameOf(provider, change));
  }

  #schedule(ms: number): void {
    this.#cancelTimer();
    if (this.#isClosed) return;
    this.#isDue = ms < POLL_MS;
    this.#cancelTimer = this.#options.clock.after(ms, () => {
      this.#isDue = false;
      this.#running = this.#exchange().then((result) => {
        this.#running = undefined;
        const isDue = result === "more" || result === "done" && this.#pending.size > 0;
        this.#schedule(isDue ? DELAY_MS : POLL_MS);
      });
    });
  }

  /** Sends and reads changes. Resolves to whether there are more to read. */
  async #exchange(): Promise<"more" | "done" | "failed"> {
    if (this.#generation !== this.#link.generation) {
      // The server may have lost its records, or may be another one.
      this.#cursor = "0";
      this.#generation = this.#link.generation;
    }
    const sent = this.#takePending();
    const texts = sent.flatMap(({ record: { field, text } }) => [field, text]);
    const args = [this.#cursor, sent.length, ...texts];
    const began = this.#options.clock.now();
    const reply = await this.#link.ask("exchange", EXCHANGE_KEYS, args, { waitMs: WAIT_MS });
    const [now, first] = (reply ?? []).slice(0, 2).map((time) => Number(decoder.decode(time)));
    if (reply === undefined || now === undefined || first === undefined) {
      this.#putBack(sent);
      return "failed";
    }
    this.#offset = now / 1000 - (began + this.#options.clock.now()) / 2;
    for (const index of sent.keys()) this.#see(String(first + index));
    this.#applyAll(reply.slice(2));
    return reply.length < 2 + 2 * MAX_RECORDS ? "done" : "more";
  }

  /** Removes as many changes from the queue as one call may send. */
  #takePending(): readonly SentChange[] {
    const { clock, config } = this.#options;
    const offset = this.#offset;
    // The first call only requests the store's time.
    if (offset === undefined) return [];
    const now = clock.now();
    const taken: SentChange[] = [];
    for (const [name, pending] of this.#pending) {
      if (taken.length === MAX_RECORDS) break;
      this.#pending.delete(name);
      const provider = config().providers.get(pending.provider);
      if (provider === undefined || pending.at < now - MAX_AGE_MS) continue;
      const record = this.#records.write(provider, pending.change, { now: pending.at, offset });
      if (record !== undefined) taken.push({ name, pending, record });
    }
    return taken;
  }

  /** Changes that the store did not confirm are sent again, before later ones. */
  #putBack(sent: readonly SentChange[]): void {
    const later = [...this.#pending];
    const resets = new Set(
      later.filter(([, { change }]) => change.type === "reset").map(([, { provider }]) => provider),
    );
    this.#pending.clear();
    for (const { name, pending } of sent) {
      if (!resets.has(pending.provider)) this.#pending.set(name, pending);
    }
    for (const [name, pending] of later) {
      this.#pending.delete(name);
      this.#pending.set(name, pending);
    }
  }

  /** @param reply time and text of each record */
  #applyAll(reply: ExchangeReply): void {
    const { clock, config, state } = this.#options;
    const now = clock.now();
    for (let at = 0; at + 1 < reply.length; at += 2) {
      const time = decoder.decode(reply[at]);
      this.#cursor = time;
      if (!this.#see(time)) continue;
      const text = decoder.decode(reply[at + 1]);
      const received = this.#records.read(text, config(), { now, offset: this.#offset ?? 0 });
      if (received === undefined) continue;
      const { provider, change } = received;
      const isOpening = change.type === "breaker" && change.openUntil !== undefined;
      if (!isOpening) this.#forgetOpen(provider.settings.id, change);
      state.apply(provider, change, now);
    }
  }

  /** Returns whether a record is new to this worker. */
  #see(time: string): boolean {
    if (this.#seen.has(time)) return false;
    this.#seen.add(time);
    if (this.#seen.size > 2 * MAX_PENDING) {
      const [oldest = time] = this.#seen;
      this.#seen.delete(oldest);
    }
    return true;
  }
}

function nameOf(provider: string, change: StateChange): string {
  return JSON.stringify([provider, fieldOf(change)]);
}
