/** Several listeners: what each serves, to which names, and Unix sockets. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { once } from "node:events";
import { connect } from "node:http2";
import { type Running, runSluice, startSluice } from "../../support/process.ts";
import { certificateFiles, TlsCaller } from "../../support/tls/files.ts";
import { needs } from "../../support/needs.ts";

const isWindows = Deno.build.os === "windows";
const KEY = "authorization: Bearer sk-own\r\n";
const OPS = "authorization: Bearer sk-ops\r\n";
const HTML = "accept: text/html\r\n";

function configOf(server: Record<string, unknown>): string {
  return JSON.stringify({
    server: {
      port: 0,
      keys: [{ name: "own", key: "sk-own" }],
      admin_keys: [{ name: "ops", key: "sk-ops" }],
      ...server,
    },
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  });
}

/** Starts a process; returns the port of the main listener and the addresses of the others. */
async function start(
  server: Record<string, unknown>,
): Promise<{ running: Running; port: number; others: string[] }> {
  const files = { "config.yaml": configOf(server), ...certificateFiles("localhost") };
  const running = startSluice([], { files });
  await running.logged("Next steps");
  const text = running.stderr();
  const [, port] = /^Sluice listens on https?:\S+:(\d+)$/m.exec(text) ?? [];
  const others = [...text.matchAll(/^ {2}also on {3}(\S+)/gm)].map(([, address = ""]) => address);
  return { running, port: Number(port), others };
}

/** The status and the text of an answer. */
async function ask(
  to: number | string,
  path: string,
  head = "",
  host = "localhost",
): Promise<[number, string]> {
  using connection = typeof to === "number"
    ? await Deno.connect({ hostname: "127.0.0.1", port: to })
    : await Deno.connect({ transport: "unix", path: to });
  const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${head}connection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const text = await new Response(connection.readable).text();
  return [Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text];
}

const portOf = (address: string | undefined) => Number(/:(\d+)$/.exec(address ?? "")?.[1]);

/** Paths with the key that they need, and the part that they belong to. */
const PATHS: readonly (readonly [string, string, "api" | "admin" | "metrics" | "any"])[] = [
  ["/v1/models", KEY, "api"],
  ["/v1/models/mock-echo", KEY, "api"],
  ["/v1/providers", KEY, "api"],
  ["/v1beta/models", KEY, "api"],
  ["/v1/usage", KEY, "api"],
  ["/v1/admin/usage", OPS, "admin"],
  ["/v1/admin/providers", OPS, "admin"],
  ["/metrics", KEY, "metrics"],
  ["/healthz", "", "any"],
  ["/readyz", "", "any"],
  ["/", "", "any"],
];

for (const workers of [1, 2]) {
  Deno.test(`${workers} workers: each listener serves its parts only`, async () => {
    const { running, port, others } = await start({
      workers,
      serves: ["api"],
      listeners: [{ port: 0, serves: ["admin", "metrics"] }, { port: 0, tls: TLS }],
    });
    await using _ = running;
    const admin = portOf(others[0]);
    for (const [path, head, part] of PATHS) {
      const isThere = (parts: string[]) => part === "any" || parts.includes(part);
      // Enough connections that each worker has some.
      for (let count = 0; count < 3; count++) {
        const [onMain] = await ask(port, path, head);
        assertEquals(onMain === 404, !isThere(["api"]), `${path} on the main listener: ${onMain}`);
        const [onAdmin] = await ask(admin, path, head);
        assertEquals(
          onAdmin === 404,
          !isThere(["admin", "metrics"]),
          `${path} on the admin listener: ${onAdmin}`,
        );
      }
      using tls = await TlsCaller.connect(portOf(others[1]), "localhost");
      assertMatch(await tls.ask(path, head), /^HTTP\/1\.1 (?!404)/, path);
    }
    assertStringIncludes(running.stderr(), "(admin, metrics)\n");
  });
}

const TLS = { cert: "cert.pem", key: "key.pem" };

