import type { Trial } from "../support/read_trials.ts";

export const trials: readonly Trial[] = [{
  ...{ name: "rerank", operation: "rerank", path: "/v1/rerank" },
  members: { query: "a", documents: ["a"] },
  answer: { results: [{ index: 0, relevance_score: 1 }] },
  limit: ["searches_per_minute", 1, "searches"],
  featured: {
    kind: "openai_compatible",
    members: { query: "an apple", documents: ["Hello"], return_documents: true },
    answer: {
      id: "Hello",
      results: [{ index: 0, relevance_score: 0.5, document: { text: "Hello" } }],
    },
  },
}];
