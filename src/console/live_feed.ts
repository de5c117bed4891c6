/**
 * Sends the gateway's state to `/v1/live` clients once a second. Without clients, no timer runs and
 * no state is collected.
 */

import type { Config, ServiceKey } from "../config/config.ts";
import type { StaleConfig } from "../config/snapshot.ts";
import type { Clock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { ReadableUsage } from "../governance/ledger/usage_store.ts";
import type { AdminAnswer } from "../gateway/admin.ts";
import type { HealthAccess } from "./health/health_board.ts";
import { type KnownHealth, toKnownHealth } from "./health/report.ts";
import { AttemptReader, type RecentAttempts } from "./recent_attempts.ts";
import { gather, type GatheredState, type StateInput, toLiveState } from "./live_state.ts";

/** Milliseconds between two states. */
const INTERVAL_MS = 1000;
/** The maximum number of streams per thread. */
const MAX_WATCHERS = 32;
/** The number of streams reserved for admins. */
const ADMIN_WATCHERS = 8;
/** The maximum number of streams per service key. */
const MAX_WATCHERS_OF_KEY = 8;
/** Milliseconds for which attempts are cached, because reading them is the most expensive query. */
const ATTEMPTS_TTL_MS = 5000;

/** The feed's sources. */
export interface LiveSources {
  readonly clock: Clock;
  readonly config: () => Config;
  readonly stale: () => StaleConfig | undefined;
  /** Returns every thread's state. */
  readonly report: () => Promise<readonly AdminAnswer[]>;
  readonly usage: ReadableUsage;
  /** Target health; undefined without the console. */
  readonly health: HealthAccess | undefined;
}

/** A `/v1/live` client. */
export interface Watcher {
  /**
   * Returns the current service key, or undefined for an admin.
   *
   * @throws {GatewayError} when the key is no longer valid, which ends the stream.
   */
  readonly authorize: (config: Config) => Promise<ServiceKey | undefined>;
  /** The service key's name; undefined for an admin. */
  readonly key: string | undefined;
  /** Receives a state as an event. */
  readonly send: (event: string) => void;
  /** Ends the stream, and calls the function that {@linkcode LiveFeed.watch} returned. */
  readonly end: () => void;
}

export class LiveFeed {
  readonly #sources: LiveSources;
  readonly #watchers = new Set<Watcher>();
  readonly #attempts: AttemptReader;
  /** The attempts by key name (undefined for all keys), with the time of the read. */
  readonly #read = new Map<string | undefined, readonly [number, Promise<RecentAttempts>]>();
  #last: { readonly gathered: GatheredState; readonly at: number } | undefined;
  #health: KnownHealth | undefined;
  #rates: StateInput["rates"];
  #isGathering = false;
  /** Cancels the timer for the next state. */
  #cancel: (() => void) | undefined;
  #hasEnded = false;

  constructor(sources: LiveSources) {
    this.#sources = sources;
    this.#attempts = new AttemptReader(sources.usage);
  }

  /** The number of streams. */
  get size(): number {
    return this.#watchers.size;
  }

  /**
   * Sends the state to a `/v1/live` client, now and every second, until the returned function is
   * called.
   *
   * @throws {GatewayError} `overloaded` when there are too many streams.
   */
  watch(watcher: Watcher): () => void {
    if (this.#hasEnded || this.#isFull(watcher.key)) {
      throw new GatewayError("overloaded", "Too many clients are watching the gateway's state", {
        headers: { "retry-after": "10" },
      });
    }
    this.#watchers.add(watcher);
    if (this.#last !== undefined) void this.#sendTo(watcher, this.#last.gathered);
    else if (!this.#isGathering) void this.#tick();
    return () => this.#leave(watcher);
  }

  /** Whether a key, or admins, have reached their stream limit. */
  #isFull(key: string | undefined): boolean {
    if (key === undefined) return this.#watchers.size >= MAX_WATCHERS;
    const own = [...this.#watchers].filter((watcher) => watcher.key === key).length;
    const ofKeys = [...this.#watchers].filter((watcher) => watcher.key !== undefined).length;
    return own >= MAX_WATCHERS_OF_KEY || ofKeys >= MAX_WATCHERS - ADMIN_WATCHERS ||
      this.#watchers.size >= MAX_WATCHERS;
  }

  /** Ends all streams permanently. */
  end(): void {
    this.#hasEnded = true;
    for (const watcher of this.#watchers) watcher.end();
  }

  #leave(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size === 0 && !this.#isGathering) this.#stop();
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel =
      this.#last =
      this.#rates =
      this.#health =
        undefined;
    this.#read.clear();
    this.#attempts.forget();
  }

  async #tick(): Promise<void> {
    const { clock, health, report } = this.#sources;
    this.#cancel = undefined;
    this.#isGathering = true;
    try {
      const [answers, known] = await Promise.all([report(), health?.report()]);
      const gathered = gather(answers);
      this.#health = known && toKnownHealth(known);
      this.#update(gathered, clock.now());
      await Promise.all([...this.#watchers].map((watcher) => this.#sendTo(watcher, gathered)));
    } finally {
      this.#isGathering = false;
      if (this.#watchers.size === 0) this.#stop();
      else this.#cancel = clock.after(INTERVAL_MS, () => void this.#tick());
    }
  }

  #update(gathered: GatheredState, at: number): void {
    const { load } = gathered;
    const before = this.#last;
    if (before !== undefined && at > before.at) {
      // A restarted thread counts from 0.
      const rate = (name: "requests" | "errors") =>
        toTenths(Math.max(0, load[name] - before.gathered.load[name]) / (at - before.at) * 1000);
      this.#rates = { requests: rate("requests"), errors: rate("errors") };
    }
    this.#last = { gathered, at };
  }

  async #sendTo(watcher: Watcher, gathered: GatheredState): Promise<void> {
    const { clock, config: current, stale } = this.#sources;
    const config = current();
    let key: ServiceKey | undefined;
    try {
      key = await watcher.authorize(config);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      return watcher.end();
    }
    const attempts = await this.#attemptsOf(key?.name);
    if (!this.#watchers.has(watcher)) return;
    const now = clock.wallTime();
    const [rates, health] = [this.#rates, this.#health];
    const input = { config, stale: stale(), gathered, rates, attempts, health, now };
    watcher.send(`event: state\ndata: ${JSON.stringify(toLiveState(input, key))}\n\n`);
  }

  /** Reads a key's attempts, unless they were read recently. */
  #attemptsOf(key: string | undefined): Promise<RecentAttempts> {
    const now = this.#sources.clock.wallTime();
    const [at, known] = this.#read.get(key) ?? [0, undefined];
    if (known !== undefined && Math.abs(now - at) < ATTEMPTS_TTL_MS) return known;
    const attempts = this.#attempts.read(key, now);
    this.#read.set(key, [now, attempts]);
    return attempts;
  }
}

function toTenths(value: number): number {
  return Math.round(value * 10) / 10;
}
