/** A store whose disk is full or read-only, and a clock that jumps. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { MemoryUsageStore } from "../../../src/governance/ledger/memory_store.ts";
import { SqliteUsageStore } from "../../../src/governance/ledger/sqlite_store.ts";
import type { UsageStore } from "../../../src/governance/ledger/usage_store.ts";
import { pruneHourly } from "../../../src/process/stores/ledger.ts";
import { turn } from "../../support/elapse.ts";
import { HAS_MODES, inFolder, modesOf } from "../../support/file_modes.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { needs } from "../../support/needs.ts";
import { runSluice, SOURCES, startSluice } from "../../support/process.ts";
import { usageRow, writeRows } from "../../support/usage_rows.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KEY = "sk-a-0123456789";

async function run(...[program = "", ...args]: string[]): Promise<boolean> {
  const { success } = await new Deno.Command(program, { args, stdout: "null", stderr: "null" })
    .output();
  return success;
}

/** Whether this user may mount a file system in memory. */
async function canMount(): Promise<boolean> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return false;
  const folder = await Deno.makeTempDir({ prefix: "sluice-" });
  const isMounted = await run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder);
  if (isMounted) await run("umount", folder);
  await Deno.remove(folder);
  return isMounted;
}

const CAN_MOUNT = await canMount();
const NEEDS_MOUNT = CAN_MOUNT ? "" : " (skipped: no right to mount a small disk)";

/** Runs with a disk of one or more megabytes. */
async function onDisk(size: string, test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-" });
  await run("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder);
  try {
    await test(folder);
  } finally {
    await run("umount", folder);
    await Deno.remove(folder);
  }
}

function configOf(path: string): Readonly<Record<string, string>> {
  return {
    "config.yaml": JSON.stringify({
      server: { port: 0, keys: [{ name: "a", key: KEY }] },
      store: `sqlite:${path}`,
      providers: { mock: { kind: "mock", models: ["mock-echo"] } },
    }),
  };
}

async function ask(origin: string): Promise<number> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model: "mock-echo", messages: [{ role: "user", content: "Hi" }] }),
  });
  await response.body?.cancel();
  return response.status;
}

Deno.test({
  name: `a full disk costs no request anything, and the rows are written later${NEEDS_MOUNT}`,
  ignore: !CAN_MOUNT,
  fn: () =>
    onDisk("1m", async (folder) => {
      const path = `${folder}/s.db`;
      await using running = startSluice([], { files: configOf(path) });
      await running.logged("Next steps");
      const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(running.stderr())?.[0] ?? "";
      fillDisk(`${folder}/filler`);
      let asked = 0;
      // The WAL has some space at first.
      while (!running.stderr().includes("rows are queued in memory: database or disk is full")) {
        assert(asked < 5000, running.stderr());
        const statuses = await Promise.all(Array.from({ length: 20 }, () => ask(origin)));
        assertEquals(statuses, Array(20).fill(200));
        asked += 20;
      }
      for (let count = 0; count < 20; count++) assertEquals(await ask(origin), 200);
      asked += 20;
      Deno.removeSync(`${folder}/filler`);
      await running.logged("is available again: the queued rows were written, 0 were lost");
      running.signal("SIGTERM");
      assertEquals((await running.finished).code, 0);
      using file = new DatabaseSync(path, { readOnly: true });
      assertEquals(file.prepare("SELECT COUNT(*) AS rows FROM requests").get()?.rows, asked);
    }),
});

function fillDisk(path: string): void {
  using file = Deno.openSync(path, { create: true, write: true });
  for (const size of [65_536, 4096, 1]) {
    try {
      for (;;) file.writeSync(new Uint8Array(size));
    } catch {
      // It is full for pieces of this size.
    }
  }
}

Deno.test({
  name: `a read-only disk prevents the start, with its reason${NEEDS_MOUNT}`,
  ignore: !CAN_MOUNT,
  fn: () =>
    onDisk("1m", async (folder) => {
      await run("mount", "-o", "remount,ro", folder);
      const { code, stderr } = await runSluice([], { files: configOf(`${folder}/s.db`) });
      assertEquals(code, 1);
      assertStringIncludes(
        stderr,
        `Cannot open the store ${folder}/s.db: the folder '${folder}' cannot be used: Read-only file`,
      );
    }),
});

