/** Hedging as a feature: a second target is asked if the first one takes too long. */

import type { FallbackTarget, Target } from "../../config/config.ts";
import type { CallerRequest, Feature, RequestFeature } from "../../gateway/feature.ts";
import type { AttemptRules, TargetAnswer, TargetAsking } from "../../gateway/feature_attempts.ts";
import { explainHedge, none } from "./explain_hedge.ts";
import { type HedgePlan, Hedger, type HedgerDeps } from "./hedger.ts";
import { mayHedge } from "./may_hedge.ts";

/** Hedges requests, where the policy of their model says so. */
export function hedging(deps: HedgerDeps): Feature {
  return {
    name: "hedging",
    plan({ configuredName: name, policy: { hedge: rule } }, { copies }) {
      if (rule === undefined) return undefined;
      const single = { explain: () => ({ hedge: none("stateful_request") }) };
      if (copies === undefined) return { start: () => single };
      return {
        start: (request) =>
          mayHedge(request.body, copies === "unless_stored")
            ? new HedgedRequest({ name, rule }, request, deps)
            : single,
      };
    },
  };
}

/** One request that may be hedged. */
class HedgedRequest implements RequestFeature {
  readonly #plan: HedgePlan;
  readonly #request: CallerRequest;
  readonly #deps: HedgerDeps;
  #hedger: Hedger | undefined;

  constructor(plan: HedgePlan, request: CallerRequest, deps: HedgerDeps) {
    this.#plan = plan;
    this.#request = request;
    this.#deps = deps;
  }

  target<Answer extends TargetAnswer>(
    target: Target,
    asking: TargetAsking<Answer>,
  ): Promise<Answer> {
    this.#hedger ??= new Hedger(this.#plan, asking, this.#deps);
    return this.#hedger.ask(target, asking);
  }

  explain(chain: readonly FallbackTarget[], rules: AttemptRules | undefined) {
    return { hedge: explainHedge(this.#plan.rule, this.#request, chain, { ...this.#deps, rules }) };
  }
}
