/** One request, several chances: retries, keys, chains, breakers and deadlines, as callers see them. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { hurry, until } from "./support/elapse.ts";
import { createTestGateway, type TestGateway } from "./support/gateway.ts";
import { sayHello, ScriptedVendor, type Sent } from "./support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];

type Answer = (sent: Sent, signal: AbortSignal | null) => Response | Promise<Response>;

/** When a request reached which host with which key, in milliseconds since the start. */
type Visit = readonly [number, string, string];

interface Stage {
  readonly gateway: TestGateway;
  readonly visits: Visit[];
  readonly bodies: Record<string, unknown>[];
  /** Sends a request and lets time pass until it is answered. */
  ask(members?: Record<string, unknown>, headers?: Record<string, string>): Promise<Told>;
}

interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly error: { message: string; code: string | null };
}

/** Providers `a`, `b`, `c` of one model each; every host answers by its own script. */
function stage(
  scripts: Readonly<Record<string, Answer>>,
  members: Record<string, unknown> = {},
  aliases: Record<string, unknown> = { all: ["a", "b", "c"] },
): Stage {
  const visits: Visit[] = [];
  const bodies: Record<string, unknown>[] = [];
  const vendor = new ScriptedVendor(async (sent, signal) => {
    const host = new URL(sent.url).hostname;
    const key = sent.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    visits.push([gateway.clock.now() - began, host, key]);
    bodies.push(sent.body);
    return await (scripts[host] ?? sayHello)(sent, signal);
  });
  const provider = (id: string) => ({
    kind: "openai_compatible",
    base_url: `http://${id}`,
    api_key: `key-${id}`,
    models: [id],
    retries: 2,
    ...members,
  });
  const gateway = createTestGateway({
    config: { providers: { a: provider("a"), b: provider("b"), c: provider("c") }, aliases },
    fetch: vendor.fetch,
  });
  const began = gateway.clock.now();
  return {
    gateway,
    visits,
    bodies,
    async ask(body = {}, headers = {}) {
      const request = { model: "a", messages: MESSAGES, ...body };
      const answer = await hurry(gateway.clock, gateway.call(CHAT, request, headers));
      const text = await hurry(gateway.clock, answer.text());
      assertEquals(gateway.bugs, []);
      assertEquals(gateway.clock.pending, 0, "a timer was left behind");
      const error = answer.status === 200 ? { message: "", code: null } : JSON.parse(text).error;
      return { status: answer.status, headers: answer.headers, error };
    },
  };
}

const fail =
  (status: number, headers: Record<string, string> = {}, error: unknown = {}): Answer => () =>
    Response.json({ error }, { status, headers });

/** Answers in turn; the last answer stays. */
function inTurn(...answers: Answer[]): Answer {
  let turn = 0;
  return (sent, signal) =>
    (answers[Math.min(turn++, answers.length - 1)] ?? sayHello)(sent, signal);
}

const hang: Answer = (_, signal) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

