/** Moved sessions that replicas share in a real store. */

import { assertEquals } from "@std/assert";
import { SystemClock } from "../../../src/core/clock.ts";
import { MOVES_KEYS, StoredMoves } from "../../../src/features/affinity/moved_exchange.ts";
import { MovedSessions } from "../../../src/features/affinity/moved_sessions.ts";
import { until } from "../../support/elapse.ts";
import { valkeyStore } from "../../support/shared_stores.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../../support/valkey_server.ts";

function startReplica(port: number) {
  const clock = new SystemClock();
  const moved = new MovedSessions();
  const store = valkeyStore(port, clock);
  const moves = new StoredMoves(moved, store, clock);
  store.start();
  return {
    find: (session: string, key = "a") => moved.find(key, () => session, clock.now())?.target,
    move: (session: string, target: string, ms = 300_000) =>
      moved.moved("a", session, { target, until: clock.now() + ms }, clock.now()),
    forget: (session: string) => moved.forget("a", () => session),
    async [Symbol.asyncDispose]() {
      await moves.close();
      clock.close();
    },
  };
}

Deno.test({
  name:
    `replicas share moved sessions, and each has its own memory without the store${NEEDS_VALKEY}`,
  ignore: VALKEY === undefined,
  async fn() {
    await using valkey = await startValkey();
    await using one = startReplica(valkey.port);
    {
      await using other = startReplica(valkey.port);
      one.move("s1 m", "x@p");
      one.move("s2 m", "x@p", 2000);
      await until(() => other.find("s1 m") === "x@p" && other.find("s2 m") === "x@p");
      assertEquals(other.find("s1 m", "b"), undefined);
      other.move("s1 m", "y@p");
      await until(() => one.find("s1 m") === "y@p");
      await until(() => other.find("s2 m") === undefined);
      other.forget("s1 m");
      await until(() => one.find("s1 m") === undefined);
      for (let index = 0; index < 500; index++) one.move(`many${index}`, "x@p");
      await until(() => other.find("many499") === "x@p" && other.find("many0") === "x@p");
    }
    // A replica that starts later reads all of them; what nobody wrote is ignored.
    await foreign(valkey.port);
    await using late = startReplica(valkey.port);
    await until(() => late.find("many0") === "x@p" && late.find("many499") === "x@p");
    await valkey.kill();
    one.move("alone m", "x@p");
    assertEquals([one.find("alone m"), one.find("many0")], ["x@p", "x@p"]);
    await valkey.restart();
    await until(() => late.find("alone m") === "x@p");
  },
});

/** Writes records as no replica does. */
async function foreign(port: number): Promise<void> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const [order = "", records = ""] = MOVES_KEYS;
  for (const [index, text] of ["{", "[]", '["a","many1",5,1]', '["a"]'].entries()) {
    for (
      const command of [
        ["HSET", records, `foreign${index}`, text],
        ["ZADD", order, String(Date.now() * 1000 + index), `foreign${index}`],
      ]
    ) {
      const parts = command.map((part) =>
        `$${new TextEncoder().encode(part).length}\r\n${part}\r\n`
      );
      await connection.write(new TextEncoder().encode(`*${parts.length}\r\n${parts.join("")}`));
      await connection.read(new Uint8Array(100));
    }
  }
  connection.close();
}
