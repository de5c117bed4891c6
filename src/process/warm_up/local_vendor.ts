/** An in-process vendor: HTTP/1.1 without a socket. */

import type { Connection } from "../../upstream/http1/connection.ts";

/** The pieces of an answer, as they arrive. */
type Pieces = readonly Uint8Array[];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A vendor whose answers are created once, so the same request always gets the same bytes. */
export class LocalVendor {
  readonly #answer: (request: Request) => Promise<Response>;
  readonly #answers = new Map<string, Promise<Pieces>>();

  /** @param answer creates the answer to a request */
  constructor(answer: (request: Request) => Promise<Response>) {
    this.#answer = answer;
  }

  /** Opens a connection, for requests in ASCII that state the length of their bodies. */
  open(): Connection {
    return new LocalConnection((message) => this.#reply(message));
  }

  #reply(message: string): Promise<Pieces> {
    let answer = this.#answers.get(message);
    if (answer === undefined) {
      answer = this.#answer(toRequest(message)).then(toPieces);
      this.#answers.set(message, answer);
    }
    return answer;
  }
}

function toRequest(message: string): Request {
  const [head = "", body = ""] = message.split("\r\n\r\n", 2);
  const [line = "", ...fields] = head.split("\r\n");
  const headers = new Headers(fields.map((field): [string, string] => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon), field.slice(colon + 1).trim()];
  }));
  const [method = "", target = ""] = line.split(" ");
  return new Request(`http://${headers.get("host")}${target}`, { method, headers, body });
}

async function toPieces(response: Response): Promise<Pieces> {
  const type = response.headers.get("content-type") ?? "";
  const chunks: Uint8Array[] = await Array.fromAsync(response.body ?? []);
  const head = `HTTP/1.1 ${response.status} OK\r\ncontent-type: ${type}\r\n`;
  if (!type.startsWith("text/event-stream")) {
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    return [encoder.encode(`${head}content-length: ${length}\r\n\r\n`), ...chunks];
  }
  const framed = chunks.flatMap((chunk) => [
    encoder.encode(`${chunk.length.toString(16)}\r\n`),
    chunk,
    encoder.encode("\r\n"),
  ]);
  const end = encoder.encode("0\r\n\r\n");
  return [encoder.encode(`${head}transfer-encoding: chunked\r\n\r\n`), ...framed, end];
}

/** The client's side of one connection. */
class LocalConnection implements Connection {
  readonly #reply: (message: string) => Promise<Pieces>;
  #sent = "";
  #unread: Uint8Array[] = [];
  #wake = () => {};
  #isClosed = false;

  constructor(reply: (message: string) => Promise<Pieces>) {
    this.#reply = reply;
  }

  async read(into: Uint8Array): Promise<number | null> {
    while (this.#unread.length === 0) {
      if (this.#isClosed) return null;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    const [next = new Uint8Array(), ...rest] = this.#unread;
    const part = next.subarray(0, into.length);
    into.set(part);
    this.#unread = part.length < next.length ? [next.subarray(part.length), ...rest] : rest;
    return part.length;
  }

  async write(bytes: Uint8Array): Promise<number> {
    this.#sent += decoder.decode(bytes);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#sent)?.[1] ?? 0);
    const headEnd = this.#sent.indexOf("\r\n\r\n");
    if (headEnd >= 0 && this.#sent.length >= headEnd + 4 + length) {
      const message = this.#sent;
      this.#sent = "";
      this.#unread.push(...await this.#reply(message));
      this.#wake();
    }
    return bytes.length;
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }
}
