/** What caches, sessions and the order by price saved and what hedges cost, in the report of usage. */

import { assertEquals } from "@std/assert";
import { until } from "../support/elapse.ts";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { sayHello, ScriptedVendor, type Sent } from "../support/scripted_vendor.ts";
import { CHAT } from "../support/stage.ts";

const MESSAGES = [{ role: "user", content: "word ".repeat(2000) }];

/** USD per million tokens, so that sums are easy to read. */
const DEAR = { input: 100, output: 0, cached_input: 10, cache_write: 125 };
const CHEAP = { input: 20, output: 0, cached_input: 2 };

const USAGE = { prompt_tokens: 10_000, completion_tokens: 0, total_tokens: 10_000 };

function provider(id: string, prices: Record<string, number> | undefined) {
  return {
    ...{ kind: "openai_compatible", base_url: `http://${id}.test/v1`, api_key: `sk-${id}` },
    ...{ retries: 0, models: [{ id: "m", max_output_tokens: 10, ...(prices && { prices }) }] },
  };
}

const CONFIG = {
  server: {
    keys: [{ name: "a", key: "sk-a" }, { name: "b", key: "sk-b" }],
    admin_keys: [{ name: "root", key: "sk-root" }],
  },
  providers: {
    dear: provider("dear", DEAR),
    cheap: provider("cheap", CHEAP),
    unknown: provider("unknown", undefined),
  },
  aliases: {
    plain: "m@dear",
    priceless: "m@unknown",
    cheapest: { targets: [["m@dear", "m@cheap"]], balance: "price" },
    first: { targets: [["m@cheap", "m@dear"]], balance: "price" },
    unpriced: { targets: [["m@unknown", "m@cheap"]], balance: "price" },
    stored: { targets: ["m@dear"], cache: { ttl: "1h" } },
    sticky: { targets: ["m@dear"], affinity: {} },
    hedged: { targets: ["m@dear", "m@cheap"], hedge: { after: "1s", share: "100%" } },
  },
};

interface World {
  readonly gateway: TestGateway;
  readonly vendor: ScriptedVendor;
  ask(model: string, members?: Record<string, unknown>, key?: string): Promise<Response>;
  /** The sums of an alias, as the report shows them. */
  sumsOf(model: string): Promise<Record<string, number>>;
}

