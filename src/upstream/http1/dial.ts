/** Opens connections to vendors. Every socket of a failed or aborted attempt is closed. */

import { type StopSignal, untilAborted } from "../../core/stop_signal.ts";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { systemClock } from "../../core/clock.ts";
import type { Dial, Origin } from "./client.ts";
import type { Connection } from "./connection.ts";
import { connectSocket } from "./connect_socket.ts";
import { forwards, type ProxyServer } from "./proxy_server.ts";
import { toProxyError, toTransportError, TransportError } from "../../core/transport_error.ts";
import { isPublic } from "../public_addresses.ts";

/** Milliseconds until a connection to the next address is tried in parallel (RFC 8305, section 5). */
const NEXT_ADDRESS_MS = 250;

/** Opens a connection. For an origin with TLS, the handshake has been completed. */
export const dial: Dial = (origin, signal) => open(origin, signal, () => {});

/** Opens a connection to a host whose addresses are all public. A proxy resolves names itself. */
export const dialPublic: Dial = (origin, signal) => open(origin, signal, checkPublic);

/** Thrown if a host has an address outside the public internet. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
}

/** @throws {PrivateAddressError} */
function checkPublic(addresses: readonly string[]): void {
  if (addresses.every(isPublic)) return;
  throw new PrivateAddressError("the host has a private address");
}

type CheckAddresses = (addresses: readonly string[]) => void;

async function open(
  origin: Origin,
  signal: StopSignal,
  check: CheckAddresses,
): Promise<Connection> {
  const endpoint = `${origin.host}:${origin.port}`;
  try {
    if (origin.via !== undefined) {
      if (isIP(origin.host) !== 0) check([origin.host]);
      return await connectThrough(origin, origin.via, signal);
    }
    const addresses = await lookedUp(origin.host, endpoint, signal);
    check(addresses);
    return origin.tls
      ? await connectSocket(origin, addresses, signal)
      : await connectToAny(addresses, origin.port, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    throw toTransportError(thrown, endpoint);
  }
}

/** Connects through a proxy. */
async function connectThrough(
  origin: Origin,
  via: ProxyServer,
  signal: StopSignal,
): Promise<Connection> {
  const endpoint = `${origin.host}:${origin.port}`;
  // A SOCKS tunnel leads to an address, unless the proxy resolves the name.
  const [tunnelTo] = via.scheme === "socks5" ? await lookedUp(origin.host, endpoint, signal) : [];
  let addresses: readonly string[];
  try {
    addresses = await lookedUp(via.host, `${via.host}:${via.port}`, signal);
    if (via.scheme === "http" && forwards(via, origin.tls)) {
      return await connectToAny(addresses, via.port, signal);
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw toProxyError(thrown, endpoint, via.setting);
  }
  return await connectSocket(origin, addresses, signal, tunnelTo);
}

async function lookedUp(
  host: string,
  endpoint: string,
  signal: StopSignal,
): Promise<readonly string[]> {
  try {
    return await addressesOf(host, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    throw new TransportError("dns", `DNS lookup failed: ${codeOf(thrown)}`, endpoint, {
      cause: thrown,
    });
  }
}

/** Pending DNS lookups by host. The system's resolver cannot abort them. */
const lookups = new Map<string, Promise<readonly string[]>>();

/** The addresses of a host, with IPv4 and IPv6 alternating. */
async function addressesOf(host: string, signal: StopSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  let pending = lookups.get(host);
  if (pending === undefined) {
    // All requests for a host share one lookup, even if the name server hangs.
    pending = lookUp(host).finally(() => lookups.delete(host));
    lookups.set(host, pending);
  }
  return await untilAborted(pending, signal);
}

async function lookUp(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  const first = found[0]?.family;
  const [same, other] = [true, false].map((isFirst) =>
    found.filter(({ family }) => (family === first) === isFirst)
  );
  return found.flatMap((_, at) => [same?.[at], other?.[at]])
    .flatMap((entry) => entry === undefined ? [] : entry.address);
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown";
}

/** Connects to the first address that accepts; the other attempts are aborted. */
function connectToAny(
  addresses: readonly string[],
  port: number,
  signal: StopSignal,
): Promise<Deno.TcpConn> {
  const { promise, resolve, reject } = Promise.withResolvers<Deno.TcpConn>();
  const controller = new AbortController();
  let next = 0;
  let open = 0;
  let firstFailure: unknown;
  let cancelNext = () => {};
  const end = () => {
    cancelNext();
    controller.abort();
    signal.removeEventListener("abort", leave);
  };
  const leave = () => {
    end();
    reject(signal.reason);
  };
  const tryNext = () => {
    cancelNext();
    const address = addresses[next++];
    if (address === undefined) return;
    if (next < addresses.length) cancelNext = systemClock.after(NEXT_ADDRESS_MS, tryNext);
    open++;
    connectTo(address, port, controller.signal).then((connection) => {
      // Another attempt or an abort came first, in the same event loop turn.
      if (controller.signal.aborted) return connection.close();
      end();
      resolve(connection);
    }, (thrown) => {
      firstFailure ??= thrown;
      open--;
      if (controller.signal.aborted) return;
      tryNext();
      if (open > 0) return;
      end();
      reject(firstFailure);
    });
  };
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  else tryNext();
  return promise;
}

/** Connects to one address. An abort closes the socket immediately, in any state. */
async function connectTo(
  hostname: string,
  port: number,
  signal: StopSignal,
): Promise<Deno.TcpConn> {
  const own = new AbortController();
  // Deno.connect() calls this again after the connection has been opened. If it throws then, the
  // connection is never closed (Deno 2.9.6).
  own.signal.throwIfAborted = () => {};
  const stop = () => own.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const connection = await Deno.connect({ hostname, port, signal: own.signal });
    if (signal.aborted) {
      connection.close();
      throw signal.reason;
    }
    connection.setNoDelay();
    return connection;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
