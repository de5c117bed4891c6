/**
 * `deploy/nginx.conf` with a real nginx before a real gateway; skipped where nginx is not
 * installed.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { until } from "../support/elapse.ts";
import { addressOf, type Running, startSluice } from "../support/process.ts";
import { readRoot } from "../support/read_root.ts";
import { RawCaller, RawCallers } from "../support/raw_caller.ts";
import { Samples } from "../support/samples.ts";
import { CHUNKS } from "../support/scripted_vendor.ts";
import { Gate, serveVendor } from "../support/server.ts";
import { freePort } from "../support/free_port.ts";

const NGINX = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx", "/usr/local/bin/nginx"]
  .find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });

const PATIENCE_MS = 15_000;

const KEY = { authorization: "Bearer sk-own" };
const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];

/** A test that names its missing tool when it cannot be run. */
function testWithNginx(name: string, run: (nginx: string) => Promise<void>): void {
  Deno.test({
    name: NGINX === undefined ? `${name} (skipped: nginx is not installed)` : name,
    ignore: NGINX === undefined,
    fn: () => run(NGINX ?? ""),
  });
}

/** Text of the file with other values, each of which it must have. */
function changed(text: string, changes: Readonly<Record<string, string>>): string {
  for (const [from, to] of Object.entries(changes)) {
    assertEquals(text.split(from).length, 2, `${from} is in the file once`);
    text = text.replace(from, to);
  }
  return text;
}

/** nginx with the shipped file, changed by the test. */
class Front implements AsyncDisposable {
  readonly base: string;
  readonly #folder: string;
  readonly #child: Deno.ChildProcess;

