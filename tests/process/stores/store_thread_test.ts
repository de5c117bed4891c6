/** The SQLite store in a separate thread. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { MemoryUsageStore } from "../../../src/governance/ledger/memory_store.ts";
import { StoreError } from "../../../src/governance/ledger/usage_store.ts";
import { RemoteStore, runStoreCall } from "../../../src/process/stores/store_calls.ts";
import {
  openInThread,
  type StoreCommand,
  type StoreReport,
} from "../../../src/process/stores/store_thread.ts";
import type { Spawn, ThreadListener } from "../../../src/process/threads/threads.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { ROW_TIME, usageRow } from "../../support/usage_rows.ts";

const ALL = { from: ROW_TIME - 86_400_000, to: ROW_TIME + 86_400_000, groupBy: [] };

async function withFile(test: (path: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await test(`${directory}/usage.db`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("a file that another process has locked does not block the event loop", () =>
  withFile(async (path) => {
    const store = await openInThread(path);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let isWritten = false;
    const writing = store.write([usageRow()], "batch_1").then(() => isWritten = true);
    // In the same thread, the lock could not be released.
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert(!isWritten);
    other.exec("COMMIT");
    await writing;
    other.close();
    const [sum] = await store.summarize(ALL);
    assertEquals(sum?.requests, 1);
    await store.close();
  }));

Deno.test("a file that cannot be opened is an error with its reason", async () => {
  const error = await assertRejects(() => openInThread("/no/such/folder/usage.db"), StoreError);
  assertEquals(error.message, "unable to open database file: /no/such/folder/usage.db");
});

const DONE = { type: "done", value: undefined } as const;

/** A thread that a test plays. */
function playedThreads() {
  const threads: {
    listener: ThreadListener<StoreReport>;
    commands: StoreCommand[];
    hasEnded: boolean;
  }[] = [];
  const spawn: Spawn<StoreCommand, StoreReport> = (_, listener) => {
    const thread = { listener, commands: [] as StoreCommand[], hasEnded: false };
    threads.push(thread);
    return {
      send: (command) => void thread.commands.push(command),
      end: () => void (thread.hasEnded = true),
    };
  };
  return { threads, spawn };
}

Deno.test("if the thread exits, its calls fail, and the next one starts another thread", async () => {
  const { threads, spawn } = playedThreads();
  const opening = openInThread("usage.db", spawn);
  threads[0]?.listener.onReport({ type: "reply", id: 1, result: DONE });
  const store = await opening;
  const writing = store.write([usageRow()], "batch_1");
  threads[0]?.listener.onExit("RangeError");
  const error = await assertRejects(
    () => writing,
    StoreError,
    "its thread has ended with RangeError",
  );
  assertEquals(error.failure, "unavailable");
  const again = store.write([usageRow()], "batch_1");
  assertEquals(threads.length, 2);
  assertEquals(threads[1]?.commands.map(({ call }) => call.type), ["open", "write"]);
  // The first call, which opened the file again, had the ID 3.
  threads[1]?.listener.onReport({ type: "reply", id: 3, result: DONE });
  threads[1]?.listener.onReport({ type: "reply", id: 4, result: DONE });
  await again;
  const closing = store.close();
  threads[1]?.listener.onReport({ type: "reply", id: 5, result: DONE });
  await closing;
  assertEquals(threads.map(({ hasEnded }) => hasEnded), [false, true]);
});

Deno.test("a thread that exits before the file is open prevents the start", async () => {
  const { threads, spawn } = playedThreads();
  const opening = openInThread("usage.db", spawn);
  threads[0]?.listener.onExit("an error");
  await assertRejects(() => opening, StoreError, "its thread has ended with an error");
});

Deno.test("a thread that does not reply is ended, and the next call starts another one", async () => {
  const { threads, spawn } = playedThreads();
  const clock = new ManualClock();
  const opening = openInThread("usage.db", spawn, clock);
  threads[0]?.listener.onReport({ type: "reply", id: 1, result: DONE });
  const store = await opening;
  const [write, list] = [store.write([usageRow()], "batch_1"), store.prune(0)];
  const failed = Promise.allSettled([write, list]);
  clock.advance(300_000);
  const reasons = (await failed).map((one) => one.status === "rejected" && one.reason.message);
  assertEquals(reasons, ["no reply within 300 s", "no reply within 300 s"]);
  assertEquals([threads[0]?.hasEnded, clock.pending], [true, 0]);
  const again = store.write([usageRow()], "batch_1");
  // A reply of the ended thread is ignored.
  threads[0]?.listener.onReport({ type: "reply", id: 2, result: DONE });
  threads[1]?.listener.onReport({ type: "reply", id: 4, result: DONE });
  threads[1]?.listener.onReport({ type: "reply", id: 5, result: DONE });
  await again;
  assertEquals([threads.length, clock.pending], [2, 0]);
});

Deno.test("a file that is not opened in time ends its thread", async () => {
  const { threads, spawn } = playedThreads();
  const clock = new ManualClock();
  const opening = openInThread("usage.db", spawn, clock);
  clock.advance(300_000);
  await assertRejects(() => opening, StoreError, "no reply within 300 s");
  assertEquals([threads[0]?.hasEnded, clock.pending], [true, 0]);
});

Deno.test("a long report crosses threads as texts, none of which takes long to parse", async () => {
  const memory = new MemoryUsageStore();
  const rows = Array.from({ length: 600 }, (_, index) => usageRow({ key: `key ${index}` }));
  await memory.write(rows);
  const sizes: number[] = [];
  const remote = new RemoteStore("remote", async (call) => {
    const result = await runStoreCall(memory, call);
    if (result.type === "failed") throw new Error(result.reason);
    sizes.push(...(result.value as string[]).map((part) => JSON.parse(part).length));
    return structuredClone(result);
  });
  const query = { ...ALL, groupBy: ["key"] as const };
  assertEquals(await remote.summarize(query), await memory.summarize(query));
  assertEquals(sizes, [250, 250, 100]);
  assertEquals(await remote.summarize({ ...query, key: "absent" }), []);
});
