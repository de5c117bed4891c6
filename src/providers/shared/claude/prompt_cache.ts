/** The minimum length of a prefix that the Claude models cache. */

/**
 * Models with a longer minimum than others. A mark on a shorter one has no effect
 * (https://platform.claude.com/docs/en/build-with-claude/prompt-caching, 2026-11-24; Sonnet 4.6 was
 * seen to need more than is documented:
 * https://github.com/anthropics/anthropic-sdk-python/issues/1194, 2026-02).
 */
const LONGER: readonly (readonly [models: RegExp, tokens: number])[] = [
  [/opus-4-[56]|haiku-[45]/, 4096],
  [/opus-4-7|sonnet-4-6|3-5-haiku|3-haiku/, 2048],
];

/** The newest models cache from 512 tokens on, but shorter prefixes save next to nothing. */
const USUAL_TOKENS = 1024;

/** Tokens of the shortest prefix that is marked for a model, by any form of its ID. */
export function minCachedTokens(id: string): number {
  // OpenRouter writes versions with dots.
  const name = id.replaceAll(".", "-");
  return LONGER.find(([models]) => models.test(name))?.[1] ?? USUAL_TOKENS;
}