for (const stream of [false, true]) {
  const form = stream ? "a stream" : "a plain answer";
  Deno.test(`${form}: retries wait longer each time, and then the error says that we have retried`, async () => {
    const { ask, visits, gateway } = stage({ a: fail(500) });
    const told = await ask({ stream });
    assertEquals(told.status, 502);
    assertEquals(told.headers.get("x-sluice-attempts"), "3");
    assertEquals(told.headers.get("x-should-retry"), "false");
    assertEquals(visits.map(([at]) => at), [0, 125, 375]);
    const lines = gateway.lines.slice(0, -1).map(({ attempt, outcome, next }) => [
      ...[attempt, outcome],
      next,
    ]);
    assertEquals(lines, [
      [1, "upstream_error", "retry in 125 ms"],
      [2, "upstream_error", "retry in 250 ms"],
      [3, "upstream_error", undefined],
    ]);
    const times = gateway.lines.map(({ time }) => Date.parse(String(time)));
    assertEquals(times.map((time) => time - (times[0] ?? 0)), [0, 125, 375, 375]);
  });

  for (
    const [name, value, wait] of [
      ["retry-after", "3", 3000],
      ["retry-after-ms", "700", 700],
      ["retry-after", new Date(1_700_000_009_000).toUTCString(), 9000],
      // At the next turn of the event loop, which moves this clock by 25 ms.
      ["retry-after", "0", 25],
    ] as const
  ) {
    Deno.test(`${form}: the vendor's ${name}: ${value} is waited for`, async () => {
      const { ask, visits } = stage({ a: inTurn(fail(429, { [name]: value }), sayHello) });
      assertEquals((await ask({ stream })).status, 200);
      assertEquals(visits.map(([at]) => at), [0, wait]);
    });
  }

  Deno.test(`${form}: a wait over max_wait is not taken: the next target at once`, async () => {
    const { ask, visits, gateway } = stage({ a: fail(429, { "retry-after": "21" }) });
    const told = await ask({ stream, model: "all" });
    assertEquals([told.status, told.headers.get("x-sluice-provider")], [200, "b"]);
    assertEquals(visits.map(([at, host]) => [at, host]), [[0, "a"], [0, "b"]]);
    assertEquals(gateway.lines[0]?.next, "next target: asked to wait 21 s");
    const alone = await ask({ stream });
    assertEquals([alone.status, alone.headers.get("retry-after")], [429, "21"]);
    assertEquals(alone.headers.get("x-should-retry"), null, "we have not retried");
  });
}

Deno.test("Google's RetryInfo is waited for like a Retry-After", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "4s" }];
  const error = { code: 429, status: "RESOURCE_EXHAUSTED", message: "Slow down", details };
  let calls = 0;
  const at: number[] = [];
  const gateway = createTestGateway({
    config: {
      providers: { g: { kind: "gemini", api_key: "k", retries: 1, models: ["gemini-2.5-pro"] } },
    },
    fetch: () => {
      at.push(gateway.clock.now());
      calls++;
      return Promise.resolve(Response.json({ error }, { status: 429 }));
    },
  });
  const body = { model: "gemini-2.5-pro", messages: MESSAGES };
  const answer = await hurry(gateway.clock, gateway.call(CHAT, body));
  assertEquals([answer.status, calls], [429, 2]);
  assertEquals((at[1] ?? 0) - (at[0] ?? 0), 4000);
  await answer.body?.cancel();
});

Deno.test("a model's own retries stand above its provider's", async () => {
  const { ask, visits } = stage({ a: fail(503) }, { models: [{ id: "a", retries: 0 }] }, {});
  assertEquals((await ask()).headers.get("x-should-retry"), null);
  assertEquals(visits.length, 1);
});

const POOL = { api_key: ["k1", "k2", "k3"] };

for (const status of [401, 402, 403, 429]) {
  Deno.test(`a ${status} moves to the next key at once, which is not a retry, and the key rests`, async () => {
    const bad: Answer = (sent) =>
      sent.headers.get("authorization") === "Bearer k1"
        ? Response.json({}, { status, headers: { "retry-after": "60" } })
        : sayHello(sent);
    const { ask, visits, gateway } = stage({ a: bad }, { ...POOL, retries: 0 });
    const told = await ask();
    assertEquals([told.status, told.headers.get("x-sluice-attempts")], [200, "2"]);
    await ask();
    assertEquals(visits, [[0, "a", "k1"], [0, "a", "k2"], [visits[2]?.[0] ?? 0, "a", "k2"]]);
    assertEquals(gateway.lines[0]?.next, "next key");
    const { data } = await (await gateway.call("/v1/providers")).json();
    assertEquals(data[0].keys, { configured: 3, resting: 1 });
    gateway.clock.advance(status === 429 ? 60_000 : 300_000);
    await ask();
    assertEquals(visits.filter(([, , key]) => key === "k1").length, 2);
  });
}

Deno.test("a 5xx keeps the key", async () => {
  const { ask, visits } = stage({ a: fail(500) }, POOL);
  await ask();
  assertEquals(visits.map(([, , key]) => key), ["k1", "k1", "k1"]);
});

