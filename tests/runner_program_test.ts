/** A run of program tests leaves no process and no file behind, whatever ends it. */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { untilReply } from "./support/elapse.ts";

const RUNNER = fileURLToPath(new URL("../scripts/test_all.ts", import.meta.url));
const KEEPER = fileURLToPath(new URL("../scripts/run_folder.ts", import.meta.url));
/** Starts gateways, and takes some seconds. */
const FILE = "process/drain_program_test.ts";
const PATIENCE_MS = 60_000;
const INTERRUPTED = 130;

/** The processes that have a folder in their environment or arguments. */
function processesOf(folder: string): string[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => name).filter((name) => /^\d+$/.test(name))
    .filter((pid) => ["cmdline", "environ"].some((file) => read(pid, file).includes(folder)));
}

/** Their command lines. */
function commandsOf(folder: string): string[] {
  return processesOf(folder).map((pid) => read(pid, "cmdline").replaceAll("\0", " "));
}

function read(pid: string, name: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${name}`);
  } catch {
    return "";
  }
}

/**
 * The segments of memory in this machine that PostgreSQL shares or shared, and no process has mapped.
 * A killed server leaves them behind.
 */
function unusedSegments(): Set<string> {
  const maps = [...Deno.readDirSync("/proc")].filter(({ name }) => /^\d+$/.test(name))
    .map(({ name }) => read(name, "maps")).join();
  const files = [...Deno.readDirSync("/dev/shm")].map(({ name }) => name)
    .filter((name) => name.startsWith("PostgreSQL.") && !maps.includes(name));
  const [, ...lines] = Deno.readTextFileSync("/proc/sysvipc/shm").trimEnd().split("\n");
  // The key, the ID, permissions, size, the last processes, and by how many it is attached.
  const numbers = lines.map((line) => line.trim().split(/\s+/))
    .filter(([, , , , , , attached]) => attached === "0").map(([, id]) => `segment ${id}`);
  return new Set([...files, ...numbers]);
}

/** Waits until a run has started a process whose command line, or mapped memory, has a text. */
async function hasStarted(run: Deno.ChildProcess, folder: string, part: string): Promise<void> {
  let isRunning = true;
  run.status.then(() => isRunning = false);
  const isThere = () =>
    processesOf(folder).some((pid) =>
      ["cmdline", "maps"].some((file) => read(pid, file).includes(part))
    );
  await untilReply(() => !isRunning || isThere(), PATIENCE_MS);
  assert(isRunning, "The run has ended by itself");
}

/** Starts a run whose temporary files are in a folder. */
function startRun(folder: string, file: string, isBehindShell = false): Deno.ChildProcess {
  const args = ["run", "--allow-all", RUNNER, file];
  const [path = "", ...words] = isBehindShell
    ? ["sh", "-c", '"$0" "$@" & wait', Deno.execPath(), ...args]
    : [Deno.execPath(), ...args];
  return new Deno.Command(path, {
    args: words,
    env: { TMPDIR: folder },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

async function leavesNothing(folder: string): Promise<void> {
  try {
    await untilReply(
      () => processesOf(folder).length === 0 && [...Deno.readDirSync(folder)].length === 0,
      PATIENCE_MS,
    );
  } catch {
    assertEquals([commandsOf(folder), [...Deno.readDirSync(folder)]], [[], []]);
  }
}

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  // The paths of the servers' sockets must be short: not in the folder of a run that runs this.
  const folder = Deno.makeTempDirSync({ dir: "/tmp", prefix: "run-" });
  Deno.chmodSync(folder, 0o755);
  try {
    await run(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** A process of the run that tells how far it is: its servers start, or its tests. */
const MOMENTS:
  readonly (readonly [moment: string, part: string, signals: readonly Deno.Signal[]])[] = [
    ["its servers start", "/dev/shm/PostgreSQL.", ["SIGINT", "SIGTERM", "SIGKILL"]],
    ["its tests run", "src/main.ts", ["SIGINT", "SIGTERM", "SIGKILL"]],
  ];
const ignore = Deno.build.os !== "linux";

for (const [moment, part, signals] of MOMENTS) {
  for (const signal of signals) {
    Deno.test({
      name: `a run of tests that ${signal} ends while ${moment} leaves nothing behind`,
      ignore,
      fn: () =>
        inFolder(async (folder) => {
          const before = unusedSegments();
          const run = startRun(folder, FILE);
          await hasStarted(run, folder, part);
          run.kill(signal);
          const { code } = await run.status;
          // Only what cannot be caught leaves the rest to another process.
          if (signal === "SIGKILL") await leavesNothing(folder);
          else assertEquals([code, commandsOf(folder)], [INTERRUPTED, []]);
          assertEquals([...Deno.readDirSync(folder)], []);
          // Those of other programs come and go.
          await untilReply(() => unusedSegments().isSubsetOf(before));
        }),
    });
  }
}

Deno.test({
  name: "a run of tests ends with its parent, and does not disturb another run",
  ignore,
  fn: () =>
    inFolder((folder) =>
      inFolder(async (other) => {
        const parent = startRun(folder, FILE, true);
        const run = startRun(other, "governance/unreadable_rows");
        await hasStarted(parent, folder, "src/main.ts");
        parent.kill("SIGKILL");
        await parent.status;
        await leavesNothing(folder);
        assert((await run.status).success);
        assertEquals([commandsOf(other), [...Deno.readDirSync(other)]], [[], []]);
      })
    ),
});

Deno.test({
  name: "what a file leaves behind is ended, and not a file whose folder begins like its own",
  ignore,
  fn: () =>
    inFolder(async (folder) => {
      for (const name of ["2", "20"]) Deno.mkdirSync(`${folder}/${name}`);
      const start = (name: string) =>
        new Deno.Command("sleep", { args: ["60"], env: { TMPDIR: `${folder}/${name}` } }).spawn();
      const own = start("2");
      const other = start("20");
      const keeper = new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-config", "--allow-all", KEEPER, folder],
        stdin: "piped",
      }).spawn();
      const writer = keeper.stdin.getWriter();
      await writer.write(new TextEncoder().encode(`${folder}/2\n`));
      await own.status;
      await untilReply(() => [...Deno.readDirSync(folder)].length === 1, PATIENCE_MS);
      assertEquals(processesOf(`${folder}/20`), [String(other.pid)]);
      await writer.close();
      await Promise.all([other.status, keeper.status]);
      // The folder of the run is removed, too, and this test removes it again.
      Deno.mkdirSync(folder);
    }),
});
