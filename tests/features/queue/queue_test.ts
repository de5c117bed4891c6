/** Queues through the whole gateway: limits of vendors, of keys and of models. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { LedgerRow } from "../../../src/governance/ledger/row.ts";
import { createTestGateway, type TestGateway } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { sayHello, ScriptedVendor } from "../../support/scripted_vendor.ts";
import { CHAT, MESSAGES } from "../../support/stage.ts";
import { shortTurns } from "../../support/elapse.ts";

const PROVIDER = { kind: "openai_compatible", base_url: "http://vendor.test/v1", models: ["m"] };

function as(key: string) {
  return { authorization: `Bearer sk-${key}` };
}

/** A gateway whose vendor refuses until a time, in milliseconds from the start. */
function start(
  { queue = {}, keys = {}, limitedUntil = 0, retryAfter, sections = {}, server = {} }: {
    queue?: unknown;
    keys?: Record<string, Record<string, unknown>>;
    limitedUntil?: number;
    retryAfter?: string;
    sections?: Record<string, unknown>;
    server?: Record<string, unknown>;
  } = {},
) {
  const rows: LedgerRow[] = [];
  let limited = limitedUntil;
  const vendor = new ScriptedVendor((sent) => {
    const passed = gateway.clock.now() - began;
    if (passed >= limited) return sayHello(sent);
    const wait = retryAfter ?? String((limited - passed) / 1000);
    const headers: Record<string, string> = wait === "" ? {} : { "retry-after": wait };
    return Response.json({ error: { message: "slow down" } }, { status: 429, headers });
  });
  const names = ["a", "b", "c"];
  const gateway: TestGateway<ManualClock> = createTestGateway({
    config: {
      server: {
        keys: names.map((name) => ({ name, key: `sk-${name}`, ...keys[name] })),
        ...server,
      },
      providers: { v: PROVIDER, w: { ...PROVIDER, models: ["n"] } },
      aliases: { coder: { targets: ["m"], queue } },
      ...sections,
    },
    fetch: vendor.fetch,
    usage: {
      summarize: () => Promise.resolve([]),
      count: () => Promise.resolve({ counts: [], next: undefined }),
      list: () => Promise.resolve({ rows: [], next: undefined }),
      write: (added) => Promise.resolve(void rows.push(...added)),
    },
  });
  const began = gateway.clock.now();
  const ask = async (
    key = "a",
    members: Record<string, unknown> = {},
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ) => {
    const body = { model: "coder", messages: MESSAGES, ...members };
    const response = await gateway.call(CHAT, body, { ...as(key), ...headers }, signal);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const limitUntil = (ms: number) => limited = ms;
  return { ask, gateway, vendor, rows, limitUntil, waiting: () => gateway.features.queues.size };
}

/** Lets everything run that waits for no timer. */
const settled = () => shortTurns(8);

/** Advances the clock in small steps, so that what timers start can go on. */
async function pass(gateway: TestGateway, ms: number, step = 250): Promise<void> {
  await settled();
  for (let passed = 0; passed < ms; passed += step) {
    gateway.clock.advance(step);
    await settled();
  }
}

Deno.test("requests wait for a vendor's limit, and say for how long", async () => {
  const { ask, gateway, rows, vendor, waiting } = start({ limitedUntil: 5000 });
  const pending = [ask("a"), ask("b"), ask("c")];
  await settled();
  assertEquals(waiting(), 3);
  await pass(gateway, 7000);
  const answers = await Promise.all(pending);
  assertEquals(answers.map(({ status }) => status), [200, 200, 200]);
  for (const { headers } of answers) {
    const queued = Number(headers.get("x-sluice-queued-ms"));
    assert(queued >= 5000 && queued <= 7000, String(queued));
    // The wait is not the gateway's work.
    assert(Number(headers.get("x-sluice-overhead-ms")) < 1000);
  }
  // Each was refused once, and one at a time was sent afterwards.
  assertEquals(vendor.sent.length, 6);
  await settled();
  assertEquals(rows.map(({ queuedMs = 0 }) => queuedMs >= 5000), [true, true, true]);
  assertEquals([waiting(), gateway.clock.pending], [0, 0]);
});

Deno.test("without a queue, nothing waits and no header says so", async () => {
  for (const queue of [undefined, "off"]) {
    const { ask, gateway, waiting } = start({
      limitedUntil: 5000,
      retryAfter: "60",
      sections: { aliases: { coder: { targets: ["m"], ...(queue !== undefined && { queue }) } } },
    });
    const { status, headers } = await ask();
    assertEquals([status, headers.get("x-sluice-queued-ms")], [429, null]);
    assertEquals([waiting(), gateway.clock.pending], [0, 0]);
  }
});

Deno.test("while others wait, a new request is not sent before them", async () => {
  const { ask, gateway, vendor } = start({ limitedUntil: 5000 });
  const first = ask("a");
  await settled();
  const second = ask("b");
  await settled();
  assertEquals(vendor.sent.length, 1);
  await pass(gateway, 6000);
  assertEquals([(await first).status, (await second).status], [200, 200]);
});

Deno.test("a wait that is too long is refused at once, and says how long it is", async () => {
  const { ask, gateway, waiting } = start({ queue: { max_wait: "10s" }, limitedUntil: 30_000 });
  const { status, headers, text } = await ask();
  assertEquals([status, headers.get("retry-after")], [429, "30"]);
  const { error } = JSON.parse(text);
  assertEquals([error.type, error.code], ["rate_limit_error", "rate_limit_exceeded"]);
  assertStringIncludes(error.message, "30 s in the queue");
  assertEquals([waiting(), gateway.clock.pending], [0, 0]);
});

Deno.test("a request still waiting at max_wait, or at its own deadline, is a 429", async () => {
  for (const deadline of [undefined, "4000"]) {
    const { ask, gateway, waiting } = start({
      queue: { max_wait: "6s" },
      limitedUntil: 60_000,
      retryAfter: "1",
    });
    let ended: number | undefined;
    const began = gateway.clock.now();
    const headers = deadline === undefined ? {} : { "x-sluice-deadline-ms": deadline };
    const pending = ask("a", {}, headers).finally(() => ended = gateway.clock.now() - began);
    await pass(gateway, 8000);
    const answer = await pending;
    assertEquals(answer.status, 429);
    assert(Number(answer.headers.get("retry-after")) >= 1);
    assert((ended ?? Infinity) <= (deadline === undefined ? 6250 : 4250), String(ended));
    assertEquals([waiting(), gateway.clock.pending], [0, 0]);
  }
});

Deno.test("a vendor that names no time is tried again after 1, 2, 4 … seconds", async () => {
  const { ask, gateway, vendor } = start({ limitedUntil: 6500, retryAfter: "" });
  const pending = ask();
  const counts: number[] = [];
  for (let second = 0; second < 8; second++) {
    await pass(gateway, 1000);
    counts.push(vendor.sent.length);
  }
  assertEquals((await pending).status, 200);
  assertEquals(counts, [2, 2, 3, 3, 3, 3, 4, 4]);
});

Deno.test("after disconnects nothing is left behind, and nothing is sent for them", async () => {
  const { ask, gateway, vendor, waiting, rows } = start({ limitedUntil: 5000 });
  const controllers = Array.from({ length: 30 }, () => new AbortController());
  const pending = controllers.map(({ signal }, index) =>
    ask(["a", "b", "c"][index % 3], {}, {}, signal).catch(() => undefined)
  );
  await settled();
  const sent = vendor.sent.length;
  const stays = ask("a");
  await settled();
  for (const controller of controllers) controller.abort();
  await settled();
  assertEquals(waiting(), 1);
  await pass(gateway, 6000);
  assertEquals((await stays).status, 200);
  await Promise.all(pending);
  assertEquals(gateway.shutdown.listeners, 0);
  assertEquals(vendor.sent.length, sent + 1);
  assertEquals([waiting(), gateway.clock.pending], [0, 0]);
  assertEquals(rows.length, 31);
});

Deno.test("a request waits until the limit of its key resets, without more requests to the vendor", async () => {
  const { ask, gateway, vendor, waiting } = start({
    keys: { a: { limits: { requests_per_minute: 30 } } },
    queue: { max_wait: "20s" },
  });
  for (let index = 0; index < 30; index++) assertEquals((await ask("a")).status, 200);
  const pending = Array.from({ length: 12 }, () => ask("a"));
  await settled();
  // One passes every two seconds: ten may wait for 20 s.
  const refused = await Promise.race([Promise.all(pending.slice(10)), settled()]);
  assertEquals(refused?.map(({ status }) => status), [429, 429]);
  assertEquals(refused?.map(({ headers }) => headers.get("retry-after")), ["20", "20"]);
  assertEquals((await ask("b")).status, 200);
  await pass(gateway, 20_000);
  const statuses = (await Promise.all(pending)).map(({ status }) => status);
  assertEquals(statuses, [...Array(9).fill(200), 429, 429, 429]);
  assertEquals(vendor.sent.length, 30 + 1 + 9);
  assertEquals([waiting(), gateway.clock.pending], [0, 0]);
});

Deno.test("a limit on concurrent requests lets the next one pass when one ends", async () => {
  const { gateway, ask } = start({ keys: { a: { limits: { concurrent: 1 } } } });
  const open: (() => void)[] = [];
  const slow = createTestGateway({
    config: {
      server: { keys: [{ name: "a", key: "sk-a", limits: { concurrent: 1 } }] },
      providers: { v: PROVIDER },
      routing: { queue: {} },
    },
    fetch: (url, init) =>
      new Promise((resolve) =>
        open.push(() => resolve(sayHello({ url, body: JSON.parse(String(init.body)) })))
      ),
  });
  const call = () => slow.call(CHAT, { model: "m", messages: MESSAGES }, as("a"));
  const [first, second] = [call(), call()];
  await settled();
  assertEquals([open.length, slow.features.queues.size], [1, 1]);
  open[0]?.();
  await (await first).text();
  await settled();
  // No time has passed.
  assertEquals(open.length, 2);
  open[1]?.();
  assertEquals((await second).status, 200);
  assertEquals((await ask("a")).status, 200);
  assertEquals([slow.features.queues.size, slow.clock.pending, gateway.clock.pending], [0, 0, 0]);
});

Deno.test("a model's limit is waited out, and the request counts once for its key", async () => {
  const { ask, gateway } = start({
    keys: { a: { limits: { requests_per_minute: 10 } } },
    sections: {
      limits: { models: { m: { requests_per_minute: 6 } } },
      aliases: { coder: { targets: ["m"], queue: {} } },
    },
  });
  for (let index = 0; index < 6; index++) await ask("a");
  const pending = ask("a");
  await pass(gateway, 11_000);
  const { status, headers } = await pending;
  assertEquals(status, 200);
  // 7 of 10 are used, of which one was refilled in the meantime.
  assertEquals(headers.get("x-ratelimit-remaining-requests"), "4");
});

Deno.test("an interactive key passes a batch key that has waited longer", async () => {
  const { ask, gateway } = start({
    keys: { a: { priority: "batch" }, b: {} },
    limitedUntil: 2000,
  });
  const done: string[] = [];
  const batch = Array.from({ length: 6 }, () => ask("a").then(() => done.push("a")));
  await settled();
  const interactive = Array.from({ length: 3 }, () => ask("b").then(() => done.push("b")));
  await pass(gateway, 10_000);
  await Promise.all([...batch, ...interactive]);
  const last = done.lastIndexOf("b");
  assert(last <= 5, done.join());
  assertEquals(done.length, 9);
});

Deno.test("a stream that waits gets keep-alive comments, and then its answer or an error", async () => {
  for (const limitedUntil of [15_000, 60_000]) {
    const { gateway, waiting } = start({
      limitedUntil,
      retryAfter: "1",
      queue: { max_wait: "20s" },
      server: { keep_alive: "5s" },
    });
    const body = { model: "coder", messages: MESSAGES, stream: true };
    const pending = gateway.call(CHAT, body, as("a"));
    await pass(gateway, 6000);
    const response = await pending;
    assertEquals([response.status, response.headers.get("x-sluice-queued-ms")], [200, null]);
    const text = response.text();
    await pass(gateway, 20_000);
    const lines = (await text).split("\n");
    assert(lines.filter((line) => line.startsWith(":")).length >= 2, lines.join("|"));
    assertStringIncludes(
      lines.join("\n"),
      limitedUntil === 15_000 ? "[DONE]" : '"code":"rate_limit_exceeded"',
    );
    assertEquals([waiting(), gateway.clock.pending], [0, 0]);
  }
});

Deno.test("a stream that does not wait in a queue starts with its first event", async () => {
  const { ask, gateway } = start({ server: { keep_alive: "5s" } });
  const { text, headers } = await ask("a", { stream: true });
  assert(!text.startsWith(":"));
  assertEquals(headers.get("x-sluice-provider"), "v");
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("a shutdown ends the wait", async () => {
  const { ask, gateway, waiting } = start({ limitedUntil: 10_000 });
  const pending = ask();
  await settled();
  gateway.shutdown.begin();
  assertEquals((await pending).status, 503);
  assertEquals([waiting(), gateway.clock.pending], [0, 0]);
});

Deno.test("the queue is bounded, and a full one is a 429 at once", async () => {
  const { ask, gateway, waiting } = start({
    queue: { max_requests: 3, max_tokens: 1000 },
    limitedUntil: 10_000,
  });
  const pending = ["a", "b", "c"].map((key) => ask(key));
  await settled();
  const { status, text } = await ask("a");
  assertEquals(status, 429);
  assertStringIncludes(text, "The queue is full");
  gateway.shutdown.begin();
  await Promise.all(pending);
  assertEquals(waiting(), 0);
});

Deno.test("an explanation says how long the request may wait, and the metrics how many do", async () => {
  const { ask, gateway } = start({ limitedUntil: 3000, queue: { max_wait: "30s" } });
  const explain = async (model: string) =>
    JSON.parse((await ask("a", { model }, { "x-sluice-explain": "true" })).text).queue;
  const metrics = async () => {
    const response = await gateway.call("/metrics", undefined, as("a"));
    return (await response.text()).split("\n").filter((line) => line.startsWith("sluice_queue"));
  };
  assertEquals(await explain("coder"), { max_wait_ms: 30_000, max_requests: 200, waiting: 0 });
  assertEquals(await explain("n"), undefined);
  const pending = ask("a");
  await settled();
  assertEquals((await explain("coder")).waiting, 1);
  assertStringIncludes((await metrics()).join("\n"), "sluice_queued_requests 1");
  await pass(gateway, 4000);
  await pending;
  const lines = await metrics();
  assertStringIncludes(lines.join("\n"), "sluice_queued_requests 0");
  assertStringIncludes(lines.join("\n"), 'sluice_queue_seconds_sum{error_code=""} 3');
});
