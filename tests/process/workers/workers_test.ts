/** Several workers on one port: what callers, operators and Prometheus see of them. */

import { Counter } from "../../../src/telemetry/series.ts";
import { type KeySet, refuseKeyCall } from "../../../src/governance/keys/key_store.ts";
import { createSharedLog, StartError } from "../../../src/process/system/stdio.ts";
import { StoredKeyring } from "../../../src/governance/keys/stored_keyring.ts";
import { refuseConfigCall } from "../../../src/config/editing/changes.ts";
import { MemoryUsageStore } from "../../../src/governance/ledger/memory_store.ts";
import { allocateInFlight } from "../../../src/core/in_flight_memory.ts";
import { allocateCounters, SharedCounters } from "../../../src/governance/shared_counters.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { adapters } from "../../../src/providers/registry.ts";
import { loadConfigWithSnapshot, loadSnapshot } from "../../../src/config/snapshot.ts";
import type {
  WorkerCommand,
  WorkerConfig,
  WorkerInit,
  WorkerReport,
} from "../../../src/process/workers/messages.ts";
import type { ThreadListener } from "../../../src/process/threads/threads.ts";
import { Workers } from "../../../src/process/workers/workers.ts";
import { createTestMetrics, loadTestConfig, NO_GAUGES, STATE_KEY } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { Samples } from "../../support/samples.ts";
import { turn } from "../../support/elapse.ts";
import { planWorkers, shareOf } from "../../../src/process/workers/scaling.ts";
import type { MetricsSnapshot } from "../../../src/telemetry/process_metrics.ts";

Deno.test("auto is one worker, and under load one for each core; elsewhere than on Linux it is one", () => {
  const plan = (wanted: number | "auto", cores: number, os = "linux") => {
    const { first, max } = planWorkers(wanted, { cores, os });
    return [first, max];
  };
  assertEquals([1, 2, 8, 192].map((cores) => plan("auto", cores)), [[1, 1], [1, 2], [1, 8], [
    1,
    64,
  ]]);
  assertEquals([plan(1, 8), plan(4, 2)], [[1, 1], [4, 4]]);
  assertEquals([plan("auto", 8, "darwin"), plan(4, 8, "windows")], [[1, 1], [1, 1]]);
});

Deno.test("the limit of concurrent requests is divided among the workers, and is at least 1", () => {
  const shares = [[2000, 4], [10, 4], [1, 64]].map(([limit, workers = 1]) => {
    const config = loadTestConfig({ server: { max_in_flight: limit }, providers: {} });
    const share = shareOf(config, workers);
    assertEquals({ ...share, server: config.server }, config);
    return share.server.max_in_flight;
  });
  assertEquals(shares, [500, 3, 1]);
});

Deno.test("a snapshot restores the same configuration", () => {
  const world = {
    env: new Map([["KEY", "sk-one"], ["REGION", undefined]]),
    files: new Map([["/run/secrets/two", "sk-two"]]),
  };
  const text = `
providers:
  a: { kind: openai, api_key: "\${KEY}", models: [m] }
  b: { kind: openai, api_key: "\${file:/run/secrets/two}", models: [m] }
  c: { kind: openai, api_key: "\${file:/run/secrets/none}", models: [n] }
  d: { kind: openai, api_key: "\${REGION}", models: [n] }
`;
  const { config, snapshot } = loadConfigWithSnapshot(text, {
    source: "test.yaml",
    adapters,
    env: (name) => world.env.get(name),
    readFile: (path) => {
      const found = world.files.get(path);
      if (found === undefined) throw new Deno.errors.NotFound(path);
      return found;
    },
    now: () => Date.now(),
    newKey: () => crypto.randomUUID(),
  });
  world.env.clear();
  world.files.clear();
  // As data, the way a thread would be given it.
  const again = loadSnapshot(structuredClone(snapshot), adapters);
  assertEquals(JSON.stringify(again), JSON.stringify(config));
  assertEquals(again.generatedKey, config.generatedKey);
  assertEquals([...again.providers].map(([id, { keys }]) => [id, keys]), [
    ["a", ["sk-one"]],
    ["b", ["sk-two"]],
  ]);
  assertEquals(again.disabled, config.disabled);
});

