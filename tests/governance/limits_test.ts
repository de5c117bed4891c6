/** Limits, budgets and expiry of keys, through the whole gateway. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { toWarnings } from "../../src/config/warnings.ts";
import { LIMIT_KINDS } from "../../src/core/limit_kinds.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { ScriptedVendor, toEventStream } from "../support/scripted_vendor.ts";
import { until } from "../support/elapse.ts";

const KEY = "sk-limited";
const HEADERS = { authorization: `Bearer ${KEY}` };

/** The answer of a vendor that used this many tokens. */
function answer(prompt: number, completion: number): Response {
  return Response.json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{
      index: 0,
      message: { role: "assistant", content: "Hi" },
      finish_reason: "stop",
    }],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    },
  });
}

function start(
  key: Record<string, unknown>,
  vendor = new ScriptedVendor(() => answer(10, 20)),
  sections: Record<string, unknown> = {},
  model: Record<string, unknown> = {},
): { gateway: TestGateway; vendor: ScriptedVendor } {
  const gateway = createTestGateway({
    config: {
      server: {
        keys: [{ name: "limited", key: KEY, ...key }, { name: "other", key: "sk-other" }],
      },
      providers: {
        v: {
          kind: "openai_compatible",
          base_url: "http://vendor.test/v1",
          retries: 2,
          models: [{ id: "m", ...model }, { id: "second" }],
        },
      },
      aliases: { chain: ["m", "second"] },
      ...sections,
    },
    fetch: vendor.fetch,
  });
  return { gateway, vendor };
}

