/** A caller that writes bytes and detects the end of its connection. */

const encoder = new TextEncoder();

export class RawCaller implements AsyncDisposable {
  /** The text that was read. */
  text = "";
  /** Whether the other side has closed the connection, or reset it. */
  isClosed = false;
  readonly #connection: Deno.Conn;
  readonly #reading: Promise<void>;

  /** @param reads whether the caller reads at all */
  constructor(connection: Deno.Conn, reads = true) {
    this.#connection = connection;
    this.#reading = reads ? this.#read() : Promise.resolve();
  }

  static async connect(base: string, reads = true): Promise<RawCaller> {
    const { hostname, port } = new URL(base);
    return new RawCaller(await Deno.connect({ hostname, port: Number(port) }), reads);
  }

  /** Sends a request or a part of it, with CRLF line ends. */
  async send(text: string): Promise<void> {
    await this.#connection.write(encoder.encode(text.replaceAll("\n", "\r\n")));
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(65_536);
    try {
      for (;;) {
        const size = await this.#connection.read(buffer);
        if (size === null) break;
        this.text += decoder.decode(buffer.subarray(0, size), { stream: true });
      }
    } catch {
      // The connection was reset, or closed by the caller.
    }
    this.isClosed = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#connection.close();
    } catch {
      // The other side closed it first.
    }
    await this.#reading;
  }
}

/** Callers that are closed together. */
export class RawCallers implements AsyncDisposable {
  readonly all: RawCaller[] = [];

  /** Opens connections one after the other, and sends a text on each. */
  async open(base: string, count: number, text = ""): Promise<RawCaller[]> {
    const opened: RawCaller[] = [];
    for (let made = 0; made < count; made++) {
      const caller = await RawCaller.connect(base);
      this.all.push(caller);
      opened.push(caller);
      if (text !== "") await caller.send(text);
    }
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const caller of this.all) await caller[Symbol.asyncDispose]();
  }
}
