/** A restart does not forget what keys have spent in the running periods of their budgets. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { needs } from "../support/needs.ts";
import { startSluice } from "../support/process.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";

for (const workers of [1, 2]) {
  Deno.test({
    ...needs(
      "Linux",
      workers === 1 || Deno.build.os === "linux",
      `a key over its budget is over it after a restart: ${workers} workers`,
    ),
    async fn() {
      const directory = await Deno.makeTempDir();
      const config = JSON.stringify({
        server: {
          workers,
          keys: [{ name: "a", key: "sk-a", budget: { usd: 1, per: "total" } }],
        },
        providers: {
          mock: { kind: "mock", models: [{ id: "echo", prices: { input: 9000, output: 9000 } }] },
        },
        store: `sqlite:${directory}/usage.db`,
      });
      const statuses: number[][] = [];
      for (let run = 0; run < 2; run++) {
        await using sluice = startSluice(["--port", "0"], { files: { "config.yaml": config } });
        await sluice.logged("http://127.0.0.1:");
        const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(sluice.stderr())?.[0] ?? "";
        const seen: number[] = [];
        while (seen.length < 100 && seen.at(-1) !== 429) {
          const response = await fetch(`${origin}${CHAT}`, {
            method: "POST",
            headers: { authorization: "Bearer sk-a" },
            body: JSON.stringify({ model: "echo", messages: MESSAGES, max_tokens: 1 }),
          });
          await response.body?.cancel();
          seen.push(response.status);
        }
        statuses.push(seen);
        sluice.signal("SIGTERM");
        assertEquals((await sluice.finished).code, 0);
      }
      const [first = [], second] = statuses;
      assert(first.length > 2 && first.slice(0, -1).every((status) => status === 200), `${first}`);
      assertEquals(second, [429]);
      await Deno.remove(directory, { recursive: true });
    },
  });
}

Deno.test("an end user over its budget is over it after a restart, and others are not", async () => {
  const directory = await Deno.makeTempDir();
  const endUsers = { budget: { usd: 1, per: "total" } };
  const config = JSON.stringify({
    server: {
      keys: [{ name: "app", key: "sk-app", end_users: endUsers }],
      end_users: { ids: "pseudonym", secret: "s".repeat(32) },
    },
    providers: {
      mock: { kind: "mock", models: [{ id: "echo", prices: { input: 9000, output: 9000 } }] },
    },
    store: `sqlite:${directory}/usage.db`,
  });
  const statuses: number[][] = [];
  for (let run = 0; run < 2; run++) {
    await using sluice = startSluice(["--port", "0"], { files: { "config.yaml": config } });
    await sluice.logged("http://127.0.0.1:");
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(sluice.stderr())?.[0] ?? "";
    const ask = async (user: string) => {
      const response = await fetch(`${origin}${CHAT}`, {
        method: "POST",
        headers: { authorization: "Bearer sk-app" },
        body: JSON.stringify({ model: "echo", messages: MESSAGES, max_tokens: 1, user }),
      });
      await response.body?.cancel();
      return response.status;
    };
    const seen: number[] = [];
    while (seen.length < 100 && seen.at(-1) !== 429) seen.push(await ask("ada"));
    statuses.push([...seen.slice(0, 2), ...seen.slice(-1), await ask(`bob ${run}`)]);
    sluice.signal("SIGTERM");
    assertEquals((await sluice.finished).code, 0);
  }
  assertEquals(statuses, [[200, 200, 429, 200], [429, 429, 200]]);
  await Deno.remove(directory, { recursive: true });
});

const CONFIG = {
  server: {
    keys: [{ name: "team-a", key: "sk-a" }, { name: "team-b", key: "sk-b" }],
    admin_keys: [{ name: "root", key: "sk-root" }],
  },
  providers: {
    mock: {
      kind: "mock",
      models: [
        { id: "echo", prices: { input: 1, output: 2 } },
        { id: "mock-quota" },
        { id: "free" },
      ],
    },
  },
};

const as = (key: string) => ({ authorization: `Bearer ${key}` });

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

const START = ["run", "--allow-net", "--allow-env", "--allow-read", "--allow-write", MAIN];

/** Starts a gateway on a free port; runs; ends it with SIGTERM. */
async function withProcess(
  config: string,
  run: (origin: string) => Promise<void>,
): Promise<{ code: number; errors: string }> {
  const process = new Deno.Command(Deno.execPath(), {
    args: [...START, "--config", config, "--port", "0"],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let errors = "";
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reading = (async () => {
    for await (const text of process.stderr.pipeThrough(new TextDecoderStream())) {
      errors += text;
      const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(errors)?.[0];
      if (origin !== undefined) resolve(origin);
    }
    reject(new Error(errors));
  })();
  try {
    await run(await promise);
  } finally {
    process.kill("SIGTERM");
    await process.status;
    await reading;
  }
  return { code: (await process.status).code, errors };
}

for (const workers of [1, 2]) {
  Deno.test({
    ...needs(
      "Linux",
      Deno.build.os === "linux",
      `with SQLite, no row is lost at SIGTERM, and a new process has the usage: ${workers} workers`,
    ),
    async fn() {
      const directory = await Deno.makeTempDir();
      const config = `${directory}/config.yaml`;
      const path = `${directory}/usage.db`;
      await Deno.writeTextFile(
        config,
        JSON.stringify({
          ...CONFIG,
          server: { ...CONFIG.server, workers },
          store: `sqlite:${path}`,
        }),
      );
      const { code } = await withProcess(config, async (origin) => {
        for (let index = 0; index < 150; index++) {
          const response = await fetch(`${origin}${CHAT}`, {
            method: "POST",
            headers: as("sk-a"),
            body: JSON.stringify({ model: "echo", messages: MESSAGES }),
          });
          assertEquals(response.status, 200);
          await response.body?.cancel();
        }
      });
      assertEquals(code, 0);
      await withProcess(config, async (origin) => {
        const response = await fetch(`${origin}/v1/usage`, { headers: as("sk-a") });
        assertEquals((await response.json()).data[0].requests, 150);
        const ids = new Set<string>();
        for (let next: string | null = ""; next !== null;) {
          const url: string = `${origin}/v1/requests?limit=40&before=${next}`;
          const page = await (await fetch(url, { headers: as("sk-a") })).json();
          for (const { id } of page.data) ids.add(id);
          next = page.next;
        }
        assertEquals(ids.size, 150);
        const [id] = ids;
        const one = await fetch(`${origin}/v1/requests/${id}`, { headers: as("sk-a") });
        assertEquals((await one.json()).attempts.length, 1);
      });
      await Deno.remove(directory, { recursive: true });
    },
  });
}

Deno.test("a store that cannot be opened prevents the start, with its reason", async () => {
  const directory = await Deno.makeTempDir();
  const config = `${directory}/config.yaml`;
  await Deno.writeTextFile(
    config,
    JSON.stringify({ ...CONFIG, store: `sqlite:${directory}/missing/usage.db` }),
  );
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...START, "--config", config, "--port", "0"],
  }).output();
  assertEquals(code, 1);
  assertStringIncludes(new TextDecoder().decode(stderr), "Cannot open the store");
  await Deno.remove(directory, { recursive: true });
});

Deno.test("a gateway without a store gives up the permission to write", async () => {
  const module = import.meta.resolve("../../src/process/stores/ledger.ts");
  const code = `
    import { giveUpWriting } from "${module}";
    await giveUpWriting({ store: undefined, server: { listeners: [] } });
    await Deno.writeTextFile("/tmp/sluice-must-not-exist", "");`;
  const { code: status, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-prompt", code],
    stdin: "null",
  }).output();
  assertEquals(status, 1);
  assertStringIncludes(new TextDecoder().decode(stderr), "NotCapable");
});
