/**
 * The limits of the Claude models, for every API that serves them: how they think, the efforts that
 * they accept, and which requests they reject.
 *
 * Facts: https://platform.claude.com/docs/en/models/overview,
 * https://platform.claude.com/docs/en/build-with-claude/thinking and
 * https://platform.claude.com/docs/en/build-with-claude/effort (2026-11-20).
 */

import { isObject } from "../../../core/json/object.ts";
import type { NameRule } from "../../../contract/refusals.ts";
import type { ModelFacts } from "../../../contract/model_facts.ts";
import type { SchemaLimits, SchemaRules } from "../json_schema.ts";

/** A family of models, and the requests that it accepts. */
export interface ClaudeModel {
  /** A part of the model's ID. */
  readonly match: string;
  /** The maximum number of tokens of one answer, including thinking. */
  readonly maxTokens: number;
  /** Whether it accepts temperature, top_p and top_k. */
  readonly sampling: boolean;
  /** Whether it accepts temperature and top_p in one request; models since Opus 4.1 do not. */
  readonly samplesTogether: boolean;
  /** How thinking is requested; `always` cannot be disabled, `both` is budget or adaptive. */
  readonly thinking: "none" | "budget" | "both" | "adaptive" | "always";
  /**
   * How an effort of `none` is sent: not at all, as this type of `thinking`, or as the lowest
   * effort.
   */
  readonly noThinking: "omit" | "disabled" | "between_tools" | "lowest";
  /** The efforts that it accepts, lowest first; empty if it rejects the field. */
  readonly efforts: readonly ClaudeEffort[];
  /** Whether it can be forced to call a tool. */
  readonly forcedChoice: boolean;
  /** Whether it supports JSON schemas for answers and strict tools. */
  readonly schemas: boolean;
  /** Whether a request may end in an assistant message, which the answer then continues. */
  readonly prefill: boolean;
  /** Whether a conversation may begin with the assistant (observed 2026-08). */
  readonly assistantFirst: boolean;
  /**
   * Whether `messages` may hold the role `system`, after a user turn
   * (https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages,
   * 2026-11-20).
   */
  readonly systemTurns: boolean;
}

/**
 * The names of properties at the root of a tool's schema
 * (https://github.com/anthropics/claude-code/issues/79418, 2026-11-28).
 */
export const CLAUDE_PROPERTY_NAMES: NameRule = { refused: /[^a-zA-Z0-9_.-]/g, maxLength: 64 };

/** The efforts of `output_config.effort`, weakest first. */
export const CLAUDE_EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

/** One of {@linkcode CLAUDE_EFFORTS}. */
export type ClaudeEffort = (typeof CLAUDE_EFFORTS)[number];

/** Since 5.x: no sampling, no prefill, thinking by default. */
const NEWEST = {
  maxTokens: 128_000,
  sampling: false,
  samplesTogether: false,
  thinking: "adaptive",
  noThinking: "disabled",
  efforts: CLAUDE_EFFORTS,
  forcedChoice: true,
  schemas: true,
  prefill: false,
  assistantFirst: true,
  systemTurns: true,
} as const;
const ALWAYS = { ...NEWEST, thinking: "always", noThinking: "lowest" } as const;
const OPUS_4_7 = { ...NEWEST, noThinking: "omit", systemTurns: false } as const;
const GEN_4_6 = {
  ...OPUS_4_7,
  sampling: true,
  thinking: "both",
  efforts: ["low", "medium", "high", "max"],
} as const;
const GEN_4_5 = {
  maxTokens: 64_000,
  sampling: true,
  samplesTogether: false,
  thinking: "budget",
  noThinking: "omit",
  efforts: [],
  forcedChoice: true,
  schemas: true,
  prefill: true,
  assistantFirst: true,
  systemTurns: false,
} as const;
/**
 * Newer models reject temperature and top_p in one request
 * (https://github.com/vercel/ai/tree/main/packages/anthropic, changelog, 2026-08-22); these were
 * observed to accept both (2026-08).
 */
const GEN_4 = { ...GEN_4_5, schemas: false, samplesTogether: true } as const;
const GEN_3 = { ...GEN_4, thinking: "none", assistantFirst: false } as const;

/** Families in order; the first whose `match` is part of the ID applies. */
const CLAUDE_MODELS: readonly ClaudeModel[] = [
  { match: "claude-sonnet-5-5", ...NEWEST, noThinking: "between_tools", forcedChoice: false },
  { match: "claude-opus-5-5", ...ALWAYS, forcedChoice: false },
  { match: "claude-haiku-5-5", ...NEWEST },
  { match: "claude-opus-5", ...NEWEST },
  { match: "claude-fable-5-2", ...ALWAYS, forcedChoice: false },
  { match: "claude-fable-5-1", ...ALWAYS, forcedChoice: false },
  { match: "claude-mythos-5-2", ...ALWAYS, forcedChoice: false },
  { match: "claude-mythos-5-1", ...ALWAYS, forcedChoice: false },
  { match: "claude-fable-5", ...ALWAYS },
  { match: "claude-mythos-5", ...ALWAYS },
  { match: "claude-sonnet-5", ...NEWEST, systemTurns: false },
  { match: "claude-opus-4-8", ...OPUS_4_7, systemTurns: true },
  { match: "claude-opus-4-7", ...OPUS_4_7 },
  { match: "claude-opus-4-6", ...GEN_4_6 },
  { match: "claude-sonnet-4-6", ...GEN_4_6 },
  { match: "claude-opus-4-5", ...GEN_4_5, efforts: ["low", "medium", "high"] },
  { match: "claude-sonnet-4-5", ...GEN_4_5 },
  { match: "claude-haiku-4-5", ...GEN_4_5 },
  { match: "claude-opus-4-1", ...GEN_4_5, maxTokens: 32_000 },
  { match: "claude-sonnet-4", ...GEN_4 },
  { match: "claude-opus-4", ...GEN_4, maxTokens: 32_000 },
  { match: "claude-3-7-sonnet", ...GEN_4 },
  { match: "claude-3-5-", ...GEN_3, maxTokens: 8_192 },
  { match: "claude-3-", ...GEN_3, maxTokens: 4_096 },
  { match: "claude-2", ...GEN_3, maxTokens: 4_096 },
  { match: "claude-instant", ...GEN_3, maxTokens: 4_096 },
];

