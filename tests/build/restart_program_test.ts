/** Restarts each of two replicas behind the shipped nginx and Caddy under load: no request is lost. */

import { assertEquals } from "@std/assert";
import { untilReply } from "../support/elapse.ts";
import { needs } from "../support/needs.ts";
import { type Running, startSluice } from "../support/process.ts";
import { readRoot } from "../support/read_root.ts";
import { serveVendor } from "../support/server.ts";
import { freePort } from "../support/free_port.ts";

const KEY = { authorization: "Bearer sk-own" };
const REQUESTS_PER_SECOND = 100;
const HELD_STREAMS = 5;
/** Under the 200 that the configuration of nginx allows one address, also when replies take long. */
const MAX_OPEN = 100;

/** The path of a program; undefined if it is not installed. */
function findProgram(name: string): string | undefined {
  return ["/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"].map((folder) =>
    folder + name
  ).find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
}

/** A vendor whose streams take two seconds, and whose other answers come at once. */
async function answer(request: Request): Promise<Response> {
  const { stream } = await request.json();
  const choice = { index: 0, finish_reason: "stop" };
  if (!stream) {
    return Response.json({
      choices: [{ ...choice, message: { role: "assistant", content: "Hi" } }],
    });
  }
  const body = new ReadableStream({
    async start(controller) {
      for (let event = 0; event < 20; event++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        const choices = event < 19
          ? [{ index: 0, delta: { content: "x" } }]
          : [{ ...choice, delta: {} }];
        controller.enqueue(`data: ${JSON.stringify({ choices })}\n\n`);
      }
      controller.close();
    },
  }).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

async function startReplica(port: number, vendor: string): Promise<Running> {
  const config = {
    server: {
      ...{ port, drain_delay: "3s", drain: "20s", workers: 1, warm_up: "off" },
      keys: [{ name: "own", key: "sk-own" }],
    },
    providers: { v: { kind: "lmstudio", base_url: vendor, models: ["m"] } },
  };
  const running = startSluice([], { files: { "config.yaml": JSON.stringify(config) } });
  await running.logged("\n    -d ");
  return running;
}

/** Sends requests until it is stopped; returns what failed. */
class Load {
  readonly failures: string[] = [];
  sent = 0;
  #isStopped = false;
  readonly #open = new Set<Promise<void>>();
  readonly #client = Deno.createHttpClient({ poolMaxIdlePerHost: 50 });

  constructor(readonly base: string) {}

  #ask(stream: boolean): void {
    this.sent++;
    const asked = (async () => {
      try {
        const response = await fetch(`${this.base}/v1/chat/completions`, {
          method: "POST",
          client: this.#client,
          headers: KEY,
          body: JSON.stringify({ model: "m", stream, messages: [{ role: "user", content: "Hi" }] }),
        });
        const text = await response.text();
        const isWhole = !stream || text.endsWith("data: [DONE]\n\n") && !text.includes('"error"');
        if (response.status !== 200 || !isWhole) this.failures.push(`${response.status} ${text}`);
      } catch (thrown) {
        this.failures.push(String(thrown));
      }
    })().finally(() => this.#open.delete(asked));
    this.#open.add(asked);
  }

  async run(): Promise<void> {
    const began = performance.now();
    let streams = 0;
    while (!this.#isStopped) {
      const seconds = (performance.now() - began) / 1000;
      const isFree = () => this.#open.size < MAX_OPEN;
      while (isFree() && this.sent - streams < seconds * REQUESTS_PER_SECOND) this.#ask(false);
      // Each stream takes two seconds.
      for (; isFree() && streams < seconds * HELD_STREAMS / 2; streams++) this.#ask(true);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await Promise.all(this.#open);
    this.#client.close();
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** Starts a proxy in a folder with its configuration; returns the function that ends it. */
async function startProxy(
  program: string,
  args: readonly string[],
  file: string,
  text: string,
  port: number,
): Promise<() => Promise<void>> {
  const folder = Deno.makeTempDirSync({ prefix: "sluice-proxy-" });
  // Its worker processes may run as another user.
  Deno.chmodSync(folder, 0o755);
  Deno.writeTextFileSync(`${folder}/${file}`, text);
  const process = new Deno.Command(program, {
    args: args.map((arg) => arg.replace("FOLDER", folder)),
    cwd: folder,
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdout: "null",
    stderr: "null",
  }).spawn();
  await untilReply(async () => {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  });
  return async () => {
    process.kill("SIGTERM");
    await process.status;
    Deno.removeSync(folder, { recursive: true });
  };
}

/** The shipped configuration with other addresses, and with two replicas. */
const PROXIES = {
  nginx(program: string, port: number, ports: readonly number[]) {
    const site = readRoot("deploy/nginx.conf")
      .replace("  server 127.0.0.1:8787;\n", "")
      .replace("# server 127.0.0.1:8787 ", `server 127.0.0.1:${ports[0]} `)
      .replace("# server 127.0.0.1:8788 ", `server 127.0.0.1:${ports[1]} `)
      .replace("listen 80;", `listen 127.0.0.1:${port};`);
    const text = `daemon off; pid nginx.pid; error_log stderr;
events { worker_connections 1024; }
http { access_log off; client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f;
uwsgi_temp_path u; scgi_temp_path s;
${site} }`;
    return startProxy(
      program,
      ["-p", "FOLDER", "-c", "FOLDER/nginx.conf"],
      "nginx.conf",
      text,
      port,
    );
  },
  caddy(program: string, port: number, ports: readonly number[]) {
    const text = readRoot("deploy/Caddyfile")
      .replace("{\n\tservers {", "{\n\tadmin off\n\tservers {")
      .replace("llm.example.com {", `http://localhost:${port} {`)
      .replace("reverse_proxy 127.0.0.1:8787 {", `reverse_proxy 127.0.0.1:${ports[0]} {`)
      .replace("# to 127.0.0.1:8788", `to 127.0.0.1:${ports[1]}`);
    const args = ["run", "--adapter", "caddyfile", "--config", "FOLDER/Caddyfile"];
    return startProxy(program, args, "Caddyfile", text, port);
  },
};

for (const [name, start] of Object.entries(PROXIES)) {
  const path = findProgram(name);
  Deno.test({
    ...needs(
      name,
      path !== undefined,
      `restarting each of two replicas behind ${name} loses no request`,
    ),
    async fn() {
      await using vendor = serveVendor(answer);
      const ports = [freePort(), freePort()];
      await using owned = new AsyncDisposableStack();
      const begin = async (port: number) => owned.use(await startReplica(port, vendor.url));
      const replicas = await Promise.all(ports.map(begin));
      const port = freePort();
      owned.defer(await start(path ?? name, port, ports));
      const load = new Load(`http://localhost:${port}`);
      const running = load.run();
      for (const [index, own] of ports.entries()) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        replicas[index]?.signal("SIGTERM");
        assertEquals((await replicas[index]?.finished)?.code, 0);
        replicas[index] = await begin(own);
        // Until the proxy uses it again.
        await new Promise((resolve) => setTimeout(resolve, 3000));
      }
      load.stop();
      await running;
      assertEquals(load.failures, []);
    },
  });
}
