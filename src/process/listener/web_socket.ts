/** WebSockets (RFC 6455) on connections of Node's HTTP server. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Clock } from "../../core/clock.ts";
import type { Socket, SocketHandlers } from "../../http/responses_socket/session.ts";
import type { Upgraded } from "../../http/responses_socket/sockets.ts";
import { FrameError, FrameReader, OPCODES, writeClose, writeFrame } from "./web_socket_frames.ts";
import type { Handlers, ServeStream } from "./relay.ts";
import type { RuntimeServer } from "./runtime_server.ts";

/** Milliseconds between two pings; a client that sends nothing in between is disconnected. */
const PING_MS = 30_000;
/** How long a client has to confirm that the connection is closed. */
const CLOSE_MS = 5000;
/** The number of bytes not yet read by the client above which reading from it pauses. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** RFC 6455, section 1.3. */
const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The connection of a request for an upgrade. */
interface UpgradableConnection {
  readonly stream: Duplex;
  /** The bytes that the client has sent after the request. */
  readonly head: Uint8Array;
}

/** The connections of requests that may become WebSockets. */
export class Upgrades {
  readonly #clock: Clock;
  readonly #connections = new WeakMap<Request, UpgradableConnection>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Offers the connection of a request for {@linkcode upgrade}. */
  offer(request: Request, connection: UpgradableConnection): void {
    this.#connections.set(request, connection);
  }

