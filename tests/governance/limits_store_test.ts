/** The limits store with a scripted server: failures, recovery, and what requests see meanwhile. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { FailurePolicy } from "../../src/config/shared_store.ts";
import type { ServiceKey } from "../../src/config/keys.ts";
import type { LimitRules } from "../../src/config/limits.ts";
import { GatewayError } from "../../src/core/errors.ts";
import { LIMIT_KINDS } from "../../src/core/limit_kinds.ts";
import type { Admission } from "../../src/governance/admission.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { SharedLimits } from "../../src/governance/shared_limits/shared_limits.ts";
import type { ScriptName, StoreReply } from "../../src/governance/shared_limits/scripts.ts";
import { StoreCopy } from "../../src/governance/shared_limits/store_copy.ts";
import {
  type Bucket,
  budgetCounter,
  type Counters,
  ledgerCounter,
} from "../../src/governance/counters.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { allocateCounters, SharedCounters } from "../../src/governance/shared_counters.ts";
import { countedIds } from "../support/gateway.ts";
import type { ScriptClient } from "../../src/memory/shared_store/connection.ts";
import { scriptedStore } from "../support/shared_stores.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { turns } from "../support/elapse.ts";

const NO_RULES: LimitRules = { defaults: {}, models: new Map() };
const MINUTE_US = 60_000_000;
const TARGET = {
  model: { id: "m", facts: { prices: { input: 1, output: 1 } } },
  params: undefined,
};

interface Call {
  /** A batch is its admissions and settlements; a group of it without any is a `read`. */
  readonly script: ScriptName | "admit" | "settle" | "read";
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  /** The requests of a batch that an admission or settlement is part of. */
  readonly group?: Group;
}

/** Requests with the same limits, as the script reads them. */
interface Group {
  readonly limits: readonly number[];
  readonly bursts: readonly number[];
  readonly budget?: { readonly max: number; readonly lifetime: number };
  readonly settle: readonly (string | number)[];
  readonly admit: readonly (string | number)[];
}

/** What a scripted server does with each call, and with each operation of a batch. */
type Behavior = (call: Call) => readonly number[] | Promise<readonly number[]>;

/** A server that admits everything, with two replicas and nothing used. */
const ADMITS: Behavior = ({ script, group }) => {
  const now = 1_700_000_000_000_000;
  if (script === "renew") return [now, 2];
  if (script === "restore" || script === "extend") return [now];
  if (script === "earlier") return [0];
  const state = [...Array(group?.bursts.length ?? 0).fill(0), 0];
  return script === "admit" ? [0, 0, now, ...state] : [now, ...state];
};

const HANGS: Behavior = () => new Promise(() => {});

/** A server, and the limits store of one worker that uses it. */
class Stage {
  readonly clock = new ManualClock();
  readonly calls: Call[] = [];
  readonly lines: string[] = [];
  readonly failures: string[] = [];
  readonly ups: boolean[] = [];
  dropped = 0;
  /** How often the server was called. */
  batches = 0;
  behavior = ADMITS;
  isReachable = true;
  policy: FailurePolicy = "local";
  readonly #ends = new Set<(reason: string) => void>();

