/** The cost of an answer: caches, long prompts, service tiers, and unknown prices. */

import { assertEquals } from "@std/assert";
import type { Usage } from "../../src/contract/chat.ts";
import {
  type Billed,
  costOfWrites,
  pricesOf,
  savedByCache,
  usdOf,
} from "../../src/governance/cost.ts";
import { factsOf } from "../../src/providers/shared/catalogue.ts";
import { createTestGateway } from "../support/gateway.ts";
import { ScriptedVendor, toEventStream } from "../support/scripted_vendor.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";

const MILLION = 1_000_000;

function usage(prompt: number, completion: number, details: Record<string, number> = {}): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: details,
  };
}

const PRICES = {
  ...{ input: 3, output: 15, cached_input: 0.3, cache_write: 3.75, cache_write_1h: 6 },
  long_context: { above: 200_000, input: 6, output: 22.5, cached_input: 0.6 },
  tiers: new Map([["flex", 0.5]]),
};

for (
  const [what, billed, usd] of [
    ["input and output", { usage: usage(MILLION / 10, MILLION) }, 15.3],
    ["cached input", { usage: usage(100_000, 0, { cached_tokens: 90_000 }) }, 0.057],
    ["cache writes", { usage: usage(100_000, 0, { cache_write_tokens: 80_000 }) }, 0.36],
    ["cache writes for an hour", {
      usage: usage(100_000, 0, { cache_write_tokens: 80_000, cache_write_1h_tokens: 60_000 }),
    }, 0.495],
    ["a prompt at the limit of long ones", { usage: usage(200_000, 0) }, 0.6],
    ["a long prompt, also its output and cached input", {
      usage: usage(300_000, 1000, { cached_tokens: 100_000 }),
    }, 1.2825],
    ["cache writes of a long prompt without a separate price", {
      usage: usage(300_000, 0, { cache_write_tokens: 300_000 }),
    }, 1.8],
    ["a service tier", { usage: usage(100_000, 0), tier: "flex" }, 0.15],
    ["an unknown tier, as the standard one", { usage: usage(100_000, 0), tier: "priority" }, 0.3],
    ["more cached input than input", { usage: usage(10, 0, { cached_tokens: MILLION }) }, 0.000003],
    ["details that are no numbers", {
      usage: usage(100_000, 0, { cached_tokens: NaN, cache_write_tokens: -5 }),
    }, 0.3],
  ] as const satisfies readonly (readonly [string, Omit<Billed, "prices">, number])[]
) {
  Deno.test(`the cost of ${what}`, () => {
    assertEquals(usdOf({ ...billed, prices: PRICES }), usd);
  });
}

Deno.test("the cache saves what reads cost less, less what writes cost more", () => {
  const saved = (details: Record<string, number>, prices?: Billed["prices"]) => {
    const billed = { usage: usage(100_000, 500, details), prices };
    const micros = savedByCache(billed);
    return micros === undefined ? undefined : Math.round(micros) / MILLION;
  };
  assertEquals(saved({ cached_tokens: 90_000 }, PRICES), 0.243);
  assertEquals(saved({ cache_write_tokens: 80_000 }, PRICES), -0.06);
  assertEquals(saved({ cached_tokens: 20_000, cache_write_tokens: 80_000 }, PRICES), -0.006);
  assertEquals(saved({ cached_tokens: 0 }, PRICES), undefined);
  assertEquals(saved({ cached_tokens: 90_000 }), undefined);
  assertEquals(saved({ cached_tokens: 90_000 }, { input: 3, output: 15 }), 0);
});

Deno.test("writes to the cache cost what they are dearer than other input", () => {
  const cost = (details: Record<string, number>, prices?: Billed["prices"]) => {
    const micros = costOfWrites({ usage: usage(100_000, 500, details), prices });
    return micros === undefined ? undefined : Math.round(micros) / MILLION;
  };
  assertEquals(cost({ cache_write_tokens: 80_000 }, PRICES), 0.06);
  assertEquals(cost({ cached_tokens: 20_000, cache_write_tokens: 80_000 }, PRICES), 0.06);
  const hour = { cache_write_tokens: 80_000, cache_write_1h_tokens: 60_000 };
  assertEquals(cost(hour, PRICES), 0.195);
  assertEquals(cost({ cached_tokens: 20_000 }, PRICES), undefined);
  assertEquals(cost({ cache_write_tokens: 80_000 }), undefined);
  assertEquals(cost({ cache_write_tokens: 80_000 }, { input: 3, output: 15 }), 0);
});

Deno.test("an unknown price is unknown, and a price of 0 is 0", () => {
  assertEquals(usdOf({ usage: usage(10, 10), prices: undefined }), undefined);
  assertEquals(pricesOf({ usage: usage(10, 10), prices: undefined }), undefined);
  assertEquals(usdOf({ usage: usage(10, 10), prices: { input: 0, output: 0 } }), 0);
});

