/** A listener that accepts no more connections serves those that it has. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Connections } from "../../../src/process/listener/connections.ts";
import type { Endpoint } from "../../../src/process/listener/endpoint.ts";
import { ConnectionListener } from "../../../src/process/listener/listener.ts";
import { findServeConnection } from "../../../src/process/listener/runtime_server.ts";
import { turn, until } from "../../support/elapse.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { needs } from "../../support/needs.ts";

const REQUEST = new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");

function open(options: Partial<Endpoint> = {}, maxConnectionsPerAddress = 100) {
  const serve = findServeConnection(Deno);
  if (serve === undefined) throw new TypeError("The runtime serves no single connection");
  const clock = new ManualClock();
  const connections = new Connections({
    limits: () => ({
      max_connections: 100,
      max_connections_per_address: maxConnectionsPerAddress,
      head_timeout: 60_000,
      idle_timeout: 60_000,
      write_timeout: 60_000,
    }),
    clock,
  });
  const listener = new ConnectionListener(
    {
      endpoint: { address: { hostname: "127.0.0.1", port: 0 }, ...options },
      shared: false,
      handle(_, connection) {
        connection?.requestEnded(0, clock.now());
        return Promise.resolve(new Response("answer"));
      },
      onBug: (thrown) => {
        throw thrown;
      },
      clock,
      log: () => {},
      onAcceptFailure: () => {},
    },
    connections,
    () => serve,
  );
  return { clock, connections, listener, connect: () => connectTo(listener.address) };
}

function connectTo(address: Endpoint["address"]): Promise<Deno.Conn> {
  return "path" in address
    ? Deno.connect({ transport: "unix", path: address.path })
    : Deno.connect(address);
}

async function ask(connection: Deno.Conn): Promise<string> {
  const bytes = new Uint8Array(1000);
  await connection.write(REQUEST);
  return new TextDecoder().decode(bytes.subarray(0, await connection.read(bytes) ?? 0));
}

Deno.test("a connection that is open when the listener leaves is served until the client closes it", async () => {
  const { connect, connections, listener } = open();
  const connection = await connect();
  await ask(connection);
  let hasLeft = false;
  const left = listener.leave().then(() => hasLeft = true);
  // The runtime closes the port in the next turn.
  await turn();
  await assertRejects(connect, Deno.errors.ConnectionRefused);
  assert((await ask(connection)).endsWith("answer"));
  assertEquals([hasLeft, connections.size], [false, 1]);
  connection.close();
  await left;
  assertEquals(connections.size, 0);
  await listener.close();
});

Deno.test("an idle connection is closed half a minute after the listener leaves", async () => {
  const { clock, connect, connections, listener } = open();
  const connection = await connect();
  await ask(connection);
  let hasLeft = false;
  const left = listener.leave().then(() => hasLeft = true);
  await new Promise((resolve) => setTimeout(resolve, 10));
  clock.advance(29_999);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assertEquals([hasLeft, connections.size], [false, 1]);
  clock.advance(1);
  await left;
  assertEquals(connections.size, 0);
  assertEquals(await connection.read(new Uint8Array(1)), null);
  connection.close();
});

Deno.test("a listener that leaves can be closed meanwhile", async () => {
  const { connect, connections, listener } = open();
  const connection = await connect();
  await ask(connection);
  const left = listener.leave();
  await listener.close();
  await left;
  assertEquals(connections.size, 0);
  connection.close();
});

Deno.test("a connection that the system has just accepted when the listener leaves is served", async () => {
  const { promise: delay, resolve: endDelay } = Promise.withResolvers<void>();
  const { promise: accepted, resolve: onAccept } = Promise.withResolvers<void>();
  const { listen } = Deno;
  Deno.listen = ((options: Deno.ListenOptions) => {
    const listener = listen(options);
    return {
      addr: listener.addr,
      close: () => listener.close(),
      async accept() {
        const connection = await listener.accept();
        onAccept();
        await delay;
        return connection;
      },
    };
  }) as unknown as typeof listen;
  const { connect, listener } = open();
  Deno.listen = listen;
  const connection = await connect();
  await accepted;
  let hasLeft = false;
  const left = listener.leave().then(() => hasLeft = true);
  endDelay();
  assert((await ask(connection)).endsWith("answer"));
  assertEquals(hasLeft, false);
  connection.close();
  await left;
});

Deno.test({
  ...needs(
    "another system than Windows",
    Deno.build.os !== "windows",
    "a Unix socket serves requests; the limit for each address does not apply to it",
  ),
  async fn() {
    const folder = await Deno.makeTempDir();
    const { connections, listener } = open({ address: { path: `${folder}/socket` } }, 1);
    const all = [await connectTo(listener.address), await connectTo(listener.address)];
    for (const connection of all) assert((await ask(connection)).endsWith("answer"));
    assertEquals(connections.size, 2);
    for (const connection of all) connection.close();
    await until(() => connections.size === 0);
    await listener.close();
    await Deno.remove(folder, { recursive: true });
  },
});
