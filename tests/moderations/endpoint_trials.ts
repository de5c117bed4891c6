import type { Trial } from "../support/read_trials.ts";

export const trials: readonly Trial[] = [{
  ...{ name: "moderations", operation: "moderations", path: "/v1/moderations" },
  members: { input: "a" },
  answer: { results: [{ flagged: false, categories: {} }] },
  limit: ["requests_per_minute", 1],
  featured: {
    kind: "openai_compatible",
    members: { input: "an apple" },
    answer: {
      ...{ id: "m", model: "Hello" },
      results: [{ flagged: false, categories: {}, category_scores: {} }],
    },
  },
}];