const SETTING: WorkerConfig = {
  snapshot: loadConfigWithSnapshot("providers: {}", {
    source: "test",
    adapters,
    env: () => undefined,
    readFile: () => "",
    now: () => 0,
    newKey: () => "sk-made",
  }).snapshot,
  stale: undefined,
};
const KEYS: KeySet = {
  version: 3,
  pepper: "pepper",
  isWhole: true,
  keys: [{
    ...{ id: "key_1", name: "team", prefix: "sk-sluice-abcdefgh", hash: "00", pepper: "01" },
    ...{ settings: { models: ["m"] }, created: 1, revoked: undefined, previous: [] },
  }],
};
const MAX_WORKERS = 8;
const COUNTERS = allocateCounters(MAX_WORKERS);
const ADDRESS = { hostname: "127.0.0.1", port: 4000 };

/** A worker that is played by the test. */
interface Played extends ThreadListener<WorkerReport> {
  readonly number: number;
  readonly commands: WorkerCommand[];
  ended: boolean;
}

function toInit(workers: number): WorkerInit {
  new SharedCounters(COUNTERS).workers = workers;
  return {
    endpoints: [{ address: ADDRESS }],
    hostname: ADDRESS.hostname,
    startedAt: 0,
    stateKey: STATE_KEY,
    counters: COUNTERS,
    inFlight: allocateInFlight(MAX_WORKERS),
    replica: "replica-1",
    log: createSharedLog({}),
    hasHealth: false,
  };
}

/** Workers that do nothing by themselves. */
function play(count: number) {
  const clock = new ManualClock();
  const logged: string[] = [];
  const cast: Played[] = [];
  const workers = new Workers(SETTING, {
    init: toInit(count),
    clock,
    store: new MemoryUsageStore(),
    keyring: new StoredKeyring(),
    runKeyCall: refuseKeyCall,
    runConfigCall: refuseConfigCall,
    health: undefined,
    onRefused: () => {},
    log: (text) => logged.push(text),
    spawn(number, { onReport, onExit }) {
      const one: Played = { number, commands: [], ended: false, onReport, onExit };
      cast.push(one);
      return { send: (command) => one.commands.push(command), end: () => one.ended = true };
    },
  });
  return { clock, logged, cast, workers, at: (index: number) => cast[index] ?? fail(index) };
}

function fail(index: number): never {
  throw new RangeError(`There is no worker ${index}`);
}

/** The same, and all of them serve. */
async function playing(count: number) {
  const played = play(count);
  const started = played.workers.start();
  for (const one of played.cast) one.onReport({ type: "serves" });
  await started;
  return played;
}

/** The ID of the last call of a worker. */
function lastId({ commands }: Played): number {
  const last = commands.at(-1);
  return last?.type === "call" ? last.id : 0;
}

/** Whether a message calls for the metrics of a worker. */
function isRead(command: WorkerCommand): boolean {
  return command.type === "call" && command.call.type === "read";
}

/** The text of a reply with all metrics, or undefined for another message. */
function gatheredOf(command: WorkerCommand | undefined, id: number): string | undefined {
  const isReply = command?.type === "reply" && command.id === id && "result" in command;
  return isReply && typeof command.result === "string" ? command.result : undefined;
}

Deno.test("every worker gets the serve command, and start() waits for all of them", async () => {
  const { cast, workers, at } = play(3);
  let isUp = false;
  const started = workers.start().then(() => isUp = true);
  assertEquals(cast.map(({ number }) => number), [1, 2, 3]);
  assertEquals(at(2).commands, [{
    type: "serve",
    number: 3,
    isAdded: false,
    init: toInit(3),
    config: SETTING,
    keys: undefined,
  }]);
  at(0).onReport({ type: "serves" });
  at(2).onReport({ type: "serves" });
  await Promise.resolve();
  assertEquals(isUp, false);
  at(1).onReport({ type: "serves" });
  await started;
});

for (
  const [what, failing, message] of [
    [
      "cannot listen",
      (one: Played) =>
        one.onReport({ type: "fails", reason: "Cannot listen on x:1: the port is in use" }),
      "Cannot listen on x:1: the port is in use",
    ],
    [
      "ends before it serves",
      (one: Played) => one.onExit("TypeError"),
      "A worker exited during startup: TypeError",
    ],
  ] as const
) {
  Deno.test(`a worker that ${what} during startup fails the start`, async () => {
    const { cast, workers, at, clock } = play(2);
    const started = workers.start();
    at(0).onReport({ type: "serves" });
    failing(at(1));
    await assertRejects(() => started, StartError, message);
    assertEquals([cast.length, clock.pending, at(1).ended], [2, 0, true]);
  });
}

