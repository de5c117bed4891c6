/**
 * `deploy/Caddyfile` with a real Caddy before a real gateway; skipped where Caddy is not installed.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { addressOf, type Running, startSluice } from "../support/process.ts";
import { readRoot } from "../support/read_root.ts";
import { Samples } from "../support/samples.ts";
import { CHUNKS } from "../support/scripted_vendor.ts";
import { Gate, type Port, serveVendor } from "../support/server.ts";

const CADDY = ["/usr/bin/caddy", "/usr/local/bin/caddy"].find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
});

const PATIENCE_MS = 20_000;
const CHAT = "/v1/chat/completions";

function testWithCaddy(name: string, run: (caddy: string) => Promise<void>): void {
  Deno.test({
    name: CADDY === undefined ? `${name} (skipped: Caddy is not installed)` : name,
    ignore: CADDY === undefined,
    fn: () => run(CADDY ?? ""),
  });
}

/** Text of the file with other values, each of which it must have once. */
function changed(text: string, changes: Readonly<Record<string, string>>): string {
  for (const [from, to] of Object.entries(changes)) {
    assertEquals(text.split(from).length, 2, `${from} is in the file once`);
    text = text.replace(from, to);
  }
  return text;
}

/** Caddy with the shipped file, without TLS and on a free port. */
class Front implements AsyncDisposable {
  readonly base: string;
  readonly #client = Deno.createHttpClient({});
  readonly #folder: string;
  readonly #child: Deno.ChildProcess;

  private constructor(caddy: string, gateway: string) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    this.base = `http://127.0.0.1:${port}`;
    this.#folder = Deno.makeTempDirSync({ prefix: "sluice-caddy-" });
    const path = `${this.#folder}/Caddyfile`;
    Deno.writeTextFileSync(
      path,
      changed(readRoot("deploy/Caddyfile"), {
        "{\n\tservers {": "{\n\tadmin off\n\tservers {",
        "\nllm.example.com {": `\nhttp://:${port} {\n\tbind 127.0.0.1`,
        "reverse_proxy 127.0.0.1:8787 {": `reverse_proxy ${new URL(gateway).host} {`,
      }),
    );
    this.#child = new Deno.Command(caddy, {
      args: ["run", "--config", path, "--adapter", "caddyfile"],
      env: { XDG_DATA_HOME: this.#folder, XDG_CONFIG_HOME: this.#folder },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  static async start(caddy: string, gateway: string): Promise<Front> {
    const front = new Front(caddy, gateway);
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
      try {
        await (await front.fetch("/healthz")).text();
        return front;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await front[Symbol.asyncDispose]();
    throw new Error("Caddy did not start");
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.base}${path}`, { ...init, client: this.#client });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    this.#child.kill("SIGTERM");
    await this.#child.status;
    Deno.removeSync(this.#folder, { recursive: true });
  }
}

async function startGateway(vendor: string): Promise<[Running, string]> {
  const config = {
    server: {
      ...{ port: 0, workers: 1, metrics: "public", keys: [{ name: "own", key: "sk-own" }] },
    },
    providers: {
      v: { kind: "lmstudio", base_url: vendor, models: ["m"] },
    },
  };
  const running = startSluice([], { files: { "config.yaml": JSON.stringify(config) } });
  return [running, await addressOf(running)];
}

const chat = (content: string): RequestInit => ({
  method: "POST",
  headers: { authorization: "Bearer sk-own" },
  body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content }] }),
});

/** A vendor that sends two events, and the others once the gate is open. */
function serveSlowly(gate: Gate): Port {
  const encoder = new TextEncoder();
  const [first, second, ...others] = [...CHUNKS.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
    .map((data) => encoder.encode(`data: ${data}\n\n`));
  return serveVendor(async (request) => {
    await request.body?.cancel();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async start(controller) {
        for (const event of [first, second]) if (event) controller.enqueue(event);
        await gate.opened;
        try {
          for (const event of others) controller.enqueue(event);
          controller.close();
        } catch {
          // The request was ended.
        }
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
}

testWithCaddy("Caddy: a stream's events arrive one by one", async (caddy) => {
  const gate = new Gate();
  await using vendor = serveSlowly(gate);
  const [running, gateway] = await startGateway(vendor.url);
  await using _ = running;
  await using front = await Front.start(caddy, gateway);
  const answer = await front.fetch(CHAT, chat("Hi"));
  assertEquals(answer.headers.get("content-type"), "text/event-stream; charset=utf-8");
  let text = "";
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    // The vendor waits until the caller has its first event.
    if (text === "" && piece.includes("data: ")) gate.open();
    text += piece;
  }
  assert(text.endsWith("data: [DONE]\n\n"), text);
});

testWithCaddy("Caddy: a caller who leaves ends the request to the vendor", async (caddy) => {
  const gate = new Gate();
  await using vendor = serveSlowly(gate);
  const [running, gateway] = await startGateway(vendor.url);
  await using _ = running;
  await using front = await Front.start(caddy, gateway);
  const answer = await front.fetch(CHAT, chat("Hi"));
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  const end = performance.now() + PATIENCE_MS;
  let left = 0;
  while (left === 0 && performance.now() < end) {
    const samples = new Samples(await (await front.fetch("/metrics")).text());
    left = samples.sum("sluice_requests_total", { error_class: "client_gone" });
  }
  assertEquals(left, 1);
  gate.open();
});

testWithCaddy(
  "Caddy: ids are passed on, and refusals have the form of our errors",
  async (caddy) => {
    await using vendor = serveVendor(() => Response.json({}));
    const [running, gateway] = await startGateway(vendor.url);
    await using _ = running;
    await using front = await Front.start(caddy, gateway);
    const idOf = async (headers: HeadersInit) => {
      const answer = await front.fetch("/healthz", { headers });
      await answer.text();
      return answer.headers.get("x-request-id") ?? "";
    };
    assertEquals(await idOf({ "x-request-id": "of-the-caller" }), "of-the-caller");
    assertMatch(await idOf({}), /^[\da-f-]{36}$/);
    const refused = async (answer: Response) => [answer.status, (await answer.json()).error.code];
    running.signal("SIGTERM");
    await running.finished;
    const gone = await front.fetch("/healthz");
    assertEquals(gone.headers.get("retry-after"), "1");
    assertEquals(await refused(gone), [503, "overloaded"]);
  },
);

testWithCaddy("Caddy: the shipped files are valid", async (caddy) => {
  for (const name of ["Caddyfile", "fleet/Caddyfile"]) {
    const config = new URL(`../../deploy/${name}`, import.meta.url).pathname;
    const args = ["validate", "--config", config, "--adapter", "caddyfile"];
    const folder = await Deno.makeTempDir({ prefix: "sluice-caddy-" });
    const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const { success, stderr } = await new Deno.Command(caddy, { args, env }).output();
    await Deno.remove(folder, { recursive: true });
    assert(success, new TextDecoder().decode(stderr));
  }
});