  private constructor(nginx: string, gateway: string, changes: Readonly<Record<string, string>>) {
    const port = freePort();
    this.base = `http://127.0.0.1:${port}`;
    this.#folder = Deno.makeTempDirSync({ prefix: "sluice-nginx-" });
    // Its worker processes may run as another user.
    Deno.chmodSync(this.#folder, 0o755);
    Deno.writeTextFileSync(
      `${this.#folder}/sluice.conf`,
      changed(readRoot("deploy/nginx.conf"), {
        "  listen 80;": `  listen 127.0.0.1:${port};`,
        "server 127.0.0.1:8787;": `server ${new URL(gateway).host};`,
        ...changes,
      }),
    );
    Deno.writeTextFileSync(
      `${this.#folder}/nginx.conf`,
      `daemon off;
       pid ${this.#folder}/nginx.pid;
       error_log stderr;
       worker_processes 1;
       events { worker_connections 1024; }
       http {
         access_log off;
         ${
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
          .map((name) => `${name}_temp_path ${this.#folder}/${name};`).join("\n")
      }
         include ${this.#folder}/sluice.conf;
       }`,
    );
    this.#child = new Deno.Command(nginx, {
      args: ["-p", this.#folder, "-e", "stderr", "-c", `${this.#folder}/nginx.conf`],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  static async start(
    nginx: string,
    gateway: string,
    changes: Readonly<Record<string, string>> = {},
  ): Promise<Front> {
    const front = new Front(nginx, gateway, changes);
    const end = performance.now() + PATIENCE_MS;
    while (performance.now() < end) {
      try {
        await front.text("/healthz");
        return front;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await front[Symbol.asyncDispose]();
    throw new Error("nginx did not start");
  }

  async fetch<Read>(
    path: string,
    init: RequestInit,
    read: (answer: Response) => Promise<Read>,
  ): Promise<Read> {
    const client = Deno.createHttpClient({});
    try {
      return await read(await fetch(`${this.base}${path}`, { ...init, client }));
    } finally {
      client.close();
    }
  }

  text(path: string, init: RequestInit = {}): Promise<string> {
    return this.fetch(path, init, (answer) => answer.text());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.status;
    Deno.removeSync(this.#folder, { recursive: true });
  }
}

/** The name that the shipped files give to the gateway. */
const NAME = "llm.example.com";

async function startGateway(
  vendor = "http://127.0.0.1:1",
  server: Record<string, unknown> = {},
): Promise<[Running, string]> {
  const config = {
    server: {
      ...{ port: 0, workers: 1, metrics: "public", keys: [{ name: "own", key: "sk-own" }] },
      ...{ admin_keys: [{ name: "ops", key: "sk-ops" }], hosts: [NAME] },
      ...server,
    },
    providers: {
      mock: { kind: "mock", models: ["mock-echo", "mock-stall"] },
      v: { kind: "lmstudio", base_url: vendor, models: ["m"] },
    },
  };
  const running = startSluice([], { files: { "config.yaml": JSON.stringify(config) } });
  return [running, await addressOf(running)];
}

const chat = (members: Record<string, unknown>): RequestInit => ({
  method: "POST",
  headers: KEY,
  body: JSON.stringify({ model: "mock-echo", messages: MESSAGES, ...members }),
});

testWithNginx(
  "nginx: a stream's events arrive one by one, though answers are buffered",
  async (nginx) => {
    const gate = new Gate();
    const encoder = new TextEncoder();
    const [first, second, ...others] = [...CHUNKS.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
      .map((data) => encoder.encode(`data: ${data}\n\n`));
    await using vendor = serveVendor(() => {
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        async start(controller) {
          for (const event of [first, second]) if (event) controller.enqueue(event);
          await gate.opened;
          for (const event of others) controller.enqueue(event);
          controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    });
    const [running, gateway] = await startGateway(vendor.url);
    await using _ = running;
    await using front = await Front.start(nginx, gateway);
    await front.fetch(CHAT, chat({ model: "m", stream: true }), async (answer) => {
      assertEquals(answer.headers.get("content-type"), "text/event-stream; charset=utf-8");
      let text = "";
      for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        // The vendor waits until the caller has its first event.
        if (text === "" && piece.includes("data: ")) gate.open();
        text += piece;
      }
      assert(text.endsWith("data: [DONE]\n\n"), text);
    });
  },
);

testWithNginx(
  "nginx: silent callers, half-sent heads and stalled bodies are closed, and the gateway sees none",
  async (nginx) => {
    const [running, gateway] = await startGateway();
    await using _ = running;
    await using front = await Front.start(nginx, gateway, {
      "client_header_timeout 15s;": "client_header_timeout 1s;",
      "keepalive_timeout 75s;": "keepalive_timeout 1s;",
      "client_body_timeout 30s;": "client_body_timeout 1s;",
    });
    await using callers = new RawCallers();
    await callers.open(front.base, 20);
    await callers.open(front.base, 20, `GET /healthz HTTP/1.1\nhost: ${NAME}\nx-half`);
    const kept = await callers.open(front.base, 20, `GET /healthz HTTP/1.1\nhost: ${NAME}\n\n`);
    const head = `POST ${CHAT} HTTP/1.1\nhost: ${NAME}\nauthorization: Bearer sk-own\n`;
    await callers.open(front.base, 20, `${head}content-length: 1000\n\n{"model`);
    await until(() => kept.every(({ text }) => text.includes('"ok"')), PATIENCE_MS);
    const samples = new Samples(await front.text("/metrics"));
    assertEquals(samples.sum("sluice_in_flight_requests"), 0);
    // Those of the callers that were answered, and that of this request.
    assert(samples.sum("sluice_open_connections") <= kept.length + 1);
    await until(() => callers.all.every(({ isClosed }) => isClosed), PATIENCE_MS);
  },
);

testWithNginx(
  "nginx: requests of one address are limited, and refusals have the form of our errors",
  async (nginx) => {
    const [running, gateway] = await startGateway();
    await using _ = running;
    await using front = await Front.start(nginx, gateway, {
      "limit_conn sluice_addresses 200;": "limit_conn sluice_addresses 3;",
      "client_max_body_size 32m;": "client_max_body_size 1m;",
    });
    const tooLarge = chat({ messages: [{ role: "user", content: "x".repeat(2e6) }] });
    await front.fetch(CHAT, tooLarge, async (answer) => {
      assertEquals([answer.status, (await answer.json()).error.code], [413, "request_too_large"]);
    });
    await using callers = new RawCallers();
    const body = JSON.stringify({ model: "mock-stall", stream: true, messages: MESSAGES });
    const request = `POST ${CHAT} HTTP/1.1\nhost: ${NAME}\nauthorization: Bearer sk-own\n` +
      `content-length: ${body.length}\n\n${body}`;
    const streams = await callers.open(front.base, 3, request);
    await until(() => streams.every(({ text }) => text.includes("data: ")), PATIENCE_MS);
    await front.fetch("/healthz", {}, async (answer) => {
      assertEquals([answer.status, (await answer.json()).error.code], [429, "rate_limit_exceeded"]);
      assertEquals(answer.headers.get("retry-after"), "1");
    });
    for (const stream of streams) await stream[Symbol.asyncDispose]();
    // Who leaves nginx leaves the gateway, too.
    await untilIdle(gateway);
    running.signal("SIGTERM");
    await running.finished;
    await front.fetch("/healthz", {}, async (answer) => {
      assertEquals([answer.status, (await answer.json()).error.code], [503, "overloaded"]);
    });
  },
);

async function untilIdle(gateway: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const samples = new Samples(await (await fetch(`${gateway}/metrics`)).text());
    if (samples.sum("sluice_in_flight_requests") === 0) return;
  }
  throw new Error("Requests are left open");
}

testWithNginx(
  "nginx: big bodies pass, ids are passed on, connections to the gateway are kept, nothing is cached",
  async (nginx) => {
    await using vendor = serveVendor(async (request) => {
      const content = String((await request.text()).length);
      const choices = [{
        index: 0,
        message: { role: "assistant", content },
        finish_reason: "stop",
      }];
      return Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices });
    });
    const [running, gateway] = await startGateway(vendor.url);
    await using _ = running;
    await using front = await Front.start(nginx, gateway);
    const content = "x".repeat(20e6);
    const big = chat({ model: "m", messages: [{ role: "user", content }] });
    const text = await front.text(CHAT, big);
    assert(Number(JSON.parse(text).choices[0].message.content) > 20e6, text);
    const idOf = (headers: HeadersInit) =>
      front.fetch("/v1/models", { headers: { ...KEY, ...headers } }, async (answer) => {
        await answer.text();
        return answer.headers.get("x-request-id") ?? "";
      });
    assertEquals(await idOf({ "x-request-id": "of-the-caller" }), "of-the-caller");
    assertMatch(await idOf({}), /^[\da-f]{32}$/);
    for (let count = 0; count < 20; count++) await idOf({});
    const samples = new Samples(await front.text("/metrics"));
    assertEquals(samples.sum("sluice_requests_total", { route: "/v1/models" }), 22);
    const open = samples.sum("sluice_open_connections");
    assert(open <= 2, `${open} connections are open`);
    await until(() => running.stdout().includes("of-the-caller"), PATIENCE_MS);
    assertStringIncludes(running.stdout(), '"id":"of-the-caller"');
  },
);

/** The answer to a request by this name, which `fetch` would not send. */
async function askAs(front: Front, host: string, path: string, head = ""): Promise<string> {
  await using caller = await RawCaller.connect(front.base);
  await caller.send(`GET ${path} HTTP/1.1\nhost: ${host}\n${head}connection: close\n\n`);
  await until(() => caller.isClosed, PATIENCE_MS);
  return caller.text;
}

const OPS = "authorization: Bearer sk-ops\n";

testWithNginx(
  "nginx: callers by the names of server.hosts are served, with any port; others get a 421",
  async (nginx) => {
    const [running, gateway] = await startGateway();
    await using _ = running;
    await using front = await Front.start(nginx, gateway);
    const own = "authorization: Bearer sk-own\n";
    for (const host of [NAME, `${NAME}:8443`, "LLM.example.com", "127.0.0.1", "localhost"]) {
      assertMatch(await askAs(front, host, "/v1/models", own), /^HTTP\/1\.1 200 /, host);
    }
    for (const path of ["/", "/v1/models", "/v1/messages", "/v1/admin/keys"]) {
      const answer = await askAs(front, "evil.example", path, OPS);
      assertMatch(answer, /^HTTP\/1\.1 421 [^]*server\.hosts/, path);
    }
    assertMatch(await askAs(front, "probe.example", "/readyz"), /^HTTP\/1\.1 200 /);
  },
);

testWithNginx(
  "nginx: the console's own page reaches admin routes at any port, pages of other sites do not",
  async (nginx) => {
    const [running, gateway] = await startGateway();
    await using _ = running;
    await using front = await Front.start(nginx, gateway);
    const path = "/v1/admin/providers";
    const from = (host: string, origin: string) =>
      askAs(front, host, path, `${OPS}origin: ${origin}\n`);
    for (const host of [NAME, `${NAME}:8443`]) {
      // Without TLS, browsers do not say whether the site is another one.
      assertMatch(await from(host, `http://${host}`), /^HTTP\/1\.1 200 /, host);
      assertMatch(await from(host, "http://evil.example"), /^HTTP\/1\.1 403 /, host);
    }
    assertMatch(await from(NAME, `http://${NAME}:3000`), /^HTTP\/1\.1 403 /);
  },
);

testWithNginx(
  "nginx: without server.hosts the answer says what to set",
  async (nginx) => {
    const [running, gateway] = await startGateway(undefined, { hosts: [] });
    await using _ = running;
    await using front = await Front.start(nginx, gateway);
    const answer = await askAs(front, NAME, "/v1/models", "authorization: Bearer sk-own\n");
    assertMatch(answer, /^HTTP\/1\.1 421 [^]*"code":"[^"]+"[^]*/);
    assertStringIncludes(answer, "add the name to 'server.hosts'");
  },
);

/** The parts of the example about client certificates, by where they belong. */
function certificateParts(): readonly string[] {
  const [, text = ""] = /\n### Client certificates\n[^]*?```nginx\n([^]*?)```/
    .exec(readRoot("deploy/README.md")) ?? [];
  return text.split(/^# (?:beside|in) .*$/m).slice(1);
}

testWithNginx(
  "nginx: a client certificate is an identity, and replaces the keys that its client sends",
  async (nginx) => {
    const [running, gateway] = await startGateway(undefined, {
      keys: [{ name: "search", key: "sk-of-search" }, { name: "own", key: "sk-own" }],
    });
    await using _ = running;
    const folder = new URL("../support/tls", import.meta.url).pathname;
    const trusted = await Deno.makeTempFile();
    const pem = (name: string) => readRoot(`tests/support/tls/${name}.pem`);
    // The worker process of nginx needs no access: its main process reads the file.
    Deno.writeTextFileSync(trusted, pem("client_search") + pem("client_other"));
    const port = freePort();
    const [beside = "", inServer = "", inLocation = ""] = certificateParts();
    await using _front = await Front.start(nginx, gateway, {
      "map $http_x_request_id": `${beside}\nmap $http_x_request_id`,
      "  server_name llm.example.com;": `server_name llm.example.com;
        listen 127.0.0.1:${port} ssl;
        ssl_certificate ${folder}/localhost.pem;
        ssl_certificate_key ${folder}/localhost.key.pem;
        ${inServer.replace("/etc/ssl/clients.pem", trusted)}`,
      "    proxy_cache off;": `proxy_cache off; ${inLocation}`,
    });
    const ask = async (certificate: string | undefined, headers: HeadersInit, query = "") => {
      using client = Deno.createHttpClient({
        caCerts: [pem("localhost")],
        ...(certificate && { cert: pem(certificate), key: pem(`${certificate}.key`) }),
      });
      const answer = await fetch(`https://localhost:${port}/v1beta/models${query}`, {
        ...{ client, headers },
      });
      // Refusals of nginx have the form of the gateway's errors, too.
      const { error } = await answer.json();
      assertEquals(typeof error?.message, answer.ok ? "undefined" : "string");
      return answer.status;
    };
    assertEquals(await ask("client_search", {}), 200);
    // Keys of the client count for nothing, even if they are valid.
    assertEquals(await ask("client_search", { "x-api-key": "sk-wrong", ...KEY }), 200);
    assertEquals(
      await ask("client_other", { "x-api-key": "sk-own", "api-key": "sk-own", ...KEY }),
      401,
    );
    assertEquals(await ask("client_other", {}, "?key=sk-own"), 401);
    assertEquals(await ask(undefined, KEY), 401);
    await until(() => running.stdout().includes('"status":401'), PATIENCE_MS);
    const keys = running.stdout().match(/"key":"\w+"/g);
    assertEquals(keys, ['"key":"search"', '"key":"search"']);
    await Deno.remove(trusted);
  },
);

Deno.test("nginx.conf, config.yaml and deploy/README.md name the gateway alike", () => {
  assertStringIncludes(readRoot("deploy/nginx.conf"), `  server_name ${NAME};`);
  assertStringIncludes(readRoot("deploy/nginx.conf"), `hosts: [${NAME}]`);
  assertMatch(readRoot("config.yaml"), new RegExp(`^  # hosts: \\[${NAME}\\] `, "m"));
  assertStringIncludes(readRoot("deploy/README.md"), `hosts: [${NAME}]`);
});

Deno.test("nginx.conf closes idle connections before the gateway does", () => {
  const text = readRoot("deploy/nginx.conf");
  const [, ours = ""] = /server\.idle_timeout \((\w+)\)/.exec(text) ?? [];
  assertStringIncludes(
    readRoot("src/config/server_schema.ts"),
    `const DEFAULT_IDLE_TIMEOUT = "${ours}";`,
  );
  const [, seconds] = /keepalive 64;\n {2}keepalive_timeout (\d+)s;/.exec(text) ?? [];
  assertEquals([ours, Number(seconds) <= 100], ["2m", true]);
});
