/** Requests for reranking: their paths, faults, failover, limits, receipts, costs and the ledger. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import type { TestGateway } from "../support/gateway.ts";
import type { Fetch } from "../../src/upstream/transport.ts";

const ANSWER = {
  id: "c1",
  results: [{ index: 1, relevance_score: 0.9 }, { index: 0, relevance_score: 0.1 }],
  meta: { billed_units: { search_units: 1 } },
};
const REQUEST = { model: "ranker", query: "capital?", documents: ["Carson City", "Washington"] };
const MODEL = { id: "ranker", prices: { thousand_searches: 2 }, capabilities: { rerank: true } };

function gatewayOf(
  fetch: Fetch,
  members: Record<string, unknown> = {},
  others: Record<string, unknown> = {},
): TestGateway {
  const cohere = { kind: "cohere", api_key: VENDOR_KEY, models: [MODEL] };
  return createTestGateway({ config: { providers: { cohere, ...others }, ...members }, fetch });
}

const answering: Fetch = () => Promise.resolve(Response.json(ANSWER));

for (const path of ["/v1/rerank", "/v2/rerank", "/rerank"]) {
  Deno.test(`${path} answers in order, with the searches that the vendor bills`, async () => {
    const gateway = gatewayOf(answering);
    const response = await gateway.call(path, REQUEST);
    assertEquals(await response.json(), {
      id: "c1",
      object: "list",
      model: "ranker",
      results: ANSWER.results,
      meta: ANSWER.meta,
    });
    assertEquals(response.headers.get("x-sluice-provider"), "cohere");
    assertEquals(gateway.lines[0]?.searches, 1);
    assertEquals(gateway.lines[0]?.cost_usd, 0.002);
  });
}

Deno.test("results that a vendor sends in another order, or too many of, are sorted and cut", async () => {
  const results = [0.1, 0.9, 0.5].map((relevance_score, index) => ({ index, relevance_score }));
  const gateway = gatewayOf(() => Promise.resolve(Response.json({ ...ANSWER, results })));
  const documents = ["a", "b", "c"];
  const response = await gateway.call("/v1/rerank", { ...REQUEST, documents, top_n: 2 });
  const { results: sorted } = await response.json();
  assertEquals(sorted.map(({ index }: { index: number }) => index), [1, 2]);
});

const FAULTS: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ query: undefined }, "query"],
  [{ documents: [] }, "documents"],
  [{ documents: "one" }, "documents"],
  [{ documents: ["a", 3] }, "documents[1]"],
  [{ top_n: 0 }, "top_n"],
  [{ return_documents: "yes" }, "return_documents"],
];

for (const [change, param] of FAULTS) {
  Deno.test(`a request with ${JSON.stringify(change)} is refused before anything is sent`, async () => {
    const gateway = gatewayOf(() => Promise.reject(new Error("sent")));
    const response = await gateway.call("/v1/rerank", { ...REQUEST, ...change });
    assertEquals(response.status, 400);
    assertEquals((await response.json()).error.param, param);
  });
}

Deno.test("another target answers when the first one is unavailable", async () => {
  const jina = { kind: "jina", api_key: VENDOR_KEY, models: ["jina-reranker-v3"] };
  const urls: string[] = [];
  const gateway = gatewayOf(
    (url) => {
      urls.push(new URL(url).host);
      return Promise.resolve(
        url.includes("cohere")
          ? new Response("{}", { status: 503 })
          : Response.json({ ...ANSWER, usage: { total_tokens: 40 } }),
      );
    },
    { aliases: { best: ["ranker", "jina-reranker-v3"] } },
    { jina, cohere: { kind: "cohere", api_key: VENDOR_KEY, models: [MODEL], retries: 0 } },
  );
  const response = await gateway.call("/v1/rerank", { ...REQUEST, model: "best" });
  assertEquals((await response.json()).usage, { prompt_tokens: 40, total_tokens: 40 });
  assertEquals(response.headers.get("x-sluice-provider"), "jina");
  assertEquals(urls, ["api.cohere.com", "api.jina.ai"]);
});

Deno.test("a report adds up searches, and requests without a price that used them", async () => {
  const models = [MODEL, { id: "unpriced" }];
  const cohere = { kind: "cohere", api_key: VENDOR_KEY, models };
  const gateway = gatewayOf(answering, { providers: { cohere } });
  for (const model of ["ranker", "ranker", "unpriced"]) {
    await (await gateway.call("/v1/rerank", { ...REQUEST, model })).body?.cancel();
  }
  const { data: [sums] } = await (await gateway.call("/v1/usage")).json();
  const { requests, searches, images, input_tokens, cost_usd, unpriced_requests } = sums;
  assertEquals([requests, searches, images, input_tokens], [3, 3, 0, 0]);
  assertEquals([cost_usd, unpriced_requests], [0.004, 1]);
  const metrics = await (await gateway.call("/metrics")).text();
  assertStringIncludes(
    metrics,
    'sluice_units_total{provider="cohere",model="ranker",unit="searches"} 2',
  );
});

Deno.test("a key's limit of searches counts the searches of the vendor", async () => {
  const gateway = gatewayOf(
    () =>
      Promise.resolve(Response.json({ ...ANSWER, meta: { billed_units: { search_units: 3 } } })),
    { limits: { searches_per_minute: 3 } },
  );
  const first = await gateway.call("/v1/rerank", REQUEST);
  await first.body?.cancel();
  assertEquals(first.headers.get("x-ratelimit-limit-searches"), "3");
  assertEquals(first.headers.get("x-ratelimit-remaining-searches"), "2");
  const second = await gateway.call("/v1/rerank", REQUEST);
  assertEquals(second.status, 429);
  assertStringIncludes((await second.json()).error.message, "3 searches per minute");
});

Deno.test("a request over a limit of searches by itself is refused for good", async () => {
  const gateway = gatewayOf(answering, { limits: { searches_per_day: 1 } });
  const documents = Array.from({ length: 101 }, () => "a");
  const response = await gateway.call("/v1/rerank", { ...REQUEST, documents });
  assertEquals(response.status, 400);
  const { error } = await response.json();
  assertEquals(error.code, "too_many_tokens");
  assertStringIncludes(error.message, "about 2 searches");
});

Deno.test("a budget is charged for searches, and x-sluice-max-cost knows their price", async () => {
  const key = { name: "a", key: "sk-a-0123456789abcdef", budget: { usd: 0.003, per: "day" } };
  const gateway = gatewayOf(answering, { server: { keys: [key] } });
  const headers = { authorization: `Bearer ${key.key}` };
  const capped = await gateway.call("/v1/rerank", REQUEST, {
    ...headers,
    "x-sluice-max-cost": "0.001",
  });
  assertEquals((await capped.json()).error.code, "max_price_exceeded");
  const statuses: number[] = [];
  for (let index = 0; index < 3; index++) {
    const response = await gateway.call("/v1/rerank", REQUEST, headers);
    await response.body?.cancel();
    statuses.push(response.status);
  }
  assertEquals(statuses, [200, 200, 429]);
});

Deno.test("a search that was sent and cut is charged as an estimate", async () => {
  const gateway = gatewayOf(
    () =>
      Promise.resolve(
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode('{"id":'));
              controller.error(new Error("cut"));
            },
          }),
        ),
      ),
    { providers: { cohere: { kind: "cohere", api_key: VENDOR_KEY, models: [MODEL], retries: 0 } } },
  );
  const response = await gateway.call("/v1/rerank", REQUEST);
  await response.body?.cancel();
  assertEquals(response.status, 502);
  assertEquals([gateway.lines[0]?.searches, gateway.lines[0]?.usage_estimated], [1, true]);
});

Deno.test("strict requests are refused for fields that the vendor lacks; others list them", async () => {
  const gateway = gatewayOf(answering);
  const request = { ...REQUEST, max_chunks_per_doc: 3 };
  const response = await gateway.call("/v1/rerank", request);
  await response.body?.cancel();
  assertEquals(response.headers.get("x-sluice-ignored"), "max_chunks_per_doc");
  const strict = await gateway.call("/v1/rerank", request, { "x-sluice-strict": "true" });
  assertEquals((await strict.json()).error.code, "unsupported_parameter");
});

Deno.test("an explanation shows the request and each field", async () => {
  const gateway = gatewayOf(() => Promise.reject(new Error("sent")));
  const request = { ...REQUEST, documents: [{ text: "a" }], top_n: 1, max_chunks_per_doc: 3 };
  const response = await gateway.call("/v1/rerank", request, { "x-sluice-explain": "true" });
  const { targets: [{ request: sent, receipt }] } = await response.json();
  assertEquals(sent.body, { model: "ranker", query: "capital?", documents: ["a"], top_n: 1 });
  assertEquals(receipt, [
    { parameter: "top_n", fate: "as is" },
    { parameter: "max_chunks_per_doc", fate: "ignored", rule: "no such field" },
    { parameter: "documents", fate: "converted" },
  ]);
});

Deno.test("other operations of a reranking model are refused with the right path", async () => {
  const gateway = gatewayOf(() => Promise.reject(new Error("sent")));
  const chat = { model: "ranker", messages: [{ role: "user", content: "a" }] };
  const response = await gateway.call("/v1/chat/completions", chat);
  const { error } = await response.json();
  assertEquals(error.code, "unsupported_operation");
  assertStringIncludes(error.message, "POST /v1/rerank");
});
