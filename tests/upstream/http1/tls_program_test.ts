/**
 * Vendors behind TLS, on loopback. The certificates below tests/support/tls sign
 * themselves: one for localhost, one for a host that is elsewhere, one for ::1.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { HttpClient } from "../../../src/upstream/http1/client.ts";
import { dial } from "../../../src/upstream/http1/dial.ts";
import { until } from "../../support/elapse.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { toInit } from "../../support/memory_client.ts";
import { addressOf, type Running, startSluice } from "../../support/process.ts";
import { readRoot } from "../../support/read_root.ts";
import { CHUNKS, sayHello } from "../../support/scripted_vendor.ts";
import { needs } from "../../support/needs.ts";

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

  constructor(name: "localhost" | "elsewhere" | "expired" | "ipv6", hostname = "127.0.0.1") {
    this.#listener = Deno.listenTls({
      hostname,
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

Deno.test("an untrusted certificate is a TLS failure, and the log has its cause", async () => {
  await using vendor = new TlsVendor("localhost");
  const client = new HttpClient({ dial, clock: new ManualClock() });
  const gateway = createTestGateway({
    config: { providers: { v: providerOf(vendor, "m") } },
    fetch: client.fetch,
  });
  const response = await gateway.call("/v1/chat/completions", { model: "m", ...CHAT });
  const { error } = await response.json();
  assertEquals([response.status, error.code], [503, "upstream_unavailable"]);
  assertEquals(error.message, "Cannot connect to provider 'v': TLS handshake failed");
  const said = JSON.stringify([error, [...response.headers]]);
  for (const secret of [new URL(vendor.url).port, "127.0.0.1", "localhost", VENDOR_KEY]) {
    assert(!said.includes(secret), `${secret} is reported: ${said}`);
  }
  const { host } = new URL(vendor.url);
  const cause = `DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate (${host})`;
  assertEquals(gateway.lines.at(-1)?.cause, cause);
  assertEquals([vendor.requests, gateway.bugs], [0, []]);
  client.close();
});

/** A gateway with these providers, in a process that trusts the test certificates. */
async function startTrusting(providers: Record<string, unknown>) {
  const certificates = ["localhost", "elsewhere", "expired", "ipv6"]
    .map((name) => readRoot(`tests/support/tls/${name}.pem`));
  const running = startSluice(["--port", "0"], {
    files: {
      "ca.pem": certificates.join("\n"),
      "config.yaml": JSON.stringify({
        server: { keys: [{ name: "own", key: "sk-own" }] },
        providers,
      }),
    },
    env: { DENO_CERT: "ca.pem", ...NO_PROXIES },
  });
  const base = await addressOf(running);
  const client = Deno.createHttpClient({});
  return {
    running,
    ask: (model: string, members = {}) =>
      fetch(`${base}/v1/chat/completions`, {
        client,
        method: "POST",
        headers: { authorization: "Bearer sk-own" },
        body: JSON.stringify({ model, ...CHAT, ...members }),
      }),
    async [Symbol.asyncDispose]() {
      client.close();
      await running[Symbol.asyncDispose]();
    },
  };
}

/** The lines of the access log, once there are as many. */
async function linesOf({ stdout }: Running, count: number): Promise<Record<string, unknown>[]> {
  await until(() => stdout().split("\n").length > count, 5000);
  return stdout().trim().split("\n").map((line) => JSON.parse(line));
}

