/** The receipt and the timeline of the playground, without a browser. */

import { assert, assertEquals } from "@std/assert";
import { toAttempts } from "../../src/console/assets/views/playground/attempt_bars.js";
import {
  correctedRows,
  readReceiptHeaders,
  rowsOfHeaders,
  toShownJson,
} from "../../src/console/assets/views/playground/receipt_facts.js";

Deno.test("the receipt is read from the headers, also without an explanation", () => {
  const facts = readReceiptHeaders(
    new Headers({
      "x-request-id": "req_1",
      "x-sluice-provider": "p",
      "x-sluice-attempts": "3",
      "x-sluice-ignored": "seed, logit_bias",
      "x-sluice-converted": "temperature 1.7->1, max_tokens->max_completion_tokens, messages",
    }),
  );
  assertEquals([facts.requestId, facts.provider, facts.attempts, facts.cost], [
    "req_1",
    "p",
    3,
    null,
  ]);
  assertEquals(rowsOfHeaders(facts), [
    { parameter: "seed", fate: "ignored" },
    { parameter: "logit_bias", fate: "ignored" },
    { parameter: "temperature", fate: "converted", change: "1.7->1" },
    { parameter: "max_tokens", fate: "renamed", to: "max_completion_tokens" },
    { parameter: "messages", fate: "converted" },
  ]);
  const shown = toShownJson({ url: "x".repeat(5000), short: "y" });
  assert(shown.includes("… (5000 characters)") && shown.length < 400);
});

Deno.test("the headers correct an explanation from before the vendor refused a parameter", () => {
  const rows = [
    { parameter: "seed", fate: "ignored", rule: "no such parameter" },
    { parameter: "max_tokens", fate: "as is" },
    { parameter: "stop", fate: "as is" },
  ];
  const headers = readReceiptHeaders(
    new Headers({
      "x-sluice-ignored": "seed, tools[0].strict, and 3 more",
      "x-sluice-converted": "max_tokens->max_completion_tokens",
    }),
  );
  const rule = "the vendor refused it as it was";
  assertEquals(correctedRows(rows, headers), [
    rows[0],
    { parameter: "max_tokens", fate: "renamed", to: "max_completion_tokens", rule },
    rows[2],
    { parameter: "tools[0].strict", fate: "ignored" },
  ]);
  assertEquals(correctedRows(rows, null), rows);
});

Deno.test("the timeline says why each attempt ended and what followed", () => {
  const attempt = (more: object) => ({ provider: "a", model: "m", started_ms: 0, ms: 10, ...more });
  const failed = { status: 503, error: "upstream_unavailable" };
  const record = {
    ms: 100,
    attempts: [
      attempt({ ...failed, next: "retry", wait_ms: 20 }),
      attempt({ started_ms: 30, ...failed, next: "next_target", reason: "breaker_open" }),
      attempt({ provider: "b", started_ms: 40, ms: 20, status: 200, error: null }),
    ],
  };
  const { attempts, total } = toAttempts({ record, headers: {}, state: "done", timing: {} });
  assertEquals(total, 100);
  assertEquals(
    attempts.map(({ outcome, next, start, ms, writing }) => [
      outcome,
      next,
      start,
      ms,
      writing,
    ]),
    [
      ["upstream unavailable (503)", "tried again after 20 ms", 0, 10, 0],
      ["upstream unavailable (503)", "its breaker is open; tried b / m next", 30, 10, 0],
      ["done", undefined, 40, 20, 40],
    ],
  );
  const headers = { provider: "a", model: "m", attempts: 2 };
  const known = toAttempts({ record: null, headers, state: "done", timing: { total: 7 } });
  assertEquals(known.attempts[0]?.next, "the last of 2 attempts");
});
