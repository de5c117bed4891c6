/**
 * The SQLite store in a separate thread, so that no request waits for a slow disk, a long report,
 * or another process that has locked the file.
 */

import { type Clock, SystemClock, systemClock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { CallError } from "../../core/open_calls.ts";
import { StoreError, type UsageStore } from "../../governance/ledger/usage_store.ts";
import { RemoteStore, runStoreCall, type StoreCall, type StoreResult } from "./store_calls.ts";
import {
  CallChannel,
  type CallMessage,
  type ReplyMessage,
  replyTo,
  type Spawn,
  spawnFrom,
  type Thread,
} from "../threads/threads.ts";

/** The name of the thread. */
export const STORE_THREAD = "store";

/** A call to the thread. The first call opens the file. */
export type StoreThreadCall =
  | { readonly type: "open"; readonly path: string }
  | StoreCall;

/** A message to the thread. */
export type StoreCommand = CallMessage<StoreThreadCall>;

/** A message from the thread. */
export type StoreReport = ReplyMessage<StoreResult>;

/** The time limit for opening the file, in milliseconds. It includes a schema migration. */
const OPEN_TIMEOUT_MS = 300_000;

/**
 * Opens the SQLite file in a new thread. If the thread exits with an error, the next call starts
 * another one.
 *
 * @throws {StoreError} when the file cannot be opened.
 */
export async function openInThread(
  path: string,
  spawn: Spawn<StoreCommand, StoreReport> = spawnFrom(import.meta.url),
  clock: CallClock = new SystemClock(),
): Promise<UsageStore> {
  const store = new ThreadStore(path, spawn, clock);
  await store.open();
  return store;
}

/** The clock of the calls. Its timers end with the thread. */
type CallClock = Pick<Clock, "after"> & { close?(): void };

class ThreadStore extends RemoteStore {
  readonly #path: string;
  readonly #spawn: Spawn<StoreCommand, StoreReport>;
  readonly #calls: CallChannel<StoreThreadCall, Record<StoreThreadCall["type"], StoreResult>>;
  readonly #clock: CallClock;
  #thread: Thread<StoreCommand> | undefined;

  constructor(path: string, spawn: Spawn<StoreCommand, StoreReport>, clock: CallClock) {
    super(`sqlite:${path}`, (call, timeoutMs) => this.#run(call, timeoutMs));
    this.#path = path;
    this.#spawn = spawn;
    this.#clock = clock;
    this.#calls = new CallChannel((message) => this.#thread?.send(message), clock);
  }

  /** Starts the thread and opens the file. @throws {StoreError} when it cannot be opened. */
  async open(): Promise<void> {
    try {
      const result = await this.#start();
      if (result.type === "failed") throw new StoreError(result.reason, result.failure);
    } catch (thrown) {
      this.#end();
      throw thrown instanceof CallError ? new StoreError(thrown.message) : thrown;
    }
  }

  override async close(): Promise<void> {
    try {
      await super.close();
    } finally {
      this.#end();
    }
  }

  /** Runs a call in the thread, starting it if necessary. */
  async #run(call: StoreCall, timeoutMs: number): Promise<StoreResult> {
    // Later calls report why the file cannot be opened.
    if (this.#thread === undefined) void this.#start().catch(() => {});
    const thread = this.#thread;
    try {
      return await this.#calls.call(call, timeoutMs);
    } catch (thrown) {
      // A thread that does not reply is stuck, so the next call starts another one.
      if (thread === this.#thread) this.#end();
      throw thrown;
    }
  }

  #start(): Promise<StoreResult> {
    const thread = this.#thread = this.#spawn(STORE_THREAD, {
      onReport: (report) => this.#calls.onReply(report),
      onExit: (reason) => {
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        this.#calls.failAll(`its thread has ended with ${reason}`);
      },
    });
    return this.#calls.call({ type: "open", path: this.#path }, OPEN_TIMEOUT_MS);
  }

  #end(): void {
    this.#thread?.end();
    this.#thread = undefined;
    this.#calls.failAll("its thread was ended");
    this.#clock.close?.();
  }
}

/** The global scope of the thread. */
interface StoreScope {
  postMessage(report: StoreReport): void;
  onmessage: ((event: { readonly data: StoreCommand }) => void) | null;
}

/** Runs in the thread: opens the file and runs calls. A file that cannot be opened is tried again. */
function runStoreThread(scope: StoreScope): void {
  let path = "";
  let opening: Promise<UsageStore> | undefined;
  const open = async () => {
    // Loaded only here, because it takes time and memory.
    const { SqliteUsageStore } = await import("../../governance/ledger/sqlite_store.ts");
    return new SqliteUsageStore(path, systemClock);
  };
  const run = async (call: StoreThreadCall): Promise<StoreResult> => {
    try {
      if (call.type !== "open") return await runStoreCall(await (opening ??= open()), call);
      path = call.path;
      await (opening = open());
      return { type: "done", value: undefined };
    } catch (thrown) {
      opening = undefined;
      return { type: "failed", reason: messageOf(thrown), failure: "unavailable" };
    }
  };
  scope.onmessage = ({ data }) => void replyTo(data, run, (message) => scope.postMessage(message));
}

// The thread runs this file or, in an executable, the whole program.
const { name: thread } = globalThis as { readonly name?: string };
if ("DedicatedWorkerGlobalScope" in globalThis && thread === STORE_THREAD) {
  runStoreThread(globalThis as unknown as StoreScope);
}
