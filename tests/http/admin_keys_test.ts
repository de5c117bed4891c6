/** The admin routes for keys: what they accept, what they answer, and what they log. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  ADMIN_KEY,
  openKeyFile,
  type Replica,
  type ReplicaOptions,
  startReplica,
  withKeyFile,
} from "../support/keys.ts";
import { printable } from "../../src/core/text.ts";
import { createTestGateway, SERVICE_KEY } from "../support/gateway.ts";

const KEYS = "/v1/admin/keys";

async function withReplica(
  run: (replica: Replica) => Promise<void>,
  options: Omit<ReplicaOptions, "store"> = {},
): Promise<void> {
  await withKeyFile(async (path) => {
    await using replica = await startReplica({ ...options, store: openKeyFile(path) });
    await run(replica);
  });
}

Deno.test("the text of a key is in the answer to its creation alone", async () => {
  await withReplica(async ({ admin, gateway }) => {
    const settings = {
      models: ["mock-*"],
      limits: { requests_per_minute: 600, tokens_per_minute: "200k", concurrent: 20 },
      budget: { usd: 250, per: "month" },
      expires: "2027-01-01",
      priority: "batch",
      weight: 2.5,
      ...{ owner: "Ada Osei", team: "search" },
    };
    const { status, body } = await admin("POST", KEYS, { name: "team", ...settings });
    const { key, ...entry } = body;
    assertEquals(status, 201);
    assertMatch(String(key), /^sk-sluice-[\w-]{51}$/);
    assertEquals(entry, {
      id: entry.id,
      object: "service_key",
      name: "team",
      source: "store",
      status: "active",
      prefix: String(key).slice(0, 18),
      models: ["mock-*"],
      limits: { requests_per_minute: 600, tokens_per_minute: 200_000, concurrent: 20 },
      budget: { usd: 250, per: "month" },
      expires: 1_798_761_600,
      priority: "batch",
      weight: 2.5,
      ...{ owner: "Ada Osei", team: "search", note: null },
      created: 1_700_000_000,
      revoked: null,
      previous_valid_until: null,
    });
    assertMatch(String(entry.id), /^key_[\w-]{24}$/);
    const { usage, ...shown } = (await admin("GET", `${KEYS}/${entry.id}`)).body;
    assertEquals(shown, entry);
    assertEquals((usage as Record<string, unknown>).last_used, null);
    const { body: list } = await admin("GET", `${KEYS}?name=team`);
    assertEquals(list, { object: "list", data: [entry], has_more: false });
    const response = await gateway.call(`${KEYS}/${entry.id}`, undefined, {
      authorization: `Bearer ${ADMIN_KEY}`,
    });
    await response.body?.cancel();
    assertEquals(response.headers.get("cache-control"), "no-store");
  });
});

Deno.test("keys are listed in pages, without the revoked ones unless requested", async () => {
  await withReplica(async ({ admin }) => {
    const ids: unknown[] = [];
    for (let index = 0; index < 5; index++) {
      ids.push((await admin("POST", KEYS, { name: `key ${index}` })).body.id);
    }
    await admin("DELETE", `${KEYS}/${ids[2]}`);
    const page = async (query: string) => {
      const { body } = await admin("GET", `${KEYS}?${query}`);
      return [(body.data as { name: string }[]).map(({ name }) => name), body.has_more];
    };
    assertEquals(await page("limit=2"), [["test", "key 0", "key 1"], true]);
    assertEquals(await page(`limit=2&after=${ids[1]}`), [["key 3", "key 4"], false]);
    assertEquals(await page(`revoked=true&after=${ids[1]}`), [["key 2", "key 3", "key 4"], false]);
    assertEquals(await page("name=key%203"), [["key 3"], false]);
    assertEquals(await page("name=test"), [["test"], false]);
    for (const query of ["limit=0", "limit=1001", "limit=x", "revoked=yes"]) {
      const { status, body } = await admin("GET", `${KEYS}?${query}`);
      assertEquals([status, body.error?.param], [400, query.split("=")[0]]);
    }
  });
});

Deno.test("without a store, every call is a 400 that says to set one", async () => {
  const gateway = createTestGateway({
    config: {
      providers: {},
      server: { admin_keys: [{ name: "ops", key: ADMIN_KEY }] },
    },
  });
  const calls = [["GET", ""], ["POST", ""], ["GET", "/key_1"], ["PATCH", "/key_1"], [
    "DELETE",
    "/key_1",
  ], ["POST", "/key_1/rotate"]] as const;
  for (const [method, path] of calls) {
    const body = method === "POST" && path === "" ? { name: "team" } : {};
    const response = await gateway.app.handle(
      new Request(`http://gateway.test${KEYS}${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
        ...(method === "POST" || method === "PATCH" ? { body: JSON.stringify(body) } : {}),
      }),
    );
    const { error } = await response.json();
    assertEquals([response.status, error.code], [400, "store_required"], `${method} ${path}`);
    assertStringIncludes(error.message, "set 'store' in config.yaml");
  }
});

/** Bodies that are refused, with the path in the error. */
const INVALID: readonly (readonly [unknown, string | null, RegExp])[] = [
  [[], null, /must be a JSON object/],
  ["not json", null, /not valid JSON/],
  [{}, "name", /is required/],
  [{ name: "" }, "name", /must not be empty/],
  [{ name: 5 }, "name", /must be a string/],
  [{ name: " x" }, "name", /without leading or trailing spaces/],
  [{ name: "a\nb" }, "name", /printable/],
  [{ name: "a\u0000b" }, "name", /printable/],
  [{ name: "a\u202eb" }, "name", /printable/],
  [{ name: "x".repeat(101) }, "name", /1 to 100/],
  [{ name: "x", key: "sk-own" }, null, /unknown: 'key'/],
  [{ name: "x", usd: 5 }, null, /unknown: 'usd'/],
  ['{"name":"x","__proto__":{"models":["a"]}}', null, /unknown: '__proto__'/],
  ['{"name":"x","limits":{"__proto__":{"concurrent":1}}}', "limits", /unknown: '__proto__'/],
  [{ name: "x", models: [] }, "models", /must not be empty/],
  [{ name: "x", models: "gpt" }, "models", /must be an array/],
  [{ name: "x", models: Array(1001).fill("a") }, "models", /at most 1000/],
  [{ name: "x", limits: { rpm: 1 } }, "limits", /unknown: 'rpm'/],
  [{ name: "x", limits: { concurrent: 0 } }, "limits.concurrent", /at least 1/],
  [{ name: "x", budget: { usd: 1, per: "year" } }, "budget.per", /must be 'hour'/],
  [{ name: "x", budget: { usd: -1, per: "day" } }, "budget.usd", /above 0/],
  [{ name: "x", expires: "2027-02-30" }, "expires", /must be a date/],
  [{ name: "x", priority: "high" }, "priority", /must be 'interactive' or 'batch'/],
  [{ name: "x", team: "t".repeat(129) }, "team", /must have at most 128 characters/],
  [{ name: "x", note: "" }, "note", /must/],
  [{ name: "x", weight: 0 }, "weight", /at least 0.01/],
  [{ name: "x", weight: "much" }, "weight", /must be a number/],
];

