/** Token counts in OpenAI's format. The sums are correct even if a vendor's sums are incomplete. */

import type { Usage } from "../contract/chat.ts";
import { isObject, type JsonObject } from "../core/json/object.ts";
import { toCount } from "../core/json/values.ts";
import type { Call } from "../contract/vendor_request.ts";

/** Tokens are billed as prompt or completion. */
type UsageSide = "prompt" | "completion";

/** A vendor's counts. Missing counts are undefined or null. */
interface VendorCounts {
  /** Counts of the prompt that do not overlap. */
  readonly prompt: readonly unknown[];
  /** Counts of the answer that do not overlap. */
  readonly completion: readonly unknown[];
  /** The vendor's total. */
  readonly total?: unknown;
  /** The side of tokens that only `total` contains. Default: completion. */
  readonly restSide?: UsageSide | undefined;
}

/**
 * Creates usage whose total is the sum of its sides. Returns undefined if the vendor reported no
 * count, since zero would look like a reported value.
 */
export function addUp({ prompt, completion, total, restSide }: VendorCounts): Usage | undefined {
  if (![...prompt, ...completion, total].some((count) => typeof count === "number")) {
    return undefined;
  }
  let input = sumOf(prompt);
  let output = sumOf(completion);
  const difference = Math.max(0, toCount(total) - input - output);
  if (restSide === "prompt") input += difference;
  else output += difference;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

/** Differences between the token counts of a vendor of OpenAI's dialect and those of OpenAI. */
export interface UsageRules {
  /** Members of `usage` that are billed as input and not contained in `prompt_tokens`. */
  readonly inputMembers?: readonly string[];
  /**
   * The side (input or output) of tokens that only `total_tokens` includes. Default: completion.
   */
  readonly restSide?: UsageSide;
  /** True if cached tokens are never added, even if they exceed `prompt_tokens`. */
  readonly cachedIsIncluded?: boolean;
}

/**
 * Reads the `usage` of OpenAI's dialect. Vendors may count reasoning, audio and cached tokens in
 * addition to the sums: such tokens are only part of the total, or exceed the sums.
 */
export function readUsage(raw: unknown, rules: UsageRules = {}): Usage | undefined {
  if (!isObject(raw)) return undefined;
  const promptDetails = isObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {};
  const completionDetails = isObject(raw.completion_tokens_details)
    ? raw.completion_tokens_details
    : {};
  const reasoning = completionDetails.reasoning_tokens ?? raw.reasoning_tokens;
  const cached = promptDetails.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens ??
    raw.num_cached_tokens;
  const uncounted = findUncounted(raw, {
    reasoning,
    cached: rules.cachedIsIncluded ? undefined : cached,
    audio: promptDetails.audio_tokens,
  });
  const sums = addUp({
    prompt: [
      raw.prompt_tokens,
      ...uncounted.prompt,
      ...(rules.inputMembers ?? []).map((name) => raw[name]),
    ],
    completion: [raw.completion_tokens, ...uncounted.completion],
    total: raw.total_tokens,
    restSide: rules.restSide,
  });
  if (sums === undefined) return undefined;
  const usage: Usage = { ...raw, ...sums };
  if (cached !== undefined && cached !== promptDetails.cached_tokens) {
    usage.prompt_tokens_details = { ...promptDetails, cached_tokens: toCount(cached) };
  }
  if (completionDetails.reasoning_tokens === undefined && raw.reasoning_tokens !== undefined) {
    usage.completion_tokens_details = {
      ...completionDetails,
      reasoning_tokens: toCount(reasoning),
    };
  }
  return usage;
}

/** Counts that the sums may or may not include. */
interface PartialCounts {
  readonly reasoning: unknown;
  readonly cached: unknown;
  readonly audio: unknown;
}

/**
 * The parts that the sums exclude: those that exceed their sum, else the one or two that add up to
 * the difference between the total and the sums.
 */
function findUncounted(
  raw: JsonObject,
  parts: PartialCounts,
): Record<UsageSide, readonly number[]> {
  const [prompt, completion] = [toCount(raw.prompt_tokens), toCount(raw.completion_tokens)];
  const counts = [
    { side: "completion" as const, count: toCount(parts.reasoning), sum: completion },
    { side: "prompt" as const, count: toCount(parts.audio), sum: prompt },
    { side: "prompt" as const, count: toCount(parts.cached), sum: prompt },
  ].filter(({ count }) => count > 0);
  let uncounted = counts.filter(({ count, sum }) => count > sum);
  const difference = toCount(raw.total_tokens) - prompt - completion;
  if (uncounted.length === 0 && difference > 0) {
    const pairs = counts.flatMap((one, at) => counts.slice(at + 1).map((other) => [one, other]));
    uncounted = [...counts.map((one) => [one]), ...pairs]
      .find((some) => sumOf(some.map(({ count }) => count)) === difference) ?? [];
  }
  const of = (side: UsageSide) =>
    uncounted.filter((one) => one.side === side).map(({ count }) => count);
  return { prompt: of("prompt"), completion: of("completion") };
}

function sumOf(counts: readonly unknown[]): number {
  return counts.reduce<number>((sum, count) => sum + toCount(count), 0);
}

/**
 * Maps the caller's tier to the vendor's; undefined if none is sent. The receipt records the
 * difference.
 *
 * @param tiers the vendor's tiers by the caller's; without `auto`, it is not sent
 */
export function toServiceTier(
  { changes, request: { service_tier: tier } }: Call,
  tiers: ReadonlyMap<string, string>,
): string | undefined {
  if (tier === undefined) return undefined;
  const sent = tiers.get(tier);
  if (sent === undefined && tier !== "auto") changes.ignore("service_tier");
  else if (sent !== undefined && sent !== tier) changes.convert("service_tier", tier, sent);
  return sent;
}
