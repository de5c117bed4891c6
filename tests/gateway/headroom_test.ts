/** What is left of vendors' rate limits: their headers, and the order of equal targets. */

import { assertEquals } from "@std/assert";
import { readQuotaHeader } from "../../src/providers/shared/quota_headers.ts";
import { Quota } from "../../src/gateway/quota.ts";
import { State } from "../../src/gateway/state.ts";
import { createTestGateway, loadTestConfig } from "../support/gateway.ts";
import { sayHello, ScriptedVendor } from "../support/scripted_vendor.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";

const NOW = Date.UTC(2026, 10, 24);

for (
  const [name, value, expected] of [
    ["x-ratelimit-remaining-requests", "59", ["requests", "remaining", 59]],
    ["x-ratelimit-limit-tokens", "150000", ["tokens", "limit", 150_000]],
    ["x-ratelimit-reset-tokens", "6m0s", ["tokens", "reset", NOW + 360_000]],
    ["x-ratelimit-reset-requests", "12ms", ["requests", "reset", NOW + 12]],
    ["x-ratelimit-reset-requests", "1h0m2.5s", ["requests", "reset", NOW + 3_602_500]],
    ["x-ratelimit-reset-requests", "1d", ["requests", "reset", NOW + 86_400_000]],
    ["x-ratelimit-reset-tokens", "7.66", ["tokens", "reset", NOW + 7660]],
    ["x-ratelimit-remaining-tokens-minute", "9", ["tokens-minute", "remaining", 9]],
    ["x-ratelimit-remaining", "3", ["requests", "remaining", 3]],
    ["x-ratelimit-reset", String(NOW + 5000), ["requests", "reset", NOW + 5000]],
    ["x-ratelimit-reset", String(NOW / 1000 + 5), ["requests", "reset", NOW + 5000]],
    ["anthropic-ratelimit-input-tokens-remaining", "80", ["input-tokens", "remaining", 80]],
    [
      "anthropic-ratelimit-requests-reset",
      "2026-11-24T00:01:00Z",
      ["requests", "reset", NOW + 60_000],
    ],
    ["anthropic-ratelimit-output-tokens-remaining", "0", undefined],
    ["x-ratelimit-remaining-tokens", "-1", undefined],
    ["x-ratelimit-remaining-tokens", "1e9", undefined],
    ["x-ratelimit-remaining-tokens", "", undefined],
    ["x-ratelimit-reset-tokens", "soon", undefined],
    ["x-ratelimit-reset-tokens", "", undefined],
    ["x-ratelimit-reset-tokens", "2026-99-99T99:99:99Z", undefined],
    ["x-ratelimit-remaining-constructor", "0", undefined],
    ["x-my-ratelimit-remaining-tokens", "0", undefined],
    [`x-ratelimit-remaining-${"tokens-".repeat(20)}`, "0", undefined],
    ["content-type", "text/plain", undefined],
  ] as const
) {
  Deno.test(`the header ${name.slice(0, 60)}: ${value || "(empty)"}`, () => {
    const header = readQuotaHeader(name, value, NOW);
    assertEquals(header && [header.of, header.meaning, header.amount], expected);
  });
}

function quotaWith(headers: Record<string, string>, at = 0) {
  const quota = new Quota();
  // The wall clock differs from the other one.
  quota.sent(10);
  quota.answered(10, Object.entries(headers), at, NOW + at);
  return quota;
}

Deno.test("without headers there is room", () => {
  const quota = quotaWith({});
  quota.sent(1e9);
  assertEquals(quota.hasRoom(1e9, 0), true);
});

Deno.test("requests on their way count, until their response has begun", () => {
  const quota = quotaWith({
    "x-ratelimit-remaining-tokens": "1000",
    "x-ratelimit-remaining-requests": "2",
  });
  assertEquals([quota.hasRoom(1000, 0), quota.hasRoom(1001, 0)], [true, false]);
  quota.sent(600);
  assertEquals([quota.hasRoom(400, 0), quota.hasRoom(401, 0)], [true, false]);
  quota.sent(1);
  assertEquals(quota.hasRoom(1, 0), false, "no request is left");
  quota.answered(600, undefined, 0, NOW);
  quota.answered(1, undefined, 0, NOW);
  assertEquals(quota.hasRoom(1000, 0), true);
});

