/** Keys at run time in a real process: several workers, restarts, and where no key may appear. */

import { assert, assertEquals } from "@std/assert";
import { untilReply } from "../../support/elapse.ts";
import { HAS_POSTGRES, withPostgres } from "../../support/postgres.ts";
import { addressOf, startSluice } from "../../support/process.ts";
import { emptyDatabase, stopPostgres } from "../../support/postgres_store.ts";
import { needs } from "../../support/needs.ts";

Deno.test.afterAll(stopPostgres);

const CHAT = "/v1/chat/completions";
const KEYS = "/v1/admin/keys";
const ADMIN_KEY = "sk-admin-0123456789";
const CONFIGURED_KEY = "sk-configured-0123456789";
const PEPPER = "pepper-".repeat(6);

function fileOf(store: string, server: Record<string, unknown>) {
  return JSON.stringify({
    server: {
      port: 0,
      admin_keys: [{ name: "ops", key: ADMIN_KEY }],
      keys: [{ name: "batch", key: CONFIGURED_KEY }],
      ...server,
    },
    store,
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  });
}

async function admin(base: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** The statuses of requests over many connections, which the system divides among the workers. */
async function statuses(base: string, key: string): Promise<Set<number>> {
  const ask = async () => {
    const response = await fetch(`${base}${CHAT}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, connection: "close" },
      body: JSON.stringify({ model: "mock-echo", messages: [{ role: "user", content: "Hi" }] }),
    });
    await response.body?.cancel();
    return response.status;
  };
  return new Set(await Promise.all(Array.from({ length: 30 }, ask)));
}

/** The text of every file of a folder. */
function textOf(directory: string): string {
  return [...Deno.readDirSync(directory)]
    .map(({ name }) => new TextDecoder("latin1").decode(Deno.readFileSync(`${directory}/${name}`)))
    .join("\n");
}

for (const workers of [1, 2]) {
  Deno.test({
    ...needs(
      "Linux",
      Deno.build.os === "linux",
      `a key is known to all workers at once, revoked at once, and stored nowhere: ${workers}`,
    ),
    async fn() {
      const directory = await Deno.makeTempDir({ prefix: "sluice-" });
      const files = {
        "config.yaml": fileOf(`sqlite:${directory}/s.db`, { workers, key_pepper: PEPPER }),
      };
      const texts: string[] = [];
      let kept = "";
      {
        await using running = startSluice([], { files });
        const base = await addressOf(running);
        const { status, body } = await admin(base, "POST", KEYS, { name: "team" });
        assertEquals(status, 201, JSON.stringify(body));
        assertEquals(await statuses(base, body.key), new Set([200]));
        const rotated = await admin(base, "POST", `${KEYS}/${body.id}/rotate`);
        assertEquals(await statuses(base, body.key), new Set([401]));
        assertEquals(await statuses(base, rotated.body.key), new Set([200]));
        await admin(base, "DELETE", `${KEYS}/${body.id}`);
        assertEquals(await statuses(base, rotated.body.key), new Set([401]));
        const second = await admin(base, "POST", KEYS, { name: "second" });
        kept = second.body.key;
        texts.push(body.key, rotated.body.key, kept);
        // While it runs, the write-ahead log is read too.
        const stored = textOf(directory);
        assert(stored.includes("second") && stored.includes(kept.slice(0, 18)));
        for (const secret of [...texts, ADMIN_KEY, CONFIGURED_KEY, PEPPER]) {
          assert(!stored.includes(secret.slice(-30)), "a secret is in the store");
        }
        running.signal("SIGTERM");
        const { code, stdout, stderr } = await running.finished;
        assertEquals(code, 0);
        for (const secret of [...texts, ADMIN_KEY, CONFIGURED_KEY, PEPPER]) {
          assert(!(stdout + stderr).includes(secret.slice(-30)), "a secret is in the output");
        }
        assert(stdout.includes('"action":"keys.create"'));
      }
      await using again = startSluice([], { files });
      const base = await addressOf(again);
      assertEquals(await statuses(base, kept), new Set([200]));
      assertEquals(await statuses(base, texts[0] ?? ""), new Set([401]));
      await Deno.remove(directory, { recursive: true });
    },
  });
}

Deno.test({
  name: withPostgres("a change in one process reaches another one over the same store"),
  ignore: !HAS_POSTGRES,
  async fn() {
    const files = { "config.yaml": fileOf((await emptyDatabase()).url, { workers: 1 }) };
    await using one = startSluice([], { files });
    await using other = startSluice([], { files });
    const [first, second] = [await addressOf(one), await addressOf(other)];
    const { body } = await admin(first, "POST", KEYS, { name: "team" });
    await untilReply(async () => (await statuses(second, body.key)).has(200));
    await admin(second, "DELETE", `${KEYS}/${body.id}`);
    assertEquals(await statuses(second, body.key), new Set([401]));
    await untilReply(async () => (await statuses(first, body.key)).has(401));
    for (const running of [one, other]) {
      running.signal("SIGTERM");
      assertEquals((await running.finished).code, 0);
    }
  },
});

for (const workers of [1, 2]) {
  Deno.test({
    ...needs(
      "Linux",
      Deno.build.os === "linux",
      `a key that was valid before a reload is valid after it: ${workers} workers`,
    ),
    async fn() {
      const directory = await Deno.makeTempDir({ prefix: "sluice-" });
      {
        const text = fileOf(`sqlite:${directory}/s.db`, { workers });
        await using running = startSluice([], { files: { "config.yaml": text } });
        const base = await addressOf(running);
        const { body } = await admin(base, "POST", KEYS, { name: "team" });
        running.write("config.yaml", `${text} `);
        running.signal("SIGHUP");
        await running.logged("Loaded");
        assertEquals(await statuses(base, body.key), new Set([200]));
      }
      await Deno.remove(directory, { recursive: true });
    },
  });
}
