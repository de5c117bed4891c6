/** What answers reveal: to keys that are limited, to caches and to browsers. */

import { assert, assertEquals } from "@std/assert";
import { createTestGateway } from "../support/gateway.ts";

function world() {
  const open = { kind: "mock", models: ["open"] };
  const hidden = { kind: "mock", models: ["hidden"] };
  const keys = [
    { name: "all", key: "sk-all" },
    { name: "other", key: "sk-other" },
    ...[1, 2, 3].map((index) => ({ name: `k${index}`, key: `sk-${index}` })),
    { name: "some", key: "sk-some", models: ["open"] },
  ];
  const gateway = createTestGateway({
    config: {
      providers: { open, hidden, off: { kind: "openai", api_key: "${NOT_SET}", models: ["o"] } },
      server: { keys, admin_keys: [{ name: "admin", key: "sk-admin" }] },
    },
  });
  const ask = (path: string, key: string) =>
    gateway.call(path, undefined, { authorization: `Bearer ${key}` });
  return { gateway, ask };
}

Deno.test("a key that is limited to models sees their providers, and no metrics of others", async () => {
  const { ask } = world();
  const ids = async (key: string) =>
    (await (await ask("/v1/providers", key)).json()).data.map(({ id }: { id: string }) => id);
  assertEquals(await ids("sk-some"), ["open"]);
  assertEquals(await ids("sk-all"), ["open", "hidden", "off"]);
  const metrics = await ask("/metrics", "sk-some");
  assertEquals(metrics.status, 404);
  assert(!(await metrics.text()).includes("hidden"));
  assertEquals((await ask("/metrics", "sk-all")).status, 200);
});

Deno.test("no answer may be stored or sniffed", async () => {
  const { ask } = world();
  for (const path of ["/v1/models", "/v1/nothing", "/healthz", "/metrics", "/v1/usage", "/"]) {
    const response = await ask(path, "sk-all");
    assertEquals(response.headers.get("x-content-type-options"), "nosniff", path);
    assertEquals(response.headers.get("cache-control"), "no-store", path);
    await response.text();
  }
});

Deno.test("one key cannot take the streams of others, and all keys not those of admins", async () => {
  const { ask } = world();
  const streams: Response[] = [];
  const open = async (path: string, key: string) => {
    const response = await ask(path, key);
    streams.push(response);
    return response.status;
  };
  for (let count = 0; count < 8; count++) assertEquals(await open("/v1/live", "sk-all"), 200);
  assertEquals(await open("/v1/live", "sk-all"), 503);
  for (const key of ["sk-1", "sk-2"]) {
    for (let count = 0; count < 8; count++) assertEquals(await open("/v1/live", key), 200);
  }
  assertEquals(await open("/v1/live", "sk-other"), 503);
  for (let count = 0; count < 8; count++) {
    assertEquals(await open("/v1/admin/live", "sk-admin"), 200);
  }
  assertEquals(await open("/v1/admin/live", "sk-admin"), 503);
  for (const stream of streams) await stream.body?.cancel();
});
