/**
 * A vendor that cannot be reached, or whose response is not HTTP: the log names host, port and
 * cause, and the client gets the provider and the class of the failure.
 */

import { assert, assertEquals } from "@std/assert";
import { type AddressInfo, createServer } from "node:net";
import { SystemClock } from "../../src/core/clock.ts";
import { dial } from "../../src/upstream/http1/dial.ts";
import { HttpClient } from "../../src/upstream/http1/client.ts";
import { toTransportError, TransportError } from "../../src/core/transport_error.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { readRoot } from "../support/read_root.ts";

/** A port that does this with each connection, and then closes it. */
function serve(
  play: (connection: Deno.Conn) => Promise<unknown>,
  certificate?: string,
): { readonly port: number; [Symbol.asyncDispose](): Promise<void> } {
  const where = { hostname: "127.0.0.1", port: 0 };
  const listener = certificate === undefined ? Deno.listen(where) : Deno.listenTls({
    ...where,
    cert: readRoot(`tests/support/tls/${certificate}.pem`),
    key: readRoot(`tests/support/tls/${certificate}.key.pem`),
  });
  const serving: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      serving.push(play(connection).catch(() => {}).then(() => connection.close()));
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      await Promise.all(serving);
    },
  };
}

const bytes = () => new Uint8Array(16 * 1024);

/** Reads a request and answers with these bytes. */
const answering = (text: string) => async (connection: Deno.Conn) => {
  await connection.read(bytes());
  await connection.write(new TextEncoder().encode(text));
};

const reading = async (connection: Deno.Conn) => {
  await connection.read(bytes());
};

/** A port that resets each connection once a request comes. */
async function serveResets() {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.resetAndDestroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function closedPort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return listener.addr.port;
}

interface Row {
  readonly what: string;
  readonly url: (port: number) => string;
  readonly play?: (connection: Deno.Conn) => Promise<unknown>;
  readonly certificate?: string;
  readonly status: number;
  readonly code: string;
  /** The message that the caller gets about the provider `v`. */
  readonly message: string;
  /** What the cause in the log says, beside host and port. */
  readonly cause: RegExp;
}

const plain = (port: number) => `http://localhost:${port}/v1`;
const secure = (port: number) => `https://localhost:${port}/v1`;
const UNAVAILABLE = { status: 503, code: "upstream_unavailable" };
const TLS = { ...UNAVAILABLE, message: "Cannot connect to provider 'v': TLS handshake failed" };
const CLOSED = {
  ...UNAVAILABLE,
  message: "The connection to provider 'v' was closed before an answer arrived",
};
const PROTOCOL = {
  status: 502,
  code: "upstream_error",
  message: "The answer from provider 'v' is not valid HTTP",
};

const ROWS: readonly Row[] = [
  {
    what: "a host without an address",
    url: () => "https://vendor.invalid/v1",
    ...UNAVAILABLE,
    message: "Cannot connect to provider 'v': DNS lookup failed",
    cause: /lookup/i,
  },
  {
    what: "a port where nobody listens",
    url: () => `http://localhost:${closedPort()}/v1`,
    ...UNAVAILABLE,
    message: "Cannot connect to provider 'v': connection refused",
    cause: /refused/i,
  },
  {
    what: "a port where nobody listens, through TLS",
    url: () => `https://localhost:${closedPort()}/v1`,
    ...UNAVAILABLE,
    message: "Cannot connect to provider 'v': connection refused",
    cause: /refused/i,
  },
  {
    what: "a certificate from an unknown issuer",
    url: secure,
    play: reading,
    certificate: "localhost",
    ...TLS,
    cause: /self-signed certificate|UnknownIssuer/,
  },
  {
    what: "a certificate that has expired",
    url: secure,
    play: reading,
    certificate: "expired",
    ...TLS,
    cause: /certificate expired/,
  },
  {
    what: "a plain port",
    url: secure,
    play: answering("HTTP/1.1 400 Bad Request\r\n\r\n"),
    ...TLS,
    cause: /InvalidContentType|wrong version/,
  },
  {
    what: "a port that closes within the handshake",
    url: secure,
    play: reading,
    ...TLS,
    cause: /before secure TLS connection|handshake eof/,
  },
  { what: "a reset", url: plain, ...CLOSED, cause: /reset/i },
  { what: "an end without an answer", url: plain, play: reading, ...CLOSED, cause: /closed/ },
  {
    what: "an answer of another protocol",
    url: plain,
    play: answering("SSH-2.0-OpenSSH_9.6\r\n\r\n"),
    ...PROTOCOL,
    cause: /HTTP/,
  },
  {
    what: "an answer with a faulty header",
    url: plain,
    play: answering("HTTP/1.1 200 OK\r\nX-Sum : 1\r\n\r\n"),
    ...PROTOCOL,
    cause: /header/,
  },
];

