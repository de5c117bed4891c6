/** The names by which a process can be asked: on loopback addresses, and in a container. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { until } from "../support/elapse.ts";
import { type Running, startSluice } from "../support/process.ts";
import { readRoot } from "../support/read_root.ts";
import { RawCaller } from "../support/raw_caller.ts";

const PATIENCE_MS = 30_000;
const KEY = "authorization: Bearer sk-own\n";
const OPS = "authorization: Bearer sk-ops\n";

const CONFIG = {
  server: {
    port: 0,
    workers: 1,
    keys: [{ name: "own", key: "sk-own" }],
    admin_keys: [{ name: "ops", key: "sk-ops" }],
  },
  providers: { mock: { kind: "mock", models: ["mock-echo"] } },
};

/** Starts a process; the address is that of this machine. */
async function start(
  config: string,
  env: Record<string, string> = {},
): Promise<[Running, string]> {
  const running = startSluice([], { files: { "config.yaml": config }, env });
  await running.logged("Next steps");
  const [, port] = /^Sluice listens on http:\S+:(\d+)$/m.exec(running.stderr()) ?? [];
  return [running, `http://127.0.0.1:${port}`];
}

/** Sends a request with this `Host`, as a browser does for a name that was rebound. */
async function ask(base: string, host: string, path: string, head = ""): Promise<string> {
  await using caller = await RawCaller.connect(base);
  await caller.send(`GET ${path} HTTP/1.1\nhost: ${host}\n${head}connection: close\n\n`);
  await until(() => caller.isClosed, PATIENCE_MS);
  return caller.text;
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

function errorOf(answer: string): { [name: string]: unknown; error: Record<string, unknown> } {
  return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")).replace(/^[^{]*|[^}]*$/g, ""));
}

Deno.test("on a loopback address a rebound name reaches neither the console nor the API", async () => {
  const [running, base] = await start(JSON.stringify(CONFIG));
  await using _ = running;
  const { port } = new URL(base);
  const page = "accept: text/html\nsec-fetch-site: same-origin\n";
  assertStringIncludes(await ask(base, `localhost:${port}`, "/", page), `<div id="app">`);
  for (
    const [path, head] of [
      ["/", page],
      ["/console/main.js", page],
      ["/v1/models", KEY],
      ["/v1/usage", KEY],
      ["/v1/requests", KEY],
      ["/v1/live", KEY],
      ["/v1/admin/keys", OPS],
      ["/v1/providers/mock/proxy/x", KEY],
      ["/metrics", KEY],
      ["/nothing", KEY],
    ] as const
  ) {
    const answer = await ask(base, `evil.example:${port}`, path, head);
    assertEquals(statusOf(answer), 421, path);
    const { error } = errorOf(answer);
    assertEquals([error.type, error.param], ["invalid_request_error", null], path);
    assertMatch(String(error.message), /'server\.hosts'$/);
  }
  const messages = errorOf(await ask(base, "evil.example", "/v1/messages", KEY));
  assertEquals([messages.type, messages.error.type], ["error", "invalid_request_error"]);
  for (const host of [`127.0.0.1:${port}`, "[::1]", "localhost", "app.localhost"]) {
    assertEquals(statusOf(await ask(base, host, "/v1/models", KEY)), 200, host);
  }
  assertEquals(statusOf(await ask(base, "probe.example", "/healthz")), 200);
});

for (
  const [what, file, env] of [
    ["compose.yaml", "config.yaml", {}],
    ["Kubernetes", "deploy/kubernetes/config.yaml", {
      SLUICE_METRICS_KEY: "sk-metrics",
      SLUICE_STATE_KEY: "k".repeat(44),
      VALKEY_URL: "redis://127.0.0.1:1",
      OPENAI_API_KEY: "sk-openai",
      ANTHROPIC_API_KEY: "sk-anthropic",
    }],
  ] as const
) {
  Deno.test(`with the configuration of ${what}, a container answers to the names of its services`, async () => {
    const [running, base] = await start(readRoot(file), {
      ...env,
      ...{ SLUICE_API_KEY: "sk-own", SLUICE_HOST: "0.0.0.0", SLUICE_PORT: "0" },
    });
    await using _ = running;
    for (const host of ["sluice:8787", "sluice.sluice.svc.cluster.local", "localhost:8787"]) {
      assertEquals(statusOf(await ask(base, host, "/v1/models", KEY)), 200, host);
    }
    assertEquals(statusOf(await ask(base, "10.1.2.3:8787", "/readyz")), 200);
  });
}

Deno.test("on all addresses, 'hosts' limits the names", async () => {
  const server = { ...CONFIG.server, hosts: ["sluice"] };
  const [running, base] = await start(JSON.stringify({ ...CONFIG, server }), {
    SLUICE_HOST: "0.0.0.0",
  });
  await using _ = running;
  assertEquals(statusOf(await ask(base, "sluice:8787", "/v1/models", KEY)), 200);
  assertEquals(statusOf(await ask(base, "evil.example", "/v1/models", KEY)), 421);
});
