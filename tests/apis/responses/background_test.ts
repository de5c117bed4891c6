/** Answers that a vendor finishes after the request for them: they are billed once, when seen. */

import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { MemoryUsageStore } from "../../../src/governance/ledger/memory_store.ts";
import type { LedgerRow } from "../../../src/governance/ledger/row.ts";
import { LayeredStore, MemoryStore, type OnceStore } from "../../../src/memory/store.ts";
import {
  type StateChannel,
  type StateMessage,
  WorkerSource,
} from "../../../src/memory/worker_source.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { toEventStream } from "../../support/scripted_vendor.ts";
import { turn } from "../../support/elapse.ts";

const KEYS = { one: "sk-one-0123456789abcdef", two: "sk-two-0123456789abcdef" } as const;
type Name = keyof typeof KEYS;

const PRICES = { input: 10, output: 100 };
const USAGE = { input_tokens: 1000, output_tokens: 80_000, total_tokens: 81_000 };
/** 0.01 for the input, and 8 for the output. */
const USD = 8.01;
const DAY_MS = 24 * 3_600_000;

const COMPLETED = { status: "completed", usage: USAGE };
const QUEUED = { status: "queued", usage: null };

interface WorldOptions {
  readonly key?: JsonObject;
  readonly names?: readonly Name[];
  readonly unsettled?: OnceStore;
}