Deno.test("a listener lists the routes that it serves, and has the console only if it serves it", async () => {
  const { running, port, others } = await start({
    workers: 1,
    serves: ["api", "console"],
    listeners: [{ port: 0, serves: ["metrics"] }],
  });
  await using _ = running;
  const [, page] = await ask(port, "/", HTML);
  assertStringIncludes(page, '<div id="app">');
  const [, main] = await ask(port, "/");
  assertStringIncludes(main, '"GET /v1/models"');
  assertEquals(main.includes("GET /metrics"), false);
  const other = portOf(others[0]);
  const [, listed] = await ask(other, "/", HTML);
  assertStringIncludes(listed, '"GET /metrics"');
  assertEquals(/v1\/models|id="app"/.test(listed), false);
  const [asset] = await ask(other, /\/console\/[^"]+/.exec(page)?.[0] ?? "", HTML);
  assertEquals(asset, 404);
});

Deno.test("each listener has its own names", async () => {
  const { running, port, others } = await start({
    workers: 1,
    hosts: ["llm.example.com"],
    listeners: [{ port: 0, hosts: ["ops.example.com"] }, { port: 0 }],
  });
  await using _ = running;
  const ports = [port, ...others.map(portOf)];
  const statuses = async (host: string) =>
    await Promise.all(ports.map(async (to) => (await ask(to, "/v1/models", KEY, host))[0]));
  assertEquals(await statuses("llm.example.com"), [200, 421, 200]);
  assertEquals(await statuses("ops.example.com"), [421, 200, 421]);
  assertEquals(await statuses("evil.example"), [421, 421, 421]);
  assertEquals(await statuses("localhost"), [200, 200, 200]);
  const [status] = await ask(portOf(others[0]), "/healthz", "", "evil.example");
  assertEquals(status, 200);
});

Deno.test("names are checked for HTTP/2 too", async () => {
  const { running, port } = await start({ workers: 1, tls: TLS, hosts: ["llm.example.com"] });
  await using _ = running;
  const caCerts = [certificateFiles("localhost")["cert.pem"]];
  const session = connect(`https://localhost:${port}`, { ca: caCerts });
  try {
    for (const [name, status] of [["llm.example.com", 200], ["evil.example", 421]] as const) {
      const request = session.request({
        ":path": "/v1/models",
        ":authority": name,
        authorization: "Bearer sk-own",
      });
      const [headers] = await once(request, "response");
      request.resume();
      await once(request, "end");
      assertEquals(headers[":status"], status, name);
    }
  } finally {
    session.close();
    await once(session, "close");
  }
});

for (const workers of [1, 2]) {
  Deno.test({
    ...needs(
      "another system than Windows",
      !isWindows,
      `${workers} workers: a Unix socket serves requests, and is removed at the end`,
    ),
    async fn() {
      const folder = Deno.makeTempDirSync({ prefix: "sluice-" });
      const path = `${folder}/socket`;
      try {
        const { running, others } = await start({
          workers,
          listeners: [{ path, serves: ["api"] }],
        });
        {
          await using _ = running;
          assertEquals(others, [`unix:${path}`]);
          assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o660);
          assertEquals((await ask(path, "/v1/models", KEY))[0], 200);
          assertEquals((await ask(path, "/metrics", KEY))[0], 404);
          // Its clients are proxies, which may use any name.
          assertEquals((await ask(path, "/v1/models", KEY, "any.example"))[0], 200);
          running.signal("SIGTERM");
          assertEquals(await running.exited, 0);
        }
        assertEquals([...Deno.readDirSync(folder)], []);
      } finally {
        Deno.removeSync(folder, { recursive: true });
      }
    },
  });
}

Deno.test({
  ...needs(
    "another system than Windows",
    !isWindows,
    "the socket of a process that was killed is replaced; one that is in use, or a file, is not",
  ),
  async fn() {
    const folder = Deno.makeTempDirSync({ prefix: "sluice-" });
    const path = `${folder}/socket`;
    const server = { workers: 1, listeners: [{ path }] };
    const files = { "config.yaml": configOf(server) };
    try {
      const { running: killed } = await start(server);
      killed.signal("SIGKILL");
      await killed.exited;
      await killed[Symbol.asyncDispose]();
      const { running } = await start(server);
      await using _ = running;
      assertEquals((await ask(path, "/v1/models", KEY))[0], 200);
      const second = await runSluice([], { files });
      assertEquals(second.code, 1);
      assertStringIncludes(second.stderr, `unix:${path}: another process listens on it`);
      assertEquals((await ask(path, "/v1/models", KEY))[0], 200);
      Deno.writeTextFileSync(`${folder}/file`, "kept");
      const config = configOf({ workers: 1, listeners: [{ path: `${folder}/file` }] });
      const third = await runSluice([], { files: { "config.yaml": config } });
      assertEquals(third.code, 1);
      assertStringIncludes(third.stderr, "file: the file exists");
      assertEquals(Deno.readTextFileSync(`${folder}/file`), "kept");
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

Deno.test("a port that is in use by a second listener prevents the start", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  for (const workers of [1, 2]) {
    const files = { "config.yaml": configOf({ workers, listeners: [{ port }] }) };
    const { code, stderr } = await runSluice([], { files });
    assertEquals(code, 1);
    assertStringIncludes(stderr, `Cannot listen on 127.0.0.1:${port}: the port is in use`);
  }
});
