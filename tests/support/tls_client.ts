/**
 * The client's side of tests/upstream/http1/tls_connection_program_test.ts, in a process that
 * trusts the test certificate: prints the result of one connection as JSON.
 */

import { dial } from "../../src/upstream/http1/dial.ts";
import type { Connection } from "../../src/upstream/http1/connection.ts";

const encoder = new TextEncoder();

/** The actions of the client on an open connection. */
const SCENARIOS: Readonly<Record<string, (connection: Connection) => Promise<unknown>>> = {
  /** Sends and receives at once, with small reads. */
  async echo(connection) {
    const SIZE = 3_000_000;
    const bytes = Uint8Array.from({ length: SIZE }, (_, at) => (at * 7) % 251);
    const sending = sendAll(connection, bytes);
    const into = new Uint8Array(1000);
    let received = 0;
    let wrong = 0;
    while (received < SIZE) {
      const size = await connection.read(into);
      if (size === null) break;
      for (let at = 0; at < size; at++) if (into[at] !== bytes[received + at]) wrong++;
      received += size;
    }
    await sending;
    return { received, wrong };
  },

  /** Reads nothing for a while, then everything. */
  async slow(connection) {
    await sendAll(connection, encoder.encode("go"));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await sendAll(connection, encoder.encode("how much?"));
    const into = new Uint8Array(32 * 1024);
    let received = 0;
    for (
      let size = await connection.read(into);
      size !== null;
      size = await connection.read(into)
    ) {
      received += size;
    }
    return { received, atEnd: await connection.read(into) };
  },

  /** Closes the connection during a read. */
  async leave(connection) {
    await sendAll(connection, encoder.encode("hello"));
    const reading = connection.read(new Uint8Array(10)).then(String, String);
    setTimeout(() => connection.close(), 50);
    const read = await reading;
    const after = await connection.read(new Uint8Array(10)).then(String, String);
    const written = await connection.write(encoder.encode("x")).then(String, () => "refused");
    return { read, after, written };
  },

  /** Sends more than the vendor reads, and closes the connection in the meantime. */
  async flood(connection) {
    let sent = 0;
    const sending = (async () => {
      const piece = new Uint8Array(100_000);
      for (;;) sent += await connection.write(piece);
    })();
    sending.catch(() => {});
    let before = -1;
    while (before !== sent) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    connection.close();
    return { sent: sent > 0 };
  },

  /** The vendor closes the connection. */
  async cut(connection) {
    await sendAll(connection, encoder.encode("hello"));
    const into = new Uint8Array(10);
    const first = await connection.read(into);
    const second = await connection.read(into).then(String, () => "failed");
    return { first, second };
  },
};

async function sendAll(connection: Connection, bytes: Uint8Array): Promise<void> {
  for (let left = bytes; left.length > 0;) {
    left = left.subarray(await connection.write(left.subarray(0, 300_000)));
  }
}

const [port = "", name = ""] = Deno.args;
const { signal } = new AbortController();
const connection = await dial({ host: "localhost", port: Number(port), tls: true }, signal);
const result = await SCENARIOS[name]?.(connection);
await Deno.stdout.write(encoder.encode(JSON.stringify(result)));
// The process must exit, which open resources would prevent.
if (name === "echo" || name === "slow" || name === "cut") connection.close();
