/** Requests to a gateway with TLS on this machine. */

import { Buffer } from "node:buffer";
import type { TlsFiles } from "../../config/listeners.ts";
import { readFile } from "../system/files.ts";

/** The longest status line that is read, in bytes. */
const MAX_LINE = 64;

/**
 * The status of `GET` over HTTP/1.1. The gateway is trusted by its own certificate, whatever its name
 * is: this machine is rarely the name that clients use.
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
    // It is closed.
  }
}
