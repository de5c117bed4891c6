/** A gateway whose keys are in a secret manager. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { imitateService } from "../../support/imitated_service.ts";
import { addressOf, runSluice, startSluice } from "../../support/process.ts";
import { sayHello } from "../../support/scripted_vendor.ts";

/** A configuration whose service key and vendor key are in Vault. */
function configOf(origin: string): string {
  return JSON.stringify({
    server: { keys: [{ name: "own", key: "${vault:secret/data/sluice#service}" }], workers: 2 },
    providers: {
      p: {
        ...{ kind: "openai_compatible", base_url: `${origin}/v1`, models: ["m"] },
        api_key: "${vault:secret/data/sluice#vendor}",
      },
    },
  });
}

Deno.test("keys of a secret manager are read before the start, and again at a reload", async () => {
  let generation = 1;
  await using service = imitateService(({ path }) =>
    path.startsWith("/v1/secret/")
      ? Response.json({
        data: {
          data: { service: `sk-own-${generation}`, vendor: `sk-vendor-${generation}` },
          metadata: { version: generation },
        },
      })
      : sayHello({ url: path, body: {} })
  );
  const files = { "config.yaml": configOf(service.origin) };
  const env = { VAULT_ADDR: service.origin, VAULT_TOKEN: "hvs.start-token", HOME: "/nowhere" };
  await using running = startSluice(["--port", "0"], { files, env });
  const base = await addressOf(running);
  using client = Deno.createHttpClient({});
  const ask = async (key: string) => {
    const response = await fetch(`${base}/v1/chat/completions`, {
      client,
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] }),
    });
    await response.body?.cancel();
    return response.status;
  };
  const vendorKey = () =>
    service.calls.findLast(({ path }) => path.endsWith("/chat/completions"))
      ?.headers.get("authorization");
  assertEquals([await ask("sk-own-1"), vendorKey()], [200, "Bearer sk-vendor-1"]);
  generation = 2;
  running.signal("SIGHUP");
  await running.logged("Loaded ./config.yaml");
  assertEquals(await ask("sk-own-1"), 401);
  assertEquals([await ask("sk-own-2"), vendorKey()], [200, "Bearer sk-vendor-2"]);
  // Two references, read once at the start and once at the reload, for both workers.
  assertEquals(service.calls.filter(({ path }) => path.startsWith("/v1/secret/")).length, 4);
  running.signal("SIGTERM");
  const { code, stderr, stdout } = await running.finished;
  assertEquals(code, 0);
  assert(!/sk-(?:own|vendor)-|hvs\.start/.test(stderr + stdout));
});

for (const workers of [1, 2]) {
  Deno.test(`a key that was replaced is read again when the old one is refused, with workers: ${workers}`, async () => {
    let valid = "sk-vendor-1";
    await using service = imitateService(({ path, headers }) => {
      if (path.startsWith("/v1/secret/")) {
        return Response.json({
          data: { data: { service: "sk-own", vendor: valid }, metadata: {} },
        });
      }
      return headers.get("authorization") === `Bearer ${valid}`
        ? sayHello({ url: path, body: {} })
        : Response.json({ error: { message: "Wrong key", code: "invalid_api_key" } }, {
          status: 401,
        });
    });
    const config = configOf(service.origin).replace('"workers":2', `"workers":${workers}`);
    const env = { VAULT_ADDR: service.origin, VAULT_TOKEN: "hvs.start-token", HOME: "/nowhere" };
    await using running = startSluice(["--port", "0"], { files: { "config.yaml": config }, env });
    const base = await addressOf(running);
    using client = Deno.createHttpClient({});
    const ask = async () => {
      const response = await fetch(`${base}/v1/chat/completions`, {
        client,
        method: "POST",
        headers: { authorization: "Bearer sk-own" },
        body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] }),
      });
      await response.body?.cancel();
      return response.status;
    };
    assertEquals(await ask(), 200);
    valid = "sk-vendor-2";
    assertEquals(await ask(), 502);
    await running.logged("Loaded ./config.yaml");
    assertEquals(await ask(), 200);
    running.signal("SIGTERM");
    assertEquals((await running.finished).code, 0);
  });
}

Deno.test("check reads the secrets, and names those that it cannot read", async () => {
  await using service = imitateService(() => new Response("{}", { status: 403 }));
  const files = { "config.yaml": configOf(service.origin) };
  const env = { VAULT_ADDR: service.origin, HOME: "/nowhere" };
  const { code, stderr, stdout } = await runSluice(["check"], { files, env });
  assertEquals(code, 0);
  assertMatch(stdout, /p +cannot read vault:secret\/data\/sluice#vendor: .*\(status 403\)/);
  assertStringIncludes(stderr, "Cannot read vault:secret/data/sluice#service: ");
});
