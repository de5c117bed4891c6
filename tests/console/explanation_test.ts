/** What a request says about itself: its sentence, its lanes, its cost and its route. */

import { assertAlmostEquals, assertEquals } from "@std/assert";
import {
  billText,
  correctionFactsOf,
  costLinesOf,
  lanesOf,
  routeFactsOf,
  sentenceOf,
  usualText,
  usualTimesOf,
} from "../../src/console/assets/views/requests/explanation.js";

function row(members: Record<string, unknown> = {}) {
  return {
    ...{ status: 200, error: null, ms: 900, first_token_ms: 501, queued_ms: 0, hedged: false },
    ...{ provider: "eu", response_cache: null, saved_usd: 0, affinity: null, route: null },
    attempts: [attempt("eu")],
    ...members,
  };
}

function attempt(provider: string, members: Record<string, unknown> = {}) {
  return { provider, model: "m", started_ms: 0, ms: 500, status: 200, error: null, ...members };
}

const failed = (provider: string, members: Record<string, unknown> = {}) =>
  attempt(provider, { status: 502, error: "upstream_error", next: "next_target", ...members });

Deno.test("one sentence says why the request ended as it did", () => {
  const hedge = attempt("eu", { started_ms: 300, ms: 201, hedge: true });
  const slow = attempt("us", { ms: 501, status: 499, error: "abandoned" });
  for (
    const [sentence, members] of [
      ["Answered by eu after 501 ms.", {}],
      [
        "Answered by the cache, which saved $0.000309.",
        { attempts: [], response_cache: "hit", saved_usd: 0.000309 },
      ],
      [
        "us was slow; the hedge at eu won after 501 ms.",
        { hedged: true, attempts: [slow, hedge] },
      ],
      [
        "us answered after 501 ms; the hedge at eu was not used.",
        {
          hedged: true,
          attempts: [attempt("us"), { ...hedge, status: 499, error: "abandoned" }],
        },
      ],
      [
        "Waited 2.00 s in the queue. us failed (upstream_error); eu answered after 501 ms.",
        { queued_ms: 2000, attempts: [failed("us"), attempt("eu")] },
      ],
      [
        "eu answered after 501 ms, at attempt 2.",
        { attempts: [failed("eu", { next: "retry" }), attempt("eu")] },
      ],
      [
        "All 2 attempts failed, at us and eu: the client got 502 upstream_error.",
        { status: 502, error: "upstream_error", attempts: [failed("us"), failed("eu")] },
      ],
      [
        "us failed with upstream_error: the client got 502 upstream_error.",
        { status: 502, error: "upstream_error", attempts: [failed("us")] },
      ],
      [
        "No provider was tried: the client got 429 rate_limit_exceeded.",
        { status: 429, error: "rate_limit_exceeded", attempts: [] },
      ],
      ["The client stopped after 900 ms.", { status: 499, error: "client_gone" }],
    ] as const
  ) {
    assertEquals(sentenceOf(row(members)), sentence);
  }
});

Deno.test("lanes are in the order in which they began, with the queue and the stream", () => {
  const lanes = lanesOf(row({
    queued_ms: 100,
    hedged: true,
    attempts: [
      attempt("eu", { started_ms: 400, ms: 101, hedge: true }),
      attempt("us", { started_ms: 100, ms: 401, status: 499, error: "abandoned" }),
    ],
  }));
  assertEquals(
    lanes.map(({ kind, length, start, tone }) => [kind, tone, start, length]),
    [
      ["queue", "wait", 0, 100],
      ["attempt", "unused", 100, 401],
      ["hedge", "good", 400, 101],
      ["stream", "stream", 501, 399],
    ],
  );
});

Deno.test("the times of a request are compared with those of its model", () => {
  const sums = { requests: 9, p50_ms: 1000, p95_ms: 2000, first_token_p50_ms: 400 };
  const slow = usualTimesOf(row({ ms: 4000, first_token_ms: 800, queued_ms: 40 }), sums);
  assertEquals(slow.map(({ at, band, name }) => [name, at, band]), [
    ["Queue", 1, undefined],
    ["First content", 20, [10, 10]],
    ["All", 100, [25, 50]],
  ]);
  assertEquals(
    usualText(slow),
    "The first content came after 800 ms, 2.0 times the usual 400 ms. The whole request took " +
      "4.00 s, longer than 95 % of the requests.",
  );
  const usual = usualTimesOf(row({ ms: 900, first_token_ms: null, queued_ms: null }), sums);
  assertEquals(usualText(usual), "The whole request took 900 ms, usually 1.00 s.");
  assertEquals(usualTimesOf(row(), { ...sums, requests: 4 }), []);
  assertEquals(usualTimesOf(row(), undefined), []);
});

Deno.test("corrections are listed for each provider", () => {
  const attempts = [
    { provider: "a", corrections: [{ fields: ["top_p", "n"], sent_as: null }] },
    { provider: "b", corrections: [{ fields: ["max_tokens"], sent_as: "max_completion_tokens" }] },
    { provider: "c" },
  ];
  assertEquals(correctionFactsOf({ attempts }), [
    ["Left out", "top_p, n: a refuses it"],
    ["Sent under another name", "max_tokens as max_completion_tokens at b"],
  ]);
});

Deno.test("the lines of the cost add up to the cost, whatever the prices explain", () => {
  const priced = row({
    ...{ input_tokens: 1000, cached_input_tokens: 600, cache_write_tokens: 100 },
    ...{ output_tokens: 200, reasoning_tokens: 50, images: 2, cost_usd: 0.25 },
    prices: {
      ...{ input: 10, cachedInput: 1, cacheWrite: null, output: 40 },
      units: { images: 0.1 },
    },
  });
  const lines = costLinesOf(priced);
  assertEquals(lines.map(({ amount, name, price }) => [name, amount, price]), [
    ["Input", 300, 10],
    ["Input, cached", 600, 1],
    ["Input, written to the cache", 100, 10],
    ["Output", 150, 40],
    ["Output, reasoning", 50, 40],
    ["Images", 2, 0.1],
    ["Other attempts and rates", null, null],
  ]);
  assertAlmostEquals(lines.reduce((sum, { usd }) => sum + usd, 0), 0.25, 1e-12);
  assertEquals(costLinesOf(row({ prices: null })), []);
});

Deno.test("the route shows what the ledger has, and nothing that did not happen", () => {
  assertEquals(routeFactsOf(row()), []);
  const facts = routeFactsOf(row({
    ...{ alias: "fast", route: "headroom", affinity: "moved", queued_ms: 1500, hedged: true },
    ...{ hedge_usd: 0.5, saved_usd: 0.25, price_ordered: true, price_order_saved_usd: 0 },
    ...{ agent: "a", prices: { tier: "priority" } },
  }));
  assertEquals(facts, [
    ["Alias", "fast"],
    ["Why this target", "headroom"],
    ["Session", "moved to another target"],
    ["Chosen by price", "yes"],
    ["Waited in the queue", "1.50 s"],
    ["Saved", "$0.2500"],
    ["Hedge", "cost $0.5000"],
    ["Service tier", "priority"],
  ]);
  const billed = { input_tokens: 10, output_tokens: 5, cost_usd: null, usage_source: "vendor" };
  assertEquals(billText(billed), "10 + 5 tokens, price unknown");
  assertEquals(billText({ ...billed, usage_source: "none" }), "");
});
