/** The state of a key's budget in the headers from which Claude Code shows an account's usage. */

import { assertEquals } from "@std/assert";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { sayHello, ScriptedVendor } from "../../support/scripted_vendor.ts";

const BODY = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
/** 34 tokens of the scripted answer cost 0.34 dollars. */
const PRICES = { input: 10_000, output: 10_000 };
const PREFIX = "anthropic-ratelimit-unified-";

/** Calls a gateway whose key has a budget, over a vendor that sends these headers. */
function start(
  budget: { usd: number; per: string } | undefined,
  { own = {}, kind = "anthropic" }: { own?: Record<string, string>; kind?: string } = {},
) {
  const vendor = new ScriptedVendor((sent) => {
    const answer = sayHello(sent);
    for (const [name, value] of Object.entries(own)) answer.headers.set(name, value);
    return answer;
  });
  const keys = [{ name: "k", key: "sk-k", ...(budget && { budget }) }];
  const models = [{ id: "m", prices: PRICES }];
  const gateway = createTestGateway({
    config: { server: { keys }, providers: { p: { kind, api_key: VENDOR_KEY, models } } },
    fetch: vendor.fetch,
  });
  const call = async (path = "/v1/messages", members = {}) => {
    const headers = { authorization: "Bearer sk-k" };
    const response = await gateway.call(path, { ...BODY, ...members }, headers);
    await response.text();
    const account = [...response.headers].filter(([name]) => name.startsWith(PREFIX))
      .map(([name, value]) => [name.slice(PREFIX.length), value]);
    return { status: response.status, account: Object.fromEntries(account) };
  };
  return { call, gateway };
}

const seconds = (time: string) => String(Date.parse(time) / 1000);
// The clock of the tests stands at 2023-11-14T22:13:20Z, a Tuesday.
const RENEWALS = [
  { per: "hour", window: "5h", claim: "five_hour", reset: seconds("2023-11-14T23:00Z") },
  { per: "day", window: "5h", claim: "five_hour", reset: seconds("2023-11-15T00:00Z") },
  { per: "week", window: "7d", claim: "seven_day", reset: seconds("2023-11-20T00:00Z") },
  { per: "month", window: "7d", claim: "seven_day", reset: seconds("2023-12-01T00:00Z") },
];

for (const { per, window, claim, reset } of RENEWALS) {
  for (const stream of [false, true]) {
    Deno.test(`a budget per ${per} is shown as ${window}, streamed: ${stream}`, async () => {
      const { call } = start({ usd: 1, per });
      const first = await call("/v1/messages", { stream });
      const second = await call("/v1/messages", { stream });
      const expected = {
        status: "allowed",
        reset,
        "representative-claim": claim,
        [`${window}-status`]: "allowed",
        [`${window}-reset`]: reset,
        "overage-status": "allowed",
        "overage-reset": reset,
      };
      // The reservation of the request itself is not spent. This stream ends before its headers.
      const [before, after] = stream ? ["0.34", "0.68"] : ["0", "0.34"];
      const used = (share?: string) => ({
        ...expected,
        [`${window}-utilization`]: share,
        "overage-utilization": share,
      });
      assertEquals(first.account, used(before));
      assertEquals(second.account, used(after));
    });
  }
}

Deno.test("near its end and after it, a budget warns and is rejected", async () => {
  const { call } = start({ usd: 0.375, per: "day" });
  await call();
  const warned = await call();
  assertEquals([warned.status, warned.account["5h-utilization"]], [200, "0.9066"]);
  assertEquals(
    [warned.account.status, warned.account["5h-status"]],
    ["allowed_warning", "allowed_warning"],
  );
  assertEquals(warned.account["5h-surpassed-threshold"], "0.9");
  const refused = await call();
  assertEquals([refused.status, refused.account["5h-utilization"]], [429, "1"]);
  assertEquals([refused.account.status, refused.account["5h-status"]], ["rejected", "rejected"]);
  const reset = seconds("2023-11-15T00:00Z");
  assertEquals([refused.account.reset, refused.account["5h-reset"]], [reset, reset]);
  const { "overage-status": open, "overage-period": period } = refused.account;
  assertEquals([open, period, refused.account["overage-utilization"]], [undefined, "daily", "1"]);
  assertEquals(refused.account["overage-disabled-reason"], "org_spend_cap_reached");
});

