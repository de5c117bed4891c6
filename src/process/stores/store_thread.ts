/**
 * The SQLite store in a separate thread, so that no request waits for a slow disk, a long report, or
 * another process that has locked the file.
 */

import { messageOf } from "../../core/errors.ts";
import { StoreError, type UsageStore } from "../../governance/ledger/usage_store.ts";
import { RemoteStore, runStoreCall, type StoreCall, type StoreResult } from "./store_calls.ts";
import { type Spawn, spawnFrom, type Thread } from "../threads/threads.ts";

/** The name of the thread. */
export const STORE_THREAD = "store";

/** A message to the thread. The first one opens the file. */
export type StoreCommand =
  | { readonly type: "open"; readonly path: string }
  | { readonly type: "call"; readonly id: number; readonly call: StoreCall };

/** A message from the thread. */
export type StoreReport =
  | { readonly type: "opened" }
  | { readonly type: "fails"; readonly reason: string }
  | { readonly type: "result"; readonly id: number; readonly result: StoreResult };

/**
 * Opens the SQLite file in a new thread. If the thread exits with an error, the next call starts
 * another one.
 *
 * @throws {StoreError} when the file cannot be opened.
 */
export async function openInThread(
  path: string,
  spawn: Spawn<StoreCommand, StoreReport> = spawnFrom(import.meta.url),
): Promise<UsageStore> {
  const store = new ThreadStore(path, spawn);
  await store.open();
  return store;
}

class ThreadStore extends RemoteStore {
  readonly #path: string;
  readonly #spawn: Spawn<StoreCommand, StoreReport>;
  readonly #opened = Promise.withResolvers<void>();
  #thread: Thread<StoreCommand> | undefined;

  constructor(path: string, spawn: Spawn<StoreCommand, StoreReport>) {
    super(`sqlite:${path}`, (id, call) => this.#running.send({ type: "call", id, call }));
    this.#path = path;
    this.#spawn = spawn;
  }

  async open(): Promise<void> {
    const thread = this.#running;
    try {
      await this.#opened.promise;
    } catch (thrown) {
      thread.end();
      throw thrown;
    }
  }

  override async close(): Promise<void> {
    try {
      await super.close();
    } finally {
      this.#thread?.end();
    }
  }

  /** The thread, which is started if there is none. */
  get #running(): Thread<StoreCommand> {
    if (this.#thread !== undefined) return this.#thread;
    const thread = this.#thread = this.#spawn(STORE_THREAD, {
      onReport: (report) => this.#onReport(report),
      onExit: (reason) => {
        this.#thread = undefined;
        const message = `its thread has ended with ${reason}`;
        this.#opened.reject(new StoreError(message));
        this.failAll(message);
      },
    });
    thread.send({ type: "open", path: this.#path });
    return thread;
  }

  #onReport(report: StoreReport): void {
    switch (report.type) {
      case "opened":
        return this.#opened.resolve();
      case "fails":
        return this.#opened.reject(new StoreError(report.reason));
      case "result":
        return this.answered(report.id, report.result);
    }
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
    return new SqliteUsageStore(path);
  };
  const start = async (command: Extract<StoreCommand, { type: "open" }>) => {
    path = command.path;
    try {
      await (opening = open());
      scope.postMessage({ type: "opened" });
    } catch (thrown) {
      opening = undefined;
      scope.postMessage({ type: "fails", reason: messageOf(thrown) });
    }
  };
  const run = async ({ id, call }: Extract<StoreCommand, { type: "call" }>) => {
    let result: StoreResult;
    try {
      result = await runStoreCall(await (opening ??= open()), call);
    } catch (thrown) {
      opening = undefined;
      result = { type: "failed", reason: messageOf(thrown), failure: "unavailable" };
    }
    scope.postMessage({ type: "result", id, result });
  };
  scope.onmessage = ({ data }) => void (data.type === "open" ? start(data) : run(data));
}

// The thread runs this file or, in an executable, the whole program.
const { name: thread } = globalThis as { readonly name?: string };
if ("DedicatedWorkerGlobalScope" in globalThis && thread === STORE_THREAD) {
  runStoreThread(globalThis as unknown as StoreScope);
}
