/** What a target of an explained request is expected to use, and what that costs. */

import type { Target } from "../config/config.ts";
import type { JsonObject } from "../core/json/object.ts";
import { UNITS } from "../core/units.ts";
import { usdOf } from "../governance/cost.ts";
import { isBilled, maxOutputOf, UsualOutput } from "../governance/reservation.ts";
import { tokenFamilyOf } from "../apis/token_families.ts";
import { pricesOf } from "./order/prices.ts";
import type { ExplainableOperation } from "./operation.ts";
import { estimateOf } from "./request_limits.ts";

/** The request whose usage is estimated. */
export interface EstimatedRequest {
  readonly operation: ExplainableOperation;
  /** Its size; 0 if it is unknown. */
  readonly bytes: number;
  /** What models have written until now; undefined where none has answered. */
  readonly usualOutput: UsualOutput | undefined;
}

/**
 * The member `estimate` of an explained target, by which limits and budgets admit the request:
 * `input_tokens`, the usual and the most `output_tokens`, and the cost of each in US dollars, null if
 * the price is unknown. Empty for a request that vendors do not bill, such as a count of tokens.
 */
export function explainEstimate(
  target: Target,
  { operation, bytes, usualOutput = new UsualOutput() }: EstimatedRequest,
): JsonObject {
  const isKnown = operation.estimate !== undefined || bytes > 0;
  if (operation.asksNoModel || !isKnown) return {};
  const estimate = estimateOf(operation, tokenFamilyOf(target.model.base), bytes);
  if (!isBilled(estimate)) return {};
  const { input, units } = estimate;
  const usual = usualOutput.of(target, estimate);
  const most = maxOutputOf(target, estimate);
  const costOf = (output: number) =>
    usdOf({
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        [UNITS]: units,
      },
      prices: pricesOf(target),
      tier: operation.chat?.service_tier ?? undefined,
    }) ?? null;
  return {
    estimate: {
      input_tokens: input,
      output_tokens: Math.min(usual, most),
      max_output_tokens: most,
      cost_usd: costOf(Math.min(usual, most)),
      max_cost_usd: costOf(most),
    },
  };
}