Deno.test("limits that the next answer does not name are still known", () => {
  const quota = quotaWith({ "x-ratelimit-remaining-tokens": "1000" });
  quota.sent(1);
  quota.answered(1, [["x-ratelimit-remaining-requests", "9"]], 0, NOW);
  assertEquals([quota.hasRoom(1000, 0), quota.hasRoom(1001, 0)], [true, false]);
});

Deno.test("what is left is renewed until the reset, and then nothing is known", () => {
  const quota = quotaWith({
    "x-ratelimit-limit-tokens": "1000",
    "x-ratelimit-remaining-tokens": "0",
    "x-ratelimit-reset-tokens": "10s",
  });
  assertEquals([quota.hasRoom(500, 4999), quota.hasRoom(500, 5000)], [false, true]);
  assertEquals([quota.hasRoom(2000, 9999), quota.hasRoom(2000, 10_000)], [false, true]);
  const unlimited = quotaWith({ "x-ratelimit-remaining-tokens": "0" });
  assertEquals([unlimited.hasRoom(1, 59_999), unlimited.hasRoom(1, 60_000)], [false, true]);
  const long = quotaWith({
    "x-ratelimit-remaining-tokens": "0",
    "x-ratelimit-reset-tokens": "9999d",
  });
  assertEquals([long.hasRoom(1, 86_399_999), long.hasRoom(1, 86_400_000)], [false, true]);
});

Deno.test("a date is relative to the wall clock", () => {
  const quota = quotaWith({
    "anthropic-ratelimit-requests-remaining": "0",
    "anthropic-ratelimit-requests-reset": "2026-11-24T00:01:00Z",
  }, 20_000);
  assertEquals([quota.hasRoom(1, 59_999), quota.hasRoom(1, 60_000)], [false, true]);
});

Deno.test("a target without headroom follows its equals, and is tried again after the reset", async () => {
  const hosts: string[] = [];
  const vendor = new ScriptedVendor((sent) => {
    const host = new URL(sent.url).hostname;
    hosts.push(host);
    const answer = sayHello(sent);
    if (host !== "a") return answer;
    const headers = new Headers(answer.headers);
    headers.set("x-ratelimit-remaining-requests", "0");
    headers.set("x-ratelimit-reset-requests", "30s");
    return new Response(answer.body, { status: answer.status, headers });
  });
  const provider = (id: string) => ({
    kind: "openai_compatible",
    base_url: `http://${id}/v1`,
    api_key: "k",
    models: [id],
  });
  const gateway = createTestGateway({
    config: {
      providers: { a: provider("a"), b: provider("b"), c: provider("c") },
      aliases: { equal: { targets: [["a", "b"], "c"] }, chain: ["a", "b"], alone: "a" },
    },
    fetch: vendor.fetch,
  });
  const ask = async (model: string) => {
    const body = { model, messages: MESSAGES };
    const explained = await gateway.call(CHAT, body, { "x-sluice-explain": "true" });
    const { targets, route } = await explained.json();
    const told = await gateway.call(CHAT, body);
    await told.body?.cancel();
    assertEquals(hosts.at(-1), targets[0].provider, "explain is what is sent");
    assertEquals(told.headers.get("x-sluice-route"), route ?? null);
    return [hosts.at(-1), route];
  };
  assertEquals(await ask("equal"), ["a", undefined]);
  assertEquals(await ask("equal"), ["b", "headroom=1"]);
  assertEquals(await ask("chain"), ["a", undefined], "a chain keeps its order");
  assertEquals(await ask("alone"), ["a", undefined]);
  gateway.clock.advance(30_000);
  assertEquals(await ask("equal"), ["a", undefined]);
});

/** Which of two targets is called after the first one has said that no request is left. */
async function isShared(
  one: Record<string, unknown>,
  other: Record<string, unknown>,
  models: readonly [string, string],
): Promise<boolean> {
  const vendor = new ScriptedVendor((sent) => {
    const answer = sayHello(sent);
    const headers = new Headers(answer.headers);
    for (const prefix of ["x", "anthropic"]) {
      headers.set(
        prefix === "x"
          ? "x-ratelimit-remaining-requests"
          : "anthropic-ratelimit-requests-remaining",
        "0",
      );
    }
    return new Response(answer.body, { status: answer.status, headers });
  });
  const gateway = createTestGateway({
    config: {
      providers: {
        one: { ...one, models: [models[0]] },
        other: { ...other, models: [models[1]] },
        // It has separate limits.
        free: {
          kind: "openai_compatible",
          base_url: "http://free/v1",
          models: [{ id: "free", upstream: "m" }],
        },
      },
      aliases: { equal: { targets: [[`${models[1]}@other`, "free"]] } },
    },
    fetch: vendor.fetch,
  });
  const first = await gateway.call(CHAT, { model: `${models[0]}@one`, messages: MESSAGES });
  assertEquals(first.status, 200, await first.text());
  const explained = await gateway.call(CHAT, { model: "equal", messages: MESSAGES }, {
    "x-sluice-explain": "true",
  });
  const { targets, route } = await explained.json();
  const isLast = targets[0].provider === "free";
  assertEquals(route, isLast ? "headroom=1" : undefined);
  return isLast;
}

