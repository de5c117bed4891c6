/** The scripts of the limits store on a real server, against a reference model. */

import { assertEquals } from "@std/assert";
import { openClient } from "../../src/governance/limits_store/client.ts";
import type { StoreClient } from "../../src/governance/limits_store/connection.ts";
import { toBatch } from "../../src/governance/limits_store/commands.ts";
import { SCRIPTS } from "../../src/governance/limits_store/scripts.ts";
import { Random } from "../support/random.ts";
import { NEEDS_VALKEY, rulesFor, startValkey, VALKEY } from "../support/valkey_server.ts";

const ignore = VALKEY === undefined;
const LIFETIME_MS = 600_000;

async function connect(port: number): Promise<StoreClient> {
  return await openClient(rulesFor(port), SCRIPTS, new AbortController().signal);
}

/** Runs one operation of the batch script. */
async function run(
  client: StoreClient,
  name: "admit" | "settle",
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<readonly number[]> {
  const batch = toBatch([{ name, keys, args }]);
  const [reply = []] = await client.run("batch", batch.keys, batch.args);
  return reply;
}

/** The limits of the test: three places, a bucket and a budget. */
const LIMIT = 3;
const PER_UNIT = 1_000_000;
const BURST = 60_000_000;
const BUDGET = 1000;
/** Short, so that requests of a replica that crashed lose their places during the test. */
const LEASE = 30_000;

interface Open {
  readonly id: string;
  readonly tokens: number;
  readonly amount: number;
  readonly expires: number;
}

/** The reference: what the server should know, by its own time in microseconds. */
class Model {
  full = 0;
  spent = 0;
  readonly places = new Map<string, number>();
  readonly reservations = new Map<string, { readonly amount: number; readonly expires: number }>();

  fill(now: number): number {
    return Math.max(0, this.full - now);
  }

  /** The number of the limit that refuses, or 0. */
  admit({ id, tokens, amount }: Open, now: number): number {
    for (const [other, expires] of this.places) if (expires <= now) this.places.delete(other);
    if (this.places.size >= LIMIT) return 1;
    if (this.fill(now) + tokens * PER_UNIT > BURST) return 2;
    if (this.spent + amount > BUDGET) this.#release(now);
    if (this.spent + amount > BUDGET) return 3;
    if (amount > 0) this.reservations.set(id, { amount, expires: now + LEASE });
    this.places.set(id, now + LEASE);
    this.full = Math.max(this.full, now) + tokens * PER_UNIT;
    this.spent += amount;
    return 0;
  }

  settle({ id, tokens, amount }: Open, usedTokens: number, used: number, now: number): void {
    this.places.delete(id);
    this.full = Math.max(this.full, now) + (usedTokens - tokens) * PER_UNIT;
    const reserved = amount > 0 ? this.reservations.get(id)?.amount ?? 0 : 0;
    this.reservations.delete(id);
    this.spent = Math.max(0, this.spent + used - reserved);
  }

  #release(now: number): void {
    for (const [id, { amount, expires }] of this.reservations) {
      if (expires > now) continue;
      this.spent = Math.max(0, this.spent - amount);
      this.reservations.delete(id);
    }
  }
}

for (const seed of [1, 2, 3, 4]) {
  Deno.test({
    name:
      `any order of admissions, settlements, repeated settlements and crashes agrees with a reference model (seed ${seed})${NEEDS_VALKEY}`,
    ignore,
    async fn() {
      await using valkey = await startValkey();
      // Two replicas, each with a connection.
      const clients = [await connect(valkey.port), await connect(valkey.port)];
      const random = new Random(seed);
      const model = new Model();
      const keysOf = (id: string) => ["p", "b", "$", `m:${id}`, "r"];
      let open: Open[] = [];
      const settled: (readonly (string | number)[])[] = [];
      for (let step = 0; step < 400; step++) {
        const client = clients[random.below(2)];
        if (client === undefined) throw new Error("No client");
        const action = random.below(10);
        if (action < 5) {
          const id = `r${step}`;
          const request = {
            id,
            tokens: random.below(3),
            amount: random.below(500),
            expires: 0,
          };
          const [refused = -1, wait = 0, now = 0, fill = 0, spent = 0] = await run(
            client,
            "admit",
            keysOf(id),
            [
              ...[id, LEASE, 1, 1, LIMIT, request.tokens * PER_UNIT, BURST],
              ...[request.amount, BUDGET, LIFETIME_MS],
            ],
          );
          const before = model.fill(now);
          assertEquals(refused, model.admit(request, now), `step ${step}`);
          assertEquals([fill, spent], [model.fill(now), model.spent]);
          if (refused === 2) assertEquals(wait, before + request.tokens * PER_UNIT - BURST);
          if (refused === 0) open.push(request);
        } else if (action < 8) {
          const request = open.splice(random.below(Math.max(1, open.length)), 1)[0];
          if (request === undefined) continue;
          const [usedTokens, used] = [random.below(3), random.below(15)];
          const change = (usedTokens - request.tokens) * PER_UNIT;
          const args = [request.id, 1, 1, 1, change, used, request.amount, LIFETIME_MS];
          const [now = 0, fill = 0, spent = 0] = await run(
            client,
            "settle",
            keysOf(request.id),
            args,
          );
          model.settle(request, usedTokens, used, now);
          assertEquals([fill, spent], [model.fill(now), model.spent], `step ${step}`);
          settled.push(args);
        } else if (action === 8) {
          // A replica sends a settlement again, as it has not seen the reply.
          const args = settled[random.below(Math.max(1, settled.length))];
          if (args === undefined) continue;
          const [, , spent = 0] = await run(client, "settle", keysOf(String(args[0])), args);
          assertEquals(spent, model.spent, `step ${step}`);
        } else if (random.chance(0.3)) {
          // A crash: its requests are never settled. Their places are free after their leases.
          open = [];
          await new Promise((resolve) => setTimeout(resolve, LEASE / 1000 + 5));
        }
      }
      for (const client of clients) {
        client.close();
        await client.ended;
      }
    },
  });
}

