/** Which failures of a PostgreSQL server end the start: those that only a change of settings ends. */

import { assertEquals, assertRejects } from "@std/assert";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { type PostgresRules, toStoreRules } from "../../src/config/shared_store.ts";
import { PostgresConnection } from "../../src/governance/ledger/postgres_connection.ts";
import { StoreError } from "../../src/governance/ledger/usage_store.ts";
import { openStore } from "../../src/process/stores/ledger.ts";
import { StartError } from "../../src/process/system/stdio.ts";

/** An error of the server, as the protocol writes it. */
function errorResponse(code: string, message: string): Uint8Array<ArrayBuffer> {
  const fields = new TextEncoder().encode(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const bytes = new Uint8Array(5 + fields.length);
  bytes[0] = "E".charCodeAt(0);
  new DataView(bytes.buffer).setUint32(1, 4 + fields.length);
  bytes.set(fields, 5);
  return bytes;
}

/** A server that answers the first message of each connection, and closes it. */
function serve(answer: Uint8Array<ArrayBuffer>) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served = (async () => {
    for await (const connection of listener) {
      try {
        await connection.read(new Uint8Array(1024));
        await connection.write(answer);
      } finally {
        connection.close();
      }
    }
  })();
  return {
    port: listener.addr.port,
    async [Symbol.asyncDispose]() {
      listener.close();
      await served;
    },
  };
}

const FAULTS = [
  ["a wrong password", "disable", errorResponse("28P01", "no"), "setup"],
  ["an address without access", "disable", errorResponse("28000", "no"), "setup"],
  ["an unknown database", "disable", errorResponse("3D000", "no"), "setup"],
  ["a server without TLS", "require", new TextEncoder().encode("N"), "setup"],
  ["a server that starts", "disable", errorResponse("57P03", "no"), "unavailable"],
  ["too many connections", "disable", errorResponse("53300", "no"), "unavailable"],
  ["a lost connection", "disable", new Uint8Array(0), "unavailable"],
] as const;

for (const [what, sslmode, answer, failure] of FAULTS) {
  Deno.test(`${what} is '${failure}'`, async () => {
    await using server = serve(answer);
    const url = `postgres://u:pw@127.0.0.1:${server.port}/d?sslmode=${sslmode}`;
    const connection = new PostgresConnection(toStoreRules(url) as PostgresRules, undefined, 1000);
    const thrown = await assertRejects(() => connection.call((sql) => sql("SELECT 1")), StoreError);
    assertEquals(thrown.failure, failure, thrown.message);
    await connection.close();
  });
}

Deno.test("a certificate that no configured CA has signed is 'setup'", async () => {
  const secureContext = createSecureContext({
    cert: read("localhost"),
    key: read("localhost.key"),
  });
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("S");
      new TLSSocket(socket, { isServer: true, secureContext }).on("error", () => {});
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `postgres://u:pw@localhost:${port}/d?sslmode=verify-full`;
  const rules = toStoreRules(url) as PostgresRules;
  const connection = new PostgresConnection(rules, read("elsewhere"), 1000);
  const thrown = await assertRejects(() => connection.call((sql) => sql("SELECT 1")), StoreError);
  assertEquals(thrown.failure, "setup", thrown.message);
  await connection.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, "close");
});

Deno.test("invalid settings prevent the start", async () => {
  await using server = serve(errorResponse("28P01", "no"));
  const url = `postgres://u:pw@127.0.0.1:${server.port}/d?sslmode=disable`;
  const opening = openStore({ store: toStoreRules(url) });
  await assertRejects(() => opening, StartError, "Cannot open the store");
});

function read(name: string): string {
  return Deno.readTextFileSync(new URL(`../support/tls/${name}.pem`, import.meta.url));
}
