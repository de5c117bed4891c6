/**
 * Connects to vendors with TLS and through proxy tunnels. This uses `node:tls`, because
 * `Deno.startTls` keeps the socket of an aborted handshake open until the server closes it (Deno
 * 2.9.6). A vendor that accepts connections but never responds would then leak a file descriptor
 * with each attempt.
 */

import { connect, isIP, type Socket } from "node:net";
import { connect as startTls, type TLSSocket } from "node:tls";
import type { StopSignal } from "../../core/stop_signal.ts";
import { toProxyError, TransportError } from "../../core/transport_error.ts";
import { systemClock } from "../../core/clock.ts";
import type { Origin } from "./client.ts";
import type { Connection } from "./connection.ts";
import { forwards, openTunnel, type ProxyServer } from "./proxy_server.ts";
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { VendorRoute } from "../../config/vendor_route.ts";
import { messageOf } from "../../core/errors.ts";
import { pinnedTo } from "../excluded_hosts.ts";

/** Handshake options. */
interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** One provider's certificates. */
class Trust {
  /** Whether the provider has CAs in addition to the system's. */
  readonly hasOwn: boolean;
  readonly #ca: TlsOptions;
  readonly #client: TlsOptions;
  /**
   * Peers with certificates from the system's CAs, by host and port. The runtime verifies with one
   * list of CAs; a combined list takes 30 ms per connection (Deno 2.9.6).
   */
  readonly #bySystem = new Set<string>();

  /** @throws {TransportError} when the certificates cannot be used. */
  constructor({ ca, client }: VendorRoute = {}) {
    try {
      for (const pem of [ca, client?.cert]) if (pem !== undefined) new X509Certificate(pem);
      if (client !== undefined) createPrivateKey(client.key);
    } catch (thrown) {
      const cause = `the certificates cannot be used: ${messageOf(thrown)}`;
      throw new TransportError("tls", cause, undefined, { cause: thrown });
    }
    this.hasOwn = ca !== undefined;
    this.#ca = ca === undefined ? {} : { ca };
    this.#client = client ?? {};
  }

  /** @param peer host and port */
  optionsFor(peer: string): TlsOptions {
    return this.#bySystem.has(peer) ? this.#client : { ...this.#ca, ...this.#client };
  }

  /** From now on, verifies a peer with the other list of CAs. */
  switchFor(peer: string): void {
    if (!this.#bySystem.delete(peer)) this.#bySystem.add(peer);
  }
}

const NO_ROUTE = new Trust();
const trusts = new WeakMap<VendorRoute, Trust>();

/**
 * A route's certificates.
 *
 * @throws {TransportError} when they cannot be used.
 */
function trustOf(route: VendorRoute | undefined): Trust {
  if (route === undefined) return NO_ROUTE;
  let trust = trusts.get(route);
  if (trust === undefined) trusts.set(route, trust = new Trust(route));
  return trust;
}

/** The peer in a handshake. */
interface Peer {
  readonly host: string;
  readonly port: number;
}

/** The TCP socket, and each TLS socket on top of the previous one. */
type Sockets = [Socket, ...Socket[]];

/** The destination, and the signal that aborts the attempt. */
interface Target {
  readonly origin: Origin;
  /** The addresses of the host or its proxy. */
  readonly addresses: readonly string[];
  readonly signal: StopSignal;
  /** The address that a tunnel leads to, instead of the host name. */
  readonly tunnelTo: string | undefined;
}

/**
 * Connects to one of these addresses, and completes the handshakes. Certificates are verified with
 * the provider's CAs or, if the issuer is not among them, with the system's.
 *
 * @param addresses those of the host or its proxy
 * @param tunnelTo the address that a tunnel leads to, instead of the host's name
 * @throws the signal's reason when it is aborted.
 */
export async function connectSocket(
  origin: Origin,
  addresses: readonly string[],
  signal: StopSignal,
  tunnelTo?: string,
): Promise<Connection> {
  const target: Target = { origin, addresses, signal, tunnelTo };
  const trust = trustOf(origin.route);
  for (const tried = new Set<string>();;) {
    try {
      return new SocketConnection(await open(target, true));
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof UntrustedPeer)) throw thrown;
      const { cause, peer } = thrown;
      const name = `${peer.host}:${peer.port}`;
      if (!trust.hasOwn || tried.has(name)) throw await explained(cause, peer, target);
      tried.add(name);
      trust.switchFor(name);
    }
  }
}

