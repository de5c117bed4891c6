/** The SQLite store in a separate thread. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../../src/governance/ledger/usage_store.ts";
import {
  openInThread,
  type StoreCommand,
  type StoreReport,
} from "../../../src/process/stores/store_thread.ts";
import type { Spawn, ThreadListener } from "../../../src/process/threads/threads.ts";
import { ROW_TIME, usageRow } from "../../support/usage_stores.ts";

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
  threads[0]?.listener.onReport({ type: "opened" });
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
  assertEquals(threads[1]?.commands.map(({ type }) => type), ["open", "call"]);
  threads[1]?.listener.onReport({ type: "opened" });
  threads[1]?.listener.onReport({
    type: "result",
    id: 2,
    result: { type: "done", value: undefined },
  });
  await again;
  const closing = store.close();
  threads[1]?.listener.onReport({
    type: "result",
    id: 3,
    result: { type: "done", value: undefined },
  });
  await closing;
  assertEquals(threads.map(({ hasEnded }) => hasEnded), [false, true]);
});

Deno.test("a thread that exits before the file is open ends the start", async () => {
  const { threads, spawn } = playedThreads();
  const opening = openInThread("usage.db", spawn);
  threads[0]?.listener.onExit("an error");
  await assertRejects(() => opening, StoreError, "its thread has ended with an error");
});