  /**
   * Upgrades a request to a WebSocket, and sends the response.
   *
   * @returns undefined if its connection cannot be upgraded, such as an HTTP/2 connection
   */
  upgrade(request: Request): Upgraded | undefined {
    const connection = this.#connections.get(request);
    if (connection === undefined || !isHandshake(request)) return undefined;
    const key = request.headers.get("sec-websocket-key") ?? "";
    const accept = createHash("sha1").update(key + ACCEPT_SUFFIX).digest("base64");
    connection.stream.write(
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" +
        `sec-websocket-accept: ${accept}\r\n\r\n`,
    );
    const response = new Response(null, { status: 101 });
    return { response, socket: new ServerSocket(connection, this.#clock) };
  }
}

/** Whether a request asks for a WebSocket (RFC 6455, section 4.2.1). */
function isHandshake({ headers }: Request): boolean {
  const has = (name: string, token: string) =>
    (headers.get(name) ?? "").toLowerCase().split(",").some((entry) => entry.trim() === token);
  return has("upgrade", "websocket") && has("connection", "upgrade");
}

/** The server's end of a WebSocket. */
class ServerSocket implements Socket {
  readonly #stream: Duplex;
  readonly #head: Uint8Array;
  readonly #clock: Clock;
  #isOpen = true;
  /** Whether the client has sent anything since the last ping. */
  #isAlive = true;
  #cancelTimer = () => {};

  constructor({ stream, head }: UpgradableConnection, clock: Clock) {
    this.#stream = stream;
    this.#head = head;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get bufferedAmount(): number {
    return this.#stream.writableLength;
  }

  start(handlers: SocketHandlers): void {
    const stream = this.#stream;
    const reader = new FrameReader({
      grow: (bytes) => this.#isOpen && handlers.grow(bytes),
      message: (data) => this.#isOpen && handlers.message(data),
      ping: (payload) => this.#isOpen && stream.write(writeFrame(OPCODES.pong, payload)),
      close: (code) => this.#confirm(code),
    });
    stream.on("data", (bytes: Uint8Array) => this.#read(bytes, reader, handlers));
    stream.on("drain", () => stream.resume());
    stream.on("error", () => this.#destroy());
    stream.on("end", () => this.#destroy());
    stream.once("close", () => {
      this.#destroy();
      handlers.closed();
    });
    this.#schedulePing();
    if (this.#head.length > 0) this.#read(this.#head, reader, handlers);
    if (stream.destroyed) handlers.closed();
  }

  send(message: string): void {
    if (this.#isOpen) this.#stream.write(writeFrame(OPCODES.text, Buffer.from(message)));
  }

  close(code?: number, reason?: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#stream.write(writeClose(code, reason));
    this.#stream.resume();
    this.#endWithin(CLOSE_MS);
  }

  #read(bytes: Uint8Array, reader: FrameReader, handlers: SocketHandlers): void {
    this.#isAlive = true;
    // Nothing may be sent after a protocol violation or a close frame.
    if (this.#stream.writableEnded) return;
    try {
      reader.push(bytes);
    } catch (thrown) {
      if (!(thrown instanceof FrameError)) throw thrown;
      this.close(thrown.code, thrown.message);
      this.#stream.end();
      handlers.closed();
      return;
    }
    if (this.#isOpen && reader.isWithin) handlers.progress();
    if (this.#stream.writableLength > MAX_UNREAD_BYTES) this.#stream.pause();
  }

  /** Answers the client's close frame. The server closes the connection first. */
  #confirm(code: number | undefined): void {
    if (this.#isOpen) this.#stream.write(writeClose(code));
    this.#isOpen = false;
    this.#stream.end();
    this.#endWithin(CLOSE_MS);
  }

  #endWithin(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(ms, () => this.#destroy());
  }

  #destroy(): void {
    this.#isOpen = false;
    this.#cancelTimer();
    this.#stream.destroy();
  }

  #schedulePing(): void {
    this.#cancelTimer = this.#clock.after(PING_MS, () => {
      if (!this.#isAlive) return this.#destroy();
      this.#isAlive = false;
      this.#stream.write(writeFrame(OPCODES.ping, new Uint8Array()));
      this.#schedulePing();
    });
  }
}

/** The maximum size of a request's headers, in bytes. */
const MAX_HEAD_BYTES = 64 * 1024;

const GET = Buffer.from("GET ");
const HEAD_END = "\r\n\r\n";

/**
 * Serves WebSockets.
 *
 * @param serveOther serves a client whose first request is an ordinary one
 */
export function serveSockets(
  upgrades: Upgrades,
  scheme: "http" | "https",
  serveOther: ServeStream,
): ServeStream {
  return (client, handlers) => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    client.once("close", resolve);
    let other: RuntimeServer | undefined;
    let isSocket = false;
    readHead(client, (request, head) => {
      isSocket = request !== undefined;
      if (request === undefined) other = serveOther(client, handlers);
      else void answer(client, request, head, handlers, upgrades).catch(() => client.destroy());
    }, scheme);
    return {
      finished: closed.then(() => other?.finished),
      async shutdown() {
        if (other === undefined && !isSocket) client.destroy();
        await other?.shutdown();
        await closed;
      },
    };
  };
}

async function answer(
  client: Duplex,
  request: Request,
  head: Uint8Array,
  { handle, onError }: Handlers,
  upgrades: Upgrades,
): Promise<void> {
  upgrades.offer(request, { stream: client, head });
  const response = await handle(request).catch(onError);
  if (response.status === SWITCHING) return;
  const body = await response.bytes();
  const headers = new Headers(response.headers);
  headers.set("connection", "close");
  headers.set("content-length", String(body.length));
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  client.write(`HTTP/1.1 ${response.status} ${response.statusText}\r\n${lines}\r\n`);
  client.end(body);
  client.resume();
}

/** The status of an upgrade, whose response has already been sent. */
const SWITCHING = 101;

/**
 * Reads the first request of a client.
 *
 * @param onRead called with the request and the following bytes if it requests a WebSocket;
 * otherwise with undefined, after all bytes have been put back
 */
function readHead(
  client: Duplex,
  onRead: (request: Request | undefined, rest: Uint8Array) => void,
  scheme: string,
): void {
  let bytes = Buffer.alloc(0);
  const onReadable = () => {
    for (let piece: Uint8Array | null; (piece = client.read()) !== null;) {
      bytes = Buffer.concat([bytes, piece]);
    }
    const start = bytes.subarray(0, GET.length);
    const isGet = start.equals(GET.subarray(0, start.length));
    const end = bytes.indexOf(HEAD_END);
    if (isGet && end === -1 && bytes.length < MAX_HEAD_BYTES && !client.readableEnded) return;
    client.off("readable", onReadable);
    client.off("end", onReadable);
    const request = isGet && end !== -1 ? toRequest(bytes, end, client, scheme) : undefined;
    if (request === undefined && bytes.length > 0) client.unshift(bytes);
    onRead(request, bytes.subarray(end + HEAD_END.length));
  };
  client.on("readable", onReadable);
  client.once("end", onReadable);
}

/** The request, if it requests a WebSocket. */
function toRequest(
  bytes: Buffer,
  end: number,
  client: Duplex,
  scheme: string,
): Request | undefined {
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const [, target] = /^GET (\/\S*) HTTP\/1\.1$/.exec(first) ?? [];
  try {
    const headers = new Headers(lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, Math.max(0, colon)), line.slice(colon + 1)];
    }));
    const host = headers.get("host");
    const isHandshake = headers.get("upgrade")?.toLowerCase() === "websocket";
    if (target === undefined || host === null || !isHandshake) return undefined;
    const controller = new AbortController();
    client.once("close", () => controller.abort());
    return new Request(`${scheme}://${host}${target}`, { headers, signal: controller.signal });
  } catch (thrown) {
    // The runtime's own server rejects such headers.
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