/** Opens the TCP socket and the TLS sockets on top of it. */
async function open(target: Target, rejectUnauthorized: boolean): Promise<Sockets> {
  const { origin, addresses, signal } = target;
  const { host, port } = origin.via ?? origin;
  const tcp = connect({ host, port, lookup: pinnedTo(addresses) });
  const sockets: Sockets = [tcp];
  try {
    if (origin.via === undefined) await emitted(tcp, "connect", signal);
    else await reachThrough(origin.via, sockets, target);
    if (origin.tls) await encrypt(sockets, origin, target, rejectUnauthorized);
    return sockets;
  } catch (thrown) {
    for (const socket of sockets.toReversed()) socket.destroy();
    throw thrown;
  }
}

/** Connects to the proxy, and opens a tunnel unless requests are sent to the proxy itself. */
async function reachThrough(via: ProxyServer, sockets: Sockets, target: Target): Promise<void> {
  const { origin, signal, tunnelTo } = target;
  const [tcp] = sockets;
  try {
    await emitted(tcp, "connect", signal);
    if (via.scheme === "https") await encrypt(sockets, via, target, true);
    if (forwards(via, origin.tls)) return;
    const to = { host: tunnelTo ?? origin.host, port: origin.port };
    await openTunnel(via, to, sockets.at(-1) ?? tcp, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof UntrustedPeer) throw thrown;
    throw toProxyError(thrown, `${origin.host}:${origin.port}`, via.setting);
  }
}

/** Completes a handshake over the last of the sockets. */
async function encrypt(
  sockets: Sockets,
  peer: Peer,
  { origin, signal }: Target,
  rejectUnauthorized: boolean,
): Promise<void> {
  const { host, port } = peer;
  const options = trustOf(origin.route).optionsFor(`${host}:${port}`);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const ALPNProtocols = ["http/1.1"];
  const socket = sockets.at(-1) ?? sockets[0];
  const own = { socket, host, ...servername, ALPNProtocols, rejectUnauthorized };
  const tls = startTls({ ...options, ...own });
  sockets.push(tls);
  try {
    await emitted(tls, "secureConnect", signal);
  } catch (thrown) {
    throw isUntrusted(thrown) ? new UntrustedPeer(thrown, peer) : thrown;
  }
}

/**
 * Waits for an event. Also handles later socket errors, which would otherwise crash the
 * process.
 */
function emitted(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: StopSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => reject(signal.reason);
  socket.on("error", reject);
  socket.once("close", () => reject(new Error("Connection closed")));
  socket.once(event, () => resolve());
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", leave));
}

/** The peer's certificate is not signed by a trusted CA. */
class UntrustedPeer extends Error {
  override readonly name = "UntrustedPeer";

  constructor(override readonly cause: unknown, readonly peer: Peer) {
    super("The certificate is not trusted");
  }
}

