/**
 * The child of tests/process/no_delay_program_test.ts, which trusts the test certificate: opens
 * each kind of socket that the gateway opens or accepts, and prints as JSON whether those of each
 * kind have `TCP_NODELAY`.
 */

import { connect as connectHttp2 } from "node:http2";
import { once } from "node:events";
import { AdminClient } from "../../src/tools/admin_client.ts";
import { checkHealth } from "../../src/tools/health.ts";
import { systemClock } from "../../src/core/clock.ts";
import { PostgresConnection } from "../../src/governance/ledger/postgres_connection.ts";
import { Connections } from "../../src/process/listener/connections.ts";
import type { Endpoint } from "../../src/process/listener/endpoint.ts";
import { listen } from "../../src/process/listener/port.ts";
import { Upgrades } from "../../src/process/listener/web_socket.ts";
import { connect as connectToValkey } from "../../src/memory/shared_store/client.ts";
import { dial } from "../../src/upstream/http1/dial.ts";
import { Budget, createDownload } from "../../src/upstream/images/download.ts";
import { createGatewayOn, createTestMetrics } from "./gateway.ts";
import { readTcpSockets, type TcpSocket } from "./tcp_sockets.ts";

const LOOPBACK = "127.0.0.1";
const CERTIFICATE = { cert: "cert.pem", key: "key.pem" };
const PEM = {
  cert: Deno.readTextFileSync(CERTIFICATE.cert),
  key: Deno.readTextFileSync(CERTIFICATE.key),
};
/** The runtime has no setting for it. */
const FETCH = "fetch of the runtime";
const ignore = () => {};

/** A server that answers only PostgreSQL's TLS request. */
function serveSilently(kind: "plain" | "tls" | "postgres"): number {
  const address = { hostname: LOOPBACK, port: 0 };
  const listener = kind === "tls" ? Deno.listenTls({ ...address, ...PEM }) : Deno.listen(address);
  const serve = async () => {
    for await (const connection of listener) {
      if (kind === "postgres") await connection.write(new TextEncoder().encode("S"));
      // The handshake needs a reader.
      void connection.read(new Uint8Array(10_000)).catch(ignore);
    }
  };
  void serve().catch(ignore);
  return (listener.addr as Deno.NetAddr).port;
}

const { signal } = new AbortController();
const valkey = { username: undefined, password: undefined, database: 0 };
const postgres = { kind: "postgres", url: "", database: "d", user: "u", password: "p" } as const;

function askPostgres(port: number, sslMode: "disable" | "require"): void {
  const rules = { ...postgres, host: LOOPBACK, port, sslMode, rootCertificate: undefined };
  void new PostgresConnection(rules, undefined, 5000).call((sql) => sql("SELECT 1")).catch(ignore);
}

function download(url: string): void {
  const rules = { http: true, allow: new Set(["localhost"]), maxSize: 1000, timeout: 60_000 };
  const resolve = () => Promise.resolve([LOOPBACK]);
  void createDownload(systemClock, resolve)(url, rules, new Budget(1000), signal).catch(ignore);
}

/** The ways to connect to a loopback port, by kind. */
const CLIENTS: Readonly<
  Record<string, readonly ["plain" | "tls" | "postgres", (port: number) => unknown]>
> = {
  "vendors, webhooks and metadata services": [
    "plain",
    (port) => dial({ host: LOOPBACK, port, tls: false }, signal),
  ],
  "vendors with TLS": ["tls", (port) => dial({ host: "localhost", port, tls: true }, signal)],
  images: ["plain", (port) => download(`http://localhost:${port}/`)],
  "images with TLS": ["tls", (port) => download(`https://localhost:${port}/`)],
  PostgreSQL: ["plain", (port) => askPostgres(port, "disable")],
  "PostgreSQL with TLS": ["postgres", (port) => askPostgres(port, "require")],
  Valkey: [
    "plain",
    (port) => connectToValkey({ ...valkey, host: LOOPBACK, port, tls: false }, signal),
  ],
  "Valkey with TLS": [
    "tls",
    (port) => connectToValkey({ ...valkey, host: "localhost", port, tls: true }, signal),
  ],
  "commands for admins": [
    "plain",
    (port) => new AdminClient(`http://${LOOPBACK}:${port}`, "k").text("GET", "/"),
  ],
  "sluice health": ["plain", (port) => checkHealth({ host: LOOPBACK, port, tls: undefined })],
  "sluice health with TLS": [
    "tls",
    (port) => checkHealth({ host: LOOPBACK, port, tls: CERTIFICATE }),
  ],
  [FETCH]: ["plain", (port) => fetch(`http://${LOOPBACK}:${port}/`)],
};

