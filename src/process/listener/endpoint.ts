/** Where a listener accepts connections, and how: over TCP, TLS or a Unix socket. */

import { readFile } from "../system/files.ts";
import type { RuntimeServer } from "./runtime_server.ts";

/** An address that TCP listens on. */
export interface Address {
  readonly hostname: string;
  readonly port: number;
}

/** The files of a certificate chain and of its private key, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** One entry of the list of endpoints. */
export interface Endpoint {
  readonly address: Address | { readonly path: string };
  /** Absent: without TLS. */
  readonly tls?: TlsFiles;
}

/** The protocols that a TLS client may choose, in the order of preference. */
const ALPN_PROTOCOLS = ["h2", "http/1.1"];

/** Whether an endpoint is a Unix socket, which only one thread can open. */
export function isUnix({ address }: Endpoint): boolean {
  return "path" in address;
}

/** An endpoint in human-readable form. */
export function nameOf({ address }: Pick<Endpoint, "address">): string {
  return "path" in address ? `unix:${address.path}` : `${address.hostname}:${address.port}`;
}

/** A certificate chain and its private key, as PEM texts. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** @throws {StartError} when a file cannot be read. */
function readCertificate({ cert, key }: TlsFiles): Certificate {
  return { cert: readFile(cert), key: readFile(key) };
}

/**
 * Opens the socket of an endpoint.
 *
 * @param shared whether other sockets listen on the same port: those of other workers, or of the
 * same listener with a new certificate
 * @throws the error of the system when it cannot listen on the address, and {StartError} when a file
 * cannot be read.
 */
export function bind({ address, tls }: Endpoint, shared: boolean): Deno.Listener {
  if ("path" in address) return Deno.listen({ transport: "unix", path: address.path });
  const options = { ...address, ...(shared && { reusePort: true }) };
  if (tls === undefined) return Deno.listen(options);
  return Deno.listenTls({ ...options, ...readCertificate(tls), alpnProtocols: ALPN_PROTOCOLS });
}

/** Serves all connections of an endpoint with the runtime's own server. */
export function serveAll(
  { address, tls }: Endpoint,
  shared: boolean,
  onError: (thrown: unknown) => Response,
  handle: (request: Request) => Promise<Response>,
): RuntimeServer & { readonly addr: Deno.Addr } {
  const options = { onListen() {}, onError };
  if ("path" in address) return Deno.serve({ ...options, path: address.path }, handle);
  const port = { ...address, ...(shared && { reusePort: true }) };
  return Deno.serve({ ...options, ...port, ...(tls && readCertificate(tls)) }, handle);
}

/** The address that was opened: with the port that the system chose for 0. */
export function openedAddress({ address }: Endpoint, opened: Deno.Addr): Endpoint["address"] {
  return "hostname" in opened ? { hostname: opened.hostname, port: opened.port } : address;
}
