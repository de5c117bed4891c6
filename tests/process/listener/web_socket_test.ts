/**
 * WebSockets on real connections, with and without TLS: the handshake, hostile frames, and what a
 * message may hold.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { allocateInFlight, InFlightMemory } from "../../../src/core/in_flight_memory.ts";
import {
  openPairs,
  relay,
  servePlain,
  type ServeStream,
} from "../../../src/process/listener/relay.ts";
import { findServeConnection } from "../../../src/process/listener/runtime_server.ts";
import { serveSockets, Upgrades } from "../../../src/process/listener/web_socket.ts";
import { createTlsServer } from "../../../src/process/listener/tls_server.ts";
import { writeFrame } from "../../../src/process/listener/web_socket_frames.ts";
import { createGatewayOn, SERVICE_KEY } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { until } from "../../support/elapse.ts";

const file = (name: string) => fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));
const FILES = { cert: file("localhost.pem"), key: file("localhost.key.pem") };
const CA = [Deno.readTextFileSync(FILES.cert)];
const MIB = 1024 * 1024;
const [TEXT, BYTES, CLOSE, PING, PONG] = [1, 2, 8, 9, 10];

/** Runs a test on a plain connection, and inside of TLS. */
function test(name: string, run: (start: (server?: JsonObject) => World) => Promise<void>): void {
  for (const isTls of [false, true]) {
    Deno.test(`${isTls ? "TLS" : "plain"}: ${name}`, () => run((server) => startOn(isTls, server)));
  }
}

type World = ReturnType<typeof startOn>;

function startOn(isTls: boolean, server: JsonObject = {}) {
  const clock = new ManualClock();
  const upgrades = new Upgrades(clock);
  const memory = new InFlightMemory(allocateInFlight(1), 1, {
    defaultLimit: 1024 * MIB,
    onRefused() {},
  });
  const gateway = createGatewayOn(clock, {
    config: { server, providers: { mock: { kind: "mock", models: ["mock-echo"] } } },
    upgrade: (request) => upgrades.upgrade(request),
    memory,
  });
  const serve = findServeConnection(Deno);
  if (serve === undefined) throw new TypeError("The runtime has no such function");
  const open = openPairs(serve);
  const inner: ServeStream = (client, handlers) => relay(client, open, handlers);
  const serveConnection = isTls
    ? createTlsServer(FILES, serveSockets(upgrades, "https", inner))
    : servePlain(serveSockets(upgrades, "http", inner));
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const finished: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      const signal = { addEventListener() {} };
      const handle = (request: Request) => gateway.app.handle(request);
      const fail = () => new Response(null, { status: 500 });
      finished.push(serveConnection(connection, signal, handle, fail, () => {}).finished);
    }
  })();
  return {
    gateway,
    memory,
    clock,
    connect(): Promise<Deno.Conn> {
      const { port } = listener.addr;
      return isTls
        ? Deno.connectTls({ hostname: "localhost", port, caCerts: CA })
        : Deno.connect({ hostname: "127.0.0.1", port });
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      await Promise.all(finished);
      assertEquals(gateway.bugs, []);
      assertEquals(memory.bytes, 0, "memory was not given back");
      assertEquals(clock.pending, 0, "a timer was left behind");
    },
  };
}

/** A client that writes its frames itself. */
class RawClient implements AsyncDisposable {
  readonly #connection: Deno.Conn;
  #bytes = Buffer.alloc(0);

