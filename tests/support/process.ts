/** The real process: started as `deno task start` starts it, in a directory of its own. */

import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Surroundings {
  /** Files of the working directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What is started in place of the sources. */
  readonly program?: Program;
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
  /** Writes a file into the working directory. */
  write(name: string, text: string): void;
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
  { files = {}, env = {}, program = SOURCES }: Surroundings,
): Running {
  const directory = Deno.makeTempDirSync({ prefix: "sluice-" });
  for (const [name, text] of Object.entries(files)) {
    Deno.writeTextFileSync(`${directory}/${name}`, text);
  }
  const child = new Deno.Command(program.path, {
    args: [...program.args, ...args],
    cwd: directory,
    clearEnv: true,
    // The runtime asks for its own newer version now and then, through a proxy too.
    env: { ...inherited(), DENO_NO_UPDATE_CHECK: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stdout = new Output(child.stdout);
  const stderr = new Output(child.stderr);
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
    write: (name, text) => Deno.writeTextFileSync(`${directory}/${name}`, text),
    finished,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended by itself.
      }
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
  #isOver = false;

  constructor(bytes: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.ended = this.#read(bytes);
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