Deno.test("a budget that has renewed starts at 0 again", async () => {
  const { call, gateway } = start({ usd: 1, per: "day" });
  await call();
  gateway.clock.advance(7_200_000);
  assertEquals((await call()).account["5h-utilization"], "0");
});

Deno.test("a budget that never renews has no time of renewal", async () => {
  const { call } = start({ usd: 1, per: "total" });
  await call();
  assertEquals((await call()).account, {
    status: "allowed",
    "representative-claim": "seven_day",
    "7d-status": "allowed",
    "7d-utilization": "0.34",
    "overage-status": "allowed",
    "overage-utilization": "0.34",
  });
});

Deno.test("the budget replaces the vendor's account; without a budget that passes", async () => {
  const own = { [`${PREFIX}status`]: "allowed", [`${PREFIX}5h-utilization`]: "0.77" };
  const mine = await start({ usd: 1, per: "month" }, { own }).call();
  assertEquals(mine.account["5h-utilization"], undefined);
  assertEquals(mine.account["7d-utilization"], "0");
  const passed = await start(undefined, { own }).call();
  assertEquals(passed.account, { status: "allowed", "5h-utilization": "0.77" });
});

Deno.test("converted answers have it too, chat completions do not", async () => {
  const { call } = start({ usd: 1, per: "month" }, { kind: "groq" });
  assertEquals((await call("/v1/chat/completions")).account, {});
  assertEquals((await call()).account["7d-utilization"], "0.34");
});

Deno.test("what other requests have reserved is not spent", async () => {
  const release = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  let calls = 0;
  const vendor = new ScriptedVendor(async (sent) => {
    if (++calls === 1) {
      started.resolve();
      await release.promise;
    }
    return sayHello(sent);
  });
  const keys = [{ name: "k", key: "sk-k", budget: { usd: 100, per: "day" } }];
  const models = [{ id: "m", prices: PRICES }];
  const gateway = createTestGateway({
    config: {
      server: { keys },
      providers: { p: { kind: "anthropic", api_key: VENDOR_KEY, models } },
    },
    fetch: vendor.fetch,
  });
  const headers = { authorization: "Bearer sk-k" };
  const open = gateway.call("/v1/messages", BODY, headers);
  await started.promise;
  const response = await gateway.call("/v1/messages", BODY, headers);
  await response.text();
  assertEquals(response.headers.get(`${PREFIX}5h-utilization`), "0");
  release.resolve();
  await (await open).text();
});

Deno.test("every format shows the budget, what is spent of it, and when it renews", async () => {
  const { gateway } = start({ usd: 1, per: "day" }, { kind: "openai" });
  const { gateway: unlimited } = start(undefined, { kind: "openai" });
  const budgetOf = async (path: string, members: Record<string, unknown>, from = gateway) => {
    const headers = { authorization: "Bearer sk-k" };
    const body = Object.keys(members).length === 0 ? undefined : members;
    const response = await from.call(path, body, headers);
    await response.text();
    return ["usd", "spent-usd", "renews-at"].map((name) =>
      response.headers.get(`x-sluice-budget-${name}`)
    );
  };
  const chat = { model: "m", max_tokens: 9, messages: BODY.messages };
  const renewal = "2023-11-15T00:00:00.000Z";
  assertEquals(await budgetOf("/v1/chat/completions", chat), ["1", "0", renewal]);
  assertEquals(
    await budgetOf("/v1/chat/completions", { ...chat, temperature: 0 }),
    ["1", "0.34", renewal],
  );
  assertEquals(await budgetOf("/v1/models", {}), ["1", "0.68", renewal]);
  assertEquals(await budgetOf("/v1/chat/completions", chat, unlimited), [null, null, null]);
});
