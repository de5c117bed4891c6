/**
 * Serves clients that the runtime's own server rejects: it answers a `POST` that requests an
 * upgrade to HTTP/2, as sent by Java's client, with an empty 400 before any code of the gateway
 * runs (Deno 2.9.6). `node:http` ignores the upgrade; a request takes 38 μs of CPU time instead of
 * 28 μs. HTTP/2 is relayed to the runtime's server.
 */

import { Buffer } from "node:buffer";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import process from "node:process";
import type { Duplex } from "node:stream";
import { ConnectionStream, type RuntimeServer, type ServeConnection } from "./runtime_server.ts";
import { type Handlers, type OpenInner, relay } from "./relay.ts";

/** The settings of HTTP/1.1. The listener enforces the time limits. */
const HTTP1 = {
  maxHeaderSize: 64 * 1024,
  // The gateway's handler enforces limits, as with the runtime's own server.
  requireHostHeader: false,
  headersTimeout: 0,
  requestTimeout: 0,
  keepAliveTimeout: 0,
};

/** The first bytes of an HTTP/2 connection (RFC 9113, section 3.4); `PRI` is not a method. */
const PREFACE = Buffer.from("PRI");

/** A placeholder URL that can be parsed; {@linkcode NodeRequest.url} is the request's URL. */
const PLACEHOLDER = "http://localhost/";

