/** The same behavior on every kind of listener: the runtime's own, TLS, compatible, with WebSockets. */

import type { StopSignal } from "../../../src/core/stop_signal.ts";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type ConnectionLimits, Connections } from "../../../src/process/listener/connections.ts";
import type { Endpoint } from "../../../src/process/listener/endpoint.ts";
import { createCompatibleServer } from "../../../src/process/listener/compatible_server.ts";
import {
  ConnectionListener,
  type Listener,
  type ListenerOptions,
} from "../../../src/process/listener/listener.ts";
import {
  openPairs,
  openPort,
  relay,
  servePlain,
  type ServeStream,
} from "../../../src/process/listener/relay.ts";
import { createTlsServer } from "../../../src/process/listener/tls_server.ts";
import { findServeConnection } from "../../../src/process/listener/runtime_server.ts";
import { until } from "../../support/elapse.ts";
import { createGatewayOn, SERVICE_KEY } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { Gate } from "../../support/server.ts";

/** A kind of listener, and the protocol that the client speaks. */
interface Kind {
  readonly name: string;
  readonly http2?: true;
  readonly tls?: true;
  readonly compatible?: true;
  readonly websockets?: true;
}

const KINDS: readonly Kind[] = [
  { name: "the runtime's listener" },
  { name: "the runtime's listener, HTTP/2", http2: true },
  { name: "TLS", tls: true },
  { name: "TLS, HTTP/2", tls: true, http2: true },
  { name: "a compatible listener", compatible: true },
  { name: "a compatible listener, HTTP/2", compatible: true, http2: true },
  { name: "WebSockets", websockets: true },
  { name: "WebSockets and TLS", websockets: true, tls: true },
];

const file = (name: string) => fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));
const TLS = { cert: file("localhost.pem"), key: file("localhost.key.pem") };
const CA = [Deno.readTextFileSync(TLS.cert)];

const LIMITS: ConnectionLimits = {
  max_connections: 100,
  max_connections_per_address: 100,
  head_timeout: 20_000,
  idle_timeout: 60_000,
  write_timeout: 30_000,
};

const serve = findServeConnection(Deno);

function openListener(
  { tls, compatible, websockets }: Kind,
  options: ListenerOptions,
  connections: Connections,
): Listener {
  if (serve === undefined) throw new TypeError("The runtime serves no single connection");
  const open = websockets ? openPort : openPairs(serve);
  const inner: ServeStream = (client, handlers) => relay(client, open, handlers);
  const { endpoint: { tls: files } } = options;
  return new ConnectionListener(options, connections, () => {
    if (tls && files !== undefined) return createTlsServer(files, inner);
    if (compatible) return createCompatibleServer(open);
    return websockets ? servePlain(inner) : serve;
  });
}

/** A gateway behind a listener, and its clients. */
class Served implements AsyncDisposable {
  readonly bugs: unknown[] = [];
  /** Ends the stream of the vendor. */
  gate = new Gate();
  vendorAborted = false;
  /** Whether the vendor's stream does not end, and when it was last read. */
  isFlooding = false;
  pulledAt = Infinity;
  readonly #client: Deno.HttpClient;

