/** A vendor on raw connections. It answers with the bytes of a scenario. */

import { toAnswer, toCompletion } from "./answers.ts";

/** A received request. */
export interface VendorRequest {
  /** The first line and the headers, in lower case. */
  readonly head: string;
  readonly body: string;
}

/** The other end of a connection. */
export interface VendorConnection {
  send(text: string | Uint8Array): Promise<void>;
}

/** Answers a request; false closes the connection. */
export type Answer = (
  request: VendorRequest,
  connection: VendorConnection,
) => Promise<void | boolean>;

const BUFFER = 256 * 1024;

export class RawVendor implements AsyncDisposable {
  readonly port: number;
  /** All requests up to now. */
  readonly requests: VendorRequest[] = [];
  readonly #answer: Answer;
  readonly #listener: Deno.Listener;
  readonly #alive = new Set<Deno.Conn>();
  readonly #serving = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;

  constructor(answer: Answer) {
    this.#answer = answer;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = (this.#listener.addr as Deno.NetAddr).port;
    this.#accepting = this.#accept();
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#alive) close(connection);
    await this.#accepting;
    await Promise.all(this.#serving);
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      const served = this.#serve(connection).finally(() => this.#serving.delete(served));
      this.#serving.add(served);
    }
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    this.#alive.add(connection);
    const reader = new RequestReader(connection);
    const answering: VendorConnection = { send: (text) => writeAll(connection, text) };
    try {
      for (;;) {
        const request = await reader.next();
        if (request === undefined) break;
        this.requests.push(request);
        if (await this.#answer(request, answering) === false) break;
      }
    } catch {
      // The other side has disconnected, or the scenario has ended.
    } finally {
      close(connection);
      this.#alive.delete(connection);
    }
  }
}

/** Reads requests with a known length from a connection. */
class RequestReader {
  readonly #connection: Deno.Conn;
  readonly #buffer = new Uint8Array(BUFFER);
  #rest = "";

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  async next(): Promise<VendorRequest | undefined> {
    const pieces = [this.#rest];
    let size = this.#rest.length;
    let end = this.#rest.indexOf("\r\n\r\n");
    while (end === -1) {
      const text = await this.#read();
      if (text === undefined) return undefined;
      pieces.push(text);
      size += text.length;
      end = pieces.join("").indexOf("\r\n\r\n");
    }
    const head = pieces.join("").slice(0, end).toLowerCase();
    const total = end + 4 + Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0);
    while (size < total) {
      const text = await this.#read();
      if (text === undefined) return undefined;
      pieces.push(text);
      size += text.length;
    }
    const all = pieces.join("");
    this.#rest = all.slice(total);
    return { head, body: all.slice(end + 4, total) };
  }

  async #read(): Promise<string | undefined> {
    const count = await this.#connection.read(this.#buffer);
    return count === null ? undefined : latin1.decode(this.#buffer.subarray(0, count));
  }
}

const encoder = new TextEncoder();
const latin1 = new TextDecoder("latin1");

async function writeAll(connection: Deno.Conn, text: string | Uint8Array): Promise<void> {
  let bytes = typeof text === "string" ? encoder.encode(text) : text;
  while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}

/** A vendor of the OpenAI dialect that always says hello. */
export function createHelloVendor(): RawVendor {
  const answer = toAnswer(200, toCompletion("Hello."));
  return new RawVendor((_, connection) => connection.send(answer));
}