/** @param details of the input tokens in the answer */
function world(details: Record<string, number> = {}, hold: (sent: Sent) => boolean = () => false) {
  const vendor = new ScriptedVendor(async (sent, signal) => {
    if (hold(sent)) {
      await new Promise((_, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
      );
    }
    const answer = await sayHello(sent).json();
    return Response.json({ ...answer, usage: { ...USAGE, prompt_tokens_details: details } });
  });
  const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
  return {
    gateway,
    vendor,
    ask: async (model, members = {}, key = "sk-a") => {
      const body = { model, messages: MESSAGES, ...members };
      const response = await gateway.call(CHAT, body, { authorization: `Bearer ${key}` });
      assertEquals(response.status, 200, await response.clone().text());
      await response.text();
      return response;
    },
    async sumsOf(model) {
      gateway.flush();
      const response = await gateway.call("/v1/admin/usage?group_by=model", undefined, {
        authorization: "Bearer sk-root",
      });
      const { data } = await response.json();
      return data.find((entry: { model: string }) => entry.model === model);
    },
  } satisfies World;
}

Deno.test("reads of the vendor's cache are saved, and writes are shown with what they cost more", async () => {
  const { ask, sumsOf } = world({ cached_tokens: 6000, cache_write_tokens: 2000 });
  await ask("plain");
  const sums = await sumsOf("plain");
  // 6,000 tokens for $10 instead of $100, and 2,000 for $125 instead of $100.
  assertEquals([sums.saved_usd, sums.cache_write_usd], [0.49, 0.05]);
  assertEquals([sums.cached_input_tokens, sums.cache_write_tokens], [6000, 2000]);
  assertEquals([sums.unpriced_cached_requests, sums.response_cache_saved_usd], [0, 0]);
});

Deno.test("what is read from a cache for an unknown price is counted as unknown", async () => {
  const { ask, sumsOf } = world({ cached_tokens: 6000 });
  await ask("priceless");
  const sums = await sumsOf("priceless");
  assertEquals([sums.saved_usd, sums.unpriced_cached_requests], [0, 1]);
});

Deno.test("a hit of the response cache is saved apart from the vendor's cache", async () => {
  const { ask, sumsOf, vendor } = world({ cached_tokens: 6000 });
  for (let count = 0; count < 3; count++) await ask("stored", { temperature: 0 });
  assertEquals(vendor.sent.length, 1);
  const sums = await sumsOf("stored");
  assertEquals([sums.response_cache_hits, sums.response_cache_misses], [2, 1]);
  // The answer cost 4,000 tokens for $100 and 6,000 for $10 per million.
  assertEquals([sums.response_cache_saved_usd, sums.saved_usd], [0.92, 1.46]);
  assertEquals(sums.unpriced_response_cache_hits, 0);
  assertEquals(sums.unpriced_cached_requests, 0);
});

Deno.test("the order by price is compared with the first target, by the same tokens", async () => {
  const { ask, sumsOf, vendor } = world({ cached_tokens: 5000 });
  await ask("cheapest");
  assertEquals(vendor.sent.map(({ url }) => new URL(url).hostname), ["cheap.test"]);
  const sums = await sumsOf("cheapest");
  assertEquals([sums.price_ordered_requests, sums.unpriced_price_orders], [1, 0]);
  // $0.55 at the first target of the group, $0.11 at the one that answered.
  assertEquals(sums.price_order_saved_usd, 0.44);
  await ask("unpriced");
  const unknown = await sumsOf("unpriced");
  assertEquals([unknown.price_ordered_requests, unknown.unpriced_price_orders], [1, 1]);
  assertEquals(unknown.price_order_saved_usd, 0);
  await ask("first");
  const first = await sumsOf("first");
  assertEquals([first.price_ordered_requests, first.price_order_saved_usd], [1, 0]);
  await ask("plain");
  assertEquals((await sumsOf("plain")).price_ordered_requests, 0);
});

Deno.test("sessions that remain at a target have their own sums, over all keys", async () => {
  const { ask, sumsOf } = world({ cached_tokens: 8000 });
  const turns = [...MESSAGES, { role: "assistant", content: "Hi" }, {
    role: "user",
    content: "Go",
  }];
  await ask("sticky", { prompt_cache_key: "one" });
  await ask("sticky", { prompt_cache_key: "one", messages: turns });
  await ask("sticky", { prompt_cache_key: "one", messages: turns }, "sk-b");
  const sums = await sumsOf("sticky");
  const { affinity_starts: starts, affinity_hits: hits, affinity_moves: moves } = sums;
  assertEquals([starts, hits, moves], [1, 2, 0]);
  assertEquals([sums.affinity_input_tokens, sums.affinity_cached_input_tokens], [20_000, 16_000]);
  assertEquals([sums.affinity_saved_usd, sums.saved_usd], [1.44, 2.16]);
});

Deno.test("a hedge costs what the target costs whose answer is not used", async () => {
  const isDear = ({ url }: Sent) => url.includes("//dear.");
  const { ask, gateway, sumsOf, vendor } = world({}, isDear);
  const open = ask("hedged", { max_tokens: 10 });
  await until(() => vendor.sent.length === 1);
  gateway.clock.advance(1000);
  assertEquals((await open).headers.get("x-sluice-provider"), "cheap");
  const sums = await sumsOf("hedged");
  assertEquals([sums.hedged_requests, sums.unpriced_hedges, sums.saved_usd], [1, 0, 0]);
  // The input of the aborted request is estimated; its output costs nothing here.
  const [first] = (await (await gateway.call("/v1/admin/requests", undefined, {
    authorization: "Bearer sk-root",
  })).json()).data;
  const cost = first.cost_usd - 10_000 * CHEAP.input / 1e6;
  assertEquals(sums.hedge_usd, Math.round(cost * 1e9) / 1e9);
  assertEquals(first.hedge_usd, sums.hedge_usd);
  assertEquals(cost > 0.1, true);
  // Each vendor's sums are those of its invoice.
  const { data } = await (await gateway.call("/v1/admin/usage?group_by=provider", undefined, {
    authorization: "Bearer sk-root",
  })).json();
  const billed = data.map(({ provider, requests, cost_usd }: Record<string, unknown>) =>
    [provider, requests, cost_usd] as const
  );
  assertEquals(
    new Map(billed.map(([name, ...sums]: unknown[]) => [name, sums])),
    new Map([
      ["cheap", [1, 10_000 * CHEAP.input / 1e6]],
      ["dear", [0, sums.hedge_usd]],
    ]),
  );
});