  constructor(
    readonly kind: Kind,
    readonly clock: ManualClock,
    readonly connections: Connections,
    readonly listener: Listener,
    readonly gateway: ReturnType<typeof createGatewayOn>,
  ) {
    this.#client = Deno.createHttpClient({
      caCerts: CA,
      http1: !kind.http2,
      http2: kind.http2 ?? false,
    });
  }

  static open(
    kind: Kind,
    limits: Partial<ConnectionLimits> = {},
    tls = TLS,
  ): Served {
    const clock = new ManualClock();
    const connections = new Connections({ limits: () => ({ ...LIMITS, ...limits }), clock });
    const holder: { served?: Served } = {};
    const gateway = createGatewayOn(clock, {
      config: {
        server: { max_body: "1MiB", body_timeout: "10s", write_timeout: "30s" },
        providers: { v: { kind: "lmstudio", base_url: "http://vendor.test", models: ["m"] } },
      },
      fetch: (_, { signal }) => Promise.resolve(holder.served!.answer(signal)),
    });
    const endpoint: Endpoint = {
      address: { hostname: "127.0.0.1", port: 0 },
      ...(kind.tls && { tls }),
      ...(kind.compatible && { compatible: true }),
    };
    const listener = openListener(kind, {
      endpoint,
      shared: false,
      handle: (request, connection) => gateway.app.handle(request, connection),
      onBug: (thrown) => holder.served?.bugs.push(thrown),
      clock,
      log: () => {},
      onAcceptFailure: () => {},
    }, connections);
    return holder.served = new Served(kind, clock, connections, listener, gateway);
  }

  renewGate(): void {
    this.gate = new Gate();
  }

  /** A stream of two events, the second after the gate has opened. */
  answer(signal: StopSignal): Response {
    signal.addEventListener("abort", () => this.vendorAborted = true);
    const event = (content: string, finish: string | null = null) =>
      new TextEncoder().encode(
        `data: ${
          JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })
        }\n\n`,
      );
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: async (controller) => {
        controller.enqueue(event("first"));
        if (this.isFlooding) return;
        await this.gate.opened;
        controller.enqueue(event("second", "stop"));
        controller.close();
      },
      pull: (controller) => {
        if (!this.isFlooding) return;
        this.pulledAt = performance.now();
        controller.enqueue(event("x".repeat(60_000)));
      },
      cancel: () => void (this.vendorAborted = true),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  get port(): number {
    return (this.listener.address as Deno.NetAddr).port;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const scheme = this.kind.tls ? "https" : "http";
    return fetch(`${scheme}://localhost:${this.port}${path}`, {
      ...init,
      client: this.#client,
      headers: { authorization: `Bearer ${SERVICE_KEY}`, ...init.headers },
    });
  }

  chat(init: RequestInit = {}): Promise<Response> {
    const messages = [{ role: "user", content: "Hi" }];
    const body = JSON.stringify({ model: "m", stream: true, messages });
    return this.fetch("/v1/chat/completions", { method: "POST", body, ...init });
  }

  /** A connection of HTTP/1.1. */
  async connect(): Promise<Deno.Conn> {
    const tcp = await Deno.connect({ hostname: "127.0.0.1", port: this.port });
    if (!this.kind.tls) return tcp;
    const tls = await Deno.startTls(tcp, { hostname: "localhost", caCerts: CA });
    try {
      await tls.handshake();
    } catch (thrown) {
      tls.close();
      throw thrown;
    }
    return tls;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gate.open();
    this.#client.close();
    await this.listener.close();
    assertEquals(this.bugs, []);
  }
}

const encode = (text: string) => new TextEncoder().encode(text.replaceAll("\n", "\r\n"));

async function readSome(connection: Deno.Conn): Promise<string> {
  const bytes = new Uint8Array(65_536);
  const size = await connection.read(bytes).catch(() => null);
  return new TextDecoder().decode(bytes.subarray(0, size ?? 0));
}

/** Defines a test for each kind of listener. */
function forEach(
  name: string,
  run: (served: Served) => Promise<void>,
  { limits, only = () => true }: {
    readonly limits?: Partial<ConnectionLimits>;
    readonly only?: (kind: Kind) => boolean;
  } = {},
) {
  for (const kind of KINDS.filter(only)) {
    Deno.test(`${kind.name}: ${name}`, async () => {
      await using served = Served.open(kind, limits);
      await run(served);
    });
  }
}

const isHttp1 = ({ http2 }: Kind) => !http2;

