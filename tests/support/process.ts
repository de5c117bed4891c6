/** The real process: started as `deno task start` starts it, in a directory of its own. */

import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Surroundings {
  /** Files of the working directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; empty unless given. */
  readonly stdin?: string;
  /** What is started in place of the sources. */
  readonly program?: Program;
  /** A stream that nobody reads until {@linkcode Running.resume} is called. */
  readonly unread?: "stdout" | "stderr";
  /** The most file descriptors that the process may have. */
  readonly descriptors?: number;
}

/** A command line to which arguments of the product can be added. */
export interface Program {
  readonly path: string;
  readonly args: readonly string[];
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that runs on; leaving its scope ends it. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  /** The text of standard error up to now, and that of standard output. */
  readonly stderr: () => string;
  readonly stdout: () => string;
  /** Resolves when standard error holds this, or the process has ended. */
  told(text: string): Promise<void>;
  signal(name: Deno.Signal): void;
  /** Reads the stream that was left unread. */
  resume(): void;
  /** Writes a file into the working directory. */
  write(name: string, text: string): void;
  /** The exit code, once the process has ended: its output may be unread. */
  readonly exited: Promise<number>;
  readonly finished: Promise<Finished>;
}

export function readRoot(path: string): string {
  return Deno.readTextFileSync(`${ROOT}${path}`);
}

/** Runs a command of the product to its end. */
export async function runSluice(args: readonly string[], around: Surroundings): Promise<Finished> {
  await using running = startSluice(args, around);
  return await running.finished;
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
    // The runtime asks for its own newer version now and then, through a proxy too.
    env: { ...inherited(), DENO_NO_UPDATE_CHECK: "1", ...env },
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
    stdout: () => stdout.text,
    stderr: () => stderr.text,
    told: (text) => stderr.holds(text),
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
        // It has ended by itself.
      }
      stdout.resume();
      stderr.resume();
      await finished;
      Deno.removeSync(directory, { recursive: true });
    },
  };
}

/** The sources, as the start task runs them. */
export const SOURCES: Program = {
  path: Deno.execPath(),
  args: manifest.tasks.start.command.split(" ").slice(1)
    .map((arg) => arg === "src/main.ts" ? `${ROOT}${arg}` : arg),
};

/** The environment without what would configure the gateway. */
function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !/^SLUICE_|_API_KEY$/.test(name)),
  );
}

/** Text that arrives bit by bit. */
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
    while (!this.text.includes(text) && !this.#isOver) await this.#wake.promise;
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
