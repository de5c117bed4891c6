/** Requests that a web page may have sent: rebound names and other sites. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ListenerRules } from "../../src/config/listeners.ts";
import { isDirect } from "../../src/http/host_check.ts";
import { createTestGateway, SERVICE_KEY } from "../support/gateway.ts";
import { serveAllParts } from "../../src/http/routes/route.ts";

const ADMIN_KEY = "sk-admin";

function ask(
  path: string,
  headers: Record<string, string>,
  server: Record<string, unknown> = {},
  isLocal = true,
) {
  const mock = { kind: "mock", models: ["m"] };
  const gateway = createTestGateway({
    config: {
      providers: { mock },
      server: { admin_keys: [{ name: "admin", key: ADMIN_KEY }], ...server },
    },
    isLocal,
  });
  const key = path.startsWith("/v1/admin") ? ADMIN_KEY : SERVICE_KEY;
  return gateway.app.handle(
    new Request(`http://gateway.test${path}`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
    }),
  );
}

async function statusOf(...parameters: Parameters<typeof ask>): Promise<number> {
  const response = await ask(...parameters);
  await response.body?.cancel();
  return response.status;
}

for (const path of ["/", "/v1/models", "/v1/admin/providers", "/console/x/y.js", "/v1/nothing"]) {
  Deno.test(`on a loopback address a page that rebinds its name gets a 421 from ${path}`, async () => {
    const response = await ask(path, { host: "evil.example:8787", accept: "text/html" });
    assertEquals(response.status, 421);
    assertStringIncludes((await response.json()).error.message, "server.hosts");
  });
}

Deno.test("a rebound name gets its 421 in the format of the caller", async () => {
  const response = await ask("/v1/messages", { host: "evil.example" });
  assertEquals((await response.json()).type, "error");
});

Deno.test("addresses, loopback names, server.host and listed hosts are accepted", async () => {
  const server = { host: "gw.internal", hosts: ["llm.example.com", "Sluice"] };
  for (
    const host of [
      "localhost",
      "LOCALHOST:8787",
      "app.localhost:8787",
      "127.0.0.1:8787",
      "[::1]:8787",
      "10.2.3.4:8787",
      "gw.internal",
      "llm.example.com:443",
      "LLM.example.com.",
      "sluice:8787",
    ]
  ) assertEquals(await statusOf("/v1/models", { host }, server), 200, host);
  for (const host of ["llm.example.com.evil.example", "evil.example", "x127.0.0.1", "1.2.3.4.x"]) {
    assertEquals(await statusOf("/v1/models", { host }, server), 421, host);
    assertEquals(await statusOf("/v1/models", { host }, server, false), 421, host);
  }
});

Deno.test("probes, and listeners on other addresses without 'hosts', take any name", async () => {
  assertEquals(await statusOf("/healthz", { host: "probe.example" }), 200);
  assertEquals(await statusOf("/readyz", { host: "probe.example" }), 200);
  assertEquals(await statusOf("/v1/models", { host: "sluice.default.svc" }, {}, false), 200);
});

const ADMIN = "/v1/admin/providers";
const HOST = { host: "localhost:8787" };
const EVIL = "https://evil.example";

Deno.test("admin routes refuse the pages of other sites", async () => {
  for (
    const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: "http://localhost:3000" },
      { origin: EVIL },
      { origin: "null" },
      { origin: "http://localhost:3000" },
      { "sec-fetch-site": "cross-site", origin: EVIL },
    ]
  ) {
    for (const path of [ADMIN, "/v1/admin/live", "/v1/live"]) {
      const cors = path === "/v1/live" ? [] : "*";
      const response = await ask(path, { ...HOST, ...headers }, { cors });
      assertEquals(response.status, 403, `${path} ${JSON.stringify(headers)}`);
      assertEquals((await response.json()).error.code, "cross_site_request");
    }
  }
});

Deno.test("admin routes accept the console, clients that are not browsers, and listed origins", async () => {
  for (
    const headers of [
      {},
      { "sec-fetch-site": "same-origin", origin: "http://localhost:8787" },
      { "sec-fetch-site": "none" },
      { origin: "http://localhost:8787" },
      { "sec-fetch-site": "cross-site", origin: "https://ops.example.com" },
    ]
  ) {
    const server = { cors: ["https://ops.example.com"] };
    assertEquals(await statusOf(ADMIN, { ...HOST, ...headers }, server), 200);
  }
  assertEquals(await statusOf(ADMIN, { host: "localhost", origin: "http://localhost:80" }), 200);
});

Deno.test("other routes take any site: they answer to a key in a header alone", async () => {
  // A page can send such a header only where server.cors allows its origin, and no browser adds one
  // by itself. A person with the key needs no browser.
  const cross = { ...HOST, "sec-fetch-site": "cross-site", origin: EVIL };
  for (const path of ["/v1/models", "/v1/usage", "/v1/requests"]) {
    assertEquals(await statusOf(path, cross), 200, path);
    const bare = { ...cross, authorization: "", cookie: `key=${SERVICE_KEY}` };
    assertEquals(await statusOf(path, bare), 401, path);
    assertEquals(await statusOf(`${path}?key=${SERVICE_KEY}&api_key=${SERVICE_KEY}`, bare), 401);
    const response = await ask(path, cross, { cors: ["https://ops.example.com"] });
    assertEquals(response.headers.get("access-control-allow-origin"), null);
    await response.body?.cancel();
  }
});

Deno.test("a request is direct from a name of this machine, without a proxy's header", () => {
  const isFrom = (url: string, headers: Record<string, string> = {}) =>
    isDirect(new Request(url, { headers }));
  for (const host of ["localhost", "127.0.0.1:8080", "[::1]", "app.localhost:80"]) {
    assertEquals(isFrom("http://gateway.test/", { host }), true, host);
    assertEquals(isFrom(`http://${host}/`), true, host);
  }
  for (const host of ["gateway.test", "10.0.0.1", "localhost.test", "applocalhost"]) {
    assertEquals(isFrom("http://localhost/", { host }), false, host);
  }
  for (
    const name of ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]
  ) {
    assertEquals(isFrom("http://localhost/", { [name]: "x" }), false, name);
  }
});

Deno.test("a name that one listener knows is not known to another one, nor are other names", async () => {
  const mock = { kind: "mock", models: ["m"] };
  const { app } = createTestGateway({ config: { providers: { mock } }, isLocal: true });
  const own = { ...serveAllParts(true), hosts: new Set(["llm.example.com"]) };
  const statusAt = async (host: string, listener?: ListenerRules) => {
    const headers = { host, authorization: `Bearer ${SERVICE_KEY}` };
    const request = new Request("http://gateway.test/v1/models", { headers });
    const response = await app.handle(request, undefined, listener);
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await statusAt("llm.example.com", own), 200);
  assertEquals(await statusAt("llm.example.com", own), 200);
  assertEquals(await statusAt("llm.example.com"), 421);
  assertEquals(await statusAt("evil.example", own), 421);
  assertEquals(await statusAt("llm.example.com", own), 200);
});
