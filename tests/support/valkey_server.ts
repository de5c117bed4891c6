/** A Valkey or Redis server for tests, on a free loopback port. */

import { freePort } from "./free_port.ts";

const NAMES = ["valkey-server", "redis-server"];

/** The installed server; undefined if there is none. */
export const VALKEY: string | undefined = findServer();

/** The suffix of the name of a skipped test that needs a server. */
export const NEEDS_VALKEY = VALKEY === undefined ? " (skipped: no valkey-server here)" : "";

/** A running server. It ends with its scope, and keeps nothing on disk. */
export interface ValkeyServer extends AsyncDisposable {
  readonly port: number;
  /** The URL for `shared_store`. */
  readonly url: string;
  /** Ends the server at once; its data is lost. */
  kill(): Promise<void>;
  /** Starts it again on the same port, without data. */
  restart(): Promise<void>;
  /** Stops or continues the process: connections stay open, and nothing is answered. */
  signal(name: "SIGSTOP" | "SIGCONT"): void;
}

/** Starts a server. @param password what clients must authenticate with, if anything */
export async function startValkey(password?: string): Promise<ValkeyServer> {
  const started = await launchAnywhere(password);
  const { port } = started;
  let { child } = started;
  let isRunning = true;
  const kill = async () => {
    isRunning = false;
    child.kill("SIGKILL");
    await child.status;
  };
  const credentials = password === undefined ? "" : `:${encodeURIComponent(password)}@`;
  return {
    port,
    url: `redis://${credentials}127.0.0.1:${port}`,
    kill,
    async restart() {
      const restarted = await launch(port, password);
      if (restarted === undefined) throw new Error("The Valkey server did not start again");
      child = restarted;
      isRunning = true;
    },
    signal: (name) => child.kill(name),
    async [Symbol.asyncDispose]() {
      if (isRunning) await kill();
    },
  };
}

/** Starts a server on a port that nothing else has taken in the meantime. */
async function launchAnywhere(
  password: string | undefined,
): Promise<{ port: number; child: Deno.ChildProcess }> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = freePort();
    const child = await launch(port, password);
    if (child !== undefined) return { port, child };
  }
  throw new Error("The Valkey server did not start");
}

function findServer(): string | undefined {
  for (const name of NAMES) {
    for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
      try {
        if (Deno.statSync(`${folder}/${name}`).isFile) return `${folder}/${name}`;
      } catch {
        // It is not there.
      }
    }
  }
  return undefined;
}

/** Starts a server; undefined if it does not answer on this port. */
async function launch(
  port: number,
  password: string | undefined,
): Promise<Deno.ChildProcess | undefined> {
  const child = new Deno.Command(VALKEY ?? "valkey-server", {
    args: [
      ...["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
      ...(password === undefined ? [] : ["--requirepass", password]),
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let hasExited = false;
  const exit = child.status.then(() => hasExited = true);
  for (let attempt = 0; attempt < 300 && !hasExited; attempt++) {
    if (await answers(port)) return child;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (!hasExited) child.kill("SIGKILL");
  await exit;
  return undefined;
}

/** Whether a Valkey server answers on a port, even if only to ask for a password. */
async function answers(port: number): Promise<boolean> {
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("PING\r\n"));
    const buffer = new Uint8Array(64);
    const size = await connection.read(buffer) ?? 0;
    return /^(\+PONG|-NOAUTH)/.test(new TextDecoder().decode(buffer.subarray(0, size)));
  } catch {
    return false;
  }
}
