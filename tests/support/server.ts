/** Real ports on loopback: a gateway, and vendors for it, with connections of their own. */

import type { Clock } from "../../src/core/clock.ts";
import { HttpClient } from "../../src/upstream/http1/client.ts";
import { dial } from "../../src/upstream/http1/dial.ts";
import { createGatewayOn, type TestGateway, type TestOptions } from "./gateway.ts";
import { ManualClock } from "./manual_clock.ts";

/** A server that is closed by leaving its scope. */
export interface Port extends AsyncDisposable {
  /** E.g. `http://127.0.0.1:40123`. */
  readonly url: string;
}

/** Serves a vendor that answers as the script says. */
export function serveVendor(script: (request: Request) => Response | Promise<Response>): Port {
  return listen(script);
}

/** Serves a vendor that begins a chunked answer with this text and then breaks off. */
export function serveBrokenVendor(text: string): Port {
  const listener = Deno.listen({ hostname: LOOPBACK, port: 0 });
  const chunk = new TextEncoder().encode(text);
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n" +
    `transfer-encoding: chunked\r\n\r\n${chunk.length.toString(16)}\r\n`;
  const served = serveConnections(listener, `${head}${text}\r\n`);
  return {
    url: urlOf(listener),
    async [Symbol.asyncDispose]() {
      listener.close();
      await served;
    },
  };
}

async function serveConnections(listener: Deno.TcpListener, answer: string): Promise<void> {
  for await (const connection of listener) {
    // A request left unread would turn the close into a reset, which may overtake the answer.
    await readRequest(connection);
    await connection.write(new TextEncoder().encode(answer));
    connection.close();
  }
}

async function readRequest(connection: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const size = await connection.read(buffer);
    if (size === null) return;
    text += new TextDecoder("latin1").decode(buffer.subarray(0, size));
    const [head = "", body] = text.split("\r\n\r\n", 2);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (body !== undefined && body.length >= length) return;
  }
}

export interface ServedGateway<Time extends Clock = ManualClock> extends Port {
  readonly gateway: TestGateway<Time>;
  /** A caller's fetch: its connections are closed with the gateway. */
  readonly fetch: typeof fetch;
}

/** Serves a test gateway; leaving its scope closes its callers, then its vendors, then itself. */
export function serveGateway(options: Omit<TestOptions, "fetch">): ServedGateway {
  return serveGatewayOn(new ManualClock(), options);
}

/** The same in a time of your own. */
export function serveGatewayOn<Time extends Clock>(
  clock: Time,
  options: Omit<TestOptions, "fetch">,
): ServedGateway<Time> {
  const callers = Deno.createHttpClient({ poolMaxIdlePerHost: MANY });
  // In a time of its own: a kept connection is no wait of a request's.
  const vendors = new HttpClient({ dial, clock: new ManualClock() });
  const gateway = createGatewayOn(clock, { ...options, fetch: vendors.fetch });
  const port = listen((request) => gateway.app.handle(request));
  return {
    url: port.url,
    gateway,
    fetch: (input, init) => fetch(input, { ...init, client: callers }),
    async [Symbol.asyncDispose]() {
      callers.close();
      vendors.close();
      await port[Symbol.asyncDispose]();
    },
  };
}

/** A promise and the means to settle it from outside, for scripts that wait for each other. */
export class Gate<Value = void> {
  readonly opened: Promise<Value>;
  readonly open: (value: Value) => void;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Value>();
    this.opened = promise;
    this.open = resolve;
  }
}

const LOOPBACK = "127.0.0.1";
const MANY = 1000;

function listen(handler: Deno.ServeHandler<Deno.NetAddr>): Port {
  // Aborting cuts what is still open, so that a test which fails does not hang.
  const controller = new AbortController();
  const { signal } = controller;
  const server = Deno.serve({ hostname: LOOPBACK, port: 0, signal, onListen() {} }, handler);
  return {
    url: urlOf(server),
    async [Symbol.asyncDispose]() {
      controller.abort();
      await server.finished;
    },
  };
}

function urlOf({ addr }: { readonly addr: Deno.NetAddr }): string {
  return `http://${addr.hostname}:${addr.port}`;
}