  createStore(counters: Counters = new LocalCounters()) {
    const { clock } = this;
    const shared = scriptedStore(clock, () => this.#open(), {
      counters,
      log: (text) => this.lines.push(text),
    });
    const store = new SharedLimits({
      store: shared,
      counters,
      clock,
      newId: countedIds(),
      replica: "r1",
      policy: () => this.policy,
      metrics: {
        storeFailed: (failure) => this.failures.push(failure),
        storeReplied: () => {},
        storeIsUp: (isUp) => this.ups.push(isUp),
        settlementsDropped: (count) => this.dropped += count,
      },
    });
    shared.start();
    const limiter = new Limiter(counters, clock, store);
    const admit = (key: Partial<ServiceKey>) =>
      limiter.admit({
        key: { name: "a", models: undefined, ...key } as ServiceKey,
        targets: [TARGET],
        estimate: () => ({ input: 100, maxOutput: 100 }),
      }, NO_RULES) as Promise<Admission>;
    return { store, admit };
  }

  /** The server ends all connections, and accepts none until {@linkcode comeBack}. */
  async stop(): Promise<void> {
    this.isReachable = false;
    for (const end of [...this.#ends]) end("ECONNRESET");
    await settled();
  }

  async comeBack(): Promise<void> {
    this.isReachable = true;
    this.behavior = ADMITS;
    this.clock.advance(500);
    await settled();
  }

  /** Lets seconds pass, in which the server replies in time. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.clock.advance(1000);
      await settled();
    }
  }

  of(script: Call["script"]): Call[] {
    return this.calls.filter((call) => call.script === script);
  }

  async #run(
    script: ScriptName,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<StoreReply> {
    const calls = script === "batch" ? operationsOf(keys, args) : [{ script, keys, args }];
    this.calls.push(...calls);
    this.batches++;
    const replies = await Promise.all(calls.map((call) => this.behavior(call)));
    return script === "batch" ? toReply(calls, replies) : replies;
  }

  #open(): Promise<ScriptClient<ScriptName, string | number, StoreReply>> {
    if (!this.isReachable) return Promise.reject(new Error("connect ECONNREFUSED"));
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    this.#ends.add(resolve);
    return Promise.resolve({
      ended,
      close: () => {
        this.#ends.delete(resolve);
        resolve("closed");
      },
      // A call that is open when the connection ends fails.
      run: (script, keys, args) =>
        Promise.race([
          this.#run(script, keys, args),
          ended.then(() => Promise.reject(new Error("Connection is closed."))),
        ]),
    });
  }
}

/** The settlements and admissions of a batch, as calls. */
function operationsOf(keys: readonly string[], [text]: Call["args"]): Call[] {
  const calls: Record<"settle" | "admit" | "read", Call[]> = { settle: [], admit: [], read: [] };
  let at = 0;
  for (const group of JSON.parse(String(text)) as Group[]) {
    const { limits, bursts, budget } = group;
    const own = keys.slice(
      at,
      at += limits.length + bursts.length + (budget === undefined ? 0 : 1),
    );
    const add = (script: "settle" | "admit", width: number) => {
      for (let at = 0; at < group[script].length; at += width) {
        calls[script].push({ script, keys: own, args: group[script].slice(at, at + width), group });
      }
    };
    add("settle", 2 + bursts.length + (budget === undefined ? 0 : 2));
    add("admit", 1 + bursts.length + (budget === undefined ? 0 : 1));
    if (group.settle.length + group.admit.length === 0) {
      calls.read.push({ script: "read", keys: own, args: [], group });
    }
  }
  return [...calls.settle, ...calls.admit, ...calls.read];
}

/** The reply to a batch, of what the server does with each operation. */
function toReply(calls: readonly Call[], replies: readonly (readonly number[])[]): StoreReply {
  const states = new Map<Group | undefined, readonly number[]>();
  const refusals: number[] = [];
  let [time, admissions] = [0, 0];
  for (const [index, { script, group }] of calls.entries()) {
    const [first = 0, wait = 0, now = 0, ...state] = replies[index] ?? [];
    if (script === "admit") {
      if (first > 0) refusals.push(admissions, first, wait);
      admissions++;
      states.set(group, state);
    } else states.set(group, (replies[index] ?? []).slice(1));
    time = script === "admit" ? now : first;
  }
  return [[time], ...states.values(), refusals];
}

/** Lets all promises settle that wait for nothing. */
const settled = () => turns(5);

async function kindOf(admission: Promise<unknown>): Promise<string> {
  const error = await assertRejects(() => admission);
  return error instanceof GatewayError ? error.kind : String(error);
}

const BUDGET = { budget: { usd: 1, per: "day" } } as const;

Deno.test("a request is admitted in one call, and settled in one that nobody waits for", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  const limits = { requests_per_minute: 60, tokens_per_minute: 6000, concurrent: 3 };
  const admission = await admit({ limits, ...BUDGET });
  const [call, ...others] = stage.of("admit");
  assertEquals(others, []);
  assertEquals(call?.keys, [
    "{sluice:key:a}:concurrent:key:a",
    "{sluice:key:a}:requests:key:a",
    "{sluice:key:a}:tokens:key:a",
    "{sluice:key:a}:budget:day:key:a:19675:nano_usd",
  ]);
  // The estimate is 100 tokens of input and 100 of output, at a dollar for a million.
  const [perRequest, perToken] = [MINUTE_US / 60, MINUTE_US / 6000];
  assertEquals(call?.args, ["1", perRequest, 200 * perToken, 200_000]);
  const { limits: places, bursts, budget } = call?.group ?? {};
  assertEquals([places, bursts, budget?.max], [[3], [MINUTE_US, MINUTE_US], 1_000_000_000]);
  admission.settle({ tokens: 50, microUsd: 50 });
  admission.settle({ tokens: 9999, microUsd: 9999 });
  stage.clock.advance(1);
  await settled();
  const settlements = stage.of("settle");
  assertEquals(settlements.length, 1);
  assertEquals(settlements[0]?.args, ["1", 1, 0, -150 * perToken, 50_000, 200_000]);
  await store.close();
});

Deno.test("settlements go along with the next admission, before it", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  const key = { limits: { concurrent: 1 } };
  const first = await admit(key);
  const before = stage.batches;
  first.settle({ tokens: 0, microUsd: 0 });
  await admit(key);
  assertEquals(stage.batches, before + 1);
  assertEquals(stage.calls.slice(-2).map(({ script, args }) => [script, args[0]]), [
    ["settle", "1"],
    ["admit", "2"],
  ]);
  await store.close();
});