forEach("answers, errors and HEAD have their lengths, and share a connection", async (served) => {
  for (let round = 0; round < 3; round++) {
    const models = await served.fetch("/v1/models");
    assertEquals(models.status, 200);
    const text = await models.text();
    assertEquals(
      models.headers.get("content-length"),
      String(new TextEncoder().encode(text).length),
    );
    const head = await served.fetch("/v1/models", { method: "HEAD" });
    assertEquals([head.status, head.headers.get("content-length")], [200, String(text.length)]);
    const missing = await served.fetch("/v1/nothing?x=1");
    assertEquals([missing.status, (await missing.json()).error.type], [
      404,
      "invalid_request_error",
    ]);
    const wrong = await served.fetch("/v1/models", { headers: { authorization: "Bearer no" } });
    assertEquals([wrong.status, (await wrong.json()).error.code], [401, "invalid_api_key"]);
  }
  assertEquals(served.connections.size, 1);
});

forEach("events are sent as they come", async (served) => {
  const response = await served.chat();
  assertEquals(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("first")) text += (await reader.read()).value;
  assert(!text.includes("second"));
  served.gate.open();
  for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
  assert(text.endsWith("data: [DONE]\n\n"), text);
});

forEach("a caller that leaves ends the request to the vendor", async (served) => {
  const controller = new AbortController();
  const response = await served.chat({ signal: controller.signal });
  const reader = response.body!.getReader();
  await reader.read();
  controller.abort();
  await until(() => served.vendorAborted);
  await reader.closed.catch(() => {});
  await until(() => served.gateway.lines.length === 1);
  const [line] = served.gateway.lines;
  assertEquals([line?.outcome, line?.client_address], ["client_gone", "127.0.0.1"]);
});

forEach("a body over the limit is refused, and the caller reads why", async (served) => {
  const body = "x".repeat(3 * 1024 * 1024);
  const response = await served.chat({ body });
  assertEquals([response.status, (await response.json()).error.code], [413, "request_too_large"]);
  const piece = new Uint8Array(256 * 1024).fill(120);
  let pieces = 0;
  const stream = new ReadableStream({
    pull(controller) {
      if (pieces++ === 12) controller.close();
      else controller.enqueue(piece);
    },
  });
  const chunked = await served.chat({ body: stream }).catch(() => undefined);
  if (chunked !== undefined) {
    assertEquals(chunked.status, 413);
    await chunked.body?.cancel();
  }
  served.gate.open();
  const next = await served.chat();
  assertEquals(next.status, 200);
  await next.text();
});

forEach("large bodies arrive whole, with a length and in chunks", async (served) => {
  served.gate.open();
  const messages = [{ role: "user", content: "ü".repeat(200_000) }];
  const text = JSON.stringify({ model: "m", stream: true, messages });
  const bytes = new TextEncoder().encode(text);
  const inPieces = ReadableStream.from((function* () {
    for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
  })());
  for (const body of [text, inPieces]) {
    const response = await served.chat({ body });
    assertEquals(response.status, 200);
    assertStringIncludes(await response.text(), "[DONE]");
  }
  assertEquals(served.gateway.lines.map(({ status }) => status), [200, 200]);
});

forEach("a body that stops arriving is refused in time", async (served) => {
  const connection = await served.connect();
  await connection.write(encode(
    `POST /v1/chat/completions HTTP/1.1\nhost: localhost\nauthorization: Bearer ${SERVICE_KEY}\n` +
      'content-length: 100000\n\n{"model":',
  ));
  await until(() => served.gateway.app.inFlight() === 1);
  const reading = readSome(connection);
  // The timer of the body begins with its first read.
  await until(() => {
    if (served.gateway.app.inFlight() > 0) served.clock.advance(11_000);
    return served.gateway.lines.length === 1;
  });
  assertStringIncludes(await reading, "HTTP/1.1 408");
  connection.close();
}, { only: isHttp1 });