/** A target with scheme and authority, which clients send to proxies. */
const ABSOLUTE_TARGET = /^https?:\/\/([^/?#]*)(.*)$/is;

/** An HTTP/1.1 client. */
interface Client extends Handlers {
  /** The address to which it has connected. */
  readonly authority: string;
  /** The number of its open requests. */
  requests: number;
  /** Whether the connection is closed after its open requests. */
  isLast: boolean;
}

/** Creates a server of connections without TLS. */
export function createCompatibleServer(open: OpenInner): ServeConnection {
  const clients = new WeakMap<Duplex, Client>();
  const server = createHttp1Server(clients);
  return (connection, signal, handle, onError) => {
    const stream = new ConnectionStream(connection);
    signal.addEventListener("abort", () => void stream.destroy());
    const authority = authorityOf(connection.localAddr);
    const client: Client = { handle, onError, authority, requests: 0, isLast: false };
    clients.set(stream, client);
    let inner: RuntimeServer | undefined;
    readStart(stream, (isHttp2) => {
      if (isHttp2) inner = relay(stream, open, { handle, onError });
      else server.emit("connection", stream);
    });
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    stream.once("close", resolve);
    const finished = closed.then(() => inner?.finished);
    return {
      finished,
      async shutdown() {
        client.isLast = true;
        if (inner === undefined && client.requests === 0) closeSoon(stream);
        await inner?.shutdown();
        await finished;
      },
    };
  };
}

function createHttp1Server(clients: WeakMap<Duplex, Client>): Server {
  // Loaded on use, because it takes time.
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer(HTTP1, (incoming, outgoing) => {
    const client = clients.get(incoming.socket);
    if (client === undefined) return void incoming.socket.destroy();
    answer(incoming, outgoing, client).catch(() => incoming.socket.destroy());
  });
  // A server that does not listen itself would close each connection after its first response.
  Object.defineProperty(server, "listening", { value: true });
  server.on("clientError", (error, stream) => {
    refuse(error, stream, (clients.get(stream)?.requests ?? 0) > 0);
  });
  server.on("connect", (_: IncomingMessage, stream: Duplex) => {
    stream.end(`HTTP/1.1 405 Method Not Allowed\r\n${LAST_AND_EMPTY}`);
  });
  return server;
}

/** Reads the first bytes of a connection, and puts them back. */
function readStart(stream: Duplex, serve: (isHttp2: boolean) => void): void {
  let start = Buffer.alloc(0);
  const onReadable = () => {
    const piece: Uint8Array | null = stream.read();
    if (piece === null) return;
    start = Buffer.concat([start, piece]);
    const size = Math.min(start.length, PREFACE.length);
    const isPreface = start.subarray(0, size).equals(PREFACE.subarray(0, size));
    if (isPreface && size < PREFACE.length) return;
    stream.off("readable", onReadable);
    stream.unshift(start);
    serve(isPreface);
  };
  stream.on("readable", onReadable);
}

const LAST_AND_EMPTY = "connection: close\r\ncontent-length: 0\r\n\r\n";

/** Rejects bytes that are not a request, like the runtime's server. */
function refuse(
  error: Error & { readonly code?: string },
  stream: Duplex,
  isAnswering: boolean,
): void {
  if (isAnswering || error.code === "ECONNRESET" || !stream.writable) return void stream.destroy();
  const status = error.code === "HPE_HEADER_OVERFLOW"
    ? "431 Request Header Fields Too Large"
    : "400 Bad Request";
  stream.end(`HTTP/1.1 ${status}\r\n${LAST_AND_EMPTY}`);
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  client: Client,
): Promise<void> {
  const request = new NodeRequest(incoming, client.authority);
  incoming.on("error", () => {});
  outgoing.on("error", () => {});
  client.requests++;
  outgoing.once("close", () => {
    client.requests--;
    if (!outgoing.writableFinished) request.abort();
    else if (client.isLast && client.requests === 0) closeSoon(incoming.socket);
  });
  const response = await client.handle(request).catch(client.onError);
  await send(response, outgoing);
}

/** Closes a connection once the written data has been sent. */
function closeSoon(stream: Duplex): void {
  stream.end(() => stream.destroy());
}

function authorityOf(address: Deno.Addr): string {
  if (!("hostname" in address)) return "localhost";
  const { hostname, port } = address;
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/**
 * A request with its target as the client sent it: `Request` itself would resolve `..` and reject
 * some methods. The body is read only on demand.
 */
class NodeRequest extends Request {
  readonly #incoming: IncomingMessage;
  readonly #url: string;
  readonly #headers: Headers;
  readonly #controller = new AbortController();
  #body: ReadableStream<Uint8Array<ArrayBuffer>> | null | undefined;
  #isUsed = false;

  constructor(incoming: IncomingMessage, authority: string) {
    super(PLACEHOLDER);
    this.#incoming = incoming;
    this.#headers = toHeaders(incoming.rawHeaders);
    this.#url = toUrl(incoming, this.#headers, authority);
  }

  override get url(): string {
    return this.#url;
  }

  override get method(): string {
    return this.#incoming.method ?? "GET";
  }

  override get headers(): Headers {
    return this.#headers;
  }

  override get signal(): AbortSignal {
    return this.#controller.signal;
  }

  override get bodyUsed(): boolean {
    return this.#isUsed;
  }

  override get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    const { method } = this;
    if (method === "GET" || method === "HEAD") return null;
    return this.#body ??= toStream(this.#incoming, () => this.#isUsed = true);
  }

  override bytes(): Promise<Uint8Array<ArrayBuffer>> {
    this.#isUsed = true;
    const incoming = this.#incoming;
    const pieces: Uint8Array[] = [];
    return new Promise((resolve, reject) => {
      incoming.on("data", (piece: Uint8Array) => void pieces.push(piece));
      incoming.once("end", () => resolve(Buffer.concat(pieces)));
      const fail = () => reject(disconnected());
      incoming.once("aborted", fail);
      incoming.once("close", fail);
    });
  }

  /** Reports that the client has disconnected, or has reset the request. */
  abort(): void {
    this.#controller.abort();
  }
}

function toHeaders(pairs: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    headers.append(pairs[at] as string, pairs[at + 1] as string);
  }
  return headers;
}

function toUrl({ url: target = "/" }: IncomingMessage, headers: Headers, own: string): string {
  const [, authority, rest] = target.startsWith("/") ? [] : ABSOLUTE_TARGET.exec(target) ?? [];
  if (authority !== undefined) return `http://${authority}${rest}`;
  return `http://${headers.get("host") || own}${target}`;
}

function disconnected(): TypeError {
  return new TypeError("The client has disconnected");
}

/** The body, packet by packet. Data from the client stays in the socket until it is read. */
function toStream(
  incoming: IncomingMessage,
  onUse: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isOpen = true;
  let resolve = () => {};
  return new ReadableStream({
    type: "bytes",
    start(controller) {
      const end = (act: () => void) => {
        if (!isOpen) return;
        isOpen = false;
        act();
        controller.byobRequest?.respond(0);
        resolve();
      };
      const fail = () => end(() => controller.error(disconnected()));
      incoming.on("data", (piece: Uint8Array) => {
        if (!isOpen) return;
        incoming.pause();
        if (piece.length > 0) controller.enqueue(new Uint8Array(piece));
        resolve();
      });
      incoming.pause();
      incoming.once("end", () => end(() => controller.close()));
      incoming.once("aborted", fail);
      incoming.once("close", fail);
    },
    pull() {
      onUse();
      const pulled = Promise.withResolvers<void>();
      resolve = pulled.resolve;
      if (!isOpen) return;
      incoming.resume();
      return pulled.promise;
    },
    cancel() {
      onUse();
      isOpen = false;
      resolve();
      // With an unread body, the connection would be reset before the client has read the response.
      incoming.resume();
    },
  }, { highWaterMark: 0 });
}

/** Sends a response, with its length if the whole body is known. */
async function send({ status, headers: fields, body }: Response, outgoing: ServerResponse) {
  const headers: Record<string, string | number> = {};
  for (const [name, value] of fields) headers[name] = value;
  // The response to `HEAD` has a length, and responses with some statuses never have a body.
  const hasLength = "content-length" in headers || status === 204 || status === 304;
  if (body === null) {
    if (!hasLength) headers["content-length"] = 0;
    outgoing.writeHead(status, headers).end();
    return;
  }
  const reader = body.getReader();
  const [first, second] = [reader.read(), reader.read()];
  // A failure is detected below.
  second.catch(() => {});
  const start = await settled(first);
  const isWhole = start?.done || start !== undefined && (await settled(second))?.done;
  if (isWhole && !hasLength) headers["content-length"] = start?.value?.length ?? 0;
  outgoing.writeHead(status, headers);
  // The client receives the status even if no event follows for a long time.
  if (start === undefined) outgoing.flushHeaders();
  await sendPieces(reader, [first, second], outgoing);
}

type Read = ReadableStreamReadResult<Uint8Array>;

/** The number of microtasks after which a read of buffered stream data has settled. */
const READ_TURNS = 8;

/** The result of a read; undefined if it is not available yet. */
async function settled(read: Promise<Read>): Promise<Read | undefined> {
  let result: Read | undefined;
  read.then((value) => result = value, () => {});
  for (let turn = 0; turn < READ_TURNS && result === undefined; turn++) await undefined;
  return result;
}

/** Sends pieces as fast as the client reads them. */
async function sendPieces(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  begun: Promise<Read>[],
  outgoing: ServerResponse,
): Promise<void> {
  let isClosed = false;
  let proceed = () => {};
  outgoing.on("drain", () => proceed());
  outgoing.once("close", () => {
    isClosed = true;
    proceed();
    void reader.cancel().catch(() => {});
  });
  const next = () => begun.shift() ?? reader.read();
  try {
    for (let read = await next(); !read.done && !isClosed; read = await next()) {
      if (outgoing.write(read.value) || isClosed) continue;
      await new Promise<void>((resolve) => proceed = resolve);
    }
  } catch {
    // Lets the client detect that the response is incomplete.
    return void outgoing.destroy();
  }
  if (!isClosed) outgoing.end();
}
