/** What workers tell each other about breakers and keys, over a scripted store. */

import { assert, assertEquals } from "@std/assert";
import type { Config, Provider } from "../../src/config/config.ts";
import type { ScriptClient } from "../../src/memory/shared_store/connection.ts";
import { type ExchangeReply, HealthExchange } from "../../src/gateway/health_exchange/exchange.ts";
import { EXCHANGE_KEYS } from "../../src/gateway/health_exchange/script.ts";
import { State } from "../../src/gateway/state.ts";
import { loadTestConfig } from "../support/gateway.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { shortTurns } from "../support/elapse.ts";
import { scriptedStore } from "../support/shared_stores.ts";

const STEP_MS = 50;

type ExchangeClient = ScriptClient<"exchange", string | number, ExchangeReply>;

const PROVIDERS = {
  p: {
    kind: "openai_compatible",
    base_url: "https://p.example/v1",
    api_key: ["sk-one", "sk-two"],
    models: ["m", "n"],
  },
};

function configOf(changes: Readonly<Record<string, unknown>> = {}): Config {
  return loadTestConfig({ providers: { p: { ...PROVIDERS.p, ...changes } } });
}

/** The script of the exchange in this process. */
class Store {
  readonly clock: ManualClock;
  readonly records = new Map<string, { time: number; text: string }>();
  calls = 0;
  isReachable = true;
  readonly #ends = new Set<(reason: string) => void>();
  /** The store's clock is ahead by this many milliseconds. */
  readonly ahead = 7_000_000;

  constructor(clock: ManualClock) {
    this.clock = clock;
  }

  readonly open = (): Promise<ExchangeClient> => {
    if (!this.isReachable) return Promise.reject(new Error("connect ECONNREFUSED"));
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    this.#ends.add(resolve);
    return Promise.resolve({
      ended,
      close: () => resolve("closed"),
      run: (_, keys, args) => Promise.resolve(this.#exchange(keys, args.map(String))),
    });
  };

  stop(): void {
    this.isReachable = false;
    for (const end of this.#ends) end("ECONNRESET");
    this.#ends.clear();
  }

  #exchange(keys: readonly string[], [cursor = "", count = "", ...own]: string[]): ExchangeReply {
    assertEquals(keys, EXCHANGE_KEYS);
    this.calls++;
    const now = (this.clock.now() + this.ahead) * 1000;
    const last = Math.max(0, ...[...this.records.values()].map(({ time }) => time));
    const first = Math.max(now, last + 1);
    for (let index = 0; index < Number(count); index++) {
      const [field = "", text = ""] = own.slice(2 * index);
      this.records.set(field, { time: first + index, text });
    }
    const news = [...this.records.values()].filter(({ time }) => time > Number(cursor))
      .sort((one, other) => one.time - other.time).slice(0, 200);
    const reply = [now, first, ...news.flatMap(({ time, text }) => [time, text])];
    return reply.map((item) => new TextEncoder().encode(String(item)));
  }
}

/** One worker of a replica. */
class Replica {
  readonly state = new State();
  readonly config: Config;
  readonly exchange: HealthExchange;
  readonly #clock: ManualClock;

  constructor(store: Store, config = configOf(), secret = "") {
    this.config = config;
    this.#clock = store.clock;
    const shared = scriptedStore(store.clock, store.open);
    this.exchange = new HealthExchange({
      ...{ store: shared, clock: store.clock, state: this.state, secret },
      config: () => this.config,
    });
    shared.start();
  }

  get provider(): Provider {
    const provider = this.config.providers.get("p");
    if (provider === undefined) throw new TypeError("There is no provider");
    return provider;
  }

  breaker(name = "m") {
    const model = this.provider.models.find(({ upstream }) => upstream === name);
    if (model === undefined) throw new TypeError("There is no model");
    return this.state.breakerOf({ provider: this.provider, model });
  }

