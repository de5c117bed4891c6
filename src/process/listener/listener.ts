/** The listener of an endpoint. It stays open when individual connections fail. */

import { toCallerAddress } from "../../upstream/public_addresses.ts";
import { type Connection, type Connections, RELIEF_MS } from "./connections.ts";
import { GatewayError } from "../../core/errors.ts";
import type { CallerConnection } from "../../gateway/request_record.ts";
import { isOutOfDescriptors, reasonOf } from "../system/files.ts";
import {
  bind,
  type Certificate,
  type Endpoint,
  isCertifiedBy,
  openedAddress,
  removeSocket,
  type RenewedCertificate,
  serveAll,
} from "./endpoint.ts";
import type { RuntimeServer, ServeConnection } from "./runtime_server.ts";
import type { LogLevel } from "../../core/log_level.ts";
import { type Clock, within } from "../../core/clock.ts";

/** The options of {@linkcode AcceptFailures}. */
interface AcceptFailuresOptions {
  readonly clock: Clock;
  /** Writes a message for the operator. */
  readonly log: (text: string, level?: LogLevel) => void;
  /** Called for each failure to accept a connection. */
  readonly onAcceptFailure: () => void;
}

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1000;

/** The minimum time between two log messages about failures. */
const MESSAGE_INTERVAL_MS = 60_000;

/** Consecutive failures to accept a connection. Exported for tests. */
export class AcceptFailures {
  readonly #options: AcceptFailuresOptions;
  /** The time of the first failure. */
  #since: number | undefined;
  #pauseMs = MIN_PAUSE_MS;
  #loggedAt = -Infinity;
  #isLogged = false;
  #endPause = () => {};

  constructor(options: AcceptFailuresOptions) {
    this.#options = options;
  }