Deno.test("a Retry-After of 0 tries each key once, and not for ever", async () => {
  const { ask, visits } = stage({ a: fail(429, { "retry-after": "0" }) }, POOL);
  const told = await ask();
  assertEquals(told.status, 429);
  assertEquals(visits.length, 9, "three keys, three times");
});

Deno.test("when all keys are refused it is a 502 that says when the first may be used", async () => {
  const { ask, visits, gateway } = stage({ a: fail(401) }, POOL);
  const told = await ask();
  assertEquals([told.status, told.error.code], [502, "upstream_auth"]);
  assertEquals(told.headers.get("retry-after"), "300");
  assertEquals(visits.length, 3);
  gateway.clock.advance(100_000);
  const next = await ask();
  assertEquals([next.status, next.error.code, visits.length], [502, "upstream_auth", 3]);
  assertEquals(next.headers.get("retry-after"), "200");
  assertMatch(next.error.message, /^Every key of the provider 'a' rests/);
});

Deno.test("when all keys are rate-limited it is a 429 with the soonest time", async () => {
  const limits = new Map([["k1", "90"], ["k2", "40"], ["k3", "70"]]);
  const limited: Answer = ({ headers }) => {
    const key = headers.get("authorization")?.slice("Bearer ".length) ?? "";
    return Response.json({}, { status: 429, headers: { "retry-after": limits.get(key) ?? "" } });
  };
  const { ask, visits } = stage({ a: limited }, POOL);
  const told = await ask();
  assertEquals([told.status, told.headers.get("retry-after"), visits.length], [429, "40", 3]);
  const next = await ask();
  assertEquals([next.status, next.headers.get("retry-after"), visits.length], [429, "40", 3]);
  assertEquals(next.headers.get("x-sluice-attempts"), null, "nothing was sent");
});

Deno.test("a pool that will be usable within max_wait is waited for", async () => {
  const limited = inTurn(
    fail(429, { "retry-after": "15" }),
    fail(429, { "retry-after": "9" }),
    fail(429, { "retry-after": "12" }),
    sayHello,
  );
  const { ask, visits } = stage({ a: limited }, POOL);
  assertEquals((await ask()).status, 200);
  assertEquals(visits.map(([at, , key]) => [at, key]), [
    ...[[0, "k1"], [0, "k2"], [0, "k3"]],
    [9000, "k2"],
  ]);
});

/** Failures of the first target, and whether each leads to the next by default. */
const CLASSES: readonly (readonly [string, Answer, boolean])[] = [
  ["rate_limited", fail(429, { "retry-after": "99" }), true],
  ["quota", fail(402), true],
  ["auth", fail(401), true],
  ["not_found", fail(404), true],
  ["unavailable", fail(503), true],
  ["unavailable", () => Promise.reject(new TypeError("refused")), true],
  ["timeout", fail(504), true],
  ["context_length", fail(400, {}, { code: "context_length_exceeded", message: "Long" }), false],
  ["content_filter", fail(400, {}, { code: "content_filter", message: "Bad" }), false],
];

for (const [name, answer, usual] of CLASSES) {
  Deno.test(`a chain goes on after '${name}' ${usual ? "by itself" : "only where an entry says so"}`, async () => {
    const aliases = {
      plain: ["a", "b"],
      only: ["a", { model: "b", when: [name] }],
      other: ["a", { model: "b", when: [name === "auth" ? "quota" : "auth"] }, "c"],
    };
    const { ask } = stage({ a: answer }, { retries: 0 }, aliases);
    const plain = await ask({ model: "plain" });
    assertEquals(plain.headers.get("x-sluice-provider"), usual ? "b" : "a");
    const only = await ask({ model: "only" });
    assertEquals([only.status, only.headers.get("x-sluice-provider")], [200, "b"]);
    const other = await ask({ model: "other" });
    assertEquals(other.headers.get("x-sluice-provider"), usual ? "c" : "a");
  });
}

