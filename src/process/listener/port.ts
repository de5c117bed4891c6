/** Opens the endpoints of a gateway. */

import type { Clock } from "../../core/clock.ts";
import type { App } from "../../http/app.ts";
import type { ServerMetrics } from "../../telemetry/server_metrics.ts";
import type { Connections } from "./connections.ts";
import { logMessage, reportBug, StartError } from "../system/stdio.ts";
import { reasonOf } from "../system/files.ts";
import {
  ConnectionListener,
  type Listener,
  type ListenerOptions,
  PortListener,
} from "./listener.ts";
import {
  type Certificate,
  type Endpoint,
  isCertifiedBy,
  isUnix,
  nameOf,
  type RenewedCertificate,
} from "./endpoint.ts";
import { createCompatibleServer } from "./compatible_server.ts";
import { openPairs, openPort, relay, servePlain, type ServeStream } from "./relay.ts";
import { serveSockets, type Upgrades } from "./web_socket.ts";
import { findServeConnection, type ServeConnection } from "./runtime_server.ts";
import { createTlsServer } from "./tls_server.ts";

const NO_CONNECTION_LIMITS =
  "server.max_connections, max_connections_per_address, head_timeout and idle_timeout have no effect";

/** A gateway that accepts connections. */
export interface Listening {
  /** The address of each endpoint; a port of 0 is replaced by the one that the system chose. */
  readonly addresses: readonly Endpoint["address"][];
  /**
   * Uses a new certificate for new connections. Open connections are not affected.
   *
   * @throws when it cannot be used; the endpoint is then not changed.
   */
  renew(renewed: RenewedCertificate): void;
  /**
   * Accepts no more connections, and serves open ones until no request arrives; resolves when the
   * last response has been sent.
   */
  drain(): Promise<void>;
  /**
   * Accepts no more connections; resolves when the last one is closed. The system resets
   * connections that are being opened at that moment: at 2,500 new connections a second, every
   * other call resets one (measured on loopback, 2026-11-23). Undefined if the runtime does not
   * support it.
   */
  readonly leave: (() => Promise<void>) | undefined;
}

interface ListenOptions {
  readonly endpoints: readonly Endpoint[];
  readonly shared: boolean;
  /** The connections that may become WebSockets, if any. */
  readonly upgrades: Upgrades | undefined;
  readonly clock: Clock;
  readonly connections: Connections;
  readonly metrics: ServerMetrics;
  readonly flush: () => Promise<void>;
}

/** Opens all endpoints. @throws {StartError} when it cannot listen on one of them. */
export function listen(app: App, options: ListenOptions): Listening {
  const { endpoints, connections, flush, metrics, upgrades, clock } = options;
  let inUse = endpoints;
  const listeners: Listener[] = [];
  try {
    for (const endpoint of endpoints) {
      const given = toListenerOptions(app, endpoint, options);
      listeners.push(openEndpoint(endpoint, () => openListener(given, connections, upgrades)));
    }
  } catch (thrown) {
    for (const listener of listeners) void listener.close();
    throw thrown;
  }
  reportEnds(inUse, metrics);
  const canLeave = listeners.every(({ leave }) => leave !== undefined);
  const leaveAll = async () => {
    await Promise.all(listeners.map((listener) => listener.leave?.()));
  };
  return {
    addresses: listeners.map(({ address }) => address),
    leave: canLeave ? leaveAll : undefined,
    renew(renewed) {
      for (const listener of listeners) listener.renew?.(renewed);
      inUse = inUse.map((one) =>
        isCertifiedBy(one, renewed.tls) ? { ...one, certificate: renewed.certificate } : one
      );
      reportEnds(inUse, metrics);
    },
    async drain() {
      for (const listener of listeners) listener.stopAccepting?.();
      await app.finish();
      for (let ms = connections.quietMs(); ms > 0; ms = connections.quietMs()) {
        await new Promise<void>((resolve) => void clock.after(ms, resolve));
        await app.finish();
      }
      // The last responses may not have been sent completely.
      await Promise.all(listeners.map((listener) => listener.close()));
      await flush();
    },
  };
}

