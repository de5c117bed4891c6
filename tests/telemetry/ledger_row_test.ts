/** The row of a request in the ledger: which attempts it describes. */

import { assertEquals } from "@std/assert";
import { chatCompletions } from "../../src/apis/chat_completions/format.ts";
import type { AttemptState } from "../../src/gateway/attempt_state.ts";
import { RequestRecord } from "../../src/gateway/request_record.ts";
import { attemptState } from "../support/attempt_state.ts";
import { toLedgerRow } from "../../src/telemetry/ledger_row.ts";

function attemptRowsOf(attempts: readonly Partial<AttemptState>[], failed = false) {
  const signal = new AbortController().signal;
  const record = new RequestRecord("req_1", signal, 1000, chatCompletions, () => {});
  record.isModelRequest = true;
  for (const attempt of attempts) {
    record.endedAttempts.push(attemptState({ outcome: "done", began: 1000, ms: 1, ...attempt }));
  }
  if (failed) record.error = { kind: "upstream_error", code: null, cause: undefined, message: "" };
  return toLedgerRow(record.close(2000, 9000))?.attemptRows;
}

Deno.test("a row has what capabilities have recorded", () => {
  const signal = new AbortController().signal;
  const record = new RequestRecord("req_1", signal, 1000, chatCompletions, () => {});
  record.isModelRequest = true;
  Object.assign(record.columns, { savedUsd: 0.5, queuedMs: 20, session: "s_1" });
  const row = toLedgerRow(record.close(2000, 9000));
  assertEquals([row?.savedUsd, row?.queuedMs, row?.session], [0.5, 20, "s_1"]);
  assertEquals([row?.id, row?.hedged], ["req_1", undefined]);
});

Deno.test("a stream that its client stopped has status 499", () => {
  const signal = new AbortController().signal;
  const record = new RequestRecord("req_1", signal, 1000, chatCompletions, () => {});
  record.isModelRequest = true;
  record.answered(200, 1500);
  const rowOf = () => toLedgerRow(record.close(2000, 9000));
  assertEquals([rowOf()?.status, rowOf()?.error], [200, undefined]);
  record.outcome = "client_gone";
  assertEquals([rowOf()?.status, rowOf()?.error], [499, "client_gone"]);
});

Deno.test("an attempt has what was changed after the vendor had refused it", () => {
  const corrections = [
    { without: "max_tokens", as: "max_completion_tokens" },
    { without: ["n", "x".repeat(300)] },
  ];
  const rows = attemptRowsOf([{ corrections } as Partial<AttemptState>]);
  assertEquals(rows?.map((row) => row.corrections), [[
    { fields: ["max_tokens"], as: "max_completion_tokens" },
    { fields: ["n", "x".repeat(200)] },
  ]]);
});

Deno.test("a request that its only attempt answered has no rows of attempts", () => {
  assertEquals(attemptRowsOf([{}]), undefined);
  assertEquals(attemptRowsOf([], true), undefined);
  assertEquals(attemptRowsOf([{}], true)?.length, 1);
});

Deno.test("times are relative to the request, and each attempt says what followed it", () => {
  const failed = { outcome: "rate_limited", ms: 20.04 } as const;
  const rows = attemptRowsOf([
    { ...failed, began: 1000.5, next: { type: "retry", waitMs: 99.6 }, cause: "c" },
    { ...failed, began: 1100, next: { type: "other_key" } },
    {
      ...{ ...failed, began: 1200 },
      next: { type: "next_target", reason: { type: "wait_too_long", waitMs: 60_000 } },
    },
    { ...failed, began: 1300, next: { type: "give_up", reason: { type: "deadline" } } },
    { began: 1400 },
  ]);
  assertEquals(
    rows?.map(({ startedMs, ms, error, status, next, reason, waitMs }) => [
      ...[startedMs, ms, error, status, next, reason, waitMs],
    ]),
    [
      [0.5, 20, "rate_limited", 429, "retry", undefined, 100],
      [100, 20, "rate_limited", 429, "other_key", undefined, undefined],
      [200, 20, "rate_limited", 429, "next_target", "wait_too_long", 60_000],
      [300, 20, "rate_limited", 429, "give_up", "deadline", undefined],
      [400, 1, undefined, 200, undefined, undefined, undefined],
    ],
  );
  assertEquals(rows?.[0]?.cause, "c");
});

Deno.test("the number of attempts and the length of their texts are bounded", () => {
  const long = "x".repeat(5000);
  const rows = attemptRowsOf(
    Array.from({ length: 500 }, (_, index) => ({
      ...{ provider: long, upstream: long, cause: long },
      began: 1000 + index,
    })),
  );
  assertEquals(rows?.length, 20);
  assertEquals(rows?.map(({ startedMs }) => startedMs).slice(-2), [18, 499]);
  assertEquals(JSON.stringify(rows).length < 20_000, true);
});