for (const [body, param, message] of INVALID) {
  Deno.test(`POST /v1/admin/keys refuses ${printable(JSON.stringify(body)).slice(0, 60)}`, async () => {
    await withReplica(async ({ admin }) => {
      const { status, body: { error } } = await admin("POST", KEYS, body);
      assertEquals([status, error?.param], [400, param as string], JSON.stringify(error));
      assertMatch(error?.message ?? "", message);
      const { body: list } = await admin("GET", KEYS);
      assertEquals((list.data as unknown[]).length, 1);
    });
  });
}

Deno.test("a change is as strict, and cannot rename a key", async () => {
  await withReplica(async ({ admin }) => {
    const { body: { id } } = await admin("POST", KEYS, { name: "team", models: ["mock-echo"] });
    for (
      const change of [
        ...[{ name: "other" }, { models: [] }, { limits: { x: 1 } }, { expires: "x" }],
        ...[{ priority: "" }, { weight: 1001 }],
      ]
    ) {
      assertEquals((await admin("PATCH", `${KEYS}/${id}`, change)).status, 400);
    }
    for (const overlap of ["25h", "-1s", 5]) {
      assertEquals((await admin("POST", `${KEYS}/${id}/rotate`, { overlap })).status, 400);
    }
    assertEquals((await admin("GET", `${KEYS}/${id}`)).body.models, ["mock-echo"]);
    assertEquals((await admin("PATCH", `${KEYS}/${id}`, {})).status, 200);
  });
});

