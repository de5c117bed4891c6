/** Clusters and sentinels of Valkey servers for tests, on free loopback ports. */

import { connect } from "../../src/memory/shared_store/client.ts";
import { VALKEY } from "./valkey_server.ts";
import { rulesFor } from "./shared_stores.ts";
import { freePort } from "./free_port.ts";

/** Milliseconds after which the nodes of a cluster consider a silent node failed. */
const NODE_TIMEOUT_MS = 1500;
/** How long a cluster may take to form or to fail over. */
const MAX_WAIT_MS = 60_000;
const SLOTS = 16_384;

/** A server of a group. */
export interface GroupServer {
  readonly port: number;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  kill(): Promise<void>;
  /** Runs one command on a separate connection. */
  call(...command: readonly (string | number)[]): Promise<unknown>;
}

interface Launched extends GroupServer, AsyncDisposable {}

async function launch(
  folder: string,
  args: readonly string[],
  mode: readonly string[] = [],
): Promise<Launched> {
  const port = freePort();
  const child = new Deno.Command(VALKEY ?? "valkey-server", {
    args: [...mode, "--port", String(port), "--bind", "127.0.0.1", "--dir", folder, ...args],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let isRunning = true;
  const kill = async () => {
    if (!isRunning) return;
    isRunning = false;
    child.kill("SIGKILL");
    await child.status;
  };
  const server: Launched = {
    port,
    kill,
    signal: (name) => child.kill(name),
    async call(...command) {
      const connection = await connect(rulesFor(port), new AbortController().signal);
      try {
        const [name = "", ...rest] = command;
        return await connection.call(String(name), ...rest);
      } finally {
        connection.close();
        await connection.ended;
      }
    },
    [Symbol.asyncDispose]: kill,
  };
  await until(() => server.call("PING").then(() => true, () => false));
  return server;
}

/** Waits until a condition holds. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const began = performance.now();
  while (!await holds()) {
    if (performance.now() - began > MAX_WAIT_MS) {
      throw new Error(`Not true after ${MAX_WAIT_MS / 1000} s: ${holds}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function textOf(reply: unknown): string {
  return reply instanceof Uint8Array ? new TextDecoder().decode(reply) : String(reply);
}

/** A cluster of three primaries, each with a replica. */
export interface ValkeyCluster extends AsyncDisposable {
  /** The URL for `shared_store`. */
  readonly url: string;
  readonly servers: readonly GroupServer[];
  /** The server that has a slot. */
  primaryOf(slot: number): Promise<GroupServer>;
}

export async function startCluster(): Promise<ValkeyCluster> {
  await using started = new AsyncDisposableStack();
  const servers: Launched[] = [];
  const buses: number[] = [];
  for (let index = 0; index < 6; index++) {
    const folder = await Deno.makeTempDir({ prefix: "sluice-cluster-" });
    started.defer(() => Deno.remove(folder, { recursive: true }));
    const bus = freePort();
    buses.push(bus);
    servers.push(
      started.use(
        await launch(folder, [
          ...["--cluster-enabled", "yes", "--cluster-port", String(bus)],
          ...["--cluster-node-timeout", String(NODE_TIMEOUT_MS), "--save", ""],
          // A failed primary affects only its own slots.
          ...["--cluster-require-full-coverage", "no", "--repl-diskless-sync-delay", "0"],
        ]),
      ),
    );
  }
  const [first] = servers;
  if (first === undefined) throw new Error("There is no server");
  for (const [index, server] of servers.entries()) {
    await server.call("CLUSTER", "SET-CONFIG-EPOCH", index + 1);
    if (index >= 3) continue;
    const start = Math.ceil(SLOTS / 3 * index);
    await server.call("CLUSTER", "ADDSLOTSRANGE", start, Math.ceil(SLOTS / 3 * (index + 1)) - 1);
  }
  for (const [index, { port }] of servers.entries()) {
    if (index > 0) await first.call("CLUSTER", "MEET", "127.0.0.1", port, buses[index] ?? 0);
  }
  const ids = await Promise.all(
    servers.map(async (server) => textOf(await server.call("CLUSTER", "MYID"))),
  );
  const knows = async (server: GroupServer, text: RegExp) =>
    text.test(textOf(await server.call("CLUSTER", "INFO")));
  for (const server of servers) {
    await until(() => knows(server, /cluster_known_nodes:6\r/));
  }
  for (const [index, server] of servers.entries()) {
    if (index < 3) continue;
    const primary = ids[index - 3] ?? "";
    await until(() => server.call("CLUSTER", "REPLICATE", primary).then(() => true, () => false));
  }
  for (const server of servers) await until(() => knows(server, /cluster_state:ok\r/));
  for (const server of servers.slice(3)) {
    await until(async () =>
      textOf(await server.call("INFO", "replication")).includes("master_link_status:up")
    );
  }
  await until(async () => {
    const slots = await first.call("CLUSTER", "SLOTS") as unknown[][];
    return slots.length === 3 && slots.every((range) => range.length === 4);
  });
  /** Queries the first server that answers. */
  const ask = async (...command: readonly string[]) => {
    for (const server of servers) {
      const reply = await server.call(...command).catch(() => undefined);
      if (reply !== undefined) return reply;
    }
    throw new Error("No server answers");
  };
  const owned = started.move();
  return {
    url: `redis+cluster://${servers.slice(0, 3).map(({ port }) => `127.0.0.1:${port}`).join(",")}`,
    servers,
    async primaryOf(slot) {
      const slots = await ask("CLUSTER", "SLOTS") as [number, number, [unknown, number]][];
      const range = slots.find(([from, to]) => from <= slot && slot <= to);
      const found = servers.find(({ port }) => port === Number(range?.[2][1]));
      if (found === undefined) throw new Error(`No server has the slot ${slot}`);
      return found;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A primary with a replica, watched by three sentinels. */
export interface SentinelGroup extends AsyncDisposable {
  readonly url: string;
  readonly primary: GroupServer;
  readonly replica: GroupServer;
}

export async function startSentinels(): Promise<SentinelGroup> {
  await using started = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "sluice-sentinel-" });
  started.defer(() => Deno.remove(folder, { recursive: true }));
  const plain = ["--save", "", "--repl-diskless-sync-delay", "0"];
  const primary = started.use(await launch(folder, plain));
  const replica = started.use(
    await launch(folder, [...plain, "--replicaof", `127.0.0.1 ${primary.port}`]),
  );
  await until(async () =>
    textOf(await replica.call("INFO", "replication")).includes("master_link_status:up")
  );
  const sentinels: Launched[] = [];
  for (let index = 0; index < 3; index++) {
    const file = `${folder}/sentinel_${index}.conf`;
    await Deno.writeTextFile(
      file,
      `sentinel monitor limits 127.0.0.1 ${primary.port} 2
sentinel down-after-milliseconds limits 1000
sentinel failover-timeout limits 5000
`,
    );
    sentinels.push(started.use(await launch(folder, ["--sentinel"], [file])));
  }
  for (const sentinel of sentinels) {
    await until(async () => {
      const reply = await sentinel.call("SENTINEL", "MASTER", "limits") as unknown[];
      const fields = reply.map(textOf);
      const valueOf = (name: string) => fields[fields.indexOf(name) + 1];
      return valueOf("num-slaves") === "1" && valueOf("num-other-sentinels") === "2";
    });
  }
  const owned = started.move();
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(",");
  return {
    url: `redis+sentinel://${hosts}/limits`,
    primary,
    replica,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