async function ask(
  gateway: TestGateway,
  members: Record<string, unknown> = {},
  headers: Record<string, string> = HEADERS,
) {
  const body = { model: "m", messages: MESSAGES, ...members };
  const response = await gateway.call(CHAT, body, headers);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

Deno.test("requests per minute: the limit passes, the next is a 429 that says when to retry", async () => {
  const { gateway, vendor } = start({ limits: { requests_per_minute: 3 } });
  for (const remaining of ["2", "1", "0"]) {
    const { status, headers } = await ask(gateway);
    assertEquals(status, 200);
    assertEquals(headers.get("x-ratelimit-limit-requests"), "3");
    assertEquals(headers.get("x-ratelimit-remaining-requests"), remaining);
    assertMatch(headers.get("x-ratelimit-reset-requests") ?? "", /^\d+ms$/);
  }
  const { status, headers, text } = await ask(gateway);
  assertEquals([status, headers.get("retry-after")], [429, "20"]);
  const { error } = JSON.parse(text);
  assertEquals([error.code, error.type], ["rate_limit_exceeded", "rate_limit_error"]);
  assertStringIncludes(error.message, "key 'limited'");
  assertEquals(vendor.sent.length, 3);
  assertEquals((await ask(gateway, {}, { authorization: "Bearer sk-other" })).status, 200);
  gateway.clock.advance(20_000);
  assertEquals((await ask(gateway)).status, 200);
});

/** Chats use no other units. */
const CHAT_KINDS = LIMIT_KINDS.filter(({ unit: { name } }) => /^(?:requests|tokens)$/.test(name));

for (const kind of CHAT_KINDS) {
  const { limitHeader, name, remainingHeader, resetHeader, unit, window, windowUs } = kind;
  Deno.test(`${name}: the limit passes, the next is a 429 with its headers and its window`, async () => {
    const vendor = new ScriptedVendor(() => answer(100, 200));
    // A request takes 300 tokens, and as long as it runs what is estimated.
    const { gateway } = start({ limits: { [name]: unit.name === "requests" ? 3 : 900 } }, vendor);
    const statuses: number[] = [];
    for (let index = 0; index < 3; index++) {
      statuses.push((await ask(gateway, { max_tokens: 200 })).status);
    }
    assertEquals(statuses, [200, 200, 200]);
    const { headers, status, text } = await ask(gateway, { max_tokens: 200 });
    assertEquals([status, headers.get(limitHeader)], [429, unit.name === "requests" ? "3" : "900"]);
    assertEquals(headers.get(remainingHeader), "0");
    // The units of a reservation are rounded up, and to microseconds when they are settled.
    assertEquals(Math.abs(parseInt(headers.get(resetHeader) ?? "") - windowUs / 1000) <= 1, true);
    const wait = Number(headers.get("retry-after"));
    assertEquals(wait > windowUs / 1e6 / 6 && wait <= windowUs / 1e6 / 3, true);
    assertMatch(text, new RegExp(`(3|900) ${unit.name} per ${window}`));
    gateway.clock.advance(wait * 1000);
    assertEquals((await ask(gateway, { max_tokens: 200 })).status, 200);
  });
}

Deno.test("limits of several windows hold together, each with its own headers", async () => {
  const { gateway } = start({ limits: { requests_per_minute: 2, requests_per_day: 3 } });
  const remaining = async () => {
    const { headers, status } = await ask(gateway);
    return [
      status,
      headers.get("x-ratelimit-remaining-requests"),
      headers.get("x-ratelimit-remaining-requests-day"),
    ];
  };
  assertEquals(await remaining(), [200, "1", "2"]);
  assertEquals(await remaining(), [200, "0", "1"]);
  assertEquals(await remaining(), [429, "0", null]);
  gateway.clock.advance(60_000);
  assertEquals(await remaining(), [200, "1", "0"]);
  // What the limit per minute gave is returned when that of the day refuses.
  assertEquals(await remaining(), [429, null, "0"]);
  assertEquals(await remaining(), [429, null, "0"]);
});

Deno.test("a limit of the gateway leads to no other target, opens no breaker and is logged once", async () => {
  const { gateway, vendor } = start({ limits: { requests_per_minute: 1 } });
  await ask(gateway, { model: "chain" });
  for (let index = 0; index < 6; index++) {
    assertEquals((await ask(gateway, { model: "chain" })).status, 429);
  }
  assertEquals(vendor.sent.length, 1);
  assertEquals(
    (await ask(gateway, { model: "chain" }, { authorization: "Bearer sk-other" })).status,
    200,
  );
  assertEquals(gateway.lines.at(-2)?.error, "limit_exceeded");
  assertEquals(gateway.lines.at(-2)?.attempts, undefined);
});

Deno.test("tokens per minute are settled with what the vendor counted", async () => {
  const vendor = new ScriptedVendor(() => answer(100, 300));
  const { gateway } = start({ limits: { tokens_per_minute: "1k" } }, vendor);
  const first = await ask(gateway);
  assertEquals(first.headers.get("x-ratelimit-limit-tokens"), "1000");
  await ask(gateway);
  // 800 tokens are used. The headers count the reservation of the request itself.
  const { headers, status } = await ask(gateway, { max_tokens: 150 });
  assertEquals(status, 200);
  assertEquals(Number(headers.get("x-ratelimit-remaining-tokens")) < 200, true);
  // 1200 are used: the bucket is in debt until 200 and the estimate have been refilled.
  assertEquals((await ask(gateway)).status, 429);
  gateway.clock.advance(60_000);
  assertEquals((await ask(gateway)).status, 200);
});

Deno.test("failures of the vendor return the tokens that were reserved", async () => {
  const vendor = new ScriptedVendor(() => new Response("{}", { status: 400 }));
  const { gateway } = start({ limits: { tokens_per_minute: 600 } }, vendor);
  for (let index = 0; index < 5; index++) assertEquals((await ask(gateway)).status, 400);
});

Deno.test("a prompt that exceeds the limit by itself is a 400, not a 429", async () => {
  const { gateway, vendor } = start({ limits: { tokens_per_minute: 100 } });
  const content = "word ".repeat(1000);
  const { status, text } = await ask(gateway, { messages: [{ role: "user", content }] });
  assertEquals([status, JSON.parse(text).error.code], [400, "too_many_tokens"]);
  assertEquals(vendor.sent.length, 0);
});

Deno.test("a stream without usage, which its caller leaves, counts as an estimate", async () => {
  const chunk = {
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { content: "x".repeat(4000) } }],
  };
  const last = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  const vendor = new ScriptedVendor(() => toEventStream([chunk, last, "[DONE]"]));
  const { gateway } = start({ limits: { tokens_per_minute: 1000 } }, vendor);
  assertEquals((await ask(gateway, { stream: true, max_tokens: 10 })).status, 200);
  // About 1,000 tokens of text were streamed, though only 10 were reserved.
  assertEquals((await ask(gateway, { max_tokens: 10 })).status, 429);
});

