/** The response cache of replicas over a real server. */

import { assert, assertEquals } from "@std/assert";
import { Redis } from "iovalkey";
import { SystemClock } from "../../../src/core/clock.ts";
import { LocalCounters } from "../../../src/governance/local_counters.ts";
import { unlimitedMemory } from "../../../src/core/in_flight_memory.ts";
import { createStateStores } from "../../../src/process/stores/shared_store.ts";
import { untilReply } from "../../support/elapse.ts";
import { createGatewayOn, createTestMetrics, loadTestConfig } from "../../support/gateway.ts";
import { ScriptedVendor } from "../../support/scripted_vendor.ts";
import { valkeyStore } from "../../support/shared_stores.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../../support/valkey_server.ts";

const CONFIG = {
  server: { reasoning_state: { key: "0123456789abcdef0123456789abcdef" } },
  providers: {
    v: { kind: "openai_compatible", base_url: "https://vendor.example/v1", models: ["m"] },
  },
  routing: { cache: { ttl: "1h" } },
};

/** A replica that asks about something secret. */
function startReplica(port: number) {
  const clock = new SystemClock();
  const store = valkeyStore(port, clock);
  const config = loadTestConfig(CONFIG);
  const stores = createStateStores(store, {
    config: () => config,
    counters: new LocalCounters(),
    clock,
    metrics: createTestMetrics(),
    memory: unlimitedMemory(),
  });
  store.start();
  const vendor = new ScriptedVendor();
  const gateway = createGatewayOn(clock, {
    config: CONFIG,
    fetch: vendor.fetch,
    cache: stores.cache,
  });
  return {
    vendor,
    async ask(seed: number): Promise<string | null> {
      const response = await gateway.call("/v1/chat/completions", {
        ...{ model: "m", temperature: 0, seed },
        messages: [{ role: "user", content: "the secret" }],
      });
      assert((await response.text()).includes("Hello."));
      return response.headers.get("x-sluice-cache");
    },
    async [Symbol.asyncDispose]() {
      await stores.close();
      clock.close();
    },
  };
}

Deno.test({
  name: `replicas share answers, encrypted, and an outage is a miss${NEEDS_VALKEY}`,
  ignore: VALKEY === undefined,
  async fn() {
    await using valkey = await startValkey();
    await using one = startReplica(valkey.port);
    await using other = startReplica(valkey.port);
    const redis = new Redis({ host: "127.0.0.1", port: valkey.port });
    assertEquals(await one.ask(1), "miss");
    const entries = () => redis.keys("{sluice:response_cache:*}:entry:*");
    await untilReply(async () => (await entries()).length === 1);
    const [key = ""] = await entries();
    const stored = await redis.getBuffer(key);
    assert(stored !== null && !stored.includes("Hello"), "it is not encrypted");
    assert(await redis.pttl(key) <= 3_600_000);
    redis.disconnect();
    // The first lookup may come before the connection.
    await untilReply(async () => await other.ask(1) === "hit");
    const before = other.vendor.sent.length;
    assertEquals(await other.ask(1), "hit");
    assertEquals(other.vendor.sent.length, before);
    await valkey.kill();
    assertEquals(await other.ask(1), "hit", "its own copy");
    assertEquals(await other.ask(2), "miss");
    assertEquals(await one.ask(2), "miss");
  },
});
