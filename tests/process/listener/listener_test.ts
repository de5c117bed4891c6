/** A listener that accepts no more connections serves those that it has. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Connections } from "../../../src/process/listener/connections.ts";
import { ConnectionListener } from "../../../src/process/listener/listener.ts";
import { findServeConnection } from "../../../src/process/listener/runtime_server.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const REQUEST = new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");

function open() {
  const serve = findServeConnection(Deno);
  if (serve === undefined) throw new TypeError("The runtime serves no single connection");
  const clock = new ManualClock();
  const connections = new Connections({
    limits: () => ({
      maxConnections: 100,
      maxConnectionsPerAddress: 100,
      headTimeout: 60_000,
      idleTimeout: 60_000,
      writeTimeout: 60_000,
    }),
    clock,
  });
  const listener = new ConnectionListener(
    {
      address: { hostname: "127.0.0.1", port: 0 },
      shared: false,
      handle: () => Promise.resolve(new Response("answer")),
      onBug: (thrown) => {
        throw thrown;
      },
      clock,
      log: () => {},
      onAcceptFailure: () => {},
    },
    connections,
    serve,
  );
  return { clock, connections, listener, connect: () => Deno.connect(listener.address) };
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
  await new Promise((resolve) => setTimeout(resolve, 0));
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
