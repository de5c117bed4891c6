/** A gateway as a user runs it: a process with a config.yaml and a port. */

import { ask, sleep } from "../bench/children.ts";
import { statusOf } from "../bench/wire.ts";
import { readStartTask } from "../support/start_task.ts";
import { listeningPortOf } from "./process_limits.ts";
import { within } from "./within.ts";

/** The service key that callers present. */
export const SERVICE_KEY = "sk-hostile-service-key";
/** The gateway's key for vendors: every encoding changes it. */
export const VENDOR_KEY = "sk-Hostile/Vendor+Key=0123456789";

const READY_MS = 20_000;
const STOP_MS = 2000;

export interface GatewayOptions {
  /** config.yaml as an object; service keys are added if it has none. */
  readonly config: Record<string, unknown>;
  readonly env?: Readonly<Record<string, string>>;
  /** Further files of its working directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** The limit of open file descriptors. Default: that of this process. */
  readonly maxDescriptors?: number;
}

/** The environment of the gateway has no variables that configure it. */
const WITHHELD = /^(https?_proxy|all_proxy|no_proxy|sluice_.*|otel_.*|.*_api_key)$/i;

export class GatewayProcess implements AsyncDisposable {
  static readonly #running = new Set<GatewayProcess>();
  readonly directory: string;
  /** Resolves when the process has exited. */
  readonly ended: Promise<Deno.CommandStatus>;
  #pid = 0;
  #port = 0;
  #hasEnded = false;

  private constructor(child: Deno.ChildProcess, directory: string) {
    this.directory = directory;
    this.ended = child.status.then((status) => {
      this.#hasEnded = true;
      return status;
    });
  }

  /**
   * Starts the gateway of a checkout and waits until it answers.
   *
   * @throws when it exits before that, with its standard error.
   */
  static async start(checkout: string, options: GatewayOptions): Promise<GatewayProcess> {
    const directory = Deno.makeTempDirSync({ prefix: "sluice-hostile-" });
    // JSON is valid YAML.
    const config = { ...options.config, server: serverOf(options.config) };
    Deno.writeTextFileSync(`${directory}/config.yaml`, JSON.stringify(config, null, 2));
    for (const [name, text] of Object.entries(options.files ?? {})) {
      Deno.writeTextFileSync(`${directory}/${name}`, text);
    }
    const child = spawn(checkout, directory, options);
    const gateway = new GatewayProcess(child, directory);
    GatewayProcess.#running.add(gateway);
    try {
      await gateway.#untilReady();
    } catch (thrown) {
      await gateway[Symbol.asyncDispose]();
      throw thrown;
    }
    return gateway;
  }

  get pid(): number {
    return this.#pid;
  }

  /** Stops all running gateways. */
  static async endAll(): Promise<void> {
    await Promise.all([...GatewayProcess.#running].map((one) => one[Symbol.asyncDispose]()));
  }

  get port(): number {
    return this.#port;
  }

  get isRunning(): boolean {
    return !this.#hasEnded;
  }

  /** Its standard output: the access log. */
  get stdout(): string {
    return readOptional(`${this.directory}/stdout`);
  }

  /** Its standard error. */
  get stderr(): string {
    return readOptional(`${this.directory}/stderr`);
  }

  /** The text of `/metrics`. */
  async metrics(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.port}/metrics`, {
      headers: { authorization: `Bearer ${SERVICE_KEY}`, connection: "close" },
      signal: AbortSignal.timeout(5000),
    });
    return await response.text();
  }

  signal(name: Deno.Signal): void {
    try {
      Deno.kill(this.#pid, name);
    } catch {
      // It has exited.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    GatewayProcess.#running.delete(this);
    // A hanging process reacts only to SIGKILL.
    this.signal("SIGKILL");
    await within(STOP_MS, this.ended);
    try {
      Deno.removeSync(this.directory, { recursive: true });
    } catch {
      // The system cleans up its temporary directory.
    }
  }

  async #untilReady(): Promise<void> {
    const end = performance.now() + READY_MS;
    while (performance.now() < end) {
      this.#pid ||= Number(readOptional(`${this.directory}/pid`));
      if (this.#hasEnded) throw new Error(`The gateway did not start: ${this.stderr.trim()}`);
      this.#port ||= listeningPortOf(this.#pid) ?? 0;
      if (this.#port !== 0 && await isHealthy(this.#port)) return;
      await sleep(10);
    }
    throw new Error(`The gateway does not answer: ${this.stderr.trim()}`);
  }
}

function spawn(
  checkout: string,
  directory: string,
  options: GatewayOptions,
): Deno.ChildProcess {
  const { maxDescriptors, env = {} } = options;
  const command = [Deno.execPath(), ...startArgs(checkout), "--port", "0"];
  const limit = maxDescriptors === undefined ? "" : `ulimit -n ${maxDescriptors}; `;
  const line = `${limit}echo $$ >pid; exec ${command.map(quote).join(" ")} >stdout 2>stderr`;
  return new Deno.Command("/bin/sh", {
    args: ["-c", line],
    cwd: directory,
    clearEnv: true,
    env: { ...inherited(), ...env },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

/** The arguments of `deno task start` of a checkout, with the path of its sources. */
function startArgs(checkout: string): string[] {
  const { options, main } = readStartTask(`${checkout}/`);
  return ["run", ...options, `${checkout}/${main}`];
}

function serverOf(config: Record<string, unknown>): Record<string, unknown> {
  const keys = [{ name: "hostile", key: SERVICE_KEY }];
  return { workers: 1, keys, ...config.server as Record<string, unknown> | undefined };
}

function inherited(): Record<string, string> {
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) => !WITHHELD.test(name));
  return { ...Object.fromEntries(kept), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    return statusOf(await ask(port, "/healthz")) === 200;
  } catch {
    return false;
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function readOptional(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