Deno.test("the prices that were used are those of the length and the tier", () => {
  const short = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, cacheWriteHour: 6, output: 15 };
  assertEquals(pricesOf({ usage: usage(10, 1), prices: PRICES }), short);
  assertEquals(pricesOf({ usage: usage(300_000, 1), prices: PRICES, tier: "flex" }), {
    ...{ input: 3, cachedInput: 0.3, cacheWrite: null, cacheWriteHour: null, output: 11.25 },
    ...{ long: true, tier: "flex" },
  });
});

Deno.test("the catalogue knows the prices that vendors state for all of their models", () => {
  assertEquals(factsOf("anthropic", "claude-opus-4-8").prices, {
    ...{ input: 5, output: 25, cached_input: 0.5, cache_write: 6.25, cache_write_1h: 10 },
  });
  const haiku = factsOf("anthropic", "claude-haiku-5-5").prices;
  assertEquals(haiku?.cached_input, 0.01);
  assertEquals(haiku?.long_context, {
    ...{ above: 100_000, input: 0.5, output: 2.5, cached_input: 0.05 },
    ...{ cache_write: 0.625, cache_write_1h: 1 },
  });
  assertEquals(factsOf("openai", "gpt-5.6-terra").prices?.cache_write, 2.5);
  assertEquals(factsOf("openai", "gpt-5.4").prices?.cache_write, undefined);
  assertEquals(factsOf("openai", "gpt-5.4").prices?.tiers?.get("flex"), 0.5);
  assertEquals(factsOf("openai", "gpt-6-astra").prices?.long_context?.above, 272_000);
  assertEquals(factsOf("gemini", "gemini-2.5-pro").prices?.long_context?.cached_input, 0.25);
});

Deno.test("config.yaml has precedence, and the tier is the one of the answer", async () => {
  const vendor = new ScriptedVendor(() =>
    Response.json({
      ...{ id: "c", object: "chat.completion", created: 1, model: "m", service_tier: "flex" },
      choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      usage: usage(1000, 100, { cached_tokens: 500, cache_write_tokens: 200 }),
    })
  );
  const prices = {
    ...{ input: 10, output: 20, cached_input: 1, cache_write: 12 },
    long_context: { above: 900, input: 100, output: 200 },
    tiers: { flex: 0.1 },
  };
  const cheap = { input: 0.00012, output: 0.0001 };
  const gateway = createTestGateway({
    config: {
      server: { keys: [{ name: "a", key: "sk-a" }] },
      providers: {
        v: {
          kind: "openai_compatible",
          base_url: "http://vendor.test/v1",
          models: [{ id: "m", prices }, { id: "cheap", prices: cheap }, { id: "unpriced" }],
        },
      },
    },
    fetch: vendor.fetch,
  });
  const ask = async (model: string) => {
    const body = { model, messages: MESSAGES };
    const response = await gateway.call(CHAT, body, { authorization: "Bearer sk-a" });
    await response.text();
    return response.headers.get("x-sluice-cost-usd");
  };
  // 1000 tokens at 100 and 100 at 200 dollars per million, times 0.1.
  assertEquals(await ask("m"), "0.012");
  // A cost below a millionth has no exponent.
  assertEquals(await ask("cheap"), "0.00000013");
  assertEquals(await ask("unpriced"), null);
  const models = await gateway.call("/v1/models/m", undefined, { authorization: "Bearer sk-a" });
  assertEquals((await models.json()).prices, prices);
});

/** A stream whose last chunk has the usage. */
function streamed(): Response {
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  return toEventStream([
    { ...chunk, choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { ...chunk, choices: [], usage: usage(1000, 100) },
    "[DONE]",
  ]);
}

for (
  const [options, model, expected] of [
    [{ include_cost: true }, "m", 0.003],
    [{ include_usage: true, include_cost: true }, "m", 0.003],
    [{ include_usage: true, include_cost: true }, "unpriced", null],
    [{ include_usage: true }, "m", undefined],
    [{ include_usage: true, include_cost: false }, "m", undefined],
  ] as const
) {
  Deno.test(`a stream of ${model} with ${JSON.stringify(options)} says its cost: ${expected}`, async () => {
    const vendor = new ScriptedVendor(streamed);
    const gateway = createTestGateway({
      config: {
        server: { keys: [{ name: "a", key: "sk-a" }] },
        providers: {
          v: {
            kind: "openai_compatible",
            base_url: "http://vendor.test/v1",
            models: [{ id: "m", prices: { input: 2, output: 10 } }, { id: "unpriced" }],
          },
        },
      },
      fetch: vendor.fetch,
    });
    const body = { model, messages: MESSAGES, stream: true, stream_options: options };
    const response = await gateway.call(CHAT, body, { authorization: "Bearer sk-a" });
    const events = (await response.text()).split("\n\n");
    const last = JSON.parse(events.at(-3)?.slice("data: ".length) ?? "");
    assertEquals([last.choices, last.usage.prompt_tokens], [[], 1000]);
    assertEquals(last.usage.cost, expected);
    assertEquals(vendor.sent[0]?.body.stream_options, { include_usage: true });
  });
}
