/** What the operator reads when a Valkey or Redis server refuses the login. */

import { assertEquals } from "@std/assert";
import { openClient } from "../../../src/memory/shared_store/client.ts";
import { StoreConnection } from "../../../src/memory/shared_store/connection.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const REFUSED = "the server rejected the user name or the password";

for (
  const [reply, reason] of [
    ["-WRONGPASS invalid username-password pair or user is disabled.", REFUSED],
    ["-ERR invalid password", REFUSED],
    ["-NOAUTH Authentication required.", "the server needs a password"],
  ] as const
) {
  Deno.test(`a server that answers AUTH with '${reply}' is reported in plain words`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const served = (async () => {
      for await (const connection of listener) await refuse(connection, reply);
    })();
    const server = { host: "127.0.0.1", port: listener.addr.port, tls: false, database: 0 };
    const login = { username: undefined, password: "wrong-password" };
    const { promise, resolve } = Promise.withResolvers<string>();
    const connection = new StoreConnection({
      clock: new ManualClock(),
      open: (signal) => openClient({ ...server, ...login }, { script: "return 1" }, signal),
      onOpen: () => Promise.resolve(),
      onUp() {},
      onLost() {},
      onDown: resolve,
    });
    assertEquals(await promise, reason);
    await connection.close();
    listener.close();
    await served;
  });
}

/** Answers AUTH with a refusal, and everything else as before a login. */
async function refuse(connection: Deno.Conn, reply: string): Promise<void> {
  const bytes = new Uint8Array(4096);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  try {
    for (;;) {
      const length = await connection.read(bytes);
      if (length === null) break;
      for (const [, name = ""] of decoder.decode(bytes.subarray(0, length)).matchAll(COMMAND)) {
        const isAuth = name.toLowerCase() === "auth";
        await connection.write(encoder.encode(isAuth ? `${reply}\r\n` : NOT_AUTHENTICATED));
      }
    }
  } catch {
    // The client has closed the connection.
  } finally {
    connection.close();
  }
}

const COMMAND = /\*\d+\r\n\$\d+\r\n(\w+)/g;
const NOT_AUTHENTICATED = "-NOAUTH Authentication required.\r\n";
