/** `estimate` in an explanation: the tokens and the cost that limits and budgets reckon with. */

import { assertEquals } from "@std/assert";
import { hurry } from "../support/elapse.ts";
import { createTestGateway, SERVICE_KEY } from "../support/gateway.ts";
import { sayHello, ScriptedVendor } from "../support/scripted_vendor.ts";
import { CHAT } from "../support/stage.ts";

const vendorOf = (models: unknown[]) => ({
  kind: "openai_compatible",
  base_url: "http://vendor/v1",
  api_key: "key",
  models,
});

const MODELS = [
  { id: "priced", max_output_tokens: 4000, prices: { input: 2, output: 10 } },
  { id: "unpriced", max_output_tokens: 4000 },
  {
    id: "vectors",
    capabilities: { embeddings: true },
    prices: { input: 1, output: 0 },
  },
];

function start(key: Record<string, unknown> = {}) {
  const vendor = new ScriptedVendor(sayHello);
  const gateway = createTestGateway({
    config: {
      server: { keys: [{ name: "own", key: SERVICE_KEY, ...key }] },
      providers: { vendor: vendorOf(MODELS) },
    },
    fetch: vendor.fetch,
  });
  return {
    gateway,
    async estimate(body: Record<string, unknown>, path = CHAT) {
      const answer = await gateway.call(path, body, { "x-sluice-explain": "true" });
      return (await answer.json()).targets[0];
    },
  };
}

const messages = [{ role: "user", content: "word ".repeat(100) }];

Deno.test("the estimate has the usual and the most output, each with its cost", async () => {
  const { estimate } = start();
  const asked = await estimate({ model: "priced", messages });
  const { input_tokens: input } = asked.estimate;
  assertEquals(input > 100 && input < 150, true);
  assertEquals(asked.estimate, {
    input_tokens: input,
    output_tokens: 500,
    max_output_tokens: 4000,
    cost_usd: Number((input * 2e-6 + 500 * 1e-5).toFixed(9)),
    max_cost_usd: Number((input * 2e-6 + 4000 * 1e-5).toFixed(9)),
  });
  const bounded = await estimate({ model: "priced", messages, max_tokens: 20, n: 3 });
  assertEquals([bounded.estimate.output_tokens, bounded.estimate.max_output_tokens], [60, 60]);
  assertEquals(bounded.estimate.cost_usd, bounded.estimate.max_cost_usd);
  const unpriced = await estimate({ model: "unpriced", messages });
  assertEquals([unpriced.estimate.cost_usd, unpriced.estimate.max_cost_usd], [null, null]);
  assertEquals(unpriced.estimate.input_tokens > 100, true);
});

Deno.test("the usual output follows what the model has written", async () => {
  const { estimate, gateway } = start();
  const body = { model: "priced", messages };
  const answer = await hurry(gateway.clock, gateway.call(CHAT, body));
  const { usage } = JSON.parse(await answer.text());
  const after = await estimate(body);
  assertEquals(after.estimate.output_tokens, usage.completion_tokens);
});

Deno.test("embeddings, Messages and Responses have an estimate, and counts of tokens have none", async () => {
  const { estimate } = start();
  const vectors = await estimate({ model: "vectors", input: ["one two"] }, "/v1/embeddings");
  const { input_tokens: input } = vectors.estimate;
  assertEquals(vectors.estimate, {
    ...{ input_tokens: input, output_tokens: 0, max_output_tokens: 0 },
    ...{ cost_usd: input / 1e6, max_cost_usd: input / 1e6 },
  });
  const asked = { model: "priced", max_tokens: 30, messages };
  assertEquals((await estimate(asked, "/v1/messages")).estimate.max_output_tokens, 30);
  const input_ = { model: "priced", input: "Hi", max_output_tokens: 40 };
  assertEquals((await estimate(input_, "/v1/responses")).estimate.max_output_tokens, 40);
  const counted = await estimate(asked, "/v1/messages/count_tokens");
  assertEquals(counted.estimate, undefined);
});

Deno.test("a budget that must know prices refuses the target in the explanation as well", async () => {
  const budget = { usd: 5, per: "day" };
  const { estimate } = start({ budget });
  const refused = await estimate({ model: "unpriced", messages });
  assertEquals([refused.error.status, refused.error.code], [403, "price_unknown"]);
  assertEquals(refused.request, undefined);
  assertEquals((await estimate({ model: "priced", messages })).error, undefined);
  const allowing = start({ budget: { ...budget, unknown_prices: "allow" } });
  assertEquals((await allowing.estimate({ model: "unpriced", messages })).error, undefined);
});
