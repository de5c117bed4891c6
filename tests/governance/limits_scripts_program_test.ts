/** The scripts of the limits store on a real server, against a reference model. */

import { assertEquals } from "@std/assert";
import { LIMIT_KINDS, type LimitKind } from "../../src/core/limit_kinds.ts";
import { openClient } from "../../src/memory/shared_store/client.ts";
import {
  type AdmissionRequest,
  Batch,
  type Settlement,
} from "../../src/governance/shared_limits/batch.ts";
import { toExtensions, toRenewal } from "../../src/governance/shared_limits/commands.ts";
import {
  type ScriptName,
  SCRIPTS,
  type StoreReply,
} from "../../src/governance/shared_limits/scripts.ts";
import type { ScriptClient } from "../../src/memory/shared_store/connection.ts";
import { Random } from "../support/random.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../support/valkey_server.ts";
import { rulesFor } from "../support/shared_stores.ts";
import type { AppliedLimits, Bucket } from "../../src/governance/counters.ts";

type StoreClient = ScriptClient<ScriptName, string | number, StoreReply>;

const ignore = VALKEY === undefined;
const MICRO_USD = 1_000_000;

async function connect(port: number): Promise<StoreClient> {
  return await openClient(rulesFor(port), SCRIPTS, new AbortController().signal);
}

/** The limits of the tests: places, a bucket and a budget. */
const LIMIT = 3;
const PER_UNIT = 1_000_000;
const BURST = 60_000_000;
const BUDGET = 1000;
/** Short, so that requests of a replica that crashed lose their places during the test. */
const LEASE = 30_000;

const TOKENS = LIMIT_KINDS.find(({ name }) => name === "tokens_per_minute") as LimitKind;

/** The bucket of a model holds less than those of two keys together. */
function bucket(name: string): Bucket {
  const burst = name === "b:model" ? 1.4 * BURST : BURST;
  const limit = burst / PER_UNIT;
  const rate = { perUnit: PER_UNIT, burst };
  const limitText = String(limit);
  return { name, slot: 0, kind: TOKENS, limit, limitText, rate, owner: name, isOfModel: false };
}

/** @param buckets their names @param budget micro-dollars; 0 for none */
function limitsOf(
  { places = 0, buckets = [], budget = 0 }: {
    readonly places?: number;
    readonly buckets?: readonly string[];
    readonly budget?: number;
  },
  name = "a",
): AppliedLimits {
  return {
    id: "test",
    concurrency: places === 0
      ? []
      : [{ name: `p:${name}`, slot: 0, limit: places, owner: name, isOfModel: false }],
    buckets: buckets.map(bucket),
    budget: budget === 0 ? undefined : {
      ...{ name: `$:${name}`, slot: 0, period: 0, owner: name },
      ...{ usd: budget / MICRO_USD, per: "total" },
    },
  };
}

function application(
  limits: AppliedLimits,
  id: string,
  { tokens = 0, amount = 0 } = {},
): AdmissionRequest {
  return { id, limits, reserved: { tokens, microUsd: amount } };
}

function settlement(
  limits: AppliedLimits,
  id: string,
  { change = 0, used = 0, reserved = 0, hasRun = true } = {},
): Settlement {
  const changes = limits.buckets.map(() => change * PER_UNIT);
  return { id, limits, hasRun, changes, isCharge: false, used, reserved };
}

/** Runs a batch. Returns the time, the results, and the state of each of its limits. */
async function run(
  client: StoreClient,
  settlements: readonly Settlement[],
  applications: readonly AdmissionRequest[],
  lease = 60_000_000,
) {
  const batch = new Batch(settlements, applications, Date.now());
  const { keys, args } = batch.toCall(lease);
  const { now, states, results } = batch.read(await client.run("batch", keys, args));
  const stateOf = new Map(states.map(({ limits, state }) => [limits, inMicroUsd(limits, state)]));
  return { now, results, stateOf };
}

