/**
 * Serves the connections of clients that open a WebSocket with their first request, beside the
 * runtime's own server for all others.
 */

import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import type { Handlers } from "./relay.ts";
import type { RuntimeServer } from "./runtime_server.ts";
import type { Upgrades } from "./web_socket.ts";

/** Serves a client whose bytes arrive as a stream. */
export type ServeStream = (client: Duplex, handlers: Handlers) => RuntimeServer;

/** The longest head of a request that is read here, in bytes. */
const MAX_HEAD_BYTES = 64 * 1024;

const GET = Buffer.from("GET ");
const HEAD_END = "\r\n\r\n";

/**
 * Serves WebSockets.
 *
 * @param serveOther serves a client whose first request asks for none
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

/** The status of an upgrade, whose response the upgrade has sent. */
const SWITCHING = 101;

/**
 * Reads the first request of a client.
 *
 * @param onRead called with the request, and what follows it, if it asks for a WebSocket; else with
 * undefined, and all that was read is put back
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

/** The request, if it asks for a WebSocket. */
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
    // The runtime's own server refuses such a head.
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
