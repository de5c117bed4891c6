/** The `x-sluice-*` headers in requests and responses, for the description and the reference. */

import { boolean, integer, number, type Schema, text } from "../../apis/openapi.ts";

/** One of the gateway's headers. */
export interface Header {
  readonly meaning: string;
  readonly example: string;
  /** Its schema in the description of endpoints that call models; absent if it is not described. */
  readonly schema?: Schema;
}

/** Request headers. */
export const REQUEST_HEADERS: Readonly<Record<string, Header>> = {
  "x-sluice-strict": {
    meaning: "Reject the request with a 400 if a parameter would be ignored; nothing is sent",
    example: "true",
    schema: boolean,
  },
  "x-sluice-explain": {
    meaning:
      "Send nothing: the answer shows the targets in order, the vendor's request with redacted keys, how each parameter is handled, and in `estimate` the tokens and cost that limits and budgets assume",
    example: "true",
    schema: boolean,
  },
  "x-sluice-deadline-ms": {
    meaning: "The time limit for all attempts together, in milliseconds",
    example: "20000",
    schema: integer,
  },
  "x-sluice-max-cost": {
    meaning:
      "The maximum cost of all attempts, in USD, based on the estimated input and the maximum output",
    example: "0.05",
    schema: number,
  },
  "x-sluice-order": {
    meaning: "How groups of equal targets are ordered, instead of `balance`",
    example: "price",
    schema: text,
  },
  "x-sluice-session": {
    meaning: "The session, for affinity and reports",
    example: "chat-42",
    schema: text,
  },
  "x-sluice-tags": {
    meaning: "Tags for reports, separated by commas; defaults to `metadata.tags` of the body",
    example: "search, nightly",
    schema: text,
  },
  "x-sluice-cache": {
    meaning:
      "The response cache for this request: `off`, `refresh`, or `ttl=60s` for the age of stored answers",
    example: "off",
    schema: text,
  },
};

/** Response headers. */
export const ANSWER_HEADERS: Readonly<Record<string, Header>> = {
  "x-sluice-provider": {
    meaning: "The provider that answered",
    example: "main",
    schema: text,
  },
  "x-sluice-model": {
    meaning: "The model's upstream name",
    example: "small-model-2",
    schema: text,
  },
  "x-sluice-ignored": {
    meaning: "Parameters that were not sent to the vendor",
    example: "seed, logit_bias",
    schema: text,
  },
  "x-sluice-converted": {
    meaning: "Parameters that were sent with another name or value",
    example: "temperature 1.7->1",
    schema: text,
  },
  "x-sluice-added": {
    meaning: "Fields that the gateway chose to add, such as cache breakpoints",
    example: "cache_control",
  },
  "x-sluice-attempts": { meaning: "The number of attempts", example: "2", schema: integer },
  "x-sluice-route": {
    meaning: "Why the targets were tried in this order, if there was a decision",
    example: "p2c, max-price=1",
  },
  "x-sluice-upstream-request-id": { meaning: "The vendor's request ID", example: "req_0123" },
  "x-sluice-overhead-ms": {
    meaning: "The time that the gateway itself took until the answer began, in milliseconds",
    example: "0.41",
  },
  "x-sluice-queued-ms": {
    meaning: "How long the request waited for a limit, in milliseconds",
    example: "1200",
  },
  "x-sluice-cost-usd": {
    meaning: "The cost of an answer that is not streamed, if known; absent for long embeddings",
    example: "0.00042",
    schema: number,
  },
  "x-sluice-estimated": {
    meaning:
      "`cost` if it includes an attempt without usage; `input_tokens` if a token count is an estimate",
    example: "cost",
  },
  "x-sluice-cache": {
    meaning:
      "`hit` or `miss`, if the response cache is enabled; for a hit, `age` is its age in seconds",
    example: "hit",
  },
  "x-sluice-saved-usd": {
    meaning: "What the answer would have cost without the cache",
    example: "0.0031",
  },
  "x-sluice-budget-usd": { meaning: "The key's budget", example: "250" },
  "x-sluice-budget-spent-usd": {
    meaning: "The amount spent from the budget, excluding this request",
    example: "12.5",
  },
  "x-sluice-budget-renews-at": {
    meaning: "When the budget renews",
    example: "2027-01-01T00:00:00.000Z",
  },
  "x-sluice-next": {
    meaning: "The position of the next page for a CSV list, for `before` or `after`",
    example: "0193",
  },
};
