/**
 * What the model families behind Bedrock's Converse API accept, by model ID.
 *
 * Facts:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html and
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html (2026-11-20).
 */

import type { ModelFacts } from "../contract/model_facts.ts";
import type { ForcedChoice } from "../shared/claude/tools.ts";
import { type ClaudeModel, claudeModel } from "../shared/claude/models.ts";

/** What one model accepts. */
export interface BedrockModel {
  /** The Claude model, if it is one. */
  readonly claude?: ClaudeModel;
  /** How tool use can be forced: a tool by name, any tool, or not at all. */
  readonly forces: ForcedChoice;
  /** Whether tool use can be forced with adaptive thinking. */
  readonly forcesThinkers: boolean;
  /** Whether it supports JSON schemas for answers and strict tools. */
  readonly schemas: boolean;
  /** Whether it accepts instructions separate from the turns. */
  readonly system: boolean;
  /** Whether it accepts temperature and top_p. */
  readonly sampling: boolean;
  readonly stops: boolean;
  /** The member of `additionalModelRequestFields` that sets the thinking effort. */
  readonly effort: "thinking" | "reasoning_effort" | "reasoning" | "reasoningConfig" | undefined;
  /** Whether it supports cache points. */
  readonly caches: boolean;
  /** Whether a request may end in an assistant message, which the answer then continues. */
  readonly prefill: boolean;
  /** Whether a conversation may begin with the assistant. */
  readonly assistantFirst: boolean;
  /** Whether the ids of calls must be nine letters and digits. */
  readonly shortIds: boolean;
}

/** The row of a model, by any form of its id; config.yaml and the catalog take precedence. */
export function bedrockModel(id: string, facts: ModelFacts): BedrockModel {
  const name = id.replace(/^arn:.*\//, "");
  const family = FAMILIES.find(({ match }) => match.test(name)) ?? {};
  const model = { ...UNKNOWN, ...family };
  const { rejects_sampling_params: rejects } = facts;
  const sampling = rejects === undefined ? model.sampling : !rejects;
  if (model.effort !== "thinking") return { ...model, sampling };
  const claude = claudeModel(name, facts);
  return {
    ...model,
    claude,
    sampling: claude.sampling,
    prefill: claude.prefill,
    assistantFirst: claude.assistantFirst,
    forces: claude.forcedChoice ? "name" : "nothing",
    forcesThinkers: !CLAUDE_FORCED_OR_THINKING.test(name),
    schemas: CLAUDE_WITH_SCHEMAS.test(name),
  };
}

/** The features of unknown models. */
const UNKNOWN: BedrockModel = {
  forces: "nothing",
  forcesThinkers: true,
  schemas: false,
  system: true,
  sampling: true,
  stops: true,
  effort: undefined,
  caches: false,
  prefill: false,
  assistantFirst: false,
  shortIds: false,
};

/**
 * The newer ones answered `output_config.format: Extra inputs are not permitted`
 * (https://github.com/presenton/presenton/issues/939, 2026-09-18).
 */
const CLAUDE_WITH_SCHEMAS = /claude-(opus|sonnet|haiku)-4-[56]/;

/**
 * Anthropic itself takes the two together, and Bedrock does from Opus 4.8 on
 * (https://github.com/langchain-ai/langchain-aws/pull/1141, 2026-07-02;
 * https://github.com/BerriAI/litellm/pull/28114, 2026-05-17).
 */
const CLAUDE_FORCED_OR_THINKING = /claude-(opus|sonnet)-4-[67]/;

interface Family extends Partial<BedrockModel> {
  readonly match: RegExp;
}

/** The first match wins. */
const FAMILIES: readonly Family[] = [
  { match: /claude/, effort: "thinking", caches: true },
  // Prefill: https://docs.aws.amazon.com/nova/latest/userguide/prompting-structured-output.html
  // (2026-11), and observed of Nova 2 Lite (2026-08).
  { match: /nova-2-/, forces: "name", effort: "reasoningConfig", caches: true, prefill: true },
  { match: /nova-/, forces: "name", caches: true, prefill: true },
  { match: /gpt-oss/, schemas: true, stops: false, effort: "reasoning_effort" },
  { match: /openai\.gpt-/, sampling: false, stops: false, effort: "reasoning" },
  { match: /mistral-large-3|ministral-3|magistral/, forces: "any", schemas: true, shortIds: true },
  { match: /mistral-large|pixtral-large/, forces: "any", shortIds: true },
  { match: /mi[sx]tral-.*instruct/, system: false, shortIds: true },
  { match: /mistral/, shortIds: true },
  { match: /titan-text|command-(light-)?text|j2-/, system: false },
  {
    // GLM 4.7 was seen to take them (2026-08).
    match: /qwen3|deepseek\.v3|google\.gemma|nvidia\.nemotron|minimax\.|moonshot|zai\.glm-4\.7/,
    schemas: true,
  },
];
