/** A gateway and vendors on ports of the loopback interface. */

import type { Clock } from "../../src/core/clock.ts";
import { HttpClient } from "../../src/upstream/http1/client.ts";
import { dial } from "../../src/upstream/http1/dial.ts";
import { createGatewayOn, type TestGateway, type TestOptions } from "./gateway.ts";
import { ManualClock } from "./manual_clock.ts";

/** A server that is closed at the end of its scope. */
export interface Port extends AsyncDisposable {
  /** E.g. `http://127.0.0.1:40123`. */
  readonly url: string;
}

/** Serves a vendor that answers from a script. */
export function serveVendor(script: (request: Request) => Response | Promise<Response>): Port {
  return listen(script);
}

/** Serves a vendor that starts a chunked answer with this text and then closes the connection. */
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
    // An unread request would turn the close into a reset, which may arrive before the answer.
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

/** Serves a test gateway. At the end of its scope, callers, vendors and the gateway are closed. */
export function serveGateway(options: Omit<TestOptions, "fetch">): ServedGateway {
  return serveGatewayOn(new ManualClock(), options);
}

/** The same with a given clock. */
export function serveGatewayOn<Time extends Clock>(
  clock: Time,
  options: Omit<TestOptions, "fetch">,
): ServedGateway<Time> {
  const callers = Deno.createHttpClient({ poolMaxIdlePerHost: MANY });
  // A separate clock: the timer of an idle connection does not belong to a request.
  const idle = new ManualClock();
  const vendors = new HttpClient({ dial, clock: idle, minCooldownMs: 0 });
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

/** A promise that can be settled from outside, for scripts that wait for each other. */
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
  // Aborts open connections, so that a failing test does not hang.
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
