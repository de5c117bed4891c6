/** Connections of gateway processes to the shared store. */

import { assertEquals } from "@std/assert";
import { Redis } from "iovalkey";
import { startReplicas } from "../support/replicas.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../support/valkey_server.ts";

Deno.test({
  name: `each worker has one connection for everything that it shares${NEEDS_VALKEY}`,
  ignore: VALKEY === undefined,
  async fn() {
    await using valkey = await startValkey();
    await using replicas = await startReplicas({
      store: `redis://127.0.0.1:${valkey.port}`,
      count: 2,
      key: { limits: { requests_per_minute: 100 } },
      share: ["limits", "breakers"],
      stateKey: "0123456789abcdef0123456789abcdef",
    });
    assertEquals(await replicas.ask(0), 200);
    const metrics = await (await replicas.fetch(0)).text();
    assertEquals(/^sluice_shared_state_up 1$/m.test(metrics), true, "state is not shared");
    const redis = new Redis({ host: "127.0.0.1", port: valkey.port });
    const list = String(await redis.client("LIST"));
    redis.disconnect();
    assertEquals(list.split("\n").filter((line) => line.includes(" name=sluice ")).length, 2);
  },
});
