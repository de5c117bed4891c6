/**
 * What OpenAI's model families accept: which reason, at which efforts, and when
 * they take sampling parameters.
 *
 * Families down to gpt-5.1 as checked by pydantic-ai against the live API
 * (https://github.com/pydantic/pydantic-ai, profiles/openai.py, 2026-08-22);
 * the gpt-6 families from OpenAI users' reports, 2026-09 to 2026-11.
 */

import type { ChatRequest, ReasoningEffort } from "../chat.ts";
import type { TargetModel } from "./adapter.ts";
import { ignored, renamed, type Support } from "./support.ts";

interface Family {
  /** Whether the model reasons when no effort is asked for. */
  readonly reasons: "by default" | "on request" | "never";
  /** The efforts it accepts, weakest first; empty where it does not reason. */
  readonly efforts: readonly ReasoningEffort[];
  /** False for models that refuse sampling parameters though they do not reason. */
  readonly samples: boolean;
}

/** Every effort, weakest first. */
export const ORDER: readonly ReasoningEffort[] = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
];
const LMH = ["low", "medium", "high"] as const;

const byDefault = (...efforts: readonly ReasoningEffort[]): Family => ({
  reasons: "by default",
  efforts,
  samples: false,
});
const onRequest = (...efforts: readonly ReasoningEffort[]): Family => ({
  reasons: "on request",
  efforts,
  samples: true,
});
const never = (samples: boolean): Family => ({ reasons: "never", efforts: [], samples });

/** Families by prefix; the longest that fits wins. */
const FAMILIES: readonly (readonly [prefix: string, family: Family])[] = [
  ["gpt-6.2", byDefault(...LMH, "xhigh", "max")],
  ["gpt-6.1-sol", byDefault(...LMH, "xhigh")],
  ["gpt-6.1-terra", byDefault("none", ...LMH, "xhigh", "max")],
  ["gpt-6-astra", byDefault(...LMH, "xhigh", "max")],
  ["gpt-6-sol", byDefault("none", ...LMH, "xhigh", "max")],
  ["gpt-6-luna", byDefault("none", ...LMH, "xhigh", "max")],
  ["gpt-6", byDefault(...LMH, "xhigh", "max")],
  ["gpt-5.6", byDefault("none", ...LMH, "xhigh", "max")],
  ["gpt-5.5", byDefault("none", ...LMH, "xhigh")],
  ["gpt-5.5-pro", byDefault(...LMH, "xhigh")],
  ["gpt-5.4", onRequest("none", ...LMH, "xhigh")],
  ["gpt-5.4-pro", byDefault(...LMH, "xhigh")],
  ["gpt-5.3", onRequest("none", ...LMH, "xhigh")],
  ["gpt-5.3-chat", byDefault("medium")],
  ["gpt-5.2", onRequest("none", ...LMH, "xhigh")],
  ["gpt-5.2-pro", byDefault(...LMH, "xhigh")],
  ["gpt-5.2-chat", byDefault("medium")],
  ["gpt-5.1", onRequest("none", ...LMH)],
  ["gpt-5.1-chat", byDefault("medium")],
  ["gpt-5.1-codex", byDefault(...LMH)],
  ["gpt-5.1-codex-max", byDefault(...LMH, "xhigh")],
  ["gpt-5", byDefault("minimal", ...LMH)],
  ["gpt-5-pro", byDefault("high")],
  ["gpt-5-codex", byDefault(...LMH)],
  ["gpt-5-chat", never(true)],
  ["gpt-5-search-api", never(false)],
  ["gpt-4o-search-preview", never(false)],
  ["gpt-4o-mini-search-preview", never(false)],
  ["gpt-4", never(true)],
  ["gpt-3.5", never(true)],
  ["chatgpt-", never(true)],
  ["o1", byDefault(...LMH)],
  ["o3", byDefault(...LMH)],
  ["o4", byDefault(...LMH)],
];

/** Parameters that a reasoning model refuses while it reasons. */
const SAMPLING = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
] as const;

/** Models that refuse `stop` (https://platform.openai.com/docs/api-reference/chat, 2026-08). */
const WITHOUT_STOP = /^(?:o3|o4-mini|gpt-5(?!-chat)|gpt-6)/;

/** Verdicts that hold for one model of OpenAI's, given the rest of the request. */
export function openAiSupport(
  request: ChatRequest,
  model: TargetModel,
): Readonly<Record<string, Support>> {
  const family = familyOf(model.base);
  const verdicts: Record<string, Support> = {};
  const reasoning = reasons(model, family);
  if (refusesSampling(request, model, family)) {
    const verdict = ignored(reasoning ? "refused while reasoning" : "refused by this model");
    for (const name of SAMPLING) verdicts[name] = verdict;
  }
  if (reasoning) {
    verdicts.max_tokens = request.max_completion_tokens === undefined
      ? renamed("max_completion_tokens")
      : ignored("max_completion_tokens is there");
    if (WITHOUT_STOP.test(familyName(model.base))) verdicts.stop = ignored("refused by this model");
  } else if (family !== undefined || model.facts.capabilities?.reasoning === false) {
    verdicts.reasoning_effort = ignored("the model does not reason");
  }
  return verdicts;
}

/** The accepted effort nearest to the one asked for; the weaker one where two are as near. */
export function nearestEffort(asked: ReasoningEffort, base: string): ReasoningEffort {
  const efforts = familyOf(base)?.efforts ?? [];
  const wanted = ORDER.indexOf(asked);
  let best = asked;
  let distance = Infinity;
  for (const effort of efforts) {
    const away = Math.abs(ORDER.indexOf(effort) - wanted);
    if (away < distance) [best, distance] = [effort, away];
  }
  return best;
}

/** A fine-tuned model is of the family that it was made from. */
function familyName(base: string): string {
  return base.startsWith("ft:") ? base.slice("ft:".length) : base;
}

function familyOf(base: string): Family | undefined {
  const id = familyName(base);
  let found: readonly [string, Family] | undefined;
  for (const row of FAMILIES) {
    if (id.startsWith(row[0]) && row[0].length > (found?.[0].length ?? 0)) found = row;
  }
  return found?.[1];
}

/** Facts of the catalogue or of config.yaml are about this very model and win over its family. */
function reasons(model: TargetModel, family: Family | undefined): boolean {
  return model.facts.capabilities?.reasoning ??
    (family !== undefined && family.reasons !== "never");
}

function refusesSampling(
  request: ChatRequest,
  model: TargetModel,
  family: Family | undefined,
): boolean {
  const effort = request.reasoning_effort;
  const known = model.facts.rejects_sampling_params;
  if (!reasons(model, family)) return known ?? (family?.reasons === "never" && !family.samples);
  if (effort === undefined) return known ?? family?.reasons === "by default";
  if (effort === "none" && (family?.efforts.includes("none") ?? true)) return false;
  return true;
}
