/** The reference of headers: each `x-sluice-*` header of requests and answers. */

import type { Header } from "../../src/http/response.ts";

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

export function toHeadersMarkdown(headers: Readonly<Record<string, Header>>): string {
  return [
    "| header | meaning | example |",
    "| --- | --- | --- |",
    ...Object.entries(headers).map(([name, { meaning, example }]) =>
      `| <a id="${name}"></a>\`${name}\` | ${meaning} | \`${example}\` |`
    ),
  ].join("\n");
}
