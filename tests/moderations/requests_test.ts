/** Requests for moderation: faults, failover, limits, costs, and OpenAI's client. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import OpenAI from "openai";
import type { Fetch } from "../../src/upstream/transport.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { serveGateway, serveVendor } from "../support/server.ts";

const MODEL = "omni-moderation-latest";
const RESULT = {
  flagged: true,
  categories: { violence: true },
  category_scores: { violence: 0.9 },
};
const ANSWER = { id: "modr-1", model: MODEL, results: [RESULT] };

function gatewayOf(fetch: Fetch, members: Record<string, unknown> = {}) {
  const openai = { kind: "openai", api_key: VENDOR_KEY, models: [MODEL], retries: 0 };
  const mistral = { kind: "mistral", api_key: VENDOR_KEY, models: ["mistral-moderation-2603"] };
  return createTestGateway({ config: { providers: { openai, mistral }, ...members }, fetch });
}

const FAULTS: readonly (readonly [unknown, string])[] = [
  [undefined, "input"],
  [3, "input"],
  [[], "input"],
  [["a", 3], "input[1]"],
  [[{ type: "text" }], "input[0].text"],
  [[{ type: "text", text: "a" }, { type: "image_url", image_url: {} }], "input[1].image_url.url"],
];

for (const [input, param] of FAULTS) {
  Deno.test(`moderation of ${JSON.stringify(input)} is refused before anything is sent`, async () => {
    const gateway = gatewayOf(() => Promise.reject(new Error("sent")));
    const response = await gateway.call("/v1/moderations", { model: MODEL, input });
    assertEquals(response.status, 400);
    assertEquals((await response.json()).error.param, param);
  });
}

Deno.test("openai package: moderations.create() without a model asks OpenAI's default", async () => {
  const sent: unknown[] = [];
  await using vendor = serveVendor(async (request) => {
    sent.push([new URL(request.url).pathname, await request.json()]);
    return Response.json(ANSWER);
  });
  const openai = {
    kind: "openai",
    api_key: VENDOR_KEY,
    base_url: `${vendor.url}/v1`,
    models: [MODEL],
  };
  await using served = serveGateway({ config: { providers: { openai } } });
  const { url, fetch } = served;
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });
  const { results, model } = await client.moderations.create({ input: "a" });
  assertEquals([results[0]?.flagged, model], [true, MODEL]);
  assertEquals(sent, [["/v1/moderations", { model: MODEL, input: "a" }]]);
  assertEquals(served.gateway.lines[0]?.model, MODEL);
});

Deno.test("another vendor judges when the first one is unavailable, and its answer is flagged", async () => {
  const categories = { sexual: false, selfharm: true };
  const gateway = gatewayOf(
    (url) =>
      Promise.resolve(
        url.includes("openai.com")
          ? new Response("{}", { status: 503 })
          : Response.json({ ...ANSWER, results: [{ categories, category_scores: {} }] }),
      ),
    { aliases: { safe: [MODEL, "mistral-moderation-2603"] } },
  );
  const response = await gateway.call("/v1/moderations", { model: "safe", input: "a" });
  assertEquals((await response.json()).results[0].flagged, true);
  assertEquals(response.headers.get("x-sluice-provider"), "mistral");
});

Deno.test("an answer without usage counts the estimated tokens of the input, and no output", async () => {
  const gateway = gatewayOf(() => Promise.resolve(Response.json(ANSWER)));
  const response = await gateway.call("/v1/moderations", { model: MODEL, input: "one two three" });
  await response.body?.cancel();
  const { prompt_tokens, completion_tokens, usage_estimated } = gateway.lines[0] ?? {};
  assertEquals([prompt_tokens, completion_tokens, usage_estimated], [3, 0, true]);
});

Deno.test("an explanation shows what a vendor of text gets", async () => {
  const gateway = gatewayOf(() => Promise.reject(new Error("sent")));
  const input = [{ type: "text", text: "a" }, { type: "text", text: "b" }];
  const response = await gateway.call(
    "/v1/moderations",
    { model: "mistral-moderation-2603", input },
    { "x-sluice-explain": "true" },
  );
  const { targets: [{ request, receipt }] } = await response.json();
  assertEquals(request.body.input, "a\nb");
  assertEquals(receipt, [{ parameter: "input", fate: "converted" }]);
});

Deno.test("a provider without moderation is refused with its name", async () => {
  const groq = { kind: "groq", api_key: VENDOR_KEY, models: ["m"] };
  const gateway = createTestGateway({
    config: { providers: { groq } },
    fetch: () => Promise.reject(new Error("sent")),
  });
  const response = await gateway.call("/v1/moderations", { model: "m", input: "a" });
  const { error } = await response.json();
  assertEquals(error.code, "unsupported_operation");
  assertStringIncludes(error.message, "'groq' (kind 'groq') has no moderation");
});