/** Reports the earliest expiry of a certificate, if there is one. */
function reportEnds(endpoints: readonly Endpoint[], metrics: ServerMetrics): void {
  const ends = endpoints.flatMap(({ certificate }) => certificate?.endsAt ?? []);
  if (ends.length > 0) metrics.certificatesEnd(Math.min(...ends));
}

function toListenerOptions(
  app: App,
  endpoint: Endpoint,
  { shared, clock, metrics }: ListenOptions,
): ListenerOptions {
  return {
    endpoint,
    shared,
    clock,
    handle: (request, connection) => app.handle(request, connection, endpoint.rules),
    log: logMessage,
    onAcceptFailure: () => metrics.acceptFailures.add(1),
    onBug: (thrown) => reportBug(thrown, "connection:"),
  };
}

/** Opens a listener. Connections that become WebSockets are not served by the runtime. */
function openListener(
  options: ListenerOptions,
  connections: Connections,
  upgrades: Upgrades | undefined,
): Listener {
  const { tls, compatible } = options.endpoint;
  const serve = findServeConnection(Deno);
  const open = serve === undefined ? openPort : openPairs(serve);
  const inner: ServeStream = (client, handlers) => relay(client, open, handlers);
  const besideSockets = upgrades &&
    serveSockets(upgrades, tls === undefined ? "http" : "https", inner);
  const connect = (create: (certificate?: Certificate) => ServeConnection) =>
    new ConnectionListener(options, connections, create);
  if (tls !== undefined) {
    return connect((certificate) => createTlsServer(tls, besideSockets ?? inner, certificate));
  }
  if (compatible) return connect(() => createCompatibleServer(open));
  if (besideSockets !== undefined) return connect(() => servePlain(besideSockets));
  if (serve !== undefined) return connect(() => serve);
  options.log(`this version of Deno cannot close individual connections: ${NO_CONNECTION_LIMITS}`);
  return new PortListener(options);
}

/**
 * Checks that the port is free, because a shared port can be opened even if another process uses
 * it. Replaces port 0 with a free port.
 *
 * @throws {StartError} when it cannot listen on the address.
 */
export function probe(endpoint: Endpoint): Endpoint {
  const { address } = endpoint;
  if ("path" in address) return endpoint;
  using socket = openEndpoint(endpoint, () => Deno.listen({ ...address }));
  return { ...endpoint, address: { hostname: address.hostname, port: socket.addr.port } };
}

const PRIVILEGED_PORT = "ports below 1024 need a privilege: choose another with --port, or grant " +
  "the program CAP_NET_BIND_SERVICE ('AmbientCapabilities=' of systemd)";

function openEndpoint<Opened>(endpoint: Endpoint, open: () => Opened): Opened {
  try {
    return open();
  } catch (thrown) {
    const name = nameOf(endpoint);
    if (thrown instanceof Deno.errors.AddrInUse) {
      const cure = isUnix(endpoint) ? "" : "the port is in use; choose another with --port";
      throw new StartError(`Cannot listen on ${name}: ${cure || "the file exists"}`);
    }
    if (thrown instanceof Deno.errors.PermissionDenied && !isUnix(endpoint)) {
      throw new StartError(`Cannot listen on ${name}: ${reasonOf(thrown)}; ${PRIVILEGED_PORT}`);
    }
    const reason = isUnknownHost(thrown) ? "unknown host" : reasonOf(thrown);
    throw new StartError(`Cannot listen on ${name}: ${reason}`);
  }
}

/** Whether the host name is unknown or invalid. */
function isUnknownHost(thrown: unknown): boolean {
  return thrown instanceof URIError ||
    (thrown instanceof Error && thrown.message.startsWith("failed to lookup address"));
}
