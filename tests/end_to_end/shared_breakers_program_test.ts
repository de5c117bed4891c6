/** Two gateway processes that share breakers and suspended keys over one Valkey server. */

import { assert, assertEquals } from "@std/assert";
import { addressOf, type Running, startSluice } from "../support/process.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../support/valkey_server.ts";

const ignore = VALKEY === undefined;
const MAX_WAIT_MS = 15_000;
const ADMIN = { authorization: "Bearer sk-admin-of-the-test" };

/** What an admin sees of the provider in one worker. */
interface WorkerState {
  readonly suspended_keys: readonly { readonly key: number; readonly source?: string }[];
  readonly breakers: readonly {
    readonly model: string;
    readonly state: string;
    readonly source?: string;
  }[];
}

/** A vendor that refuses one of two keys, and whose model `down` is down. */
function startVendor(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { model } = await request.json();
    if (model === "down") return new Response("down", { status: 503 });
    const isRefused = request.headers.get("authorization") === "Bearer sk-bad";
    const message = { role: "assistant", content: "Hi" };
    return isRefused
      ? Response.json({ error: { message: "Bad key", code: "invalid_api_key" } }, { status: 401 })
      : Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  });
}

function startReplica(store: string, vendor: number, share: readonly string[]): Running {
  const config = {
    server: {
      ...{ port: 0, workers: 2 },
      keys: [{ name: "own", key: "sk-own", limits: { requests_per_minute: 1000 } }],
      admin_keys: [{ name: "admin", key: "sk-admin-of-the-test" }],
    },
    providers: {
      p: {
        kind: "openai_compatible",
        base_url: `http://127.0.0.1:${vendor}/v1`,
        api_key: ["sk-bad", "sk-good"],
        retries: 0,
        models: ["down", "up"],
      },
    },
    ...{ shared_store: store, share },
  };
  return startSluice([], { files: { "config.yaml": JSON.stringify(config) } });
}

async function ask(base: string, model: string): Promise<number> {
  const response = await fetch(`${base}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer sk-own", "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
  });
  await response.body?.cancel();
  return response.status;
}

async function workersOf(base: string): Promise<readonly WorkerState[]> {
  const response = await fetch(`${base}/v1/admin/providers`, { headers: ADMIN });
  const { data: [provider] } = await response.json();
  return provider.workers;
}

/** Waits until all workers of a replica are in a state. Resolves to the milliseconds. */
async function until(
  base: string,
  matches: (worker: WorkerState) => boolean,
  what: string,
): Promise<number> {
  const began = performance.now();
  for (;;) {
    const workers = await workersOf(base);
    if (workers.length === 2 && workers.every(matches)) return performance.now() - began;
    assert(performance.now() - began < MAX_WAIT_MS, `${what}: ${JSON.stringify(workers)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const isOpen = ({ breakers }: WorkerState) =>
  breakers.some(({ model, state }) => model === "down" && state === "open");
const isRested = ({ suspended_keys }: WorkerState) => suspended_keys.some(({ key }) => key === 0);

for (const share of [["limits", "breakers"], ["breakers"]]) {
  Deno.test({
    name: `replicas that share ${share.join(" and ")} know each other's outages${NEEDS_VALKEY}`,
    ignore,
    async fn() {
      await using valkey = await startValkey("p@ss word");
      await using vendor = startVendor();
      await using one = startReplica(valkey.url, vendor.addr.port, share);
      await using other = startReplica(valkey.url, vendor.addr.port, share);
      const [here, there] = await Promise.all([addressOf(one), addressOf(other)]);

      // Each worker counts its own failures, so all of them together are enough for one.
      for (let count = 0; count < 10; count++) assertEquals(await ask(here, "down"), 503);
      assertEquals(await ask(here, "up"), 200);
      await until(here, isOpen, "the breaker is open in both workers");
      await until(there, isOpen, "the breaker is open in the other replica");
      await until(there, isRested, "the key is suspended in the other replica");
      const known = await workersOf(there);
      for (const { breakers, suspended_keys: [key] } of known) {
        const sources = breakers.map(({ model, source }) => [model, source]);
        assertEquals([sources, key?.source], [[["down", "remote"], ["up", undefined]], "remote"]);
      }
      assertEquals(await ask(there, "up"), 200);

      const reset = await fetch(`${there}/v1/admin/providers/p/reset`, {
        method: "POST",
        headers: ADMIN,
      });
      await reset.body?.cancel();
      assertEquals(reset.status, 200);
      for (const base of [here, there]) {
        await until(base, (worker) => !isOpen(worker) && !isRested(worker), "after the reset");
      }

      // Without the store, breakers work alone. It is used again when it is back.
      await valkey.kill();
      for (let count = 0; count < 10; count++) assertEquals(await ask(here, "down"), 503);
      assert((await workersOf(here)).some(isOpen));
      await valkey.restart();
      await until(there, isOpen, "the breaker is open after the restart");
      const log = one.stderr() + other.stderr();
      assert(log.includes(" fails ") && !log.includes("p@ss") && !log.includes("sk-bad"), log);
    },
  });
}
