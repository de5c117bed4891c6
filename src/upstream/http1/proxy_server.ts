/** Proxies between the gateway and vendors: their addresses, and the tunnels that they open. */

import { Buffer } from "node:buffer";
import { isIP, type Socket } from "node:net";
import type { StopSignal } from "../../core/stop_signal.ts";
import { TransportError } from "../../core/transport_error.ts";

/** A proxy, from its URL. */
export interface ProxyServer {
  /**
   * `https` connects to the proxy with TLS; `socks5h` lets the proxy resolve the vendor's address.
   */
  readonly scheme: "http" | "https" | "socks5" | "socks5h";
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Where it is configured, for messages, such as `HTTPS_PROXY`. */
  readonly setting: string;
}

/** The host and port of a tunnel's destination. */
interface Destination {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080, socks5h: 1080 };
/** The maximum size of a proxy's reply, in bytes. */
const MAX_REPLY_BYTES = 16 * 1024;

/**
 * Reads the URL of a proxy; without a scheme, it is an HTTP proxy.
 *
 * @throws {TypeError} when it is not the URL of a proxy.
 */
export function toProxyServer(text: string, setting: string): ProxyServer {
  const url = new URL(text.includes("://") ? text : `http://${text}`);
  const scheme = url.protocol.slice(0, -1) as ProxyServer["scheme"];
  if (!Object.hasOwn(DEFAULT_PORTS, scheme)) throw new TypeError(`No proxy has '${url.protocol}'`);
  return {
    scheme,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || DEFAULT_PORTS[scheme],
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    setting,
  };
}

/** Whether requests to a vendor without TLS are sent to the proxy itself, without a tunnel. */
export function forwards({ scheme }: ProxyServer, isTls: boolean): boolean {
  return !isTls && (scheme === "http" || scheme === "https");
}

/** The `proxy-authorization` header, if the proxy has credentials. */
export function authorizationOf({ username, password }: ProxyServer): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/**
 * Opens a tunnel over a connection to the proxy.
 *
 * @throws {TransportError} `proxy` when the proxy rejects it; the signal's reason when it is
 * aborted.
 */
export async function openTunnel(
  proxy: ProxyServer,
  to: Destination,
  socket: Socket,
  signal: StopSignal,
): Promise<void> {
  const wire = new ProxyWire(socket, signal);
  if (proxy.scheme === "http" || proxy.scheme === "https") await connectByHttp(proxy, to, wire);
  else await connectBySocks(proxy, to, wire);
}

/** CONNECT, according to RFC 9110, 9.3.6 (https://www.rfc-editor.org/rfc/rfc9110, 2022-06). */
async function connectByHttp(
  proxy: ProxyServer,
  { host, port }: Destination,
  wire: ProxyWire,
): Promise<void> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const authorization = authorizationOf(proxy);
  const own = authorization === undefined ? "" : `proxy-authorization: ${authorization}\r\n`;
  const head = `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${own}\r\n`;
  const reply = await wire.ask(Buffer.from(head, "latin1"), (bytes) => {
    const end = bytes.indexOf("\r\n\r\n");
    return end === -1 ? undefined : end + 4;
  });
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(reply.toString("latin1")) ?? [];
  if (status === undefined) throw refused("the proxy does not answer in HTTP");
  if (!status.startsWith("2")) throw refused(`the proxy rejected the tunnel with status ${status}`);
}

const SOCKS_VERSION = 5;
const NO_AUTHENTICATION = 0;
const BY_PASSWORD = 2;
const PASSWORD_VERSION = 1;
const CONNECT = 1;
const ADDRESS_TYPES = { ipv4: 1, name: 3, ipv6: 4 };
const PORT_BYTES = 2;

/**
 * SOCKS 5, according to RFC 1928 and RFC 1929 (https://www.rfc-editor.org/rfc/rfc1928, 1996-03).
 */
