/** A vendor on a loopback port that reads and writes its own bytes. */

import { Buffer } from "node:buffer";

const encoder = new TextEncoder();

/** The number of dropped characters to keep. */
const KEPT_CHARS = 16;

/** One connection as the vendor sees it. */
export class VendorConnection {
  readonly #connection: Deno.Conn;
  /** The text that was read but not yet taken, one character per byte. */
  #text = "";

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** Reads more; false once the client has closed the connection. */
  async fill(): Promise<boolean> {
    const bytes = new Uint8Array(64 * 1024);
    const size = await this.#connection.read(bytes).catch(() => null);
    if (size === null) return false;
    this.#text += Buffer.from(bytes.buffer, 0, size).toString("latin1");
    return true;
  }

  /** Text up to and including this one, or undefined if the connection ends before. */
  async readTo(end: string): Promise<string | undefined> {
    for (;;) {
      const at = this.#text.indexOf(end);
      if (at !== -1) {
        const taken = this.#text.slice(0, at + end.length);
        this.#text = this.#text.slice(at + end.length);
        return taken;
      }
      if (!await this.fill()) return undefined;
    }
  }

  /** This many bytes, as characters. */
  async readBytes(count: number): Promise<string> {
    while (this.#text.length < count && await this.fill());
    const taken = this.#text.slice(0, count);
    this.#text = this.#text.slice(count);
    return taken;
  }

  /** Bytes that were read and not yet taken. */
  get unread(): number {
    return this.#text.length;
  }

  /**
   * Reads more and keeps only the last few bytes; returns the number of bytes read. Throws at the
   * end of the connection.
   */
  async drop(): Promise<number> {
    const held = this.#text.length;
    if (!await this.fill()) throw new Error("The client has closed the connection");
    const size = this.#text.length - held;
    this.#text = this.#text.slice(-KEPT_CHARS);
    return size;
  }

  /** Whether the text that was read ends like this. */
  endsWith(text: string): boolean {
    return this.#text.endsWith(text);
  }

  /** The head of the next request. */
  readHead(): Promise<string | undefined> {
    return this.readTo("\r\n\r\n");
  }

  /** Everything until the client closes the connection. */
  async readToEnd(): Promise<string> {
    while (await this.fill());
    return this.#text;
  }

  async write(text: string | Uint8Array): Promise<void> {
    let bytes = typeof text === "string" ? encoder.encode(text) : text;
    while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));
  }

  close(): void {
    try {
      this.#connection.close();
    } catch {
      // The other side closed it first.
    }
  }
}

/** Plays the vendor on one connection; connections are counted from 1. */
export type PlayVendor = (connection: VendorConnection, number: number) => Promise<unknown>;

export interface RawVendor extends AsyncDisposable {
  /** E.g. `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The number of accepted connections. */
  readonly connections: number;
  /** Resolves when every connection so far has been played to its end. */
  played(): Promise<void>;
}

/** Listens on a port; a connection is closed when it has been played. */
export function listenRaw(play: PlayVendor): RawVendor {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open: VendorConnection[] = [];
  const playing: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const accepted of listener) {
      const connection = new VendorConnection(accepted);
      const number = open.push(connection);
      playing.push(play(connection, number).catch(() => {}).then(() => connection.close()));
    }
  })();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    get connections() {
      return open.length;
    },
    async played() {
      await Promise.all(playing);
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const connection of open) connection.close();
      await Promise.all(playing);
    },
  };
}
