/** The script with which workers tell each other about breakers and keys, on a real server. */

import { assert, assertEquals } from "@std/assert";
import { openClient } from "../../src/memory/shared_store/client.ts";
import type { ScriptClient } from "../../src/memory/shared_store/connection.ts";
import type { ExchangeReply } from "../../src/gateway/health_exchange/exchange.ts";
import { EXCHANGE_KEYS, EXCHANGE_SCRIPTS } from "../../src/gateway/health_exchange/script.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../support/valkey_server.ts";
import { rulesFor } from "../support/shared_stores.ts";

type ExchangeClient = ScriptClient<"exchange", string | number, ExchangeReply>;

const ignore = VALKEY === undefined;

async function connect(port: number): Promise<ExchangeClient> {
  const { signal } = new AbortController();
  return await openClient<"exchange", ExchangeReply>(rulesFor(port), EXCHANGE_SCRIPTS, signal);
}

Deno.test({
  name: `the script returns what is new, is bounded, and survives foreign data${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const client = await connect(valkey.port);
    const run = async (...args: (string | number)[]) =>
      (await client.run("exchange", EXCHANGE_KEYS, args)).map((item) =>
        new TextDecoder().decode(item)
      );
    try {
      const [now = "", first = ""] = await run("0", 2, "a", "one", "b", "two");
      assert(Math.abs(Number(now) / 1000 - Date.now()) < 15_000);
      const [, , ...both] = await run("0", 0);
      assertEquals(both, [first, "one", String(Number(first) + 1), "two"]);
      assertEquals((await run(first, 0)).slice(3), ["two"]);
      // The last record of a field replaces those before it.
      const [, again = ""] = await run("0", 1, "a", "three");
      assert(Number(again) > Number(first) + 1);
      assertEquals((await run("0", 0)).filter((_, index) => index % 2 === 1).slice(1), [
        "two",
        "three",
      ]);
      // No more than 1,000 are kept, and 200 are returned at once.
      for (let call = 0; call < 6; call++) {
        const texts = Array.from({ length: 200 }, (_, at) => [`${call} ${at}`, `${call}`]).flat();
        await run("0", 200, ...texts);
      }
      let [cursor, count] = ["0", 0];
      for (;;) {
        const [, , ...some] = await run(cursor, 0);
        if (some.length === 0) break;
        assert(some.length <= 400);
        count += some.length / 2;
        cursor = some.at(-2) ?? "";
      }
      assertEquals(count, 1000);
      // Longer texts are not returned.
      await run("0", 1, "long", "x".repeat(2000));
      assertEquals((await run(cursor, 0)).slice(3), [""]);
      // A record from the future, and one without its text.
      await foreign(valkey.port, [
        ["ZADD", EXCHANGE_KEYS[0] ?? "", "inf", "future"],
        ["ZADD", EXCHANGE_KEYS[0] ?? "", cursor, "textless"],
      ]);
      await run("0", 1, "later", "yes");
      assertEquals((await run("0", 0)).slice(3), ["yes"]);
      // Keys of another type make it fail, not hang.
      await foreign(valkey.port, [["SET", EXCHANGE_KEYS[0] ?? "", "x"]]);
      const reason = await run("0", 1, "a", "one").then(() => "", String);
      assert(reason.includes("WRONGTYPE"), reason);
    } finally {
      client.close();
      await client.ended;
    }
  },
});

/** Runs commands as another program would. */
async function foreign(port: number, commands: readonly (readonly string[])[]): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const writer = connection.writable.getWriter();
  for (const command of commands) {
    await writer.write(new TextEncoder().encode(command.join(" ") + "\r\n"));
  }
  const reader = connection.readable.getReader();
  let text = "";
  while (text.split("\r\n").length <= commands.length) {
    text += new TextDecoder().decode((await reader.read()).value);
  }
  assert(!text.startsWith("-"), text);
  reader.releaseLock();
  writer.releaseLock();
}
