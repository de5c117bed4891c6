/** What the runtime's HTTP server offers, documented or not. */

/** Requests that the runtime reads from one connection, or from all connections of a port. */
export interface RuntimeServer {
  /** Settles when the last connection is closed. Rejects when nothing more can be accepted. */
  readonly finished: Promise<void>;
  /** Closes idle connections, and each other one with the end of its answer. */
  shutdown(): Promise<void>;
}

/** The part of an `AbortSignal` that the runtime uses: it calls `run` no more than once. */
interface CutSignal {
  addEventListener(type: "abort", run: () => void): void;
}

/** `Deno.serve` for a connection that was accepted before. */
export type ServeConnection = (
  connection: Deno.TcpConn,
  /** Closes the connection at once, whatever it is doing. */
  signal: CutSignal,
  handler: (request: Request) => Promise<Response>,
  onError: (thrown: unknown) => Response,
  onListen: () => void,
) => RuntimeServer;

/**
 * The runtime's own server for a single connection, the one that `Deno.serve` is
 * made of. It is not part of the documented interface, so it may be missing in
 * other versions of the runtime. Without it a connection that is idle, stalled
 * or said to be closed cannot be closed, and connections cannot be counted.
 */
export function findServeConnection(runtime: object): ServeConnection | undefined {
  const key: unknown = Reflect.get(runtime, "internal");
  if (typeof key !== "symbol") return undefined;
  const internals: unknown = Reflect.get(runtime, key);
  if (typeof internals !== "object" || internals === null) return undefined;
  const serve: unknown = Reflect.get(internals, "serveHttpOnConnection");
  return typeof serve === "function" ? serve as ServeConnection : undefined;
}