forEach("a connection without a request, and an idle one, are closed in time", async (served) => {
  const silent = await served.connect();
  const half = await served.connect();
  await half.write(encode("GET /healthz HTTP/1.1\nhost: loc"));
  const used = await served.connect();
  await used.write(encode("GET /healthz HTTP/1.1\nhost: localhost\n\n"));
  assertStringIncludes(await readSome(used), "HTTP/1.1 200");
  await until(() => served.connections.size === 3);
  served.clock.advance(21_000);
  assertEquals([await readSome(silent), await readSome(half)], ["", ""]);
  await used.write(encode("GET /healthz HTTP/1.1\nhost: localhost\n\n"));
  assertStringIncludes(await readSome(used), "HTTP/1.1 200");
  served.clock.advance(61_000);
  assertEquals(await readSome(used), "");
  await until(() => served.connections.size === 0);
  for (const connection of [silent, half, used]) connection.close();
}, { only: isHttp1 });

forEach("an address has its number of connections; idle ones make room", async (served) => {
  served.gate.open();
  const busy = [await served.connect(), await served.connect()];
  for (const connection of busy) {
    await connection.write(encode(
      "POST /v1/chat/completions HTTP/1.1\nhost: localhost\n" +
        `authorization: Bearer ${SERVICE_KEY}\ncontent-length: 5\n\n`,
    ));
  }
  await until(() => served.gateway.app.inFlight() === 2);
  const third = await served.connect().catch(() => undefined);
  if (third !== undefined) {
    await third.write(encode("GET /healthz HTTP/1.1\nhost: localhost\n\n")).catch(() => 0);
    assertEquals(await readSome(third), "");
    third.close();
  }
  assertEquals(served.connections.size, 2);
  for (const connection of busy) connection.close();
}, { only: isHttp1, limits: { max_connections_per_address: 2 } });

forEach("bytes that are no request are refused, and the listener lives", async (served) => {
  for (
    const text of [
      "nonsense\n\n",
      "GET / HTTP/9.9\n\n",
      `GET / HTTP/1.1\nx: ${"y".repeat(999_999)}\n\n`,
    ]
  ) {
    const connection = await served.connect();
    await connection.write(encode(text)).catch(() => 0);
    const answer = await readSome(connection);
    assert(answer === "" || /^HTTP\/1\.1 4/.test(answer), answer);
    connection.close();
  }
  const response = await served.fetch("/healthz");
  assertEquals(response.status, 200);
  await response.body?.cancel();
}, { only: isHttp1 });

forEach(
  "a listener that closes completes the open answer, and refuses new connections",
  async (served) => {
    const response = await served.chat();
    const idle = served.kind.http2 ? undefined : await served.connect();
    await until(() => served.connections.size === (idle === undefined ? 1 : 2));
    const drained = served.gateway.app.drain().then(() => served.listener.close());
    served.gate.open();
    assertStringIncludes(await response.text(), "[DONE]");
    await drained;
    await assertRejects(() => served.connect());
    idle?.close();
    await until(() => served.connections.size === 0);
  },
);

forEach("a listener that leaves serves its connections until they close", async (served) => {
  const connection = await served.connect();
  await connection.write(encode("GET /healthz HTTP/1.1\nhost: localhost\n\n"));
  assertStringIncludes(await readSome(connection), "HTTP/1.1 200");
  const left = served.listener.leave?.();
  // The system closes the port in one of the next turns.
  for (let isOpen = true; isOpen;) {
    isOpen = await served.connect().then((extra) => (extra.close(), true), () => false);
  }
  await connection.write(encode("GET /healthz HTTP/1.1\nhost: localhost\n\n"));
  const last = await readSome(connection);
  assertStringIncludes(last, "HTTP/1.1 200");
  assertStringIncludes(last.toLowerCase(), "connection: close");
  connection.close();
  await left;
  assertEquals(served.connections.size, 0);
}, { only: isHttp1 });

forEach("a client that stops reading its stream is disconnected in time", async (served) => {
  const connection = await served.connect();
  served.isFlooding = true;
  const body = '{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}';
  await connection.write(encode(
    `POST /v1/chat/completions HTTP/1.1\nhost: localhost\nauthorization: Bearer ${SERVICE_KEY}\n` +
      `content-length: ${body.length}\n\n${body}`,
  ));
  // All buffers between the vendor and the client are full.
  await until(() => performance.now() - served.pulledAt > 300);
  served.clock.advance(31_000);
  await until(() => served.connections.size === 0);
  connection.close();
}, { only: isHttp1 });