Deno.test("concurrent requests are limited, and a slot is free when its answer has ended", async () => {
  const held: (() => void)[] = [];
  const vendor = new ScriptedVendor(() =>
    new Promise((resolve) => held.push(() => resolve(answer(1, 1))))
  );
  const { gateway } = start({ limits: { concurrent: 2 } }, vendor);
  const open = [ask(gateway), ask(gateway)];
  await until(() => held.length >= 2);
  const { status, text } = await ask(gateway);
  assertEquals(status, 429);
  assertStringIncludes(text, "2 requests at the same time");
  for (const release of held.splice(0)) release();
  await Promise.all(open);
  const next = ask(gateway);
  await until(() => held.length >= 1);
  held[0]?.();
  assertEquals((await next).status, 200);
});

Deno.test("a budget that is used up says when it renews, and renews then", async () => {
  const vendor = new ScriptedVendor(() => answer(1_000_000, 0));
  const model = { prices: { input: 2, output: 8 } };
  const { gateway } = start({ budget: { usd: 3, per: "day" } }, vendor, {}, model);
  const first = await ask(gateway);
  assertEquals(first.headers.get("x-sluice-cost-usd"), "2");
  assertEquals((await ask(gateway)).status, 200);
  const { status, headers, text } = await ask(gateway);
  const { error } = JSON.parse(text);
  assertEquals([status, error.code, error.type], [429, "insufficient_quota", "insufficient_quota"]);
  assertEquals(headers.get("x-should-retry"), "false");
  assertStringIncludes(error.message, "it renews at 2023-11-15T00:00Z");
  gateway.clock.advance(86_400_000);
  assertEquals((await ask(gateway)).status, 200);
});

/** Costs 1 US dollar for an output of 100,000 tokens. */
const DOLLAR = { prices: { input: 1, output: 10 } };

/** The statuses of requests that are sent at the same time, and how many reached the vendor. */
async function race(
  { gateway, vendor }: ReturnType<typeof start>,
  count: number,
  members: Record<string, unknown> = {},
) {
  const all = await Promise.all(Array.from({ length: count }, () => ask(gateway, members)));
  const refused = all.filter(({ status }) => status !== 200);
  assertEquals([...new Set(refused.map(({ status }) => status))], refused.length > 0 ? [429] : []);
  return { answered: count - refused.length, sent: vendor.sent.length, refused };
}

for (const members of [{}, { max_tokens: 100_000 }, { max_tokens: 25_000, n: 4 }]) {
  Deno.test(`a budget admits requests at once as far as they can cost: ${JSON.stringify(members)}`, async () => {
    const dollar = () => new ScriptedVendor(() => answer(0, 100_000));
    const model = { ...DOLLAR, max_output_tokens: 100_000 };
    // The input is estimated at a few thousandths of a cent.
    const small = start({ budget: { usd: 1, per: "day" } }, dollar(), {}, model);
    const { answered, refused } = await race(small, 60, members);
    assertEquals(answered, 1);
    const { headers, text } = refused[0] ?? { headers: new Headers(), text: "" };
    assertEquals([headers.get("retry-after"), headers.get("x-should-retry")], ["1", null]);
    assertStringIncludes(text, "lower maximum of output tokens");
    assertStringIncludes(
      text,
      `of 1 USD per day is spent or reserved, and this request may cost 1`,
    );
    assertStringIncludes(
      (await ask(small.gateway)).text,
      "is used up: 1 of 1 USD per day is spent",
    );
    const large = start({ budget: { usd: 20.5, per: "day" } }, dollar(), {}, model);
    assertEquals((await race(large, 60, members)).answered, 20);
    // Half a dollar is left: one more request may use it.
    assertEquals((await race(large, 60, members)).answered, 1);
  });
}

