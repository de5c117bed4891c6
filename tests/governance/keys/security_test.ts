/** What keys at run time must never allow: other routes, others' usage, injected text, secrets. */

import { assert, assertEquals } from "@std/assert";
import { createRoutes, type RouteServices } from "../../../src/http/routes/table.ts";
import {
  ADMIN_KEY,
  openKeyFile,
  type Replica,
  startReplica,
  withKeyFile,
} from "../../support/keys.ts";

const KEYS = "/v1/admin/keys";

async function withReplica(
  run: (replica: Replica, path: string) => Promise<void>,
  config: Record<string, unknown> = {},
): Promise<void> {
  await withKeyFile(async (path) => {
    await using replica = await startReplica({ store: openKeyFile(path), config });
    await run(replica, path);
  });
}

const as = (key: string) => ({ authorization: `Bearer ${key}` });

Deno.test("no service key reaches an admin route, and no run-time key is an admin key", async () => {
  await withReplica(async ({ admin }) => {
    const { body } = await admin("POST", KEYS, { name: "team" });
    // No route is called here.
    const routes = createRoutes({} as RouteServices)
      .filter(({ path }) => path.startsWith("/v1/admin"));
    assert(routes.length >= 9, "routes are missing");
    for (const { method, path, auth } of routes) {
      assert(typeof auth === "object" && auth.admin !== "", path);
      const target = path.replaceAll(/\{\w+\}/g, String(body.id));
      for (const key of ["sk-test-service-key", String(body.key)]) {
        const reported = await admin(method, target, method === "GET" ? undefined : {}, as(key));
        assertEquals(
          [reported.status, reported.body.error?.code],
          [403, "admin_key_required"],
          path,
        );
        // The header that some clients use for service keys is no way around it.
        const header = { authorization: "", "x-api-key": key };
        assertEquals((await admin(method, target, undefined, header)).status, 401, path);
      }
    }
    assertEquals((await admin("GET", `${KEYS}/${body.id}`)).body.status, "active");
  });
});

Deno.test("a key sees no usage but its own, whatever it asks for", async () => {
  await withReplica(async (replica) => {
    const { admin, ask } = replica;
    const one = String(
      (await admin("POST", KEYS, { name: "one", models: ["mock-echo"] })).body.key,
    );
    const two = String((await admin("POST", KEYS, { name: "two" })).body.key);
    await ask(one);
    await ask(two);
    await ask(two, "other");
    const queries = [
      "",
      "?key=two",
      "?group_by=key,model,tag,provider",
      "?key=two&group_by=model",
      "?key=",
    ];
    for (const query of queries) {
      const { status, body } = await admin("GET", `/v1/usage${query}`, undefined, as(one));
      const entries = body.data as { requests: number; key?: string; model?: string }[];
      assertEquals([status, entries.map(({ requests }) => requests)], [200, [1]], query);
      assert(
        !JSON.stringify(body).includes("two") && !JSON.stringify(body).includes("other"),
        query,
      );
    }
    assertEquals((await admin("GET", "/v1/admin/usage", undefined, as(one))).status, 403);
  });
});

/** Names that are text for a database, a log, a spreadsheet or JavaScript to trip over. */
const NAMES = [
  `'; DROP TABLE service_keys; --`,
  `" OR 1=1 --`,
  "__proto__",
  "constructor",
  "toString",
  "=cmd|' /C calc'!A0",
  "@SUM(1+1)",
  "a,b;c\td".replace("\t", " "),
  "\\u0000\\n",
  "${SLUICE_API_KEY}",
  "<script>alert(1)</script>",
  "%s%n%00",
  "名前 🔑",
  "../../etc/passwd",
  "null",
  "0",
];

Deno.test("names of any text are stored, listed, limited and reported as they are", async () => {
  await withReplica(async ({ admin, ask, gateway }) => {
    for (const name of NAMES) {
      const { status, body } = await admin("POST", KEYS, {
        name,
        limits: { requests_per_minute: 1 },
      });
      assertEquals([status, body.name], [201, name], name);
      const key = String(body.key);
      assertEquals([await ask(key), await ask(key)], [200, 429], name);
      const found = await admin("GET", `${KEYS}?name=${encodeURIComponent(name)}`);
      assertEquals((found.body.data as { id: string }[]).map(({ id }) => id), [body.id], name);
      const used = await admin("GET", `/v1/admin/usage?key=${encodeURIComponent(name)}`);
      assertEquals((used.body.data as { requests: number }[])[0]?.requests, 2, name);
      assertEquals(gateway.lines.at(-4)?.key, name);
    }
    const { body } = await admin("GET", "/v1/admin/usage?group_by=key");
    const names = (body.data as { key: string }[]).map(({ key }) => key);
    assertEquals(names.toSorted(), NAMES.toSorted());
    const { body: list } = await admin("GET", KEYS);
    assertEquals((list.data as unknown[]).length, NAMES.length + 1);
  });
});

