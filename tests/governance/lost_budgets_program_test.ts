/** Budgets on a real server that loses its data, or is of an earlier version. */

import { assertEquals, assertRejects } from "@std/assert";
import type { ServiceKey } from "../../src/config/keys.ts";
import { systemClock } from "../../src/core/clock.ts";
import { newId } from "../../src/core/ids.ts";
import { periodNumber } from "../../src/core/budget_period.ts";
import { budgetCounter, ledgerCounter } from "../../src/governance/counters.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { SharedLimits } from "../../src/governance/shared_limits/shared_limits.ts";
import { until, untilReply } from "../support/elapse.ts";
import { valkeyStore } from "../support/shared_stores.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import type { Admission } from "../../src/governance/admission.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../support/valkey_server.ts";

const ignore = VALKEY === undefined;
const PER = "total";

/** A replica with one key that has a budget of 10 US dollars. */
class Replica {
  readonly counters = new LocalCounters();
  readonly store: SharedLimits;
  readonly #limiter: Limiter;
  #isUp = false;
  readonly #key = {
    name: "a",
    models: undefined,
    budget: { usd: 10, per: PER },
  } as unknown as ServiceKey;

  constructor(port: number) {
    const { counters } = this;
    const shared = valkeyStore(port);
    this.store = new SharedLimits({
      store: shared,
      counters,
      clock: systemClock,
      newId,
      replica: newId(""),
      policy: () => "local",
      metrics: {
        storeFailed: () => {},
        storeReplied: () => {},
        storeIsUp: (isUp) => this.#isUp = isUp,
        settlementsDropped: () => {},
      },
    });
    shared.start();
    this.#limiter = new Limiter(counters, systemClock, this.store);
  }

  /** Admits a request that reserves an amount of US dollars. */
  async admit(usd: number): Promise<Admission> {
    const admission = await this.#limiter.admit({
      key: this.#key,
      targets: [{
        model: { id: "m", facts: { prices: { input: usd * 1e6, output: 0 } } },
        params: undefined,
      }],
      estimate: () => ({ input: 1, maxOutput: 1 }),
    }, { defaults: {}, models: new Map() });
    if (admission === undefined) throw new Error("No limits apply");
    return admission;
  }

  /** A request that costs an amount. Resolves when the store knows it. */
  async spend(usd: number): Promise<void> {
    (await this.admit(usd)).settle({ tokens: 1, microUsd: usd * 1e6 });
    await until(() => this.store.isEmpty || !this.#isUp);
  }

  /** What is spent, as the store says. */
  async spent(): Promise<number> {
    (await this.admit(0)).settle({ tokens: 0, microUsd: 0 });
    const slot = this.counters.slotOf(budgetCounter(PER, "a"));
    return this.counters.spent(slot, periodNumber(PER, Date.now())) / 1e9;
  }

  async isUp(expected: boolean): Promise<void> {
    await until(() => this.#isUp === expected && (!expected || this.store.isEmpty));
  }
}

async function command(port: number, ...args: readonly string[]): Promise<unknown> {
  const { Redis } = await import("iovalkey");
  const plain = new Redis({ port, host: "127.0.0.1" });
  const reply = await plain.call(args[0] ?? "", ...args.slice(1));
  plain.disconnect();
  return reply;
}

const KEY = "{sluice:key:a}:budget:total:key:a:0:nano_usd";
const EARLIER_KEY = "{sluice}:budget:total:key:a:0";

for (const lose of [["FLUSHALL"], ["DEL", KEY]]) {
  Deno.test({
    name: `${lose[0]} on a living connection does not grant a budget again${NEEDS_VALKEY}`,
    ignore,
    async fn() {
      await using valkey = await startValkey();
      const [one, two] = [new Replica(valkey.port), new Replica(valkey.port)];
      for (const replica of [one, two]) await replica.isUp(true);
      await one.spend(3);
      await two.spend(4);
      await one.spend(3);
      await command(valkey.port, ...lose);
      // The second replica has not heard of the last charge. The order does not matter.
      assertEquals(await two.spent(), 7);
      assertEquals(await one.spent(), 10);
      await assertRejects(() => two.admit(1.5), Error, "used up");
      assertEquals(await two.spent(), 10);
      await command(valkey.port, ...lose);
      await assertRejects(() => one.admit(1.5), Error, "used up");
      assertEquals(await two.spent(), 10);
      for (const replica of [one, two]) await replica.store.close();
    },
  });
}

Deno.test({
  name: `a budget that the server lost is in the ledger of a new replica${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const replica = new Replica(valkey.port);
    await replica.isUp(true);
    const slot = replica.counters.slotOf(ledgerCounter(budgetCounter(PER, "a")));
    replica.counters.spend(slot, 0, 10e9, Infinity);
    await assertRejects(() => replica.admit(1.5), Error, "used up");
    await replica.store.close();
  },
});

Deno.test({
  name: `what replicas charge while the server is gone is added, once each${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const [one, two] = [new Replica(valkey.port), new Replica(valkey.port)];
    for (const replica of [one, two]) await replica.isUp(true);
    await one.spend(1);
    await two.spend(2);
    await valkey.kill();
    for (const replica of [one, two]) await replica.isUp(false);
    await one.spend(2);
    await two.spend(5);
    // It has lost its data.
    await valkey.restart();
    for (const replica of [one, two]) await replica.isUp(true);
    assertEquals(await one.spent(), 10);
    assertEquals(await two.spent(), 10);
    await assertRejects(() => two.admit(2.5), Error, "used up");
    for (const replica of [one, two]) await replica.store.close();
  },
});

for (
  const [unit, key, value] of [
    ["nano-dollars", `${EARLIER_KEY}:nano_usd`, "9000000000"],
    ["micro-dollars", EARLIER_KEY, "9000000"],
  ] as const
) {
  Deno.test({
    name:
      `costs below a micro-dollar count, and so do ${unit} of an earlier version${NEEDS_VALKEY}`,
    ignore,
    async fn() {
      await using valkey = await startValkey();
      await command(valkey.port, "SET", key, value);
      const replica = new Replica(valkey.port);
      await replica.isUp(true);
      // The first request asks for what an earlier version has counted.
      await replica.spent();
      await untilReply(async () => await replica.spent() === 9);
      for (let request = 0; request < 20; request++) await replica.spend(4e-7);
      assertEquals(await replica.spent(), 9.000008);
      await replica.store.close();
    },
  });
}
