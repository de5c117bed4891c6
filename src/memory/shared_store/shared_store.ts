/**
 * The Valkey or Redis server that replicas share, as one worker uses it: one connection for all of
 * its users. A user registers its scripts and is notified when the connection is made or lost.
 */

import type { LogLevel } from "../../core/log_level.ts";
import type { Clock } from "../../core/clock.ts";
import {
  type AskOptions,
  type StoreArgument,
  type StoreClient,
  StoreConnection,
  type StoreFailure,
} from "./connection.ts";

/** A counter shared by all workers in a process. */
interface WorkerCount {
  slotOf(name: string): number;
  /** Adds one. @returns the new number */
  hold(slot: number): number;
  /** Subtracts one. @returns the new number */
  leave(slot: number): number;
  taken(slot: number): number;
}

/**
 * Counts the workers that have lost the store. The first worker to lose the store and the last one
 * to regain it log a message.
 */
class StoreOutage {
  readonly #counters: WorkerCount;
  readonly #slot: number;
  readonly #log: (text: string, level?: LogLevel) => void;
  #isLost = false;

  /**
   * @param counter the name of the worker counter
   * @param log writes a message for the operator
   */
  constructor(
    counters: WorkerCount,
    counter: string,
    log: (text: string, level?: LogLevel) => void,
  ) {
    this.#counters = counters;
    this.#slot = counters.slotOf(counter);
    this.#log = log;
  }

  /** Whether this worker has lost the store. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The number of workers that have lost the store. */
  get workers(): number {
    return this.#counters.taken(this.#slot);
  }