/**
 * The state of limits with what is spent in micro-dollars, and without the number of reservations:
 * the server has nano-dollars.
 */
function inMicroUsd({ buckets, budget }: AppliedLimits, state: readonly number[]) {
  const spent = (state[buckets.length] ?? 0) / 1000;
  return [...state.slice(0, buckets.length), ...budget === undefined ? [] : [spent]];
}

/** Runs one admission. Returns the number of the limit that refuses, the wait, and the state. */
async function admit(client: StoreClient, one: AdmissionRequest, lease?: number) {
  const { results: [result], stateOf } = await run(client, [], [one], lease);
  return { ...result, state: stateOf.get(one.limits) ?? [] };
}

/** Runs one settlement. Returns the state of its limits. */
async function settle(client: StoreClient, one: Settlement): Promise<readonly number[]> {
  return (await run(client, [one], [])).stateOf.get(one.limits) ?? [];
}

interface Open {
  readonly id: string;
  readonly key: Key;
  readonly tokens: number;
  readonly amount: number;
}

/** A key of the reference model: what the server should know, in microseconds of its time. */
class Key {
  spent = 0;
  readonly places = new Map<string, number>();
  readonly reservations = new Map<string, { readonly amount: number; readonly expires: number }>();
  readonly settled = new Set<string>();
  readonly limits: AppliedLimits;

  constructor(name: string) {
    const buckets = [`b:${name}`, "b:model"];
    this.limits = limitsOf({ places: LIMIT, buckets, budget: BUDGET }, name);
  }

  get reserved(): number {
    return [...this.reservations.values()].reduce((sum, { amount }) => sum + amount, 0);
  }

  release(now: number): void {
    for (const [id, { amount, expires }] of this.reservations) {
      if (expires > now) continue;
      this.spent = Math.max(0, this.spent - amount);
      this.reservations.delete(id);
    }
  }
}

/** The reference: two keys that share the bucket of a model. */
class Model {
  readonly keys = [new Key("a"), new Key("b")];
  /** When each bucket will be full. */
  readonly #full = new Map<string, number>();