const isTls = ({ tls, websockets }: Kind) => tls === true && websockets === undefined;

/** Runs with a certificate that can be replaced. */
async function withCertificate(
  kind: Kind,
  run: (served: Served, use: (name: string) => void, files: typeof TLS) => Promise<void>,
) {
  const folder = await Deno.makeTempDir();
  const files = { cert: `${folder}/cert.pem`, key: `${folder}/key.pem` };
  const use = (name: string) => {
    Deno.copyFileSync(file(`${name}.pem`), files.cert);
    Deno.copyFileSync(file(`${name}.key.pem`), files.key);
  };
  use("localhost");
  {
    await using served = Served.open(kind, {}, files);
    await run(served, use, files);
  }
  await Deno.remove(folder, { recursive: true });
}

for (const kind of KINDS.filter(isTls)) {
  Deno.test(`${kind.name}: a new certificate is used for new connections, and open ones stay`, () =>
    withCertificate(kind, async (served, use, { key }) => {
      const first = await served.chat();
      Deno.writeTextFileSync(key, "no key");
      assertThrows(() => served.listener.renew?.());
      const second = await served.connect();
      use("elsewhere");
      served.listener.renew?.();
      const tcp = await Deno.connect({ hostname: "127.0.0.1", port: served.port });
      const caCerts = [Deno.readTextFileSync(file("elsewhere.pem"))];
      const after = await Deno.startTls(tcp, { hostname: "vendor.test", caCerts });
      await after.handshake();
      await assertRejects(() => served.connect());
      served.gate.open();
      assertStringIncludes(await first.text(), "[DONE]");
      await second.write(encode("GET /healthz HTTP/1.1\nhost: localhost\n\n"));
      assertStringIncludes(await readSome(second), "HTTP/1.1 200");
      for (const connection of [second, after]) connection.close();
    }));
}

Deno.test("TLS: a client that does not complete its handshake is disconnected in time", async () => {
  await using served = Served.open({ name: "TLS", tls: true });
  const silent = await Deno.connect({ hostname: "127.0.0.1", port: served.port });
  const plain = await Deno.connect({ hostname: "127.0.0.1", port: served.port });
  await plain.write(encode("GET /healthz HTTP/1.1\nhost: localhost\n\n"));
  assert(!(await readSome(plain)).includes("200"));
  plain.close();
  await until(() => served.connections.size === 1);
  served.clock.advance(21_000);
  assertEquals(await readSome(silent), "");
  silent.close();
  await until(() => served.connections.size === 0);
});

/** Milliseconds that a segment waits for an acknowledgment where Nagle's algorithm is on: 40 or more. */
const NAGLE_MS = 35;

forEach("no answer and no event waits for an acknowledgment", async (served) => {
  let shortest = Infinity;
  for (let round = 0; round < 10; round++) {
    const began = performance.now();
    await (await served.fetch("/openapi.json")).text();
    shortest = Math.min(shortest, performance.now() - began);
  }
  assert(shortest < NAGLE_MS, `the fastest answer took ${shortest} ms`);
  let quickest = Infinity;
  for (let round = 0; round < 10; round++) {
    served.renewGate();
    const reader = (await served.chat()).body!.getReader();
    await reader.read();
    const began = performance.now();
    served.gate.open();
    while (!(await reader.read()).done);
    quickest = Math.min(quickest, performance.now() - began);
  }
  assert(quickest < NAGLE_MS, `the fastest event took ${quickest} ms`);
});

/** The runtime warns when listeners of events pile up. */
const warnings: string[] = [];
process.on("warning", ({ message }) => void warnings.push(message));

Deno.test("no listener of an event is left behind by what has been sent", () => {
  assertEquals(warnings, []);
});
