/** Explains when a second target would be asked, or why none would. */

import type { FallbackTarget, HedgeRule } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { CallerRequest } from "../../gateway/feature.ts";
import type { AttemptRules } from "../../gateway/feature_attempts.ts";
import type { HedgingState } from "./hedging_state.ts";
import type { State } from "../../gateway/state.ts";
import { isSecondTarget } from "./second_target.ts";

interface HedgeContext {
  readonly rules: AttemptRules | undefined;
  readonly clock: Clock;
  readonly hedging: HedgingState;
  readonly state: State;
}

/**
 * The hedge of a request, or the reason why it has none. Whether the share and the money of the rule
 * suffice is known only when it is due.
 *
 * @param chain the targets in their order
 */
export function explainHedge(
  rule: HedgeRule,
  { bytes, stream }: Pick<CallerRequest, "bytes" | "stream">,
  chain: readonly FallbackTarget[],
  { rules, clock, hedging, state }: HedgeContext,
): JsonObject {
  const [first, ...others] = chain;
  const now = clock.now();
  if (first === undefined) return none("no_second_target");
  const seconds = others.filter((entry) => isSecondTarget(entry, first.target, state, now));
  if (seconds.length === 0) return none("no_second_target");
  const second = seconds.find(({ target }) =>
    rules?.allowsBeside?.(target, first.target) !== false
  );
  if (second === undefined) return none("max_cost");
  const stats = state.statsOf(first.target);
  const ms = hedging.delayOf(rule, { stats, stream, bytes }, now);
  if (ms === undefined) return none("too_few_answers");
  const { provider, model } = second.target;
  return { provider: provider.settings.id, model: model.upstream, after_ms: Math.round(ms) };
}

/** Why there is no hedge. */
export function none(reason: string): JsonObject {
  return { provider: null, model: null, after_ms: null, reason };
}