/** The runtime's code both for an unknown issuer and for an expired certificate. */
const UNVERIFIED = "UNABLE_TO_VERIFY_LEAF_SIGNATURE";
const UNTRUSTED_CODES: ReadonlySet<unknown> = new Set([
  UNVERIFIED,
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}

function isUntrusted(thrown: unknown): boolean {
  return UNTRUSTED_CODES.has(codeOf(thrown));
}

/** The error, with a more precise cause than the runtime's. */
async function explained(thrown: unknown, peer: Peer, target: Target): Promise<unknown> {
  const { origin: { host, port, via } } = target;
  if (peer === via) return toProxyError(thrown, `${host}:${port}`, via.setting);
  if (codeOf(thrown) !== UNVERIFIED) return thrown;
  return new TransportError("tls", await faultOf(target), `${host}:${port}`);
}

/**
 * Finds the fault in the vendor's certificate. The runtime does not describe a certificate that it
 * has rejected, so this opens a separate connection without verification. No data is sent over it,
 * and it is closed immediately.
 */
async function faultOf(target: Target): Promise<string> {
  const sockets = await open(target, false);
  const { valid_from, valid_to } = (sockets.at(-1) as TLSSocket).getPeerCertificate();
  for (const socket of sockets.toReversed()) socket.destroy();
  const now = systemClock.wallTime();
  if (now > Date.parse(valid_to)) return `certificate expired on ${toDay(valid_to)}`;
  if (now < Date.parse(valid_from)) return `certificate is not valid before ${toDay(valid_from)}`;
  return "certificate from an unknown issuer";
}

function toDay(date: string): string {
  return new Date(Date.parse(date)).toISOString().slice(0, 10);
}

/** The number of unread bytes at which the socket is paused. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** Milliseconds for sending TLS's closing alert before the socket is destroyed. */
const MAX_CLOSE_MS = 1000;

/** An open connection: TCP, or TLS on top of it. */
class SocketConnection implements Connection {
  readonly #sockets: readonly Socket[];
  readonly #tcp: Socket;
  readonly #top: Socket;
  /** Unread bytes, in order. */
  readonly #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  /** Whether the socket is paused until the unread bytes are read. */
  #isPaused = false;
  #reader: Reader | undefined;
  #isWriting = false;
  #isEnded = false;
  #failure: unknown;

  /** @param sockets the TCP socket, and the TLS sockets on top of it */
  constructor(sockets: readonly [Socket, ...Socket[]]) {
    const [tcp] = sockets;
    const top = sockets.at(-1) ?? tcp;
    this.#sockets = sockets;
    this.#tcp = tcp;
    this.#top = top;
    tcp.setNoDelay(true);
    // Detects a server that has disappeared.
    tcp.setKeepAlive(true);
    // Uses the methods for implementers of streams to bypass the stream's buffers and events, which
    // would double the cost of a request.
    const early: unknown = top.read();
    if (early instanceof Uint8Array) this.#arrived(early);
    top.push = (chunk: unknown) => this.#arrived(chunk);
    for (const socket of sockets) {
      socket.on("error", (error) => this.#failed(error));
      socket.on("close", () => this.#failed(new Error("Connection closed")));
    }
  }

  read(into: Uint8Array): Promise<number | null> {
    const [first] = this.#unread;
    if (first !== undefined) return Promise.resolve(this.#takeUnread(first, into));
    if (this.#isEnded) return Promise.resolve(null);
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#reader = { into, resolve, reject };
      if (!this.#isPaused) return;
      this.#isPaused = false;
      this.#tcp.resume();
    });
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#isWriting = true;
      this.#top._write(bytes, BYTES, (error) => {
        this.#isWriting = false;
        if (error) reject(error);
        else resolve(bytes.length);
      });
    });
  }

  close(): void {
    this.#failed(new Error("Connection closed"));
    // The closing alert cannot be sent in the middle of a write.
    if (this.#isWriting || this.#top.destroyed) return this.#destroy();
    // The alert is never sent if the server stops reading.
    const cancel = systemClock.after(MAX_CLOSE_MS, () => this.#destroy());
    this.#top.end(() => {
      cancel();
      this.#destroy();
    });
  }

  #destroy(): void {
    for (const socket of this.#sockets.toReversed()) socket.destroy();
  }

  /** @returns true, since false would stop only the decryption, not reading from the socket */
  #arrived(chunk: unknown): boolean {
    const reader = this.#reader;
    this.#reader = undefined;
    if (!(chunk instanceof Uint8Array)) {
      this.#isEnded = true;
      reader?.resolve(null);
      return true;
    }
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    reader?.resolve(this.#takeUnread(chunk, reader.into));
    if (this.#unreadBytes >= MAX_UNREAD_BYTES && !this.#isPaused) {
      this.#isPaused = true;
      this.#tcp.pause();
    }
    return true;
  }

  #takeUnread(first: Uint8Array, into: Uint8Array): number {
    const size = Math.min(first.length, into.length);
    into.set(first.subarray(0, size));
    if (size < first.length) this.#unread[0] = first.subarray(size);
    else this.#unread.shift();
    this.#unreadBytes -= size;
    return size;
  }

  #failed(error: unknown): void {
    this.#failure ??= error;
    this.#reader?.reject(this.#failure);
    this.#reader = undefined;
  }
}

/** A pending read. */
interface Reader {
  readonly into: Uint8Array;
  readonly resolve: (size: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** The streams' name for "no encoding". */
const BYTES = "buffer" as BufferEncoding;
