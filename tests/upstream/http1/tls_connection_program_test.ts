/** Bytes through TLS in both directions, and how a connection ends. */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { runSluice } from "../../support/process.ts";
import { readRoot } from "../../support/read_root.ts";

const CLIENT = fileURLToPath(new URL("../../support/tls_client.ts", import.meta.url));
const CONFIG = fileURLToPath(new URL("../../../deno.json", import.meta.url));
const CERTIFICATE = readRoot("tests/support/tls/localhost.pem");

/** What the vendor does with the connection; it is closed afterwards. */
type Serve = (connection: Deno.TlsConn, clientEnded: Promise<unknown>) => Promise<void>;

/** Runs a scenario of the client against a vendor. The client's process must end by itself. */
async function run(scenario: string, serve: Serve): Promise<Record<string, unknown>> {
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: CERTIFICATE,
    key: readRoot("tests/support/tls/localhost.key.pem"),
    alpnProtocols: ["h2", "http/1.1"],
  });
  const clientEnded = Promise.withResolvers<void>();
  const serving = (async () => {
    const connection = await listener.accept();
    try {
      await serve(connection, clientEnded.promise);
    } finally {
      connection.close();
    }
  })();
  const args = ["run", "--config", CONFIG, "--allow-net", "--allow-env", "--allow-read", CLIENT];
  const { stdout, stderr, code } = await runSluice([String(listener.addr.port), scenario], {
    files: { "ca.pem": CERTIFICATE },
    env: { DENO_CERT: "ca.pem" },
    program: { path: Deno.execPath(), args },
  });
  clientEnded.resolve();
  listener.close();
  await serving;
  assertEquals(code, 0, stderr);
  return JSON.parse(stdout);
}

/** Reads on until there is no more, and says how the connection ended. */
async function endOf(connection: Deno.TlsConn): Promise<string> {
  const bytes = new Uint8Array(64 * 1024);
  try {
    while (await connection.read(bytes) !== null);
    return "ended";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.name : String(thrown);
  }
}

async function write(connection: Deno.TlsConn, bytes: Uint8Array): Promise<void> {
  for (let left = bytes; left.length > 0;) left = left.subarray(await connection.write(left));
}

Deno.test("megabytes in both directions arrive unchanged, in small reads", async () => {
  let end = "";
  const result = await run("echo", async (connection) => {
    const bytes = new Uint8Array(64 * 1024);
    try {
      for (let size = await connection.read(bytes); size !== null;) {
        await write(connection, bytes.subarray(0, size));
        size = await connection.read(bytes);
      }
      end = "ended";
    } catch (thrown) {
      end = String(thrown);
    }
  });
  assertEquals(result, { received: 3_000_000, wrong: 0 });
  assertEquals(end, "ended");
});

Deno.test("a vendor whose bytes are not read has to wait, and no byte is lost", async () => {
  const SIZE = 64 * 1024 * 1024;
  let writtenWhenAsked = 0;
  const result = await run("slow", async (connection) => {
    const bytes = new Uint8Array(1000);
    await connection.read(bytes);
    let written = 0;
    const writing = (async () => {
      const piece = new Uint8Array(64 * 1024);
      for (; written < SIZE; written += piece.length) await write(connection, piece);
      await connection.closeWrite();
    })();
    await connection.read(bytes);
    writtenWhenAsked = written;
    await writing;
    await endOf(connection);
  });
  assertEquals(result, { received: SIZE, atEnd: null });
  assert(writtenWhenAsked < SIZE / 2, `${writtenWhenAsked} bytes were taken without a reader`);
});

Deno.test("closing ends pending and later reads, and sends close_notify", async () => {
  let end = "";
  const result = await run("leave", async (connection) => {
    assertEquals((await connection.handshake()).alpnProtocol, "http/1.1");
    end = await endOf(connection);
  });
  assertEquals(result, {
    read: "Error: Connection closed",
    after: "Error: Connection closed",
    written: "refused",
  });
  assertEquals(end, "ended");
});

Deno.test("closing ends a connection even if the vendor reads nothing", async () => {
  let hasEnded = false;
  await run("flood", async (connection, clientEnded) => {
    await connection.handshake();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, 8000);
    // A process with an open connection would run until the connection is read or closed.
    await Promise.race([clientEnded.then(() => hasEnded = true), promise]);
    clearTimeout(timer);
  });
  assert(hasEnded, "the connection was open until the vendor closed it");
});

Deno.test("a reset by the vendor ends the connection", async () => {
  const result = await run("cut", async (connection) => {
    await connection.read(new Uint8Array(5));
    await write(connection, new Uint8Array(5));
  });
  assertEquals(result, { first: 5, second: "null" });
});