  get report() {
    return this.breaker().report(this.#clock.now());
  }

  /** Five failures of a vendor that is down. */
  fail(caller?: string): void {
    for (let count = 0; count < 5; count++) this.breaker().failed(caller, this.#clock.now());
  }

  suspend(key: string, scope: "key" | "model" = "key"): void {
    const failure = { kind: "upstream_auth", scope, wait: undefined } as const;
    const { keys } = this.provider;
    this.state.poolOf(this.provider).suspend(key, keys, "m", failure, this.#clock.now());
  }

  suspensions(key: string) {
    return this.state.poolOf(this.provider).report(key, this.#clock.now());
  }
}

/** Lets time pass in small steps, so that everything due runs in its order. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  await shortTurns();
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    clock.advance(STEP_MS);
    await shortTurns();
  }
}

/** Two times in milliseconds, which may differ by a step of the manual clock. */
function assertNear(one = 0, other = 0): void {
  assert(one > 0 && Math.abs(one - other) <= STEP_MS, `${one} ms instead of ${other} ms`);
}

async function withReplicas(
  test: (
    parts: { store: Store; clock: ManualClock; one: Replica; other: Replica },
  ) => Promise<void>,
  configs: { readonly one?: Config; readonly other?: Config; readonly secret?: string } = {},
): Promise<void> {
  const clock = new ManualClock();
  const store = new Store(clock);
  const one = new Replica(store, configs.one);
  const other = new Replica(store, configs.other, configs.secret);
  await pass(clock, 1000);
  await test({ store, clock, one, other });
  await Promise.all([one.exchange.close(), other.exchange.close()]);
  assertEquals(clock.pending, 0, "timers are left");
}

Deno.test("an open breaker is known to another replica within 1.1 s, and closes with the first", async () => {
  await withReplicas(async ({ clock, one, other }) => {
    one.fail();
    assertEquals(other.report.state, "closed");
    await pass(clock, 1100);
    const { tries_again_in_ms = 0, ...report } = other.report;
    assertEquals(report, { state: "open", failures: 0, source: "remote" });
    assertNear(tries_again_in_ms, one.report.tries_again_in_ms);
    assertEquals(other.breaker("n").state(clock.now()), "closed");
    // The first one's probe succeeds.
    await pass(clock, 30_000);
    assertEquals(one.breaker().enter(clock.now()), true);
    assertEquals(other.breaker().enter(clock.now()), true, "each worker may probe");
    other.breaker().left(true);
    one.breaker().succeeded("a", clock.now());
    one.fail();
    one.breaker().succeeded("a", clock.now());
    await pass(clock, 1100);
    assertEquals([one.report.state, other.breaker().isOpen(clock.now())], ["closed", false]);
  });
});

Deno.test("a target that works here, though others say that it does not, is not opened again soon", async () => {
  await withReplicas(async ({ clock, one, other }) => {
    one.fail();
    await pass(clock, 31_100);
    assertEquals(other.report.state, "half_open");
    other.breaker().succeeded("a", clock.now());
    await pass(clock, 1100);
    one.fail();
    await pass(clock, 1100);
    assertEquals([one.report.state, other.report.state], ["open", "closed"]);
    // Its own failures count as ever.
    other.fail();
    assertEquals(other.report.state, "open");
  });
});

Deno.test("after a success elsewhere, a breaker that opened here tests the target itself", async () => {
  await withReplicas(async ({ clock, one, other }) => {
    one.fail();
    other.fail();
    await pass(clock, 1100);
    one.breaker().succeeded("a", clock.now());
    await pass(clock, 1100);
    assertEquals(other.report.state, "half_open");
    assertEquals(other.report.source, undefined);
    other.breaker().failed(undefined, clock.now());
    assertEquals(other.report.state, "open");
  });
});

Deno.test("failures that one caller may have caused do not open a breaker that has just succeeded", async () => {
  await withReplicas(async ({ clock, one, other }) => {
    other.breaker().succeeded("b", clock.now());
    other.breaker("n").succeeded("b", clock.now());
    one.fail("a");
    await pass(clock, 1100);
    assertEquals([one.report.state, other.report.state], ["open", "closed"]);
    await pass(clock, 60_000);
    one.breaker().failed("a", clock.now());
    await pass(clock, 1100);
    assertEquals(other.report.state, "open", "nothing proves that the target works");
  });
});

Deno.test("requests that keep failing tell others once in a while", async () => {
  await withReplicas(async ({ store, clock, one, other }) => {
    for (let count = 0; count < 500; count++) {
      one.breaker().failed(undefined, clock.now());
      await pass(clock, 50);
    }
    // 25 seconds: a call a second from each, and the extensions.
    assert(store.calls < 70, `${store.calls} calls`);
    const [own = 0, known = 0] = [one, other].map(({ report }) => report.tries_again_in_ms);
    assert(own - known <= 6500 && known <= own, `${own} ms here, ${known} ms there`);
  });
});

Deno.test("a suspended key is suspended for other replicas, for the same time", async () => {
  await withReplicas(async ({ clock, one, other }) => {
    one.suspend("sk-one");
    await pass(clock, 1100);
    const [{ ends_in_ms = 0, ...known } = {}] = other.suspensions("sk-one");
    assertEquals(known, { reason: "upstream_auth", source: "remote" });
    assertNear(ends_in_ms, one.suspensions("sk-one")[0]?.ends_in_ms);
    assertEquals(other.suspensions("sk-two"), []);
    await pass(clock, 300_000);
    assertEquals(other.suspensions("sk-one"), []);
  });
});

Deno.test("the last usable key of any model is not suspended because of another replica", async () => {
  for (const scope of ["key", "model"] as const) {
    await withReplicas(async ({ clock, one, other }) => {
      one.suspend("sk-one");
      other.suspend("sk-two", scope);
      await pass(clock, 2000);
      assertEquals([one, other].map((replica) => replica.suspensions("sk-one").length), [1, 0]);
      assertEquals([one, other].map((replica) => replica.suspensions("sk-two").length), [0, 1]);
    });
  }
});

Deno.test("a reset reaches other replicas, also new ones, and leaves what comes later", async () => {
  await withReplicas(async ({ store, clock, one, other }) => {
    one.fail();
    one.suspend("sk-one");
    await pass(clock, 1100);
    assertEquals([other.report.state, other.suspensions("sk-one").length], ["open", 1]);
    assertEquals(other.state.reset("p", clock.now()), {
      suspended_keys: 1,
      breakers: 1,
      learned_rejections: 0,
    });
    await pass(clock, 1100);
    assertEquals([one.report, one.suspensions("sk-one")], [{ state: "closed", failures: 0 }, []]);
    const late = new Replica(store);
    await pass(clock, 1100);
    assertEquals([late.report.state, late.suspensions("sk-one")], ["closed", []]);
    one.fail();
    await pass(clock, 1100);
    assertEquals([one, other, late].map(({ report }) => report.state), ["open", "open", "open"]);
    await late.exchange.close();
  });
});

Deno.test("without the store breakers work alone, and share again when it is back", async () => {
  await withReplicas(async ({ store, clock, one, other }) => {
    store.stop();
    await pass(clock, 1000);
    one.fail();
    await pass(clock, 5000);
    assertEquals([one.report.state, other.report.state], ["open", "closed"]);
    store.isReachable = true;
    await pass(clock, 2500);
    assertEquals(other.report.state, "open");
    // What has happened long ago is not sent.
    store.stop();
    await pass(clock, 1000);
    one.state.reset("p", clock.now());
    await pass(clock, 61_000);
    other.fail();
    store.isReachable = true;
    await pass(clock, 3000);
    assertEquals(other.report.state, "open");
  });
});

Deno.test("a server that lost its records applies none of them twice", async () => {
  await withReplicas(async ({ store, clock, one, other }) => {
    one.fail();
    await pass(clock, 1100);
    other.breaker().succeeded("a", clock.now());
    store.stop();
    store.isReachable = true;
    await pass(clock, 3000);
    assertEquals(other.report.state, "closed");
  });
});

Deno.test("only the same provider with the same credentials takes part", async () => {
  const others: readonly (readonly [string, { other?: Config; secret?: string }])[] = [
    ["another key", { other: configOf({ api_key: ["sk-one", "sk-three"] }) }],
    ["another address", { other: configOf({ base_url: "https://q.example/v1" }) }],
    ["another store password", { secret: "s" }],
    ["without the model", { other: configOf({ models: ["n"] }) }],
  ];
  for (const [name, configs] of others) {
    await withReplicas(async ({ clock, one, other }) => {
      const at = name === "without the model" ? "n" : "m";
      one.fail();
      await pass(clock, 1100);
      assertEquals(other.breaker(at).report(clock.now()).state, "closed", name);
    }, configs);
  }
  // The order of the keys does not matter.
  await withReplicas(async ({ clock, one, other }) => {
    one.fail();
    await pass(clock, 1100);
    assertEquals(other.report.state, "open");
  }, { other: configOf({ api_key: ["sk-two", "sk-one"] }) });
});

Deno.test("foreign and changed records are ignored, and records contain no key", async () => {
  await withReplicas(async ({ store, clock, one, other }) => {
    one.fail();
    one.suspend("sk-one");
    await pass(clock, 100);
    const texts = [...store.records.values()].map(({ text }) => text);
    assertEquals(texts.length, 2);
    assert(!JSON.stringify([...store.records]).includes("sk-"), "a key is stored");
    store.records.clear();
    const time = (clock.now() + store.ahead) * 1000;
    const foreign = [
      ...["", "{}", "x".repeat(500_000), "\u0000", '"', "[".repeat(1000)],
      ...texts.map((text) => text.replace(/"until":\d/, '"until":9')),
      ...texts.map((text) => text.slice(43)),
      ...texts.map((text) => "A".repeat(43) + text.slice(43)),
      ...texts.map((text) => text.replace('"p"', '"__proto__"')),
    ];
    for (const [index, text] of foreign.entries()) {
      store.records.set(`foreign ${index}`, { time: time + index, text });
    }
    await pass(clock, 1100);
    assertEquals([other.report.state, other.suspensions("sk-one")], ["closed", []]);
    // A record that is stored again later is no longer valid.
    await pass(clock, 300_000);
    for (const [index, text] of texts.entries()) {
      const now = (clock.now() + store.ahead) * 1000;
      store.records.set(`old ${index}`, { time: now + index, text });
    }
    await pass(clock, 1100);
    assertEquals([other.report.state, other.suspensions("sk-one")], ["closed", []]);
  });
});

Deno.test("many records are read in several calls", async () => {
  const models = Array.from({ length: 450 }, (_, index) => `m${index}`);
  const config = configOf({ models });
  await withReplicas(async ({ clock, one, other }) => {
    for (const name of models) {
      for (let count = 0; count < 5; count++) one.breaker(name).failed(undefined, clock.now());
    }
    await pass(clock, 2000);
    const open = models.filter((name) => other.breaker(name).state(clock.now()) === "open");
    assertEquals(open.length, models.length);
  }, { one: config, other: config });
});
