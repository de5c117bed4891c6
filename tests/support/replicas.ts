/** Several gateway processes with one limits store, and callers that use all of them. */

import { untilReply } from "./elapse.ts";
import { addressOf, type Running, startSluice } from "./process.ts";

export interface ReplicasOptions {
  /** The URL of the shared store. */
  readonly store: string;
  readonly count: number;
  /** The entry of the service key, without its name and key. */
  readonly key: Readonly<Record<string, unknown>>;
  readonly workers?: number;
  readonly onFailure?: "allow" | "local" | "deny";
  readonly share?: readonly ("limits" | "breakers")[];
  /** The secret with which state is shared; absent if it is not. */
  readonly stateKey?: string;
  /** The price of a million tokens in US dollars. */
  readonly price?: number;
  /** A certificate that the replicas trust. */
  readonly certificate?: string;
}

export interface Replicas extends AsyncDisposable {
  readonly running: readonly Running[];
  /** Sends a request to one of the replicas. Resolves to the status of the answer. */
  ask(replica: number): Promise<number>;
  /** The response of one of the replicas to a chat request. */
  post(replica: number, model?: string): Promise<Response>;
  /** The response of one of the replicas to a GET request. */
  fetch(replica: number, path?: string): Promise<Response>;
}

const HEADERS = { authorization: "Bearer sk-own", "content-type": "application/json" };

export async function startReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { count, key, price } = options;
  const prices = price === undefined
    ? {}
    : { prices: { input: price, output: price }, max_output_tokens: 500 };
  const config = JSON.stringify({
    server: {
      port: 0,
      workers: options.workers ?? 1,
      metrics: "public",
      keys: [{ name: "own", key: "sk-own", ...key }],
      ...(options.stateKey !== undefined && { reasoning_state: { key: options.stateKey } }),
    },
    providers: { mock: { kind: "mock", models: [{ id: "mock-echo", ...prices }, "mock-hang"] } },
    shared_store: options.store,
    on_store_failure: options.onFailure ?? "local",
    ...(options.share !== undefined && { share: options.share }),
  });
  const running = Array.from(
    { length: count },
    () =>
      startSluice([], {
        files: { "config.yaml": config, "ca.pem": options.certificate ?? "" },
        ...(options.certificate !== undefined && { env: { DENO_CERT: "ca.pem" } }),
      }),
  );
  const bases = await Promise.all(running.map(addressOf));
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 100 });
  const replicas: Replicas = {
    running,
    async ask(replica) {
      const response = await replicas.post(replica);
      await response.body?.cancel();
      return response.status;
    },
    post: (replica, model = "mock-echo") =>
      fetch(`${bases[replica]}/v1/chat/completions`, {
        method: "POST",
        headers: HEADERS,
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
        client,
      }),
    fetch: (replica, path = "/metrics") => fetch(`${bases[replica]}${path}`, { client }),
    async [Symbol.asyncDispose]() {
      client.close();
      await Promise.all(running.map((process) => process[Symbol.asyncDispose]()));
    },
  };
  for (let replica = 0; replica < count; replica++) await connected(replicas, replica);
  return replicas;
}

/** Waits until a replica is connected to the store. */
async function connected(replicas: Replicas, replica: number): Promise<void> {
  await untilReply(async () =>
    /^sluice_limits_store_up 1$/m.test(await (await replicas.fetch(replica)).text())
  );
}

/** What callers saw. */
export interface Seen {
  /** How many answers had each status. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly seconds: number;
}

/** Callers that use all replicas in turn until the time is up, at a total rate. */
export async function callAll(
  replicas: Replicas,
  { callers, perSecond, seconds }: {
    readonly callers: number;
    readonly perSecond: number;
    readonly seconds: number;
  },
): Promise<Seen> {
  const statuses = new Map<number, number>();
  const began = performance.now();
  const end = began + seconds * 1000;
  const every = callers / perSecond * 1000;
  await Promise.all(Array.from({ length: callers }, async (_, caller) => {
    for (let turn = 0;; turn++) {
      const due = began + (turn + caller / callers) * every;
      if (due >= end) return;
      const wait = due - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const status = await replicas.ask((turn + caller) % replicas.running.length);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }));
  return { statuses, seconds: (performance.now() - began) / 1000 };
}
