/** Families of models by their tokenizers, for estimates of tokens. */

import type { TokenFamily } from "../core/tokens/token_counter.ts";

/**
 * Tokens of a script relative to `o200k_base`, by {@linkcode Script}. `o200k`, `cl100k`, `llama3`
 * and `claude` are medians over tests/core/tokens/samples.json, which was counted on 2026-11-24
 * with gpt-tokenizer 4.0.0, llama3-tokenizer-js 1.2.0 and @anthropic-ai/tokenizer 0.0.4.
 */
const FACTORS = {
  o200k: [1, 1, 1, 1, 1, 1, 1, 1],
  cl100k: [1.02, 2, 1, 1, 1.6, 2.2, 1.4, 1.2],
  llama3: [1.02, 1.7, 1, 1, 1.05, 1.5, 1, 1.2],
  claude: [1.08, 2.5, 1.1, 1.1, 1.7, 2.8, 1.35, 1.3],
  // Measured against count_tokens: prose of Latin letters has 1.2 to 1.46 times the tokens of Claude
  // 4.6, digits 1.06, other scripts 1.0: https://sol.ava.dev/writings/2026-04-17-opus-4-7-tokenizer.html
  // and https://www.claudecodecamp.com/p/i-measured-claude-4-7-s-new-tokenizer-here-s-what-it-costs-you
  // (2026-11-24).
  claude_4_7: [1.45, 2.5, 1.2, 1.25, 1.7, 2.8, 1.35, 1.3],
  // Each digit is a token: https://arxiv.org/abs/2403.08295, section 2.2 (2026-11-24).
  gemini: [1.02, 1.5, 2.4, 1.1, 1.05, 1.2, 1, 1.2],
  other: [1.08, 2, 1.5, 1.1, 1.4, 1.8, 1.2, 1.3],
} as const;

/** The name of a family. `other` is for unknown models, with high estimates. */
export type TokenFamilyName = keyof typeof FACTORS;

const BY_NAME = new Map(
  Object.entries(FACTORS).map(([name, factors]) => [name, { name, factors }]),
);

/** The family of this name. Exported for tests. */
export function tokenFamily(name: TokenFamilyName): TokenFamily {
  return BY_NAME.get(name) ?? { name, factors: FACTORS[name] };
}

/** Patterns of model names. The first match wins. */
const FAMILIES: readonly (readonly [pattern: RegExp, family: TokenFamilyName])[] = [
  [/claude-(?:instant|[123])\b/, "claude"],
  [/claude-(?:opus|sonnet|haiku)-4(?:[-.][0-6])?(?:$|[@:]|-v|-latest|-\d{6})/, "claude"],
  [/claude/, "claude_4_7"],
  [/gemini|gemma/, "gemini"],
  [/gpt-4(?!o|\.|\d)|gpt-3|gpt-35|text-embedding|davinci|babbage/, "cl100k"],
  [/gpt|chatgpt|(?:^|[/.])o[1-9](?:$|-)|codex|omni-/, "o200k"],
  [/llama-?3/, "llama3"],
];

/** The families of requested models. */
const KNOWN = new Map<string, TokenFamily>();
/** Callers may name any model, so the map is emptied at this size. */
const MAX_KNOWN = 1000;

/** The family of a model, by its upstream name. */
export function tokenFamilyOf(model: string): TokenFamily {
  let family = KNOWN.get(model);
  if (family === undefined) {
    const lower = model.toLowerCase();
    family = tokenFamily(FAMILIES.find(([pattern]) => pattern.test(lower))?.[1] ?? "other");
    if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
    KNOWN.set(model, family);
  }
  return family;
}

/** Whether a model may think although the request does not enable it. Claude does not. */
export function mayThinkUnasked(model: string): boolean {
  return !tokenFamilyOf(model).name.startsWith("claude");
}