Deno.test("a worker that exits is restarted with growing delays, and gets the latest configuration", async () => {
  const { cast, logged, workers, clock, at } = await playing(2);
  const waits: number[] = [];
  for (let round = 0; round < 8; round++) {
    const before = cast.length;
    cast.at(-1)?.onExit("RangeError");
    let waited = 0;
    while (cast.length === before && waited < 60_000) {
      clock.advance(100);
      waited += 100;
    }
    waits.push(waited);
  }
  assertEquals(waits, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  assertEquals([at(0).ended, at(0).commands.length], [false, 1]);
  assertEquals(logged[0], "worker 2 exited: RangeError; restarting in 100 ms");

  // One that lives is no part of a loop.
  cast.at(-1)?.onReport({ type: "serves" });
  assertEquals(logged.at(-1), "worker 2 is running again");
  clock.advance(10_000);
  const stale = { ...SETTING, stale: { reason: "The file has 1 error", faults: [] } };
  void workers.set(stale);
  cast.at(-1)?.onExit("RangeError");
  clock.advance(100);
  const last = cast.at(-1)?.commands[0];
  assertEquals(last?.type === "serve" && last.config, stale);
  // The others serve meanwhile.
  assertEquals(last?.type === "serve" && last.isAdded, true);
});

Deno.test("workers that are added get their share at once, and connections when they serve", async () => {
  const { cast, workers, logged, at, clock } = await playing(1);
  let isGrown = false;
  const grown = workers.grow(3).then(() => isGrown = true);
  assertEquals(cast.map(({ number }) => number), [1, 2, 3]);
  assertEquals([workers.count, new SharedCounters(COUNTERS).workers], [3, 3]);
  assertEquals(at(0).commands.at(-1), { type: "share" });
  at(1).onReport({ type: "serves" });
  // One that fails to start is tried again.
  at(2).onExit("RangeError");
  await settle();
  assertEquals([isGrown, logged], [false, [
    "worker 3 exited: RangeError; restarting in 100 ms",
  ]]);
  clock.advance(100);
  at(3).onReport({ type: "serves" });
  await grown;
  assertEquals(at(0).commands.at(-1), { type: "move_connections" });
  assertEquals(at(1).commands.length, 1);
  assertEquals(logged.slice(1), ["worker 3 is running again", "under load: 3 workers are running"]);
});

Deno.test("no workers are added to those that drain", async () => {
  const { cast, workers } = await playing(1);
  void workers.drain();
  await workers.grow(2);
  assertEquals([cast.length, workers.count], [1, 1]);
});

Deno.test("idle workers that were added are ended; their shares go to the others, their numbers are used again", async () => {
  const { cast, workers, logged, at } = await playing(1);
  const grown = workers.grow(3);
  at(1).onReport({ type: "serves" });
  workers.endIdle();
  const isAsked = ({ commands }: Played) => commands.some(({ type }) => type === "end");
  // Not the first, nor one that starts.
  assertEquals(cast.map(isAsked), [false, true, false]);
  at(2).onReport({ type: "serves" });
  await grown;

  at(1).onReport({ type: "ending" });
  const shared = new SharedCounters(COUNTERS);
  assertEquals([workers.count, shared.workers, shared.threads], [2, 2, 3]);
  for (const index of [0, 2]) assertEquals(at(index).commands.at(-1), { type: "share" });
  assertEquals(at(1).ended, false);
  // Its number is still in use.
  const again = workers.grow(3);
  assertEquals(cast.map(({ number }) => number), [1, 2, 3, 4]);
  at(3).onReport({ type: "serves" });
  await again;

  const holder = new SharedCounters(COUNTERS, 2);
  const places = holder.slotOf("concurrent:key:ended");
  holder.hold(places);
  at(1).onReport({ type: "ended", metrics: [] });
  assertEquals([at(1).ended, holder.taken(places), workers.count, shared.threads], [true, 0, 3, 3]);
  assertEquals(logged.at(-1), "worker 2 exited: it was not needed; workers left: 3");
  void workers.grow(5);
  assertEquals(cast.map(({ number }) => number), [1, 2, 3, 4, 2, 5]);
});

Deno.test("workers that did not help are ended, the latest first, whatever they do", async () => {
  const { cast, workers, logged, at } = await playing(4);
  at(2).onReport({ type: "ending" });
  workers.shrink(2);
  const ends = cast.map(({ commands }) =>
    commands.flatMap((one) => one.type === "end" ? [one.onlyIfIdle] : [])
  );
  assertEquals(ends, [[], [], [], [false]]);
  assertEquals(logged, ["under load: more workers did not raise throughput; 2 remain"]);
});

Deno.test("the requests of each worker are counted, unless one does not say", async () => {
  const { workers, at, clock } = await playing(2);
  const load = { inFlight: 0, errors: 0, byProvider: new Map() };
  const reply = (index: number, requests: number) =>
    at(index).onReport({
      type: "reply",
      id: lastId(at(index)),
      result: { type: "report", providers: new Map(), load: { ...load, requests } },
    });
  const counted = workers.countRequests();
  reply(0, 7);
  reply(1, 5);
  assertEquals(await counted, new Map([[1, 7], [2, 5]]));
  const late = workers.countRequests();
  reply(0, 8);
  clock.advance(1000);
  assertEquals(await late, undefined);
});

Deno.test("a worker that crashes while it ends is not restarted", async () => {
  const { cast, workers, logged, clock, at } = await playing(2);
  at(1).onReport({ type: "ending" });
  at(1).onExit("RangeError");
  clock.advance(60_000);
  assertEquals([cast.length, workers.count, at(1).ended], [2, 1, true]);
  assertEquals(logged, ["worker 2 exited: RangeError; workers left: 1"]);
});

Deno.test("drain() waits for a worker that ends", async () => {
  const lasts: WorkerReport[] = [{ type: "drained" }, { type: "ended", metrics: [] }];
  for (const last of lasts) {
    const { workers, at } = await playing(2);
    at(1).onReport({ type: "ending" });
    let isDrained = false;
    const drained = workers.drain().then(() => isDrained = true);
    at(0).onReport({ type: "drained" });
    await settle();
    assertEquals([isDrained, at(1).commands.at(-1)], [false, { type: "drain" }]);
    at(1).onReport(last);
    await drained;
  }
});

Deno.test("no more workers are added than there are numbers", async () => {
  const { cast, workers, at } = await playing(MAX_WORKERS);
  at(1).onReport({ type: "ending" });
  await workers.grow(MAX_WORKERS);
  assertEquals([cast.length, workers.count], [MAX_WORKERS, MAX_WORKERS - 1]);
});

Deno.test("what a worker that exits held of limits and budgets is free at once", async () => {
  const { at } = await playing(2);
  const [one, other] = [new SharedCounters(COUNTERS, 1), new SharedCounters(COUNTERS, 2)];
  const [places, budget] = [one.slotOf("concurrent:key:w"), one.slotOf("budget:day:key:w")];
  for (const worker of [one, other]) {
    worker.enter(places, 9);
    worker.reserve(budget, 20_000, 30, 100);
  }
  at(1).onExit("RangeError");
  assertEquals([one.taken(places), one.spent(budget, 20_000)], [1, 30]);
});

Deno.test("an exit that is reported twice counts once", async () => {
  const { cast, clock, at } = await playing(2);
  at(0).onExit("RangeError");
  at(0).onExit("RangeError");
  clock.advance(60_000);
  assertEquals(cast.length, 3);
});

Deno.test("a config is in force when each worker has confirmed it, has exited, or does not answer in time", async () => {
  const { workers, clock, at } = await playing(3);
  let isSet = false;
  const config = workers.set(SETTING).then(() => isSet = true);
  at(0).onReport({ type: "reply", id: lastId(at(0)), result: undefined });
  at(1).onExit("RangeError");
  await settle();
  assertEquals(isSet, false);
  clock.advance(5000);
  await config;
});

Deno.test("drain() resolves when all workers are drained, and no worker is restarted meanwhile", async () => {
  const { cast, workers, clock, at } = await playing(3);
  at(2).onExit("RangeError");
  let isDrained = false;
  const drained = workers.drain().then(() => isDrained = true);
  clock.advance(1000);
  assertEquals([cast.length, at(0).commands.at(-1)], [3, { type: "drain" }]);
  at(0).onReport({ type: "drained" });
  await settle();
  assertEquals(isDrained, false);
  workers.abort();
  assertEquals(at(1).commands.at(-1), { type: "abort" });
  at(1).onExit("RangeError");
  await drained;
  clock.advance(60_000);
  assertEquals(cast.length, 3);
});

/** The report of a worker that has counted this many tokens for one target. */
async function figuresOf(target: string, tokens: number, state: "closed" | "open") {
  const metrics = createTestMetrics();
  const counter: unknown = metrics.registry.getSingleMetric("sluice_tokens_total");
  if (!(counter instanceof Counter)) throw new TypeError("There is no counter");
  counter.add(tokens, "one", target, "input");
  metrics.gapsOf(undefined)(20);
  metrics.readGaugesFrom({
    ...NO_GAUGES,
    inFlight: () => tokens,
    breakers: () => [{ provider: "one", model: target, state }],
  });
  return await metrics.read();
}

/** Asks the first worker for the metrics of all; the others tell what they have, or nothing. */
async function gather(
  { cast, clock, at }: Awaited<ReturnType<typeof playing>>,
  metrics: readonly (MetricsSnapshot | undefined)[],
): Promise<Samples> {
  const answer = (await Promise.resolve(), cast[0]);
  answer?.onReport({ type: "call", id: 7, call: { type: "gather" } });
  for (const [index, own] of metrics.entries()) {
    if (own !== undefined) {
      at(index).onReport({ type: "reply", id: lastId(at(index)), result: own });
    }
  }
  clock.advance(1000);
  for (;;) {
    const last = at(0).commands.at(-1);
    const text = gatheredOf(last, 7);
    if (text !== undefined) return new Samples(text);
    await settle();
  }
}

Deno.test("the metrics of all workers are summed, except those of the whole process", async () => {
  const all = await gather(await playing(2), [
    await figuresOf("m", 3, "closed"),
    await figuresOf("m", 4, "open"),
  ]);
  const target = { provider: "one", model: "m" };
  assertEquals(all.all("sluice_tokens_total"), [[{ ...target, kind: "input" }, 7]]);
  assertEquals(all.sum("sluice_time_between_events_seconds_count"), 2);
  assertEquals(all.sum("sluice_time_between_events_seconds_bucket", { le: "0.02" }), 2);
  assertEquals(all.all("sluice_breaker_state"), [[target, 2]]);
  const single = {
    sluice_in_flight_requests: 7,
    sluice_config_stale: 0,
    sluice_build_info: 1,
    sluice_workers: 2,
    process_resident_memory_bytes: 4,
    process_heap_total_bytes: 6,
    process_heap_used_bytes: 4,
    process_external_memory_bytes: 2,
    process_start_time_seconds: 1_700_000_000,
    process_cpu_seconds_total: 2,
    sluice_lowest_free_descriptor: 21,
  };
  for (const [name, value] of Object.entries(single)) assertEquals(all.sum(name), value, name);
});

Deno.test("the sum over one worker equals its metrics", async () => {
  const metrics = createTestMetrics();
  metrics.gapsOf(undefined)(20);
  metrics.readGaugesFrom({ ...NO_GAUGES, inFlight: () => 1, stale: () => true });
  const played = await playing(1);
  const own = new Samples(await metrics.print());
  const sum = await gather(played, [await metrics.read()]);
  assertEquals(sum.names, own.names);
  for (const name of own.names) assertEquals(sum.all(name), own.all(name), name);
});

Deno.test("counters never decrease: the last values of a slow or exited worker are kept", async () => {
  const played = await playing(3);
  const first = [
    await figuresOf("m", 1, "closed"),
    await figuresOf("m", 10, "closed"),
    await figuresOf("m", 100, "closed"),
  ];
  const reported = (samples: Samples) =>
    ["sluice_tokens_total", "sluice_in_flight_requests", "sluice_workers"]
      .map((name) => samples.sum(name));
  assertEquals(reported(await gather(played, first)), [111, 111, 3]);
  // The third is late: it still counts, and what it has open is not known.
  assertEquals(reported(await gather(played, first.slice(0, 2))), [111, 11, 2]);
  played.at(1).onExit("RangeError");
  assertEquals(reported(await gather(played, [first[0], undefined, first[2]])), [111, 101, 2]);
  // One that ends counted something since it was asked.
  played.at(2).onReport({ type: "ending" });
  played.at(2).onReport({ type: "ended", metrics: await figuresOf("m", 103, "closed") });
  assertEquals(reported(await gather(played, first.slice(0, 1))), [114, 1, 1]);
});

Deno.test("metrics do not wait for a worker that exits or has not started", async () => {
  const { cast, clock, at } = await playing(2);
  at(1).onExit("RangeError");
  clock.advance(100);
  assertEquals(cast.length, 3);
  at(0).onReport({ type: "call", id: 1, call: { type: "gather" } });
  assertEquals(at(2).commands.map(({ type }) => type), ["serve"]);
  at(0).onReport({ type: "reply", id: lastId(at(0)), result: [] });
  await settle();
  assertEquals(gatheredOf(at(0).commands.at(-1), 1) === undefined, false);
});

Deno.test("concurrent calls of metrics() query the workers twice, and all get the latest values", async () => {
  const { at } = await playing(2);
  const reads = () => at(1).commands.filter(isRead).length;
  const tell = async (tokens: number) => {
    for (const one of [at(0), at(1)]) {
      const id = one.commands.findLast(isRead) as { id: number };
      one.onReport({ type: "reply", id: id.id, result: await figuresOf("m", tokens, "closed") });
    }
    await settle();
  };
  const toldOf = (id: number) => {
    const texts = at(0).commands.flatMap((command) => gatheredOf(command, id) ?? []);
    return texts[0] === undefined ? undefined : new Samples(texts[0]).sum("sluice_tokens_total");
  };
  at(0).onReport({ type: "call", id: 1, call: { type: "gather" } });
  await settle();
  for (let id = 2; id <= 100; id++) at(0).onReport({ type: "call", id, call: { type: "gather" } });
  await settle();
  assertEquals(reads(), 1);
  await tell(1);
  assertEquals([toldOf(1), toldOf(2), reads()], [2, undefined, 2]);
  await tell(10);
  assertEquals([toldOf(2), toldOf(100), reads()], [20, 20, 2]);
  at(0).onReport({ type: "call", id: 101, call: { type: "gather" } });
  await settle();
  await tell(100);
  assertEquals([toldOf(101), reads()], [200, 3]);
});

/** Runs everything that does not wait for a timer or a report. */
function settle(): Promise<void> {
  return turn();
}

Deno.test("an admin request is answered without a stalled worker, with the number of pending workers", async () => {
  const { clock, at } = await playing(2);
  at(0).onReport({
    type: "call",
    id: 7,
    call: { type: "administer_all", command: { type: "reset", provider: "p" } },
  });
  assertEquals(lastId(at(1)), 1);
  const cleared = { suspended_keys: 1, breakers: 0, learned_rejections: 0 };
  at(0).onReport({ type: "reply", id: lastId(at(0)), result: { type: "reset", cleared } });
  clock.advance(1000);
  for (let turn = 0; turn < 100 && at(0).commands.at(-1)?.type !== "reply"; turn++) {
    await settle();
  }
  assertEquals(at(0).commands.at(-1), {
    type: "reply",
    id: 7,
    result: [
      { worker: 1, result: { type: "reset", cleared } },
      { worker: 2, result: undefined },
    ],
  });
});

/** Nothing of a report or an order is a function, or it would not reach the other thread. */
Deno.test("messages between threads are plain data", async () => {
  const reports: WorkerReport[] = [
    { type: "call", id: 1, call: { type: "keys", call: { type: "revoke", id: "key_1" } } },
    { type: "serves" },
    { type: "reply", id: 1, result: await figuresOf("m", 1, "open") },
    {
      type: "call",
      id: 1,
      call: { type: "administer_all", command: { type: "reset", provider: "p" } },
    },
    {
      type: "reply",
      id: 1,
      result: {
        type: "report",
        providers: new Map(),
        load: { inFlight: 1, requests: 2, errors: 0, byProvider: new Map([["p", 1]]) },
      },
    },
  ];
  const commands: WorkerCommand[] = [
    {
      type: "serve",
      number: 1,
      isAdded: false,
      init: {
        endpoints: [{ address: ADDRESS }],
        hostname: ADDRESS.hostname,
        startedAt: 0,
        stateKey: STATE_KEY,
        counters: allocateCounters(2),
        inFlight: allocateInFlight(2),
        replica: "replica-1",
        log: createSharedLog({}),
        hasHealth: false,
      },
      config: SETTING,
      keys: KEYS,
    },
    { type: "call", id: 1, call: { type: "change_keys", keys: KEYS } },
    { type: "reply", id: 1, result: { type: "refused", refusal: "unknown" } },
    { type: "reply", id: 1, result: "" },
    { type: "reply", id: 1, failure: "RangeError" },
    { type: "call", id: 1, call: { type: "administer", command: { type: "report" } } },
    { type: "reply", id: 1, result: [{ worker: 1, result: undefined }] },
  ];
  assertEquals(structuredClone([...reports, ...commands]), [...reports, ...commands]);
});