  /**
   * Waits before the next attempt.
   *
   * @param closed the number of connections that were closed to free file descriptors
   */
  async pause(thrown: unknown, closed: number): Promise<void> {
    const { clock, log, onAcceptFailure } = this.#options;
    const now = clock.now();
    this.#since ??= now;
    onAcceptFailure();
    if (now - this.#loggedAt >= MESSAGE_INTERVAL_MS) {
      this.#loggedAt = now;
      this.#isLogged = true;
      const relief = closed === 0 ? "" : `; closed ${closed} idle connections`;
      log(`cannot accept connections: ${reasonOf(thrown)}${relief}`, "error");
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(closed > 0 ? RELIEF_MS : this.#pauseMs, resolve);
    this.#endPause = () => {
      cancel();
      resolve();
    };
    if (closed === 0) this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
    await promise;
  }

  /** Resets the failure count after an accepted connection. */
  end(): void {
    if (this.#since === undefined) return;
    if (this.#isLogged) {
      const seconds = ((this.#options.clock.now() - this.#since) / 1000).toFixed(1);
      this.#options.log(`accepting connections again after ${seconds} s`);
    }
    this.#since = undefined;
    this.#isLogged = false;
    this.#pauseMs = MIN_PAUSE_MS;
  }

  /** Ends the wait because the listener is closed. */
  stop(): void {
    this.#endPause();
  }
}

/** The options of a listener. */
export interface ListenerOptions extends AcceptFailuresOptions {
  readonly endpoint: Endpoint;
  /** Whether other workers listen on the same port. */
  readonly shared: boolean;
  /** Answers one request. */
  readonly handle: (request: Request, connection?: CallerConnection) => Promise<Response>;
  /** Called with an unexpected error that was caused by neither a client nor a vendor. */
  readonly onBug: (thrown: unknown) => void;
}

/** An open endpoint. */
export interface Listener {
  readonly address: Endpoint["address"];
  /**
   * Uses a new certificate for new connections. Open connections are not affected. Undefined for an
   * endpoint without a certificate.
   *
   * @param renewed ignored if it is from other files; by default, the files are read
   * @throws the error of the system or of the certificate; the endpoint is then not changed.
   */
  renew?(renewed?: RenewedCertificate): void;
  /**
   * Stops accepting; open connections are still served. Undefined if the runtime does not support
   * it.
   */
  stopAccepting?(): void;
  /** Stops accepting; resolves when the responses are sent or a time limit has passed. */
  close(): Promise<void>;
  /**
   * Stops accepting at once, and makes clients reconnect elsewhere (`Connection: close`); resolves
   * when all connections are closed. Idle connections are closed after half a minute.
   */
  leave?(): Promise<void>;
}

/** How long to wait for another request from a client, to answer it with `Connection: close`. */
const LEAVE_MS = 30_000;

/** The client of all connections of a Unix socket: a program on this machine, such as a proxy. */
const LOCAL_CLIENT = undefined;

/** Accepts connections and serves each one separately, so that each can be closed. */
export class ConnectionListener implements Listener {
  readonly address: Endpoint["address"];
  readonly #options: ListenerOptions;
  readonly #connections: Connections;
  readonly #createServer: (certificate?: Certificate) => ServeConnection;
  #serve: ServeConnection;
  readonly #servers = new Map<Connection, RuntimeServer>();
  readonly #failures: AcceptFailures;
  readonly #socket: Deno.Listener;
  readonly #accepting: Promise<void>;
  #isClosed = false;

  /**
   * @param createServer creates the server of connections, with the certificate of the endpoint or
   * another one
   * @throws the error of the system when it cannot listen on the address, and that of
   * `createServer`.
   */
  constructor(
    options: ListenerOptions,
    connections: Connections,
    createServer: (certificate?: Certificate) => ServeConnection,
  ) {
    const { endpoint } = options;
    this.#options = options;
    this.#connections = connections;
    this.#createServer = createServer;
    this.#serve = createServer(endpoint.certificate);
    this.#socket = bind(endpoint.address, options.shared);
    this.#failures = new AcceptFailures(options);
    this.address = openedAddress(endpoint, this.#socket.addr);
    this.#accepting = this.#run();
  }

  renew(renewed?: RenewedCertificate): void {
    const { endpoint } = this.#options;
    if (endpoint.tls === undefined) return;
    if (renewed !== undefined && !isCertifiedBy(endpoint, renewed.tls)) return;
    this.#serve = this.#createServer(renewed?.certificate);
  }

  async close(): Promise<void> {
    this.stopAccepting();
    // The limit applies to clients that do not read their response, and to those that send a body
    // which is not read.
    await within(this.#connections.lingerMs(), shutDownAll([...this.#servers.values()]));
  }

  async leave(): Promise<void> {
    this.stopAccepting();
    // A connection that has just been accepted is still served.
    await this.#accepting;
    this.#connections.move();
    const servers = [...this.#servers.values()];
    const finished = Promise.allSettled(servers.map((server) => server.finished));
    await within(LEAVE_MS, finished, this.#options.clock);
    await shutDownAll(servers);
  }

  stopAccepting(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Later, the file may belong to a process that has started in the meantime.
    removeSocket(this.#options.endpoint);
    this.#socket.close();
    this.#failures.stop();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      let accepted: Deno.Conn;
      try {
        accepted = await this.#socket.accept();
      } catch (thrown) {
        if (this.#isStopped()) return;
        const closed = isOutOfDescriptors(thrown) ? this.#connections.relieve() : 0;
        await this.#failures.pause(thrown, closed);
        continue;
      }
      this.#failures.end();
      try {
        this.#serveConnection(accepted);
      } catch (thrown) {
        this.#options.onBug(thrown);
      }
    }
  }

  #isStopped(): boolean {
    return this.#isClosed;
  }

  #serveConnection(accepted: Deno.Conn): void {
    let abort = () => {};
    const { remoteAddr } = accepted;
    const address = "hostname" in remoteAddr ? toCallerAddress(remoteAddr.hostname) : LOCAL_CLIENT;
    const connection = this.#connections.admit(address, () => abort());
    if (connection === undefined) return accepted.close();
    if ("setNoDelay" in accepted) (accepted as Deno.TcpConn).setNoDelay();
    const signal = {
      addEventListener(_: "abort", run: () => void) {
        abort = () => ignoreIfClosed(run);
      },
    };
    const handle = (request: Request) => {
      connection.requestBegan();
      return this.#options.handle(request, connection);
    };
    const onError = (thrown: unknown) => toFailure(thrown, this.#options);
    const end = () => {
      this.#servers.delete(connection);
      connection.ended();
    };
    try {
      const server = this.#serve(accepted, signal, handle, onError, () => {});
      this.#servers.set(connection, server);
      // After a failure, the runtime keeps its entry for the connection until then.
      server.finished.catch(() => server.shutdown()).then(end, end);
    } catch (thrown) {
      end();
      ignoreIfClosed(() => accepted.close());
      throw thrown;
    }
  }
}

async function shutDownAll(servers: readonly RuntimeServer[]): Promise<void> {
  await Promise.allSettled(servers.map((server) => server.shutdown()));
}

function ignoreIfClosed(close: () => void): void {
  try {
    close();
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.BadResource)) throw thrown;
  }
}

/** Responds to errors outside the handler, which responds to all of its own errors. */
function toFailure(
  thrown: unknown,
  { onBug }: Pick<ListenerOptions, "onBug">,
): Response {
  // A `GatewayError` has ended a stream: the client has received the error or has disconnected.
  if (!(thrown instanceof GatewayError)) onBug(thrown);
  return new Response(null, { status: 500 });
}

/**
 * Listens with `Deno.serve`, for versions of the runtime that cannot serve a single connection. A
 * server stops when file descriptors run out. Its idle connections are then closed, and a new
 * server replaces it.
 */
export class PortListener implements Listener {
  readonly address: Endpoint["address"];
  readonly #options: ListenerOptions;
  readonly #failures: AcceptFailures;
  /** The server that accepts connections, and earlier ones with open responses. */
  readonly #servers = new Set<RuntimeServer>();
  #isClosed = false;

  /** @throws the error of the system when it cannot listen on the address. */
  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#failures = new AcceptFailures(options);
    const server = this.#open(options.endpoint.address);
    this.address = openedAddress(options.endpoint, server.addr);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    removeSocket(this.#options.endpoint);
    this.#failures.stop();
    await shutDownAll([...this.#servers]);
  }

  #open(address: Endpoint["address"]): RuntimeServer & { readonly addr: Deno.Addr } {
    const server = serveAll(
      address,
      this.#options.shared,
      (thrown) => toFailure(thrown, this.#options),
      (request) => this.#options.handle(request),
    );
    this.#servers.add(server);
    server.finished.catch((thrown) => this.#replace(server, thrown));
    return server;
  }

  #remove(server: RuntimeServer): void {
    const remove = () => void this.#servers.delete(server);
    server.shutdown().then(remove, remove);
  }

  async #replace(failed: RuntimeServer, thrown: unknown): Promise<void> {
    this.#remove(failed);
    let reason = thrown;
    while (!this.#isClosed) {
      await this.#failures.pause(reason, 0);
      if (this.#isClosed) return;
      try {
        this.#open(this.address);
        return this.#failures.end();
      } catch (another) {
        reason = another;
      }
    }
  }
}