Deno.test("a vendor that DENO_CERT trusts is reached over one connection", async () => {
  await using vendor = new TlsVendor("localhost");
  await using gateway = await startTrusting({ trusted: providerOf(vendor, "here") });
  for (let request = 0; request < 3; request++) {
    const { choices } = await (await gateway.ask("here")).json();
    assertEquals(choices[0].message.content, "Hello.");
    // A connection has a short cooldown before it is used again.
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  assertEquals([vendor.requests, vendor.connections], [3, 1]);
  const stream = await gateway.ask("here", { stream: true });
  const reader = stream.body?.getReader();
  await reader?.read();
  assertEquals([vendor.connections, vendor.ended], [1, 0]);
  // A vendor whose connection stays open would continue to generate, at a cost.
  await reader?.cancel();
  await until(() => vendor.ended === 1);
});

Deno.test("a vendor that the system trusts is reached beside a private CA", async () => {
  await using vendor = new TlsVendor("localhost");
  const tls = { ca: readRoot("tests/support/tls/elsewhere.pem") };
  await using gateway = await startTrusting({ both: { ...providerOf(vendor, "both"), tls } });
  for (let request = 0; request < 2; request++) {
    const { choices } = await (await gateway.ask("both")).json();
    assertEquals(choices[0].message.content, "Hello.");
  }
  assertEquals(vendor.requests, 2);
});

/** The same vendor, called by its address. */
function byAddress({ url }: TlsVendor, model: string): Record<string, unknown> {
  const base_url = url.replace("localhost", "127.0.0.1");
  return { kind: "openai_compatible", base_url, api_key: VENDOR_KEY, models: [model] };
}

Deno.test("a trusted certificate must be valid now, and for the vendor's name or address", async () => {
  await using vendor = new TlsVendor("localhost");
  await using elsewhere = new TlsVendor("elsewhere");
  await using expired = new TlsVendor("expired");
  const once = { retries: 0 };
  await using gateway = await startTrusting({
    address: byAddress(vendor, "address"),
    misnamed: { ...providerOf(elsewhere, "misnamed"), ...once },
    misaddressed: { ...byAddress(elsewhere, "misaddressed"), ...once },
    expired: { ...providerOf(expired, "expired"), ...once },
  });
  assertEquals((await (await gateway.ask("address")).json()).choices[0].message.content, "Hello.");
  const causes = [
    ["misnamed", `Host: localhost. is not in the cert's altnames`],
    ["misaddressed", `IP: 127.0.0.1 is not in the cert's list`],
    ["expired", `certificate expired on 2021-01-01 (${new URL(expired.url).host})`],
  ] as const;
  for (const [model] of causes) {
    const response = await gateway.ask(model);
    const { error } = await response.json();
    assertEquals([response.status, error.code], [503, "upstream_unavailable"]);
    assertEquals(error.message, `Cannot connect to provider '${model}': TLS handshake failed`);
  }
  assertEquals([elsewhere.requests, expired.requests], [0, 0]);
  const [, ...lines] = await linesOf(gateway.running, 1 + causes.length);
  for (const [index, [, cause]] of causes.entries()) {
    assert(String(lines[index]?.cause).includes(cause), String(lines[index]?.cause));
  }
});

/** Whether this machine has an IPv6 loopback address. */
function hasIpv6(): boolean {
  try {
    Deno.listen({ hostname: "::1", port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

Deno.test({
  ...needs("IPv6", hasIpv6(), "a vendor may be an IPv6 address, which its certificate must name"),
  async fn() {
    await using vendor = new TlsVendor("ipv6", "::1");
    await using other = new TlsVendor("localhost", "::1");
    const byIpv6 = ({ url }: TlsVendor, model: string) => ({
      ...providerOf(vendor, model),
      base_url: url.replace("localhost", "[::1]"),
      retries: 0,
    });
    await using gateway = await startTrusting({
      named: byIpv6(vendor, "named"),
      unnamed: byIpv6(other, "unnamed"),
    });
    const { choices } = await (await gateway.ask("named")).json();
    assertEquals(choices[0].message.content, "Hello.");
    const refused = await gateway.ask("unnamed");
    assertEquals([refused.status, other.requests], [503, 0]);
    await refused.body?.cancel();
    const [, line] = await linesOf(gateway.running, 2);
    assert(String(line?.cause).includes("IP: ::1 is not in the cert's list"), String(line?.cause));
  },
});

/** How many descriptors a process has open. */
async function descriptorsOf(pid: number): Promise<number> {
  const { stdout } = await new Deno.Command("ls", { args: [`/proc/${pid}/fd`] }).output();
  return new TextDecoder().decode(stdout).trim().split("\n").length;
}

Deno.test({
  ...needs(
    "Linux",
    Deno.build.os === "linux",
    "60 attempts at a TLS port that accepts and stays silent leave no descriptor",
  ),
  async fn() {
    const accepted: Deno.TcpConn[] = [];
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepting = (async () => {
      for await (const connection of listener) accepted.push(connection);
    })();
    await using gateway = await startTrusting({
      silent: {
        kind: "openai_compatible",
        base_url: `https://localhost:${listener.addr.port}`,
        api_key: VENDOR_KEY,
        models: ["silent"],
        retries: 0,
        timeout: { connect: "200ms" },
      },
    });
    const { pid } = gateway.running;
    // What the first attempt needs for good is open.
    await (await gateway.ask("silent")).text();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const before = await descriptorsOf(pid);
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => gateway.ask("silent", { stream: round % 2 === 0 })),
      );
      for (const answer of answers) {
        assertEquals(answer.status, 504);
        await answer.text();
      }
    }
    // On a busy machine, a few attempts end before they are connected.
    assert(accepted.length > 40, `${accepted.length} connections`);
    // Ours to the gateway are open as well: ten at a time.
    let left = Infinity;
    for (let second = 0; second < 15 && left > before + 10; second++) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      left = await descriptorsOf(pid);
    }
    assert(left <= before + 10, `${before} descriptors before, ${left} after`);
    listener.close();
    await accepting;
    for (const connection of accepted) connection.close();
  },
});

/** The tests may run behind a proxy. */
const NO_PROXIES = Object.fromEntries(
  ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
    .map((name) => [name, ""]),
);

Deno.test("an abort ends a stalled handshake, with the signal's reason", async () => {
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
  const reason = new TypeError("enough");
  controller.abort(reason);
  // The clock stands still and the listener never answers, so only the abort can end it.
  assertEquals(await assertRejects(() => answer), reason);
  // The client has closed its side although we have not closed ours.
  assertEquals(await connection.read(bytes).catch(() => null), null);
});

Deno.test("a handshake that the vendor aborts is a failure", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const client = new HttpClient({ dial, clock: new ManualClock() });
  const answer = client.fetch(`https://127.0.0.1:${listener.addr.port}/`, toInit());
  const connection = await listener.accept();
  await connection.read(new Uint8Array(16 * 1024));
  connection.close();
  await assertRejects(() => answer);
});
