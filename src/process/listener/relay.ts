/**
 * Connects clients whose bytes do not come directly from a socket, such as TLS clients, to the
 * runtime's HTTP server. Each client has a loopback connection to the server.
 */

import type { Duplex } from "node:stream";
import {
  closeQuietly,
  ConnectionStream,
  type RuntimeServer,
  type ServeConnection,
  writeAll,
} from "./runtime_server.ts";

/** Serves a client whose bytes arrive as a stream. */
export type ServeStream = (client: Duplex, handlers: Handlers) => RuntimeServer;

const LOOPBACK = { hostname: "127.0.0.1", port: 0 };

/** The number of bytes from a client that may be queued for the server before reading pauses. */
const MAX_WAITING_BYTES = 64 * 1024;

/** The size of reads from the server, which is that of the largest TLS record. */
const READ_BYTES = 16 * 1024;

/** Answers a client's requests. */
export interface Handlers {
  readonly handle: (request: Request) => Promise<Response>;
  readonly onError: (thrown: unknown) => Response;
}

/** The runtime's server for one client, and our end of the connection to it. */
interface Inner {
  readonly near: Deno.TcpConn;
  readonly server: RuntimeServer;
  /** Closes the server's side at once. */
  readonly abort: () => void;
}

/** Opens a connection to the runtime's server. */
export type OpenInner = (handlers: Handlers) => Promise<Inner>;

/**
 * Opens connections that the runtime serves one by one. Any program on this machine can connect to
 * the port in the meantime, so the connection is checked.
 */
export function openPairs(serve: ServeConnection): OpenInner {
  return async ({ handle, onError }) => {
    using listener = Deno.listen(LOOPBACK);
    const near = await connectTo(listener.addr);
    for (;;) {
      const far = await listener.accept();
      if (portOf(far.remoteAddr) === portOf(near.localAddr)) {
        let close = () => {};
        const signal = { addEventListener: (_: "abort", run: () => void) => void (close = run) };
        const server = serve(far, signal, handle, onError, () => {});
        return { near, server, abort: () => closeQuietly({ close }) };
      }
      far.close();
    }
  };
}

/**
 * Opens connections if the runtime can serve only whole ports; each has a server with a separate
 * port.
 */
export const openPort: OpenInner = async ({ handle, onError }) => {
  const ownPorts = new Set<number>();
  const controller = new AbortController();
  const options = { ...LOOPBACK, signal: controller.signal, onListen() {}, onError };
  const server = Deno.serve(options, (request, { remoteAddr }) =>
    // Any program on this machine can connect to the port.
    ownPorts.has(remoteAddr.port) ? handle(request) : new Response(null, { status: 403 }));
  const near = await connectTo(server.addr);
  ownPorts.add(portOf(near.localAddr));
  // The runtime throws if it is aborted during a shutdown.
  let isClosing = false;
  const shutdown = () => {
    isClosing = true;
    return server.shutdown();
  };
  const abort = () => isClosing ? undefined : controller.abort();
  return { near, server: { finished: server.finished, shutdown }, abort };
};

async function connectTo({ hostname, port }: Deno.NetAddr): Promise<Deno.TcpConn> {
  const near = await Deno.connect({ hostname, port });
  near.setNoDelay();
  return near;
}

function portOf(address: Deno.Addr): number {
  return "port" in address ? address.port : 0;
}

/**
 * Lets the runtime's server serve a client.
 *
 * @returns its server, which is finished when the client's stream is closed
 */
export function relay(client: Duplex, open: OpenInner, handlers: Handlers): RuntimeServer {
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  const opened = open(handlers);
  client.once("close", () => {
    opened.then(({ near, server, abort }) => {
      closeQuietly(near);
      abort();
      return server.finished;
    }).catch(() => {}).then(() => resolve());
  });
  opened.then(({ near, server }) => {
    // After a failure, the runtime keeps its entry for the connection until then.
    server.finished.catch(() => server.shutdown()).catch(() => {});
    if (client.destroyed) return;
    sendTo(near, client);
    return sendBack(near, client);
  }).catch((thrown) => client.destroy(thrown));
  // The connection could not be opened, and its client has been disconnected.
  const shutdown = () => opened.then(({ server }) => server.shutdown(), () => {});
  return { finished, shutdown };
}

/** Creates a server of connections without TLS. */
export function servePlain(serve: ServeStream): ServeConnection {
  return (connection, signal, handle, onError) => {
    const stream = new ConnectionStream(connection);
    signal.addEventListener("abort", () => void stream.destroy());
    const { finished, shutdown } = serve(stream, { handle, onError });
    return {
      finished,
      async shutdown() {
        await shutdown();
        await finished;
      },
    };
  };
}

/** Forwards data from the client to the server, as fast as the server reads. */
function sendTo(near: Deno.TcpConn, client: Duplex): void {
  let waiting = 0;
  let isRead = true;
  let sent = Promise.resolve();
  client.on("data", (piece: Uint8Array) => {
    if (!isRead) return;
    waiting += piece.length;
    if (waiting > MAX_WAITING_BYTES) client.pause();
    sent = sent.then(() => writeAll(near, piece)).then(() => {
      waiting -= piece.length;
      if (client.isPaused() && waiting <= MAX_WAITING_BYTES) client.resume();
    });
    sent.catch(() => {
      // The server has closed the connection. Further data from the client is discarded.
      isRead = false;
      client.resume();
    });
  });
  client.once("end", () => void sent.then(() => near.closeWrite()).catch(() => {}));
}

/** Forwards data from the server to the client, as fast as the client reads. */
async function sendBack(near: Deno.TcpConn, client: Duplex): Promise<void> {
  const buffer = new Uint8Array(READ_BYTES);
  for (;;) {
    const size = await near.read(buffer);
    if (size === null) return void client.end();
    if (client.write(buffer.slice(0, size))) continue;
    if (client.destroyed) return;
    await new Promise<void>((resolve) => {
      const goOn = () => {
        client.off("drain", goOn).off("close", goOn);
        resolve();
      };
      client.on("drain", goOn).on("close", goOn);
    });
  }
}
