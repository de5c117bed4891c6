/**
 * Connections to vendors through TLS. They use `node:tls`, since `Deno.startTls` keeps the socket of
 * a handshake that is abandoned until the other side ends it (Deno 2.9.6): a vendor that accepts
 * connections and stays silent would cost a file descriptor for each attempt.
 */

import { connect, isIP, type Socket } from "node:net";
import { connect as startTls, type TLSSocket } from "node:tls";
import { systemClock } from "../../core/clock.ts";
import type { Origin } from "./client.ts";
import type { Connection } from "./connection.ts";
import { pinnedTo } from "../images/download.ts";
import { TransportError } from "../../core/transport_error.ts";

/** Bytes that may have arrived and wait for a reader before the vendor has to wait as well. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** Milliseconds in which the end of a connection must have been sent. */
const MAX_CLOSE_MS = 1000;

/**
 * Connects to one of these addresses of a host and completes the handshake. Throws the signal's own
 * reason when it was aborted.
 */
export async function connectTls(
  { host, port }: Origin,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Connection> {
  const target: Target = { host, port, addresses, signal };
  const { tcp, tls } = await open(target, true).catch(async (thrown) => {
    signal.throwIfAborted();
    throw await explained(thrown, target);
  });
  return new TlsConnection(tcp, tls);
}

/** What to connect to, and until when. */
interface Target {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}

/** A connection, and the TLS over it. */
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

/** Waits for an event. From now on, errors of the socket do not end the process. */
function emitted(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
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
  /** What has arrived and was not read, in its order. */
  readonly #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  /** The vendor has to wait until the unread bytes are read. */
  #isPaused = false;
  #reader: Reader | undefined;
  #isWriting = false;
  #isEnded = false;
  #failure: unknown;

  constructor(tcp: Socket, tls: TLSSocket) {
    this.#tcp = tcp;
    this.#tls = tls;
    tcp.setNoDelay(true);
    // A vendor that is gone ends it as well.
    tcp.setKeepAlive(true);
    // Bytes go straight from the socket to their reader and back, by the methods that a stream has
    // for those who implement one: its own buffers and events would double the costs of a request.
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
    // The end of TLS cannot be sent within something else.
    if (this.#isWriting || this.#tls.destroyed) return this.#destroy();
    // A vendor that reads nothing never takes it.
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

  /** @returns true: to stop the decryption alone would leave the socket read without end */
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

/** A read that waits. */
interface Reader {
  readonly into: Uint8Array;
  readonly resolve: (size: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** What streams call the encoding of bytes. */
const BYTES = "buffer" as BufferEncoding;

/** The runtime's code for an unknown issuer, and for a certificate that is out of date as well. */
const UNVERIFIED = "UNABLE_TO_VERIFY_LEAF_SIGNATURE";

/** A failure with more of its cause than the runtime tells. */
async function explained(thrown: unknown, target: Target): Promise<unknown> {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (code !== UNVERIFIED) return thrown;
  return new TransportError("tls", await faultOf(target), `${target.host}:${target.port}`);
}

/**
 * What is wrong with the vendor's certificate, by a connection of its own: the runtime tells nothing
 * of one that it has refused. Nothing is sent over it, and it is closed at once.
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
