/** A Valkey or Redis server for tests, on a free loopback port. */

const NAMES = ["valkey-server", "redis-server"];

/** The installed server; undefined if there is none. */
export const VALKEY: string | undefined = findServer();

/** Ends the name of a test that needs a server, where it is skipped. */
export const NEEDS_VALKEY = VALKEY === undefined ? " (skipped: no valkey-server here)" : "";

/** A running server. It ends with its scope, and keeps nothing on disk. */
export interface ValkeyServer extends AsyncDisposable {
  readonly port: number;
  /** The URL for `limits_store`. */
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
  const port = freePort();
  let child = await launch(port, password);
  const kill = async () => {
    child.kill("SIGKILL");
    await child.status;
  };
  let isRunning = true;
  const credentials = password === undefined ? "" : `:${encodeURIComponent(password)}@`;
  return {
    port,
    url: `redis://${credentials}127.0.0.1:${port}`,
    async kill() {
      isRunning = false;
      await kill();
    },
    async restart() {
      child = await launch(port, password);
      isRunning = true;
    },
    signal: (name) => child.kill(name),
    async [Symbol.asyncDispose]() {
      if (isRunning) await kill();
    },
  };
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

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function launch(port: number, password: string | undefined): Promise<Deno.ChildProcess> {
  const child = new Deno.Command(VALKEY ?? "valkey-server", {
    args: [
      ...["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
      ...(password === undefined ? [] : ["--requirepass", password]),
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  for (let attempt = 0; attempt < 300; attempt++) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return child;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  child.kill("SIGKILL");
  await child.status;
  throw new Error("The Valkey server did not start");
}
