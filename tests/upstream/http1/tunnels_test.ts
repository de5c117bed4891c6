/** Vendors behind proxies on loopback: tunnels by CONNECT and SOCKS 5, and forwarded requests. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { DEFAULT_CONNECTION_RULES } from "../../../src/config/connection_rules.ts";
import type { VendorRoute } from "../../../src/config/vendor_route.ts";
import { TransportError } from "../../../src/core/transport_error.ts";
import { HttpClient } from "../../../src/upstream/http1/client.ts";
import { dial } from "../../../src/upstream/http1/dial.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { readAll, readerOf, toInit } from "../../support/memory_client.ts";
import { readRoot } from "../../support/read_root.ts";

const CERT = readRoot("tests/support/tls/localhost.pem");
const KEY = readRoot("tests/support/tls/localhost.key.pem");
const OTHER = readRoot("tests/support/tls/elsewhere.pem");
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

const text = new TextDecoder("latin1");
const bytes = (message: string) => new TextEncoder().encode(message);

/** A port that does this with each connection. */
class Port implements AsyncDisposable {
  readonly #listener: Deno.TcpListener | Deno.TlsListener;
  readonly #accepting: Promise<void>;
  readonly #open: { close(): void }[] = [];

  constructor(isTls: boolean, serve: (wire: Deno.Conn) => Promise<unknown>) {
    const where = { hostname: "127.0.0.1", port: 0 };
    this.#listener = isTls
      ? Deno.listenTls({ ...where, cert: CERT, key: KEY })
      : Deno.listen(where);
    this.#accepting = this.#accept(serve);
  }

  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  async #accept(serve: (wire: Deno.Conn) => Promise<unknown>): Promise<void> {
    const serving: Promise<unknown>[] = [];
    for await (const wire of this.#listener) {
      this.#open.push(wire);
      serving.push(serve(wire).catch(() => {}).then(() => closeQuietly(wire)));
    }
    await Promise.all(serving);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const wire of this.#open) closeQuietly(wire);
    await this.#accepting;
  }
}

function closeQuietly(wire: { close(): void }): void {
  try {
    wire.close();
  } catch {
    // It is closed already.
  }
}

async function readSome(wire: Deno.Conn): Promise<Uint8Array> {
  const into = new Uint8Array(16 * 1024);
  const size = await wire.read(into);
  if (size === null) throw new Error("closed");
  return into.slice(0, size);
}

/** Answers every request with `ok`. */
const vendorOf = (isTls: boolean, heads: string[] = []) =>
  new Port(isTls, async (wire) => {
    for (;;) {
      heads.push(text.decode(await readSome(wire)).split("\r\n\r\n")[0] ?? "");
      await wire.write(bytes(OK));
    }
  });

/** Copies both ways between two connections. */
async function join(wire: Deno.Conn, port: number): Promise<void> {
  const other = await Deno.connect({ hostname: "127.0.0.1", port });
  await Promise.allSettled([
    wire.readable.pipeTo(other.writable),
    other.readable.pipeTo(wire.writable),
  ]);
}

/** A proxy with CONNECT, which keeps the heads that it reads. */
const httpProxy = (isTls: boolean, port: () => number, heads: string[], reply = "200 OK") =>
  new Port(isTls, async (wire) => {
    heads.push(text.decode(await readSome(wire)).trimEnd());
    await wire.write(bytes(`HTTP/1.1 ${reply}\r\n\r\n`));
    if (reply.startsWith("2")) await join(wire, port());
  });

/** A proxy by SOCKS 5, which keeps what it reads in hexadecimal digits. */
const socksProxy = (port: () => number, heard: string[], code = 0) =>
  new Port(false, async (wire) => {
    const greeting = await readSome(wire);
    heard.push(Buffer.from(greeting).toString("hex"));
    await wire.write(new Uint8Array([5, greeting[2] ?? 0]));
    if (greeting[2] === 2) {
      heard.push(text.decode(await readSome(wire)));
      await wire.write(new Uint8Array([1, 0]));
    }
    heard.push(Buffer.from(await readSome(wire)).toString("hex"));
    // In two packets.
    await wire.write(new Uint8Array([5, code, 0, 1, 127]));
    await wire.write(new Uint8Array([0, 0, 1, 1, 1]));
    if (code === 0) await join(wire, port());
  });

/** Sends a request over its route; gives the text of the answer. */
async function ask(url: string, route: VendorRoute, times = 1): Promise<string> {
  const clock = new ManualClock();
  const client = new HttpClient({ dial, clock, minCooldownMs: 0 });
  try {
    let said = "";
    for (let request = 0; request < times; request++) {
      const connection = { ...DEFAULT_CONNECTION_RULES, route };
      said = await readAll(readerOf(await client.fetch(url, toInit({ connection }))));
      clock.advance(1000);
    }
    return said;
  } finally {
    client.close();
    assertEquals(clock.pending, 0);
  }
}