async function connectBySocks(
  { username, password }: ProxyServer,
  { host, port }: Destination,
  wire: ProxyWire,
): Promise<void> {
  const hasPassword = username !== "" || password !== "";
  const method = hasPassword ? BY_PASSWORD : NO_AUTHENTICATION;
  const [version, chosen] = await wire.ask(Buffer.of(SOCKS_VERSION, 1, method), () => 2);
  if (version !== SOCKS_VERSION) throw refused("the proxy does not answer in SOCKS 5");
  if (chosen !== method) throw refused("the proxy rejected the authentication method");
  if (hasPassword) {
    const message = [Buffer.of(PASSWORD_VERSION), sized(username), sized(password)];
    const [, code] = await wire.ask(Buffer.concat(message), () => 2);
    if (code !== 0) throw refused("the proxy rejected the credentials");
  }
  const target = [Buffer.of(SOCKS_VERSION, CONNECT, 0), toAddress(host), Buffer.alloc(PORT_BYTES)];
  target[2]?.writeUInt16BE(port);
  const [, code] = await wire.ask(Buffer.concat(target), socksReplySize);
  if (code !== 0) throw refused(`the proxy rejected the tunnel with code ${code}`);
}

/** The size of a reply to CONNECT, once its address can be read. */
function socksReplySize(bytes: Uint8Array): number | undefined {
  const [, , , type, length] = bytes;
  if (length === undefined) return undefined;
  const address = type === ADDRESS_TYPES.ipv4 ? 4 : type === ADDRESS_TYPES.ipv6 ? 16 : length + 1;
  return 4 + address + PORT_BYTES;
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function toAddress(host: string): Buffer {
  const version = isIP(host);
  if (version === 0) return Buffer.concat([Buffer.of(ADDRESS_TYPES.name), sized(host)]);
  if (version === 4) return Buffer.of(ADDRESS_TYPES.ipv4, ...host.split(".").map(Number));
  return Buffer.concat([Buffer.of(ADDRESS_TYPES.ipv6), toIpv6Bytes(host)]);
}

function toIpv6Bytes(host: string): Buffer {
  // The URL parser writes an IPv6 address with an IPv4 ending in hexadecimal digits.
  const plain = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [first = [], last = []] = plain.split("::").map((half) =>
    half.split(":").filter((part) => part !== "")
  );
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  const bytes = Buffer.alloc(16);
  for (const [at, part] of [...first, ...zeros, ...last].entries()) {
    bytes.writeUInt16BE(parseInt(part, 16), 2 * at);
  }
  return bytes;
}

function refused(cause: string): TransportError {
  return new TransportError("proxy", cause);
}

/** A connection to a proxy before the tunnel is open. */
class ProxyWire {
  readonly #socket: Socket;
  readonly #signal: StopSignal;

  constructor(socket: Socket, signal: StopSignal) {
    this.#socket = socket;
    this.#signal = signal;
  }

  /** @param sizeOf returns the size of the reply, once its beginning is known */
  ask(bytes: Buffer, sizeOf: (reply: Buffer) => number | undefined): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const [socket, signal] = [this.#socket, this.#signal];
    let reply = Buffer.alloc(0);
    const onData = (packet: Uint8Array) => {
      reply = Buffer.concat([reply, packet]);
      const size = sizeOf(reply);
      // The destination of a tunnel never sends first.
      if (size === undefined ? reply.length > MAX_REPLY_BYTES : reply.length > size) {
        reject(refused("the proxy's reply is too long"));
      } else if (reply.length === size) resolve(reply);
    };
    const onClose = () => reject(refused("the proxy closed the connection"));
    const leave = () => reject(signal.reason);
    socket.on("data", onData).once("end", onClose).once("close", onClose).once("error", reject);
    if (signal.aborted) leave();
    else {
      signal.addEventListener("abort", leave, { once: true });
      socket.write(bytes);
    }
    return promise.finally(() => {
      socket.off("data", onData).off("end", onClose).off("close", onClose).off("error", reject);
      signal.removeEventListener("abort", leave);
    });
  }
}