const { app } = createGatewayOn(systemClock, {
  config: { providers: { mock: { kind: "mock", models: ["mock-echo"] } } },
});

/** Opens the listener of an endpoint; returns its port. */
function serve(endpoint: Partial<Endpoint>, websockets: boolean): number {
  const limits = {
    ...{ max_connections: 100, max_connections_per_address: 100 },
    ...{ head_timeout: 60_000, idle_timeout: 60_000, write_timeout: 60_000 },
  };
  const { addresses: [address] } = listen(app, {
    endpoints: [{ address: { hostname: LOOPBACK, port: 0 }, ...endpoint }],
    shared: false,
    upgrades: websockets ? new Upgrades(systemClock) : undefined,
    clock: systemClock,
    connections: new Connections({ limits: () => limits, clock: systemClock }),
    metrics: createTestMetrics().server,
    flush: () => Promise.resolve(),
  });
  return address !== undefined && "port" in address ? address.port : 0;
}

/** Sends a request with HTTP/1.1, and waits for the answer. The connection stays open. */
async function ask(port: number): Promise<void> {
  const connection = await Deno.connect({ hostname: LOOPBACK, port });
  connection.setNoDelay();
  await connection.write(new TextEncoder().encode("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n"));
  await connection.read(new Uint8Array(1000));
}

/** The same with HTTP/2, over TLS or not. */
async function askByHttp2(port: number, scheme: "http" | "https"): Promise<void> {
  const session = connectHttp2(`${scheme}://localhost:${port}`, { ca: [PEM.cert] });
  session.once("connect", (_, socket) => socket.setNoDelay(true));
  const request = session.request({ ":path": "/healthz" });
  await once(request, "response");
}

/** Connects to a listener of each kind, and has a request answered. */
const LISTENERS: Readonly<Record<string, () => Promise<void>>> = {
  "a listener": () => ask(serve({}, false)),
  "a listener, HTTP/2": () => askByHttp2(serve({}, false), "http"),
  "a compatible listener": () => ask(serve({ compatible: true }, false)),
  "a compatible listener, HTTP/2": () => askByHttp2(serve({ compatible: true }, false), "http"),
  "a listener with WebSockets": () => ask(serve({}, true)),
  "a listener with TLS": () => askByHttp2(serve({ tls: CERTIFICATE }, false), "https"),
  "a listener with TLS and WebSockets": () =>
    askByHttp2(serve({ tls: CERTIFICATE }, true), "https"),
};

const TURN_MS = 10;
const MAX_WAIT_MS = 5000;

/** Waits for sockets, which may get the option only after the handshake of TLS. */
async function waitFor(find: () => TcpSocket[], name: string): Promise<boolean[]> {
  const end = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const found = find().map(({ noDelay }) => noDelay);
    const isSettled = found.length > 0 && (name === FETCH || found.every((one) => one));
    if (isSettled || performance.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, TURN_MS));
  }
}

const results: Record<string, boolean[]> = {};
for (const [name, [kind, connect]] of Object.entries(CLIENTS)) {
  const port = serveSilently(kind);
  void Promise.resolve(connect(port)).catch(ignore);
  results[name] = await waitFor(
    () => readTcpSockets().filter(({ remotePort }) => remotePort === port),
    name,
  );
}
for (const [name, connect] of Object.entries(LISTENERS)) {
  const before = new Set(readTcpSockets().map(({ localPort }) => localPort));
  await connect();
  // Includes the sockets of the internal relay.
  results[name] = await waitFor(
    () =>
      readTcpSockets().filter(({ localPort, remotePort }) =>
        !before.has(localPort) && !before.has(remotePort)
      ),
    name,
  );
}
// deno-lint-ignore no-console
console.log(JSON.stringify(results));
Deno.exit(0);
