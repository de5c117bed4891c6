/** The receipt of the playground, without a browser. */

import { assert, assertEquals } from "@std/assert";
import {
  answeredBy,
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
  const rule = "the vendor rejected it unchanged";
  assertEquals(correctedRows(rows, headers), [
    rows[0],
    { parameter: "max_tokens", fate: "renamed", to: "max_completion_tokens", rule },
    rows[2],
    { parameter: "tools[0].strict", fate: "ignored" },
  ]);
  assertEquals(correctedRows(rows, null), rows);
});

Deno.test("an answer is signed with the target that gave it", () => {
  const target = { provider: "east", model: "gpt-east" };
  const run = { target, attempts: 1, state: "done", headers: {} };
  assertEquals(answeredBy(run), "answered by east / gpt-east");
  assertEquals(answeredBy({ ...run, attempts: 2 }), "answered by east / gpt-east after 2 attempts");
  assertEquals(answeredBy({ ...run, state: "failed" }), "failed at east / gpt-east");
  assertEquals(answeredBy({ ...run, state: "stopped" }), "answered by east / gpt-east");
  assertEquals(answeredBy({ ...run, target: null, attempts: null }), "");
  assertEquals(answeredBy({ ...run, state: "preview" }), "");
  const hit = { ...run, target: null, headers: { cache: "hit" } };
  assertEquals(answeredBy(hit), "answered by the response cache");
});