Deno.test("a request with a small maximum fits where one without it does not", async () => {
  const vendor = new ScriptedVendor(() => answer(0, 1000));
  const budget = { usd: 2, per: "day" };
  const { gateway } = start({ budget }, vendor, {}, { ...DOLLAR, max_output_tokens: 100_000 });
  assertEquals((await race({ gateway, vendor }, 30, { max_tokens: 1000 })).answered, 30);
});

Deno.test("a request reserves the most that any target of its chain may cost", async () => {
  const answering = () =>
    new ScriptedVendor((sent) =>
      sent.body.model === "m" ? new Response("{}", { status: 500 }) : answer(0, 100_000)
    );
  const providers = {
    v: {
      kind: "openai_compatible",
      base_url: "http://vendor.test/v1",
      retries: 0,
      models: [
        { id: "m", prices: { input: 0.01, output: 0.01 } },
        { id: "second", ...DOLLAR, max_output_tokens: 100_000 },
      ],
    },
  };
  const budget = { usd: 1, per: "day" };
  const expensive = start({ budget }, answering(), { providers });
  assertEquals((await race(expensive, 60, { model: "chain" })).answered, 1);
  const { v } = providers;
  const models = ["m", ...v.models.slice(1)];
  const unknown = start({ budget }, answering(), { providers: { v: { ...v, models } } });
  assertEquals((await race(unknown, 60, { model: "chain" })).answered, 1);
});

Deno.test("the output that a model usually writes is reserved of a limit of tokens", async () => {
  const vendor = new ScriptedVendor(() => answer(1, 20));
  const { gateway } = start({ limits: { tokens_per_minute: 1000 } }, vendor);
  assertEquals((await race({ gateway, vendor }, 3)).answered, 1, "500 tokens are expected");
  assertEquals((await race({ gateway, vendor }, 20)).answered, 20);
  assertEquals((await race({ gateway, vendor }, 20, { n: 8 })).answered < 5, true);
});

Deno.test("a budget excludes models without a price, unless it allows them", async () => {
  const vendor = new ScriptedVendor(() => answer(10, 20));
  const budget = { usd: 1, per: "day" };
  const providers = {
    v: {
      kind: "openai_compatible",
      base_url: "http://vendor.test/v1",
      models: ["m", { id: "second", ...DOLLAR }],
    },
    mock: { kind: "mock", models: ["mock-echo"] },
  };
  const { gateway } = start({ budget }, vendor, { providers });
  const { status, headers, text } = await ask(gateway);
  const { error } = JSON.parse(text);
  assertEquals([status, error.code, error.type], [403, "price_unknown", "permission_error"]);
  assertEquals(headers.get("x-should-retry"), "false");
  assertStringIncludes(error.message, "The price of the model 'm' is unknown");
  assertEquals(vendor.sent.length, 0);
  // Another target has a price, a count costs nothing, and simulated models neither.
  assertEquals((await ask(gateway, { model: "chain" })).status, 200);
  assertEquals(vendor.sent.map(({ body }) => body.model), ["second"]);
  assertEquals((await ask(gateway, { model: "mock-echo" })).status, 200);
  const count = await gateway.call(
    "/v1/messages/count_tokens",
    { model: "m", messages: MESSAGES },
    HEADERS,
  );
  await count.text();
  assertEquals(count.status, 200);
  assertEquals((await ask(gateway, {}, { authorization: "Bearer sk-other" })).status, 200);
  assertEquals(toWarnings(gateway.config), [
    "The service key 'limited' cannot use 'm': it has a budget, and the prices are unknown; set " +
    "'prices' for the models, or 'unknown_prices: allow' in the budget",
  ]);
  const allowing = start({ budget: { ...budget, unknown_prices: "allow" } }, vendor, { providers });
  const free = await ask(allowing.gateway);
  assertEquals([free.status, free.headers.get("x-sluice-cost-usd")], [200, null]);
  assertEquals(toWarnings(allowing.gateway.config), []);
});

