/** The reference of headers: each `x-sluice-*` header of requests and answers. */

interface Header {
  readonly meaning: string;
  readonly example: string;
}

/** The headers of requests. */
export const REQUEST_HEADERS: Readonly<Record<string, Header>> = {
  "x-sluice-strict": {
    meaning: "Refuse the request with a 400 if a parameter would be ignored; nothing is sent",
    example: "true",
  },
  "x-sluice-explain": {
    meaning:
      "Send nothing: the answer shows the targets in order, the vendor's request with redacted keys, how each parameter is handled, and in `estimate` the tokens and cost that limits and budgets assume",
    example: "true",
  },
  "x-sluice-deadline-ms": {
    meaning: "The time limit of all attempts together, in milliseconds",
    example: "20000",
  },
  "x-sluice-max-cost": {
    meaning:
      "The most that all attempts may cost, in USD, by the estimated input and the most output",
    example: "0.05",
  },
  "x-sluice-order": {
    meaning: "How groups of equal targets are ordered, instead of `balance`",
    example: "price",
  },
  "x-sluice-session": {
    meaning: "The session, for affinity and reports",
    example: "chat-42",
  },
  "x-sluice-tags": {
    meaning: "Tags for reports, separated by commas; else `metadata.tags` of the body",
    example: "search, nightly",
  },
  "x-sluice-cache": {
    meaning:
      "The response cache for this request: `off`, `refresh`, or `ttl=60s` for the age of stored answers",
    example: "off",
  },
};

/** The headers of answers. */
export const ANSWER_HEADERS: Readonly<Record<string, Header>> = {
  "x-sluice-provider": { meaning: "The provider that answered", example: "openai" },
  "x-sluice-model": { meaning: "The upstream name of the model", example: "gpt-5.4-nano" },
  "x-sluice-ignored": {
    meaning: "Parameters that were not sent to the vendor",
    example: "seed, logit_bias",
  },
  "x-sluice-converted": {
    meaning: "Parameters that were sent under another name or value",
    example: "temperature 1.7->1",
  },
  "x-sluice-added": {
    meaning: "Fields that the gateway chose to add, such as cache breakpoints",
    example: "cache_control",
  },
  "x-sluice-attempts": { meaning: "The number of attempts", example: "2" },
  "x-sluice-route": {
    meaning: "Why the targets were tried in this order, if that was decided",
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
    meaning: "The cost of an answer that is not streamed, if known; not of long embeddings",
    example: "0.00042",
  },
  "x-sluice-estimated": {
    meaning:
      "`cost` if an attempt without usage is a part of it; `input_tokens` if a count is an estimate",
    example: "cost",
  },
  "x-sluice-cache": {
    meaning: "`hit` or `miss`, if the response cache is on; `age` then has the seconds since",
    example: "hit",
  },
  "x-sluice-saved-usd": { meaning: "What a hit would have cost", example: "0.0031" },
  "x-sluice-budget-usd": { meaning: "The budget of the key", example: "250" },
  "x-sluice-budget-spent-usd": {
    meaning: "What is spent of the budget, without this request",
    example: "12.5",
  },
  "x-sluice-budget-renews-at": {
    meaning: "When the budget renews",
    example: "2027-01-01T00:00:00.000Z",
  },
  "x-sluice-next": {
    meaning: "The position of the next page of a list in CSV, for `before`",
    example: "0193",
  },
};

export function toHeadersMarkdown(headers: Readonly<Record<string, Header>>): string {
  return [
    "| header | meaning | example |",
    "| --- | --- | --- |",
    ...Object.entries(headers).map(([name, { meaning, example }]) =>
      `| <a id="${name}"></a>\`${name}\` | ${meaning} | \`${example}\` |`
    ),
  ].join("\n");
}