Deno.test("admissions that arrive during a call go together in the next one", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  const key = { limits: { requests_per_minute: 600 } };
  await admit(key);
  const replies: (() => void)[] = [];
  stage.behavior = (call) =>
    new Promise((resolve) => replies.push(() => resolve(ADMITS(call) as readonly number[])));
  const before = stage.batches;
  const first = admit(key);
  await settled();
  const others = [admit(key), admit(key), admit(key)];
  await settled();
  assertEquals([stage.batches, replies.length], [before + 1, 1]);
  for (const reply of replies.splice(0)) reply();
  await first;
  await settled();
  assertEquals([stage.batches, replies.length], [before + 2, 3]);
  // A call that takes longer does not hold them up.
  const late = admit(key);
  await settled();
  assertEquals(stage.batches, before + 2);
  stage.clock.advance(2);
  await settled();
  assertEquals(stage.batches, before + 3);
  for (const reply of replies.splice(0)) reply();
  await Promise.all([...others, late]);
  await store.close();
});

Deno.test("what is decided without a reply in time counts in the store, once", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  const key = { limits: { requests_per_minute: 60, tokens_per_minute: 60_000 } };
  await admit(key);
  const changes = async (late: readonly number[]) => {
    const { promise, resolve } = Promise.withResolvers<readonly number[]>();
    stage.behavior = () => promise;
    const admission = admit(key);
    await settled();
    stage.clock.advance(50);
    const admitted = await admission;
    stage.behavior = ADMITS;
    resolve(late);
    await settled();
    admitted.settle({ tokens: 1000, microUsd: 0 });
    stage.clock.advance(1);
    await settled();
    return stage.of("settle").at(-1)?.args.slice(1);
  };
  const now = 1_700_000_000_000_000;
  // The store refuses: it is charged with all that the request took. It admits: as always.
  assertEquals(await changes([2, 9, now, 0, 0]), [0, MINUTE_US / 60, 1_000_000]);
  assertEquals(await changes([0, 0, now, 0, 0]), [1, 0, 800_000]);
  await store.close();
});