Deno.test("an expired key is a 401 with the date of expiry", async () => {
  const { gateway, vendor } = start({ expires: "2023-11-15" });
  assertEquals((await ask(gateway)).status, 200);
  gateway.clock.advance(86_400_000);
  const { status, text } = await ask(gateway);
  assertEquals(status, 401);
  assertStringIncludes(text, "expired on 2023-11-15");
  assertEquals(vendor.sent.length, 1);
});

Deno.test("limits of the section hold for keys without their own, and for models of all keys", async () => {
  const { gateway } = start({ limits: { requests_per_minute: 5 } }, undefined, {
    limits: { requests_per_minute: 1, models: { second: { requests_per_minute: 2 } } },
  });
  const other = { authorization: "Bearer sk-other" };
  assertEquals((await ask(gateway, {}, other)).status, 200);
  assertEquals((await ask(gateway, {}, other)).status, 429);
  assertEquals((await ask(gateway)).status, 200);
  assertEquals((await ask(gateway, { model: "second" })).status, 200);
  assertEquals((await ask(gateway, { model: "second" })).status, 200);
  const { status, text } = await ask(gateway, { model: "second" });
  assertEquals(status, 429);
  assertStringIncludes(text, "model 'second'");
  assertEquals((await ask(gateway)).status, 200);
});

/** A vendor whose model `m` fails, and what it is asked for. */
function failingFirst(second = () => answer(100, 300)) {
  return new ScriptedVendor(({ body }) =>
    body.model === "m" ? new Response("{}", { status: 500 }) : second()
  );
}

/** The limits of models. */
function modelLimits(models: Record<string, unknown>) {
  return { limits: { models } };
}

const FAST = {
  providers: {
    v: {
      kind: "openai_compatible",
      base_url: "http://vendor.test/v1",
      retries: 0,
      models: ["m", "second", "third"],
    },
  },
  aliases: { chain: ["m", "second"], longer: ["m", "second", "third"] },
};

Deno.test("a fallback counts for the limits of its own model, and is a 429 when they are reached", async () => {
  const sections = { ...FAST, ...modelLimits({ second: { requests_per_minute: 2 } }) };
  const { gateway, vendor } = start({}, failingFirst(), sections);
  for (let index = 0; index < 2; index++) {
    assertEquals((await ask(gateway, { model: "chain" })).status, 200);
  }
  const { status, headers, text } = await ask(gateway, { model: "chain" });
  assertEquals([status, headers.get("retry-after")], [429, "30"]);
  assertStringIncludes(text, "Rate limit reached for model 'second': 2 requests per minute");
  assertEquals(vendor.sent.filter(({ body }) => body.model === "second").length, 2);
  // The next target answers instead, as after a vendor's own limit.
  assertEquals((await ask(gateway, { model: "longer" })).status, 200);
  assertEquals(vendor.sent.at(-1)?.body.model, "third");
});

Deno.test("the limits of a model are settled by the target that has answered", async () => {
  const models = { m: { tokens_per_minute: 900 }, second: { tokens_per_minute: 900 } };
  const { gateway } = start({}, failingFirst(), { ...FAST, ...modelLimits(models) });
  // 400 of 900 tokens of the second model are used; the first one has used none.
  for (const expected of [200, 200, 200, 429]) {
    assertEquals((await ask(gateway, { model: "chain", max_tokens: 50 })).status, expected);
  }
});

