import { assertEquals } from "@std/assert";
import type { ReasoningEffort } from "../../../../src/contract/chat.ts";
import { claudeModel } from "../../../../src/providers/shared/claude/models.ts";
import {
  fitThinking,
  isThinking,
  nearestEffort,
  planThinking,
} from "../../../../src/providers/shared/claude/thinking.ts";

Deno.test("claudeModel() finds a family in every form of an ID", () => {
  const forms: [id: string, match: string][] = [
    ["claude-opus-4-8", "claude-opus-4-8"],
    ["claude-opus-4-5-20251101", "claude-opus-4-5"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
    ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
    ["claude-sonnet-4-20250514", "claude-sonnet-4"],
    ["claude-opus-4@20250514", "claude-opus-4"],
    ["claude-3-5-haiku-20241022", "claude-3-5-"],
    ["claude-3-haiku-20240307", "claude-3-"],
  ];
  for (const [id, match] of forms) assertEquals(claudeModel(id).match, match, id);
});

Deno.test("claudeModel() does not read a date as a version", () => {
  assertEquals(claudeModel("claude-fable-5-20260610").match, "claude-fable-5");
  assertEquals(claudeModel("claude-fable-5-2").match, "claude-fable-5-2");
  assertEquals(claudeModel("claude-sonnet-5-5-20261101").match, "claude-sonnet-5-5");
});

Deno.test("claudeModel() treats an unknown model as a new one", () => {
  const model = claudeModel("claude-saga-9");
  assertEquals(model.maxTokens, 128_000);
  assertEquals([model.sampling, model.prefill, model.schemas], [false, false, true]);
});

Deno.test("claudeModel() prefers config and catalogue to the table", () => {
  const model = claudeModel("claude-opus-4-8", {
    max_output_tokens: 9000,
    rejects_sampling_params: false,
  });
  assertEquals([model.maxTokens, model.sampling], [9000, true]);
  assertEquals(
    claudeModel("claude-sonnet-4-5", { rejects_sampling_params: true }).sampling,
    false,
  );
});

Deno.test("planThinking() converts each effort for the model's generation", () => {
  const plan = (id: string, effort: ReasoningEffort) =>
    planThinking(claudeModel(id), effort, 10_000);
  const adaptive = { type: "adaptive" };
  const cases: [id: string, effort: ReasoningEffort, plan: unknown][] = [
    ["claude-sonnet-4-5", "none", {}],
    ["claude-sonnet-4-5", "minimal", { thinking: { type: "enabled", budget_tokens: 1024 } }],
    ["claude-sonnet-4-5", "high", { thinking: { type: "enabled", budget_tokens: 6000 } }],
    ["claude-sonnet-4-5", "max", { thinking: { type: "enabled", budget_tokens: 9000 } }],
    ["claude-opus-4-5", "minimal", { effort: "low" }],
    ["claude-opus-4-5", "xhigh", { effort: "high" }],
    ["claude-opus-4-6", "none", {}],
    ["claude-sonnet-4-6", "xhigh", { thinking: adaptive, effort: "max" }],
    ["claude-opus-4-7", "xhigh", { thinking: adaptive, effort: "xhigh" }],
    ["claude-opus-4-8", "medium", { thinking: adaptive, effort: "medium" }],
    ["claude-sonnet-5", "none", { thinking: { type: "disabled" } }],
    ["claude-haiku-5-5", "none", { thinking: { type: "disabled" } }],
    ["claude-sonnet-5-5", "none", { thinking: { type: "between_tools" } }],
    ["claude-opus-5-5", "none", { effort: "low" }],
    ["claude-fable-5-1", "minimal", { effort: "low" }],
    ["claude-mythos-5", "max", { effort: "max" }],
    ["claude-3-5-sonnet", "high", {}],
  ];
  for (const [id, effort, expected] of cases) {
    assertEquals(plan(id, effort), expected, `${id} ${effort}`);
  }
});

Deno.test("planThinking() requests no budget if the limit is too small for one", () => {
  assertEquals(planThinking(claudeModel("claude-haiku-4-5"), "high", 1024), {});
});

Deno.test("nearestEffort() never lowers an effort that the model could raise", () => {
  assertEquals(nearestEffort(claudeModel("claude-opus-4-6"), "xhigh"), "max");
  assertEquals(nearestEffort(claudeModel("claude-sonnet-4-5"), "high"), undefined);
});

Deno.test("fitThinking() converts a caller's thinking to a mode that the model supports", () => {
  const enabled = { type: "enabled", budget_tokens: 2000 };
  const disabled = { type: "disabled" };
  const adaptive = { type: "adaptive", display: "summarized" };
  assertEquals(fitThinking(claudeModel("claude-haiku-4-5"), enabled), enabled);
  assertEquals(fitThinking(claudeModel("claude-opus-4-8"), enabled), { type: "adaptive" });
  assertEquals(fitThinking(claudeModel("claude-haiku-4-5"), adaptive), undefined);
  assertEquals(fitThinking(claudeModel("claude-opus-4-6"), adaptive), adaptive);
  assertEquals(fitThinking(claudeModel("claude-opus-5"), disabled), disabled);
  assertEquals(fitThinking(claudeModel("claude-opus-5-5"), disabled), undefined);
  assertEquals(fitThinking(claudeModel("claude-sonnet-5-5"), disabled), { type: "between_tools" });
  assertEquals(fitThinking(claudeModel("claude-3-haiku"), enabled), undefined);
});

Deno.test("isThinking() is true for every mode except disabled", () => {
  assertEquals([{ type: "adaptive" }, { type: "disabled" }, undefined].map(isThinking), [
    true,
    false,
    false,
  ]);
});