for (const status of [400, 413, 422]) {
  Deno.test(`a chain does not go on after a ${status}: it would fail anywhere alike`, async () => {
    const { ask, visits } = stage({ a: fail(status) });
    const told = await ask({ model: "all" });
    assertEquals(told.headers.get("x-sluice-provider"), "a");
    assertEquals(visits.length, 1);
  });
}

Deno.test("a caller's own models come after the first, and are never forwarded", async () => {
  const { ask, bodies, visits } = stage({ a: fail(503) }, { retries: 0 });
  const told = await ask({ models: ["c@c", "a", "b"] });
  assertEquals([told.status, told.headers.get("x-sluice-provider")], [200, "c"]);
  assertEquals(visits.map(([, host]) => host), ["a", "c"]);
  assert(bodies.every((body) => !("models" in body)));
});

Deno.test("attempts never exceed the plan: every target, every key, every retry", async () => {
  const failing = fail(429, { "retry-after": "0" });
  const scripts = { a: failing, b: failing, c: failing };
  const { ask, visits } = stage(scripts, { api_key: ["k1", "k2"], retries: 1 });
  const told = await ask({ model: "all" });
  assertEquals([told.status, visits.length], [429, 12]);
  assertEquals(told.headers.get("x-should-retry"), "false");
});

Deno.test("the error is that of the last target, and the receipt of the one that was reached", async () => {
  const aliases = { two: ["a", "b"] };
  const { ask } = stage({ a: fail(503), b: fail(404) }, { retries: 0 }, aliases);
  const told = await ask({ model: "two" });
  assertEquals([told.status, told.headers.get("x-sluice-provider")], [404, "b"]);
  assertEquals(told.headers.get("x-should-retry"), "false");
});

Deno.test("strict: targets that would ignore something are skipped, and it is a 400 when none is left", async () => {
  const gateway = createTestGateway({
    config: {
      providers: {
        v: { kind: "openai_compatible", base_url: "http://v", models: ["v"] },
        mock: { kind: "mock", models: ["mock-echo", "mock-500"] },
      },
      aliases: {
        some: ["mock-echo", "v"],
        none: ["mock-echo", "mock-500"],
        late: ["v", "mock-echo"],
      },
    },
    fetch: (url) =>
      Promise.resolve(url.includes("v/") ? sayHello({ url, body: {} }) : Response.json({})),
  });
  const ask = (model: string) =>
    gateway.call(CHAT, { model, messages: MESSAGES, seed: 5 }, { "x-sluice-strict": "true" });
  const some = await ask("some");
  await some.body?.cancel();
  assertEquals([some.status, some.headers.get("x-sluice-provider")], [200, "v"]);
  const none = await ask("none");
  assertEquals([none.status, (await none.json()).error.code], [400, "unsupported_parameter"]);
  assertEquals(none.headers.get("x-sluice-attempts"), "0");
});

Deno.test("strict: a target that is skipped does not take the blame of the one that failed", async () => {
  const gateway = createTestGateway({
    config: {
      providers: {
        v: { kind: "openai_compatible", base_url: "http://v", models: ["v"] },
        mock: { kind: "mock", models: ["mock-echo"] },
      },
      aliases: { late: ["v", "mock-echo"] },
    },
    fetch: () => Promise.resolve(Response.json({}, { status: 503 })),
  });
  const body = { model: "late", messages: MESSAGES, seed: 5 };
  const late = await gateway.call(CHAT, body, { "x-sluice-strict": "true" });
  await late.body?.cancel();
  assertEquals([late.status, late.headers.get("x-sluice-provider")], [503, "v"]);
});