Deno.test("a body over 64 kB is a 413", async () => {
  await withReplica(async ({ admin }) => {
    const { status } = await admin("POST", KEYS, { name: "x".repeat(64 * 1024) });
    assertEquals(status, 413);
  });
});

Deno.test("unknown, revoked and configured keys cannot be changed, and the errors say why", async () => {
  await withReplica(async ({ admin }) => {
    const { body: { id } } = await admin("POST", KEYS, { name: "team" });
    await admin("DELETE", `${KEYS}/${id}`);
    const cases = [
      ["key_nothing", 404, "key_not_found"],
      [encodeURIComponent("config:test"), 409, "key_in_config"],
      [String(id), 409, "key_revoked"],
    ] as const;
    for (const [target, status, code] of cases) {
      for (
        const [method, path] of [["PATCH", ""], ["DELETE", ""], ["POST", "/rotate"]] as const
      ) {
        if (code === "key_revoked" && method === "DELETE") continue;
        const reported = await admin(
          method,
          `${KEYS}/${target}${path}`,
          method === "DELETE" ? undefined : {},
        );
        assertEquals(
          [reported.status, reported.body.error?.code],
          [status, code],
          `${method} ${target}`,
        );
      }
    }
    const shown = await admin("GET", `${KEYS}/${encodeURIComponent("config:test")}`);
    assertEquals([shown.status, shown.body.source, shown.body.name], [200, "config", "test"]);
  });
});

Deno.test("the log has an audit entry for every admin action, with its target and its result", async () => {
  await withReplica(async ({ admin, gateway }) => {
    const { body: { id } } = await admin("POST", KEYS, { name: "team" });
    await admin("POST", KEYS, { name: "team" });
    await admin("POST", KEYS, "{");
    await admin("PATCH", `${KEYS}/${id}`, { models: ["mock-echo"] });
    await admin("POST", `${KEYS}/${id}/rotate`, { overlap: "1m" });
    await admin("GET", `${KEYS}/${id}`);
    await admin("GET", KEYS);
    await admin("DELETE", `${KEYS}/${id}`);
    await admin("GET", "/v1/admin/usage");
    await admin("GET", "/v1/admin/providers");
    await admin("POST", "/v1/admin/providers/nobody/reset");
    await admin("DELETE", `${KEYS}/${id}`, undefined, { authorization: `Bearer ${SERVICE_KEY}` });
    const target = { id, name: "team" };
    assertEquals(gateway.lines.map(({ key, audit }) => [key, audit]), [
      ["ops", { action: "keys.create", ...target, result: "done" }],
      ["ops", { action: "keys.create", name: "team", result: "name_taken" }],
      ["ops", { action: "keys.create", result: "invalid_request" }],
      ["ops", { action: "keys.change", ...target, changed: ["models"], result: "done" }],
      ["ops", { action: "keys.rotate", ...target, overlap_ms: 60_000, result: "done" }],
      ["ops", { action: "keys.show", ...target, result: "done" }],
      ["ops", { action: "keys.list", result: "done" }],
      ["ops", { action: "keys.revoke", ...target, result: "done" }],
      ["ops", { action: "usage.read", result: "done" }],
      ["ops", { action: "providers.list", result: "done" }],
      ["ops", { action: "providers.reset", provider: "nobody", result: "provider_not_found" }],
      [undefined, { action: "keys.revoke", result: "admin_key_required" }],
    ]);
  });
});

Deno.test("admin routes have no CORS, also where others have it", async () => {
  await withReplica(async ({ gateway }) => {
    const origin = "https://app.example.com";
    const request = (method: string, path: string) =>
      gateway.app.handle(
        new Request(`http://gateway.test${path}`, {
          method,
          headers: {
            origin,
            authorization: `Bearer ${ADMIN_KEY}`,
            "access-control-request-method": "POST",
          },
        }),
      );
    for (const path of [KEYS, "/v1/admin/usage", "/v1/admin/providers"]) {
      const [listed, preflight] = [await request("GET", path), await request("OPTIONS", path)];
      assertEquals([listed.status, preflight.status], [200, 405]);
      for (const { headers, body } of [listed, preflight]) {
        await body?.cancel();
        const names = [...headers.keys()];
        assertEquals(names.filter((name) => /^access-control|^set-cookie$|^vary$/.test(name)), []);
      }
    }
    const open = await request("GET", "/healthz");
    await open.body?.cancel();
    assertEquals(open.headers.get("access-control-allow-origin"), origin);
  }, { server: { cors: ["https://app.example.com"] } });
});