/** An unknown model is treated as a new one and receives only fields that all models accept. */
const UNKNOWN: ClaudeModel = { match: "", ...NEWEST, noThinking: "lowest" };

const MAX_CACHED_IDS = 1000;
const rows = new Map<string, ClaudeModel>();

function rowOf(id: string): ClaudeModel {
  let row = rows.get(id);
  if (row === undefined) {
    row = CLAUDE_MODELS.find(({ match }) => holds(id, match)) ?? UNKNOWN;
    if (rows.size >= MAX_CACHED_IDS) rows.clear();
    rows.set(id, row);
  }
  return row;
}

/**
 * The family of a model, under any form of its ID. Facts from config.yaml and the catalogue take
 * precedence.
 */
export function claudeModel(id: string, facts: ModelFacts = {}): ClaudeModel {
  const row = rowOf(id);
  return {
    ...row,
    maxTokens: facts.max_output_tokens ?? row.maxTokens,
    sampling: facts.rejects_sampling_params === undefined
      ? row.sampling
      : !facts.rejects_sampling_params,
    schemas: row.schemas && facts.capabilities?.json_schema !== false,
  };
}

/**
 * The subset of JSON Schema for answers and strict tools:
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs (2026-11-20).
 */
export const CLAUDE_SCHEMA: SchemaRules = {
  keeps: new Set([
    "anyOf",
    "allOf",
    "enum",
    "const",
    "required",
    "title",
    "default",
    "pattern",
    "minItems",
  ]),
  formats: new Set([
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
  ]),
  closed: true,
  oneOfAsAnyOf: true,
  allows(keyword, value) {
    switch (keyword) {
      case "pattern":
        // Look-around, word boundaries, backreferences and counted repetition are rejected.
        return typeof value === "string" && !/\(\?|\\[bBk1-9]|\{/.test(value);
      case "minItems":
        return value === 0 || value === 1;
      case "allOf":
        return Array.isArray(value) && !value.some((one) => isObject(one) && "$ref" in one);
      case "enum":
        return Array.isArray(value) &&
          value.every((one) => typeof one !== "object" || one === null);
      case "const":
        return typeof value !== "object" || value === null;
      default:
        return true;
    }
  },
};

/** The limits on all schemas of one request together, from the same page. */
export const CLAUDE_SCHEMA_LIMITS: SchemaLimits = { schemas: 20, optional: 24, unions: 16 };

/**
 * A `match` that ends in a digit must not match a part of a number: `-5-2` does not match
 * `-5-20260610`.
 */
function holds(id: string, match: string): boolean {
  const at = id.indexOf(match);
  return at >= 0 && !(/\d$/.test(match) && /\d/.test(id.charAt(at + match.length)));
}

/**
 * The classes whose versions share one limit; each other version has a separate limit
 * (https://platform.claude.com/docs/en/api/rate-limits, as of 2026-10-17).
 */
const COMBINED = /claude-(?:opus-4|sonnet-4|fable-5)(?=$|[-.@])/;

/** The date of a snapshot, or the name of the latest one. */
const SNAPSHOT = /[-@](?:20\d{6}|latest)$/;

/** The rate-limit family of a model, by its upstream name. */
export function claudeQuotaFamily(model: string): string {
  return COMBINED.exec(model)?.[0] ?? model.replace(SNAPSHOT, "");
}

/**
 * Models with a longer minimum than others. A mark on a shorter prefix has no effect
 * (https://platform.claude.com/docs/en/build-with-claude/prompt-caching, 2026-11-24; Sonnet 4.6 was
 * observed to need more than documented:
 * https://github.com/anthropics/anthropic-sdk-python/issues/1194, 2026-02).
 */
const LONGER: readonly (readonly [models: RegExp, tokens: number])[] = [
  [/opus-4-[56]|haiku-[45]/, 4096],
  [/opus-4-7|sonnet-4-6|3-5-haiku|3-haiku/, 2048],
];

/**
 * The newest models cache prefixes of 512 tokens or more, but such short prefixes save next to
 * nothing.
 */
const USUAL_TOKENS = 1024;

/** The minimum length in tokens of a prefix to mark for a model, under any form of its ID. */
export function minCachedTokens(id: string): number {
  // OpenRouter writes versions with dots.
  const name = id.replaceAll(".", "-");
  return LONGER.find(([models]) => models.test(name))?.[1] ?? USUAL_TOKENS;
}
