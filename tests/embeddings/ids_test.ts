/** The ID of an answer, which some clients require. */

import { assertEquals } from "@std/assert";
import { createTestGateway } from "../support/gateway.ts";

async function idOf(answer: Record<string, unknown>): Promise<unknown> {
  const gateway = createTestGateway({
    config: {
      providers: { v: { kind: "openai_compatible", base_url: "http://v.test", models: ["m"] } },
    },
    fetch: () =>
      Promise.resolve(Response.json({
        data: [{ index: 0, embedding: [1] }],
        usage: { prompt_tokens: 1, total_tokens: 1 },
        ...answer,
      })),
  });
  const response = await gateway.call("/v1/embeddings", { model: "m", input: "a" }, {
    "x-request-id": "req_1",
  });
  const text = await response.text();
  assertEquals(text.split('"id":').length, 2, text);
  return JSON.parse(text).id;
}

Deno.test("embeddings: the vendor's ID, else one of the gateway", async () => {
  assertEquals(await idOf({ id: "embd-7" }), "embd-7");
  for (const answer of [{}, { id: null }, { id: 7 }]) assertEquals(await idOf(answer), "req_1");
});
