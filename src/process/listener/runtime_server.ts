/**
 * The HTTP server of the runtime, including an undocumented function, which serves connections of
 * TCP and of Unix sockets alike.
 */

/** A server of the runtime for one connection, or for all connections of a port. */
export interface RuntimeServer {
  /** Settles when the last connection is closed. Rejects when no connection can be accepted. */
  readonly finished: Promise<void>;
  /** Closes idle connections at once, and others when their answer has ended. */
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
 * undocumented and may be missing in other versions of the runtime. Without it, the gateway cannot
 * count connections or close idle and stalled ones.
 */
export function findServeConnection(runtime: object): ServeConnection | undefined {
  const key: unknown = Reflect.get(runtime, "internal");
  if (typeof key !== "symbol") return undefined;
  const internals: unknown = Reflect.get(runtime, key);
  if (typeof internals !== "object" || internals === null) return undefined;
  const serve: unknown = Reflect.get(internals, "serveHttpOnConnection");
  return typeof serve === "function" ? serve as ServeConnection : undefined;
}
