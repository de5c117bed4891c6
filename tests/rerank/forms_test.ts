/** The forms in which clients of other reranking APIs ask and read answers. */

import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";

const SCORED = [{ index: 1, relevance_score: 0.9 }, { index: 0, relevance_score: 0.1 }];

/** Asks a gateway before a vendor with this answer. */
async function ask(body: JsonObject, answer: unknown = { results: SCORED }, path = "/v1/rerank") {
  const sent: JsonObject[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        v: {
          ...{ kind: "openai_compatible", base_url: "http://v.test/v1", api_key: VENDOR_KEY },
          models: [{ id: "ranker", capabilities: { rerank: true } }],
        },
      },
    },
    fetch: (_url, { body: text }) => {
      sent.push(JSON.parse(String(text)));
      return Promise.resolve(Response.json(answer));
    },
  });
  const response = await gateway.call(path, { model: "ranker", query: "q", ...body });
  assertEquals(gateway.bugs, []);
  return { status: response.status, answer: await response.json(), sent: sent[0] };
}

const DOCUMENTS = ["zero", "one"];
const DATA = [
  { index: 1, relevance_score: 0.9, document: "one" },
  { index: 0, relevance_score: 0.1, document: "zero" },
];

Deno.test("a client of Voyage gets its results as data, with documents as texts", async () => {
  for (const members of [{ top_k: 2, return_documents: true }, { return_documents: true }]) {
    const { answer, sent } = await ask({ documents: DOCUMENTS, ...members });
    assertEquals(answer.data, DATA);
    assertEquals(answer.results.length, 2);
    assertEquals([sent?.top_n, sent?.top_k], ["top_k" in members ? 2 : undefined, undefined]);
  }
  const { answer } = await ask({ documents: DOCUMENTS, top_k: 1, truncation: true });
  assertEquals(answer.data, [SCORED[0]]);
});

Deno.test("a client of Cohere, Jina or Infinity gets results, and documents as objects", async () => {
  const { answer } = await ask({ documents: DOCUMENTS, top_n: 2, return_documents: true });
  assertEquals(answer.data, undefined);
  assertEquals(answer.results[0].document, { text: "one" });
  assertEquals(typeof answer.id, "string");
});

Deno.test("a client of Hugging Face gets a list of scores", async () => {
  const members = { texts: DOCUMENTS, raw_scores: false, truncate: false };
  const plain = await ask(members, undefined, "/rerank");
  assertEquals(plain.answer, [{ index: 1, score: 0.9 }, { index: 0, score: 0.1 }]);
  assertEquals([plain.sent?.documents, plain.sent?.texts], [DOCUMENTS, undefined]);
  const { answer } = await ask({ ...members, return_text: true, top_n: 1 }, undefined, "/rerank");
  assertEquals(answer, [{ index: 1, score: 0.9, text: "one" }]);
});

Deno.test("faults of a client of Hugging Face are refused", async () => {
  for (const members of [{ texts: "one" }, { texts: [] }, {}]) {
    assertEquals((await ask(members)).status, 400);
  }
});

Deno.test("answers of servers: a list alone, data, scores, and documents as texts", async () => {
  const scores = [{ index: 0, score: 0.1, text: "zero" }, { index: 1, score: 0.9, text: "one" }];
  const texts = SCORED.map((one) => ({ ...one, document: DOCUMENTS[one.index] }));
  for (const vendor of [scores, { data: texts }, { results: texts }, { results: scores }]) {
    const { answer, status } = await ask({ documents: DOCUMENTS, top_n: 2 }, vendor);
    assertEquals(status, 200);
    assertEquals(answer.results, [
      { index: 1, relevance_score: 0.9, document: { text: "one" } },
      { index: 0, relevance_score: 0.1, document: { text: "zero" } },
    ]);
  }
});
