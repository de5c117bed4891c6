/** Connections to vendors over sockets of Node's API: those with TLS, and tunnels of proxies. */

import type { Socket } from "node:net";
import { systemClock } from "../../core/clock.ts";
import type { Connection } from "./connection.ts";

/** The number of unread bytes at which the socket is paused. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** Milliseconds to send the end of TLS before the socket is destroyed. */
const MAX_CLOSE_MS = 1000;

/** An open connection: TCP, or TLS on top of it. */
export class SocketConnection implements Connection {
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
    // Detects a server that no longer exists.
    tcp.setKeepAlive(true);
    // Bytes bypass the buffers and events of the stream, which would double the cost of a request,
    // by the methods for implementers of streams.
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
    // The end of TLS cannot be sent in the middle of a write.
    if (this.#isWriting || this.#top.destroyed) return this.#destroy();
    // The end is never sent if the server stops reading.
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

/** The name of streams for "no encoding". */
const BYTES = "buffer" as BufferEncoding;