Deno.test("a model whose limit is reached is skipped as if its vendor had refused", async () => {
  const vendor = new ScriptedVendor(() => answer(1, 1));
  const when = [{ model: "m" }, { model: "second", when: ["timeout"] }];
  const { gateway } = start({ limits: { requests_per_minute: 4 } }, vendor, {
    ...FAST,
    aliases: { chain: ["m", "second"], careful: when },
    ...modelLimits({ m: { requests_per_minute: 1 } }),
  });
  for (let index = 0; index < 2; index++) {
    assertEquals((await ask(gateway, { model: "chain" })).status, 200);
  }
  assertEquals(vendor.sent.map(({ body }) => body.model), ["m", "second"]);
  // No other target is to follow a limit: nothing is sent, and nothing counts for the key.
  const { status } = await ask(gateway, { model: "careful" });
  assertEquals([status, vendor.sent.length], [429, 2]);
  const next = await ask(gateway, { model: "second" });
  assertEquals(next.headers.get("x-ratelimit-remaining-requests"), "1");
});

Deno.test("a prompt that is too long for a model's limit goes to the next target", async () => {
  const { gateway, vendor } = start({}, undefined, {
    ...FAST,
    ...modelLimits({ m: { tokens_per_minute: 100 } }),
  });
  const messages = [{ role: "user", content: "word ".repeat(1000) }];
  assertEquals((await ask(gateway, { model: "chain", messages })).status, 200);
  assertEquals(vendor.sent.map(({ body }) => body.model), ["second"]);
  const { status, text } = await ask(gateway, { messages });
  assertEquals([status, JSON.parse(text).error.code], [400, "too_many_tokens"]);
});

Deno.test("slots of a model are held during its attempt, and free once another target is tried", async () => {
  const held: (() => void)[] = [];
  const vendor = failingFirst(() =>
    new Promise((resolve) => held.push(() => resolve(answer(1, 1)))) as never
  );
  const models = { m: { concurrent: 1 }, second: { concurrent: 1 } };
  const { gateway } = start({}, vendor, { ...FAST, ...modelLimits(models) });
  const open = ask(gateway, { model: "chain" });
  await until(() => held.length >= 1);
  const { status, text } = await ask(gateway, { model: "chain" });
  assertEquals([status, vendor.sent.length], [429, 3], "the first model has a free place");
  assertStringIncludes(text, "model 'second'");
  held[0]?.();
  assertEquals((await open).status, 200);
  const next = ask(gateway, { model: "chain" });
  await until(() => held.length >= 2);
  held[1]?.();
  assertEquals((await next).status, 200);
});

Deno.test("without limits, the vendor's rate-limit headers pass", async () => {
  const vendor = new ScriptedVendor(() => {
    const response = answer(1, 1);
    response.headers.set("x-ratelimit-remaining-requests", "77");
    response.headers.set("x-ratelimit-remaining-tokens", "88");
    return response;
  });
  const { gateway } = start({ limits: { requests_per_minute: 5 } }, vendor);
  const own = await ask(gateway);
  assertEquals(own.headers.get("x-ratelimit-remaining-requests"), "4");
  // A vendor's limit is not the key's.
  assertEquals(own.headers.get("x-ratelimit-remaining-tokens"), null);
  const other = await ask(gateway, {}, { authorization: "Bearer sk-other" });
  assertEquals(other.headers.get("x-ratelimit-remaining-requests"), "77");
  assertEquals(other.headers.get("x-ratelimit-remaining-tokens"), "88");
});

Deno.test("new rules apply at once to a key that has been used", () => {
  const limiter = new Limiter(new LocalCounters(), new ManualClock());
  const input = {
    key: { name: "a", models: undefined },
    targets: [],
    estimate: () => ({ input: 1, maxOutput: undefined }),
  };
  const admit = (limit: number | undefined) => {
    const limits = {
      requests_per_minute: limit,
      tokens_per_minute: undefined,
      concurrent: undefined,
    };
    const admission = limiter.admit(input, { defaults: limits, models: new Map() });
    return admission === undefined || admission instanceof Promise
      ? undefined
      : admission.headers()["x-ratelimit-limit-requests"];
  };
  assertEquals([admit(5), admit(9), admit(undefined)], ["5", "9", undefined]);
});
