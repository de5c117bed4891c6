/** Runs the process as `deno task start` does, in a separate directory. */

import { fileURLToPath } from "node:url";
import { readStartTask } from "./start_task.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Surroundings {
  /** Files of the working directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; empty unless given. */
  readonly stdin?: string;
  /** The program that is started instead of the sources. */
  readonly program?: Program;
  /** A stream that is not read until {@linkcode Running.resume} is called. */
  readonly unread?: "stdout" | "stderr";
  /** The limit of file descriptors of the process. */
  readonly descriptors?: number;
}

/** A command line to which arguments can be added. */
export interface Program {
  readonly path: string;
  readonly args: readonly string[];
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running process. It is stopped at the end of its scope. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  /** The working directory. */
  readonly directory: string;
  /** The text of standard error and of standard output so far. */
  readonly stderr: () => string;
  readonly stdout: () => string;
  /**
   * Resolves when standard error contains this text, or the process has exited. Rejects after a
   * minute.
   */
  logged(text: string): Promise<void>;
  signal(name: Deno.Signal): void;
  /** Starts reading the unread stream. */
  resume(): void;
  /** Writes a file in the working directory. */
  write(name: string, text: string): void;
  /** The exit code, once the process has exited. Its output may be unread. */
  readonly exited: Promise<number>;
  readonly finished: Promise<Finished>;
}

/** Runs a command of Sluice until it exits. */
export async function runSluice(args: readonly string[], around: Surroundings): Promise<Finished> {
  await using running = startSluice(args, around);
  return await running.finished;
}

/** The address in the banner of a gateway that has started, e.g. `http://127.0.0.1:40123`. */
export async function addressOf(running: Running): Promise<string> {
  // The banner ends with an example of a request.
  await running.logged("\n    -d ");
  return /^Sluice listens on (https?:\S+)$/m.exec(running.stderr())?.[1] ?? "";
}

export function startSluice(
  args: readonly string[],
  { files = {}, env = {}, stdin, program = SOURCES, unread, descriptors }: Surroundings,
): Running {
  const directory = Deno.makeTempDirSync({ prefix: "sluice-" });
  for (const [name, text] of Object.entries(files)) {
    Deno.writeTextFileSync(`${directory}/${name}`, text);
  }
  const command = [program.path, ...program.args, ...args];
  const [path = "", ...words] = descriptors === undefined
    ? command
    : ["bash", "-c", `ulimit -n ${descriptors}; exec "$0" "$@"`, ...command];
  const child = new Deno.Command(path, {
    args: words,
    cwd: directory,
    clearEnv: true,
    // The runtime sometimes checks for a newer version, even through a proxy. A warm-up takes half
    // a second of processor time of each process.
    env: { ...inherited(), DENO_NO_UPDATE_CHECK: "1", SLUICE_WARM_UP: "off", ...env },
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (stdin !== undefined) void new Blob([stdin]).stream().pipeTo(child.stdin);
  const stdout = new Output(child.stdout, unread === "stdout");
  const stderr = new Output(child.stderr, unread === "stderr");
  const finished = Promise.all([child.status, stdout.ended, stderr.ended]).then(([{ code }]) => ({
    code,
    stdout: stdout.text,
    stderr: stderr.text,
  }));
  return {
    pid: child.pid,
    directory,
    stdout: () => stdout.text,
    stderr: () => stderr.text,
    logged: (text) => stderr.holds(text),
    signal: (name) => child.kill(name),
    resume() {
      stdout.resume();
      stderr.resume();
    },
    write: (name, text) => Deno.writeTextFileSync(`${directory}/${name}`, text),
    exited: child.status.then(({ code }) => code),
    finished,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has already exited.
      }
      stdout.resume();
      stderr.resume();
      await finished;
      Deno.removeSync(directory, { recursive: true });
    },
  };
}

const START = readStartTask(ROOT);

/** The sources, as the start task runs them. */
export const SOURCES: Program = {
  path: Deno.execPath(),
  args: ["run", ...START.options, `${ROOT}${START.main}`],
};

/** The product, with a module from this folder that is loaded first. */
export function withPreloaded(module: string): Program {
  const path = fileURLToPath(new URL(module, import.meta.url));
  const isMain = (arg: string) => arg.endsWith("main.ts");
  return {
    path: SOURCES.path,
    args: SOURCES.args.flatMap((arg) => isMain(arg) ? ["--preload", path, arg] : [arg]),
  };
}

/** The environment without variables that configure the gateway. */
function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !/^SLUICE_|_API_KEY$/.test(name)),
  );
}

/** How long a text may take to arrive, in milliseconds. */
const MAX_WAIT_MS = 60_000;

/** Text that arrives in pieces. */
class Output {
  text = "";
  readonly ended: Promise<void>;
  #wake = Promise.withResolvers<void>();
  readonly #start = Promise.withResolvers<void>();
  #isOver = false;

  constructor(bytes: ReadableStream<Uint8Array<ArrayBuffer>>, isHeld: boolean) {
    if (!isHeld) this.resume();
    this.ended = this.#start.promise.then(() => this.#read(bytes));
  }

  resume(): void {
    this.#start.resolve();
  }

  async holds(text: string): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new Error(`'${text}' is missing in:\n${this.text}`)),
      MAX_WAIT_MS,
    );
    try {
      while (!this.text.includes(text) && !this.#isOver) {
        await Promise.race([this.#wake.promise, late]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
      this.text += text;
      this.#wakeAll();
    }
    this.#isOver = true;
    this.#wakeAll();
  }

  #wakeAll(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}
