/** A vendor that simulates all failures of a network and a server. */

import { Gate } from "./server.ts";

/** The behavior of a vendor for one request. */
export interface Fault {
  /** Leaves most of the request unread, so that closing the connection resets it. */
  readonly unread?: boolean;
  /**
   * Ends the connection before an answer. The runtime's fetch then resends the request on its own,
   * if the connection had been used before.
   */
  readonly drops?: boolean;
  readonly play: (wire: Wire) => Promise<void> | void;
}

type Bytes = Uint8Array<ArrayBuffer>;
const encoder = new TextEncoder();

/** A request and its connection. An open answer is cut off at the end of the script. */
export class Wire {
  /** Whether the request asked for a stream; false when it was left unread. */
  readonly stream: boolean;
  /** True if the answer is complete, so that the connection can be reused. */
  whole = false;
  readonly #connection: Deno.TcpConn;
  readonly #onStall: () => void;

  constructor(connection: Deno.TcpConn, stream: boolean, onStall: () => void) {
    this.#connection = connection;
    this.stream = stream;
    this.#onStall = onStall;
  }

  /** Sends a complete answer. */
  async answer(status: number, body: string, headers: Record<string, string> = {}): Promise<void> {
    await this.raw(wholeAnswer(status, body, headers));
    this.whole = true;
  }

  /** Sends the head of a stream. */
  begin(type = "text/event-stream"): Promise<void> {
    return this.raw(
      `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
  }

  /** Sends a piece of the stream as one packet. */
  async send(piece: string | Bytes): Promise<void> {
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    const head = encoder.encode(`${bytes.length.toString(16)}\r\n`);
    const packet = new Uint8Array(head.length + bytes.length + 2);
    packet.set(head);
    packet.set(bytes, head.length);
    packet.set(encoder.encode("\r\n"), head.length + bytes.length);
    await this.raw(packet);
  }

  async end(): Promise<void> {
    await this.raw("0\r\n\r\n");
    this.whole = true;
  }

  async raw(piece: string | Bytes): Promise<void> {
    let bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));
  }

  /** Sends nothing until the other side has disconnected. */
  async stall(): Promise<void> {
    this.#onStall();
    await this.#connection.read(new Uint8Array(1));
  }
}

export function wholeAnswer(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): string {
  const length = encoder.encode(body).length;
  const lines = Object.entries({ "content-type": "application/json", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Told\r\n${lines.join("")}content-length: ${length}\r\n\r\n${body}`;
}

/** Simulates a failure for each request, and counts open requests and connections. */
export class FaultyVendor implements AsyncDisposable {
  readonly url: string;
  /** The number of requests. */
  requests = 0;
  /** The number of requests that ended with their connection. */
  dropped = 0;
  /** Requests that are being answered. */
  busy = 0;
  /** Connections that are open. */
  open = 0;
  /** Called when the vendor has finished sending. */
  onStall: () => void = () => {};
  readonly #listener: Deno.TcpListener;
  readonly #connections = new Set<Deno.TcpConn>();
  readonly #served: Promise<void>;
  readonly #choose: (request: number) => Fault;

  /** @param choose the fault for each request, counted from 0 */
  constructor(choose: (request: number) => Fault) {
    this.#choose = choose;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { hostname, port } = this.#listener.addr as Deno.NetAddr;
    this.url = `http://${hostname}:${port}`;
    this.#served = this.#accept();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#connections) close(connection);
    await this.#served;
  }

  async #accept(): Promise<void> {
    const all = new Set<Promise<void>>();
    for await (const connection of this.#listener) {
      const served = this.#serve(connection).finally(() => all.delete(served));
      all.add(served);
    }
    await Promise.all(all);
  }

  async #serve(connection: Deno.TcpConn): Promise<void> {
    this.open++;
    this.#connections.add(connection);
    try {
      while (await this.#once(connection));
    } catch {
      // The other side has disconnected, or the test has ended.
    }
    close(connection);
    this.#connections.delete(connection);
    this.open--;
  }

  /** Serves one request; false if the connection cannot serve another. */
  async #once(connection: Deno.TcpConn): Promise<boolean> {
    const first = await readSome(connection, new Uint8Array(1));
    if (first === undefined) return false;
    const fault = this.#choose(this.requests++);
    this.busy++;
    if (fault.drops) this.dropped++;
    try {
      const body = fault.unread ? "" : await readRequest(connection, first);
      const wire = new Wire(connection, /"stream":true/.test(body), () => this.onStall());
      await fault.play(wire);
      return wire.whole;
    } finally {
      this.busy--;
    }
  }
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // It is already closed.
  }
}