Deno.test({
  name: `a settlement of an admission that never ran counts what was used, once${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const client = await connect(valkey.port);
    const keys = ["b", "$", "m:late", "r"];
    const settle = () => run(client, "settle", keys, ["late", 0, 1, 0, 0, 300, 400, LIFETIME_MS]);
    assertEquals((await settle()).slice(1), [0, 300]);
    assertEquals((await settle()).slice(1), [0, 300]);
    // The bucket is charged with what the process admitted by itself.
    const charge = ["b", "$", "m:other", "r"];
    const other = ["other", 0, 1, 0, 5_000_000, 0, 400, LIFETIME_MS];
    const [, fill = 0] = await run(client, "settle", charge, other);
    assertEquals(fill, 5_000_000);
    // The admission arrives after all, and has no effect.
    const admission = ["late", LEASE, 0, 1, PER_UNIT, BURST, 400, BUDGET, LIFETIME_MS];
    const [refused, , , filled = 0, spent] = await run(client, "admit", keys, admission);
    assertEquals([refused, filled <= fill, spent], [0, true, 300]);
    client.close();
    await client.ended;
  },
});

Deno.test({
  name:
    `what a replica that crashed has reserved is released, also of a request that ends${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const client = await connect(valkey.port);
    const admit = (id: string, amount: number, lease: number) =>
      run(client, "admit", ["$", `m:${id}`, "r"], [
        ...[id, lease, 0, 0, amount, BUDGET, LIFETIME_MS],
      ]).then(([refused, , , spent]) => [refused, spent]);
    const settle = (id: string, used: number, reserved: number) =>
      run(client, "settle", ["$", `m:${id}`, "r"], [id, 0, 0, 1, used, reserved, LIFETIME_MS])
        .then(([, spent]) => spent);
    assertEquals(await admit("crashed", 500, 1000), [0, 500]);
    assertEquals(await admit("late", 200, 1000), [0, 700]);
    assertEquals(await admit("renewed", 300, 1000), [0, 1000]);
    await client.run("renew", ["replicas", "r"], ["one", 60_000_000, 60_000_000, 1, "renewed"]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assertEquals(await admit("next", 600, 60_000_000), [0, 900]);
    assertEquals(await admit("other", 200, 60_000_000), [1, 900], "the renewed one stays");
    assertEquals(await settle("late", 50, 200), 950);
    assertEquals(await settle("late", 50, 200), 950);
    assertEquals(await settle("renewed", 10, 300), 660);
    client.close();
    await client.ended;
  },
});

Deno.test({
  name:
    `renewed places stay taken, and a server without data gets back what replicas know${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const client = await connect(valkey.port);
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const admit = (id: string) =>
      run(client, "admit", ["p"], [id, 200_000, 1, 0, 1]).then(([refused]) => refused);
    assertEquals(await admit("a"), 0);
    await client.run("renew", ["replicas", "p"], ["one", 60_000_000, 60_000_000, 1, "a"]);
    const [[, replicas] = []] = await client.run("renew", ["replicas"], [
      "two",
      60_000_000,
      60_000_000,
    ]);
    assertEquals(replicas, 2);
    await pause(250);
    // The lease of the admission is over, the renewed one is not.
    assertEquals(await admit("b"), 1);

    await client.run("restore", ["b", "$"], [1, 30_000_000, 700, LIFETIME_MS]);
    // Lower values do not replace higher ones.
    await client.run("restore", ["b", "$"], [1, 1_000_000, 20, LIFETIME_MS]);
    const admission = ["x", LEASE, 0, 1, 31 * PER_UNIT, BURST, 0, BUDGET, LIFETIME_MS];
    const [refused, wait = 0, , , spent] = await run(
      client,
      "admit",
      ["b", "$", "mx", "r"],
      admission,
    );
    assertEquals([refused, spent], [1, 700]);
    assertEquals(wait > 0 && wait <= 1_000_000, true);
    client.close();
    await client.ended;
  },
});

Deno.test({
  name: `every key expires by itself${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const client = await connect(valkey.port);
    const keys = ["p", "b", "$", "mx", "r"];
    const admission = ["x", 50_000, 1, 1, 1, 50_000, BURST, 10, BUDGET, 50];
    await run(client, "admit", keys, admission);
    await client.run("renew", ["replicas", "p", "r"], ["one", 50_000, 50_000, 1, "x", 1, "x"]);
    await run(client, "settle", keys, ["x", 1, 1, 1, 0, 10, 10, 50]);
    const { Redis } = await import("iovalkey");
    const plain = new Redis({ port: valkey.port, host: "127.0.0.1" });
    for (const key of await plain.keys("*")) {
      // -1 is a key that stays for ever.
      assertEquals(await plain.pttl(key) === -1, false, key);
    }
    plain.disconnect();
    client.close();
    await client.ended;
  },
});

Deno.test({
  name: `a wrong password is an error that does not contain it${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey("right");
    for (const password of [undefined, "wrong-secret"]) {
      const { signal } = new AbortController();
      const reason = await openClient({ ...rulesFor(valkey.port), password }, SCRIPTS, signal).then(
        () => "connected",
        (thrown) => String(thrown),
      );
      assertEquals(/NOAUTH|WRONGPASS/.test(reason), true, reason);
      assertEquals(reason.includes("wrong-secret"), false);
    }
  },
});
