/** A minimal and fast HTTP/1.1 implementation for both ends of the bench. */

/** A request or an answer. */
export interface Message {
  /** The first line and the headers, in lower case. */
  readonly head: string;
  /** The start of the body, with the chunk framing if there is any. */
  readonly body: string;
  /** The last bytes of the body, framing included. */
  readonly tail: string;
}

/** The kept part of a body, which identifies the request. */
const KEPT = 64 * 1024;
const TAIL = 32;
const BUFFER = 64 * 1024;
/** The end of a chunked body. It does not occur elsewhere in JSON or events. */
export const LAST_CHUNK = "\r\n0\r\n\r\n";
const HEAD_END = [13, 10, 13, 10] as const;

const latin1 = new TextDecoder("latin1");

/** A connection for reading messages and writing bytes, without pipelining. */
export class Wire {
  readonly #connection: Deno.TcpConn | Deno.TlsConn;
  readonly #buffer = new Uint8Array(BUFFER);
  #end = 0;

  constructor(connection: Deno.TcpConn | Deno.TlsConn) {
    this.#connection = connection;
    if ("setNoDelay" in connection) connection.setNoDelay(true);
  }

  /** Connects to a port of this machine. */
  static async open(port: number): Promise<Wire> {
    return new Wire(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** The next complete message; undefined once the other side has closed. */
  async next(): Promise<Message | undefined> {
    const cut = await this.#readHead();
    if (cut === -1) return undefined;
    const head = latin1.decode(this.#buffer.subarray(0, cut)).toLowerCase();
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    const begun = this.#buffer.slice(cut, this.#end);
    this.#end = 0;
    if (length !== undefined) return await this.#readKnown(head, begun, Number(length));
    if (head.includes("\r\ntransfer-encoding: chunked")) return await this.#readChunks(head, begun);
    return { head, body: "", tail: "" };
  }

  /** The next received bytes; undefined once the other side has closed. */
  async packet(): Promise<Uint8Array | undefined> {
    const count = await this.#connection.read(this.#buffer);
    return count === null ? undefined : this.#buffer.subarray(0, count);
  }

  async write(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) rest = rest.subarray(await this.#connection.write(rest));
  }

  close(): void {
    try {
      this.#connection.close();
    } catch {
      // It is already closed.
    }
  }

  /** Reads until the head is complete and returns its length; -1 at the end of the stream. */
  async #readHead(): Promise<number> {
    for (let from = 0;;) {
      const cut = endOfHead(this.#buffer, from, this.#end);
      if (cut !== -1) return cut;
      from = Math.max(0, this.#end - HEAD_END.length + 1);
      if (this.#end === BUFFER) throw new RangeError("The head of a message is too long");
      const count = await this.#connection.read(this.#buffer.subarray(this.#end));
      if (count === null) return -1;
      this.#end += count;
    }
  }

  async #readKnown(head: string, begun: Uint8Array, length: number): Promise<Message | undefined> {
    let body = latin1.decode(begun);
    let tail = body.slice(-TAIL);
    for (let size = begun.length; size < length;) {
      const packet = await this.packet();
      if (packet === undefined) return undefined;
      size += packet.length;
      tail = follow(tail, packet);
      if (body.length < KEPT) body += latin1.decode(packet);
    }
    return { head, body, tail };
  }

  async #readChunks(head: string, begun: Uint8Array): Promise<Message | undefined> {
    let body = latin1.decode(begun);
    let tail = ("\r\n" + body).slice(-TAIL);
    while (!tail.endsWith(LAST_CHUNK)) {
      const packet = await this.packet();
      if (packet === undefined) return undefined;
      tail = follow(tail, packet);
      if (body.length < KEPT) body += latin1.decode(packet);
    }
    return { head, body, tail };
  }
}

/** The start of the body, or -1. */
function endOfHead(bytes: Uint8Array, from: number, end: number): number {
  for (let at = bytes.indexOf(HEAD_END[0], from); at !== -1 && at + 3 < end;) {
    if (HEAD_END.every((byte, offset) => bytes[at + offset] === byte)) return at + HEAD_END.length;
    at = bytes.indexOf(HEAD_END[0], at + 1);
  }
  return -1;
}

function follow(tail: string, packet: Uint8Array): string {
  return (tail + latin1.decode(packet.subarray(-TAIL))).slice(-TAIL);
}

const encoder = new TextEncoder();

/** The bytes of a request. */
export function toRequestBytes(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  method = body === "" ? "GET" : "POST",
): Uint8Array {
  const bytes = encoder.encode(body);
  const lines = Object.entries({ host: "127.0.0.1", ...headers, "content-length": bytes.length })
    .map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = encoder.encode(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`);
  const request = new Uint8Array(head.length + bytes.length);
  request.set(head);
  request.set(bytes, head.length);
  return request;
}

/** The status of an answer. */
export function statusOf(message: Message): number {
  return Number(message.head.slice("http/1.1 ".length, "http/1.1 200".length));
}