Deno.test("a settlement that the store did not confirm is sent again, without a new connection", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  assert(store.isEmpty);
  const admission = await admit(BUDGET);
  const isEmpty = [store.isEmpty];
  stage.behavior = HANGS;
  admission.settle({ tokens: 7, microUsd: 7 });
  isEmpty.push(store.isEmpty);
  stage.clock.advance(1);
  await settled();
  isEmpty.push(store.isEmpty);
  stage.clock.advance(50);
  await settled();
  isEmpty.push(store.isEmpty);
  stage.behavior = ADMITS;
  stage.clock.advance(5000);
  await settled();
  assertEquals([isEmpty, store.isEmpty], [[false, false, false, false], true]);
  assertEquals(stage.of("settle").map(({ args }) => args[2]), [7000, 7000]);
  assertEquals(stage.lines, []);
  await store.close();
});

Deno.test("with requests per minute alone, there is nothing to settle", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  (await admit({ limits: { requests_per_minute: 5 } })).settle({ tokens: 9, microUsd: 9 });
  await store.close();
  assertEquals(stage.of("settle"), []);
});

Deno.test("what the store refuses is an error that names the limit", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  const limits = { requests_per_minute: 60, concurrent: 3 };
  for (
    const [refused, wait, kind, text] of [
      [1, 0, "limit_exceeded", "3 requests at the same time"],
      [2, 2_500_000, "limit_exceeded", "60 requests per minute"],
      [3, 0, "budget_exceeded", "of 1 USD per day is spent"],
      [3, 1_000_000, "limit_exceeded", "requests under way may use up the budget of the key 'a'"],
    ] as const
  ) {
    stage.behavior = () => [refused, wait, 1_700_000_000_000_000, MINUTE_US, 1_000_000];
    const error = await assertRejects(() => admit({ limits, ...BUDGET }), GatewayError, text);
    assertEquals(error.kind, kind);
    if (refused !== 2) continue;
    assertEquals(error.headers["retry-after"], "3");
    assertEquals(error.headers["x-ratelimit-remaining-requests"], "0");
  }
  await store.close();
});

Deno.test("a store that hangs costs a request 50 ms, then none; the connection is given up", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  await admit({ limits: { requests_per_minute: 60 } });
  stage.behavior = HANGS;
  for (let request = 0; request < 20; request++) {
    let isAdmitted = false;
    const admission = admit({ limits: { requests_per_minute: 60 } }).then(() => isAdmitted = true);
    await settled();
    assertEquals(isAdmitted, false);
    stage.clock.advance(47);
    await settled();
    assertEquals(isAdmitted, false);
    stage.clock.advance(1);
    await admission;
    if (stage.lines.length > 0) break;
  }
  assertEquals(stage.lines.length, 1);
  assertStringIncludes(stage.lines[0] ?? "", "the shared store store.test:6379 fails (no reply");
  assertEquals(stage.failures.filter((failure) => failure === "timeout").length >= 3, true);
  // Without a connection, nothing waits.
  await admit({ limits: { requests_per_minute: 60 } });
  await store.close();
});

Deno.test("one line at the loss, one at the recovery, whatever happens in between", async () => {
  const stage = new Stage();
  const memory = allocateCounters(2);
  // Two workers of one process.
  const one = stage.createStore(new SharedCounters(memory, 1));
  const two = stage.createStore(new SharedCounters(memory, 2));
  await settled();
  await stage.stop();
  for (let request = 0; request < 100; request++) {
    await (request % 2 === 0 ? one : two).admit({ limits: { requests_per_minute: 6000 } });
    stage.clock.advance(20);
    await settled();
  }
  assertEquals(stage.lines, [
    "the shared store store.test:6379 fails (ECONNRESET): " +
    "each replica enforces its share of the limits",
  ]);
  assertEquals(one.store.isEmpty, false);
  await stage.comeBack();
  assertEquals(stage.lines.slice(1), ["the shared store store.test:6379 is available again"]);
  assert(one.store.isEmpty);
  assertEquals(stage.ups.at(-1), true);
  await one.store.close();
  await two.store.close();
});