const CLAUDE = { kind: "anthropic", api_key: "k", base_url: "http://a/v1" };
const GPT = { kind: "openai", api_key: "k", base_url: "http://a/v1" };
const AZURE = { kind: "azure", api_key: "k", base_url: "http://a/openai/v1" };

/** Two targets, and whether the limits of the first are those of the second. */
const DOMAINS: readonly (readonly [
  string,
  Record<string, unknown>,
  Record<string, unknown>,
  readonly [string, string],
  boolean,
])[] = [
  ["the same model of one account", CLAUDE, CLAUDE, ["claude-opus-5", "claude-opus-5"], true],
  ["two keys", CLAUDE, { ...CLAUDE, api_key: "l" }, ["claude-opus-5", "claude-opus-5"], false],
  [
    "two regions",
    CLAUDE,
    { ...CLAUDE, base_url: "http://b/v1" },
    ["claude-opus-5", "claude-opus-5"],
    false,
  ],
  [
    "two organizations",
    { ...GPT, headers: { "openai-organization": "a" } },
    { ...GPT, headers: { "openai-organization": "b" } },
    ["gpt-4.1", "gpt-4.1"],
    false,
  ],
  ["Opus 4.x", CLAUDE, CLAUDE, ["claude-opus-4-8", "claude-opus-4-5-20251101"], true],
  ["Sonnet 4.x", CLAUDE, CLAUDE, ["claude-sonnet-4-6", "claude-sonnet-4-5"], true],
  ["Opus 4.x and Sonnet 4.x", CLAUDE, CLAUDE, ["claude-opus-4-8", "claude-sonnet-4-6"], false],
  ["Opus 4.x and Opus 5", CLAUDE, CLAUDE, ["claude-opus-4-8", "claude-opus-5"], false],
  ["Opus 5 and Opus 5.5", CLAUDE, CLAUDE, ["claude-opus-5", "claude-opus-5-5"], false],
  [
    "a snapshot and its model",
    CLAUDE,
    CLAUDE,
    ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    true,
  ],
  ["a dated snapshot of OpenAI", GPT, GPT, ["gpt-4.1-2025-04-14", "gpt-4.1"], true],
  ["two models of OpenAI", GPT, GPT, ["gpt-4.1", "gpt-4.1-mini"], false],
  ["two deployments of Azure", AZURE, AZURE, ["gpt-4.1-2025-04-14", "gpt-4.1"], false],
];

for (const [what, one, other, models, expected] of DOMAINS) {
  Deno.test(`the limits of ${what} are ${expected ? "shared" : "separate"}`, async () => {
    assertEquals(await isShared(one, other, models), expected);
  });
}

Deno.test("limits of keys that are no longer configured are forgotten", () => {
  const configOf = (api_key: string[]) =>
    loadTestConfig({ providers: { p: { ...GPT, api_key, models: ["m"] } } });
  const [target] = configOf(["k", "l"]).resolve("m")?.map((entry) => entry.target) ?? [];
  if (target === undefined) throw new TypeError("There is no target");
  const state = new State();
  const headers = { "x-ratelimit-remaining-requests": "0" };
  for (const key of ["k", "l"]) {
    state.quotas.of(target, key).sent(1);
    state.quotas.of(target, key).answered(1, Object.entries(headers), 0, NOW);
  }
  const rooms = (keys: string[]) => {
    const { providers } = configOf(keys);
    state.prune(providers.values());
    const [provider] = providers.values();
    const [model] = provider?.models ?? [];
    if (provider === undefined || model === undefined) throw new TypeError("There is no model");
    return keys.map((key) => state.quotas.of({ provider, model }, key).hasRoom(1, 0));
  };
  // A reload keeps what is known of `k`; `l` is new when it comes back.
  assertEquals(rooms(["k"]), [false]);
  assertEquals(rooms(["k", "l"]), [false, true]);
});
