/** The processes that the bench starts and stops. */

import { type Message, statusOf, toRequestBytes, Wire } from "./wire.ts";

/** The time for a child to exit after SIGTERM. */
const GRACE = 3000;
const READY = 15_000;
const STDERR_KEPT = 600;

/** Variables that a child must not inherit: proxies and settings. */
const WITHHELD = /^(https?_proxy|all_proxy|no_proxy|sluice_.*|otel_.*)$/i;

export interface StartOptions {
  /** The working directory. Default: the current one. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The file that its standard output is written to. Default: the null device. */
  readonly output?: string;
}

/** A running child. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** When it was started, by `performance.now()`. */
  readonly startedAt: number;
  readonly ended: Promise<Deno.CommandStatus>;
  /** The end of its standard error. */
  said(): string;
  /** Stops it with SIGTERM, then with SIGKILL; returns its exit status. */
  stop(): Promise<Deno.CommandStatus>;
}

/** All children of one run. */
export class Nursery implements AsyncDisposable {
  readonly #children = new Set<Child>();
  readonly #fallen: Child[] = [];

  /** The output of children that exited unexpectedly, which may explain a failed run. */
  get lastWords(): string {
    return this.#fallen.map((child) => `'${child.name}' ended by itself: ${child.said()}\n`).join(
      "",
    );
  }

  /** Starts a program that will listen on `port`. */
  start(
    name: string,
    command: string,
    args: readonly string[],
    port: number,
    options: StartOptions = {},
  ): Child {
    const startedAt = performance.now();
    const { output } = options;
    // The shell is replaced by the program, which keeps its process ID.
    const [file, ...words] = output === undefined
      ? [command, ...args]
      : ["sh", "-c", 'output=$1; shift; exec "$@" > "$output"', "sh", output, command, ...args];
    const process = new Deno.Command(file, {
      args: words,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      clearEnv: true,
      env: { ...inherited(), ...options.env },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const said = collect(process.stderr);
    const child: Child = {
      ...{ name, port, startedAt, said, pid: process.pid, ended: process.status },
      stop: () => this.#stop(child, process),
    };
    this.#children.add(child);
    void process.status.then(() => {
      if (this.#children.delete(child)) this.#fallen.push(child);
    });
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children].map((child) => child.stop()));
  }

  async #stop(child: Child, process: Deno.ChildProcess): Promise<Deno.CommandStatus> {
    this.#children.delete(child);
    signal(process, "SIGTERM");
    const timer = setTimeout(() => signal(process, "SIGKILL"), GRACE);
    const status = await process.status;
    clearTimeout(timer);
    return status;
  }
}

/** Polls until the child answers `GET path` with 200; returns the milliseconds since its start. */
export async function untilReady(child: Child, path = "/healthz"): Promise<number> {
  let ended = false;
  void child.ended.then(() => ended = true);
  while (performance.now() - child.startedAt < READY) {
    if (await answers(child.port, path)) return performance.now() - child.startedAt;
    if (ended) throw new Error(`'${child.name}' ended before it answered: ${child.said()}`);
    await sleep(2);
  }
  throw new Error(`'${child.name}' does not answer: ${child.said()}`);
}

/** Requests a path on a new connection, which is closed afterwards. */
export async function ask(port: number, path: string): Promise<Message> {
  const wire = await Wire.open(port);
  try {
    await wire.write(toRequestBytes(path, {}, ""));
    const answer = await wire.next();
    if (answer === undefined) throw new Error(`${path} was not answered`);
    return answer;
  } finally {
    wire.close();
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whether `run` returned true within the time. */
export async function eventually(
  run: () => boolean | Promise<boolean>,
  ms: number,
): Promise<boolean> {
  const end = performance.now() + ms;
  while (!await run()) {
    if (performance.now() > end) return false;
    await sleep(20);
  }
  return true;
}

async function answers(port: number, path: string): Promise<boolean> {
  try {
    const answer = await ask(port, path);
    return statusOf(answer) === 200;
  } catch {
    return false;
  }
}

function inherited(): Record<string, string> {
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) => !WITHHELD.test(name));
  return { ...Object.fromEntries(kept), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
}

function collect(stream: ReadableStream<Uint8Array>): () => string {
  const decoder = new TextDecoder();
  let text = "";
  void (async () => {
    for await (const bytes of stream) {
      text = (text + decoder.decode(bytes, { stream: true })).slice(-STDERR_KEPT);
    }
  })().catch(() => {});
  return () => text.trim();
}

function signal(process: Deno.ChildProcess, name: Deno.Signal): void {
  try {
    process.kill(name);
  } catch {
    // It has exited.
  }
}