/** A gateway with a vendor that has one answer. */
function createWorld({ key = {}, names = ["one"], unsettled }: WorldOptions = {}) {
  const rows: LedgerRow[] = [];
  const usage = new class extends MemoryUsageStore {
    override write(added: readonly LedgerRow[]): Promise<void> {
      rows.push(...added);
      return super.write(added);
    }
  }();
  const answer: JsonObject = {
    id: "resp_1",
    object: "response",
    model: "m",
    output: [],
    ...QUEUED,
  };
  const vendor = { answer, stream: undefined as (() => Response) | undefined };
  const gateway = createTestGateway({
    config: {
      providers: {
        v: {
          kind: "openai",
          api: "responses",
          api_key: "sk-vendor-0123456789",
          base_url: "http://native.test/v1",
          // Requests about an answer go to the first model of its provider.
          models: [{ id: "cheap", prices: { input: 1, output: 1 } }, { id: "m", prices: PRICES }],
        },
      },
      server: { keys: names.map((name) => ({ name, key: KEYS[name], ...key })) },
    },
    usage,
    ...(unsettled && { unsettled }),
    async fetch() {
      await turn();
      return vendor.stream ? vendor.stream() : Response.json(vendor.answer);
    },
  });
  const call = async (method: string, path: string, body?: JsonObject, who: Name = "one") => {
    const response = await gateway.app.handle(
      new Request(`http://gateway.test/v1/responses${path}`, {
        method,
        headers: { authorization: `Bearer ${KEYS[who]}`, "x-sluice-tags": "t" },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    return { status: response.status, text: await response.text() };
  };
  const world = {
    gateway,
    rows,
    vendor,
    call,
    becomes(state: JsonObject) {
      vendor.answer = { ...answer, background: true, ...state };
    },
    /** Asks for an answer in the background, and returns its ID. */
    async begin(members: JsonObject = {}): Promise<string> {
      const body = { model: "m", input: "word ".repeat(400), background: true, ...members };
      const { status, text } = await call("POST", "", body);
      assertEquals(status, 200, text);
      return members.stream ? "/resp_1@v" : `/${JSON.parse(text).id}`;
    },
    sums: () => ({
      input: sum(rows, ({ input }) => input),
      output: sum(rows, ({ output }) => output),
      usd: sum(rows, ({ usd }) => usd ?? NaN),
    }),
  };
  return world;
}
type World = ReturnType<typeof createWorld>;

function sum(rows: readonly LedgerRow[], valueOf: (row: LedgerRow) => number): number {
  return rows.reduce((total, row) => total + valueOf(row), 0);
}

/** The answer is billed as the vendor counted it. */
function assertSettled({ sums, gateway }: World): void {
  const { input, output, usd } = sums();
  assertEquals([input, output], [USAGE.input_tokens, USAGE.output_tokens]);
  assertAlmostEquals(usd, USD, 1e-9);
  assertEquals(gateway.bugs, []);
}

function eventsOf(...states: readonly JsonObject[]): JsonObject[] {
  return states.map((state, at) => ({
    type: `response.${state.status}`,
    sequence_number: at,
    response: { id: "resp_1", object: "response", model: "m", output: [], ...state },
  }));
}

const DELTA = {
  type: "response.output_text.delta",
  item_id: "i",
  delta: "Hello",
  sequence_number: 1,
};

Deno.test("an answer in the background is an estimate, and the first GET of its result is billed", async () => {
  const world = createWorld();
  const path = await world.begin();
  const [first] = world.rows;
  assertEquals([first?.source, first?.output], ["estimated", 500]);
  assert((first?.input ?? 0) >= 400);
  world.becomes({ status: "in_progress", usage: null });
  await world.call("GET", path);
  assertEquals(world.rows.length, 1);
  world.becomes(COMPLETED);
  for (let read = 0; read < 3; read++) assertEquals((await world.call("GET", path)).status, 200);
  assertEquals(world.rows.length, 2);
  const { source, model, upstream, provider, key, tags, prices } = world.rows[1] ?? {};
  assertEquals(
    [source, model, upstream, provider, key, tags, prices?.output],
    ["vendor", "m", "m", "v", "one", ["t"], 100],
  );
  assertSettled(world);
});

Deno.test("an estimate that was too high is corrected", async () => {
  const world = createWorld();
  const path = await world.begin();
  world.becomes({ status: "incomplete", usage: { input_tokens: 7, output_tokens: 3 } });
  await world.call("GET", path);
  const { input, output, usd } = world.sums();
  assertEquals([input, output], [7, 3]);
  assertAlmostEquals(usd, 0.00037, 1e-9);
  assertEquals(world.gateway.bugs, []);
});

Deno.test("GET, DELETE and lists of other answers are billed nothing", async () => {
  const world = createWorld({ key: { limits: { tokens_per_minute: 90_000 } } });
  world.becomes({ ...COMPLETED, background: false });
  const path = await world.begin({ background: false });
  assertEquals(world.rows.length, 1);
  await world.call("GET", path);
  await world.call("DELETE", path);
  await world.call("GET", `${path}/input_items`);
  world.vendor.stream = () => toEventStream(eventsOf(COMPLETED));
  await world.call("GET", `${path}?stream=true`);
  assertEquals(world.rows.length, 1);
  world.vendor.stream = undefined;
  assertEquals((await world.call("GET", path)).status, 200);
  assertSettled(world);
});

Deno.test("only the owner of an answer settles it", async () => {
  const world = createWorld({ names: ["one", "two"] });
  const path = await world.begin();
  world.becomes(COMPLETED);
  assertEquals((await world.call("GET", path, undefined, "two")).status, 404);
  assertEquals(world.rows.length, 1);
  await world.call("GET", path);
  assertEquals(world.rows.map(({ key }) => key), ["one", "one"]);
  assertSettled(world);
});

Deno.test("requests for one answer at the same time settle it once", async () => {
  const world = createWorld();
  const path = await world.begin();
  world.becomes(COMPLETED);
  await Promise.all(Array.from({ length: 10 }, () => world.call("GET", path)));
  assertEquals(world.rows.length, 2);
  assertSettled(world);
});

Deno.test("a GET as a stream settles the answer at its end, and only then", async () => {
  const world = createWorld();
  const path = await world.begin();
  const running = { status: "in_progress", usage: null };
  world.vendor.stream = () => toEventStream([...eventsOf(running), DELTA]);
  await world.call("GET", `${path}?stream=true`);
  assertEquals(world.rows.length, 1);
  world.vendor.stream = () => toEventStream([...eventsOf(running), DELTA, ...eventsOf(COMPLETED)]);
  await world.call("GET", `${path}?stream=true&starting_after=0`);
  assertEquals(world.rows.length, 2);
  assertSettled(world);
  world.vendor.stream = undefined;
  world.becomes(COMPLETED);
  await world.call("GET", path);
  assertEquals(world.rows.length, 2);
});

Deno.test("a GET whose vendor fails settles nothing", async () => {
  const world = createWorld();
  const path = await world.begin();
  const { vendor } = world;
  for (const query of ["", "?stream=true"]) {
    vendor.stream = () => Response.json({ error: { message: "Broken" } }, { status: 500 });
    assert((await world.call("GET", path + query)).status >= 500);
  }
  vendor.stream = undefined;
  assertEquals(world.rows.length, 1);
  world.becomes(COMPLETED);
  await world.call("GET", path);
  assertSettled(world);
});

Deno.test("an answer that ends in its own stream is billed there", async () => {
  const world = createWorld();
  world.vendor.stream = () => toEventStream([...eventsOf(QUEUED), DELTA, ...eventsOf(COMPLETED)]);
  const path = await world.begin({ stream: true });
  assertEquals(world.rows.map(({ source }) => source), ["vendor"]);
  world.vendor.stream = undefined;
  world.becomes(COMPLETED);
  await world.call("GET", path);
  assertEquals(world.rows.length, 1);
  assertSettled(world);
});

Deno.test("an answer whose own stream was cut is settled later", async () => {
  const world = createWorld();
  world.vendor.stream = () => toEventStream([...eventsOf(QUEUED), DELTA]);
  const path = await world.begin({ stream: true });
  assertEquals(world.rows.map(({ source, output }) => [source, output]), [["estimated", 500]]);
  world.vendor.stream = undefined;
  world.becomes(COMPLETED);
  await world.call("GET", path);
  assertEquals(world.rows.length, 2);
  assertSettled(world);
});

Deno.test("a cancelled answer is settled if the vendor says what it used, else it stays an estimate", async () => {
  for (const usage of [USAGE, null]) {
    const world = createWorld();
    const path = await world.begin();
    world.becomes({ status: "cancelled", usage });
    for (const way of ["cancel", "cancel", "get"]) {
      await world.call(way === "get" ? "GET" : "POST", way === "get" ? path : `${path}/cancel`);
    }
    if (usage === null) assertEquals(world.rows.map(({ source }) => source), ["estimated"]);
    else assertSettled(world);
  }
});

Deno.test("a failed answer without usage costs nothing, and one with usage costs that", async () => {
  const error = { code: "server_error", message: "The model failed" };
  for (const usage of [USAGE, null]) {
    for (const asStream of [false, true]) {
      const world = createWorld();
      const path = await world.begin();
      const failed = { status: "failed", error, usage };
      if (asStream) world.vendor.stream = () => toEventStream(eventsOf(failed));
      world.becomes(failed);
      await world.call("GET", asStream ? `${path}?stream=true` : path);
      await world.call("GET", asStream ? `${path}?stream=true` : path);
      assertEquals(world.rows.length, 2);
      if (usage !== null) assertSettled(world);
      else assertEquals(Object.values(world.sums()).map(Math.abs), [0, 0, 0]);
    }
  }
});

Deno.test("a budget and a limit count what an answer in the background has used", async () => {
  const budgets = [{ budget: { usd: 5, per: "day" } }, { limits: { tokens_per_minute: 20_000 } }];
  for (const key of budgets) {
    const world = createWorld({ key });
    const path = await world.begin({ max_output_tokens: 1000 });
    world.becomes(COMPLETED);
    assertEquals((await world.call("GET", path)).status, 200);
    const { status } = await world.call("POST", "", { model: "m", input: "Hi" });
    assertEquals(status, 429, JSON.stringify(key));
  }
});

Deno.test("a budget that is used up refuses no result and no cancel, but limits do", async () => {
  const limits = { requests_per_minute: 6 };
  const world = createWorld({ key: { limits, budget: { usd: 5, per: "day" } } });
  const path = await world.begin({ max_output_tokens: 1000 });
  world.becomes(COMPLETED);
  await world.call("GET", path);
  assertEquals((await world.call("POST", "", { model: "m", input: "Hi" })).status, 429);
  for (const [method, rest] of [["GET", ""], ["POST", "/cancel"], ["DELETE", ""]] as const) {
    assertEquals((await world.call(method, path + rest)).status, 200, method);
  }
  assertEquals((await world.call("GET", path)).status, 200);
  const { status, text } = await world.call("GET", path);
  assertEquals([status, JSON.parse(text).error.code], [429, "rate_limit_exceeded"]);
});

Deno.test("counts that no model can reach settle nothing", async () => {
  const world = createWorld();
  const path = await world.begin();
  world.becomes({ status: "completed", usage: { input_tokens: 1, output_tokens: 1e15 } });
  await world.call("GET", path);
  assertEquals(world.rows.length, 1);
});

Deno.test("an answer that is not fetched within a day stays an estimate", async () => {
  const world = createWorld();
  const path = await world.begin();
  world.gateway.clock.advance(DAY_MS + 1);
  world.becomes(COMPLETED);
  await world.call("GET", path);
  assertEquals(world.rows.map(({ source }) => source), ["estimated"]);
});

Deno.test("models are expected to write what they wrote in the background", async () => {
  const world = createWorld();
  const path = await world.begin();
  world.becomes(COMPLETED);
  await world.call("GET", path);
  world.becomes({ ...QUEUED, id: "resp_2" });
  await world.begin();
  assertEquals(world.rows.at(-1)?.output, USAGE.output_tokens);
});

/** Two workers, whose messages take a turn of the event loop. */
function createWorkers() {
  const clock = new ManualClock();
  const listeners: ((event: MessageEvent<StateMessage>) => void)[] = [];
  let ids = 0;
  const createWorker = (from: number) => {
    const channel: StateChannel = {
      addEventListener: (_, listener) => void (listeners[from] = listener),
      postMessage: (message) =>
        queueMicrotask(() =>
          listeners[1 - from]?.(new MessageEvent("message", { data: structuredClone(message) }))
        ),
    };
    const local = new MemoryStore(() => ({ bytes: 1e6, ttlMs: DAY_MS }), () => clock.now());
    const newId = (prefix: string) => `${prefix}${++ids}`;
    const source = new WorkerSource({ local, channel, others: () => 1, clock, newId });
    return createWorld({ unsettled: new LayeredStore(local, [source]) });
  };
  return { clock, one: createWorker(0), other: createWorker(1) };
}

Deno.test("concurrent requests to several workers settle an answer once", async () => {
  const { one, other } = createWorkers();
  const path = await one.begin();
  for (const world of [one, other]) world.becomes(COMPLETED);
  await Promise.all([other, one, other, one].map((world) => world.call("GET", path)));
  assertEquals(one.rows.length + other.rows.length, 2);
});

Deno.test("a worker settles what another one has begun", async () => {
  const { clock, one, other } = createWorkers();
  const path = await one.begin();
  other.becomes(COMPLETED);
  await other.call("GET", path);
  other.rows.unshift(...one.rows);
  assertSettled(other);
  assertEquals(clock.pending, 0);
});
