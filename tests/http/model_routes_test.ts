/** `GET /v1/routes`: where the requests to each name go, and only what a key may see. */

import { assertEquals } from "@std/assert";
import { createTestGateway } from "../support/gateway.ts";

const CONFIG = {
  server: {
    keys: [{ name: "all", key: "sk-a" }, { name: "narrow", key: "sk-n", models: ["echo"] }],
    admin_keys: [{ name: "root", key: "sk-root" }],
  },
  providers: {
    one: { kind: "mock", models: [{ id: "echo", upstream: "mock-echo" }, "mock-500"] },
    two: { kind: "mock", models: [{ id: "echo", upstream: "mock-echo" }] },
  },
  aliases: {
    best: {
      targets: [["echo@one", { model: "echo@two", weight: 2 }], {
        model: "mock-500",
        when: ["quota"],
      }],
      balance: "weighted",
    },
    "any-*": "echo",
  },
};

interface Answer {
  readonly data: readonly Record<string, unknown>[];
  readonly targets: readonly Record<string, unknown>[];
}

async function read(path: string, key: string): Promise<Answer> {
  const gateway = createTestGateway({ config: CONFIG });
  const response = await gateway.call(path, undefined, { authorization: `Bearer ${key}` });
  return await response.json();
}

const USUAL = ["rate_limited", "quota", "auth", "not_found", "unavailable", "timeout"];

Deno.test("an admin sees all names with their steps, weights and conditions", async () => {
  const { data, targets } = await read("/v1/admin/routes", "sk-root");
  assertEquals(data.map(({ form, id }) => `${form} ${id}`), [
    ...["model echo", "model mock-500", "pinned echo@one", "pinned echo@two", "alias best"],
    "pattern any-*",
  ]);
  const best = data.find(({ id }) => id === "best");
  assertEquals(best?.steps, [
    {
      balance: "weighted",
      targets: [
        { provider: "one", upstream: "mock-echo", when: USUAL },
        { provider: "two", upstream: "mock-echo", weight: 2, when: USUAL },
      ],
    },
    { balance: "in_order", targets: [{ provider: "one", upstream: "mock-500", when: ["quota"] }] },
  ]);
  assertEquals(data[0]?.other_providers, ["two"]);
  assertEquals(targets.map(({ provider, upstream }) => `${upstream}@${provider}`), [
    ...["mock-echo@one", "mock-500@one", "mock-echo@two"],
  ]);
  assertEquals(targets[0], {
    ...{ provider: "one", kind: "mock", id: "echo", upstream: "mock-echo" },
    ...{ attempts: 0, failed_attempts: 0, uptime: null, p50_ms: null, p95_ms: null },
  });
});

Deno.test("a key sees the names that it may use, and their targets only", async () => {
  const { data, targets } = await read("/v1/routes", "sk-n");
  assertEquals(data.map(({ id }) => id), ["echo", "echo@one", "echo@two"]);
  assertEquals(targets.map(({ provider, upstream }) => `${upstream}@${provider}`), [
    ...["mock-echo@one", "mock-echo@two"],
  ]);
});

Deno.test("a service key cannot read the names of all", async () => {
  const { error } = await read("/v1/admin/routes", "sk-a") as unknown as {
    error: { code: string };
  };
  assertEquals(error.code, "admin_key_required");
});
