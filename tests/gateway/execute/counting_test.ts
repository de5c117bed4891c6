/** Counts of tokens in each caller format: they call no model, so they use nothing of it. */

import { assertEquals } from "@std/assert";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../../support/gateway.ts";

const MESSAGES = [{ role: "user", content: "Hi" }];
const FORMATS = [
  ["Messages", "/v1/messages/count_tokens", { messages: MESSAGES }],
  ["Responses", "/v1/responses/input_tokens", { input: "Hi" }],
  ["Gemini", "/v1beta/models/MODEL:countTokens", { contents: [{ parts: [{ text: "Hi" }] }] }],
] as const;
const CHAT = { messages: MESSAGES, max_tokens: 5 };

function start(budget: number) {
  return createTestGateway({
    config: {
      server: {
        keys: [{ name: "k", key: SERVICE_KEY, budget: { usd: budget, per: "day" } }],
      },
      providers: {
        // This vendor counts tokens in each format.
        counter: {
          kind: "anthropic",
          api_key: VENDOR_KEY,
          models: [{ id: "counted", upstream: "claude-haiku-4-5" }],
        },
        // These counts are estimates. The price of the model is unknown.
        none: { kind: "openai_compatible", base_url: "https://none.example/v1", models: ["m"] },
      },
      limits: {
        models: { counted: { requests_per_minute: 1 }, m: { requests_per_minute: 1 } },
      },
    },
    fetch: (input) => {
      const isCount = input.endsWith("/count_tokens");
      return Promise.resolve(Response.json(
        isCount ? { input_tokens: 7 } : {
          content: [{ type: "text", text: "Hi" }],
          stop_reason: "end_turn",
          usage: { input_tokens: 1_000_000, output_tokens: 1_000_000 },
        },
      ));
    },
  });
}

for (const [format, path, body] of FORMATS) {
  for (const model of ["counted", "m"]) {
    const what = `a count in the format of ${format} ${model === "m" ? "(an estimate)" : ""}`;
    Deno.test(`${what} takes no limit of the model, no budget and no speed figure`, async () => {
      const gateway = start(1);
      const count = () => gateway.call(path.replace("MODEL", model), { ...body, model });
      for (let index = 0; index < 3; index++) {
        const response = await count();
        assertEquals(response.status, 200, await response.text());
        assertEquals(response.headers.get("x-sluice-budget-spent-usd"), "0");
      }
      const target = gateway.config.route(model)?.groups[0]?.targets[0]?.target;
      if (target === undefined) throw new Error("The model has no target");
      const { answers } = gateway.state.statsOf(target);
      const now = gateway.clock.now();
      assertEquals(answers.firstContent.value(now), undefined);
      // The limit of the model is still there for a request, which spends the whole budget.
      if (model === "m") return;
      const answer = await gateway.call("/v1/chat/completions", { ...CHAT, model });
      assertEquals(answer.status, 200, await answer.text());
      const refused = await gateway.call("/v1/chat/completions", { ...CHAT, model });
      assertEquals(refused.status, 429, await refused.text());
      const after = await count();
      assertEquals(after.status, 200, await after.text());
    });
  }
}