Deno.test("a target that fails five times in a row is passed over, and tried again after 30 s", async () => {
  let isWell = false;
  const { ask, visits, gateway } = stage(
    { a: (sent) => isWell ? sayHello(sent) : new Response(null, { status: 500 }) },
    { retries: 0 },
  );
  const hosts = () => visits.splice(0).map(([, host]) => host).join("");
  for (let time = 0; time < 5; time++) await ask({ model: "all" });
  assertEquals(hosts(), "ababababab");
  const { data } = await (await gateway.call("/v1/providers")).json();
  assertEquals(data[0].breakers, [
    { model: "a", state: "open", failures: 5, tries_again_in_ms: 30_000 },
  ]);
  assertEquals(data[1].breakers[0].state, "closed");
  await ask({ model: "all" });
  assertEquals(hosts(), "b", "it is passed over");
  assertEquals((await ask({ model: "a" })).status, 502);
  assertEquals(hosts(), "a", "and used where there is no other");
  gateway.clock.advance(30_001);
  await ask({ model: "all" });
  assertEquals(hosts(), "ab", "one is let through, and fails");
  await ask({ model: "all" });
  assertEquals(hosts(), "b");
  isWell = true;
  gateway.clock.advance(30_001);
  await ask({ model: "all" });
  await ask({ model: "all" });
  assertEquals(hosts(), "aa", "it is well again");
});

Deno.test("half open, one request at a time tries a target", async () => {
  const answers: (() => void)[] = [];
  let failing = true;
  const { gateway, visits } = stage({
    a: (sent) =>
      failing ? new Response(null, { status: 500 }) : new Promise((resolve) => {
        answers.push(() => resolve(sayHello(sent)));
      }),
  }, { retries: 0 });
  const ask = () => gateway.call(CHAT, { model: "all", messages: MESSAGES });
  for (let time = 0; time < 5; time++) await (await ask()).body?.cancel();
  failing = false;
  gateway.clock.advance(30_000);
  visits.length = 0;
  const first = ask();
  await until(() => visits.length === 1);
  const others = await Promise.all([ask(), ask(), ask()]);
  assertEquals(visits.map(([, host]) => host), ["a", "b", "b", "b"]);
  answers[0]?.();
  for (const answer of [await first, ...others]) await answer.body?.cancel();
});

Deno.test("an open target is passed over as one that is unavailable", async () => {
  const aliases = {
    plain: ["a", "b"],
    rarely: ["a", { model: "b", when: ["context_length"] }],
  };
  const { ask, visits } = stage({ a: fail(500) }, { retries: 0 }, aliases);
  for (let time = 0; time < 5; time++) await ask();
  visits.length = 0;
  await ask({ model: "rarely" });
  assertEquals(visits.map(([, host]) => host), ["a"], "b is not for this");
  await ask({ model: "plain" });
  assertEquals(visits.map(([, host]) => host), ["a", "b"]);
});

Deno.test("when a target's breaker opens, its retries end where another is left", async () => {
  const { ask, visits } = stage({ a: fail(500) }, { retries: 10 });
  const told = await ask({ model: "all" });
  assertEquals([told.status, told.headers.get("x-sluice-provider")], [200, "b"]);
  assertEquals(visits.map(([, host]) => host), ["a", "a", "a", "a", "a", "b"]);
  visits.length = 0;
  await ask();
  assertEquals(visits.length, 11, "where none is left, they go on");
});

for (
  const [what, answer] of [
    ["a caller's mistake", fail(400)],
    ["a refused key", fail(401)],
    ["a quota", fail(402)],
  ] as const
) {
  Deno.test(`${what} never opens a breaker`, async () => {
    const { ask, gateway } = stage({ a: answer });
    for (let time = 0; time < 9; time++) await ask();
    const { data } = await (await gateway.call("/v1/providers")).json();
    assertEquals(data[0].breakers[0].state, "closed");
  });
}