/** One request to a vendor at this URL: the answer, and the line of the log. */
async function ask(baseUrl: string) {
  const clock = new SystemClock();
  const client = new HttpClient({ dial, clock });
  const gateway = createTestGateway({
    config: {
      providers: {
        v: { kind: "openai_compatible", base_url: baseUrl, api_key: VENDOR_KEY, models: ["m"] },
      },
    },
    fetch: client.fetch,
  });
  const messages = [{ role: "user", content: "Hi" }];
  const response = await gateway.call("/v1/chat/completions", { model: "m", messages });
  const { error } = await response.json();
  client.close();
  clock.close();
  assertEquals(gateway.bugs, []);
  return { response, error, line: gateway.lines[0] };
}

for (const { what, url, play, certificate, status, code, message, cause } of ROWS) {
  Deno.test(`${what}: the caller gets the class, the log has host, port and cause`, async () => {
    await using port = what === "a reset" ? await serveResets() : play && serve(play, certificate);
    const baseUrl = url(port?.port ?? 0);
    const { host } = new URL(baseUrl);
    const { response, error, line } = await ask(baseUrl);
    assertEquals([response.status, error.code, error.message], [status, code, message]);
    const reported = JSON.stringify([error, [...response.headers]]);
    assert(!reported.includes(host) && !reported.includes("127.0.0.1"), reported);
    const logged = String(line?.cause);
    const endpoint = host.includes(":") ? host : `${host}:443`;
    assert(cause.test(logged) && logged.includes(` (${endpoint})`), logged);
    assert(!logged.includes("/v1"), logged);
  });
}

Deno.test("the log has the cause of an answer that breaks off, streamed or not", async () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
  await using port = serve(answering(head));
  const { response, error, line } = await ask(plain(port.port));
  assertEquals([response.status, error.code], [502, "upstream_error"]);
  assertEquals(error.message, "The connection to the provider was lost");
  assert(String(line?.cause).endsWith(`(localhost:${port.port})`), String(line?.cause));
});

Deno.test("the log has the cause of each attempt", async () => {
  await using port = serve(reading);
  const clock = new SystemClock();
  const client = new HttpClient({ dial, clock });
  const provider = { kind: "openai_compatible", api_key: VENDOR_KEY };
  const gateway = createTestGateway({
    config: {
      providers: {
        a: { ...provider, base_url: `http://localhost:${closedPort()}`, models: ["one"] },
        b: { ...provider, base_url: plain(port.port), models: ["two"] },
      },
      aliases: { both: ["one", "two"] },
    },
    fetch: client.fetch,
  });
  const messages = [{ role: "user", content: "Hi" }];
  await (await gateway.call("/v1/chat/completions", { model: "both", messages })).text();
  client.close();
  clock.close();
  const causes = gateway.lines.map(({ attempt, cause }) => [attempt, cause]);
  assert(/refused/.test(String(causes[0]?.[1])), String(causes));
  const closed = `connection closed without an answer (localhost:${port.port})`;
  assertEquals(causes.slice(1), [[2, closed], [undefined, closed]]);
});

Deno.test("a cause is one line of bounded length without URLs", () => {
  const thrown = [
    new Error(`a\r\nb\x1b[31m\u0085c ${"x".repeat(10_000)}`),
    new TypeError(
      "error sending request for url (https://h.test/p?key=k): client error (Connect): no",
    ),
    new Error("see https://h.test/path?key=secret now"),
    new AggregateError([new Error("connect ECONNREFUSED 10.0.0.1:1")], ""),
    { message: { toString: () => "odd" } },
    undefined,
  ];
  for (const one of thrown) {
    const { message } = toTransportError(one, "h.test:443");
    assert(/^[\x20-\x7e]{1,300}$/.test(message), message);
    assert(!/secret|key=|\/p/.test(message), message);
  }
  const refused = toTransportError(thrown[3]);
  assertEquals([refused.failure, refused.message], ["refused", "connect ECONNREFUSED 10.0.0.1:1"]);
  const known = new TransportError("dns", "no such host", "h.test:443");
  assertEquals(toTransportError(known, "other:1"), known);
});
