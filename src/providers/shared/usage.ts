/** Token counts in OpenAI's words: they add up, whatever a vendor leaves out of its own sums. */

import { isObject, type JsonObject, type Usage } from "../../chat/chat.ts";
import { toCount } from "./answers.ts";

/** The two sides of a request that tokens are billed for. */
export type Side = "prompt" | "completion";

/** Counts as a vendor gives them; what is missing may be undefined or null. */
export interface VendorCounts {
  /** Counts of the prompt, none of which contains another. */
  readonly prompt: readonly unknown[];
  /** Counts of the answer, none of which contains another. */
  readonly completion: readonly unknown[];
  /** All of them, as the vendor adds them up. */
  readonly total?: unknown;
  /** The side of tokens that only `total` counts; the answer's unless given. */
  readonly unnamed?: Side | undefined;
}

/**
 * Usage whose total is the sum of its sides. A vendor that gave no number counted nothing:
 * undefined, for zero would look measured.
 */
export function addUp({ prompt, completion, total, unnamed }: VendorCounts): Usage | undefined {
  if (![...prompt, ...completion, total].some((count) => typeof count === "number")) {
    return undefined;
  }
  let input = sumOf(prompt);
  let output = sumOf(completion);
  const rest = Math.max(0, toCount(total) - input - output);
  if (unnamed === "prompt") input += rest;
  else output += rest;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

/** How a vendor of OpenAI's dialect counts, where that differs from OpenAI. */
export interface UsageRules {
  /** Members of `usage` that are billed as input beside `prompt_tokens`. */
  readonly besidePrompt?: readonly string[];
  /** The side of tokens that only `total_tokens` counts; the answer's unless given. */
  readonly unnamed?: Side;
}

/**
 * The `usage` of OpenAI's dialect, which vendors fill in differently: reasoning, audio and cached
 * tokens may be counted beside the sums, and then show in the total only, or exceed the sums.
 */
export function readUsage(raw: unknown, rules: UsageRules = {}): Usage | undefined {
  if (!isObject(raw)) return undefined;
  const asked = isObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {};
  const made = isObject(raw.completion_tokens_details) ? raw.completion_tokens_details : {};
  const reasoning = made.reasoning_tokens ?? raw.reasoning_tokens;
  const cached = asked.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens ??
    raw.num_cached_tokens;
  const beside = findBeside(raw, { reasoning, cached, audio: asked.audio_tokens });
  const sums = addUp({
    prompt: [
      raw.prompt_tokens,
      ...beside.prompt,
      ...(rules.besidePrompt ?? []).map((name) => raw[name]),
    ],
    completion: [raw.completion_tokens, ...beside.completion],
    total: raw.total_tokens,
    unnamed: rules.unnamed,
  });
  if (sums === undefined) return undefined;
  const usage: Usage = { ...raw, ...sums };
  if (cached !== undefined && cached !== asked.cached_tokens) {
    usage.prompt_tokens_details = { ...asked, cached_tokens: toCount(cached) };
  }
  if (made.reasoning_tokens === undefined && raw.reasoning_tokens !== undefined) {
    usage.completion_tokens_details = { ...made, reasoning_tokens: toCount(reasoning) };
  }
  return usage;
}

/** Counts that the sums may contain or not. */
interface Parts {
  readonly reasoning: unknown;
  readonly cached: unknown;
  readonly audio: unknown;
}

/**
 * The parts that the sums do not contain: those that exceed their sum, else the one or two that
 * make up what the total has over the sums.
 */
function findBeside(raw: JsonObject, parts: Parts): Record<Side, readonly number[]> {
  const [prompt, completion] = [toCount(raw.prompt_tokens), toCount(raw.completion_tokens)];
  const counts = [
    { side: "completion" as const, count: toCount(parts.reasoning), sum: completion },
    { side: "prompt" as const, count: toCount(parts.audio), sum: prompt },
    { side: "prompt" as const, count: toCount(parts.cached), sum: prompt },
  ].filter(({ count }) => count > 0);
  let beside = counts.filter(({ count, sum }) => count > sum);
  const rest = toCount(raw.total_tokens) - prompt - completion;
  if (beside.length === 0 && rest > 0) {
    const pairs = counts.flatMap((one, at) => counts.slice(at + 1).map((other) => [one, other]));
    beside = [...counts.map((one) => [one]), ...pairs]
      .find((some) => sumOf(some.map(({ count }) => count)) === rest) ?? [];
  }
  const of = (side: Side) => beside.filter((one) => one.side === side).map(({ count }) => count);
  return { prompt: of("prompt"), completion: of("completion") };
}

function sumOf(counts: readonly unknown[]): number {
  return counts.reduce<number>((sum, count) => sum + toCount(count), 0);
}
