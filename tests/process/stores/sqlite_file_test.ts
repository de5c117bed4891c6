/** The file of an SQLite store: private, for one gateway, and complete without its WAL. */

import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { CHECKPOINT_MS, SqliteUsageStore } from "../../../src/governance/ledger/sqlite_store.ts";
import { StoreError } from "../../../src/governance/ledger/usage_store.ts";
import { claimFile, findFileFault } from "../../../src/process/stores/sqlite_file.ts";
import { HAS_MODES, inFolder, modesOf } from "../../support/file_modes.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { usageRow } from "../../support/usage_rows.ts";
import { needs } from "../../support/needs.ts";

Deno.test({
  ...needs(
    "file modes",
    HAS_MODES,
    "a file that all users could read becomes private, and one for a group stays",
  ),
  fn: () =>
    inFolder((folder) => {
      const log: string[] = [];
      for (
        const [name, mode] of [["all.db", 0o644], ["all.db-wal", 0o644], [
          "group.db",
          0o640,
        ]] as const
      ) {
        Deno.writeTextFileSync(`${folder}/${name}`, "");
        Deno.chmodSync(`${folder}/${name}`, mode);
      }
      claimFile(`${folder}/all.db`, (text) => log.push(text))?.[Symbol.dispose]();
      claimFile(`${folder}/group.db`, (text) => log.push(text))?.[Symbol.dispose]();
      const { "all.db": all, "all.db-wal": wal, "group.db": group } = modesOf(folder);
      assertEquals([all, wal, group], ["600", "600", "640"]);
      assertEquals(log, [
        `${folder}/all.db was readable by other users: its mode is now 0600`,
        `${folder}/all.db-wal was readable by other users: its mode is now 0600`,
      ]);
    }),
});

Deno.test("a claim ends with its owner, and keeps the content of the file", () =>
  inFolder((folder) => {
    const path = `${folder}/s.db`;
    Deno.writeTextFileSync(path, "content", { mode: 0o600 });
    {
      using _claim = claimFile(path);
      const error = assertThrows(() => claimFile(path), StoreError);
      assertMatch(error.message, /^another process \(\d+\) uses it/);
      assertEquals(error.failure, "setup");
    }
    using _again = claimFile(path);
    assertEquals(Deno.readTextFileSync(path), "content");
  }));

Deno.test("a file that cannot be written is an error that says why", () =>
  inFolder((folder) => {
    const missing = assertThrows(() => claimFile(`${folder}/no/s.db`), StoreError);
    assertEquals(missing.message, `the folder '${folder}/no' does not exist`);
    Deno.mkdirSync(`${folder}/s.db`);
    const isFolder = assertThrows(() => claimFile(`${folder}/s.db`), StoreError);
    assertEquals(isFolder.message, `cannot write '${folder}/s.db': Is a directory`);
    // The lock was released, although the file was not opened.
    Deno.removeSync(`${folder}/s.db`);
    using _claim = claimFile(`${folder}/s.db`);
  }));

Deno.test("a database in memory needs no file", () => {
  assertEquals(claimFile(":memory:"), undefined);
});

Deno.test("after a checkpoint, the file has all rows without its WAL", () =>
  inFolder(async (folder) => {
    const clock = new ManualClock();
    const store = new SqliteUsageStore(`${folder}/s.db`, clock);
    const countIn = (name: string) => {
      Deno.copyFileSync(`${folder}/s.db`, `${folder}/${name}`);
      using copy = new DatabaseSync(`${folder}/${name}`);
      return copy.prepare("SELECT COUNT(*) AS count FROM requests").get()?.count;
    };
    assertEquals(countIn("start.db"), 0);
    await store.write([usageRow(), usageRow({ id: "req_2" })]);
    assertEquals(countIn("before.db"), 0);
    clock.advance(CHECKPOINT_MS);
    assertEquals(countIn("after.db"), 2);
    await store.write([usageRow({ id: "req_3" })]);
    clock.advance(CHECKPOINT_MS);
    assertEquals(countIn("later.db"), 3);
    await store.close();
    assertEquals(clock.pending, 0);
  }));

Deno.test("whether a file can be a store is seen without creating one", () => {
  const folder = Deno.makeTempDirSync({ prefix: "sluice-" });
  try {
    const path = `${folder}/s.db`;
    assertEquals(findFileFault(path), undefined);
    assertEquals([...Deno.readDirSync(folder)], []);
    claimFile(path)?.[Symbol.dispose]();
    assertEquals(findFileFault(path), undefined);
    Deno.mkdirSync(`${path}-wal`);
    assertEquals(findFileFault(path), `'${path}-wal' is not a regular file`);
    assertEquals(findFileFault(":memory:"), undefined);
    // No user can create files there.
    assertEquals(typeof findFileFault("/proc/s.db"), "string");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
