/**
 * The folder of a run of tests. Its temporary files are in it, and the processes that it starts
 * have its path in their environment or arguments. When the run ends, whatever ends it, a separate
 * process ends those that are left, and removes the folder.
 */

import { fileURLToPath } from "node:url";

/** How often a run checks whether its parent still runs, in milliseconds. */
const PARENT_CHECK_MS = 500;
/** How long PostgreSQL may take to give back its shared memory before it is killed. */
const MAX_SHUTDOWN_MS = 10_000;
const PAUSE_MS = 20;
const INTERRUPTED = 130;

/** The folder of this run. Disposal ends the processes of the run and removes it. */
export interface RunFolder extends AsyncDisposable {
  readonly path: string;
  /** Whether a signal has ended the run: nothing may be started. */
  readonly isEnding: boolean;
  /** Ends the processes of a folder in this one, and removes that folder, in the background. */
  clear(folder: string): Promise<void>;
}

/**
 * Creates the folder of this run. SIGINT, SIGTERM, SIGHUP and the end of the parent process dispose
 * of it and exit with code 130.
 *
 * @param onEnd is called before that
 */
export async function createRunFolder(onEnd: () => void = () => {}): Promise<RunFolder> {
  const path = await Deno.makeTempDir({
    prefix: "sluice-tests-",
    // The paths of sockets in it must be short.
    ...Deno.build.os === "darwin" && { dir: "/tmp" },
  });
  // Servers that run as another user have their files in it.
  if (Deno.build.os !== "windows") await Deno.chmod(path, 0o755);
  const keeper = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--allow-all", fileURLToPath(import.meta.url), path],
    env: { DENO_NO_UPDATE_CHECK: "1" },
    stdin: "piped",
    stdout: "null",
    // A signal to this group must not end it.
    detached: true,
  }).spawn();
  const writer = keeper.stdin.getWriter();
  let isEnding = false;
  const end = async () => {
    await writer.close().catch(() => {});
    await keeper.status;
  };
  const exit = async () => {
    if (isEnding) return;
    isEnding = true;
    onEnd();
    await end();
    Deno.exit(INTERRUPTED);
  };
  const parent = Deno.ppid;
  Deno.unrefTimer(setInterval(() => Deno.ppid !== parent && exit(), PARENT_CHECK_MS));
  const signals = Deno.build.os === "windows"
    ? ["SIGINT"] as const
    : ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) Deno.addSignalListener(signal, () => void exit());
  return {
    path,
    get isEnding() {
      return isEnding;
    },
    clear: (folder) => writer.write(new TextEncoder().encode(`${folder}\n`)),
    [Symbol.asyncDispose]: end,
  };
}

/** The processes that have a path in their environment or arguments, but for this one. */
function findProcesses(path: string): number[] {
  // Elsewhere, only the groups of the run are ended.
  if (Deno.build.os !== "linux") return [];
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) =>
    pid > 0 && pid !== Deno.pid &&
    ["environ", "cmdline"].some((name) => {
      const text = readProcess(pid, name);
      // Not only the beginning of another path, such as that of folder 20 for folder 2.
      return text.includes(`${path}/`) || text.includes(`${path}\0`);
    })
  );
}

/** A file of a process; empty if it has ended, or belongs to another user. */
function readProcess(pid: number, name: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${name}`);
  } catch {
    return "";
  }
}

function kill(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Ends the processes of a folder, and removes it. */
async function clear(path: string): Promise<void> {
  const begin = performance.now();
  const asked = new Set<number>();
  for (let left = findProcesses(path); left.length > 0; left = findProcesses(path)) {
    const isLate = performance.now() - begin > MAX_SHUTDOWN_MS;
    for (const pid of left) {
      if (asked.has(pid) && !isLate) continue;
      asked.add(pid);
      // Stopped, it cannot become PostgreSQL before it is killed.
      kill(pid, "SIGSTOP");
      // Killed, PostgreSQL would leave shared memory behind.
      const isPostgres = !isLate && readProcess(pid, "comm").trim() === "postgres";
      kill(pid, isPostgres ? "SIGQUIT" : "SIGKILL");
      kill(pid, "SIGCONT");
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await Deno.remove(path, { recursive: true }).catch((thrown) => {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  });
}

/** Clears each folder that a line of standard input names, and the whole run at its end. */
async function keep(path: string): Promise<void> {
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) await clear(line);
  }
  await clear(path);
}

if (import.meta.main) await keep(Deno.args[0] ?? "");