Deno.test("IDs, models and cursors of any text find nothing and change nothing", async () => {
  await withReplica(async ({ admin, ask }) => {
    const { body: { id, key } } = await admin("POST", KEYS, { name: "team", models: NAMES });
    for (const text of NAMES) {
      const target = `${KEYS}/${encodeURIComponent(text)}`;
      assertEquals((await admin("GET", target)).status, 404, text);
      assertEquals((await admin("DELETE", target)).status, 404, text);
      const after = await admin("GET", `${KEYS}?after=${encodeURIComponent(text)}`);
      assertEquals([after.status, after.body.data], [200, []], text);
      assertEquals(await ask(String(key), text), 404, text);
    }
    const { body } = await admin("GET", `${KEYS}/${id}`);
    assertEquals([body.status, body.models], ["active", NAMES]);
  });
});

/** Tags, which any caller chooses, and names of models. */
const CALLER_TEXTS = [
  ...NAMES.filter((name) => !name.includes(",") && !name.includes("${")),
  "two\nlines",
  "a\r\nb: c",
  "\u001b[31mred",
  "\u0000nul",
  '"quoted"',
  "\t=1+1",
  "+1",
  "-1",
];

Deno.test("tags and models of any text neither break a report nor become formulas in it", async () => {
  const models = CALLER_TEXTS.map((id) => ({ id, upstream: "mock-echo" }));
  await withReplica(async ({ admin, gateway }) => {
    for (const text of CALLER_TEXTS) {
      const messages = [{ role: "user", content: "Hi" }];
      const body = { model: text, messages, metadata: { tags: text } };
      const response = await gateway.call("/v1/chat/completions", body);
      assertEquals(response.status, 200, await response.text());
    }
    for (const group of ["tag", "model"]) {
      const { body } = await admin("GET", `/v1/admin/usage?group_by=${group}`);
      const groups = (body.data as Record<string, string>[]).map((entry) => entry[group]?.trim());
      for (const text of CALLER_TEXTS) assert(groups.includes(text.trim()), `${group} ${text}`);
      const response = await gateway.call(
        `/v1/admin/usage?group_by=${group}&format=csv`,
        undefined,
        as(ADMIN_KEY),
      );
      assertEquals(response.headers.get("content-type"), "text/csv; charset=utf-8");
      const csv = await response.text();
      const rows = readCsv(csv);
      assertEquals(rows.length, groups.length + 1);
      for (const row of rows) {
        assertEquals(row.length, rows[0]?.length, JSON.stringify(row));
        assert(!/^[=+@-]/.test(row[0] ?? ""), row[0]);
      }
      // deno-lint-ignore no-control-regex
      assert(!/[\x00-\x09\x0b-\x1f]/.test(csv), "a control character is in the CSV");
    }
    for (const line of gateway.lines) assertEquals(typeof line.status, "number");
  }, { providers: { mock: { kind: "mock", models } } });
});

/** The cells of CSV, by RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (
    const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)
  ) {
    if (end === "") break;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

Deno.test("no answer, no log line and no message holds a key, its hash or the pepper", async () => {
  await withReplica(async (replica, path) => {
    const { admin, gateway, messages } = replica;
    const { body: { id, key } } = await admin("POST", KEYS, { name: "team" });
    const { body: rotated } = await admin("POST", `${KEYS}/${id}/rotate`, { overlap: "1h" });
    const store = openKeyFile(path);
    const [stored] = (await store.readKeys()).keys;
    await store.close();
    const secrets = [
      String(key).slice(18),
      String(rotated.key).slice(18),
      stored?.hash ?? "?",
      stored?.previous[0]?.hash ?? "?",
      "pepper-of-the-store",
      ADMIN_KEY,
    ];
    const { body: { key: _, ...entry } } = { body: rotated };
    const answers = [
      entry,
      await admin("GET", KEYS),
      await admin("GET", `${KEYS}/${id}`),
      await admin("PATCH", `${KEYS}/${id}`, { models: ["*"] }),
      await admin("PATCH", `${KEYS}/${id}`, { key }),
      await admin("POST", KEYS, { name: String(key), x: 1 }),
      await admin("GET", "/v1/admin/usage?group_by=key"),
      await admin("DELETE", `${KEYS}/${id}`),
      await admin("GET", KEYS, undefined, as(String(key))),
    ];
    const text = JSON.stringify([answers, gateway.lines, messages]);
    for (const secret of secrets) assert(!text.includes(secret), secret);
    // The file holds the hashes and the pepper, but no text of a key.
    const file = new TextDecoder("latin1").decode(Deno.readFileSync(path)) +
      new TextDecoder("latin1").decode(Deno.readFileSync(`${path}-wal`));
    assert(file.includes(stored?.hash ?? "?"));
    for (const secret of [secrets[0], secrets[1], ADMIN_KEY]) assert(!file.includes(secret ?? "?"));
  });
});

Deno.test("a token that has a part of a key, or more than it, is refused", async () => {
  await withReplica(async ({ admin, ask }) => {
    const key = String((await admin("POST", KEYS, { name: "team" })).body.key);
    for (const wrong of [`${key}x`, key.slice(0, -1), key.slice(0, 18) + "A".repeat(43)]) {
      assertEquals(await ask(wrong), 401);
    }
  });
});
