/**
 * Vendors behind TLS, on loopback. The certificates below tests/support/tls sign
 * themselves: one for localhost, one for a host that is elsewhere.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { HttpClient } from "../../../src/upstream/http1/client.ts";
import { dial } from "../../../src/upstream/http1/dial.ts";
import { until } from "../../support/elapse.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { toInit } from "../../support/memory_client.ts";
import { readRoot, startSluice } from "../../support/process.ts";
import { CHUNKS, sayHello } from "../../support/scripted_vendor.ts";

const ANSWER = await sayHello({ url: "/chat/completions", body: {} }).text();
const WHOLE = `HTTP/1.1 200 OK\r\ncontent-length: ${ANSWER.length}\r\n\r\n${ANSWER}`;
/** A stream that never ends, which begins so. */
const BEGUN = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" +
  CHUNKS.slice(0, 2).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
const CHAT = { messages: [{ role: "user", content: "Hi" }] };

/** A vendor with a certificate, which counts who comes. */
class TlsVendor implements AsyncDisposable {
  /** Connections over which a request came. */
  connections = 0;
  requests = 0;
  /** Connections that were ended as TLS has it. */
  ended = 0;
  readonly #listener: Deno.TlsListener;
  readonly #accepting: Promise<void>;
  readonly #serving = new Set<Promise<void>>();

  constructor(name: "localhost" | "elsewhere") {
    this.#listener = Deno.listenTls({
      hostname: "127.0.0.1",
      port: 0,
      cert: readRoot(`tests/support/tls/${name}.pem`),
      key: readRoot(`tests/support/tls/${name}.key.pem`),
    });
    this.#accepting = this.#accept();
  }

  get url(): string {
    return `https://localhost:${this.#listener.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    await Promise.all(this.#serving);
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) this.#serving.add(this.#serve(connection));
  }

  /** Answers until the other side has had enough; who does not trust it leaves in the handshake. */
  async #serve(connection: Deno.TlsConn): Promise<void> {
    const bytes = new Uint8Array(64 * 1024);
    try {
      for (let first = true;; first = false) {
        const size = await connection.read(bytes);
        if (size === null) break;
        if (first) this.connections++;
        this.requests++;
        const streams = new TextDecoder().decode(bytes.subarray(0, size)).includes('"stream":true');
        await connection.write(new TextEncoder().encode(streams ? BEGUN : WHOLE));
      }
      this.ended++;
    } catch {
      // The other side did not trust us.
    }
    connection.close();
  }
}

function providerOf({ url }: TlsVendor, model: string): Record<string, unknown> {
  return { kind: "openai_compatible", base_url: url, api_key: VENDOR_KEY, models: [model] };
}

Deno.test("a vendor whose certificate nobody vouches for cannot be reached, and no more is told", async () => {
  await using vendor = new TlsVendor("localhost");
  const client = new HttpClient({ dial, clock: new ManualClock() });
  const gateway = createTestGateway({
    config: { providers: { v: providerOf(vendor, "m") } },
    fetch: client.fetch,
  });
  const response = await gateway.call("/v1/chat/completions", { model: "m", ...CHAT });
  const { error } = await response.json();
  assertEquals([response.status, error.code], [503, "upstream_unavailable"]);
  const said = JSON.stringify([error, [...response.headers], gateway.lines]);
  for (const secret of [new URL(vendor.url).port, "127.0.0.1", "localhost", VENDOR_KEY]) {
    assert(!said.includes(secret), `${secret} is told: ${said}`);
  }
  assertEquals([vendor.requests, gateway.bugs], [0, []]);
  client.close();
});

Deno.test("a vendor that DENO_CERT vouches for is reached, over one connection, and left; under a wrong name it is not", async () => {
  await using vendor = new TlsVendor("localhost");
  await using elsewhere = new TlsVendor("elsewhere");
  const trusted = ["localhost", "elsewhere"].map((name) =>
    readRoot(`tests/support/tls/${name}.pem`)
  );
  await using running = startSluice(["--port", "0"], {
    files: {
      "ca.pem": trusted.join(""),
      "config.yaml": JSON.stringify({
        server: { keys: [{ name: "own", key: "sk-own" }] },
        providers: {
          trusted: providerOf(vendor, "here"),
          misnamed: { ...providerOf(elsewhere, "there"), retries: 0 },
        },
      }),
    },
    env: { DENO_CERT: "ca.pem", ...NO_PROXIES },
  });
  await running.told("\n    -d ");
  const [, base = ""] = /^Sluice listens on (http:\S+)$/m.exec(running.stderr()) ?? [];
  using client = Deno.createHttpClient({});
  const ask = (model: string, members = {}) =>
    fetch(`${base}/v1/chat/completions`, {
      client,
      method: "POST",
      headers: { authorization: "Bearer sk-own" },
      body: JSON.stringify({ model, ...CHAT, ...members }),
    });
  for (let request = 0; request < 3; request++) {
    const { choices } = await (await ask("here")).json();
    assertEquals(choices[0].message.content, "Hello.");
  }
  assertEquals([vendor.requests, vendor.connections], [3, 1]);
  const stream = await ask("here", { stream: true });
  const reader = stream.body?.getReader();
  await reader?.read();
  assertEquals([vendor.connections, vendor.ended], [1, 0]);
  // A vendor that is not hung up on would go on, and be paid for it.
  await reader?.cancel();
  await until(() => vendor.ended === 1);
  const refused = await ask("there");
  assertEquals([refused.status, (await refused.json()).error.code], [503, "upstream_unavailable"]);
  assertEquals(elsewhere.requests, 0);
});

/** Whoever runs the tests may sit behind a proxy. */
const NO_PROXIES = Object.fromEntries(
  ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
    .map((name) => [name, ""]),
);

Deno.test("a handshake that hangs ends at the abort, with the signal's reason", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const client = new HttpClient({ dial, clock: new ManualClock() });
  const controller = new AbortController();
  const { signal } = controller;
  const answer = client.fetch(`https://127.0.0.1:${listener.addr.port}/`, toInit({ signal }));
  using connection = await listener.accept();
  // The client has begun the handshake, and waits for us: 22 is what TLS calls one.
  const bytes = new Uint8Array(16 * 1024);
  await connection.read(bytes);
  assertEquals(bytes[0], 22);
  const begun = performance.now();
  const reason = new TypeError("enough");
  controller.abort(reason);
  assertEquals(await assertRejects(() => answer), reason);
  assert(performance.now() - begun < 500);
  // The client has closed its side although we have not closed ours.
  assertEquals(await connection.read(bytes).catch(() => null), null);
});

Deno.test("a handshake that the vendor breaks off is a failure", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const client = new HttpClient({ dial, clock: new ManualClock() });
  const answer = client.fetch(`https://127.0.0.1:${listener.addr.port}/`, toInit());
  const connection = await listener.accept();
  await connection.read(new Uint8Array(16 * 1024));
  connection.close();
  await assertRejects(() => answer);
});