Deno.test("local: each replica enforces its share of what was left", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  const key = { limits: { requests_per_minute: 60, concurrent: 4 } };
  // The server says that a third of the minute's requests is used, and that there are two replicas.
  const now = 1_700_000_000_000_000;
  stage.behavior = (call) => {
    if (call.script === "admit") return [0, 0, now, MINUTE_US / 3];
    return call.script === "settle" ? [now, MINUTE_US / 3] : ADMITS(call);
  };
  await settled();
  (await admit(key)).settle({ tokens: 0, microUsd: 0 });
  await stage.stop();
  // Two of four places are this replica's.
  const [first, second] = [await admit(key), await admit(key)];
  assertEquals(await kindOf(admit(key)), "limit_exceeded");
  for (const admission of [first, second]) admission.settle({ tokens: 0, microUsd: 0 });
  // 40 requests of 60 are left, 20 of them for this replica: two were used.
  let admitted = 2;
  for (;;) {
    try {
      (await admit(key)).settle({ tokens: 0, microUsd: 0 });
      admitted++;
    } catch {
      break;
    }
  }
  assertEquals(admitted, 20);
  await stage.comeBack();
  const restore = stage.of("restore").at(-1);
  assertEquals(restore?.keys, ["{sluice:key:a}:requests:key:a"]);
  // The bucket is empty for all of them, but for the half second until the recovery.
  assertEquals(Number(restore?.args[1]) > MINUTE_US - 3_000_000, true);
  await store.close();
});

Deno.test("local: a budget is divided, and the store learns all costs once it is back", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  const spent = 990_000_000;
  stage.behavior = (call) =>
    call.script === "admit" ? [0, 0, 1_700_000_000_000_000, spent] : ADMITS(call);
  const before = await admit(BUDGET);
  await stage.stop();
  // 10,000 micro-dollars are left for two replicas; each request reserves 200.
  const admissions: Admission[] = [];
  for (;;) {
    try {
      admissions.push(await admit(BUDGET));
    } catch (thrown) {
      assertEquals(thrown instanceof GatewayError && thrown.kind, "limit_exceeded");
      break;
    }
  }
  assertEquals(admissions.length, 25);
  before.settle({ tokens: 300, microUsd: 300 });
  for (const admission of admissions) admission.settle({ tokens: 300, microUsd: 300 });
  stage.clock.advance(1);
  await settled();
  assertEquals(stage.of("settle"), []);
  await stage.comeBack();
  const restore = stage.of("restore").at(-1);
  assertEquals([restore?.keys, restore?.args.slice(0, 2)], [
    ["{sluice:key:a}:budget:day:key:a:19675:nano_usd"],
    [0, spent],
  ]);
  // The first was admitted by the store, the others were not.
  const settlements = stage.of("settle").map(({ args }) => args.slice(1, 4));
  assertEquals(settlements, [
    [1, 300_000, 200_000],
    ...admissions.map(() => [0, 300_000, 200_000]),
  ]);
  await store.close();
});

Deno.test("deny: a request with limits is a 503, and an admission that may have run is taken back", async () => {
  const stage = new Stage();
  stage.policy = "deny";
  const { store, admit } = stage.createStore();
  const key = { limits: { concurrent: 2 } };
  await admit(key);
  stage.behavior = HANGS;
  const late = admit(key);
  await settled();
  stage.clock.advance(50);
  assertEquals(await kindOf(late), "limits_unavailable");
  stage.behavior = ADMITS;
  await admit(key);
  await stage.stop();
  assertEquals(await kindOf(admit(key)), "limits_unavailable");
  await stage.comeBack();
  assertEquals(stage.of("settle").map(({ args }) => args[0]), ["2"]);
  await store.close();
});