  private constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  static async open(connection: Deno.Conn, headers = "") {
    const client = new RawClient(connection);
    await client.write(Buffer.from(
      "GET /v1/responses HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\n" +
        `upgrade: websocket\r\nauthorization: Bearer ${SERVICE_KEY}\r\n${headers}` +
        "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ));
    return { client, head: await client.until("\r\n\r\n") };
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let left = bytes; left.length > 0;) {
      left = left.subarray(await this.#connection.write(left));
    }
  }

  /** Sends a frame as a client has to. */
  async send(opcode: number, content: string | Uint8Array, isLast = true): Promise<void> {
    const payload = Buffer.from(content as string);
    const frame = writeFrame(opcode, payload);
    const head = Buffer.from(frame.subarray(0, frame.length - payload.length));
    head[0] = (isLast ? 0x80 : 0) | opcode;
    head[1] = (head[1] as number) | 0x80;
    await this.write(Buffer.concat([head, Buffer.alloc(4), payload]));
  }

  async #fill(): Promise<boolean> {
    const piece = new Uint8Array(64 * 1024);
    const size = await this.#connection.read(piece).catch(() => null);
    if (size !== null) this.#bytes = Buffer.concat([this.#bytes, piece.subarray(0, size)]);
    return size !== null;
  }

  async until(end: string): Promise<string> {
    for (;;) {
      const at = this.#bytes.indexOf(end);
      if (at !== -1 || !await this.#fill()) {
        const size = at === -1 ? this.#bytes.length : at + end.length;
        const text = this.#bytes.toString("latin1", 0, size);
        this.#bytes = this.#bytes.subarray(size);
        return text;
      }
    }
  }

  /** The opcode and the content of the next frame; undefined at the end of the connection. */
  async next(): Promise<readonly [opcode: number, content: Buffer] | undefined> {
    for (;;) {
      const short = (this.#bytes[1] ?? 0) & 0x7f;
      const start = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (this.#bytes.length >= start) {
        const size = short === 126
          ? this.#bytes.readUInt16BE(2)
          : short === 127
          ? Number(this.#bytes.readBigUInt64BE(2))
          : short;
        if (this.#bytes.length >= start + size) {
          const content = this.#bytes.subarray(start, start + size);
          const opcode = (this.#bytes[0] as number) & 0x0f;
          this.#bytes = this.#bytes.subarray(start + size);
          return [opcode, content];
        }
      }
      if (!await this.#fill()) return undefined;
    }
  }

  /** The status of the next error, or the type of the next event. */
  async event(): Promise<unknown> {
    let [opcode, content] = await this.next() ?? [];
    while (opcode === PING) [opcode, content] = await this.next() ?? [];
    const { type, status } = JSON.parse(content?.toString() ?? "{}");
    return type === "error" ? status : type;
  }

  async [Symbol.asyncDispose]() {
    this.#connection.close();
    await Promise.resolve();
  }
}

const create = (input: string) =>
  JSON.stringify({ type: "response.create", model: "mock-echo", input, store: false });

test("a handshake gets the answer of RFC 6455, and requests beside it are served", async (start) => {
  await using world = start();
  const { client, head } = await RawClient.open(await world.connect());
  await using _ = client;
  assertStringIncludes(head, "HTTP/1.1 101 ");
  assertStringIncludes(head.toLowerCase(), "sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=");
  await client.send(PING, "still there?");
  assertEquals(await client.next(), [PONG, Buffer.from("still there?")]);
  await client.send(TEXT, create("Hi"));
  assertEquals(await client.event(), "response.created");
  const plain = new Uint8Array(1000);
  using other = await world.connect();
  const request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
  await other.write(new TextEncoder().encode(request));
  const size = await other.read(plain);
  assertStringIncludes(new TextDecoder().decode(plain.subarray(0, size ?? 0)), "HTTP/1.1 200 OK");
});

test("a handshake without a key of the gateway is refused, and closed", async (start) => {
  await using world = start();
  const { client, head } = await RawClient.open(await world.connect(), "authorization: x\r\n");
  await using _ = client;
  assertStringIncludes(head, "HTTP/1.1 401 ");
  assertStringIncludes(await client.until("never"), "invalid_api_key");
});

for (
  const [name, bytes, code] of [
    ["without a mask", Uint8Array.from([0x81, 2, 72, 105]), 1002],
    ["with a reserved bit", Uint8Array.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
    ["with text that is not UTF-8", Uint8Array.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), 1007],
  ] as const
) {
  test(`a frame ${name} closes the connection`, async (start) => {
    await using world = start();
    const { client } = await RawClient.open(await world.connect());
    await using _ = client;
    await client.write(bytes);
    const [opcode, content] = await client.next() ?? [];
    assertEquals([opcode, content?.readUInt16BE(0)], [CLOSE, code]);
    assertEquals(await client.next(), undefined);
  });
}

test("a message over max_body is dropped in whole or in fragments, and the next is answered", async (start) => {
  await using world = start({ max_body: "1MiB" });
  const { client } = await RawClient.open(await world.connect());
  await using _ = client;
  await client.send(TEXT, "x".repeat(2 * MIB));
  assertEquals(await client.event(), 413);
  for (let count = 0; count < 40; count++) {
    await client.send(count === 0 ? TEXT : 0, "x".repeat(100_000), count === 39);
  }
  assertEquals(await client.event(), 413);
  await client.send(BYTES, "x");
  assertEquals(await client.event(), 400);
  await client.send(TEXT, create("Hi"));
  assertEquals(await client.event(), "response.created");
});

test("what is unfinished is charged to the key, and must arrive in time", async (start) => {
  await using world = start({ max_in_flight_bytes: "64MiB" });
  const { client } = await RawClient.open(await world.connect());
  await using _ = client;
  await client.send(TEXT, "x".repeat(10 * MIB), false);
  await until(() => world.memory.bytes >= 30 * MIB);
  const { client: second } = await RawClient.open(await world.connect());
  await using _second = second;
  await second.send(TEXT, "x".repeat(10 * MIB), false);
  await second.send(0, "x", true);
  assertEquals(await second.event(), 503);
  for (let seconds = 0; seconds < 31; seconds++) world.clock.advance(1000);
  assertEquals(await client.event(), 408);
  const [opcode] = await client.next() ?? [];
  assertEquals(opcode, CLOSE);
});

test("a client that answers no ping is disconnected", async (start) => {
  await using world = start();
  const { client } = await RawClient.open(await world.connect());
  await using _ = client;
  await client.send(PING, "");
  assertEquals((await client.next())?.[0], PONG);
  world.clock.advance(30_000);
  assertEquals((await client.next())?.[0], PING);
  world.clock.advance(30_000);
  assertEquals(await client.next(), undefined);
});

test("the client's close frame is answered, and then the connection ends", async (start) => {
  await using world = start();
  const { client } = await RawClient.open(await world.connect());
  await using _ = client;
  await client.send(CLOSE, Uint8Array.from([0x03, 0xe8]));
  const [opcode, content] = await client.next() ?? [];
  assertEquals([opcode, content?.readUInt16BE(0)], [CLOSE, 1000]);
  assertEquals(await client.next(), undefined);
});
