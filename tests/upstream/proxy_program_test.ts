/** Vendors behind a proxy, as HTTP_PROXY and its like name it. */

import { assertEquals, assertMatch } from "@std/assert";
import { VENDOR_KEY } from "../support/gateway.ts";
import { addressOf, runSluice, startSluice } from "../support/process.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { serveVendor } from "../support/server.ts";

const ANSWER = await sayHello({ url: "/chat/completions", body: {} }).text();

/**
 * A proxy that opens no tunnel and answers for every vendor; it keeps the first line of each
 * request.
 */
class Proxy implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving = this.#serve();

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#serving;
  }

  async #serve(): Promise<void> {
    for await (const connection of this.#listener) {
      let text = "";
      const bytes = new Uint8Array(64 * 1024);
      while (!isWhole(text)) {
        const size = await connection.read(bytes) ?? 0;
        text += new TextDecoder().decode(bytes.subarray(0, size));
      }
      const [line = ""] = text.split("\r\n");
      this.asked.push(line);
      const answer = line.startsWith("CONNECT ")
        ? "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"
        : `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${ANSWER.length}\r\n\r\n${ANSWER}`;
      await connection.write(new TextEncoder().encode(answer));
      connection.close();
    }
  }
}

function isWhole(request: string): boolean {
  const [head = "", body] = request.split("\r\n\r\n", 2);
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  return body !== undefined && body.length >= length;
}

Deno.test("requests use HTTP_PROXY and HTTPS_PROXY, except for hosts of NO_PROXY", async () => {
  await using proxy = new Proxy();
  const direct: string[] = [];
  await using vendor = serveVendor((request) => {
    direct.push(new URL(request.url).pathname);
    return Response.json(JSON.parse(ANSWER));
  });
  const providerOf = (base_url: string, model: string) => ({
    kind: "openai_compatible",
    base_url,
    api_key: VENDOR_KEY,
    models: [model],
    retries: 0,
  });
  await using running = startSluice(["--port", "0"], {
    files: {
      "config.yaml": JSON.stringify({
        server: { keys: [{ name: "own", key: "sk-own" }] },
        providers: {
          // Only a proxy knows these hosts.
          plain: providerOf("http://vendor.test/v1", "plain"),
          secure: providerOf("https://vendor.test/v1", "secure"),
          near: providerOf(vendor.url, "near"),
        },
      }),
    },
    env: {
      ...NOTHING,
      // The runtime itself would ask for its newest version once a day.
      DENO_NO_UPDATE_CHECK: "1",
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      NO_PROXY: "127.0.0.1",
    },
  });
  const base = await addressOf(running);
  using client = Deno.createHttpClient({});
  const ask = async (model: string) => {
    const response = await fetch(`${base}/v1/chat/completions`, {
      client,
      method: "POST",
      headers: { authorization: "Bearer sk-own" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
    });
    const { choices, error } = await response.json();
    return choices?.[0].message.content ?? error.code;
  };
  assertEquals(await ask("plain"), "Hello.");
  assertEquals(proxy.asked, ["POST http://vendor.test/v1/chat/completions HTTP/1.1"]);
  assertEquals(await ask("secure"), "upstream_unavailable");
  assertEquals(proxy.asked.slice(1), ["CONNECT vendor.test:443 HTTP/1.1"]);
  assertEquals(direct, []);
  assertEquals(await ask("near"), "Hello.");
  assertEquals([direct, proxy.asked.length], [["/chat/completions"], 2]);
});

Deno.test("a proxy that does not answer is named, instead of the vendor", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const provider = (base_url: string, model: string) => ({
    ...{ kind: "openai_compatible", base_url, api_key: VENDOR_KEY, models: [model], retries: 0 },
  });
  await using running = startSluice(["--port", "0"], {
    files: {
      "config.yaml": JSON.stringify({
        server: { keys: [{ name: "own", key: "sk-own" }] },
        providers: {
          secure: provider("https://vendor.test/v1", "secure"),
          direct: provider(`http://127.0.0.1:${port}/v1`, "direct"),
        },
      }),
    },
    env: { ...NOTHING, HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: "127.0.0.1" },
  });
  const base = await addressOf(running);
  using client = Deno.createHttpClient({});
  const messageOf = async (model: string) => {
    const response = await fetch(`${base}/v1/chat/completions`, {
      client,
      method: "POST",
      headers: { authorization: "Bearer sk-own" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
    });
    return (await response.json()).error.message;
  };
  assertEquals(
    await messageOf("secure"),
    "Cannot reach provider 'secure': the proxy does not answer, or rejects the connection",
  );
  assertEquals(
    await messageOf("direct"),
    "Cannot connect to provider 'direct': connection refused",
  );
  running.signal("SIGTERM");
  const { stdout } = await running.finished;
  assertMatch(stdout, /ECONNREFUSED.*\(proxy of HTTPS_PROXY, for vendor\.test:443\)/);
});

Deno.test("certificates of DENO_CERT that cannot be read are an error without a stack", async () => {
  const env = { ...NOTHING, DENO_CERT: "/none/ca.pem" };
  const { code, stderr } = await runSluice(["--port", "0"], { env });
  assertEquals(code, 1);
  assertMatch(stderr, /^sluice: Cannot read the certificates of DENO_CERT, \/none\/ca\.pem: .*\n$/);
});

/** The machine that runs the tests may use a proxy. */
const NOTHING = Object.fromEntries(
  ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]
    .flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, ""]),
);