Deno.test("allow: nothing is limited, and budgets count afterwards", async () => {
  const stage = new Stage();
  stage.policy = "allow";
  const { store, admit } = stage.createStore();
  await stage.stop();
  const key = { limits: { requests_per_minute: 1, concurrent: 1 }, ...BUDGET };
  const admissions = [await admit(key), await admit(key), await admit(key)];
  assertEquals(admissions.map((admission) => admission.headers()), [{}, {}, {}]);
  for (const admission of admissions) admission.settle({ tokens: 10, microUsd: 10 });
  await stage.comeBack();
  assertEquals(stage.of("settle").map(({ args }) => args.slice(3, 5)), [
    [10_000, 200_000],
    [10_000, 200_000],
    [10_000, 200_000],
  ]);
  await store.close();
});

Deno.test("an error of one script fails its request alone; one of the server ends the connection", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  const key = { limits: { requests_per_minute: 60 } };
  await admit(key);
  stage.behavior = () => Promise.reject(new Error("WRONGTYPE Operation against a key"));
  await admit(key);
  assertEquals([stage.failures, stage.lines], [["reply"], []]);
  stage.behavior = () => Promise.reject(new Error("NOSCRIPT No matching script"));
  await admit(key);
  assertEquals(stage.failures, ["reply", "reply", "connection"]);
  await stage.comeBack();
  await admit(key);
  assertEquals(stage.lines.length, 2);
  await store.close();
});

Deno.test("a node of a cluster is named as such, without the address of another node", async () => {
  const reasons = [
    [
      "MOVED 866 10.0.0.7:6379",
      "(it is a cluster node; a cluster's URL begins with 'redis+cluster:",
    ],
    ["CLUSTERDOWN The cluster is down", "(the cluster is down)"],
  ];
  for (const [error = "", reason = ""] of reasons) {
    const stage = new Stage();
    stage.behavior = () => Promise.reject(new Error(error));
    const { store, admit } = stage.createStore();
    await admit({ limits: { requests_per_minute: 60 } });
    assertEquals(stage.lines.length, 1);
    assertStringIncludes(stage.lines[0] ?? "", reason);
    assertEquals(stage.lines[0]?.includes("10.0.0.7"), false);
    await store.close();
  }
});

Deno.test("slots of open requests are renewed, also with a server that comes back", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  const key = { limits: { concurrent: 9 } };
  const admission = await admit(key);
  await admit(key);
  await stage.pass(1);
  const renewed = () => stage.of("extend").at(-1)?.args.slice(1);
  assertEquals(renewed(), [2, "1", "2"]);
  await stage.stop();
  await stage.comeBack();
  assertEquals(renewed(), [2, "1", "2"]);
  admission.settle({ tokens: 0, microUsd: 0 });
  await stage.pass(1);
  assertEquals(renewed(), [1, "2"]);
  await store.close();
});

Deno.test("a budget is read each second while requests have reserved some of it, in its period", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  let reservations = 2;
  const states = ({ script }: Call) => script === "admit" ? [0, 0] : [];
  stage.behavior = (call) =>
    call.group === undefined
      ? ADMITS(call)
      : [...states(call), 1_700_000_000_000_000, 5_000_000, reservations];
  const reads = () => stage.of("read").map(({ keys }) => keys);
  (await admit(BUDGET)).settle({ tokens: 1, microUsd: 1 });
  await stage.pass(2);
  const day = Math.floor(stage.clock.wallTime() / 86_400_000);
  const keys = [`{sluice:key:a}:budget:day:key:a:${day}:nano_usd`];
  assertEquals(reads(), [keys, keys]);
  reservations = 0;
  await stage.pass(3);
  assertEquals(reads(), [keys, keys, keys], "the last one found none");
  // A budget of an earlier day is not read: its counter is that of the next day.
  reservations = 2;
  (await admit({ ...BUDGET, name: "b" })).settle({ tokens: 1, microUsd: 1 });
  stage.behavior = (call) =>
    call.script === "renew" ? [1_700_000_000_000_000 + 86_400_000_000, 1] : ADMITS(call);
  const before = reads().length;
  await stage.pass(5);
  const during = reads().length - before;
  await stage.pass(5);
  assertEquals(reads().length - before, during);
  await store.close();
});

