/** Opens the port of a gateway. */

import type { Clock } from "../../core/clock.ts";
import type { App } from "../../http/app.ts";
import type { ServerMetrics } from "../../telemetry/server_metrics.ts";
import type { Connections } from "./connections.ts";
import { describe } from "../system/error_reports.ts";
import { reasonOf } from "../system/files.ts";
import {
  ConnectionListener,
  type Listener,
  type ListenerOptions,
  PortListener,
} from "./listener.ts";
import { findServeConnection } from "./runtime_server.ts";
import { StartError } from "../system/startup_error.ts";
import { logMessage, report } from "../system/stdio.ts";

const NO_CONNECTION_LIMITS = "this version of Deno cannot close single connections: " +
  "server.max_connections, max_connections_per_address, head_timeout and idle_timeout have no effect";

/** The address that the gateway listens on. */
export interface Address {
  readonly hostname: string;
  readonly port: number;
}

/** A gateway that accepts connections. */
export interface Listening {
  readonly address: Address;
  /** Refuses new requests; resolves when the last answer is sent. */
  drain(): Promise<void>;
  /**
   * Accepts no more connections; resolves when the last one is closed. The system resets connections
   * that are just being opened: at 2,500 new ones a second, every other call resets one (measured on
   * loopback, 2026-11-23). Undefined if the runtime cannot do it.
   */
  readonly leave: (() => Promise<void>) | undefined;
}

interface PortOptions {
  readonly address: Address;
  readonly shared: boolean;
  readonly clock: Clock;
  readonly connections: Connections;
  readonly metrics: ServerMetrics;
  readonly flush: () => Promise<void>;
}

export function listen(
  app: App,
  { address, shared, clock, connections, metrics, flush }: PortOptions,
): Listening {
  const options: ListenerOptions = {
    address,
    shared,
    clock,
    handle: (request, connection) => app.handle(request, connection),
    log: logMessage,
    onAcceptFailure: () => metrics.acceptFailed(),
    onBug: (thrown) => report(`${describe(thrown)}\n`),
  };
  const listener = openPort(address, () => openListener(options, connections));
  return {
    address: listener.address,
    leave: listener.leave?.bind(listener),
    async drain() {
      await app.drain();
      // The last answers may not be sent completely yet.
      await listener.close();
      await flush();
    },
  };
}

function openListener(options: ListenerOptions, connections: Connections): Listener {
  const serveConnection = findServeConnection(Deno);
  if (serveConnection !== undefined) {
    return new ConnectionListener(options, connections, serveConnection);
  }
  const listener = new PortListener(options);
  options.log(NO_CONNECTION_LIMITS);
  return listener;
}

/**
 * Checks that the port is free, because a shared port can be opened although another process uses
 * it. Chooses a free port for 0.
 *
 * @throws {StartError} when it cannot listen on the address.
 */
export function probe(address: Address): Address {
  using listener = openPort(address, () => Deno.listen({ ...address }));
  return { hostname: address.hostname, port: listener.addr.port };
}

function openPort<Listener>({ hostname, port }: Address, open: () => Listener): Listener {
  try {
    return open();
  } catch (thrown) {
    const address = `${hostname}:${port}`;
    if (thrown instanceof Deno.errors.AddrInUse) {
      throw new StartError(
        `Cannot listen on ${address}: the port is in use; choose another with --port`,
      );
    }
    const reason = isUnknownHost(thrown) ? "unknown host" : reasonOf(thrown);
    throw new StartError(`Cannot listen on ${address}: ${reason}`);
  }
}

/** Whether the host name is unknown or invalid. */
function isUnknownHost(thrown: unknown): boolean {
  return thrown instanceof URIError ||
    (thrown instanceof Error && thrown.message.startsWith("failed to lookup address"));
}
