/** The port that callers reach. It stays open whatever happens to single connections. */

import { AcceptFailures, type AcceptFailuresOptions } from "./accept_failures.ts";
import { toCallerAddress } from "../upstream/images/public_addresses.ts";
import type { Connection, Connections } from "./connections.ts";
import { GatewayError } from "../core/errors.ts";
import type { CallerConnection } from "../routing/request_record.ts";
import { isOutOfDescriptors } from "./files.ts";
import { within } from "./time_limit.ts";
import type { RuntimeServer, ServeConnection } from "./runtime_server.ts";

export interface ListenerOptions extends AcceptFailuresOptions {
  /** Where callers find it. */
  readonly where: { readonly hostname: string; readonly port: number };
  /** Whether other threads listen on the same port. */
  readonly shared: boolean;
  /** Answers one request. */
  readonly handle: (request: Request, connection?: CallerConnection) => Promise<Response>;
  /** Called with what neither a caller nor a vendor has caused. */
  readonly onBug: (thrown: unknown) => void;
}

/** A port that is listened on. */
export interface Listener {
  readonly address: { readonly hostname: string; readonly port: number };
  /** Accepts nothing more; resolves when the answers have left, as far as callers take them. */
  close(): Promise<void>;
}

/** Accepts connections itself and has the runtime serve each of them, so that each can be closed. */
export class ConnectionListener implements Listener {
  readonly address: Listener["address"];
  readonly #options: ListenerOptions;
  readonly #connections: Connections;
  readonly #serve: ServeConnection;
  readonly #listener: Deno.TcpListener;
  readonly #servers = new Map<Connection, RuntimeServer>();
  readonly #failures: AcceptFailures;
  #isClosed = false;

  /** @throws what the system says when the address cannot be listened on. */
  constructor(options: ListenerOptions, connections: Connections, serve: ServeConnection) {
    const { where, shared } = options;
    this.#options = options;
    this.#connections = connections;
    this.#serve = serve;
    this.#listener = Deno.listen({ ...where, ...(shared && { reusePort: true }) });
    this.#failures = new AcceptFailures(options);
    const { hostname, port } = this.#listener.addr;
    this.address = { hostname, port };
    void this.#run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listener.close();
    this.#failures.stop();
    // Who does not read its answer, or goes on with a body that nobody reads, is not waited for.
    await within(this.#connections.lingerMs(), shutDown([...this.#servers.values()]));
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
        this.#take(accepted);
      } catch (thrown) {
        this.#options.onBug(thrown);
      }
    }
  }

  #take(accepted: Deno.TcpConn): void {
    let cut = () => {};
    const address = toCallerAddress(accepted.remoteAddr.hostname);
    const connection = this.#connections.admit(address, () => cut());
    if (connection === undefined) return accepted.close();
    const signal = {
      addEventListener(_: "abort", run: () => void) {
        cut = () => ignoreIfClosed(run);
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

async function shutDown(servers: readonly RuntimeServer[]): Promise<void> {
  await Promise.allSettled(servers.map((server) => server.shutdown()));
}

function ignoreIfClosed(close: () => void): void {
  try {
    close();
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.BadResource)) throw thrown;
  }
}

/** The last resort of the runtime; the handler itself answers whatever happens. */
function toFailure(thrown: unknown, { onBug }: ListenerOptions): Response {
  // A stream that was given up for a reason of which the caller is told, or is gone.
  if (!(thrown instanceof GatewayError)) onBug(thrown);
  return new Response(null, { status: 500 });
}

/**
 * Leaves accepting to `Deno.serve`, for versions of the runtime that serve no
 * single connection. It stops for good when file descriptors run out. Then the
 * idle connections are closed, and another one takes its place.
 */
export class PortListener implements Listener {
  readonly address: Listener["address"];
  readonly #options: ListenerOptions;
  readonly #failures: AcceptFailures;
  /** The one that accepts, and those before it that have answers under way. */
  readonly #servers = new Set<RuntimeServer>();
  #isClosed = false;

  /** @throws what the system says when the address cannot be listened on. */
  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#failures = new AcceptFailures(options);
    const { hostname, port } = this.#open(options.where);
    this.address = { hostname, port };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failures.stop();
    await shutDown([...this.#servers]);
  }

  #open(where: Listener["address"]): Deno.NetAddr {
    const options = {
      ...where,
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
    const forget = () => void this.#servers.delete(failed);
    failed.shutdown().then(forget, forget);
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
