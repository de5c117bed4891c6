/** Certificates for tests, which are valid until 2126, and clients that trust them. */

import { readRoot } from "../read_root.ts";

/** The names of certificates, each with the name that it is valid for. */
export const CERTIFIED = { localhost: "localhost", elsewhere: "vendor.test" } as const;

/** The name of a certificate. */
export type CertificateName = keyof typeof CERTIFIED;

/** The files `cert.pem` and `key.pem` of a working directory. */
export function certificateFiles(name: CertificateName): Record<"cert.pem" | "key.pem", string> {
  return {
    "cert.pem": readRoot(`tests/support/tls/${name}.pem`),
    "key.pem": readRoot(`tests/support/tls/${name}.key.pem`),
  };
}

/** A TLS connection that speaks HTTP/1.1 and trusts one certificate only. */
export class TlsCaller implements Disposable {
  readonly #connection: Deno.TlsConn;

  private constructor(connection: Deno.TlsConn) {
    this.#connection = connection;
  }

  /** Rejects when the server has another certificate. */
  static async connect(port: number, name: CertificateName): Promise<TlsCaller> {
    const tcp = await Deno.connect({ hostname: "127.0.0.1", port });
    tcp.setNoDelay();
    const caCerts = [certificateFiles(name)["cert.pem"]];
    const connection = await Deno.startTls(tcp, { hostname: CERTIFIED[name], caCerts });
    try {
      await connection.handshake();
    } catch (thrown) {
      connection.close();
      throw thrown;
    }
    return new TlsCaller(connection);
  }

  /** Sends a request and returns what arrives first. */
  async ask(path: string, head = ""): Promise<string> {
    return await this.#send(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n`);
  }

  /** The same with a body. */
  async post(path: string, body: string, authorization: string): Promise<string> {
    return await this.#send(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
  }

  async #send(text: string): Promise<string> {
    await this.#connection.write(new TextEncoder().encode(text));
    return await this.read();
  }

  /** The text that arrives next; empty at the end. */
  async read(): Promise<string> {
    const bytes = new Uint8Array(65_536);
    return new TextDecoder().decode(bytes.subarray(0, await this.#connection.read(bytes) ?? 0));
  }

  [Symbol.dispose](): void {
    try {
      this.#connection.close();
    } catch {
      // The server has closed it.
    }
  }
}
