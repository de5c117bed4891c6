/** Breakers: targets that keep failing are passed over, as callers see it. */

import { assertEquals } from "@std/assert";
import { until } from "../support/elapse.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { type Answer, CHAT, fail, inTurn, MESSAGES, type Stage, stage } from "../support/stage.ts";

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

async function stateOf({ gateway }: Stage): Promise<string> {
  const { data } = await (await gateway.call("/v1/providers")).json();
  return data[0].breakers[0].state;
}

/** A first provider whose breaker is half open, and that then answers like this. */
async function halfOpen(answer: Answer, members: Record<string, unknown> = {}): Promise<Stage> {
  const failures = Array.from({ length: 5 }, () => fail(500));
  const halved = stage({ a: inTurn(...failures, answer) }, { retries: 0, ...members });
  for (let time = 0; time < 5; time++) await halved.ask();
  halved.gateway.clock.advance(30_000);
  halved.visits.length = 0;
  return halved;
}

Deno.test("a target's own timeouts open its breaker", async () => {
  const staged = stage({ a: fail(504) }, { retries: 4 });
  await staged.ask();
  assertEquals(await stateOf(staged), "open");
});

Deno.test("a failure that is the caller's own shows that a half-open target is well", async () => {
  const staged = await halfOpen(fail(400));
  await staged.ask();
  assertEquals(await stateOf(staged), "closed");
});

Deno.test("a failure that says nothing of a half-open target leaves it to the next request", async () => {
  const staged = await halfOpen(fail(402));
  await staged.ask({ model: "all" });
  assertEquals(await stateOf(staged), "half_open");
  await staged.ask({ model: "all" });
  assertEquals(staged.visits.map(([, host]) => host), ["a", "b", "a", "b"]);
});

Deno.test("a request that a half-open target cannot take leaves it to the next one", async () => {
  const models = [{ id: "a", capabilities: { vision: false } }, "b", "c"];
  const staged = await halfOpen(sayHello, { models });
  const image = { type: "image_url", image_url: { url: "https://a.test/b.png" } };
  const told = await staged.ask({ messages: [{ role: "user", content: [image] }] });
  assertEquals([told.status, told.error.code], [400, "unsupported_content"]);
  assertEquals([await stateOf(staged), staged.visits.length], ["half_open", 0]);
  await staged.ask({ model: "all" });
  assertEquals(staged.bodies.at(-1)?.model, "a", "it is not passed over");
});