for (const stream of [false, true]) {
  const form = stream ? "a stream" : "a plain answer";
  Deno.test(`${form}: a deadline ends an attempt that hangs, with a 504 that says how it was spent`, async () => {
    const { ask, visits, gateway } = stage({ a: inTurn(fail(500), hang) });
    const told = await ask({ stream }, { "x-sluice-deadline-ms": "1000" });
    assertEquals([told.status, told.error.code, visits.length], [504, "upstream_timeout", 2]);
    assertEquals(
      told.error.message,
      "There was no answer within the deadline of 1000 ms: " +
        "a 0 ms (upstream_error, retry in 125 ms), then a 875 ms (upstream_timeout)",
    );
    assertEquals(told.headers.get("x-should-retry"), "false");
    const { data } = await (await gateway.call("/v1/providers")).json();
    assertEquals(data[0].breakers[0].failures, 1, "the deadline is not the target's failure");
  });

  Deno.test(`${form}: no attempt starts that the deadline leaves no time for`, async () => {
    const { ask, visits } = stage({ a: fail(503, { "retry-after": "2" }) });
    const told = await ask({ stream }, { "x-sluice-deadline-ms": "1000" });
    assertEquals([told.status, visits.length], [504, 1]);
    assertStringIncludes(told.error.message, "a 0 ms (upstream_unavailable, the caller's deadline");
    const other = await ask({ stream, model: "all" }, { "x-sluice-deadline-ms": "1000" });
    assertEquals([other.status, other.headers.get("x-sluice-provider")], [200, "b"]);
  });
}

Deno.test("a deadline bounds all targets together", async () => {
  const slow: Answer = (_, signal) =>
    new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      gateway.clock.after(400, () => resolve(new Response(null, { status: 500 })));
    });
  const { ask, visits, gateway } = stage({ a: slow, b: slow, c: hang }, { retries: 0 });
  const told = await ask({ model: "all" }, { "x-sluice-deadline-ms": "1000" });
  assertEquals(told.status, 504);
  assertEquals(visits.map(([at]) => at), [0, 400, 800]);
  assertEquals(
    told.error.message,
    "There was no answer within the deadline of 1000 ms: a 400 ms (upstream_error, next target), " +
      "then b 400 ms (upstream_error, next target), then c 200 ms (upstream_timeout)",
  );
});

Deno.test("a deadline also ends a stream that has begun, with an error event", async () => {
  const { gateway } = stage({
    a: () => {
      const chunk = { choices: [{ index: 0, delta: { content: "Hel" }, finish_reason: null }] };
      const body = new ReadableStream<Uint8Array>({
        start: (own) => own.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`)),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const body = { model: "a", messages: MESSAGES, stream: true };
  const answer = await gateway.call(CHAT, body, { "x-sluice-deadline-ms": "500" });
  assertEquals(answer.status, 200);
  const text = await hurry(gateway.clock, answer.text(), 100);
  assertStringIncludes(text, "The answer was not complete at the caller's deadline");
});

for (const value of ["0", "-5", "1.5", "soon", "", "1e3", "9999999999"]) {
  Deno.test(`a deadline of '${value}' is a 400`, async () => {
    const { ask, visits } = stage({});
    const told = await ask({}, { "x-sluice-deadline-ms": value });
    assertEquals([told.status, told.error.code, visits.length], [400, "invalid_value", 0]);
  });
}

Deno.test("a caller who leaves during a back-off ends it at once", async () => {
  const caller = new AbortController();
  const { gateway, visits } = stage({ a: fail(503, { "retry-after": "15" }) });
  const body = { model: "all", messages: MESSAGES };
  const answering = gateway.call(CHAT, body, {}, caller.signal);
  await until(() => gateway.lines.length === 0 && visits.length === 1 && gateway.clock.pending > 0);
  caller.abort();
  await (await answering).body?.cancel();
  assertEquals([visits.length, gateway.clock.pending], [1, 0]);
  assertEquals(gateway.lines.at(-1)?.outcome, "client_gone");
});

Deno.test("a process that ends does not wait for a back-off", async () => {
  const { gateway, visits } = stage({ a: fail(503, { "retry-after": "15" }) });
  const answering = gateway.call(CHAT, { model: "a", messages: MESSAGES });
  await until(() => visits.length === 1 && gateway.clock.pending > 0);
  gateway.app.cut();
  const answer = await answering;
  assertEquals([answer.status, (await answer.json()).error.code], [503, "overloaded"]);
  assertEquals([visits.length, gateway.clock.pending], [1, 0]);
});