for (const isTls of [false, true]) {
  const kind = isTls ? "https" : "http";

  Deno.test(`a tunnel through an ${kind} proxy is opened once, with the proxy's credentials`, async () => {
    const heads: string[] = [];
    const heard: string[] = [];
    await using vendor = vendorOf(true, heard);
    await using proxy = httpProxy(isTls, () => vendor.port, heads);
    const route = { ca: CERT, proxy: `${kind}://ada:pass%20word@localhost:${proxy.port}` };
    assertEquals(await ask(`https://localhost:${vendor.port}/v1`, route, 3), "ok");
    const basic = `proxy-authorization: Basic ${btoa("ada:pass word")}`;
    const authority = `localhost:${vendor.port}`;
    assertEquals(heads, [`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${basic}`]);
    assertEquals(heard.length, 3);
    // The vendor gets no credentials of the proxy.
    assert(
      heard.every((head) => head.startsWith("POST /v1 HTTP/1.1\r\n") && !head.includes("proxy")),
    );
  });

  Deno.test(`an ${kind} proxy gets the requests themselves for a vendor without TLS`, async () => {
    const heads: string[] = [];
    await using proxy = vendorOf(isTls, heads);
    const route = { ca: CERT, proxy: `${kind}://ada:word@localhost:${proxy.port}` };
    assertEquals(await ask("http://vendor.test/v1?a=b", route), "ok");
    const [first, host, authorization] = heads[0]?.split("\r\n") ?? [];
    assertEquals(first, "POST http://vendor.test/v1?a=b HTTP/1.1");
    assertEquals(host, "host: vendor.test");
    assertEquals(authorization, `proxy-authorization: Basic ${btoa("ada:word")}`);
  });
}

for (const [scheme, isTls] of [["socks5", true], ["socks5h", true], ["socks5h", false]] as const) {
  Deno.test(`a tunnel by ${scheme} leads to a vendor ${isTls ? "with" : "without"} TLS`, async () => {
    const heard: string[] = [];
    await using vendor = vendorOf(isTls);
    await using proxy = socksProxy(() => vendor.port, heard);
    const route = { ca: CERT, proxy: `${scheme}://ada:word@127.0.0.1:${proxy.port}` };
    const url = `${isTls ? "https" : "http"}://127.0.0.1:${vendor.port}/`;
    assertEquals(await ask(url, route, 2), "ok");
    const port = vendor.port.toString(16).padStart(4, "0");
    assertEquals(heard, ["050102", "\x01\x03ada\x04word", `050100017f000001${port}`]);
  });
}

Deno.test("a name is looked up by the proxy for socks5h", async () => {
  const heard: string[] = [];
  await using vendor = vendorOf(true);
  await using proxy = socksProxy(() => vendor.port, heard);
  const route = { ca: CERT, proxy: `socks5h://127.0.0.1:${proxy.port}` };
  assertEquals(await ask(`https://localhost:${vendor.port}/`, route), "ok");
  const name = Buffer.from("localhost").toString("hex");
  const port = vendor.port.toString(16).padStart(4, "0");
  assertEquals(heard, ["050100", `0501000309${name}${port}`]);
});

/** The failure of a request. */
async function failureOf(url: string, route: VendorRoute): Promise<TransportError> {
  const thrown = await assertRejects(() => ask(url, route));
  assert(thrown instanceof TransportError, String(thrown));
  return thrown;
}

Deno.test("a proxy that refuses, speaks another protocol or closes is the failure", async () => {
  await using vendor = vendorOf(true);
  const to = () => vendor.port;
  const url = `https://localhost:${vendor.port}/`;
  await using refusing = httpProxy(false, to, [], "407 Proxy Authentication Required");
  await using strange = new Port(false, async (wire) => {
    await readSome(wire);
    await wire.write(bytes("SSH-2.0\r\n\r\n"));
    await readSome(wire);
  });
  await using closing = new Port(false, async (wire) => void await readSome(wire));
  await using socks = socksProxy(to, [], 2);
  await using secure = httpProxy(true, to, []);
  for (
    const [proxy, words] of [
      [`http://127.0.0.1:${refusing.port}`, "rejected the tunnel with status 407"],
      [`http://127.0.0.1:${strange.port}`, "does not answer in HTTP"],
      [`http://127.0.0.1:${closing.port}`, "closed the connection"],
      [`socks5h://127.0.0.1:${socks.port}`, "rejected the tunnel with code 2"],
      [`https://localhost:${secure.port}`, "self-signed certificate"],
      ["http://127.0.0.1:1", "ECONNREFUSED"],
    ] as const
  ) {
    const { failure, message } = await failureOf(url, { proxy });
    assertEquals(failure, "proxy", proxy);
    assert(message.includes(words), `${proxy}: ${message}`);
    assert(message.endsWith(`(proxy of the provider, for localhost:${vendor.port})`), message);
  }
});

Deno.test("a certificate of the vendor behind a proxy is the vendor's failure", async () => {
  await using vendor = vendorOf(true);
  await using proxy = httpProxy(false, () => vendor.port, []);
  for (const ca of [{}, { ca: OTHER }]) {
    const route = { ...ca, proxy: `http://127.0.0.1:${proxy.port}` };
    const { failure, message } = await failureOf(`https://localhost:${vendor.port}/`, route);
    assertEquals(failure, "tls");
    assert(message.endsWith(`(localhost:${vendor.port})`), message);
  }
});

Deno.test("an abort ends a tunnel that never opens, and its connection", async () => {
  const closed = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using proxy = new Port(false, async (wire) => {
    await readSome(wire);
    asked.resolve();
    await readSome(wire).catch(() => closed.resolve());
  });
  const client = new HttpClient({ dial, clock: new ManualClock() });
  const controller = new AbortController();
  const connection = {
    ...DEFAULT_CONNECTION_RULES,
    route: { proxy: `http://127.0.0.1:${proxy.port}` },
  };
  const { signal } = controller;
  const sent = client.fetch("https://vendor.test/", toInit({ connection, signal }));
  await asked.promise;
  const reason = new TypeError("enough");
  controller.abort(reason);
  assertEquals(await assertRejects(() => sent), reason);
  await closed.promise;
});