  fills(key: Key, now: number): number[] {
    return key.limits.buckets.map(({ name }) => Math.max(0, (this.#full.get(name) ?? 0) - now));
  }

  /** The number of the limit that refuses, or 0, and the wait. */
  admit({ id, key, tokens, amount }: Open, now: number) {
    for (const [other, expires] of key.places) if (expires <= now) key.places.delete(other);
    if (key.places.size >= LIMIT) return { refused: 1, wait: 0 };
    for (const [index, fill] of this.fills(key, now).entries()) {
      const over = fill + tokens * PER_UNIT - (key.limits.buckets[index]?.rate.burst ?? 0);
      if (over > 0) return { refused: 2 + index, wait: over };
    }
    if (key.spent + amount > BUDGET && (key.spent >= BUDGET || key.reservations.size > 0)) {
      const isHeld = key.reservations.size > 0 && key.spent - key.reserved < BUDGET;
      return { refused: 4, wait: isHeld ? 1_000_000 : 0 };
    }
    if (amount > 0) key.reservations.set(id, { amount, expires: now + LEASE });
    key.places.set(id, now + LEASE);
    this.#change(key, tokens, now);
    key.spent += amount;
    return { refused: 0, wait: 0 };
  }

  settle({ id, key }: Open, change: number, used: number, now: number): void {
    key.places.delete(id);
    if (key.settled.has(id)) return;
    key.settled.add(id);
    this.#change(key, change, now);
    const { amount = 0 } = key.reservations.get(id) ?? {};
    key.reservations.delete(id);
    key.spent = Math.max(0, key.spent + used - amount);
  }

  #change({ limits: { buckets } }: Key, units: number, now: number): void {
    if (units === 0) return;
    for (const { name } of buckets) {
      this.#full.set(name, Math.max(this.#full.get(name) ?? 0, now) + units * PER_UNIT);
    }
  }
}

Deno.test({
  name:
    `any batches of admissions, settlements, repeated settlements and crashes agree with a reference model${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    const results = new Set<number>();
    for (const seed of [1, 2, 3, 4]) await runBatches(seed, results);
    // Which limits refuse depends on the time, but each of them has in some run.
    assertEquals([...results].sort(), [0, 1, 2, 3, 4]);
  },
});

/** @param results receives the numbers of the limits that refused, and 0 */
async function runBatches(seed: number, results: Set<number>): Promise<void> {
  await using valkey = await startValkey();
  // Two replicas, each with a connection.
  const clients = [await connect(valkey.port), await connect(valkey.port)];
  const random = new Random(seed);
  const model = new Model();
  let open: Open[] = [];
  const ended: { readonly request: Open; readonly change: number; readonly used: number }[] = [];
  for (let step = 0; step < 400; step++) {
    const client = clients[random.below(2)];
    if (client === undefined) throw new Error("No client");
    if (random.chance(0.03)) {
      // A crash: its requests are never settled. Their places are free after their leases.
      open = [];
      await new Promise((resolve) => setTimeout(resolve, LEASE / 1000 + 5));
    }
    const ending = Array.from({ length: random.below(4) }, () => {
      // Some replica sends a settlement again, as it has not seen the reply.
      const again = ended[random.below(Math.max(1, ended.length))];
      if (random.chance(0.2) && again !== undefined) return again;
      const request = open.splice(random.below(Math.max(1, open.length)), 1)[0];
      return request && { request, change: random.below(4) - 2, used: random.below(5) };
    }).filter((end) => end !== undefined)
      // A batch never has the same settlement twice.
      .filter((end, index, all) => all.findIndex((e) => e.request === end.request) === index);
    const asking = Array.from({ length: random.below(4) }, (_, index): Open => {
      const key = model.keys[random.chance(0.9) ? 0 : 1];
      if (key === undefined) throw new Error("No key");
      const id = `r${step}-${index}`;
      return { id, key, tokens: random.below(3), amount: random.below(500) };
    });
    const { now, results: reported, stateOf } = await run(
      client,
      ending.map(({ request: { id, key, amount }, change, used }) =>
        settlement(key.limits, id, { change, used, reserved: amount })
      ),
      asking.map((request) => application(request.key.limits, request.id, request)),
      LEASE,
    );
    for (const { request, change, used } of ending) model.settle(request, change, used, now);
    // Requests with the same limits are admitted together.
    const keys = new Set([...ending.map(({ request }) => request.key)]);
    for (const { key } of asking) keys.add(key);
    for (const key of keys) key.release(now);
    const ordered = [...keys].flatMap((key) => asking.filter((one) => one.key === key));
    for (const request of ordered) {
      const expected = model.admit(request, now);
      assertEquals(reported[asking.indexOf(request)], expected, `seed ${seed}, step ${step}`);
      results.add(expected.refused);
      if (expected.refused === 0) open.push(request);
    }
    for (const key of keys) {
      assertEquals(stateOf.get(key.limits), [...model.fills(key, now), key.spent]);
    }
    ended.push(...ending);
  }
  for (const client of clients) {
    client.close();
    await client.ended;
  }
}

Deno.test({
  name: `a settlement of an admission that never ran counts what was used, once${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const client = await connect(valkey.port);
    const limits = limitsOf({ buckets: ["b"], budget: BUDGET });
    const late = settlement(limits, "late", { used: 300, reserved: 400, hasRun: false });
    assertEquals(await settle(client, late), [0, 300]);
    assertEquals(await settle(client, late), [0, 300]);
    // The bucket is charged with what the process admitted by itself.
    const other = { change: 5, reserved: 400, hasRun: false };
    const [fill = 0] = await settle(client, settlement(limits, "other", other));
    assertEquals(fill, 5_000_000);
    // The admission arrives after all, and has no effect.
    const { refused, state: [filled = 0, spent] } = await admit(
      client,
      application(limits, "late", { tokens: 1, amount: 400 }),
    );
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
    const limits = limitsOf({ budget: BUDGET });
    const reserve = async (id: string, amount: number, lease?: number) => {
      const { refused, state } = await admit(client, application(limits, id, { amount }), lease);
      return [refused, ...state];
    };
    const end = (id: string, used: number, reserved: number) =>
      settle(client, settlement(limits, id, { used, reserved }));
    // Long enough for the three calls, on the clock of the server.
    const lease = 500_000;
    assertEquals(await reserve("crashed", 500, lease), [0, 500]);
    assertEquals(await reserve("late", 200, lease), [0, 700]);
    assertEquals(await reserve("renewed", 300, lease), [0, 1000]);
    for (const { keys, args } of toExtensions(new Map([["renewed", limits]]))) {
      await client.run("extend", keys, args);
    }
    await new Promise((resolve) => setTimeout(resolve, lease / 1000));
    // Whether or not there is room without that.
    assertEquals(await reserve("small", 1), [0, 301], "the renewed one stays");
    assertEquals(await reserve("next", 600), [0, 901]);
    assertEquals(await reserve("other", 200), [1, 901]);
    assertEquals(await end("late", 50, 200), [951]);
    assertEquals(await end("late", 50, 200), [951]);
    assertEquals(await end("renewed", 10, 300), [661]);
    client.close();
    await client.ended;
  },
});

Deno.test({
  name:
    `a replica that renews its leases late has its reservations again, and more than a call takes${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const client = await connect(valkey.port);
    const limits = limitsOf({ budget: BUDGET });
    const ids = Array.from({ length: 2500 }, (_, index) => `r${index}`);
    const all = (some: readonly string[]) =>
      some.map((id) => application(limits, id, { amount: 0.1 }));
    const spent = async () =>
      Math.round((await admit(client, application(limits, "n"))).state[0] ?? 0);
    for (let at = 0; at < ids.length; at += 500) {
      await run(client, [], all(ids.slice(at, at + 500)), 300_000_000);
    }
    assertEquals(await spent(), 250);
    // Their leases end: the server was unavailable, or the replica was.
    const reserved = "{sluice:test}:$:a:0:nano_usd:reserved";
    const { keys: [key = ""] } = toExtensions(new Map([["r0", limits]]))[0] ?? { keys: [] };
    assertEquals(key, reserved);
    const past = toExtensions(new Map(ids.map((id) => [id, limits])));
    assertEquals(past.length, 3);
    for (const { keys, args } of past) await client.run("extend", keys, [-1000, ...args.slice(1)]);
    const released = [await spent(), await spent(), await spent()];
    assertEquals(released, [150, 50, 0], "1,000 at a time");
    await run(client, [settlement(limits, "r1", { used: 7, reserved: 0.1 })], []);
    assertEquals(await spent(), 7);
    for (const { keys, args } of past) await client.run("extend", keys, args);
    assertEquals(await spent(), 257);
    for (const { keys, args } of past) await client.run("extend", keys, args);
    assertEquals(await spent(), 257, "once");
    await run(client, [settlement(limits, "r2", { used: 5, reserved: 0.1 })], []);
    assertEquals(await spent(), 262);
    client.close();
    await client.ended;
  },
});

Deno.test({
  name: `an amount that exceeds what is left of a budget is admitted alone${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const client = await connect(valkey.port);
    const limits = limitsOf({ budget: BUDGET });
    const reserve = async (ids: readonly string[], amount: number) => {
      const all = ids.map((id) => application(limits, id, { amount }));
      const { results, stateOf } = await run(client, [], all);
      return [results.map(({ refused, wait }) => [refused, wait]), stateOf.get(limits)];
    };
    const held = [1, 1_000_000];
    assertEquals(await reserve(["a", "b", "c"], 800), [[[0, 0], held, held], [800]]);
    assertEquals(await reserve(["d"], 800), [[held], [800]]);
    assertEquals(await settle(client, settlement(limits, "a", { used: 700 })), [700]);
    // 300 are left, and nothing else is reserved.
    assertEquals(await reserve(["e", "f"], 800), [[[0, 0], held], [1500]]);
    // It has used more than was left: the budget is exhausted, whichever replica has reserved.
    assertEquals(await settle(client, settlement(limits, "e", { used: 500 })), [1200]);
    assertEquals(await reserve(["g"], 1), [[[1, 0]], [1200]]);
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
    const places = limitsOf({ places: 1 });
    const enter = async (id: string) =>
      (await admit(client, application(places, id), 200_000)).refused;
    assertEquals(await enter("a"), 0);
    const renew = async (replica: string, open: ReadonlyMap<string, AppliedLimits>) => {
      for (const { keys, args } of toExtensions(open)) await client.run("extend", keys, args);
      const { keys, args } = toRenewal(replica);
      return await client.run("renew", keys, args);
    };
    await renew("one", new Map([["a", places]]));
    const [[, replicas] = []] = await renew("two", new Map());
    assertEquals(replicas, 2);
    await pause(250);
    // The lease of the admission is over, the renewed one is not.
    assertEquals(await enter("b"), 1);

    const limits = limitsOf({ buckets: ["b"], budget: BUDGET });
    const { keys } = new Batch([], [application(limits, "x")], Date.now()).toCall();
    await client.run("restore", keys, [1, 30_000_000, 700_000, 0, 600_000]);
    // Lower values do not replace higher ones.
    await client.run("restore", keys, [1, 1_000_000, 20_000, 0, 600_000]);
    const { refused, wait = 0, state } = await admit(
      client,
      application(limits, "x", { tokens: 31 }),
    );
    assertEquals([refused, state[1]], [1, 700]);
    assertEquals(wait > 0 && wait <= 1_000_000, true);
    client.close();
    await client.ended;
  },
});

Deno.test({
  name: `places of a replica that crashed are free after their leases${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const client = await connect(valkey.port);
    const limits = limitsOf({ places: 2 });
    const enter = async (ids: readonly string[], lease?: number) => {
      const all = ids.map((id) => application(limits, id));
      return (await run(client, [], all, lease)).results.map(({ refused }) => refused);
    };
    assertEquals(await enter(["crashed"], 200_000), [0]);
    assertEquals(await enter(["open", "refused"]), [0, 1]);
    await new Promise((resolve) => setTimeout(resolve, 250));
    assertEquals(await enter(["next", "refused"]), [0, 1]);
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
    const limits = limitsOf({ places: 9, buckets: ["b"], budget: BUDGET });
    const request = { tokens: 5, amount: 10 };
    await run(client, [], ["x", "y"].map((id) => application(limits, id, request)));
    const extensions = toExtensions(new Map([["x", limits]]));
    for (const { keys, args } of extensions) await client.run("extend", keys, args);
    const renewal = toRenewal("one");
    await client.run("renew", renewal.keys, renewal.args);
    await settle(client, settlement(limits, "x", { used: 10, reserved: 10 }));
    const { Redis } = await import("iovalkey");
    const plain = new Redis({ port: valkey.port, host: "127.0.0.1" });
    for (const key of await plain.keys("*")) {
      // -1 is a key that stays for ever.
      assertEquals(await plain.pttl(key) === -1, false, key);
    }
    const ofOpen = ["$:a:0:nano_usd:amounts", "$:a:0:nano_usd:reserved", "p:a"];
    const names = () => plain.keys("*").then((all) => all.map((key) => key.split("}:")[1]).sort());
    const others = [
      "$:a:0:nano_usd",
      "$:a:0:nano_usd:origin",
      "b",
      "replicas",
      "$:a:0:nano_usd:request:x",
    ];
    assertEquals(await names(), [...ofOpen, ...others].sort());
    await settle(client, settlement(limits, "y", { used: 10, reserved: 10 }));
    assertEquals(await names(), [...others, "$:a:0:nano_usd:request:y"].sort());
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
