/**
 * Serves connections with TLS. `node:tls` decrypts the bytes, which are then relayed to the
 * runtime's own server. With its own TLS, that server sends responses 44 ms late, because it does
 * not disable Nagle's algorithm on accepted connections. A relayed request takes 77 μs of CPU time
 * over HTTP/1.1 and 57 μs over HTTP/2, against 23 μs without TLS; `node:http` behind `node:tls`
 * takes 68 μs, and `node:http2` aborts the process (`free(): invalid pointer`) when clients
 * disconnect (Deno 2.9.6, 2026-11-28).
 */

import { createSecureContext, TLSSocket } from "node:tls";
import type { TlsFiles } from "../../config/listeners.ts";
import { ConnectionStream, type RuntimeServer, type ServeConnection } from "./runtime_server.ts";
import { type Certificate, readCertificate } from "./endpoint.ts";
import { Buffer } from "node:buffer";
import { readFile } from "../system/files.ts";
import type { ServeStream } from "./relay.ts";

/** The protocols that a client may choose, in the order of preference. */
const ALPN_PROTOCOLS = ["h2", "http/1.1"];

/**
 * Creates a server of connections with TLS.
 *
 * @param serve serves the decrypted stream
 * @param certificate read from the files by default
 * @throws {StartError} when the certificate cannot be read, or cannot be used with its key.
 */
export function createTlsServer(
  files: TlsFiles,
  serve: ServeStream,
  { cert, key }: Pick<Certificate, "cert" | "key"> = readCertificate(files),
): ServeConnection {
  const options = {
    isServer: true,
    secureContext: createSecureContext({ cert, key }),
    ALPNProtocols: ALPN_PROTOCOLS,
  };
  return (connection, signal, handle, onError) => {
    const stream = new ConnectionStream(connection);
    signal.addEventListener("abort", () => void stream.destroy());
    const socket = new TLSSocket(stream, options);
    let inner: RuntimeServer | undefined;
    socket.once("secure", () => inner = serve(socket, { handle, onError }));
    // A client that does not speak TLS, or a connection that was reset.
    socket.on("error", () => void stream.destroy());
    socket.once("close", () => void stream.destroy());
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    stream.once("close", () => {
      socket.destroy();
      resolve();
    });
    const finished = closed.then(() => inner?.finished);
    return {
      finished,
      async shutdown() {
        if (inner === undefined) stream.destroy();
        await inner?.shutdown();
        await finished;
      },
    };
  };
}

/** The maximum length of a status line, in bytes. */
const MAX_LINE = 64;

/**
 * Sends a `GET` to the gateway over HTTP/1.1 and TLS, and returns the status. It trusts the
 * gateway's own certificate and does not check the host name, because the certificate rarely
 * contains the address that is used here.
 *
 * @throws the error of the system or of TLS.
 */
export async function statusOverTls(
  { host, port, tls }: { readonly host: string; readonly port: number; readonly tls: TlsFiles },
  path: string,
  timeoutMs: number,
): Promise<number | undefined> {
  const tcp = await Deno.connect({ hostname: host, port, signal: AbortSignal.timeout(timeoutMs) });
  tcp.setNoDelay();
  using connection = await Deno.startTls(tcp, {
    hostname: host,
    caCerts: [readFile(tls.cert)],
    unsafelyDisableHostnameVerification: true,
  });
  AbortSignal.timeout(timeoutMs).addEventListener("abort", () => closeQuietly(connection));
  const head = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
  await connection.write(Buffer.from(head));
  const bytes = new Uint8Array(MAX_LINE);
  const size = await connection.read(bytes);
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(
    Buffer.from(bytes.subarray(0, size ?? 0))
      .toString("latin1"),
  ) ?? [];
  return status === undefined ? undefined : Number(status);
}

function closeQuietly(connection: Deno.TlsConn): void {
  try {
    connection.close();
  } catch {
    // The connection is closed.
  }
}