  /**
   * Called when this worker has lost the store. The message is logged if no other worker has lost
   * it before.
   */
  begin(message: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    if (this.#counters.hold(this.#slot) === 1) this.#log(message, "error");
  }

  /**
   * Called when this worker has regained the store, or is ending. A message is logged once all
   * workers have regained it.
   */
  end(message?: string): void {
    if (!this.#isLost) return;
    this.#isLost = false;
    if (this.#counters.leave(this.#slot) === 0 && message !== undefined) this.#log(message);
  }
}

/** Runs a script with keys and arguments. */
type Run<Script extends string, Reply> = (
  script: Script,
  keys: readonly string[],
  args: readonly StoreArgument[],
) => Promise<Reply>;

/** A part of the gateway that uses the store. Exported for tests. */
export interface StoreUser<Script extends string, Reply> {
  /** A unique name. */
  readonly name: string;
  readonly scripts: Readonly<Record<Script, string>>;
  /** The effect of an outage, for the log; undefined if there is none. */
  readonly effect: () => string | undefined;
  /** Called with each new connection before it is used. It throws if the server is not usable. */
  readonly onOpen?: (run: Run<Script, Reply>) => Promise<void>;
  readonly onUp?: () => void;
  readonly onDown?: () => void;
  readonly onFailure?: (failure: StoreFailure) => void;
  /** Called for each reply in time, with its latency in milliseconds. */
  readonly onReply?: (ms: number) => void;
}

/** The store's interface for one user. */
export interface StoreLink<Script extends string, Reply> {
  /** The current connection's number; undefined while there is none. */
  readonly generation: number | undefined;
  /**
   * Runs one of this user's scripts. The user asserts that the reply has this type.
   *
   * @returns undefined if the store is unreachable, replies with an error or does not reply in time
   */
  ask(
    script: Script,
    keys: readonly string[],
    args: readonly StoreArgument[],
    options?: Pick<AskOptions<Reply>, "waitMs" | "onLate">,
  ): Promise<Reply | undefined>;
  /** Ends this use. The last user disconnects. */
  close(): Promise<void>;
}

/** The options of {@linkcode SharedStore}. Exported for tests. */
export interface SharedStoreOptions {
  /** Connects, and loads the scripts. */
  readonly open: (
    scripts: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<StoreClient>;
  /** The name of the server in messages, without credentials. */
  readonly name: string;
  readonly clock: Clock;
  readonly counters: WorkerCount;
  /** Writes a message for the operator. */
  readonly log: (text: string, level?: LogLevel) => void;
}

type AnyUser = StoreUser<string, unknown>;

/** Combines a worker's users. Connects only in {@linkcode SharedStore.start}. */
export class SharedStore {
  readonly #options: SharedStoreOptions;
  readonly #users = new Set<AnyUser>();
  readonly #outage: StoreOutage;
  #connection: StoreConnection | undefined;

  constructor(options: SharedStoreOptions) {
    this.#options = options;
    const { counters, log } = options;
    this.#outage = new StoreOutage(counters, "shared store: workers without it", log);
  }

  /** Whether this worker has lost the store. */
  get isLost(): boolean {
    return this.#outage.isLost;
  }

  /** The number of workers in this process that have lost the store. */
  get workersWithout(): number {
    return this.#outage.workers;
  }

  /**
   * Adds a user; must be called before the start.
   *
   * @throws {TypeError} after the start.
   */
  join<Script extends string, Reply>(user: StoreUser<Script, Reply>): StoreLink<Script, Reply> {
    if (this.#connection !== undefined) throw new TypeError("The store has been started");
    // The connection does not inspect scripts, arguments and replies.
    const member = user as unknown as AnyUser;
    this.#users.add(member);
    const { onFailure, onReply } = user;
    const handlers = { ...(onFailure && { onFailure }), ...(onReply && { onReply }) };
    const connection = () => this.#connection;
    return {
      get generation() {
        return connection()?.generation;
      },
      ask: async (script, keys, args, options) =>
        await connection()?.ask(nameOf(member, script), keys, args, {
          ...handlers,
          ...options as AskOptions<unknown> | undefined,
        }) as Reply | undefined,
      close: () => this.#leave(member),
    };
  }

  /** Connects. */
  start(): void {
    const { open, clock, name } = this.#options;
    const scripts = Object.fromEntries(
      [...this.#users].flatMap((user) =>
        Object.entries(user.scripts).map(([script, text]) => [nameOf(user, script), text])
      ),
    );
    this.#connection = new StoreConnection({
      open: (signal) => open(scripts, signal),
      clock,
      onOpen: async (client) => {
        for (const user of this.#users) {
          await user.onOpen?.((script, ...rest) => client.run(nameOf(user, script), ...rest));
        }
      },
      onUp: () => {
        this.#outage.end(`the shared store ${name} is available again`);
        for (const user of this.#users) user.onUp?.();
      },
      onLost: () => {
        for (const user of this.#users) user.onFailure?.("connection");
      },
      onDown: (reason) => {
        const effects = [...this.#users].flatMap((user) => user.effect() ?? []);
        this.#outage.begin(`the shared store ${name} fails (${reason}): ${effects.join(", ")}`);
        for (const user of this.#users) user.onDown?.();
      },
    });
  }

  async #leave(user: AnyUser): Promise<void> {
    this.#users.delete(user);
    if (this.#users.size > 0) return;
    await this.#connection?.close();
    this.#outage.end();
  }
}

/** The name of a user's script among all users' scripts. */
function nameOf({ name }: AnyUser, script: string): string {
  return `${name}.${script}`;
}

// The names of keys on the server. All of them begin with `{sluice`. A cluster hashes the text
// between the first braces. Related keys are therefore on one node, where a script can use them,
// and others are spread over all nodes.

/**
 * A key.
 *
 * @param owner the owner of the key, such as a service key or a model
 */
export function keyOf(owner: string, name: string): string {
  return `{sluice:${owner.replace(/[{}]/g, encodeURIComponent)}}:${name}`;
}

/** A key that all replicas use. Versions before 0.3 used only such keys. */
export function commonKeyOf(name: string): string {
  return `{sluice}:${name}`;
}
