/** One request, several chances: retries, keys, chains and deadlines, as callers see them. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hurry, until } from "../support/elapse.ts";
import { createTestGateway } from "../support/gateway.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { type Answer, CHAT, fail, hang, inTurn, MESSAGES, stage } from "../support/stage.ts";

for (const stream of [false, true]) {
  const form = stream ? "a stream" : "a plain answer";
  Deno.test(`${form}: retries wait longer each time, and then the error has x-should-retry: false`, async () => {
    const { ask, visits, gateway } = stage({ a: fail(500) });
    const response = await ask({ stream });
    assertEquals(response.status, 502);
    assertEquals(response.headers.get("x-sluice-attempts"), "3");
    assertEquals(response.headers.get("x-should-retry"), "false");
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
    Deno.test(`${form}: the vendor's ${name}: ${value} is followed`, async () => {
      const { ask, visits } = stage({ a: inTurn(fail(429, { [name]: value }), sayHello) });
      assertEquals((await ask({ stream })).status, 200);
      assertEquals(visits.map(([at]) => at), [0, wait]);
    });
  }

  Deno.test(`${form}: a wait over max_wait is skipped: the next target is used at once`, async () => {
    const { ask, visits, gateway } = stage({ a: fail(429, { "retry-after": "21" }) });
    const response = await ask({ stream, model: "all" });
    assertEquals([response.status, response.headers.get("x-sluice-provider")], [200, "b"]);
    assertEquals(visits.map(([at, host]) => [at, host]), [[0, "a"], [0, "b"]]);
    assertEquals(gateway.lines[0]?.next, "next target: asked to wait 21 s");
    const alone = await ask({ stream });
    assertEquals([alone.status, alone.headers.get("retry-after")], [429, "21"]);
    assertEquals(alone.headers.get("x-should-retry"), null, "we have not retried");
  });
}

Deno.test("Google's RetryInfo is followed like a Retry-After", async () => {
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

Deno.test("retries of a model override those of its provider", async () => {
  const { ask, visits } = stage({ a: fail(503) }, { models: [{ id: "a", retries: 0 }] }, {});
  assertEquals((await ask()).headers.get("x-should-retry"), null);
  assertEquals(visits.length, 1);
});

const POOL = { api_key: ["k1", "k2", "k3"] };

const ACCESS = { message: "No access", type: "invalid_request_error", code: "model_not_found" };
const INVALID = { message: "No", type: "invalid_request_error", code: "invalid_api_key" };

for (
  const [what, status, error, ms, others] of [
    ["401", 401, {}, 300_000, true],
    ["402", 402, {}, 300_000, true],
    ["403 whose code names the key", 403, INVALID, 300_000, true],
    ["400 whose code names the key", 400, INVALID, 300_000, true],
    ["403 whose code names the model", 403, ACCESS, 300_000, false],
    ["429", 429, {}, 60_000, false],
  ] as const
) {
  const scope = others ? "every model" : "that model";
  Deno.test(`a ${what} moves to the next key at once, and suspends the key for ${scope}`, async () => {
    const bad: Answer = (sent) =>
      sent.headers.get("authorization") === "Bearer k1"
        ? Response.json({ error }, { status, headers: { "retry-after": "60" } })
        : sayHello(sent);
    const models = ["a", "b", "c", "other"];
    const { ask, visits, gateway } = stage({ a: bad }, { ...POOL, models, retries: 0 });
    const response = await ask({ model: "a@a" });
    assertEquals([response.status, response.headers.get("x-sluice-attempts")], [200, "2"]);
    await ask({ model: "a@a" });
    const keys = () => visits.splice(0).map(([, , key]) => key).join();
    assertEquals(keys(), "k1,k2,k2");
    assertEquals(gateway.lines[0]?.next, "next key");
    const { data } = await (await gateway.call("/v1/providers")).json();
    assertEquals(data[0].keys, { configured: 3, suspended: 1 });
    await ask({ model: "other@a" });
    assertEquals(keys(), others ? "k2" : "k1,k2");
    gateway.clock.advance(ms);
    await ask({ model: "a@a" });
    assertEquals(keys(), "k1,k2");
  });
}

Deno.test("a 403 without a code affects only this request: another key is tried, and none is suspended", async () => {
  const bad: Answer = (sent) =>
    sent.headers.get("authorization") === "Bearer k1"
      ? Response.json({ error: { message: "You may not use web search" } }, { status: 403 })
      : sayHello(sent);
  const { ask, visits, gateway } = stage({ a: bad }, { ...POOL, retries: 0 });
  for (let round = 0; round < 2; round++) assertEquals((await ask()).status, 200);
  assertEquals(visits.map(([, , key]) => key).join(), "k1,k2,k1,k2");
  const { data } = await (await gateway.call("/v1/providers")).json();
  assertEquals(data[0].keys.suspended, 0);
  const alone = stage({ a: fail(403, {}, { message: "You may not use web search" }) });
  const response = await alone.ask();
  assertEquals([response.status, response.error.code], [502, "upstream_auth"]);
  assertEquals(
    response.error.message,
    "The provider 'a' rejected the request: You may not use web search",
  );
});

Deno.test("a 403 about the prompt is a 400 content_filter, with one key and once", async () => {
  const error = { message: "Blocked by our policy", code: "content_policy_violation" };
  const { ask, visits, gateway } = stage({ a: fail(403, {}, error) }, POOL);
  const response = await ask({ model: "all" });
  assertEquals([response.status, response.error.code, visits.length], [400, "content_filter", 1]);
  const { data } = await (await gateway.call("/v1/providers")).json();
  assertEquals(data[0].keys.suspended, 0);
});

Deno.test("a single request over the rate limit is not retried and suspends no key", async () => {
  const error = {
    message: "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): " +
      "Limit 30000, Requested 36278.",
    type: "tokens",
    code: "rate_limit_exceeded",
  };
  const { ask, visits, gateway } = stage({ a: fail(429, { "retry-after": "1" }, error) }, POOL);
  const response = await ask();
  assertEquals([response.status, response.error.code], [429, "rate_limit_exceeded"]);
  assertEquals(response.headers.get("x-should-retry"), "false");
  assertEquals(visits.map(([, , key]) => key).join(), "k1,k2,k3", "their limits may differ");
  const { data: [{ keys, breakers }] } = await (await gateway.call("/v1/providers")).json();
  assertEquals([keys.suspended, breakers[0].failures], [0, 0]);
  const chained = await ask({ model: "all" });
  assertEquals([chained.status, chained.headers.get("x-sluice-provider")], [200, "b"]);
});

Deno.test("a 5xx keeps the key", async () => {
  const { ask, visits } = stage({ a: fail(500) }, POOL);
  await ask();
  assertEquals(visits.map(([, , key]) => key), ["k1", "k1", "k1"]);
});

Deno.test("with a Retry-After of 0 each key is tried once", async () => {
  const { ask, visits } = stage({ a: fail(429, { "retry-after": "0" }) }, POOL);
  const response = await ask();
  assertEquals(response.status, 429);
  assertEquals(visits.length, 9, "three keys, three times");
});

Deno.test("when every key is rejected, it is a 502, and the last key stays in use", async () => {
  const { ask, visits, gateway } = stage({ a: fail(401) }, POOL);
  const response = await ask();
  assertEquals([response.status, response.error.code], [502, "upstream_auth"]);
  assertEquals(response.headers.get("retry-after"), null, "waiting does not help");
  const next = await ask();
  assertEquals([next.status, next.error.code], [502, "upstream_auth"]);
  assertEquals(visits.map(([, , key]) => key).join(), "k1,k2,k3,k3");
  const { data } = await (await gateway.call("/v1/providers")).json();
  assertEquals(data[0].keys, { configured: 3, suspended: 2 });
});

Deno.test("when every key is rate-limited, it is a 429 with the earliest reset", async () => {
  const limits = new Map([["k1", "90"], ["k2", "40"], ["k3", "70"]]);
  const limited: Answer = ({ headers }) => {
    const key = headers.get("authorization")?.slice("Bearer ".length) ?? "";
    return Response.json({}, { status: 429, headers: { "retry-after": limits.get(key) ?? "" } });
  };
  const { ask, visits } = stage({ a: limited }, POOL);
  const response = await ask();
  assertEquals([response.status, response.headers.get("retry-after"), visits.length], [
    429,
    "40",
    3,
  ]);
  const next = await ask();
  assertEquals([next.status, next.headers.get("retry-after")], [429, "40"]);
  assertEquals(visits.slice(3).map(([, , key]) => key), ["k3"], "the last one is never suspended");
});

Deno.test("if one key is rejected and another is rate-limited, the caller gets the reset time", async () => {
  const answer: Answer = ({ headers }) =>
    headers.get("authorization") === "Bearer k1"
      ? Response.json({}, { status: 429, headers: { "retry-after": "30" } })
      : Response.json({}, { status: 401 });
  const { ask } = stage({ a: answer }, { api_key: ["k1", "k2"] });
  const response = await ask();
  assertEquals([response.status, response.error.code], [429, "rate_limit_exceeded"]);
  assertEquals(response.headers.get("retry-after"), "30");
  assertEquals(
    response.error.message,
    "No key of the provider 'a' can be used now; the first rate limit ends in 30 s",
  );
});

Deno.test("if every key is suspended for a model, the one with the earliest end is used", async () => {
  // k2 is rate limited for one model while k1 can be used; then k1 is refused for the other model.
  const limited = inTurn(
    fail(403),
    fail(429, { "retry-after": "60" }),
    fail(401),
    sayHello,
  );
  const members = { api_key: ["k1", "k2"], models: ["a", "b", "c", "other"], retries: 0 };
  const { ask, visits, gateway } = stage({ a: limited }, members);
  assertEquals((await ask({ model: "a@a" })).status, 429);
  assertEquals((await ask({ model: "other@a" })).status, 200);
  const { data } = await (await gateway.call("/v1/providers")).json();
  assertEquals(data[0].keys, { configured: 2, suspended: 2 });
  assertEquals((await ask({ model: "a@a" })).status, 200);
  assertEquals(visits.map(([, , key]) => key).join(), "k1,k2,k1,k2,k2");
});

Deno.test("a suspension that ends within max_wait is waited for", async () => {
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
  Deno.test(`a chain continues after '${name}' ${usual ? "by default" : "only if an entry lists it"}`, async () => {
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
  Deno.test(`a chain stops after a ${status}, which would fail at every target`, async () => {
    const { ask, visits } = stage({ a: fail(status) });
    const response = await ask({ model: "all" });
    assertEquals(response.headers.get("x-sluice-provider"), "a");
    assertEquals(visits.length, 1);
  });
}

for (const stream of [false, true]) {
  const form = stream ? "a stream" : "a plain answer";
  Deno.test(`${form}: a failure whose body never ends is a 504 once its limit is over`, async () => {
    const endless: Answer = () => new Response(new ReadableStream(), { status: 500 });
    const timeout = { first_token: "1s", total: "1s" };
    const { ask } = stage({ a: endless }, { retries: 0, timeout });
    const response = await ask({ stream });
    assertEquals([response.status, response.error.code], [504, "upstream_timeout"]);
  });
}

Deno.test("the vendor's request id is that of the last attempt, and of no other", async () => {
  const refuse: Answer = () => Promise.reject(new TypeError("refused"));
  const { ask } = stage({ a: inTurn(fail(503, { "x-request-id": "first" }), refuse) });
  const response = await ask();
  assertEquals(response.headers.get("x-sluice-attempts"), "3");
  assertEquals(response.headers.get("x-sluice-upstream-request-id"), null);
});

Deno.test("a skipped target is not an attempt: the log reports the next target once", async () => {
  const models = [{ id: "a", capabilities: { vision: false } }, "b", "c"];
  const aliases = { some: ["c@a", "a@b", "b@c"] };
  const { ask, gateway } = stage({ a: fail(404) }, { models }, aliases);
  const image = { type: "image_url", image_url: { url: "https://a.test/b.png" } };
  const messages = [{ role: "user", content: [image] }];
  const response = await ask({ model: "some", messages });
  assertEquals([response.status, response.headers.get("x-sluice-provider")], [200, "c"]);
  const lines = gateway.lines.slice(0, -1).map(({ provider, next }) => [provider, next]);
  assertEquals(lines, [["a", "next target"], ["c", undefined]]);
});

Deno.test("the models of the caller follow the first one, and are never forwarded", async () => {
  const { ask, bodies, visits } = stage({ a: fail(503) }, { retries: 0 });
  const response = await ask({ models: ["c@c", "a", "b"] });
  assertEquals([response.status, response.headers.get("x-sluice-provider")], [200, "c"]);
  assertEquals(visits.map(([, host]) => host), ["a", "c"]);
  assert(bodies.every((body) => !("models" in body)));
});

Deno.test("attempts never exceed the plan: every target, every key, every retry", async () => {
  const failing = fail(429, { "retry-after": "0" });
  const scripts = { a: failing, b: failing, c: failing };
  const { ask, visits } = stage(scripts, { api_key: ["k1", "k2"], retries: 1 });
  const response = await ask({ model: "all" });
  assertEquals([response.status, visits.length], [429, 12]);
  assertEquals(response.headers.get("x-should-retry"), "false");
});

Deno.test("the error comes from the last target, and the receipt from the one that was reached", async () => {
  const aliases = { two: ["a", "b"] };
  const { ask } = stage({ a: fail(503), b: fail(404) }, { retries: 0 }, aliases);
  const response = await ask({ model: "two" });
  assertEquals([response.status, response.headers.get("x-sluice-provider")], [404, "b"]);
  assertEquals(response.headers.get("x-should-retry"), "false");
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

Deno.test("strict: the error comes from the target that failed, not from a skipped one", async () => {
  const gateway = createTestGateway({
    config: {
      providers: {
        v: { kind: "openai_compatible", base_url: "http://v", models: ["v"] },
        // It would ignore a seed.
        a: { kind: "anthropic", api_key: "k", models: ["a"] },
      },
      aliases: { late: ["v", "a"] },
    },
    fetch: () => Promise.resolve(Response.json({}, { status: 503 })),
  });
  const body = { model: "late", messages: MESSAGES, seed: 5 };
  const late = await gateway.call(CHAT, body, { "x-sluice-strict": "true" });
  await late.body?.cancel();
  assertEquals([late.status, late.headers.get("x-sluice-provider")], [503, "v"]);
});

for (const stream of [false, true]) {
  const form = stream ? "a stream" : "a plain answer";
  Deno.test(`${form}: a deadline ends an attempt that hangs, with a 504 that lists the attempts`, async () => {
    const { ask, visits, gateway } = stage({ a: inTurn(fail(500), hang) });
    const response = await ask({ stream }, { "x-sluice-deadline-ms": "1000" });
    assertEquals([response.status, response.error.code, visits.length], [
      504,
      "upstream_timeout",
      2,
    ]);
    assertEquals(
      response.error.message,
      "There was no answer within the deadline of 1000 ms: " +
        "a 0 ms (upstream_error, retry in 125 ms), then a 875 ms (upstream_timeout)",
    );
    assertEquals(response.headers.get("x-should-retry"), "false");
    const { data } = await (await gateway.call("/v1/providers")).json();
    assertEquals(data[0].breakers[0].failures, 1, "the deadline is not the target's failure");
  });

  Deno.test(`${form}: no attempt starts after the deadline`, async () => {
    const { ask, visits } = stage({ a: fail(503, { "retry-after": "2" }) });
    const response = await ask({ stream }, { "x-sluice-deadline-ms": "1000" });
    assertEquals([response.status, visits.length], [504, 1]);
    assertStringIncludes(
      response.error.message,
      "a 0 ms (upstream_unavailable, the caller's deadline",
    );
    const other = await ask({ stream, model: "all" }, { "x-sluice-deadline-ms": "1000" });
    assertEquals([other.status, other.headers.get("x-sluice-provider")], [200, "b"]);
  });
}

Deno.test("after the deadline no other target is entered", async () => {
  const { ask, visits, gateway } = stage({ a: hang });
  const response = await ask({ model: "all" }, { "x-sluice-deadline-ms": "1000" });
  assertEquals([response.status, response.headers.get("x-sluice-attempts")], [504, "1"]);
  assertEquals(visits.map(([, host]) => host), ["a"]);
  assertEquals(gateway.lines[0]?.next, undefined);
  assertEquals(
    response.error.message,
    "There was no answer within the deadline of 1000 ms: a 1000 ms (upstream_timeout)",
  );
});

Deno.test("a deadline bounds all targets together", async () => {
  const slow: Answer = (_, signal) =>
    new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      gateway.clock.after(400, () => resolve(new Response(null, { status: 500 })));
    });
  const { ask, visits, gateway } = stage({ a: slow, b: slow, c: hang }, { retries: 0 });
  const response = await ask({ model: "all" }, { "x-sluice-deadline-ms": "1000" });
  assertEquals(response.status, 504);
  assertEquals(visits.map(([at]) => at), [0, 400, 800]);
  assertEquals(
    response.error.message,
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
    const response = await ask({}, { "x-sluice-deadline-ms": value });
    assertEquals([response.status, response.error.code, visits.length], [400, "invalid_value", 0]);
  });
}

Deno.test("a client disconnect ends a backoff at once", async () => {
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

Deno.test("a shutdown does not wait for a backoff", async () => {
  const { gateway, visits } = stage({ a: fail(503, { "retry-after": "15" }) });
  const answering = gateway.call(CHAT, { model: "a", messages: MESSAGES });
  await until(() => visits.length === 1 && gateway.clock.pending > 0);
  gateway.app.abort();
  const answer = await answering;
  assertEquals([answer.status, (await answer.json()).error.code], [503, "overloaded"]);
  assertEquals([visits.length, gateway.clock.pending], [1, 0]);
});
