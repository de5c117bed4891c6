/** The listening port. It stays open when single connections fail. */

import { AcceptFailures, type AcceptFailuresOptions } from "./accept_failures.ts";
import { toCallerAddress } from "../../upstream/images/public_addresses.ts";
import type { Connection, Connections } from "./connections.ts";
import { GatewayError } from "../../core/errors.ts";
import type { CallerConnection } from "../../routing/request_record.ts";
import { isOutOfDescriptors } from "../system/files.ts";
import { within } from "../system/time_limit.ts";
import type { RuntimeServer, ServeConnection } from "./runtime_server.ts";

/** The options of a listener. */
export interface ListenerOptions extends AcceptFailuresOptions {
  /** The address to listen on. */
  readonly address: { readonly hostname: string; readonly port: number };
  /** Whether other workers listen on the same port. */
  readonly shared: boolean;
  /** Answers one request. */
  readonly handle: (request: Request, connection?: CallerConnection) => Promise<Response>;
  /** Called with an unexpected error, which neither a client nor a vendor has caused. */
  readonly onBug: (thrown: unknown) => void;
}

/** A listening port. */
export interface Listener {
  readonly address: { readonly hostname: string; readonly port: number };
  /** Stops accepting; resolves when the answers are sent or a time limit has passed. */
  close(): Promise<void>;
  /**
   * Stops accepting at once, and asks the clients to open other connections; resolves when all are
   * closed. Those that are idle are closed after half a minute.
   */
  leave?(): Promise<void>;
}

/** How long clients have to send another request, whose answer tells them to close. */
const LEAVE_MS = 30_000;

/** Accepts connections and lets the runtime serve each one, so that each can be closed. */
export class ConnectionListener implements Listener {
  readonly address: Listener["address"];
  readonly #options: ListenerOptions;
  readonly #connections: Connections;
  readonly #serve: ServeConnection;
  readonly #listener: Deno.TcpListener;
  readonly #servers = new Map<Connection, RuntimeServer>();
  readonly #failures: AcceptFailures;
  readonly #accepting: Promise<void>;
  #isClosed = false;

  /** @throws the error of the system when it cannot listen on the address. */
  constructor(options: ListenerOptions, connections: Connections, serve: ServeConnection) {
    const { address, shared } = options;
    this.#options = options;
    this.#connections = connections;
    this.#serve = serve;
    this.#listener = Deno.listen({ ...address, ...(shared && { reusePort: true }) });
    this.#failures = new AcceptFailures(options);
    const { hostname, port } = this.#listener.addr;
    this.address = { hostname, port };
    this.#accepting = this.#run();
  }

  async close(): Promise<void> {
    this.#stopAccepting();
    // The limit is for clients that do not read their answer, or send a body that is not read.
    await within(this.#connections.lingerMs(), shutDownAll([...this.#servers.values()]));
  }

  async leave(): Promise<void> {
    this.#stopAccepting();
    // A connection that has just been accepted is served.
    await this.#accepting;
    this.#connections.move();
    const servers = [...this.#servers.values()];
    const finished = Promise.allSettled(servers.map((server) => server.finished));
    await within(LEAVE_MS, finished, this.#options.clock);
    await shutDownAll(servers);
  }

  #stopAccepting(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener.close();
    this.#failures.stop();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      let accepted: Deno.TcpConn;
      try {
        accepted = await this.#listener.accept();
      } catch (thrown) {
        if (this.#isClosed) return;
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

  #serveConnection(accepted: Deno.TcpConn): void {
    let abort = () => {};
    const address = toCallerAddress(accepted.remoteAddr.hostname);
    const connection = this.#connections.admit(address, () => abort());
    if (connection === undefined) return accepted.close();
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
      server.finished.then(end, end);
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

/** Answers errors outside the handler, which itself answers all of its errors. */
function toFailure(thrown: unknown, { onBug }: ListenerOptions): Response {
  // A `GatewayError` has ended a stream: the client knows the error or has disconnected.
  if (!(thrown instanceof GatewayError)) onBug(thrown);
  return new Response(null, { status: 500 });
}

/**
 * Listens with `Deno.serve`, for versions of the runtime that cannot serve a single connection. A
 * server ends when file descriptors run out. Then its idle connections are closed and a new server
 * replaces it.
 */
export class PortListener implements Listener {
  readonly address: Listener["address"];
  readonly #options: ListenerOptions;
  readonly #failures: AcceptFailures;
  /** The server that accepts, and earlier ones with open answers. */
  readonly #servers = new Set<RuntimeServer>();
  #isClosed = false;

  /** @throws the error of the system when it cannot listen on the address. */
  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#failures = new AcceptFailures(options);
    const { hostname, port } = this.#open(options.address);
    this.address = { hostname, port };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failures.stop();
    await shutDownAll([...this.#servers]);
  }

  #open(address: Listener["address"]): Deno.NetAddr {
    const options = {
      ...address,
      ...(this.#options.shared && { reusePort: true }),
      onListen() {},
      onError: (thrown: unknown) => toFailure(thrown, this.#options),
    };
    const server = Deno.serve(options, (request) => this.#options.handle(request));
    this.#servers.add(server);
    server.finished.catch((thrown) => this.#replace(server, thrown));
    return server.addr;
  }

  async #replace(failed: RuntimeServer, thrown: unknown): Promise<void> {
    const remove = () => void this.#servers.delete(failed);
    failed.shutdown().then(remove, remove);
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