Deno.test("budgets follow the store's clock, not the machine's", async () => {
  const stage = new Stage();
  const { store, admit } = stage.createStore();
  await admit(BUDGET);
  // The machine's clock is two days ahead.
  stage.clock.correct(2 * 86_400_000);
  await stage.pass(5);
  await admit(BUDGET);
  const keys = stage.of("admit").map(({ keys }) => keys[0]);
  assertEquals(keys[1], keys[0]);
  await store.close();
});

Deno.test("too many settlements for an unavailable store are dropped and counted", async () => {
  const stage = new Stage();
  stage.policy = "allow";
  const { store, admit } = stage.createStore();
  await stage.stop();
  for (let request = 0; request < 10_005; request++) {
    (await admit(BUDGET)).settle({ tokens: 1, microUsd: 1 });
  }
  stage.clock.advance(1);
  await settled();
  assertEquals(stage.dropped, 5);
  await stage.comeBack();
  await settled();
  await store.close();
  assertEquals(stage.of("settle").length, 10_000);
});

Deno.test("a server that has lost a budget gets what the ledger has of it, once", async () => {
  const stage = new Stage();
  const counters = new LocalCounters();
  const day = Math.floor(stage.clock.wallTime() / 86_400_000);
  const inLedger = counters.slotOf(ledgerCounter(budgetCounter("day", "a")));
  counters.spend(inLedger, day, 600_000_000, Infinity);
  const { store, admit } = stage.createStore(counters);
  await admit(BUDGET);
  await settled();
  await admit(BUDGET);
  await settled();
  const restored = stage.of("restore").filter(({ keys }) => keys.length > 0);
  assertEquals(restored.length, 1);
  assertEquals(restored[0]?.keys, [`{sluice:key:a}:budget:day:key:a:${day}:nano_usd`]);
  assertEquals(restored[0]?.args.slice(0, 3), [0, 600_000_000, 0]);
  // A budget that the ledger knows less of stays as it is.
  await admit({ ...BUDGET, name: "b" });
  await settled();
  assertEquals(stage.of("restore").length, 1);
  await store.close();
});

Deno.test("a limit per day is given back to a server that lost it, hours after its last use", async () => {
  const clock = new ManualClock();
  const counters = new LocalCounters();
  const [kind] = LIMIT_KINDS.filter(({ name }) => name === "requests_per_day");
  if (kind === undefined) throw new RangeError("No such kind");
  const bucket = (name: string): Bucket => ({
    ...{ name, slot: counters.slotOf(name), kind, limit: 24, limitText: "24", owner: "key 'a'" },
    ...{ rate: { perUnit: kind.windowUs / 24, burst: kind.windowUs }, isOfModel: false },
  });
  const limits = {
    id: "key:a",
    concurrency: [],
    buckets: [bucket("long"), bucket("short")],
    budget: undefined,
  };
  const copy = new StoreCopy(counters, clock);
  copy.update({ limits, state: [5 * 3_600_000_000, 3_600_000_000] }, 0);
  clock.advance(2 * 3_600_000);
  copy.prune();
  const restored: (readonly string[])[] = [];
  await copy.restore((_script, keys) => {
    restored.push(keys);
    return Promise.resolve([]);
  });
  assertEquals(restored, [["{sluice:key:a}:long"]]);
});