async function readSome(connection: Deno.TcpConn, into: Bytes): Promise<Bytes | undefined> {
  const size = await connection.read(into);
  return size === null ? undefined : into.slice(0, size);
}

async function readRequest(connection: Deno.TcpConn, first: Bytes): Promise<string> {
  let text = latin1.decode(first);
  for (;;) {
    const end = text.indexOf("\r\n\r\n");
    const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);
    if (end !== -1 && text.length >= end + 4 + length) return text.slice(end + 4);
    const more = await readSome(connection, new Uint8Array(65_536));
    if (more === undefined) throw new TypeError("The request broke off");
    text += latin1.decode(more);
  }
}

const latin1 = new TextDecoder("latin1");

/** A closed port. */
export function closedPort(): string {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { hostname, port } = listener.addr as Deno.NetAddr;
  listener.close();
  return `http://${hostname}:${port}`;
}

/** The normal answer, with characters of two, three and four bytes to detect splits. */
export const SAID = "Grüße, 世界 — 👋 done";

const WORDS = SAID.match(/\S+\s*/g) ?? [];
const ENVELOPE = { id: "chatcmpl-v", created: 1_700_000_001, model: "v" };
const USAGE = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

export const COMPLETION = JSON.stringify({
  ...ENVELOPE,
  object: "chat.completion",
  choices: [{
    index: 0,
    message: { role: "assistant", content: SAID, refusal: null },
    finish_reason: "stop",
  }],
  usage: USAGE,
});

function event(delta: unknown, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ ...ENVELOPE, object: "chat.completion.chunk", choices })}\n\n`;
}

export const ROLE = event({ role: "assistant", content: "" });
export const TOKENS: readonly string[] = WORDS.map((content) => event({ content }));
export const FINISH = event({}, "stop");
export const DONE = "data: [DONE]\n\n";
export const EVENTS: readonly string[] = [ROLE, ...TOKENS, FINISH, DONE];
export const ERROR_EVENT = `data: ${
  JSON.stringify({ error: { message: "Overloaded", type: "overloaded_error", code: null } })
}\n\n`;

/** Answers normally. */
export const WELL: Fault = {
  async play(wire) {
    if (!wire.stream) return await wire.answer(200, COMPLETION);
    await wire.begin();
    await wire.send(EVENTS.join(""));
    await wire.end();
  },
};

/** Sends these pieces of a stream, each as a packet, and then runs `after`. */
export function streamed(
  pieces: readonly (string | Bytes)[],
  after: (wire: Wire) => Promise<void> | void = (wire) => wire.end(),
): Fault {
  return {
    async play(wire) {
      await wire.begin();
      for (const piece of pieces) await wire.send(piece);
      await after(wire);
    },
  };
}

/** Answers with this status and body. */
export function answered(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Fault {
  return { play: (wire) => wire.answer(status, body, headers) };
}

/** Sends a text and then resets the connection. */
export function reset(text: string): Fault {
  return { unread: true, drops: true, play: (wire) => wire.raw(text) };
}

/** Sends a text and then closes the connection normally. */
export function cut(text: string): Fault {
  return { drops: true, play: (wire) => wire.raw(text) };
}

/** Reads the request and sends nothing, or only a text. */
export function silent(text = ""): Fault {
  return {
    async play(wire) {
      await wire.raw(text);
      await wire.stall();
    },
  };
}

/** Every byte of a text as a separate packet. */
export function bytesOf(text: string): Bytes[] {
  return [...encoder.encode(text)].map((byte) => Uint8Array.of(byte));
}

/** Resolves when the vendor has finished sending. */
export function whenStalled(vendor: FaultyVendor): Promise<void> {
  const gate = new Gate();
  vendor.onStall = () => gate.open();
  return gate.opened;
}
