/** Breakers: targets that keep failing are passed over, as callers see it. */

import { assertEquals } from "@std/assert";
import { ImageRefusal } from "../../src/upstream/images/download.ts";
import { until } from "../support/elapse.ts";
import { sayHello, type Sent } from "../support/scripted_vendor.ts";
import {
  type Answer,
  CHAT,
  fail,
  hang,
  inTurn,
  MESSAGES,
  type Stage,
  stage,
} from "../support/stage.ts";

Deno.test("a target that fails five times in a row is skipped, and tried again after 30 s", async () => {
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

Deno.test("a half-open target gets one request at a time", async () => {
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

Deno.test("an open target is skipped as unavailable", async () => {
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

Deno.test("when the breaker of a target opens, its retries end if another target is left", async () => {
  const { ask, visits } = stage({ a: fail(503) }, { retries: 10 });
  const response = await ask({ model: "all" });
  assertEquals([response.status, response.headers.get("x-sluice-provider")], [200, "b"]);
  assertEquals(visits.map(([, host]) => host), ["a", "a", "a", "a", "a", "b"]);
  visits.length = 0;
  await ask();
  assertEquals(visits.length, 11, "if no other target is left, the retries continue");
});

for (const status of [500, 504]) {
  Deno.test(`one request counts once, however often it is a ${status}, since the prompt may be the cause`, async () => {
    const { ask, gateway } = stage({ a: fail(status) }, { retries: 2 });
    for (let count = 1; count < 5; count++) {
      await ask();
      const { data } = await (await gateway.call("/v1/providers")).json();
      assertEquals(data[0].breakers[0], { model: "a", state: "closed", failures: count });
    }
    await ask();
    const { data } = await (await gateway.call("/v1/providers")).json();
    assertEquals(data[0].breakers[0].state, "open");
  });

  Deno.test(`prompts of one caller that are a ${status} do not affect another caller that succeeds`, async () => {
    const poison = (sent: Sent) =>
      JSON.stringify(sent.body).includes("poison") ? fail(status)(sent, null) : sayHello(sent);
    const { gateway, visits } = stage({ a: poison }, { retries: 0 }, undefined, ["other"]);
    const ask = async (content: string, headers: Record<string, string> = {}) => {
      const messages = [{ role: "user", content }];
      const answer = await gateway.call(CHAT, { model: "all", messages }, headers);
      await answer.body?.cancel();
      return answer.headers.get("x-sluice-provider");
    };
    assertEquals(await ask("Hi", { authorization: "Bearer other" }), "a");
    for (let count = 0; count < 20; count++) await ask(`poison ${count}`);
    assertEquals(visits.filter(([, host]) => host === "a").length, 21, "nor themselves");
    assertEquals(await ask("Hi", { authorization: "Bearer other" }), "a");
  });
}

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
async function halfOpen(
  answer: Answer,
  members: Record<string, unknown> = {},
): Promise<Stage> {
  const failures = Array.from({ length: 5 }, () => fail(500));
  const halved = stage({ a: inTurn(...failures, answer) }, { retries: 0, ...members });
  for (let time = 0; time < 5; time++) await halved.ask();
  halved.gateway.clock.advance(30_000);
  halved.visits.length = 0;
  return halved;
}

Deno.test("a caller's deadline opens no breaker", async () => {
  const staged = stage({ a: hang }, { retries: 0 });
  for (let count = 0; count < 9; count++) {
    const response = await staged.ask({}, { "x-sluice-deadline-ms": "5" });
    assertEquals([response.status, response.error.code], [504, "upstream_timeout"]);
  }
  const { data } = await (await staged.gateway.call("/v1/providers")).json();
  assertEquals(data[0].breakers[0].failures, 0);
});

Deno.test("an image that cannot be fetched opens no breaker, and reaches no vendor", async () => {
  const { gateway, visits } = stage({}, { kind: "moonshot", retries: 0 }, undefined, [], {
    download: () => Promise.reject(new ImageRefusal("there is no such host")),
  });
  const url = "https://images.test/none.png";
  const messages = [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
  for (let count = 0; count < 9; count++) {
    const answer = await gateway.call(CHAT, { model: "a", messages });
    assertEquals([answer.status, (await answer.json()).error.code], [400, "unsupported_content"]);
  }
  const { data } = await (await gateway.call("/v1/providers")).json();
  assertEquals([data[0].breakers[0].failures, visits.length], [0, 0]);
});

Deno.test("a refused request does not count as a success of a failing target", async () => {
  const staged = await halfOpen(fail(400));
  await staged.ask();
  assertEquals(await stateOf(staged), "half_open");
  const failing = stage({ a: inTurn(...FOUR, fail(400), fail(500)) }, { retries: 0 });
  for (let count = 0; count < 6; count++) await failing.ask();
  assertEquals(await stateOf(failing), "open");
});

const FOUR = Array.from({ length: 4 }, () => fail(500));

Deno.test("after a failure that is not about a half-open target, the next request tests it", async () => {
  const staged = await halfOpen(fail(402));
  await staged.ask({ model: "all" });
  assertEquals(await stateOf(staged), "half_open");
  await staged.ask({ model: "all" });
  assertEquals(staged.visits.map(([, host]) => host), ["a", "b", "a", "b"]);
});

Deno.test("after a request that a half-open target does not support, the next request tests it", async () => {
  const models = [{ id: "a", capabilities: { vision: false } }, "b", "c"];
  const staged = await halfOpen(sayHello, { models });
  const image = { type: "image_url", image_url: { url: "https://a.test/b.png" } };
  const response = await staged.ask({ messages: [{ role: "user", content: [image] }] });
  assertEquals([response.status, response.error.code], [400, "unsupported_content"]);
  assertEquals([await stateOf(staged), staged.visits.length], ["half_open", 0]);
  await staged.ask({ model: "all" });
  assertEquals(staged.bodies.at(-1)?.model, "a", "it is not passed over");
});
