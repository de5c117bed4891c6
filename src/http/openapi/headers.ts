/** The `x-sluice-*` headers in requests, for the description and the reference. */

import { boolean, type Header, integer, number, text } from "../../apis/openapi.ts";

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
