/**
 * TLS connections to vendors. They use `node:tls`, because `Deno.startTls` keeps the socket of an
 * aborted handshake open until the server closes it (Deno 2.9.6). A vendor that accepts connections
 * but never responds would then use up a file descriptor for each attempt.
 */

import type { StopSignal } from "../../core/stop_signal.ts";
import { connect, isIP, type Socket } from "node:net";
import { connect as startTls, type TLSSocket } from "node:tls";
import { systemClock } from "../../core/clock.ts";
import type { Origin } from "./client.ts";
import type { Connection } from "./connection.ts";
import { pinnedTo } from "../images/download.ts";
import { TransportError } from "../../core/transport_error.ts";

/** The number of unread bytes at which the socket is paused. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** Milliseconds to send the end of TLS before the socket is destroyed. */
const MAX_CLOSE_MS = 1000;

/**
 * Connects to one of these addresses of a host and completes the handshake.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function connectTls(
  { host, port }: Origin,
  addresses: readonly string[],
  signal: StopSignal,
): Promise<Connection> {
  const target: Target = { host, port, addresses, signal };
  const { tcp, tls } = await open(target, true).catch(async (thrown) => {
    signal.throwIfAborted();
    throw await explained(thrown, target);
  });
  return new TlsConnection(tcp, tls);
}

/** What to connect to, and the signal that aborts the attempt. */
interface Target {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly signal: StopSignal;
}

/** A TCP connection, and the TLS connection over it. */
interface Sockets {
  readonly tcp: Socket;
  readonly tls: TLSSocket;
}

async function open(target: Target, rejectUnauthorized: boolean): Promise<Sockets> {
  const { host, port, addresses, signal } = target;
  const tcp = connect({ host, port, lookup: pinnedTo(addresses) });
  let tls: TLSSocket | undefined;
  try {
    await emitted(tcp, "connect", signal);
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const ALPNProtocols = ["http/1.1"];
    tls = startTls({ socket: tcp, host, ...servername, ALPNProtocols, rejectUnauthorized });
    await emitted(tls, "secureConnect", signal);
    return { tcp, tls };
  } catch (thrown) {
    tls?.destroy();
    tcp.destroy();
    throw thrown;
  }
}

/** Waits for an event. Also handles later errors of the socket, which would end the process. */
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
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  return promise.finally(() => signal.removeEventListener("abort", leave));
}

/** An open connection. */
class TlsConnection implements Connection {
  readonly #tcp: Socket;
  readonly #tls: TLSSocket;
  /** Bytes that have arrived but were not read, in order. */
  readonly #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  /** Whether the socket is paused until the unread bytes are read. */
  #isPaused = false;
  #reader: Reader | undefined;
  #isWriting = false;
  #isEnded = false;
  #failure: unknown;

  constructor(tcp: Socket, tls: TLSSocket) {
    this.#tcp = tcp;
    this.#tls = tls;
    tcp.setNoDelay(true);
    // Detects a server that no longer exists.
    tcp.setKeepAlive(true);
    // Bytes bypass the buffers and events of the stream, which would double the cost of a request: the
    // methods for implementations of streams pass them directly.
    const early: unknown = tls.read();
    if (early instanceof Uint8Array) this.#arrived(early);
    tls.push = (chunk: unknown) => this.#arrived(chunk);
    for (const socket of [tcp, tls]) {
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
      this.#tls._write(bytes, BYTES, (error) => {
        this.#isWriting = false;
        if (error) reject(error);
        else resolve(bytes.length);
      });
    });
  }

  close(): void {
    this.#failed(new Error("Connection closed"));
    // The end of TLS cannot be sent in the middle of a write.
    if (this.#isWriting || this.#tls.destroyed) return this.#destroy();
    // The end is never sent if the server stops reading.
    const cancel = systemClock.after(MAX_CLOSE_MS, () => this.#destroy());
    this.#tls.end(() => {
      cancel();
      this.#destroy();
    });
  }

  #destroy(): void {
    this.#tls.destroy();
    this.#tcp.destroy();
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

/** The name of streams for "no encoding". */
const BYTES = "buffer" as BufferEncoding;

/** The runtime's code both for an unknown issuer and for an expired certificate. */
const UNVERIFIED = "UNABLE_TO_VERIFY_LEAF_SIGNATURE";

/** The error with a more precise cause than that of the runtime. */
async function explained(thrown: unknown, target: Target): Promise<unknown> {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (code !== UNVERIFIED) return thrown;
  return new TransportError("tls", await faultOf(target), `${target.host}:${target.port}`);
}

/**
 * Finds out what is wrong with the vendor's certificate. The runtime does not describe a certificate
 * that it has refused, so this opens a separate connection without verification. No data is sent over
 * it, and it is closed immediately.
 */
async function faultOf(target: Target): Promise<string> {
  const { tcp, tls } = await open(target, false);
  const { valid_from, valid_to } = tls.getPeerCertificate();
  tls.destroy();
  tcp.destroy();
  const now = systemClock.wallTime();
  if (now > Date.parse(valid_to)) return `certificate expired on ${toDay(valid_to)}`;
  if (now < Date.parse(valid_from)) return `certificate is not valid before ${toDay(valid_from)}`;
  return "certificate of an unknown issuer";
}

function toDay(date: string): string {
  return new Date(Date.parse(date)).toISOString().slice(0, 10);
}