Deno.test({
  name: `a backup from a read-only disk needs nothing but its file${NEEDS_MOUNT}`,
  ignore: !CAN_MOUNT,
  fn: () =>
    onDisk("1m", async (folder) => {
      const source = `${folder}/s.db`;
      const first = new SqliteUsageStore(source);
      await first.write([usageRow()]);
      await first.close();
      const backup = await Deno.makeTempDir({ prefix: "sluice-" });
      const copy = (from: string, name: string) =>
        runSluice(["store", "backup", `${backup}/${name}`, "--store", `sqlite:${from}`], {});
      assertEquals((await copy(source, "one.db")).code, 0);
      Deno.copyFileSync(`${backup}/one.db`, `${folder}/two.db`);
      await run("mount", "-o", "remount,ro", folder);
      const { code, stderr } = await copy(`${folder}/two.db`, "three.db");
      assertEquals(code, 0, stderr);
      await Deno.remove(backup, { recursive: true });
    }),
});

Deno.test({
  ...needs(
    "another system than Windows",
    Deno.build.os !== "windows",
    "a backup to a full disk fails with its reason and leaves nothing",
  ),
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "sluice-" });
    const store = new SqliteUsageStore(`${folder}/s.db`);
    await writeRows(
      store,
      Array.from({ length: 2000 }, (_, index) => usageRow({ id: `${index}` })),
    );
    await store.close();
    const before = [...Deno.readDirSync(folder)].length;
    // Files of this process end at 100 kB; the signal about it is ignored, as on a full disk.
    const limited = 'trap "" XFSZ; ulimit -f 200; exec "$0" "$@"';
    const program = { path: "bash", args: ["-c", limited, SOURCES.path, ...SOURCES.args] };
    const target = `${folder}/backup/b.db`;
    Deno.mkdirSync(`${folder}/backup`);
    const { code, stderr } = await runSluice(
      ["store", "backup", target, "--store", `sqlite:${folder}/s.db`],
      { program },
    );
    assertEquals(code, 1);
    assertMatch(stderr, /Cannot copy \S+ to \S+: (?:database or disk is full|disk I\/O error)/);
    assertEquals([...Deno.readDirSync(`${folder}/backup`)], []);
    assert([...Deno.readDirSync(folder)].length >= before);
    await Deno.remove(folder, { recursive: true });
  },
});

for (const [which, correction] of [["forward", 400 * DAY], ["back", -400 * DAY]] as const) {
  Deno.test(`a clock that is set ${which} removes no rows for a day`, async () => {
    const clock = new ManualClock();
    const store: UsageStore = new MemoryUsageStore();
    const pruned: number[] = [];
    store.prune = (before) => {
      pruned.push(before);
      return Promise.resolve(false);
    };
    const stop = pruneHourly(store, () => 90 * DAY, clock, (thrown) => {
      throw thrown;
    });
    const pass = async (ms: number) => {
      clock.advance(ms);
      await turn();
    };
    await pass(0);
    await pass(HOUR);
    assertEquals(pruned.length, 2);
    clock.correct(correction);
    for (let hour = 0; hour < 24; hour++) await pass(HOUR);
    assertEquals(pruned.length, 2);
    // It stays so: the time is the one that was meant.
    for (let hour = 0; hour < 2; hour++) await pass(HOUR);
    assertEquals(pruned.at(-1), clock.wallTime() - 90 * DAY);
    const corrected = pruned.length;
    // It was a mistake, which is corrected.
    clock.correct(-correction);
    for (let hour = 0; hour < 24; hour++) await pass(HOUR);
    assertEquals(pruned.length, corrected);
    // Small corrections change nothing.
    await pass(HOUR);
    clock.correct(HOUR / 2);
    await pass(HOUR);
    assert(pruned.length > corrected);
    stop();
    assertEquals(clock.pending, 0);
  });
}

Deno.test({
  ...needs("file modes", HAS_MODES, "one gateway uses a file, which other users cannot read"),
  fn: () =>
    inFolder(async (folder) => {
      const path = `${folder}/s.db`;
      const files = configOf(path);
      {
        await using first = startSluice([], { files });
        await first.logged("Next steps");
        assertEquals(modesOf(folder), {
          "s.db": "600",
          "s.db-lock": "600",
          "s.db-shm": "600",
          "s.db-wal": "600",
        });
        const { code, stderr } = await runSluice([], { files });
        assertEquals(code, 1);
        assertStringIncludes(
          stderr,
          `Cannot open the store ${path}: another process (${first.pid}) uses it. An SQLite file`,
        );
      }
      // The first one was killed.
      await using next = startSluice([], { files });
      await next.logged("Next steps");
    }),
});
