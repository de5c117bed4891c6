/**
 * The runtime's HTTP server, including an undocumented function that serves both TCP and Unix
 * socket connections.
 */

import { Duplex } from "node:stream";

/** A server of the runtime for one connection, or for all connections to a port. */
export interface RuntimeServer {
  /** Settles when the last connection is closed. Rejects when no connection can be accepted. */
  readonly finished: Promise<void>;
  /** Closes idle connections at once, and others when their response has ended. */
  shutdown(): Promise<void>;
}

/** The part of an `AbortSignal` that the runtime uses. `run` is called at most once. */
interface CloseSignal {
  addEventListener(type: "abort", run: () => void): void;
}

/** `Deno.serve` for an accepted connection. */
export type ServeConnection = (
  connection: Deno.Conn,
  /** Closes the connection at once. */
  signal: CloseSignal,
  handler: (request: Request) => Promise<Response>,
  onError: (thrown: unknown) => Response,
  onListen: () => void,
) => RuntimeServer;

/**
 * Finds the runtime's server for a single connection, which `Deno.serve` uses internally. It is
 * undocumented and may be missing in other versions of the runtime. Without this function, the
 * gateway cannot count connections or close idle and stalled ones.
 */
export function findServeConnection(runtime: object): ServeConnection | undefined {
  const key: unknown = Reflect.get(runtime, "internal");
  if (typeof key !== "symbol") return undefined;
  const internals: unknown = Reflect.get(runtime, key);
  if (typeof internals !== "object" || internals === null) return undefined;
  const serve: unknown = Reflect.get(internals, "serveHttpOnConnection");
  return typeof serve === "function" ? serve as ServeConnection : undefined;
}

// A connection as a Node stream, which `node:tls` and `node:http` can serve.

/** The size of reads, which is that of the largest TLS record. */
const READ_BYTES = 16 * 1024;

/**
 * The stream of a connection. The runtime's `node:net` would accept connections too, but stops for
 * good when file descriptors run out, without an event (Deno 2.9.6, tried 2026-11-28).
 */
export class ConnectionStream extends Duplex {
  readonly #connection: Deno.Conn;
  readonly #buffer = new Uint8Array(READ_BYTES);

  constructor(connection: Deno.Conn) {
    super({ allowHalfOpen: true });
    this.#connection = connection;
    // The client has reset the connection; the stream is then closed.
    this.on("error", () => {});
  }

  override _read(): void {
    this.#connection.read(this.#buffer).then(
      (size) => this.push(size === null ? null : this.#buffer.slice(0, size)),
      (thrown) => this.destroy(thrown),
    );
  }

  override _write(bytes: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    writeAll(this.#connection, bytes).then(() => done(), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.#connection.closeWrite().then(() => done(), () => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    closeQuietly(this.#connection);
    done(error);
  }
}

/** Writes all bytes to a connection. */
export async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let left = bytes; left.length > 0;) left = left.subarray(await connection.write(left));
}

/** Closes a connection or a listener, if it is open. */
export function closeQuietly(resource: { close(): void }): void {
  try {
    resource.close();
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.BadResource)) throw thrown;
  }
}
